"""Position and the plain rules against the oracle, and what goes wrong with rules elsewhere."""

from __future__ import annotations

import copy
import doctest
import pickle
import random
import subprocess
import sys
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from othello_engine import notation
from othello_engine import position as position_module
from othello_engine.core import plain
from othello_engine.errors import BoardError, IllegalMoveError, PositionError
from othello_engine.position import Position
from othello_engine.types import BLACK, PASS, WHITE, parse_square, square_name
from tests import oracle, positions

SEED = 20260105


@st.composite
def bitboards(draw: st.DrawFn) -> tuple[int, int]:
    """Two disjoint bitboards, any."""
    occupied = draw(st.integers(0, plain.FULL))
    own = draw(st.integers(0, plain.FULL))
    return occupied & own, occupied & ~own


@st.composite
def played(draw: st.DrawFn) -> list[tuple[int, Position]]:
    """The first plies of a game, chosen by Hypothesis; moves and passes with the position after each."""
    position = Position.start()
    steps = []
    for choice in draw(st.lists(st.integers(0, 63), max_size=64)):
        legal = position.legal_moves
        if not legal:
            break
        move = legal[choice % len(legal)]
        position = position.play(move)
        steps.append((move, position))
    return steps


def to_oracle(position: Position) -> tuple[oracle.Board, str]:
    return oracle.board_of_bits(position.black, position.white), "XO"[position.side]


def from_oracle(squares: list[oracle.Square]) -> int:
    return oracle.bits_of(squares)


def rows_of(bits: int) -> list[str]:
    return [square_name(square) for square in range(64) if bits >> square & 1]


def hash_of_game(history: list[Position]) -> int:
    return hash(tuple(history))


# -- the value -----------------------------------------------------------------------------------------------


def test_examples_in_the_docstrings_are_true() -> None:
    for module in (position_module, notation):
        assert doctest.testmod(module).failed == 0


def test_start_position_is_black_on_e4_and_d5_with_black_to_move() -> None:
    start = Position.start()
    assert start.black == positions.bits("e4 d5")
    assert start.white == positions.bits("d4 e5")
    assert start.side == BLACK
    assert start.n_empties == 60
    assert start.disc_difference == 0
    assert not start.is_over
    assert not start.must_pass
    assert start.to_text() == positions.START_TEXT


def test_a1_is_top_left_and_columns_are_letters() -> None:
    """RU-8: a mirrored or transposed reading hides in the start position."""
    assert [square_name(move) for move in Position.start().legal_moves] == ["d3", "c4", "f5", "e6"]
    position = Position.from_text("X" + "-" * 6 + "O" + "-" * 55 + "X O")
    assert position.black == positions.bits("a1 h8")
    assert position.white == positions.bits("h1")
    assert position.diagram()[1] == "1 X - - - - - - O 1"
    assert position.diagram()[8] == "8 - - - - - - - X 8"


def test_an_asymmetric_position_survives_every_way_in_and_out() -> None:
    position = Position.from_moves(positions.FIVE_MOVES)
    assert position.to_text() == positions.FIVE_MOVES_TEXT
    assert Position.from_text(position.to_text()) == position
    rows = [line[2:17] for line in position.diagram()[1:9]]
    assert Position.from_text("\n".join(rows), default_side=WHITE) == position
    assert rows_of(position.legal_bitboard) == ["b3", "f3", "f4", "b5", "g5", "g6"]


def test_position_is_immutable_hashable_and_picklable() -> None:
    position = Position.from_moves("f5d6")
    with pytest.raises(AttributeError):
        position.side = WHITE  # type: ignore[misc]
    assert hash(position) == hash(Position.from_text(position.to_text()))
    assert position != position.swapped()
    assert len({position, Position.from_moves("f5d6"), position.swapped()}) == 2
    assert pickle.loads(pickle.dumps(position)) == position
    assert copy.deepcopy(position) == position
    assert eval(repr(position), {"Position": Position}) == position


def test_overlapping_or_oversized_bitboards_and_odd_sides_are_refused() -> None:
    with pytest.raises(PositionError, match="two discs on d3"):
        Position(positions.bits("a1 d3"), positions.bits("d3"))
    with pytest.raises(PositionError, match="64 bits"):
        Position(1 << 64, 0)
    with pytest.raises(PositionError, match="64 bits"):
        Position(0, -1)
    with pytest.raises(PositionError, match="BLACK or WHITE"):
        Position(0, 0, 2)


