"""Engine programs seen from outside: `process` is the program and its lines, `drivers` the dialects spoken to it,
`player` an engine over many games. No rules of the game are known here.
"""
