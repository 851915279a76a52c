"""Test sets with exact scores, from games that are never trained on, and the public test positions."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np

from othello_engine.position import Position
from tools.train.exact import solve_positions
from tools.train.games import NO_THEO, Games, GamesError, canonical_positions
from tools.train.work import Runner, load, save

SIZES = {14: 2500, 18: 2500, 20: 500, 24: 3000}
"""Positions at each number of empties."""
THEO_SET = 24
"""The set whose scores come from the file, not from our solver."""
TABLE_BYTES = 64 << 20
PUBLIC_TESTS = ("fforum-*.obf", "hard-*.obf", "small-35.txt", "edax_oracle_180.obf", "tsume_puzzles.obf",
                "wthor24_500.txt", "edax_l16_openings.txt.gz")  # fmt: skip
"""Files of positions that are never trained on."""


def choose(games: Games, n_empties: int) -> dict[str, np.ndarray]:
    """Distinct canonical positions of the test games, chosen by their hash, and the score to begin with."""
    chosen, places = games.at(n_empties, games.is_test)
    result = games.score
    if n_empties == THEO_SET:
        result = games.theo
        known = result[chosen] != NO_THEO
        chosen, places = chosen[known], places[known]
    player, opponent, hashes = canonical_positions(games.player[places], games.opponent[places])
    _, first = np.unique(hashes, return_index=True)
    first = first[: SIZES[n_empties]]
    sign = np.where(games.black[places] != 0, 1, -1)
    score = (sign * result[chosen]).astype(np.int8)
    return {"player": player[first], "opponent": opponent[first], "score": score[first]}


def read_boards(path: Path) -> list[Position]:
    """The positions of a file that has a board and a side at the beginning of each line."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8-sig") as file:
        lines = [line for line in file if line.strip() and line[0] not in "%#"]
    return [Position.from_text(" ".join(line.replace(";", " ").split()[:2])) for line in lines]


def public_boards(folder: Path) -> list[Position]:
    """All positions of the public test files below `folder`."""
    return [board for pattern in PUBLIC_TESTS for path in sorted(folder.glob(pattern)) for board in read_boards(path)]


def make_avoided(games: Games, folder: Path, path: Path) -> None:
    """Write the hashes of all test positions, and the number of empties of each.

    Raises GamesError when `folder` has no public test positions: training would silently include them.
    """
    boards = public_boards(folder)
    if not boards:
        raise GamesError(f"no test positions in {folder}")
    player = [np.array([board.player for board in boards], np.uint64)]
    opponent = [np.array([board.opponent for board in boards], np.uint64)]
    for n_empties in SIZES:
        chosen = choose(games, n_empties)
        player.append(chosen["player"])
        opponent.append(chosen["opponent"])
    all_player, all_opponent, hashes = canonical_positions(np.concatenate(player), np.concatenate(opponent))
    hashes, first = np.unique(hashes, return_index=True)
    n_empties = 64 - np.bitwise_count(all_player[first] | all_opponent[first]).astype(np.int64)
    save(path, hash=hashes, n_empties=n_empties.astype(np.uint8))


def make_testset(games: Games, n_empties: int, path: Path, runner: Runner) -> None:
    """Write one test set with exact scores for the mover."""
    chosen = choose(games, n_empties)
    score = chosen["score"]
    if n_empties != THEO_SET:
        name = f"test set, {n_empties} empties"
        score = solve_positions(
            runner, name, chosen["player"], chosen["opponent"], score, table_bytes=TABLE_BYTES, chunk=5
        )
    save(path, player=chosen["player"], opponent=chosen["opponent"], score=score)


def touched_games(games: Games, path: Path, most_empties: int = 30) -> np.ndarray:
    """Mask of games that pass through a test position with at most so many empties.

    Their other late positions have nearly the same scores as the test position, so these are no training games.
    """
    avoided = load(path)
    touched = np.zeros(games.n_games, bool)
    for n_empties in range(1, most_empties + 1):
        hashes = avoided["hash"][avoided["n_empties"] == n_empties]
        if len(hashes):
            chosen, places = games.at(n_empties, np.ones(games.n_games, bool))
            found = canonical_positions(games.player[places], games.opponent[places])[2]
            touched[chosen[np.isin(found, hashes)]] = True
    return touched