def test_diagram_shows_side_counts_pass_and_end() -> None:
    assert str(Position.start()).endswith("Black (X) to move, 2-2")
    assert str(Position.from_moves("f5")).endswith("White (O) to move, 4-1")
    assert str(Position.from_moves(positions.EARLIEST_PASS)).endswith("Black (X) to move, must pass, 8-4")
    assert str(Position.from_moves(positions.WIPE_OUT)).endswith("game over, 0-16")
    assert str(Position.start()).isascii()


def test_swapped_changes_the_turn_and_recoloured_the_colours() -> None:
    position = Position.from_moves(positions.FIVE_MOVES)
    assert position.swapped().to_text() == positions.FIVE_MOVES_TEXT[:65] + "X"
    swapped_colours = positions.FIVE_MOVES_TEXT.translate(str.maketrans("XO", "OX"))
    assert position.recoloured().to_text() == swapped_colours
    assert position.recoloured().legal_moves == position.legal_moves
    assert position.swapped().swapped() == position == position.recoloured().recoloured()


def test_importing_position_loads_neither_numba_nor_numpy() -> None:
    """NU-11: the parent process answers before anything heavy is loaded."""
    program = (
        "import sys\n"
        "import othello_engine.position, othello_engine.formats.boards\n"
        "import othello_engine.formats.transcript, othello_engine.formats.obf\n"
        "print(*{'numba', 'numpy', 'llvmlite'} & set(sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "\n", "")


# -- moves ---------------------------------------------------------------------------------------------------


def test_play_takes_names_in_any_case_and_indices() -> None:
    start = Position.start()
    assert start.play("d3") == start.play("D3") == start.play(parse_square("d3")) == start.play(19)
    after = start.play("d3")
    assert after.black == positions.bits("d3 d4 e4 d5")
    assert after.white == positions.bits("e5")
    assert after.side == WHITE


@pytest.mark.parametrize(
    ("text", "move", "reason"),
    [
        (positions.START_TEXT, "e4", "square occupied"),
        (positions.START_TEXT, "a1", "no disc turned"),
        (positions.START_TEXT, "pass", "a pass is not allowed while there is a move"),
        (positions.START_TEXT, PASS, "a pass is not allowed while there is a move"),
        (positions.START_TEXT, 65, "no such square"),
        (positions.START_TEXT, -1, "no such square"),
        (positions.START_TEXT, "i1", "neither a square nor a pass"),
        (positions.START_TEXT, "d9", "neither a square nor a pass"),
        (positions.START_TEXT, "", "neither a square nor a pass"),
        (positions.START_TEXT, "d3 ", "neither a square nor a pass"),
        (positions.START_TEXT, "d\u0663", "neither a square nor a pass"),
        (positions.EARLIEST_PASS_TEXT, "b4", "Black has no move and must pass"),
        (positions.NOBODY_CAN_MOVE + " X", "b1", "the game is over"),
        (positions.NOBODY_CAN_MOVE + " X", "pass", "the game is over"),
    ],
)
def test_an_illegal_move_is_refused_with_the_rule_it_breaks(text: str, move: str | int, reason: str) -> None:
    """RU-2, RU-3, RU-7."""
    with pytest.raises(IllegalMoveError) as caught:
        Position.from_text(text).play(move)
    assert str(caught.value).startswith(reason)
    assert str(caught.value).isascii()
    assert caught.value.index == 1
    if isinstance(move, str):
        assert caught.value.move == move


@pytest.mark.parametrize("spelling", ["pass", "pa", "ps", "--", "@@@@", "0000", "PASS", "Pa", PASS])
def test_a_forced_pass_is_taken_in_every_spelling(spelling: str | int) -> None:
    position = Position.from_text(positions.EARLIEST_PASS_TEXT)
    assert position.legal_moves == (PASS,)
    after = position.play(spelling)
    assert (after.black, after.white, after.side) == (position.black, position.white, WHITE)
    assert rows_of(after.legal_bitboard) == ["b4", "d6"]


def test_no_move_means_pass_and_not_the_end() -> None:
    """RU-1."""
    position = Position.from_moves(positions.PASS_AT_16)
    assert position.side == BLACK
    assert position.must_pass
    assert not position.is_over
    assert position.legal_moves == (PASS,)
    assert [square_name(move) for move in position.play("pass").legal_moves] == ["c3", "g3", "b4"]


def test_perft_after_a_forced_pass_counts_the_pass_as_a_ply() -> None:
    """RU-1."""
    board, colour = to_oracle(Position.from_moves(positions.PASS_AT_16))
    found = [oracle.perft(board, colour, depth) for depth in range(1, 6)]
    assert tuple(found) == positions.PASS_AT_16_PERFT[:5]
    assert [perft(Position.from_moves(positions.PASS_AT_16), depth) for depth in range(1, 7)] == list(
        positions.PASS_AT_16_PERFT[:6]
    )


def perft(position: Position, depth: int) -> int:
    if depth == 0 or position.is_over:
        return 1
    return sum(perft(position.play(move), depth - 1) for move in position.legal_moves)


def test_perft_from_the_start_by_the_position() -> None:
    """RU-7."""
    assert [perft(Position.start(), depth) for depth in range(1, 6)] == list(positions.START_PERFT[:5])


@pytest.mark.parametrize(("text", "black_score"), positions.FINISHED)
@pytest.mark.parametrize("side", [BLACK, WHITE])
def test_nobody_can_move_is_game_over_with_the_empties_to_the_winner(text: str, black_score: int, side: int) -> None:
    """RU-3, RU-4, RU-6, SE-1: full boards, empties left, one colour gone, no discs at all."""
    position = Position.from_text(text, default_side=side)
    assert position.is_over
    assert not position.must_pass
    assert position.legal_moves == ()
    assert position.final_score == (black_score if side == BLACK else -black_score)
    assert position.final_score == oracle.final_score(*to_oracle(position))


def test_a_running_game_has_no_final_score() -> None:
    with pytest.raises(PositionError, match="not over"):
        _ = Position.start().final_score
    with pytest.raises(PositionError, match="not over"):
        _ = Position.from_text(positions.EARLIEST_PASS_TEXT).final_score


@pytest.mark.parametrize(
    ("moves", "black_discs", "white_discs", "black_score"),
    [
        (positions.WIPE_OUT, 0, 16, -64),
        (positions.PASS_THEN_WIPE_OUT, 20, 0, 64),
        (positions.EARLY_END, 1, 24, -62),
        (positions.BLACK_WIPES_OUT, 13, 0, 64),
    ],
)
def test_early_ends(moves: str, black_discs: int, white_discs: int, black_score: int) -> None:
    """RU-3, RU-4, SE-1: wipe-outs and a dead position with 39 empties."""
    position = Position.from_moves(moves)
    assert position.is_over
    assert (position.black.bit_count(), position.white.bit_count()) == (black_discs, white_discs)
    assert position.final_score == (black_score if position.side == BLACK else -black_score)
    plain_difference = black_discs - white_discs
    assert position.disc_difference == (plain_difference if position.side == BLACK else -plain_difference)


@pytest.mark.parametrize("known", positions.SOLVED, ids=lambda known: known.name)
def test_small_endgames_have_their_known_values(known: positions.Known) -> None:
    """RU-5, SE-2: the oracle itself, solving through passes, agrees with independent programs."""
    board, colour = to_oracle(known.position)
    assert oracle.solve(board, colour) == known.score
    assert known.score not in known.slips
    if known.moves:
        found = {
            square_name(8 * row + column): score for (row, column), score in oracle.solve_moves(board, colour).items()
        }
        assert found == dict(known.moves)


def test_value_changes_sign_with_the_side_also_across_passes() -> None:
    """SE-2: value = -value(after best move); a side that must pass has minus the other's value."""
    for position in positions.late_positions(5, 40, SEED):
        board, colour = to_oracle(position)
        value = oracle.solve(board, colour)
        if position.must_pass:
            assert value == -oracle.solve(board, oracle.other(colour))
        elif position.is_over:
            assert value == position.final_score
        else:
            replies = [oracle.solve(*to_oracle(position.play(move))) for move in position.legal_moves]
            assert value == -min(replies)


def test_all_of_35_legal_moves_are_listed() -> None:
    """RU-11."""
    position = Position.from_text(positions.CROWDED)
    assert len(position.legal_moves) == len(oracle.moves(*to_oracle(position))) == 35
    assert all(position.play(move).n_empties == position.n_empties - 1 for move in position.legal_moves)


# -- against the oracle --------------------------------------------------------------------------------------


def assert_rules_agree(position: Position) -> None:
    board, colour = to_oracle(position)
    legal = 0
    for square in range(64):
        row, column = divmod(square, 8)
        turned = from_oracle(oracle.turned(board, colour, row, column))
        if board[row][column] == oracle.EMPTY:
            assert plain.flips(square, position.player, position.opponent) == turned, (position, square)
        if turned:
            legal |= 1 << square
    assert plain.legal_moves(position.player, position.opponent) == legal, position


def assert_play_agrees(position: Position, move: int) -> None:
    board, colour = to_oracle(position)
    after = oracle.play(board, colour, *divmod(move, 8))
    assert position.play(move).to_text() == f"{oracle.text_of(after)} {oracle.other(colour)}"


def test_plain_rules_equal_the_oracle_in_20000_positions_of_random_games() -> None:
    """RU-7: no wrap-around, all eight directions, nothing turned too much or too little."""
    for position in positions.random_positions(20_000, SEED):
        assert_rules_agree(position)


def test_plain_rules_equal_the_oracle_on_boards_no_game_reaches() -> None:
    for player, opponent in positions.random_bitboards(1500, SEED):
        assert_rules_agree(Position(player, opponent))


@pytest.mark.slow
def test_plain_rules_equal_the_oracle_in_many_more_positions() -> None:
    for position in positions.random_positions(60_000, SEED + 1):
        assert_rules_agree(position)
    for player, opponent in positions.random_bitboards(20_000, SEED + 1):
        assert_rules_agree(Position(player, opponent))


def test_play_equals_the_oracle() -> None:
    rng = random.Random(SEED)
    for position in positions.random_positions(1500, SEED):
        if position.legal_bitboard:
            assert_play_agrees(position, rng.choice(position.legal_moves))


@given(bitboards(), st.sampled_from([BLACK, WHITE]))
def test_rules_equal_the_oracle_whatever_the_board(boards: tuple[int, int], side: int) -> None:
    position = Position(*boards, side)
    assert_rules_agree(position)
    board, colour = to_oracle(position)
    assert position.is_over == oracle.is_over(board)
    assert position.must_pass == (not oracle.moves(board, colour) and bool(oracle.moves(board, oracle.other(colour))))
    assert plain.final_score(position.player, position.opponent) == oracle.final_score(board, colour)


def test_flips_stop_at_the_edges() -> None:
    """RU-7: h-file and a-file are no neighbours, rows don't continue into each other."""
    for player, opponent, square in wrap_around_traps():
        assert plain.flips(square, player, opponent) == 0
        assert not plain.legal_moves(player, opponent) >> square & 1


def wrap_around_traps() -> Iterator[tuple[int, int, int]]:
    """Boards on which a move is legal only for a generator whose rays run on over the edge."""
    for names in (
        ("a2", "h1", "g1"),  # along the rank, upward
        ("a2 a3", "h1 h2", "b1"),
        ("h1", "a2", "b2"),  # along the rank, downward
        ("b3", "a3", "h1"),  # rising and falling diagonals
        ("g1", "h2", "a4"),
        ("a8", "h6", "g5"),
        ("b1", "a1 h1", "a2"),
    ):
        yield positions.bits(names[0]), positions.bits(names[1]), parse_square(names[2])


def test_rays_reach_from_corner_to_corner() -> None:
    for first, last, between in (
        ("a1", "h1", "b1 c1 d1 e1 f1 g1"),
        ("a1", "a8", "a2 a3 a4 a5 a6 a7"),
        ("a1", "h8", "b2 c3 d4 e5 f6 g7"),
        ("a8", "h1", "b7 c6 d5 e4 f3 g2"),
        ("a8", "h8", "b8 c8 d8 e8 f8 g8"),
        ("h1", "h8", "h2 h3 h4 h5 h6 h7"),
    ):
        for here, there in ((first, last), (last, first)):
            player, opponent = positions.bits(here), positions.bits(between)
            assert plain.legal_moves(player, opponent) >> parse_square(there) & 1
            assert plain.flips(parse_square(there), player, opponent) == opponent


@given(bitboards())
def test_the_eight_symmetries_turn_moves_and_flips_along(boards: tuple[int, int]) -> None:
    """NU-2, RU-8."""
    player, opponent = boards
    legal = plain.legal_moves(player, opponent)
    for index in range(8):
        p, o = positions.image(player, index), positions.image(opponent, index)
        assert plain.legal_moves(p, o) == positions.image(legal, index)
        for square in range(64):
            if not (player | opponent) >> square & 1:
                there = positions.image(1 << square, index).bit_length() - 1
                turned = plain.flips(square, player, opponent)
                assert plain.flips(there, p, o) == positions.image(turned, index)


# -- whole games ---------------------------------------------------------------------------------------------


@given(played())
def test_a_pass_is_legal_exactly_when_only_the_other_side_can_move(steps: list[tuple[int, Position]]) -> None:
    """RU-2."""
    for _, position in steps:
        own, their = position.legal_bitboard, position.swapped().legal_bitboard
        assert (PASS in position.legal_moves) == (not own and bool(their)) == position.must_pass
        assert position.is_over == (not own and not their)
        try:
            position.play(PASS)
        except IllegalMoveError:
            assert not position.must_pass
        else:
            assert position.must_pass


def test_every_listed_move_is_accepted_and_no_other() -> None:
    for position in positions.random_positions(400, SEED):
        accepted = []
        for move in range(PASS + 2):
            try:
                position.play(move)
            except IllegalMoveError:
                continue
            accepted.append(move)
        assert tuple(accepted) == position.legal_moves


def test_a_move_keeps_discs_disjoint_adds_one_and_changes_the_side() -> None:
    for position in positions.random_positions(1500, SEED):
        for move in position.legal_moves:
            after = position.play(move)
            assert after.player & after.opponent == 0
            assert after.n_empties == position.n_empties - (move != PASS)
            assert after.side == 1 - position.side
            assert position.opponent & ~after.player == after.opponent & ~position.player & ~(1 << move)


def test_undo_and_redo_across_passes_are_exact_inverses() -> None:
    """RU-10: history stores the passes; going back and forth gives the same boards, sides and moves."""
    rng = random.Random(SEED)
    n_passes = 0
    for _ in range(40):
        game = positions.random_game(rng, squeeze=0.5)
        moves = positions.moves_of(game)
        n_passes += moves.count(PASS)
        history = [Position.start()] + [after for _, after in Position.start().follow(map(square_name, moves))]
        assert history == game
        hashes = [hash_of_game(history[: n + 1]) for n in range(len(history))]
        undone = list(history)
        for n in reversed(range(1, len(history))):
            undone.pop()
            assert hash_of_game(undone) == hashes[n - 1]
        for n, move in enumerate(moves, 1):
            undone.append(undone[-1].play(move))
            assert hash_of_game(undone) == hashes[n]
    assert n_passes > 20


@given(played())
def test_a_game_without_its_passes_reads_like_the_game_with_them(steps: list[tuple[int, Position]]) -> None:
    moves = [move for move, _ in steps]
    written = "".join("pa" if move == PASS else square_name(move) for move in moves)
    assert Position.start().follow(written) == steps
    while steps and steps[-1][0] == PASS:  # a pass at the very end is not implied by a following move
        steps = steps[:-1]
    silent = "".join(square_name(move) for move, _ in steps if move != PASS)
    assert Position.start().follow(silent) == steps


def test_from_moves_of_nothing_is_the_start() -> None:
    """RU-9: no memory of an earlier position, no special case."""
    Position.from_text(positions.FIVE_MOVES_TEXT)
    assert Position.from_moves("") == Position.from_moves([]) == Position.start()
    assert Position.start().side == BLACK
    assert len(Position.start().legal_moves) == 4


def test_from_text_without_a_side_takes_the_default_only_if_there_is_one() -> None:
    board = positions.FIVE_MOVES_TEXT[:64]
    assert Position.from_text(board, WHITE) == Position.from_moves(positions.FIVE_MOVES)
    assert Position.from_text(board + "X", WHITE).side == BLACK
    with pytest.raises(BoardError, match="no side to move"):
        Position.from_text(board)
