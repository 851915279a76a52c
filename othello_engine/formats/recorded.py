"""What the readers of game files share: moves with colours, text in pieces, errors that name the place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from othello_engine.errors import IllegalMoveError
from othello_engine.formats.game import Game, GameError, GameMove
from othello_engine.notation import SIDE_NAMES
from othello_engine.position import Position
from othello_engine.types import PASS, square_name

OnError = Callable[[GameError], None]
"""Takes the error of a game that is left out; the reading goes on with the next one."""

MAX_GAME_CHARACTERS = 1 << 22
"""A game of more text is taken for damaged: its end is missing. Keeps the memory that a reader needs small."""

_ALTERNATING = ((0, 1) * 64, (1, 0) * 64)
"""Who moves, by who moves first."""


def build_game(start: Position, moves: Sequence[GameMove], sides: Sequence[int], **known: Any) -> Game:
    """The game of moves whose colours are written beside them, as in `B[f5]`. Raises GameError.

    sides: who makes each move, by the file.
    """
    given = tuple(moves)
    try:
        game = Game(start=start, moves=given, **known)
    except IllegalMoveError as error:
        index = error.index - 1
        reason = str(error).partition(" (")[0]
        raise GameError(f"move {error.index}, {_spell(sides[index], given[index].move)}: {reason}") from None
    if game.moves != given or tuple(sides) != _ALTERNATING[start.side][: len(given)]:
        _check_sides(game, given, sides)
    return game


def _check_sides(game: Game, moves: Sequence[GameMove], sides: Sequence[int]) -> None:
    """Raises GameError if a move is written for the side whose turn it isn't."""
    turn = 0
    for index, (written, side) in enumerate(zip(moves, sides, strict=True)):
        if turn == len(game.moves):  # passes behind the end
            return
        if written.move != PASS and game.moves[turn].move == PASS:
            turn += 1
        to_move = game.start.side ^ turn & 1
        if side != to_move:
            raise GameError(f"move {index + 1}, {_spell(side, written.move)}: it is {SIDE_NAMES[to_move]}'s turn")
        turn += 1


def _spell(side: int, move: int) -> str:
    return f"{'BW'[side]}[{'PA' if move == PASS else square_name(move)}]"


# -- collections of games in brackets ------------------------------------------------------------------------


class _Window:
    """The part of a text that is in memory: read on with `more`, done with what is before `at`."""

    def __init__(self, chunks: Iterable[str]) -> None:
        self._chunks = iter(chunks)
        self.text = ""
        self.at = 0
        self._line = 1
        self._counted = 0

    @property
    def line(self) -> int:
        """The 1-based line of `at`."""
        self._line += self.text.count("\n", self._counted, self.at)
        self._counted = self.at
        return self._line

    @property
    def n_waiting(self) -> int:
        """How many characters there are from `at` on."""
        return len(self.text) - self.at

    def more(self) -> bool:
        """Reads on; False at the end of the text."""
        chunk = next(self._chunks, None)
        if chunk is None:
            return False
        _ = self.line
        self.text = self.text[self.at :] + chunk
        self.at = self._counted = 0
        return True

    def may_go_on(self, next_head: re.Pattern[str]) -> bool:
        """True if what begins at `at` may end in text that isn't read yet: no other game has begun meanwhile."""
        return self.n_waiting < MAX_GAME_CHARACTERS and not next_head.search(self.text, self.at + 1)

    def skip_blanks(self) -> bool:
        """Goes to the next game, over white space and the counts before pairs of games; False if there is none."""
        while True:
            match = _BLANKS.match(self.text, self.at)
            assert match is not None
            self.at = match.end()
            if self.at < len(self.text) or not self.more():
                return self.at < len(self.text)

    def skip_to(self, pattern: re.Pattern[str]) -> None:
        """Goes to the next place, beyond the present one, that the pattern finds, or to the end of the text."""
        self.at += 1
        while not (found := pattern.search(self.text, self.at)):
            self.at = max(self.at, len(self.text) - _LONGEST_HEAD)
            if not self.more():
                self.at = len(self.text)
                return
        self.at = found.start()


_BLANKS = re.compile(r"[\ufeff\s\d]*+")
_HEAD = re.compile(r"\(\s*;")
_LONGEST_HEAD = 64


def read_collection(
    chunks: Iterable[str],
    find_end: Callable[[str, int], int],
    next_head: re.Pattern[str],
    parse: Callable[[str], Game],
    on_error: OnError | None,
) -> Iterator[Game]:
    """The games of a collection, one by one. parse: the game of one text; see split_games for the rest."""
    for number, line, text in split_games(chunks, find_end, next_head, on_error):
        try:
            game = parse(text)
        except GameError as error:
            report(error, number, f"line {line}", on_error)
        else:
            yield game


def split_games(
    chunks: Iterable[str],
    find_end: Callable[[str, int], int],
    next_head: re.Pattern[str],
    on_error: OnError | None,
) -> Iterator[tuple[int, int, str]]:
    """(number, line, text) of each game of a collection; what isn't a whole game is an error.

    find_end: where the game ends that begins at a place in a text, -1 if it doesn't. next_head: finds where,
    after a game without an end, the next one begins; that must not be found inside of a game.
    """
    window = _Window(chunks)
    number = 0
    while window.skip_blanks():
        begins = _HEAD.match(window.text, window.at) or window.n_waiting < _LONGEST_HEAD
        end = find_end(window.text, window.at) if begins else -1
        if end < 0 and begins and window.may_go_on(next_head) and window.more():
            continue  # the rest of it may be there now
        number += 1
        if end >= 0:
            text = window.text[window.at : end]
            if text.find("(", 1) < 0 or not next_head.search(text, 1):
                yield number, window.line, text
                window.at = end
                continue
        is_game = _HEAD.match(window.text, window.at)
        following = next_head if is_game else _HEAD
        found = following.search(window.text, window.at + 1)
        shown = excerpt(window.text[window.at : found.start() if found else window.at + 100])
        reason = f"the end of the game {shown} is missing" if is_game else f"{shown} is no game"
        report(GameError(reason), number, f"line {window.line}", on_error)
        window.skip_to(following)


def report(error: GameError, number: int, place: str, on_error: OnError | None) -> None:
    """Raises the error of a game with its place before it, or hands it over."""
    placed = GameError(f"game {number}, {place}: {error}", number)
    if on_error is None:
        raise placed from None
    on_error(placed)


def read_chunks(read: Callable[[int], str], size: int = 1 << 16) -> Iterator[str]:
    """The text of a file's `read` in pieces."""
    return iter(lambda: read(size), "")


def excerpt(text: str, length: int = 24) -> str:
    """The beginning of a text for a message: quoted, ASCII."""
    clean = " ".join(text[: 4 * length].split())
    return ascii(clean if len(clean) <= length else clean[: length - 3] + "...")
