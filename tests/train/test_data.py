"""Training data: games replayed and split, exact scores, test sets, siblings; against the rules oracle."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from othello_engine.core import plain
from othello_engine.formats.transcript import parse_moves
from othello_engine.position import Position
from othello_engine.types import BLACK
from tests import oracle
from tests.train.conftest import N_WTHOR, TEST_GAME_OF, run, write_gzip
from tests.train.support import canonical
from tools.train.exact import merge, solve_positions
from tools.train.games import NO_THEO, Games, canonical_positions, load_games, read_lines
from tools.train.testsets import SIZES, public_boards, touched_games
from tools.train.work import Runner, load


@pytest.fixture(scope="module")
def games(work_folder: Path) -> Games:
    return load_games(work_folder / "games.npz")


def rows(path: Path) -> dict[tuple[int, int], int]:
    """Canonical position -> row."""
    arrays = load(path)
    return {(int(p), int(o)): i for i, (p, o) in enumerate(zip(arrays["player"], arrays["opponent"], strict=True))}


def legal(player: int, opponent: int) -> Iterator[tuple[int, int]]:
    """(square, discs turned) of each legal move."""
    for square in range(64):
        if plain.legal_moves(player, opponent) >> square & 1:
            yield square, plain.flips(square, player, opponent)


def true_score(player: int, opponent: int) -> int:
    return oracle.solve(oracle.board_of_bits(player, opponent), oracle.BLACK)


# -- games ---------------------------------------------------------------------------------------------------


def test_positions_of_games_are_those_of_the_position_class(games: Games, data_folder: Path) -> None:
    texts = [text for text, *_ in read_lines(data_folder / "games" / "wthor.txt.gz", None)]
    for game, text in enumerate(texts[:40]):
        before = Position.start()
        place = int(games.offsets[game])
        for move, after in parse_moves(Position.start(), text.decode()):
            if not before.must_pass:
                found = int(games.player[place]), int(games.opponent[place]), bool(games.black[place])
                assert found == (before.player, before.opponent, before.side == BLACK), (text, move)
                place += 1
            before = after
        assert place == games.offsets[game + 1]


def test_years_make_test_games_and_hashes_held_out_games(games: Games) -> None:
    assert games.n_games == 250, "the file under the GPL is left out"
    assert np.array_equal(np.flatnonzero(games.is_test), np.arange(0, N_WTHOR, TEST_GAME_OF))
    assert 0 < np.count_nonzero(games.held_out) < 15
    assert not np.any(games.held_out & games.is_test)
    assert np.all((games.theo == NO_THEO) == (games.source != 0))


@pytest.mark.parametrize("line", ["f5d6c3 +0", "f5f6a1 +64", "f5d6c3d3c4b3 +2"])
def test_wrong_games_end_the_program_with_a_clear_message(
    line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_gzip(tmp_path / "games" / "eothello.txt.gz", [line])
    assert run(tmp_path, tmp_path / "work") == 2
    assert line.split()[0] in capsys.readouterr().err


def test_canonical_positions_are_the_smallest_images(games: Games) -> None:
    player, opponent, hashes = canonical_positions(games.player[:500], games.opponent[:500])
    for index in range(500):
        expected = canonical(int(games.player[index]), int(games.opponent[index]))
        assert (int(player[index]), int(opponent[index])) == expected
    pairs = set(zip(player.tolist(), opponent.tolist(), strict=True))
    assert len(pairs) == len(set(hashes.tolist()))


# -- labels and positions ------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_empties", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("kind", ["positions", "siblings"])
def test_scores_are_exact(work_folder: Path, kind: str, n_empties: int) -> None:
    arrays = load(work_folder / kind / f"e{n_empties:02}.npz")
    chosen = list(range(0, len(arrays["player"]), 1 + len(arrays["player"]) // 25))
    if kind == "siblings":
        chosen += np.flatnonzero(arrays["must_pass"])[:5].tolist()
    for row in chosen:
        player, opponent = int(arrays["player"][row]), int(arrays["opponent"][row])
        assert (player | opponent).bit_count() == 64 - n_empties
        assert arrays["score"][row] == true_score(player, opponent), (player, opponent)


def test_early_positions_carry_the_exact_score_of_their_game(games: Games, work_folder: Path) -> None:
    score = load(work_folder / "labels.npz")["score"]
    for game in np.flatnonzero(~games.is_test & (games.lengths > 46))[:50]:
        start = games.offsets[game]
        black_view = score * np.where(games.black != 0, 1, -1)
        assert len(set(black_view[start : start + 47].tolist())) == 1


def test_rows_of_a_position_merge_into_their_mean() -> None:
    boards = np.array([5, 5, 5, 7, 7, 9], np.uint64)
    merged = merge(
        player=boards,
        opponent=boards + np.uint64(20),
        score=np.array([4, 8, 64, 2, -4, 6]),
        theo=np.array([10, NO_THEO, 2, NO_THEO, NO_THEO, 12]),
        game=np.arange(6, dtype=np.int32),
        source=np.arange(6, dtype=np.uint8),
        held_out=np.array([False, False, True, True, True, False]),
    )
    assert merged["player"].tolist() == [5, 7, 9]
    assert merged["score"].tolist() == [6, -1, 6], "the held-out row of a training position does not count"
    assert merged["count"].tolist() == [2, 2, 1]
    assert merged["theo"].tolist() == [10, NO_THEO, 12]
    assert merged["held_out"].tolist() == [False, True, False]
    assert merged["game"].tolist() == [0, 3, 5]
    assert {name: str(column.dtype) for name, column in merged.items()} == {
        "player": "uint64",
        "opponent": "uint64",
        "score": "float32",
        "theo": "float32",
        "count": "uint16",
        "game": "int32",
        "source": "uint8",
        "held_out": "bool",
    }


def test_positions_are_distinct_and_each_game_is_there_once(games: Games, work_folder: Path) -> None:
    arrays = load(work_folder / "positions" / "e30.npz")
    assert len(rows(work_folder / "positions" / "e30.npz")) == len(arrays["player"])
    assert np.all(arrays["theo"][arrays["source"] != 0] == NO_THEO)
    assert not np.any(games.is_test[arrays["game"]])


# -- test sets -----------------------------------------------------------------------------------------------


def test_test_positions_are_in_no_training_file(games: Games, work_folder: Path, data_folder: Path) -> None:
    assert public_boards(data_folder / "positions")
    for n_empties in SIZES:
        tested = set(rows(work_folder / "testsets" / f"e{n_empties:02}.npz"))
        assert len(tested) > 20
        for kind in ("positions", "siblings"):
            assert not tested & set(rows(work_folder / kind / f"e{n_empties:02}.npz"))
    assert len(load(work_folder / "positions" / "e59.npz")["player"]) == 0, "the public test position"
    touched = touched_games(games, work_folder / "avoided.npz")
    held_out = load(work_folder / "positions" / "e18.npz")
    assert np.array_equal(held_out["held_out"], (games.held_out | touched)[held_out["game"]])


@pytest.mark.parametrize("name", ["testsets/e14.npz", "siblings/e13.npz"])
def test_scores_follow_from_those_of_the_replies(work_folder: Path, name: str) -> None:
    """Solved one move later, from the worst of guesses."""
    arrays = load(work_folder / name)
    runner = Runner(Console(quiet=True), 1)
    for row in range(10):
        player, opponent = int(arrays["player"][row]), int(arrays["opponent"][row])
        replies = [(opponent ^ turned, player ^ turned ^ 1 << square) for square, turned in legal(player, opponent)]
        boards = np.array(replies, np.uint64)
        guess = np.full(len(boards), 64, np.int8)
        scores = solve_positions(runner, "replies", boards[:, 0].copy(), boards[:, 1].copy(), guess)
        assert arrays["score"][row] == max(-scores.astype(int))


# -- siblings ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_empties", [3, 13, 14, 40])
def test_siblings_are_one_move_from_a_training_position(work_folder: Path, n_empties: int) -> None:
    siblings = load(work_folder / "siblings" / f"e{n_empties:02}.npz")
    parents = load(work_folder / "positions" / f"e{n_empties + 1:02}.npz")
    children = set()
    for player, opponent in zip(
        parents["player"][~parents["held_out"]].tolist(),
        parents["opponent"][~parents["held_out"]].tolist(),
        strict=True,
    ):
        for square, turned in legal(player, opponent):
            children.add(canonical(opponent ^ turned, player ^ turned ^ 1 << square))
    of_games = rows(work_folder / "positions" / f"e{n_empties:02}.npz")
    found = list(zip(siblings["player"].tolist(), siblings["opponent"].tolist(), strict=True))
    assert len(found) == len(set(found)) > 100
    assert set(found) <= children
    assert not set(found) & set(of_games)
    assert ("score" in siblings) == (n_empties <= 13)
    for (player, opponent), must_pass in zip(found, siblings["must_pass"].tolist(), strict=True):
        assert must_pass == (plain.legal_moves(player, opponent) == 0)
        assert plain.legal_moves(player, opponent) or plain.legal_moves(opponent, player)


# -- the whole program ---------------------------------------------------------------------------------------


def test_results_do_not_depend_on_the_number_of_threads(data_folder: Path, work_folder: Path, tmp_path: Path) -> None:
    assert run(data_folder, tmp_path, "--threads", "1") == 0
    paths = sorted(path.relative_to(work_folder) for path in work_folder.rglob("*.npz"))
    assert len(paths) == 3 + 59 + 4 + 55
    for path in paths:
        one, two = load(tmp_path / path), load(work_folder / path)
        assert one.keys() == two.keys()
        for name in one:
            assert np.array_equal(one[name], two[name]), (path, name)


def test_a_second_run_makes_only_what_is_missing(data_folder: Path, work_folder: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    shutil.copytree(work_folder, work)
    (work / "siblings" / "e07.npz").unlink()
    (work / "siblings" / "e07.tmp").write_bytes(b"an interrupted run")
    before = {path: path.stat().st_mtime_ns for path in work.rglob("*.npz")}
    assert run(data_folder, work) == 0
    after = {path: path.stat().st_mtime_ns for path in work.rglob("*.npz")}
    assert {path for path in after if after[path] != before.get(path)} == {work / "siblings" / "e07.npz"}


def test_a_folder_of_other_settings_is_refused(
    data_folder: Path, work_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(data_folder, work_folder, "--with-gpl") == 2
    assert "another folder" in " ".join(capsys.readouterr().err.split())


def test_siblings_need_exact_scores_of_their_parents(
    data_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        run(data_folder, tmp_path, "--deepest", "13")
    assert "at least 14" in capsys.readouterr().err


def test_games_under_the_gpl_come_only_when_asked_for(data_folder: Path, tmp_path: Path) -> None:
    assert run(data_folder, tmp_path, "--with-gpl", "--limit", "20") == 0
    games = load_games(tmp_path / "games.npz")
    assert games.n_games == 60
    assert set(games.source.tolist()) == {0, 1, 7}
