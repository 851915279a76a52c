"""The part of the small engine of the conformance tests that plays Gomoku: properly, or with one fault.

It completes a row of five, blocks one, and otherwise plays next to the other stones. A move with ten seconds or more is
"searched for" until the next line that ends it.
"""

from __future__ import annotations

import os
import re
import sys
import time

_LONG_MS = 10_000
_LINE_LIMIT = 65_536
_UNLIMITED = 2**31 - 1
_STEPS = ((1, 0), (0, 1), (1, 1), (1, -1))
_INFO_KEYS = ("timeout_turn", "timeout_match", "time_left", "rule")

Point = tuple[int, int]


class Refused(Exception):  # noqa: N818
    """The text of an ERROR."""


class FakeGomocup:
    """An engine on standard input and output."""

    def __init__(self, fault: str) -> None:
        self.fault = fault
        self.size = 0
        self.stones: dict[Point, int] = {}
        self.info = dict.fromkeys(_INFO_KEYS, 0) | {"timeout_turn": 5000, "time_left": _UNLIMITED}
        self.block: list[str] | None = None
        self.block_name = ""
        self.is_open = False

    def broken(self, fault: str) -> bool:
        return self.fault == fault

    def say(self, line: str) -> None:
        end = "\r\n" if self.broken("crlf") else "\n"
        try:
            os.write(1, (line + end).encode())
        except BrokenPipeError:
            os._exit(4)

    def run(self) -> None:
        if self.broken("banner"):
            self.say("Welcome to the fake engine")
        if self.broken("escapes"):
            self.say("\x1b[2J")
        if self.broken("stderr"):
            print("warming up", file=sys.stderr)
        if self.broken("sleeps"):
            time.sleep(0.4)
        for raw in sys.stdin.buffer:
            line = raw.removesuffix(b"\n").removesuffix(b"\r").removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
            words = line.split()
            if words and words[0].upper() == "END":
                if self.is_open and self.broken("moves-at-end"):
                    self.move()
                os._exit(0)
            try:
                self.answer(line)
            except Refused as problem:
                self.say(f"ERROR {problem}")
        if self.is_open:
            self.move()

    # -- lines -------------------------------------------------------------------------------------------------

    def answer(self, line: str) -> None:
        words = line.split()
        if not words:
            if self.broken("answers-blanks"):
                self.say("UNKNOWN")
            return
        name = words[0].upper()
        if self.broken("upper-only") and words[0] != name:
            name = "?"
        if name in ("YXSTOP", "STOP"):
            if self.is_open:
                if self.broken("slow-stop"):
                    time.sleep(0.3)
                self.move()
            elif self.broken("answers-stop"):
                self.say("UNKNOWN YXSTOP")
            return
        if self.block is not None:
            if name == "DONE":
                lines, self.block = self.block, None
                self.end_block(lines)
            else:
                self.block.append(line.strip())
            return
        if name in ("BOARD", "SWAP2BOARD", "YXBOARD"):
            if self.is_open:
                self.move()
            if name == "YXBOARD" and self.broken("yxboard-moves"):
                name = "BOARD"
            self.block, self.block_name = [], name
            return
        method = getattr(self, f"do_{name.lower()}", None)
        if method is None or not name.isidentifier() or len(line) > _LINE_LIMIT or re.search(r"[\x00-\x08]", line):
            self.say("what?" if self.broken("foreign") else f"UNKNOWN {ascii(line[:30])[1:-1].strip() or 'line'}")
            if self.broken("twice-unknown"):
                self.say("UNKNOWN again")
            return
        if self.is_open and name in ("START", "RESTART"):
            self.move()
        method(words[1:], line)

    def do_about(self, words: list[str], line: str) -> None:
        if self.broken("nameless"):
            self.say('version="1"')
            return
        self.say('version="1", name="fake"' if self.broken("late-name") else 'name="fake", version="1"')

    def do_start(self, words: list[str], line: str) -> None:
        if self.broken("two-numbers"):
            words = words[:1] if len(words) == 1 else ["x"]
        if not words or not words[0].isdecimal() or (not 10 <= int(words[0]) <= 20 and not self.broken("any-size")):
            raise Refused("this size is not supported")
        self.size = int(words[0])
        if not self.broken("keeps-stones"):
            self.stones = {}
        self.say("OK - ready" if self.broken("explains-ok") else "OK")

    def do_rectstart(self, words: list[str], line: str) -> None:
        if self.broken("silent-rectangle"):
            return
        raise Refused("rectangular boards are not supported")

    def do_restart(self, words: list[str], line: str) -> None:
        self.need_board()
        if not self.broken("restart-keeps"):
            self.stones = {}
        self.say("OK")

    def do_info(self, words: list[str], line: str) -> None:
        if self.broken("loud-info"):
            self.say("MESSAGE hello")
        if len(words) >= 2 and words[0].lower() in _INFO_KEYS and re.fullmatch(r"-?\d+", words[1]):
            self.info[words[0].lower()] = int(words[1])
            if words[0].lower() == "rule" and words[1] != "0" and self.broken("early-rule"):
                self.say("ERROR this rule is not supported")
        elif self.broken("by-token") and len(words) >= 2 and not words[0].startswith("t"):
            self.say(f"UNKNOWN {words[1]}")

    def do_begin(self, words: list[str], line: str) -> None:
        self.need_board()
        if self.stones:
            raise Refused("the board is not empty")
        self.request()

    def do_turn(self, words: list[str], line: str) -> None:
        self.need_board()
        point = self.point(line.split(None, 1)[1] if len(words) else "")
        if point in self.stones and not self.broken("takes-occupied"):
            raise Refused("this cell is not empty")
        self.stones[point] = 2
        self.request()

    def do_takeback(self, words: list[str], line: str) -> None:
        self.need_board()
        point = self.point(line.split(None, 1)[1] if len(words) else "")
        if point not in self.stones:
            raise Refused("there is no stone")
        if not self.broken("takes-nothing-back"):
            del self.stones[point]
        self.say("OK")

    def do_yxnbest(self, words: list[str], line: str) -> None:
        self.need_board()
        self.request()

    def do_yxshowforbid(self, words: list[str], line: str) -> None:
        self.say("FORBID 0909." if self.broken("forbids") else "FORBID .")

    def need_board(self) -> None:
        if not self.size:
            if self.broken("plays-anyway"):
                self.size = 20
                return
            raise Refused("START comes first")

    def point(self, text: str) -> Point:
        found = re.fullmatch(r"(-?\d+)\s*,\s*(-?\d+)", text.strip())
        if found is None:
            if self.broken("lenient-points") and text[:1].isdigit():
                return 0, 0
            raise Refused("this is no point")
        x, y = int(found[1]), int(found[2])
        if not (0 <= x < self.size and 0 <= y < self.size):
            raise Refused("this is not on the board")
        return (y, x) if self.broken("turned-in") else (x, y)

    # -- blocks ------------------------------------------------------------------------------------------------

    def end_block(self, lines: list[str]) -> None:
        self.need_board()
        if self.block_name == "SWAP2BOARD":
            self.swap2([self.point(line) for line in lines])
            return
        former = self.stones
        self.stones = dict(former) if self.broken("adds-boards") else {}
        try:
            for number, line in enumerate(lines):
                found = re.fullmatch(r"(-?\d+,-?\d+),([123])", line)
                if found is None:
                    if self.broken("half-boards"):
                        self.say("ERROR a bad line")
                        continue
                    raise Refused("this is no stone")
                point = self.point(found[1])
                if point in self.stones and not self.broken("adds-boards"):
                    raise Refused("two stones on a cell")
                whose = 1 + number % 2 if self.broken("by-order") else int(found[2])
                self.stones[point] = whose
                if whose == 3 and self.broken("ignores-dead"):
                    del self.stones[point]
        except Refused:
            self.stones = former
            raise
        if self.broken("no-empty-board") and not lines:
            return
        if self.block_name == "BOARD":
            self.request()

    def swap2(self, stones: list[Point]) -> None:
        answers = {0: "1,2 3,3 2,6", 3: "SWAP", 5: "7,8"}
        if self.broken("swap2-fields"):
            answers = {0: "1,2 3,3", 3: "1,2 3,3 2,6", 5: "1,2 3,3"}
        self.say(answers[len(stones)])

    # -- moves -------------------------------------------------------------------------------------------------

    def request(self) -> None:
        """A move is asked for: it comes now, or when the search is ended."""
        if self.info["rule"]:
            raise Refused("only freestyle")
        if self.broken("late") or (self.broken("ignores-clock") and self.info["time_left"] < 1000):
            time.sleep(2.2 if self.info["timeout_turn"] else 0.2)
        if self.info["timeout_turn"] >= _LONG_MS and self.info["time_left"] > _LONG_MS:
            self.is_open = True
        else:
            self.move()

    def move(self) -> None:
        self.is_open = False
        empty = [(x, y) for y in range(self.size) for x in range(self.size) if (x, y) not in self.stones]
        x, y = max(empty, key=self.worth)
        if self.broken("forgets-own"):
            pass
        else:
            self.stones[x, y] = 1
        x, y = (y, x) if self.broken("turned-out") else (x, y)
        if self.broken("odd-message"):
            self.say("MESSAGE depth 1 eval 5")
        else:
            self.say("MESSAGE depth 1-1 ev 5 n 10 n/ms 1 tm 1 pv A1")
        self.say(f" {x},{y}" if self.broken("leading-blank") else f"{x},{y}")
        if self.broken("two-moves"):
            self.say(f"{x},{y}")

    def worth(self, point: Point) -> tuple[int, float]:
        if self.broken("blind"):
            return 0, 0.0
        lengths = {whose: max(self.length(point, step, whose) for step in _STEPS) for whose in (1, 2)}
        middle = -abs(point[0] - self.size / 2) - abs(point[1] - self.size / 2)
        return (3 if lengths[1] >= 5 else 2 if lengths[2] >= 5 else 0), max(lengths.values()) + middle / 100

    def length(self, point: Point, step: Point, whose: int) -> int:
        """Stones in a row if this one is put there."""
        length = 1
        for sign in (1, -1):
            x, y = point[0] + sign * step[0], point[1] + sign * step[1]
            while self.stones.get((x, y)) == whose:
                length += 1
                x, y = x + sign * step[0], y + sign * step[1]
        return length
