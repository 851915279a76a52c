"""Games of the engine against itself: legal by the plain rules, varied, repeatable, and the positions kept of them."""

from __future__ import annotations

import math
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from othello_engine.position import Position
from othello_engine.types import BLACK, PASS
from tests.positions import image
from tests.search.support import perfect_score
from tests.train.support import boards, canonical
from tests.trained import mobility_weights
from tools.train import selfplay
from tools.train.games import NO_THEO, SELF_PLAY, canonical_positions
from tools.train.labelling import Labeller, search_values
from tools.train.selfplay import EARNEST_EMPTIES, LATER_DISCS, OPENING_DISCS, OPENING_PLIES
from tools.train.work import Runner, WorkFolderError, load, save

N_GAMES = 40
DEEPEST = 7
"""Few enough empty squares to visit everything in plain Python."""

Game = list[Position]
Boards = tuple[int, int]


def new_runner(n_threads: int = 2) -> Runner:
    return Runner(Console(quiet=True), n_threads)


@cache
def weights() -> np.ndarray:
    return mobility_weights().buffer


def game_of(moves: Iterable[int]) -> Game:
    """The positions before each move, and the last one; illegal moves raise."""
    position = Position.start()
    found = []
    for move in moves:
        if position.must_pass:
            position = position.play(PASS)
        found.append(position)
        position = position.play(move)
    return [*found, position]


def moves_of(path: Path) -> list[list[int]]:
    arrays = load(path)
    ends = np.cumsum(arrays["length"], dtype=np.int64)
    assert ends[-1] == len(arrays["squares"])
    return [part.tolist() for part in np.split(arrays["squares"], ends[:-1])]


def scores_of(path: Path) -> list[list[int]]:
    arrays = load(path)
    return [part.tolist() for part in np.split(arrays["score"], np.cumsum(arrays["length"], dtype=np.int64)[:-1])]


def make_batch(path: Path, batch: int = 0, n_threads: int = 2) -> Path:
    selfplay.make_batch(batch, N_GAMES, weights(), path, new_runner(n_threads), DEEPEST)
    return path


@pytest.fixture(scope="module")
def batch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_batch(tmp_path_factory.mktemp("batch") / "games.npz")


@pytest.fixture(scope="module")
def games(batch: Path) -> list[Game]:
    return [game_of(moves) for moves in moves_of(batch)]


# -- games ---------------------------------------------------------------------------------------------------


def test_games_are_legal_and_complete(games: list[Game]) -> None:
    assert len(games) == N_GAMES
    assert all(game[-1].is_over for game in games)
    passes = sum(before.side == after.side for game in games for before, after in pairwise(game))
    assert passes > 0


def test_scores_are_exact_near_the_end_and_carried_on_above(batch: Path, games: list[Game]) -> None:
    for game, scores in zip(games, scores_of(batch), strict=True):
        carried = game[-1].final_score * (1 if game[-1].side == BLACK else -1)
        for position, score in reversed(list(zip(game[:-1], scores, strict=True))):
            sign = 1 if position.side == BLACK else -1
            if position.n_empties <= DEEPEST:
                carried = sign * perfect_score(position.player, position.opponent)
            assert score == sign * carried, position


def test_games_differ_and_a_batch_depends_on_nothing_but_its_number(
    batch: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selfplay, "CHUNK", 8)  # some for each thread
    one, two = load(make_batch(tmp_path / "1.npz", n_threads=1)), load(make_batch(tmp_path / "2.npz", n_threads=2))
    assert one.keys() == two.keys()
    assert all(np.array_equal(one[name], two[name]) for name in one)
    openings = {
        tuple(moves[:12]) for path in (batch, make_batch(tmp_path / "3.npz", batch=1)) for moves in moves_of(path)
    }
    assert len(openings) > 1.9 * N_GAMES


# -- moves ---------------------------------------------------------------------------------------------------


def played(words: Sequence[int], discs: np.ndarray) -> list[Game]:
    n = len(words)
    squares, length = np.zeros((n, 60), np.uint8), np.zeros(n, np.uint8)
    labeller = Labeller(weights())  # owns the table whose address the state has
    selfplay.play_games(labeller.state, np.array(words, np.uint64), discs, 0, n, squares, length)
    return [game_of(row[:plies].tolist()) for row, plies in zip(squares, length, strict=True)]


def move_values(games: list[Game]) -> list[list[dict[int, int]]]:
    """For each position before a move: move -> hundredths of a disc, from a search of the position after it."""
    found: list[list[dict[int, int]]] = [[{} for _ in game[:-1]] for game in games]
    for ply in range(60):
        places = [(g, move) for g, game in enumerate(games) if ply < len(game) - 1 for move in game[ply].legal_moves]
        after = boards([games[g][ply].play(move) for g, move in places])
        depth = 3 if 11 <= 60 - ply <= EARNEST_EMPTIES else 1
        values = search_values(new_runner(1), "", weights(), after["player"], after["opponent"], depth)
        for (g, move), value in zip(places, values.tolist(), strict=True):
            found[g][ply][move] = -round(100 * value)
    return found


