"""Checks whether an engine program speaks its dialect, one rule at a time, and shows where it does not.

`checks` holds the rules, a file for each dialect and one for what all share; `clients` the words needed to state them;
`talk` the conversation with the process. Nothing here knows how the engine is made: any program can be checked.
"""
