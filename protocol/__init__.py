"""Lines, commands, the service state machine and the command line around an `Engine`."""
