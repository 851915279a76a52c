"""`python -m protocol`: the same program as `othello-engine`."""

import sys

from protocol.cli import main

if __name__ == "__main__":
    sys.exit(main())
