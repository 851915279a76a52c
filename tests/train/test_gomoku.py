"""The Gomoku trainer: positions, fits and the weights file, against slow twins on made-up games."""

from __future__ import annotations

import gzip
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from othello_engine.gomoku.lines import (
    CELL_CLASS,
    CELL_FIVE,
    CELL_FOUR,
    CELL_OPEN_FOUR,
    MULTISET_OF,
    MULTISETS,
    combos_of,
)
from othello_engine.gomoku.plain import quick_move
from othello_engine.gomoku.position import EMPTY, GomokuPosition
from othello_engine.gomoku.weights import by_hand, read
from tools.train import gomoku
from tools.train import gomoku_fit as fit
from tools.train import gomoku_positions as positions
from tools.train.gomoku_labels import (
    DEEPEST,
    INFINITE,
    Labeller,
    labelled_positions,
    load_labels,
    make_labels,
    save_labels,
)

SIZE = positions.GAMES_SIZE
COLUMNS = "abcdefghijklmnopqrst"


def made_up_game(seed: int) -> positions.Game:
    """Moves without a search and, often, random ones near the middle, until a five."""
    rng = np.random.default_rng(seed)
    position = GomokuPosition.start(SIZE)
    moves: list[int] = []
    while not position.is_over:
        near = [cell for cell in position.legal_moves if all(6 <= at < 14 for at in divmod(cell, SIZE))]
        is_random = near and (len(moves) < 6 or rng.random() < 0.25)
        moves.append(int(rng.choice(near)) if is_random else quick_move(position))
        position = position.play(moves[-1])
    return made_up_game(seed + 1000) if position.winner is None else positions.Game(tuple(moves), position.winner)


@pytest.fixture(scope="module")
def games() -> list[positions.Game]:
    return [made_up_game(seed) for seed in range(2 * positions.TEST_GAME_OF)]


@pytest.fixture(scope="module")
def found(games: list[positions.Game]) -> positions.Positions:
    return positions.positions_of(games)


