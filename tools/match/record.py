"""A finished game as a value, as a line of the games file, and as a game of `othello_engine.formats`."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from othello_engine.formats.game import ANTI_TYPE, Ending, Game, GameMove, Result
from othello_engine.position import Position
from othello_engine.types import PASS, WHITE
from tools.engines.drivers import FaultKind
from tools.match.games import ANTI as ANTI
from tools.match.games import OTHELLO as OTHELLO
from tools.match.games import MatchGame, OthelloGame, game_named, game_of


class RecordError(ValueError):
    """A line that is no record of a game."""


@dataclass(frozen=True, slots=True)
class Played:
    """A move. seconds: its thinking time; None for opening moves and passes. The rest is what the engine said."""

    move: int
    seconds: float | None = None
    value: float | None = None
    depth: int | None = None
    nodes: int | None = None

    @property
    def is_square(self) -> bool:
        """In Othello: False for a pass."""
        return self.move != PASS


@dataclass(frozen=True, slots=True)
class Fault:
    """What ended a game early. side: whose fault it was."""

    side: int
    kind: FaultKind
    text: str


@dataclass(frozen=True, slots=True)
class GameRecord:
    """One game, as it was played.

    start: a Position, or a GomokuPosition in Gomoku. n_opening: how many of the moves were given. score: black minus
    white, empty squares to the side with more discs, 64 for a fault; in anti-Othello (is_anti), where fewest discs win,
    white minus black; in Gomoku 1, 0 or -1: above 0 black has won in any.
    ending: `played`, `adjudicated` or the kind of the fault. cpu_s: CPU time of black and white, None if a process was
    lost. wall_s: from the first line to the last; manager_s: the part of it in which no program was waited for,
    nor the solver.
    number: in the schedule, from 0; pair: that of the two games of an opening.
    """

    black: str
    white: str
    start: Any
    n_opening: int
    moves: tuple[Played, ...]
    score: int
    ending: str = "played"
    fault: Fault | None = None
    cpu_s: tuple[float, float] | None = None
    wall_s: float = 0.0
    manager_s: float = 0.0
    number: int = 0
    is_anti: bool = False

    @property
    def pair(self) -> int:
        return self.number // 2

    @property
    def game(self) -> MatchGame:
        """What was played."""
        return game_of(self.start, self.is_anti)

    @property
    def transcript(self) -> str:
        return self.game.transcript([each.move for each in self.moves])

    @property
    def points(self) -> float:
        """1, 1/2 or 0 for black."""
        return 0.5 if not self.score else float(self.score > 0)

    @property
    def fault_line(self) -> str:
        """`crash of NAME: why`; empty if there was no fault."""
        if self.fault is None:
            return ""
        culprit = self.white if self.fault.side == WHITE else self.black
        return f"{self.fault.kind} of {culprit}: {self.fault.text.splitlines()[0]}"

    def with_number(self, number: int) -> GameRecord:
        return replace(self, number=number)

    def to_game(self, event: str = "", date: str = "") -> Game:
        """A game of Othello with values and times, for the files that other programs read."""
        assert isinstance(self.start, Position)
        ending = Ending.PLAYED
        if self.fault:
            ending = Ending.TIME if self.fault.kind is FaultKind.TIME else Ending.RESIGNED
        elif self.ending == "adjudicated":
            ending = Ending.AGREED
        comment = self.fault_line or ("" if self.ending == "played" else self.ending)
        return Game(
            self.start,
            tuple([GameMove(each.move, each.value, each.seconds) for each in self.moves]),
            black=self.black,
            white=self.white,
            event=event,
            date=date,
            match_type=ANTI_TYPE if self.is_anti else "",
            stated=Result.of_score(self.score, ending),
            comment=f"game {self.number + 1}{f', {comment}' if comment else ''}",
        )

    # --- the games file

    def to_json(self) -> str:
        """One line, without its end."""
        game = self.game
        line: dict[str, Any] = {"game": self.number + 1, "black": self.black, "white": self.white}
        if self.start != game.start:
            line["start"] = self.start.to_text()
        line |= game.json_facts
        line |= {
            "opening_moves": self.n_opening,
            "score": self.score,
            "ending": self.ending,
            "moves": " ".join([game.move_name(each.move) for each in self.moves]),
        }
        thought = self.moves[self.n_opening :]
        line["ms"] = [None if each.seconds is None else round(1000 * each.seconds, 3) for each in thought]
        for key in ("value", "depth", "nodes"):
            values = [getattr(each, key) for each in thought]
            if any(value is not None for value in values):
                line[key] = values
        if self.fault:
            line["fault"] = {"of": "bw"[self.fault.side], "kind": str(self.fault.kind), "text": self.fault.text}
        if self.cpu_s:
            line["cpu_s"] = self.cpu_s
        line |= {"wall_s": self.wall_s, "manager_s": self.manager_s}
        return json.dumps(line, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> GameRecord:
        """Raises RecordError."""
        try:
            line = json.loads(text)
            game = game_named(line.get("variant", OTHELLO), line.get("board_size", 0))
            moves = [game.read_move(move) for move in line["moves"].split()]
            n_opening = int(line["opening_moves"])
            n = len(moves) - n_opening
            columns = [line.get(key, [None] * n) for key in ("ms", "value", "depth", "nodes")]
            played = [Played(move) for move in moves[:n_opening]]
            for move, ms, value, depth, nodes in zip(moves[n_opening:], *columns, strict=True):
                played.append(Played(move, None if ms is None else ms / 1000, value, depth, nodes))
            fault = line.get("fault")
            cpu = line.get("cpu_s")
            return cls(
                black=line["black"],
                white=line["white"],
                start=game.parse_start(line["start"]) if "start" in line else game.start,
                n_opening=n_opening,
                moves=tuple(played),
                score=int(line["score"]),
                ending=line["ending"],
                fault=fault and Fault("bw".index(fault["of"]), FaultKind(fault["kind"]), fault["text"]),
                cpu_s=(cpu[0], cpu[1]) if cpu else None,
                wall_s=line["wall_s"],
                manager_s=line["manager_s"],
                number=int(line["game"]) - 1,
                is_anti=game == OthelloGame(is_anti=True),
            )
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise RecordError(f"no record of a game ({error})") from None
