"""What makes it a program: clock, shared memory, worker processes, the `Engine` facade."""
