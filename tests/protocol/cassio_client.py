"""Cassio's side of its ENGINE-PROTOCOL: what it sends, and how it reads what comes.

Written from Cassio's reading rules, independent of the engine's writing: a line is sorted by its length and its first
letters, a result is taken apart at its commas, and what Cassio would complain of raises `ComplaintError`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from othello_engine.position import Position

SHORT = 14
"""Up to so many characters a line can only be a sign of life or the end of an answer."""
LONGEST_EFFORT = 60
SHORTEST_RESULT = 81
N_FIELDS = 8


class ComplaintError(AssertionError):
    """Cassio would not understand this, or not believe it."""


@dataclass(frozen=True)
class Reading:
    """A result line as Cassio stores it. lower, upper: hundredths of a disc for the side to move."""

    position: str
    move: str
    depth: int
    precision: int
    lower: int
    upper: int
    line: str
    nodes: int
    seconds: float


def read_result(text: str) -> Reading:
    """The fields of a result line."""
    fields = [part.strip() for part in text.split(",")]
    if len(text) < SHORTEST_RESULT or len(fields) != N_FIELDS or not all(fields):
        raise ComplaintError(f"no result line: {text}")
    position, move, depth, precision, bounds, line, node, time = fields
    if not re.fullmatch("[XO-]{64}[XO]", position):
        raise ComplaintError(f"position of {text}")
    words = [part.split() for part in (move, depth, node, time)]
    if [word[0] for word in words] != ["move", "depth", "node", "time"] or any(len(word) != 2 for word in words):
        raise ComplaintError(f"names of {text}")
    chosen = words[0][1].upper()
    # The colour is that of White if there is a W anywhere, and it holds for both bounds.
    colour = "O" if "W" in bounds else "X"
    parts = bounds.replace("W", " ").replace("B", " ").split()
    if len(parts) != 5 or parts[1] not in ("<", "<=") or parts[2] != "v" or parts[3] not in ("<", "<="):
        raise ComplaintError(f"bounds of {text}")
    lower, upper = (round(100 * float(part)) for part in (parts[0], parts[4]))
    if colour != position[64]:
        lower, upper = -upper, -lower
    line = line.upper()
    while "PA" in line and chosen != "PA":
        line = line.replace("PA", "", 1)
    if line[:2] != chosen:
        raise ComplaintError(f"the line of {text} does not begin with its move")
    seconds = re.fullmatch(r"\d+\.\d{3}", words[3][1])
    if not words[2][1].isdigit() or seconds is None:
        raise ComplaintError(f"effort of {text}")
    return Reading(
        position,
        chosen,
        int(words[1][1]),
        int(precision.strip("@%")),
        lower,
        upper,
        fields[5],
        int(words[2][1]),
        float(seconds[0]),
    )


@dataclass
class CassioClient:
    """One request at a time, as Cassio does it. Lines that are no answer to anything are complaints, too."""

    request: str = ""
    position: str = ""
    alpha: int = -6400
    beta: int = 6400
    depth: int = 0
    precision: int = 0
    is_waiting: bool = False
    results: list[Reading] = field(default_factory=list)
    """Those that count: of the position and the depth asked for."""
    on_the_way: list[Reading] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    signs_of_life: list[str] = field(default_factory=list)
    version: str = ""

    def midgame_search(
        self, position: Position, depth: int, precision: int, window: tuple[int, int] = (-64, 64)
    ) -> str:
        """The line that asks for it."""
        alpha, beta = window
        text = position.to_text().replace(" ", "")
        return self._ask("midgame-search", text, f"{alpha}.0 {beta}.0 {depth} {precision}", window, depth, precision)

    def endgame_search(self, position: Position, precision: int = 100, window: tuple[int, int] = (-64, 64)) -> str:
        """The line that asks for it."""
        alpha, beta = window
        text = position.to_text().replace(" ", "")
        return self._ask("endgame-search", text, f"{alpha} {beta} {precision}", window, position.n_empties, precision)

    def _ask(
        self, word: str, position: str, arguments: str, window: tuple[int, int], depth: int, precision: int
    ) -> str:
        if self.is_waiting:
            raise ComplaintError("a request is being answered")
        self.position, self.depth, self.precision = position, depth, precision
        self.alpha, self.beta = 100 * window[0], 100 * window[1]
        self.results, self.on_the_way, self.is_waiting = [], [], True
        self.request = f"ENGINE-PROTOCOL  {word} {position} {arguments}"  # with two blanks, as Cassio writes it
        return self.request

    def take(self, text: str) -> bool:
        """Reads a line; True if it ends the answer to the request."""
        if text != text.strip() or not text.isascii() or not text:
            raise ComplaintError(f"not a clean line: {text!r}")
        if len(text) <= SHORT:
            if text == "ready.":
                return self._end()
            if text not in (".", "ok."):
                raise ComplaintError(f"a short line: {text}")
            self.signs_of_life.append(text)
        elif text.startswith("n") and len(text) <= LONGEST_EFFORT:
            if not re.fullmatch(r"node \d+, time \d+\.\d{3}", text):
                raise ComplaintError(f"an effort: {text}")
            self.signs_of_life.append(text)
        elif text.startswith("version: "):
            self.version = text.removeprefix("version: ")
        elif text.startswith("ERROR: "):
            self.errors.append(text)
        else:
            self._take_result(read_result(text))
        return False

    def _end(self) -> bool:
        if not self.is_waiting:
            self.signs_of_life.append("ready.")
            return False
        self.is_waiting = False
        return True

    def _take_result(self, result: Reading) -> None:
        if not self.is_waiting:
            raise ComplaintError(f"a result that nobody waits for: {result}")
        if result.position != self.position:
            raise ComplaintError(f"a result of another position: {result}")
        self._check_line(result)
        if result.depth < self.depth:
            self.on_the_way.append(result)
            return
        if self.results and result.precision < self.results[-1].precision:
            raise ComplaintError(f"less certain than the result before: {result}")
        if result.lower > result.upper:
            raise ComplaintError(f"bounds that exclude each other: {result}")
        is_outside = result.lower >= self.beta or result.upper <= self.alpha
        if result.lower < result.upper and not is_outside:
            raise ComplaintError(f"the window of the result overlaps that of the request: {result}")
        self.results.append(result)

    def _check_line(self, result: Reading) -> None:
        """The moves are legal, and each side's are in its own letters."""
        position = Position.from_text(self.position)
        if result.line == "--":
            if not position.is_over:
                raise ComplaintError(f"no move: {result}")
            return
        for index in range(0, len(result.line), 2):
            move = result.line[index : index + 2]
            if move != (move.upper() if position.side == 0 else move.lower()):
                raise ComplaintError(f"letters of {move}: {result}")
            position = position.play(move)

    @property
    def value(self) -> float:
        """Discs for the side to move, that Cassio takes from the answer; ComplaintError if it could not."""
        if not self.results:
            raise ComplaintError(f"no result for {self.request}")
        best = [result for result in self.results if result.precision == self.results[-1].precision]
        lower, upper = max(result.lower for result in best), min(result.upper for result in best)
        if lower > upper:
            raise ComplaintError(f"results that contradict each other: {best}")
        if self.results[-1].precision < min(self.precision, 100):
            raise ComplaintError(f"not as certain as asked: {self.results[-1]}")
        if lower == upper:
            return lower / 100
        return (lower if lower >= self.beta else upper) / 100
