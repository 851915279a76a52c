"""What a level does wrong, looked for in its games: corners, X-squares, and discs lost against the best move."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from othello_engine.position import Position
from othello_engine.types import BLACK, WHITE, parse_square
from tools.levels.play import StoppedError, positions_of
from tools.match.record import GameRecord
from tools.match.settings import UsageError
from tools.match.stats import Z95

_CORNERS = {"b2": "a1", "g2": "h1", "b7": "a8", "g7": "h8"}
CORNER_OF = {parse_square(x_square): parse_square(corner) for x_square, corner in _CORNERS.items()}
"""X-square -> the corner beside it."""
CORNERS = sum(1 << corner for corner in CORNER_OF.values())


class Judge(Protocol):
    """What moves are worth, see SearchJudge."""

    def is_exact(self, position: Position) -> bool: ...

    def value(self, position: Position, moves: Sequence[int] = ()) -> float: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Review:
    """The mistakes of one side in one game. midgame_discs, ending_discs: lost in all, against the best moves.

    moves: those played, openings and passes left out. corner_chances: moves at which a corner could be taken.
    """

    game: int
    name: str
    opponent: str
    moves: int = 0
    corner_chances: int = 0
    corners_given: int = 0
    corners_missed: int = 0
    x_squares: int = 0
    midgame_discs: float = 0.0
    ending_discs: float = 0.0


def gives_corner(position: Position, move: int) -> bool:
    """The opponent can take a corner after this move that it could not take before."""
    before = position.swapped().legal_bitboard & CORNERS
    return position.play(move).legal_bitboard & CORNERS & ~before != 0


def gives_corner_needlessly(position: Position, move: int) -> bool:
    """The same, and another move would not have done so."""
    return gives_corner(position, move) and not all(gives_corner(position, other) for other in position.legal_moves)


def is_early_x_square(position: Position, move: int) -> bool:
    """An X-square whose corner is empty."""
    return move in CORNER_OF and bool(position.empties >> CORNER_OF[move] & 1)


class Reviewer:
    """Reviews games with a judge of its own, until it is called off."""

    def __init__(self, judge: Judge, stopped: threading.Event) -> None:
        self._judge = judge
        self._stopped = stopped

    def __call__(self, record: GameRecord) -> list[Review]:
        return reviews(record, self._judge, self._stopped)

    def close(self) -> None:
        self._judge.close()


def reviews(record: GameRecord, judge: Judge, stopped: threading.Event | None = None) -> list[Review]:
    """The mistakes of black and of white. Raises StoppedError if it is called off."""
    counts: list[dict[str, float]] = [dict.fromkeys(_COUNTED, 0) for _ in (BLACK, WHITE)]
    for position, move in positions_of(record):
        if stopped is not None and stopped.is_set():
            raise StoppedError
        count = counts[position.side]
        for key, value in _faults(position, move, judge).items():
            count[key] += value
    names = (record.black, record.white)
    return [Review(record.number, names[side], names[1 - side], **_rounded(count)) for side, count in enumerate(counts)]


_COUNTED = (
    "moves",
    "corner_chances",
    "corners_given",
    "corners_missed",
    "x_squares",
    "midgame_discs",
    "ending_discs",
)


def _rounded(count: dict[str, float]) -> dict[str, Any]:
    return {key: round(value, 2) if key.endswith("discs") else int(value) for key, value in count.items()}


def _faults(position: Position, move: int, judge: Judge) -> dict[str, float]:
    found: dict[str, float] = {"moves": 1}
    found["corners_given"] = gives_corner_needlessly(position, move)
    found["x_squares"] = is_early_x_square(position, move)
    if len(position.legal_moves) == 1:
        found["corner_chances"] = bool(1 << move & CORNERS)
        return found
    best, played = judge.value(position), judge.value(position, (move,))
    lost = max(0.0, best - played)
    found["ending_discs" if judge.is_exact(position) else "midgame_discs"] = lost
    corners = tuple(square for square in CORNER_OF.values() if position.legal_bitboard >> square & 1)
    found["corner_chances"] = bool(corners)
    if corners and move not in corners:
        found["corners_missed"] = judge.value(position, corners) > played
    return found


@dataclass(frozen=True, slots=True)
class Mean:
    """Of a count per game; error: half of the 95 % interval, nan for fewer than two games."""

    mean: float
    error: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Mean:
        n = len(values)
        if not n:
            return cls(math.nan, math.nan)
        mean = math.fsum(values) / n
        if n < 2:
            return cls(mean, math.nan)
        variance = math.fsum((value - mean) ** 2 for value in values) / (n - 1)
        return cls(mean, Z95 * math.sqrt(variance / n))


@dataclass(frozen=True, slots=True)
class Habits:
    """Mistakes of a contestant per game."""

    name: str
    n_games: int
    corners_given: Mean
    corners_missed: Mean
    corner_chances: Mean
    x_squares: Mean
    midgame_discs: Mean
    ending_discs: Mean


def habits(names: Sequence[str], found: Iterable[Review], unpunishing: str) -> list[Habits]:
    """Of each contestant over all its games but those against `unpunishing`, who teaches nothing about it."""
    by_name: dict[str, list[Review]] = {name: [] for name in names}
    for review in found:
        if review.opponent != unpunishing and review.name in by_name:
            by_name[review.name].append(review)
    told = []
    for name, its_own in by_name.items():
        columns = {key: Mean.of([getattr(review, key) for review in its_own]) for key in _COUNTED if key != "moves"}
        told.append(Habits(name, len(its_own), **columns))
    return told


# -- the file ----------------------------------------------------------------------------------------------------


class ReviewFile:
    """Reviews of the games of a folder, two lines for a game; what is not written whole was not done.

    The first line says how they were judged: reviews of another judge are not mixed with these.
    """

    def __init__(self, path: Path, judged: Mapping[str, Any]) -> None:
        self._path = path
        self._judged = dict(judged)

    def load(self) -> list[Review]:
        """Those that are there; cuts off what was not written whole. Raises UsageError."""
        try:
            if not self._path.exists():
                self._path.write_text(json.dumps(self._judged) + "\n", encoding="utf-8")
            judged, found = read_reviews(self._path)
            if judged != self._judged:
                raise UsageError(f"{self._path} was judged with {judged}; remove it to judge with {self._judged}")
            kept = [review for pair in found.values() for review in pair]
            lines = [json.dumps(self._judged), *map(_to_line, kept)]
            self._path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        except OSError as error:
            raise UsageError(f"{self._path}: {error.strerror}") from None
        return kept

    def append(self, pair: Iterable[Review]) -> None:
        """The reviews of both sides of a game."""
        with open(self._path, "a", encoding="utf-8") as file:
            file.write("".join(f"{_to_line(review)}\n" for review in pair))


def read_reviews(path: Path) -> tuple[dict[str, Any], dict[int, list[Review]]]:
    """How a file was judged, and its reviews by game, only those of both sides. Raises UsageError, OSError."""
    whole, _, _ = path.read_text(encoding="utf-8").rpartition("\n")
    try:
        judged, *rest = [json.loads(line) for line in whole.split("\n")]
        found: dict[int, list[Review]] = {}
        for line in rest:
            found.setdefault(line["game"], []).append(Review(**line))
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(f"{path} is no file of mistakes ({error})") from None
    return judged, {game: pair for game, pair in found.items() if len(pair) == 2}


def _to_line(review: Review) -> str:
    return json.dumps(asdict(review), separators=(",", ":"))
