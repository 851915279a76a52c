"""Recorded games: read, replayed, and split into training, held-out and test games."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numba
import numpy as np

from othello_engine.core.hashing import position_hash
from othello_engine.core.jit import I64, ONE, VOID, ZERO, kernel
from othello_engine.core.simd import flips, legal_moves
from othello_engine.core.symmetry import canonical
from othello_engine.position import Position
from othello_engine.search.leaf import final_score
from tools.train.work import Arrays, Runner, load, save

SOURCES = (
    "wthor",
    "playok_2023",
    "eothello",
    "egaroucid3_selfplay",
    "egaroucid_early_selfplay",
    "flippy_selfplay",
    "logistello_logbook",
    "othello_quest",
    "egaroucid4_selfplay",
)
"""Names of the game files; the number of a source is its place here."""
GPL_SOURCES = frozenset(SOURCES[6:])
"""Not used for weights that are shipped."""
SELF_PLAY = len(SOURCES)
"""Number of the source of games that the engine played against itself."""
TEST_YEAR = 2020
"""WTHOR games from this year on are for tests only."""
HELD_OUT_OF = 100
"""One in so many of the other games is kept for checks while training."""
NO_THEO = -128
THEO_MOVES = 36
"""WTHOR's theoretical score is that of the position after so many moves."""
UNFINISHED = 127
"""Recorded in place of the score of a game that breaks the rules or does not reach its end."""

_U64S = numba.uint64[::1]
_U8S = numba.uint8[::1]
_I64S = numba.int64[::1]
_I8S = numba.int8[::1]
_START = Position.start()
_BLACK, _WHITE = np.uint64(_START.player), np.uint64(_START.opponent)


class GamesError(Exception):
    """A file of games is not what it should be."""


@kernel(VOID(_U8S, _I64S, I64, I64, _U64S, _U64S, _U8S, _I8S))
def replay(squares, offsets, first, last, player, opponent, black, score):
    """Replay games first..last-1 from the start: the position before each move, who moves it, and the final score.

    squares: moves of all games, game g at offsets[g]..offsets[g + 1] - 1, passes left out. player, opponent, black
    (1 when black moves) are filled at the same places; score, black minus white, one a game.
    """
    for game in range(first, last):
        p, o = _BLACK, _WHITE
        is_black = np.uint8(1)
        score[game] = np.int8(UNFINISHED)
        is_legal = True
        for index in range(offsets[game], offsets[game + 1]):
            if legal_moves(p, o) == ZERO:
                p, o = o, p
                is_black ^= np.uint8(1)
            square = np.int64(squares[index])
            bit = ONE << np.uint64(square)
            if legal_moves(p, o) & bit == ZERO:
                is_legal = False
                break
            player[index], opponent[index], black[index] = p, o, is_black
            turned = flips(square, p, o)
            p, o = o ^ turned, p ^ turned ^ bit
            is_black ^= np.uint8(1)
        if is_legal and legal_moves(p, o) == ZERO and legal_moves(o, p) == ZERO:
            value = final_score(p, o)
            score[game] = np.int8(value if is_black else -value)


@kernel(VOID(_U64S, _U64S, I64, I64, _U64S))
def make_canonical(player, opponent, first, last, hashes):
    """Replace positions first..last-1 by their canonical images, and write the hashes of these."""
    for index in range(first, last):
        p, o = canonical(player[index], opponent[index])
        player[index], opponent[index] = p, o
        hashes[index] = position_hash(p, o)


