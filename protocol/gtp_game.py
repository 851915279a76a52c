"""The record of a game as GTP tells it: every move with its colour, forced passes sent or left out. Pure.

Both styles lead to the same record, in which each forced pass is a ply. A pass that nobody sent is marked as implied,
so that a controller which sends it late is not told that it is illegal.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from othello_engine.errors import IllegalMoveError
from othello_engine.notation import SIDE_NAMES
from othello_engine.position import Position
from othello_engine.types import PASS

Move = tuple[int, int]
"""(colour, square or PASS)"""


class RuleError(Exception):
    """What the rules forbid, or a record does not hold; the text begins with GTP's own words for it."""


@dataclass(frozen=True, slots=True)
class Ply:
    """A move that was made, or a pass. after: the position then. implied: a pass that nobody sent."""

    move: int
    after: Position
    implied: bool = False


_START = Position.start()


@dataclass(frozen=True, slots=True)
class Record:
    """Where a game began, and its plies."""

    start: Position = _START
    plies: tuple[Ply, ...] = ()

    @classmethod
    def of(cls, start: Position, moves: Iterable[int]) -> Record:
        """The record of legal moves, passes among them."""
        plies: list[Ply] = []
        position = start
        for move in moves:
            position = position.play(move)
            plies.append(Ply(move, position))
        return cls(start, tuple(plies))

    @property
    def position(self) -> Position:
        """The position now."""
        return self.plies[-1].after if self.plies else self.start

    def turn_of(self, colour: int) -> Position:
        """The position with `colour` to move: the present one, or the one after the other side's forced pass.

        The present one as well if the game is over. Raises RuleError if the other side has a move to make.
        """
        position = self.position
        if position.side == colour or position.is_over:
            return position
        if position.must_pass:
            return position.play(PASS)
        raise RuleError(f"illegal move: it is {SIDE_NAMES[position.side]}'s turn")

    def play(self, colour: int, move: int) -> Record:
        """The record with one more move; the other side's forced pass before it is put in. Raises RuleError.

        When the game is over, anyone may pass: that is how controllers that come from Go end it.
        """
        position = self.position
        if move == PASS and position.is_over:
            after = position if position.side != colour else position.swapped()
            return replace(self, plies=(*self.plies, Ply(PASS, after)))
        if move == PASS and not (position.side == colour and position.must_pass):
            confirmed = self._confirm_pass(colour)
            if confirmed is not None:
                return confirmed
        turn = self.turn_of(colour)
        try:
            after = turn.play(move)
        except IllegalMoveError as error:
            raise RuleError(f"illegal move: {error}") from None
        passed = () if turn is position else (Ply(PASS, turn, implied=True),)
        return replace(self, plies=(*self.plies, *passed, Ply(move, after)))

    def play_all(self, moves: Iterable[Move]) -> Record:
        """The record with these moves, of which none is made if one can't be. Raises RuleError."""
        record = self
        for number, (colour, move) in enumerate(moves, 1):
            try:
                record = record.play(colour, move)
            except RuleError as error:
                raise RuleError(f"{error}, move {number} of the sequence") from None
        return record

    def undo(self, n_plies: int = 1) -> Record:
        """The record without its last plies, implied passes counted. Raises RuleError if it has not so many."""
        if n_plies > len(self.plies):
            raise RuleError(f"cannot undo: moves to take back: {len(self.plies)}")
        return replace(self, plies=self.plies[: len(self.plies) - n_plies])

    def _confirm_pass(self, colour: int) -> Record | None:
        """The same record with the last turn of `colour`, an implied pass, as one that was sent; None if it was none.

        Turns alternate, so that is the last ply or the one before.
        """
        index = len(self.plies) - (1 if self.position.side != colour else 2)
        if index < 0 or not self.plies[index].implied:
            return None
        sent = replace(self.plies[index], implied=False)
        return replace(self, plies=(*self.plies[:index], sent, *self.plies[index + 1 :]))
