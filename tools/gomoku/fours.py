"""Wins by continuous fours, proved by trying everything: slow, plain, and independent of any engine.

The attacker plays nothing but moves that threaten five at once; the defender has one reply to each, or none that helps.
"""

from __future__ import annotations

from functools import lru_cache

from othello_engine.gomoku.position import BLOCKED, EMPTY, STONES, GomokuPosition
from tools.match.gomoku import rows_of_five

_ATTACKER, _DEFENDER, _NOBODY = 8, 1, 9
"""What a stone of each adds to the count of a row of five cells; a blocked cell is in the way of both."""
NODE_LIMIT = 200_000


class UndecidedError(Exception):
    """More nodes would be needed."""


def shortest_win(position: GomokuPosition, most_fours: int, node_limit: int = NODE_LIMIT) -> int | None:
    """Plies of the shortest win by continuous fours of the side to move, with at most so many moves of its own, the
    five included; None if there is none. Raises UndecidedError.
    """
    search = _Search(position, node_limit)
    return next((2 * n - 1 for n in range(1, most_fours + 1) if search.wins(n)), None)


def win_after(position: GomokuPosition, move: int, most_fours: int, node_limit: int = NODE_LIMIT) -> int | None:
    """The same, if the first move is given; None if it threatens no five, too."""
    search = _Search(position, node_limit)
    return next((2 * n - 1 for n in range(1, most_fours + 1) if search.wins_with(move, n)), None)


def wins_quietly(position: GomokuPosition, move: int, most_fours: int, node_limit: int = NODE_LIMIT) -> bool:
    """Whether a first move of any kind leaves the other no reply against a win by continuous fours, of at most so many
    moves more. Raises UndecidedError.

    False may mean that more is needed than fours, such as an answer to a four of the other that is none itself.
    """
    after = position.play(move)
    if after.winner is not None:
        return True
    search = _Search(after.with_side(position.side), node_limit)
    if not search.wins_within(most_fours):  # nothing is threatened
        return False
    return all(search.wins_against(reply, most_fours) for reply in after.legal_moves)


class _Search:
    """A board on which moves are made and taken back."""

    def __init__(self, position: GomokuPosition, node_limit: int) -> None:
        self._cells = bytearray(position.cells)
        self._rows, self._rows_of = _rows(position.size)
        self._counts = bytearray(len(self._rows))
        stones = {STONES[position.side]: _ATTACKER, STONES[1 - position.side]: _DEFENDER, BLOCKED: _NOBODY}
        for cell, content in enumerate(position.cells):
            for row in self._rows_of[cell] if content != EMPTY else ():
                self._counts[row] += stones[content]
        self._nodes_left = node_limit
        self._lost: set[tuple[bytes, int]] = set()

    def wins_within(self, n: int) -> bool:
        """Whether the attacker, to move, has five in n moves of its own or fewer; the shortest wins are tried first."""
        return any(self.wins(k) for k in range(1, n + 1))

    def wins_against(self, reply: int, n: int) -> bool:
        """The same after a stone of the defender's; a five of it is no win."""
        if reply in self._fives(_DEFENDER):
            return False
        self._put(reply, _DEFENDER)
        wins = self.wins_within(n)
        self._take(reply, _DEFENDER)
        return wins

    def wins(self, n: int) -> bool:
        """Whether the attacker, to move, has five in n moves of its own or fewer."""
        if self._fives(_ATTACKER):
            return True
        key = bytes(self._cells), n
        if n == 1 or key in self._lost:
            return False
        self._nodes_left -= 1
        if self._nodes_left < 0:
            raise UndecidedError
        if any(self._wins_by(move, n) for move in sorted(self._empties(3 * _ATTACKER))):
            return True
        self._lost.add(key)
        return False

    def wins_with(self, move: int, n: int) -> bool:
        """The same, if the attacker's first move is given."""
        fives = self._fives(_ATTACKER)
        if move in fives or n == 1:
            return move in fives
        return not fives and move in self._empties(3 * _ATTACKER) and self._wins_by(move, n)

    def _wins_by(self, move: int, n: int) -> bool:
        self._put(move, _ATTACKER)
        wins, fives = False, self._fives(_ATTACKER)
        if not self._fives(_DEFENDER):
            wins = len(fives) > 1
            if len(fives) == 1:
                [reply] = fives
                self._put(reply, _DEFENDER)
                wins = self.wins(n - 1)
                self._take(reply, _DEFENDER)
        self._take(move, _ATTACKER)
        return wins

    def _put(self, cell: int, stone: int) -> None:
        self._cells[cell] = stone
        for row in self._rows_of[cell]:
            self._counts[row] += stone

    def _take(self, cell: int, stone: int) -> None:
        self._cells[cell] = EMPTY
        for row in self._rows_of[cell]:
            self._counts[row] -= stone

    def _fives(self, stone: int) -> set[int]:
        """Cells on which one side would make five."""
        return self._empties(4 * stone)

    def _empties(self, count: int) -> set[int]:
        """The empty cells of the rows with this count."""
        found: set[int] = set()
        row = self._counts.find(count)
        while row >= 0:
            found.update(cell for cell in self._rows[row] if self._cells[cell] == EMPTY)
            row = self._counts.find(count, row + 1)
        return found


@lru_cache
def _rows(size: int) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]:
    """All rows of five cells of a board, and by cell the places of those that it belongs to."""
    rows = rows_of_five(size)
    rows_of: list[list[int]] = [[] for _ in range(size * size)]
    for place, row in enumerate(rows):
        for cell in row:
            rows_of[cell].append(place)
    return rows, tuple(tuple(each) for each in rows_of)