def canonical_positions(player: np.ndarray, opponent: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(player, opponent, hash) of the canonical images, in new arrays."""
    player, opponent = player.copy(), opponent.copy()
    hashes = np.empty_like(player)
    make_canonical(player, opponent, 0, len(player), hashes)
    return player, opponent, hashes


@dataclass(frozen=True)
class Games:
    """All games, position by position. Position i of game g, before its move i, is at offsets[g] + i."""

    offsets: np.ndarray
    player: np.ndarray
    opponent: np.ndarray
    black: np.ndarray
    """1 where black is to move."""
    score: np.ndarray
    """int8, one a game: black minus white at the end, empties to the winner."""
    theo: np.ndarray
    """int8, one a game: the true score with 24 empties, black minus white; NO_THEO if not known."""
    source: np.ndarray
    year: np.ndarray
    """int16; 0 if not known."""
    is_test: np.ndarray
    held_out: np.ndarray

    @property
    def n_games(self) -> int:
        return len(self.score)

    @property
    def lengths(self) -> np.ndarray:
        return np.diff(self.offsets)

    def at(self, n_empties: int, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(games, places) of the positions with so many empties, of the games chosen by a mask."""
        move = 60 - n_empties
        games = np.flatnonzero(chosen & (self.lengths > move))
        return games, self.offsets[games] + move


def read_lines(path: Path, limit: int | None) -> Iterator[tuple[bytes, int, int, int]]:
    """(moves, score, theo, year) of each game of a file, at most `limit` of them, spread over the file."""
    with gzip.open(path, "rb") as file:
        lines = file.read().split(b"\n")
    lines = [line for line in lines if line]
    step = 1 if limit is None else max(1, len(lines) // limit)
    for line in lines[::step][:limit]:
        words = line.split()
        theo = int(words[2]) if len(words) > 2 else NO_THEO
        year = int(words[3]) if len(words) > 3 else 0
        yield words[0].lower(), int(words[1]), theo, year


def is_held_out(moves: bytes) -> bool:
    """True for about one game in HELD_OUT_OF, the same ones whatever else is read."""
    digest = hashlib.blake2b(moves, digest_size=8).digest()
    return int.from_bytes(digest, "little") % HELD_OUT_OF == 0


def make_games(folder: Path, path: Path, runner: Runner, with_gpl: bool, limit: int | None) -> None:
    """Read and replay the games below `folder` and write them to `path`. Raises GamesError on a wrong game."""
    texts: list[bytes] = []
    rows: list[tuple[int, int, int, int]] = []
    for number, name in enumerate(SOURCES):
        file = folder / f"{name}.txt.gz"
        if (name in GPL_SOURCES and not with_gpl) or not file.exists():
            continue
        before = len(texts)
        for moves, score, theo, year in read_lines(file, limit):
            texts.append(moves)
            rows.append((score, theo, number, year))
        runner.say(f"  {name}: {len(texts) - before:,} games")
    if not rows:
        raise GamesError(f"no games in {folder}")
    score, theo, source, year = (np.array(column) for column in zip(*rows, strict=True))
    pairs = np.frombuffer(b"".join(texts), np.uint8).reshape(-1, 2)
    squares = (pairs[:, 0] - ord("a")) + 8 * (pairs[:, 1] - ord("1"))
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) // 2 for text in texts], out=offsets[1:])

    player, opponent = np.empty(len(squares), np.uint64), np.empty(len(squares), np.uint64)
    black = np.empty(len(squares), np.uint8)
    played = np.empty(len(texts), np.int8)
    runner.spread(
        "replay",
        len(texts),
        4096,
        lambda: None,
        lambda _, first, last: replay(squares, offsets, first, last, player, opponent, black, played),
    )
    wrong = np.flatnonzero(played != score)
    if len(wrong):
        raise GamesError(f"{len(wrong)} games are not legal or have another score, first: {texts[wrong[0]].decode()}")
    is_test = year >= TEST_YEAR
    held_out = np.array([is_held_out(text) for text in texts]) & ~is_test
    save(
        path,
        offsets=offsets,
        player=player,
        opponent=opponent,
        black=black,
        score=played,
        theo=theo.astype(np.int8),
        source=source.astype(np.uint8),
        year=year.astype(np.int16),
        is_test=is_test,
        held_out=held_out,
    )


def load_games(path: Path) -> Games:
    """The games as `make_games` wrote them."""
    arrays: Arrays = load(path)
    return Games(**arrays)
