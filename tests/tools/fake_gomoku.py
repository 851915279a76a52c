"""A small engine for the tests of the tools: plays Gomoku on the first empty cell, and misbehaves when told to.

    fake_gomoku.py gomocup|native [BEHAVIOUR] [--log FILE]

BEHAVIOUR: `good`; `drawing` fills the board so that nobody gets three in a row, if both do; `slow` thinks for 10 ms;
`chatter` writes 200 kB to stderr and many lines before every move; `saying:TEXT` writes TEXT before every move;
`doubling` says every answer twice; `nameless` says nothing to ABOUT, `unknowing` answers it with UNKNOWN;
`complaining` answers INFO with errors, but for time_left;
`crlf` ends its lines with CR LF; `lasting` stays when told to end or when its input ends; `unready` never answers;
`no-start` ends at once; `no-size` refuses every size; `solving:X,Y` plays that cell, `answering:TEXT` says TEXT;
`late`, `silent`, `crashing`, `error`, `unknown`, `suggesting`, `occupied`, `outside`, `spaced`, `tailed`, `passing` do
so at their third move (`late`: a quarter of a second, then it goes on; `spaced`: `7, 8`; `tailed`: `7,8,1`).
Nothing of the project is imported, so that it starts at once.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

SLOW_S = 0.01
LATE_S = 0.25
NAME = 'name="fake", version="0.1", author="nobody", country="none"'


class FakePlayer:
    """Stones by cell, row * size + column: 1 its own, 2 the other's, 3 blocked; and a choice made there."""

    def __init__(self, behaviour: str, is_native: bool) -> None:
        self.behaviour, _, self.argument = behaviour.partition(":")
        self.is_native = is_native
        self.start(0)

    def start(self, size: int) -> None:
        self.size, self.stones, self.n_choices = size, dict[int, int](), 0

    def choose(self) -> str:
        self.n_choices += 1
        if self.behaviour == "slow":
            time.sleep(SLOW_S)
        if self.behaviour == "chatter":
            sys.stderr.write("thinking aloud\n" * 14_000)
            print("MESSAGE thinking aloud\nDEBUG 7,7\n\n" * 1000, end="", flush=True)
        if self.behaviour == "saying":
            print(self.argument.replace("|", "\n"), flush=True)
        if self.behaviour == "answering":
            return self.argument
        special = self.misbehave() if self.n_choices == 3 else None
        if special is not None:
            return special
        cell = self.cell()
        self.stones[cell] = 1
        return self.spell(cell)

    def spell(self, cell: int) -> str:
        row, column = divmod(cell, self.size)
        return f"{chr(97 + column)}{row + 1}" if self.is_native else f"{column},{row}"

    def read(self, name: str) -> int:
        if name[0].isalpha():
            return (int(name[1:]) - 1) * self.size + ord(name[0]) - 97
        column, row = (int(part) for part in name.split(",")[:2])
        return row * self.size + column

    def cell(self) -> int:
        if self.behaviour == "solving":
            return self.read(self.argument)
        empty = [cell for cell in range(self.size**2) if cell not in self.stones]
        if self.behaviour == "drawing":
            mine = len(self.stones) % 2
            return next(cell for cell in empty if (cell % self.size // 2 + cell // self.size) % 2 == mine)
        return empty[0]

    def misbehave(self) -> str | None:
        behaviour = self.behaviour
        if behaviour == "crashing":
            sys.exit("told to crash")
        if behaviour == "silent":
            time.sleep(600)
        if behaviour == "late":
            time.sleep(LATE_S)
        answers = {
            "error": "ERROR told to refuse" if not self.is_native else "error internal - told to refuse",
            "unknown": "UNKNOWN told not to know",
            "suggesting": "SUGGEST 9,9",
            "occupied": self.spell(next(iter(self.stones))),
            "outside": f"{self.size},3",
            "spaced": "7, 8",
            "tailed": "7,8,1",
            "passing": "-1,-1",
        }
        return answers.get(behaviour)


def gomocup(player: FakePlayer, line: str, lines: Callable[[], str]) -> str | None:
    command, *words = line.split() or [""]
    if command == "ABOUT":
        return {"nameless": None, "unknowing": "UNKNOWN command"}.get(player.behaviour, NAME)
    if command == "START":
        if player.behaviour == "no-size":
            return "ERROR size is not supported"
        player.start(int(words[0]))
        return "MESSAGE fresh board\nOK"
    if command == "INFO":
        is_known = words[0] == "time_left"
        return "ERROR what is that?" if player.behaviour == "complaining" and not is_known else None
    if command == "BEGIN":
        return player.choose()
    if command == "TURN":
        player.stones[player.read(words[0])] = 2
        return player.choose()
    if command == "BOARD":
        player.stones = {}
        while (stone := lines().strip()) != "DONE":
            player.stones[player.read(stone)] = int(stone.rpartition(",")[2])
        return player.choose()
    return "UNKNOWN command" if command and command != "END" else None


def native(player: FakePlayer, line: str, lines: Callable[[], str]) -> str | None:
    command, *words = line.split() or [""]
    if command == "uoi":
        return "id name fake\nuoiok"
    if command == "isready":
        return "readyok"
    if command == "setboard":
        board, _, *moves = words
        player.start(round(len(board) ** 0.5))
        player.stones = {cell: "XO#".index(sign) + 1 for cell, sign in enumerate(board) if sign in "XO#"}
        for move in moves[1:]:
            player.stones[player.read(move)] = 2
    if command == "move":
        for move in words:
            player.stones[player.read(move)] = 2
    if command == "go":
        choice = player.choose()
        if choice.startswith("error"):
            return choice
        if player.behaviour == "saying":
            return f"bestmove {choice}"
        return f"info depth 7 seldepth 9 score cp -150 nodes 99 nps 1 time 0 pv {choice}\nbestmove {choice}"
    return None


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("dialect", choices=("gomocup", "native"))
    parser.add_argument("behaviour", nargs="?", default="good")
    parser.add_argument("--log", type=Path)
    options = parser.parse_args()
    player = FakePlayer(options.behaviour, options.dialect == "native")
    if player.behaviour == "no-start":
        sys.exit("told not to start")
    if player.behaviour == "unready":
        time.sleep(600)
    if player.behaviour == "lasting":
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
    log = options.log.open("a", buffering=1) if options.log else None
    end = "\r\n" if player.behaviour == "crlf" else "\n"

    def read() -> str:
        line = sys.stdin.readline()
        if log:
            log.write(line)
        return line

    while line := read():
        reply = (gomocup if options.dialect == "gomocup" else native)(player, line, read)
        if reply is not None:
            reply = f"{reply}\n{reply}" if player.behaviour == "doubling" else reply
            os.write(1, (reply.replace("\n", end) + end).encode())
        if line.strip() in ("END", "quit") and player.behaviour != "lasting":
            return
    while player.behaviour == "lasting":
        time.sleep(600)


if __name__ == "__main__":
    main()