def move_between(before: Position, after: Position) -> int:
    return (before.empties & ~after.empties).bit_length() - 1


def splitmix(word: int) -> Iterator[int]:
    full = 2**64 - 1
    while True:
        word = word + 0x9E3779B97F4A7C15 & full
        mixed = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & full
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & full
        yield mixed ^ mixed >> 31


def nearly_normal(word: int) -> np.float32:
    total = sum(word >> shift & 0xFFFF for shift in (0, 16, 32, 48))
    return np.float32(total - 2 * 0xFFFF) / np.float32(math.sqrt((2**32 - 1) / 3))


def some_words(n: int) -> list[int]:
    return list(islice(splitmix(20260115), n))


def test_the_random_words_of_this_file_are_those_published_for_splitmix64() -> None:
    assert list(islice(splitmix(1234567), 3)) == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_without_noise_a_best_move_is_played() -> None:
    """Shallowly, but for some moves near the end, the same game whatever the random words."""
    first, second = played(some_words(2), np.zeros((2, 60), np.float32))
    assert first == second
    for (before, after), values in zip(pairwise(first), move_values([first])[0], strict=True):
        assert values[move_between(before, after)] == max(values.values())


def test_the_move_with_the_best_sum_of_value_and_noise_is_played() -> None:
    words = some_words(N_GAMES)
    discs = selfplay.deviations(np.random.default_rng(1), N_GAMES)
    games = played(words, discs)
    for game, word, row, values in zip(games, words, discs, move_values(games), strict=True):
        random = splitmix(word)
        for (before, after), deviation, of_moves in zip(pairwise(game), row, values, strict=False):
            scale = deviation * np.float32(100)
            sums = {move: value + scale * nearly_normal(next(random)) for move, value in of_moves.items()}
            assert move_between(before, after) == max(sums, key=lambda move: sums[move]), before


def test_noise_has_mean_zero_and_deviation_one() -> None:
    words = some_words(20_000)
    found = np.array([selfplay.nearly_normal(np.uint64(word)) for word in words])
    assert abs(found.mean()) < 0.03
    assert found.std() == pytest.approx(1, abs=0.02)
    assert np.mean(np.abs(found) < 1) == pytest.approx(0.68, abs=0.03)
    for word in (0, 2**64 - 1, *words[:200]):
        assert selfplay.nearly_normal(np.uint64(word)) == nearly_normal(word)


def test_noise_is_large_in_the_opening_then_of_one_size_and_ends_before_the_game() -> None:
    found = selfplay.deviations(np.random.default_rng(2), 2000)
    assert found.shape == (2000, 60)
    assert found.dtype == np.float32
    openings, sizes = set(), set()
    last = 60 - EARNEST_EMPTIES
    for row in found.tolist():
        opening = next(ply for ply, size in enumerate(row) if size != OPENING_DISCS)
        (size,) = set(row[opening:last])
        openings.add(opening)
        sizes.add(size)
        assert not any(row[last:])
    assert openings == set(range(OPENING_PLIES[0], OPENING_PLIES[1] + 1))
    assert sizes == set(LATER_DISCS)


# -- positions -----------------------------------------------------------------------------------------------

BATCH = 16
MOST_EMPTIES = 56
"""So early in the game that few games have many positions in common."""
SOME_EMPTIES = (1, DEEPEST, DEEPEST + 1, 20, 25, 40, MOST_EMPTIES)


@pytest.fixture(scope="module", autouse=True)
def small_numbers() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(selfplay, "BATCH", BATCH)
        patch.setattr(selfplay, "MOST_EMPTIES", MOST_EMPTIES)
        yield


def new_work(
    work: Path,
    tests: Sequence[Position] = (),
    held_out: Sequence[Position] = (),
    training: Sequence[Position] = (),
) -> Path:
    """A folder as it is before self-play: test positions, and positions of other games."""
    arrays = boards(tests)
    hashes = canonical_positions(arrays["player"], arrays["opponent"])[2]
    save(work / "avoided.npz", hash=hashes, n_empties=np.array([each.n_empties for each in tests], np.uint8))
    for n in range(1, 60):
        kept, learned = ([each for each in group if each.n_empties == n] for group in (held_out, training))
        mask = np.arange(len(kept) + len(learned)) < len(kept)
        save(work / "positions" / f"e{n:02}.npz", **boards([*kept, *learned]), held_out=mask)
    return work


