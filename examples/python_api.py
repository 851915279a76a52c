"""The engine as a Python library: positions, a search with progress, exact scores, an open analysis.
stopped.

    pip install .
    python examples/python_api.py --move-time 1000

The main module is protected by `if __name__ == "__main__"`: the search processes import it again.
"""

# ruff: noqa: T201
from __future__ import annotations

import argparse
import sys
import time

from othello_engine.config import load_config
from othello_engine.engine.engine import Engine
from othello_engine.position import Position
from othello_engine.types import Goal, Limits, SearchInfo, square_name


def show(info: SearchInfo) -> None:
    """One line of progress."""
    line = " ".join(square_name(move) for move in info.pv)
    score = f"{info.score.kind.value} {info.score.value:+6}"
    print(f"  depth {info.depth:2}  {score}  {info.nodes:>10,} nodes  {line}")


def main() -> int:
    parser = argparse.ArgumentParser(description="Use the engine from Python.")
    parser.add_argument("--move-time", type=int, default=1000, metavar="MS", help="time for the first search")
    options = parser.parse_args()

    # A position is a value: playing a move gives another one.
    position = Position.from_moves("f5d6c3")
    print(position)
    print("moves:", *(square_name(move) for move in position.legal_moves))

    with Engine(load_config(overrides={"hash_mb": 64})) as engine:
        engine.wait_ready()

        print(f"\nthinking for {options.move_time} ms")
        engine.set_position(position)
        result = engine.go(Limits(move_time_ms=options.move_time), on_info=show).wait()
        print("best move:", square_name(result.best_move))

        print("\nsolving a position with six empty squares")
        engine.set_position(Position.from_text("----OOOXOO-OOOOX-OXXXXXXOXOOOXXXOOOOOOXXOOOOOOXXOOOOXXXXOOOOXXOO X"))
        result = engine.go(Limits(goal=Goal.EXACT, multipv=3)).wait()
        for info in result.lines:
            print(f"  {square_name(info.pv[0])}: {info.score.value:+} discs")

        print("\nanalysing until told to stop")
        engine.set_position(Position.start())
        analysis = engine.go(Limits(infinite=True, multipv=4))
        time.sleep(0.3)
        analysis.stop()
        for info in analysis.wait().lines:
            show(info)
    return 0


if __name__ == "__main__":
    sys.exit(main())
