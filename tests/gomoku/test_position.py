"""GomokuPosition against rules that look at whole lines of text, and what goes wrong with boards elsewhere."""

from __future__ import annotations

import copy
import doctest
import pickle
import random
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from othello_engine.errors import BoardError, IllegalMoveError, PositionError
from othello_engine.gomoku import position as module
from othello_engine.gomoku.position import (
    BLOCKED,
    EMPTY,
    LARGEST,
    NO_CELL,
    SMALLEST,
    STONES,
    USUAL_SIZE,
    GomokuPosition,
    cell_name,
    parse_cell,
    scan_cells,
)
from othello_engine.types import BLACK, WHITE

SEED = 20261130
SIZES = range(SMALLEST, LARGEST + 1)
SYMBOLS = "-XO#"

STATES = [
    # moves from the empty board of 15, what they lead to, and the point of it; checked by two independent scanners
    ("e8a1f8a2g8a3h8a5i8", "over B", "five in a row, row"),
    ("h4a1h5a2h6a3h7a5h8", "over B", "five, column"),
    ("c3a1d4a2e5a3f6a5g7", "over B", "five, main diagonal (x+1,y+1)"),
    ("k4a1j5a2i6a3h7a5g8", "over B", "five, anti-diagonal (x-1,y+1)"),
    ("e8a1f8a2g8a3i8a5j8c1h8", "over B", "six in a row still wins in freestyle"),
    ("e1h8d2h9c3i8b4i10a5", "over B", "anti-diagonal from top edge to left edge"),
    ("o11a1n12a2m13a3l14a5k15", "over B", "anti-diagonal at the bottom right corner region"),
    ("k11a1l12a2m13a3n14a5o15", "over B", "main diagonal that ends in the corner o15"),
    ("h8e8h9f8h11g8i12h5a1i5b1j5c1k5d1", "ongoing", "no five for either side"),
    ("n1h8o1h9a2i8b2i10c2", "ongoing", "row wrap: linear cells 13,14,15,16,17"),
    ("n1h8o2h9a4i8b5i10c6", "ongoing", "diagonal wrap: linear cells 13,29,45,61,77 (stride 16)"),
    ("a2h8o2h9n3i8m4i10l5", "ongoing", "anti-diagonal wrap: linear cells 15,29,43,57,71 (stride 14)"),
    ("a1e8b1f8c1g8d1h8f1i8", "over W", "white five made by the last move"),
    ("l1h8m1h9n1i8o1i10a2", "ongoing", "row wrap with four at the end of row 1: cells 11..15"),
]


# --- a slow twin


def lines(board: str, size: int) -> list[str]:
    """Every row, column and diagonal as text."""
    rows = [board[i * size : (i + 1) * size] for i in range(size)]
    columns = ["".join(row[i] for row in rows) for i in range(size)]
    diagonals = []
    for offset in range(1 - size, size):
        diagonals.append("".join(rows[i][i - offset] for i in range(size) if 0 <= i - offset < size))
        diagonals.append("".join(rows[i][size - 1 - (i - offset)] for i in range(size) if 0 <= i - offset < size))
    return rows + columns + diagonals


def plain_winner(board: str, size: int) -> int | None:
    for side, symbol in enumerate("XO"):
        if any(5 * symbol in line for line in lines(board, size)):
            return side
    return None


def plain_play(board: str, size: int, names: list[str]) -> str:
    """The board after moves that are known to be legal, black first."""
    cells = list(board)
    for index, name in enumerate(names):
        column, row = "abcdefghijklmnopqrst".index(name[0]), int(name[1:]) - 1
        assert cells[row * size + column] == "-"
        cells[row * size + column] = "XO"[index % 2]
    return "".join(cells)


def text_of(position: GomokuPosition) -> str:
    return "".join(SYMBOLS[cell] for cell in position.cells)


def check(position: GomokuPosition) -> None:
    """Everything that the rules say, against the twin."""
    board = text_of(position)
    winner = plain_winner(board, position.size)
    assert position.winner == winner
    assert position.is_over == (winner is not None or "-" not in board)
    empty = tuple(cell for cell, symbol in enumerate(board) if symbol == "-")
    assert position.legal_moves == (empty if winner is None else ())
    assert position.n_empties == board.count("-")
    assert [position.n_stones(side) for side in (BLACK, WHITE)] == [board.count("X"), board.count("O")]