def make(work: Path, n_threads: int = 2) -> None:
    selfplay.make_selfplay(work, N_GAMES, weights(), new_runner(n_threads), DEEPEST)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Self-play without anything to avoid. Only read."""
    work = new_work(tmp_path_factory.mktemp("made"))
    make(work)
    return work


def files(work: Path) -> list[Path]:
    return sorted(path for path in (work / "selfplay").rglob("*") if path.is_file())


def game_files(work: Path) -> list[Path]:
    return sorted((work / "selfplay").glob("games-*.npz"))


def all_moves(work: Path) -> list[list[int]]:
    return [moves for path in game_files(work) for moves in moves_of(path)]


def positions_of(work: Path, n: int) -> dict[Boards, int]:
    """Canonical position -> row."""
    arrays = load(work / "selfplay" / "positions" / f"e{n:02}.npz")
    pairs = list(zip(arrays["player"].tolist(), arrays["opponent"].tolist(), strict=True))
    assert len(set(pairs)) == len(pairs)
    return {pair: row for row, pair in enumerate(pairs)}


def at(game: Game, n: int) -> Position:
    return next(each for each in game if each.n_empties == n)


def key(position: Position) -> Boards:
    return canonical(position.player, position.opponent)


def test_all_games_are_played_in_files_of_limited_size(made: Path) -> None:
    assert [path.name for path in game_files(made)] == ["games-00.npz", "games-01.npz", "games-02.npz"]
    assert [len(moves_of(path)) for path in game_files(made)] == [BATCH, BATCH, N_GAMES - 2 * BATCH]
    assert len({tuple(moves) for moves in all_moves(made)}) == N_GAMES


def test_positions_are_the_distinct_ones_of_the_games_with_their_scores(made: Path) -> None:
    found_files = sorted((made / "selfplay" / "positions").iterdir())
    assert [path.name for path in found_files] == [f"e{n:02}.npz" for n in range(1, MOST_EMPTIES + 1)]
    scores = [part for path in game_files(made) for part in scores_of(path)]
    expected: dict[int, dict[Boards, list[int]]] = {n: defaultdict(list) for n in SOME_EMPTIES}
    for moves, of_game in zip(all_moves(made), scores, strict=True):
        for position, score in zip(game_of(moves)[:-1], of_game, strict=True):
            if position.n_empties in expected:
                expected[position.n_empties][key(position)].append(score)
    for n, by_position in expected.items():
        arrays = load(made / "selfplay" / "positions" / f"e{n:02}.npz")
        found = positions_of(made, n)
        assert found.keys() == by_position.keys()
        for each, row in found.items():
            assert arrays["score"][row] == pytest.approx(np.mean(by_position[each]))
            assert arrays["count"][row] == len(by_position[each])
        assert np.all(arrays["source"] == SELF_PLAY)
        assert np.all(arrays["theo"] == NO_THEO)
        assert not np.any(arrays["held_out"])
    assert len(expected[MOST_EMPTIES]) < N_GAMES, "some games begin alike"


def test_test_positions_and_held_out_ones_do_not_come_out(made: Path, tmp_path: Path) -> None:
    """In any of their mirror images; and a late test position takes the games that pass through it along."""
    games = [game_of(moves) for moves in all_moves(made)]
    late, early, held_out, training = at(games[3], 30), at(games[5], 31), at(games[7], 25), at(games[9], 25)
    common = at(games[11], MOST_EMPTIES)
    mirrored = [Position(image(each.player, 6), image(each.opponent, 6), each.side) for each in (late, early, held_out)]
    work = new_work(tmp_path, [*mirrored[:2], common], mirrored[2:], [training])
    shutil.copytree(made / "selfplay", work / "selfplay", ignore=shutil.ignore_patterns("positions"))
    make(work)
    kept = [game for game in games if key(late) not in map(key, game)]
    assert len(kept) == N_GAMES - 1
    hidden = {key(each) for each in (early, held_out, common)}
    for n in {*SOME_EMPTIES, 30, 31}:
        expected = {key(each) for game in kept for each in game[:-1] if each.n_empties == n}
        assert positions_of(work, n).keys() == expected - hidden, n


def test_nothing_is_made_again(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("made again")

    before = {path: path.stat().st_mtime_ns for path in files(made)}
    monkeypatch.setattr(selfplay, "make_batch", refuse)
    monkeypatch.setattr(selfplay, "as_games", refuse)
    make(made)
    assert {path: path.stat().st_mtime_ns for path in files(made)} == before


def test_another_number_of_games_is_refused(made: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in files(made)}
    with pytest.raises(WorkFolderError, match=f"selfplay.*{N_GAMES}.*{N_GAMES + 1}"):
        selfplay.make_selfplay(made, N_GAMES + 1, weights(), new_runner(1), DEEPEST)
    assert {path: path.stat().st_mtime_ns for path in files(made)} == before


def test_games_are_not_missed_once_their_positions_are_there(made: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    shutil.copytree(made, work, ignore=shutil.ignore_patterns("games-*"))
    make(work)
    assert not game_files(work)


@pytest.mark.parametrize(
    "missing", [("games-01.npz", "positions/e30.npz"), ("positions/e30.npz",), ("games-02.npz", "positions")]
)
def test_an_interrupted_run_ends_with_the_same_files(made: Path, tmp_path: Path, missing: tuple[str, ...]) -> None:
    work = tmp_path / "work"
    shutil.copytree(made, work)
    for name in missing:
        path = work / "selfplay" / name
        remove: Callable[[Path], Any] = shutil.rmtree if path.is_dir() else Path.unlink
        remove(path)
    make(work, n_threads=1)
    assert [path.relative_to(work) for path in files(work)] == [path.relative_to(made) for path in files(made)]
    for one, two in zip(files(work), files(made), strict=True):
        assert one.read_bytes() == two.read_bytes(), one.name
