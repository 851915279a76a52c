"""Tests of `protocol`: lines, commands, the service against a scripted engine, the command line."""
