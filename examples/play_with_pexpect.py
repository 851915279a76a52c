"""A whole game against the engine, driven as a person at a terminal would drive it, with pexpect.

The engine plays black; a player who picks any legal move plays white. Needs nothing but pexpect and the
installed engine:

    pip install . pexpect
    python examples/play_with_pexpect.py --move-time 200

On a terminal two things are worth knowing. Without `echo=False` the terminal repeats what is sent, so a
script must not wait for a word that its own command holds: here every pattern begins with the answer's first
word, which is never a command's. And a terminal cuts lines at 4,095 bytes (1,024 on some systems): no command
here comes near that, a whole game in one `setboard` line takes less than 300.
"""

# ruff: noqa: T201
from __future__ import annotations

import argparse
import random
import re
import sys

import pexpect


class Engine:
    """A conversation with the engine's program."""

    def __init__(self, echo: bool) -> None:
        self.program = pexpect.spawn(sys.executable, ["-m", "protocol"], encoding="utf-8", echo=echo, timeout=120)
        self.program.delaybeforesend = None

    def tell(self, command: str) -> None:
        """Send a command that has no answer."""
        self.program.sendline(command)

    def ask(self, command: str, answer: str) -> list[str]:
        """Send a command and wait for the line that begins with `answer`; its other words."""
        self.program.sendline(command)
        # A terminal ends lines with CR LF, so a pattern must not look for a bare line feed.
        self.program.expect(rf"(?m)^{answer}( [^\r\n]+)?\r\n")
        found = self.program.match
        assert isinstance(found, re.Match)
        return (found.group(1) or "").split()


def main() -> int:
    parser = argparse.ArgumentParser(description="Play a game against the engine through a terminal.")
    parser.add_argument("--move-time", type=int, default=200, metavar="MS", help="the engine's time for a move")
    parser.add_argument("--seed", type=int, default=1, help="of the other player's moves")
    parser.add_argument("--echo", action="store_true", help="leave the terminal's echo on; nothing changes")
    options = parser.parse_args()
    player = random.Random(options.seed)

    engine = Engine(options.echo)
    engine.ask("isready", "readyok")
    engine.tell("newgame")
    while engine.ask("query gameover", "response") == ["false"]:
        if engine.ask("query p1turn", "response") == ["true"]:
            name = "engine"
            move = engine.ask(f"go time {options.move_time}", "bestmove")[0]
        else:
            name = "random"
            # `legal d3 c5 ...`, or `legal pass` when there is no move.
            move = player.choice(engine.ask("display", "legal"))
        print(f"{name}: {move}")
        engine.tell(f"move {move}")

    board, _ = engine.ask("display", "board")
    (result,) = engine.ask("query result", "response")
    print("\n".join(board[i : i + 8] for i in range(0, 64, 8)))
    print({"p1win": "the engine wins", "p2win": "the random player wins", "draw": "draw"}[result])
    engine.tell("quit")
    engine.program.expect(pexpect.EOF)
    engine.program.close()
    return 0 if engine.program.exitstatus == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