@st.composite
def boards(draw: st.DrawFn) -> GomokuPosition:
    """Any board, mostly of small sizes and full of runs, as chance alone makes few rows of five."""
    size = draw(st.sampled_from(SIZES))
    runs = draw(st.lists(st.tuples(st.sampled_from(SYMBOLS), st.integers(1, 6)), min_size=1, max_size=80))
    board = "".join(symbol * n for symbol, n in runs)
    board = (board * (size * size // len(board) + 1))[: size * size]
    if draw(st.booleans()):  # the same by columns
        board = "".join(board[i::size] for i in range(size))
    return GomokuPosition(size, bytes(SYMBOLS.index(symbol) for symbol in board), draw(st.sampled_from((BLACK, WHITE))))


# --- rules


@pytest.mark.parametrize(("moves", "state", "point"), STATES, ids=[f"st{i:02}" for i in range(1, len(STATES) + 1)])
def test_a_game_is_over_with_five_in_a_row_and_no_sooner(moves: str, state: str, point: str) -> None:
    position = GomokuPosition.from_moves(moves)
    assert position.winner == {"over B": BLACK, "over W": WHITE, "ongoing": None}[state], point
    assert position.is_over is (state != "ongoing")
    assert text_of(position) == plain_play("-" * 225, 15, scan_cells(moves))
    check(position)


@pytest.mark.parametrize("size", SIZES)
def test_every_row_of_five_wins_wherever_it_lies(size: int) -> None:
    """And the four of it don't, whichever stone is missing."""
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        n = 0
        for row in range(size):
            for column in range(size):
                places = [(row + i * down, column + i * right) for i in range(5)]
                if not all(0 <= r < size and 0 <= c < size for r, c in places):
                    continue
                n += 1
                cells = bytearray(size * size)
                for r, c in places:
                    cells[r * size + c] = STONES[WHITE]
                assert GomokuPosition(size, bytes(cells)).winner == WHITE
                if n % 7 == 0:
                    r, c = places[n % 5]
                    cells[r * size + c] = EMPTY
                    four = GomokuPosition(size, bytes(cells), WHITE)
                    assert four.winner is None
                    assert four.play(r * size + c).winner == WHITE
                    assert four.with_side(BLACK).play(r * size + c).winner is None
        assert n == (size - 4) * (size - 4 if down and right else size)


@given(boards())
def test_any_board_is_judged_as_line_by_line(position: GomokuPosition) -> None:
    check(position)
    assert GomokuPosition.from_text(position.to_text()) == position


@pytest.mark.parametrize("size", [SMALLEST, 13, USUAL_SIZE, LARGEST])
def test_random_games_are_judged_as_line_by_line(size: int) -> None:
    source = random.Random(SEED + size)
    n_over = 0
    for _ in range(3):
        position = GomokuPosition.start(size)
        names: list[str] = []
        # near the corner, so that rows are made, and with some cells that nobody may play on
        region = [row * size + column for row in range(8) for column in range(8)]
        source.shuffle(region)
        for cell in region:
            if position.is_over:
                n_over += 1
                break
            position = position.play(cell)
            names.append(cell_name(cell, size))
            check(position)
        assert text_of(position) == plain_play("-" * size**2, size, names)
        assert position == GomokuPosition.from_moves("".join(names), size)
        assert position.side == len(names) % 2
    assert n_over


def test_more_than_five_win_too() -> None:
    position = GomokuPosition.from_moves("c8c9d8e9e8g9g8g10h8h10i8i7f8")
    assert position.winner == BLACK
    assert "XXXXXXX" in text_of(position)


def test_a_blocked_cell_is_nobodys_and_breaks_a_row() -> None:
    board = "-" * 105 + "XX#XXX---------" + "-" * 105
    position = GomokuPosition.from_text(board, BLACK)
    assert position.winner is None
    assert position.cells[107] == BLOCKED
    assert 107 not in position.legal_moves
    assert position.n_empties == 219
    with pytest.raises(IllegalMoveError, match=r"not an empty cell \(c8\)"):
        position.play("c8")
    assert position.play("g8").winner is None  # four, and the two beyond the block don't count
    assert position.play("g8").with_side(BLACK).play("h8").winner == BLACK
    assert position.to_text() == f"{board} X"


def test_a_full_board_without_a_five_is_a_draw() -> None:
    size = SMALLEST
    pattern = "".join("XO"[(column // 2 + row) % 2] for row in range(size) for column in range(size))
    assert plain_winner(pattern, size) is None
    last = GomokuPosition.from_text("-" + pattern[1:], BLACK)
    assert last.legal_moves == (0,)
    assert not last.is_over
    end = last.play(0)
    assert (end.is_over, end.winner, end.legal_moves, end.n_empties) == (True, None, (), 0)
    assert end.diagram()[-1].startswith("game over, a draw")
    blocked = GomokuPosition.from_text("#" + pattern[1:], BLACK)
    assert (blocked.is_over, blocked.winner) == (True, None)


def test_nothing_is_played_after_a_five() -> None:
    position = GomokuPosition.from_moves("e8a1f8a2g8a3h8a5i8")
    assert position.legal_moves == ()
    with pytest.raises(IllegalMoveError, match=r"the game is over \(j8\)"):
        position.play("j8")
    with pytest.raises(IllegalMoveError, match=r"the game is over \(move 10: a6\)"):
        GomokuPosition.from_moves("e8a1f8a2g8a3h8a5i8a6")


def test_of_a_board_with_two_fives_black_is_the_winner() -> None:
    """Only a board that was set up can have them."""
    both = GomokuPosition.from_text("OOOOO-----" + "-" * 10 + "XXXXX-----" + "-" * 70, WHITE)
    assert both.winner == BLACK == plain_winner(text_of(both), 10)
    white_alone = GomokuPosition.from_text("OOOOO-----" + "-" * 10 + "XXXX------" + "-" * 70, WHITE)
    assert white_alone.winner == WHITE


# --- moves


@pytest.mark.parametrize("size", SIZES)
def test_names_of_cells_go_both_ways(size: int) -> None:
    names = [cell_name(cell, size) for cell in range(size * size)]
    assert names == [f"{'abcdefghijklmnopqrst'[column]}{row + 1}" for row in range(size) for column in range(size)]
    for cell, name in enumerate(names):
        assert parse_cell(name, size) == parse_cell(name.upper(), size) == cell
    assert scan_cells("".join(names)) == names
    assert scan_cells(", ".join(names)) == names


def test_the_first_name_is_the_column() -> None:
    """Swapped coordinates are not seen on symmetric boards."""
    assert parse_cell("h10", 15) == 9 * 15 + 7
    assert GomokuPosition.start().play("h10").cells[9 * 15 + 7] == STONES[BLACK]
    assert cell_name(NO_CELL, 15) == GomokuPosition.start().move_name(NO_CELL) == "none"
    for cell in (-2, 225):
        with pytest.raises(ValueError, match=f"no such cell: {cell}"):
            cell_name(cell, 15)


@pytest.mark.parametrize(
    "text", ["", "h", "8", "h0", "h08", "h16", "p1", "h8 ", "h8i9", "8h", "\u0661", "h\u0661", "h-1"]
)
def test_what_is_no_cell_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a cell"):
        parse_cell(text, 15)
    with pytest.raises(IllegalMoveError, match="no cell of this board") as error:
        GomokuPosition.start().play(text)
    assert error.value.move == text


def test_moves_that_are_not_allowed_are_named_with_their_place() -> None:
    start = GomokuPosition.start()
    for move in (NO_CELL, 225):
        with pytest.raises(IllegalMoveError, match=f"no cell of this board \\({move}\\)"):
            start.play(move)
    with pytest.raises(IllegalMoveError, match=r"not an empty cell \(h8\)"):
        start.play("h8").play("h8")
    for moves, index, name in (
        ("h8i9h8", 3, "h8"),
        ("h8 i9 p1", 3, "p1"),
        (["h8", "zz"], 2, "zz"),
        ("h8 pass", 2, "pass"),
    ):
        with pytest.raises(IllegalMoveError, match=rf"\(move {index}: {name}\)") as error:
            start.follow(moves)
        assert (error.value.index, error.value.move) == (index, name)


def test_moves_are_read_in_every_spelling() -> None:
    expected = GomokuPosition.start().play("h8").play("i10").play("g6")
    for moves in ("h8i10g6", "H8I10G6", "h8 i10 g6", "h8,i10, g6", " h8\ti10\ng6 ", ["h8", "i10", "g6"]):
        assert GomokuPosition.from_moves(moves) == expected
    assert [cell_name(cell, 15) for cell, _ in GomokuPosition.start().follow("h8i10g6")] == ["h8", "i10", "g6"]
    assert GomokuPosition.start().follow("") == []
    assert GomokuPosition.from_moves("", 12) == GomokuPosition.start(12)
    assert GomokuPosition.start().play(112) == GomokuPosition.start().play("h8")


# --- boards as text


@given(boards(), st.randoms(use_true_random=False))
def test_boards_are_read_in_every_spelling(position: GomokuPosition, source: random.Random) -> None:
    spellings = {EMPTY: "-._", STONES[BLACK]: "Xx*Bb", STONES[WHITE]: "OoWw", BLOCKED: "#"}
    symbols = [source.choice(spellings[cell]) for cell in position.cells]
    size = position.size
    rows = ["".join(symbols[i * size : (i + 1) * size]) for i in range(size)]
    side = source.choice(["XxBb*", "OoWw"][position.side])
    word = ["black", "White"][position.side]
    for text in (
        f"{''.join(symbols)} {side}",
        f"{''.join(symbols)} {word}",
        f"{''.join(rows)}{side}",
        "\n".join([*rows, side]),
        " ".join([*symbols, side]),
    ):
        assert GomokuPosition.from_text(text) == position
    for text in ("".join(symbols), "\n".join(rows)):
        assert GomokuPosition.from_text(text, position.side) == position


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("", "0 cells are no square of 10 to 20", 1),
        ("-" * 99 + " X", "99 cells are no square of 10 to 20", 102),
        ("-" * 81 + " X", "81 cells are no square", 84),
        ("-" * 441 + " X", "441 cells are no square", 444),
        ("-" * 64 + " X", "64 cells", 67),
        ("-" * 100, "no side to move behind the board", 101),
        ("-" * 100 + "-", "'-' is no side to move", 101),
        ("-" * 50 + "?" + "-" * 49 + " X", "'?' is no cell", 51),
        ("-" * 50 + "\u00e9" + "-" * 49 + " X", r"'\xe9' is no cell", 51),
        ("-" * 101 + " X", "101 cells are no square", 104),
    ],
)
def test_a_board_that_cannot_be_read_is_named_with_its_column(text: str, message: str, column: int) -> None:
    with pytest.raises(BoardError) as error:
        GomokuPosition.from_text(text)
    assert message in str(error.value)
    assert error.value.column == column
    assert str(error.value).isascii()


@given(st.text(alphabet="XO-#?x \n1", max_size=450))
def test_no_text_does_anything_but_be_read_or_refused(text: str) -> None:
    try:
        position = GomokuPosition.from_text(text)
    except BoardError as error:
        column = error.column
    else:
        assert GomokuPosition.from_text(position.to_text()) == position
        return
    assert 0 <= column <= len(text) + 1


# --- values


@pytest.mark.parametrize(
    ("size", "cells", "side", "message"),
    [
        (9, bytes(81), BLACK, "10 to 20 cells on a side, not 9"),
        (21, bytes(441), BLACK, "10 to 20 cells on a side, not 21"),
        (15, bytes(224), BLACK, "needs 225 cells of 0 to 3"),
        (15, bytes(224) + b"\x04", BLACK, "needs 225 cells of 0 to 3"),
        (15, bytes(225), 2, "BLACK or WHITE"),
    ],
)
def test_what_is_no_position_is_refused(size: int, cells: bytes, side: int, message: str) -> None:
    with pytest.raises(PositionError, match=message):
        GomokuPosition(size, cells, side)


def test_positions_are_values() -> None:
    one, other = (GomokuPosition.from_moves("h8i9") for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)
    assert one != one.with_side(WHITE)
    assert one.with_side(WHITE).with_side(BLACK) == one
    assert GomokuPosition.start(12) != GomokuPosition.start(13)
    for same in (pickle.loads(pickle.dumps(one)), copy.deepcopy(one), eval(repr(one))):
        assert same == one
    won = GomokuPosition.from_moves("e8a1f8a2g8a3h8a5i8")
    for same in (pickle.loads(pickle.dumps(won)), copy.deepcopy(won), eval(repr(won))):
        assert same.winner == BLACK
    with pytest.raises(AttributeError):
        one.side = WHITE  # type: ignore[misc]
    assert (GomokuPosition.start().size, GomokuPosition.start().side) == (USUAL_SIZE, BLACK)
    assert not any(GomokuPosition.start(20).cells)


def test_a_diagram_can_be_checked_by_eye() -> None:
    position = GomokuPosition.from_moves("c1b10", 10)
    assert position.diagram() == [
        "   a b c d e f g h i j",
        " 1 - - X - - - - - - - 1",
        *[f" {row} - - - - - - - - - - {row}" for row in range(2, 10)],
        "10 - O - - - - - - - - 10",
        "   a b c d e f g h i j",
        "Black (X) to move, 1-1",
    ]
    assert str(position) == "\n".join(position.diagram())
    assert GomokuPosition.from_moves("e8a1f8a2g8a3h8a5i8").diagram()[-1] == "game over, Black wins, 5-4"


def test_examples_in_the_documentation_are_true() -> None:
    found = doctest.testmod(module)
    assert found.attempted
    assert not found.failed


def test_the_module_needs_no_numba() -> None:
    code = "import sys, othello_engine.gomoku.position; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