@pytest.fixture(scope="module")
def data_folder(games: list[positions.Game], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gomoku-data")
    write_games(folder / positions.GAMES, [f"{text_of(game)} {game.winner + 1} A B" for game in games])
    openings = folder / "gomoku" / "openings.txt"
    openings.write_text(
        "-8,-7\n-8,-7, -6,-6, -7,-5\n-7,-7, -5,-6, -6,-5\n0,0, 1,1, 0,3\n0,0, 9,9, 0,3\n", encoding="ascii"
    )
    return folder


def write_games(path: Path, lines: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="ascii") as file:
        file.write("".join(f"{line}\n" for line in lines))


def text_of(game: positions.Game) -> str:
    return "".join(f"{COLUMNS[cell % SIZE]}{cell // SIZE + 1}" for cell in game.moves)


def board_of(moves: tuple[int, ...]) -> np.ndarray:
    cells = np.zeros(SIZE * SIZE, np.uint8)
    for ply, cell in enumerate(moves):
        cells[cell] = ply % 2 + 1
    return cells


# -- positions -----------------------------------------------------------------------------------------------


def test_games_are_read(games: list[positions.Game], data_folder: Path) -> None:
    assert positions.read_games(data_folder / positions.GAMES) == games


@pytest.mark.parametrize("line", ["a1a1 1", "a1b2 3", "a1b2", "a1x5 1", "a21 1", "a0 2"])
def test_bad_games_are_refused_with_their_line(line: str, tmp_path: Path) -> None:
    write_games(tmp_path / "games.gz", ["a1b2 1", line])
    with pytest.raises(positions.GomokuDataError, match="line 2"):
        positions.read_games(tmp_path / "games.gz")


def test_pairs_are_those_of_the_slow_combinations(games: list[positions.Game], found: positions.Positions) -> None:
    differences = fit.differences(found).toarray()
    for index, facts in enumerate(found.facts):
        game, ply = games[facts[positions.GAME]], int(facts[positions.PLY])
        cells = board_of(game.moves[:ply])
        side = ply % 2
        multisets = MULTISET_OF[combos_of(SIZE, cells)]
        own, other = multisets[:, side], multisets[:, 1 - side]
        expected = np.zeros(len(MULTISETS))
        np.add.at(expected, own[cells == EMPTY], 1)
        np.subtract.at(expected, other[cells == EMPTY], 1)
        assert (differences[index] == expected).all()
        assert facts[positions.WON] == (game.winner == side)
        assert facts[positions.PLIES_LEFT] == len(game.moves) - ply
        assert not (CELL_CLASS[own] >= CELL_OPEN_FOUR).any(), "the side to move wins at once"
        assert not (CELL_CLASS[other] == CELL_FIVE).any(), "a five has to be stopped"
        is_threatened = bool((CELL_CLASS[other] == CELL_OPEN_FOUR).any())
        assert facts[positions.THREATENED] == is_threatened
        first = found.ends[index - 1] if index else 0
        pairs = found.pairs[first : found.ends[index]]
        candidates = pairs[(pairs[:, 0] & positions.CANDIDATE) > 0]
        if is_threatened:
            n_fours = ((CELL_CLASS[own] >= CELL_FOUR) | (CELL_CLASS[other] >= CELL_FOUR))[cells == EMPTY].sum()
            assert len(candidates) == n_fours
        played = pairs[(pairs[:, 0] & positions.PLAYED) > 0]
        move = game.moves[ply]
        assert [(row[0] & positions.MULTISET, row[1]) for row in played] in ([(own[move], other[move])], [])
        assert len(played) == 1 or own[move] == other[move]
    assert len(found) > 100
    assert found.facts[:, positions.THREATENED].any()


def test_parts_cover_all_positions_once(found: positions.Positions) -> None:
    cuts = list(positions.parts(found, 7))
    assert cuts[0][0].start == cuts[0][1].start == 0
    assert all(left[0].stop == right[0].start and left[1].stop == right[1].start for left, right in pairwise(cuts))
    assert cuts[-1][0].stop == len(found)
    assert cuts[-1][1].stop == len(found.pairs)


# -- fits ----------------------------------------------------------------------------------------------------


def test_values_foretell_results_that_come_from_values() -> None:
    rng = np.random.default_rng(5)
    planted = by_hand().values / 40.0
    counts = np.zeros((4000, fit.N_MULTISETS), np.float32)
    for row in counts:
        np.add.at(row, rng.integers(fit.N_MULTISETS, size=6), [1, 1, 1, -1, -1, -1])
    chances = 1 / (1 + np.exp(-(counts @ planted + 0.3)))
    won = (rng.random(4000) < chances).astype(float)
    values, tempo = fit.fit_values(
        sparse.csr_matrix(counts), won, np.ones(4000), np.zeros(fit.N_MULTISETS), fit.Ridge(1.0, 20.0), 80
    )
    assert values[0] == 0
    found_logits = counts @ values + tempo
    assert np.corrcoef(found_logits, counts @ planted)[0, 1] > 0.95
    assert abs(tempo - 0.3) < 0.2


def test_weights_of_positions_count() -> None:
    counts = sparse.csr_matrix((2, fit.N_MULTISETS), dtype=np.float32)
    nothing = np.zeros(fit.N_MULTISETS)
    _, tempo = fit.fit_values(counts, np.array([1.0, 0.0]), np.array([3.0, 1.0]), nothing, fit.Ridge(1.0, 1.0), 50)
    assert tempo == pytest.approx(np.log(3), abs=1e-3)


def slow_choice_loss(choices: fit.Choices, own: np.ndarray, other: np.ndarray) -> float:
    losses = []
    first = 0
    for last in choices.ends:
        scores = own[choices.pairs[first:last, 0]] + other[choices.pairs[first:last, 1]]
        losses.append(np.log(np.exp(scores).sum()) - scores[0])
        first = int(last)
    return float(np.mean(losses))


def test_choices_have_the_loss_and_ranks_of_the_slow_twin(found: positions.Positions) -> None:
    choices = fit.choices_of(found)
    rng = np.random.default_rng(3)
    own, other = rng.normal(size=(2, fit.N_MULTISETS))
    assert fit.choice_loss(choices, own, other) == pytest.approx(slow_choice_loss(choices, own, other))
    ranks = fit.ranks_of(choices, own, other)
    first = 0
    for rank, last in zip(ranks, choices.ends, strict=True):
        scores = own[choices.pairs[first:last, 0]] + other[choices.pairs[first:last, 1]]
        assert rank == (scores > scores[0]).sum() + ((scores == scores[0]).sum() - 1) // 2
        first = int(last)


def test_the_played_move_stands_first_in_a_choice(games: list[positions.Game], found: positions.Positions) -> None:
    choices = fit.choices_of(found)
    firsts = np.concatenate([[0], choices.ends[:-1]])
    for row, first in zip(choices.rows, firsts, strict=True):
        facts = found.facts[row]
        ply = int(facts[positions.PLY])
        moves = games[facts[positions.GAME]].moves
        combos = combos_of(SIZE, board_of(moves[:ply]))[moves[ply]]
        assert list(choices.pairs[first]) == [MULTISET_OF[combos[ply % 2]], MULTISET_OF[combos[1 - ply % 2]]]


def test_order_scores_make_the_moves_played_likelier(found: positions.Positions) -> None:
    choices = fit.choices_of(found)
    nothing = np.zeros(fit.N_MULTISETS)
    own, other = fit.fit_orders(choices, nothing, fit.Ridge(1.0, 1.0), 40)
    assert other == pytest.approx(fit.OTHER_SHARE * own)
    one_table = fit.choice_loss(choices, own, other)
    assert one_table < 0.8 * fit.choice_loss(choices, nothing, nothing)
    # Little change of one number changes little of the penalised loss: it is the lowest point.
    two_tables = fit.fit_orders(choices, nothing, fit.Ridge(1.0, 1.0), 40, share=None)
    assert fit.choice_loss(choices, *two_tables) < one_table


# -- the program ---------------------------------------------------------------------------------------------


def test_rare_multisets_are_worth_no_less_than_weaker_ones() -> None:
    rng = np.random.default_rng(2)
    values = rng.normal(size=fit.N_MULTISETS)
    counts = rng.integers(0, 600, fit.N_MULTISETS)
    raised = gomoku.raise_rare(values, counts, 300)
    number = {classes: index for index, classes in enumerate(MULTISETS)}
    for index, classes in enumerate(MULTISETS):
        if counts[index] >= 300:
            assert raised[index] == values[index]
            continue
        lower = [
            number[tuple(sorted((*classes[:place], classes[place] - 1, *classes[place + 1 :])))]
            for place in range(4)
            if classes[place]
        ]
        assert raised[index] == max([values[index], *raised[lower]])


def test_packed_numbers_keep_to_the_limits_of_the_file() -> None:
    many = np.linspace(-9000, 9000, fit.N_MULTISETS)
    weights = gomoku.packed(many, many, 12.6, "a")
    assert (weights.values.min(), weights.values.max()) == (-2047, 2047)
    assert (weights.orders.min(), weights.orders.max(), weights.tempo) == (0, 2047, 13)


def test_the_same_command_writes_the_same_weights(
    data_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["--data", str(data_folder), "--labels", "60"]
    assert gomoku.main([*command, "--out", str(tmp_path / "a.weights")]) == 0
    assert "values trained by labels, round 1: loss" in capsys.readouterr().out
    for _ in ("makes labels", "goes on from them"):
        assert gomoku.main([*command, "--out", str(tmp_path / "b.weights"), "--work", str(tmp_path / "work")]) == 0
    first, second = read(tmp_path / "a.weights"), read(tmp_path / "b.weights")
    assert (first.values == second.values).all()
    assert (first.orders == second.orders).all()
    assert first.tempo == second.tempo
    assert (first.values != by_hand().values).any()


def test_a_work_folder_of_another_recipe_is_refused(data_folder: Path, tmp_path: Path) -> None:
    command = ["--data", str(data_folder), "--out", str(tmp_path / "a"), "--work", str(tmp_path / "work")]
    assert gomoku.main([*command, "--labels", "30", "--limit", "25"]) == 0
    assert gomoku.main([*command, "--labels", "31", "--limit", "25"]) == 2


def test_missing_data_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert gomoku.main(["--data", str(tmp_path), "--out", str(tmp_path / "a")]) == 2
    assert "tools.train.gomoku: " in capsys.readouterr().err


# -- labels --------------------------------------------------------------------------------------------------


def test_a_label_is_the_score_of_a_search(games: list[positions.Game]) -> None:
    labeller = Labeller(by_hand(), 400)
    moves = list(games[0].moves[:10])
    rng = np.random.default_rng(1)
    labelled = labeller.label(moves, 0, rng)
    assert labelled is not None
    assert labelled[0][:-1] == moves
    assert labelled[0][-1] not in moves
    assert abs(labelled[1]) < INFINITE
    assert DEEPEST > 1
    assert labeller.label(moves, 0, rng) == labelled
    led_astray = labeller.label(moves, 2, rng)
    assert led_astray is None or len(led_astray[0]) == len(moves) + 3


def test_positions_that_are_decided_get_no_label() -> None:
    cell = 5 * SIZE + 5
    four = [cell, 0, cell + 1, 2, cell + 2, 4, cell + 3, 6]
    assert Labeller(by_hand(), 400).label(four, 0, np.random.default_rng(1)) is None


def test_labels_belong_to_their_positions(games: list[positions.Game], tmp_path: Path) -> None:
    labels = make_labels(games, by_hand(), 40, 300, seed=4)
    assert len(labels.games) == len(labels.scores) == len(labels.of) > 10
    save_labels(tmp_path / "labels.npz", labels)
    kept = load_labels(tmp_path / "labels.npz")
    assert kept.games == labels.games
    assert (kept.of == labels.of).all()
    assert (kept.scores == labels.scores).all()
    fitting, which = labelled_positions(labels)
    assert len(fitting) == len(which) > 5
    for facts, number in zip(fitting.facts, which, strict=True):
        assert facts[positions.PLY] == len(labels.games[number].moves) - 1
        assert facts[positions.PLIES_LEFT] == 1
    chances = labels.chances(250.0)
    assert ((chances >= 0) & (chances <= 1)).all()
    assert ((chances > 0.5) == (labels.scores > 0)).all()
