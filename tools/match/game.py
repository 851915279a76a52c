"""One game between two players. The rules here are the judge; what a program does ends its own game and no more."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from othello_engine.errors import IllegalMoveError
from othello_engine.formats.game import GameClock
from othello_engine.position import Position
from othello_engine.types import BLACK, PASS, WHITE
from tools.engines.drivers import Answer, FaultError, FaultKind, Setup
from tools.engines.player import Player
from tools.engines.spec import Limits
from tools.match.games import AnyOpening, game_of
from tools.match.record import Fault, GameRecord, Played

if TYPE_CHECKING:
    from othello_engine.games import AnyPosition

Solver = Callable[[Position], int]
"""The exact final score of a position for the side to move, in the variant that is played."""


@dataclass(frozen=True, slots=True)
class Rules:
    """How games are judged.

    margin_s: so much above its limit a move, or above its clock a game, is not lost on time yet. hang_s: so long after
    that a move is still waited for, to tell a slow program from one that hangs. patience_s: without any limit in time
    a program hangs after so long. adjudicate_empties: from so few empty squares on the solver says the result.
    draw_after: stones with which a game of Gomoku is called a draw; 0 plays to the end. is_anti: anti-Othello, fewest
    discs win; the solver must be one for it.
    """

    margin_s: float = 0.5
    hang_s: float = 5.0
    patience_s: float = 60.0
    adjudicate_empties: int = 0
    solver: Solver | None = None
    is_anti: bool = False
    draw_after: int = 0


def play_game(players: tuple[Player, Player], opening: AnyOpening, rules: Rules) -> GameRecord:
    """Play an opening to its end. players: black and white. A program that is of no more use is ended."""
    return _Table(players, opening, rules).play()


class _Table:
    """A game while it is played. Players and clocks are in the order of colours."""

    def __init__(self, players: tuple[Player, Player], opening: AnyOpening, rules: Rules) -> None:
        self.players = players
        self.opening = opening
        self.rules = rules
        self.game = game_of(opening.start, rules.is_anti)
        self.position: AnyPosition = opening.position
        self.moves = [Played(move) for move in opening.moves]
        self.clocks = [player.spec.limits.clock_s for player in players]
        self.active = BLACK  # who is to blame if a program faults now
        self.solver_s = 0.0

    def play(self) -> GameRecord:
        began = time.perf_counter()
        held_before = sum(player.held_s for player in self.players)
        black_score, ending, fault, cpu = 0, "played", None, None
        try:
            self._start()
            cpu_before = [player.cpu_seconds() for player in self.players]
            black_score, ending = self._play_on()
            used = [player.cpu_seconds() - before for player, before in zip(self.players, cpu_before, strict=True)]
            if min(used) >= 0:  # less than before: a process has ended by itself, and took its count along
                cpu = (round(used[0], 3), round(used[1], 3))
        except FaultError as error:
            fault = Fault(self.active, error.kind, str(error))
            black_score, ending = self.game.forfeit * (1 if self.active == WHITE else -1), str(error.kind)
            if error.kind not in (FaultKind.ILLEGAL, FaultKind.TIME, FaultKind.RESIGNATION):
                self.players[self.active].drop()
        wall_s = time.perf_counter() - began
        held_s = sum(player.held_s for player in self.players) - held_before + self.solver_s
        for player in self.players:
            if player.spec.restart:
                player.drop(politely=True)
        return GameRecord(
            black=self.players[BLACK].spec.name,
            white=self.players[WHITE].spec.name,
            start=self.opening.start,
            n_opening=len(self.opening.moves),
            moves=tuple(self.moves),
            score=black_score,
            ending=ending,
            fault=fault,
            cpu_s=cpu,
            wall_s=round(wall_s, 6),
            manager_s=round(wall_s - held_s, 6),
            is_anti=self.rules.is_anti,
        )

    def _start(self) -> None:
        clocks = [_game_clock(player.spec.limits) for player in self.players]
        names = [player.spec.name for player in self.players]
        setup = Setup(self.opening.start, self.opening.moves, (clocks[0], clocks[1]), names[0], names[1])
        for self.active in (BLACK, WHITE):
            self.players[self.active].start_game(setup)

    def _play_on(self) -> tuple[int, str]:
        """The score for black, and how it came about."""
        while True:
            if self.rules.draw_after and len(self.moves) >= self.rules.draw_after:
                return 0, "adjudicated"
            if self.rules.solver and self.position.n_empties <= self.rules.adjudicate_empties:
                assert isinstance(self.position, Position)
                began = time.perf_counter()
                score = self.rules.solver(self.position)
                self.solver_s = time.perf_counter() - began
                return self._for_black(score), "adjudicated"
            side = self.position.side
            self.active = side
            played = Played(PASS) if self.game.must_pass(self.position) else self._ask(side)
            self.moves.append(played)
            self.position = self.position.play(played.move)
            if self.position.is_over:
                return self.game.score(self.position), "played"
            for self.active in (BLACK, WHITE):
                self.players[self.active].played(side, played.move, played.seconds or 0.0)

    def _ask(self, side: int) -> Played:
        """The move of the side to move, judged."""
        limits, rules = self.players[side].spec.limits, self.rules
        clock_s = self.clocks[side]
        allowed_s = limits.move_s if clock_s is None else clock_s
        patience_s = rules.patience_s if allowed_s is None else max(0.0, allowed_s) + rules.margin_s + rules.hang_s
        answer = self.players[side].choose(side, None if clock_s is None else max(0.0, clock_s), patience_s)
        if allowed_s is not None and answer.seconds > allowed_s + rules.margin_s:
            raise FaultError(FaultKind.TIME, f"{answer.seconds:.3f} s where {max(0.0, allowed_s):.3f} s were left")
        if clock_s is not None:
            self.clocks[side] = clock_s - answer.seconds + limits.increment_s
        said = answer.evaluation
        seconds = round(1000 * answer.seconds, 3) / 1000  # as it is written, so that a match read back is the same
        return Played(self._judge(answer), seconds, said.value, said.depth, said.nodes)

    def _judge(self, answer: Answer) -> int:
        """The square of an answer that is a legal move."""
        try:
            move = self.game.read_move(answer.text)
            self.position.play(move)
        except (ValueError, IllegalMoveError) as error:
            where = self.position.to_text()
            raise FaultError(FaultKind.ILLEGAL, f"{answer.text[:40]!a} in {where}: {error}") from None
        return move

    def _for_black(self, score: int) -> int:
        return score if self.position.side == BLACK else -score


def _game_clock(limits: Limits) -> GameClock | None:
    return None if limits.clock_s is None else GameClock(limits.clock_s, limits.increment_s, 0.0)
