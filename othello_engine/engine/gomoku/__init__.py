"""What the engine does differently for Gomoku: from a request to iterations, and how they are divided among workers."""
