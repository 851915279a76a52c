"""A small engine for the match tests: plays the first legal move, in any dialect, and misbehaves when told to.

    fake_player.py native|nboard|gtp [BEHAVIOUR] [--log FILE]

BEHAVIOUR: `good`; `slow` thinks for 30 ms; `silent`, `illegal`, `crashing`, `refusing` do so on their third move;
`crash-once:FILE` crashes there unless FILE exists, and creates it.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from pathlib import Path

from othello_engine.position import Position
from othello_engine.types import PASS, square_name

SLOW_S = 0.03


class FakePlayer:
    """A position, and a choice made in it."""

    def __init__(self, behaviour: str) -> None:
        self.behaviour, _, self.file = behaviour.partition(":")
        self.position = Position.start()
        self.n_choices = 0

    def choose(self) -> str:
        """A move's name; `error` to refuse."""
        self.n_choices += 1
        if self.behaviour == "slow":
            time.sleep(SLOW_S)
        if self.n_choices == 3:
            if self.behaviour == "crashing":
                sys.exit("told to crash")
            if self.behaviour == "crash-once" and not Path(self.file).exists():
                Path(self.file).touch()
                sys.exit("told to crash once")
            if self.behaviour == "silent":
                time.sleep(600)
            if self.behaviour in ("illegal", "refusing"):
                return {"illegal": "d4", "refusing": "error"}[self.behaviour]
        return square_name(self.position.legal_moves[0])


def native(player: FakePlayer, line: str) -> str | None:
    command, *words = line.split()
    if command == "uoi":
        return "id name fake\nuoiok"
    if command == "isready":
        return "readyok"
    if command == "newgame":
        player.position, player.n_choices = Position.start(), 0
    if command == "setboard":
        player.position = Position.from_moves(words[2:])
    if command == "go":
        move = player.choose()
        return "error internal - told to refuse" if move == "error" else f"info depth 1\nbestmove {move} ponder a1"
    return None


def nboard(player: FakePlayer, line: str) -> str | None:
    command, *words = line.split()
    if command == "ping":
        return f"pong {words[0]}"
    if line.startswith("set depth"):
        return f"\nset myname fake{words[1]}"
    if line.startswith("set game"):
        player.position, player.n_choices = Position.from_moves(re.findall(r"\b[BW]\[(\w\w)\]", line)), 0
    if command == "move":
        player.position = player.position.play(words[0])
    if command == "go":
        return f"status thinking\n=== {player.choose().upper()}/-1.00/0.1\nstatus"
    return None


def gtp(player: FakePlayer, line: str) -> str | None:
    command, *words = line.split()
    if command == "clear_board":
        player.position, player.n_choices = Position.start(), 0
    if command in ("play", "genmove"):
        if "bw"[player.position.side] != words[0]:
            return "? wrong colour\n"
        if command == "genmove":
            move = player.choose()
            if move == "error":
                return "? told to refuse\n"
            if move != "d4":
                player.position = player.position.play(move)
            return f"= {move}\n"
        player.position = player.position.play(PASS if words[1] == "pass" else words[1])
    return "=\n"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("dialect", choices=("native", "nboard", "gtp"))
    parser.add_argument("behaviour", nargs="?", default="good")
    parser.add_argument("--log", type=Path)
    options = parser.parse_args()
    answer = {"native": native, "nboard": nboard, "gtp": gtp}[options.dialect]
    player = FakePlayer(options.behaviour)
    for line in sys.stdin:
        if options.log:
            with options.log.open("a") as log:
                log.write(line)
        if line.strip() == "quit":
            break
        reply = answer(player, line)
        if reply is not None:
            print(reply, flush=True)


if __name__ == "__main__":
    main()
