"""The rules of Othello and both evaluations, written to be obvious. Nothing here comes from the engine.

A board is a list of eight rows (row 1 first), each of eight characters: `X` black, `O` white, `-` empty.
A square is (row, column), both from 0. The kernels and their plain twins are tested against this file, so it
shares no code, no tables and no tricks with them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

BLACK, WHITE, EMPTY = "X", "O", "-"

Board = list[list[str]]
Square = tuple[int, int]

DIRECTIONS = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]
ALL_SQUARES = [(row, column) for row in range(8) for column in range(8)]
CORNERS = [(0, 0), (0, 7), (7, 0), (7, 7)]


# -- boards --------------------------------------------------------------------------------------------------


def board_of(text: str) -> Board:
    """The board of 64 characters, a1 first."""
    assert len(text) == 64
    assert set(text) <= {BLACK, WHITE, EMPTY}
    return [list(text[8 * row : 8 * row + 8]) for row in range(8)]


def text_of(board: Board) -> str:
    return "".join("".join(row) for row in board)


def board_of_bits(black: int, white: int) -> Board:
    """From two integers whose bit 8 * row + column is a disc."""
    board = [[EMPTY] * 8 for _ in range(8)]
    for row, column in ALL_SQUARES:
        bit = 2 ** (8 * row + column)
        if black & bit:
            board[row][column] = BLACK
        if white & bit:
            assert not black & bit
            board[row][column] = WHITE
    return board


def bits_of(squares: list[Square]) -> int:
    """The integer whose bit 8 * row + column is set for each square."""
    return sum(2 ** (8 * row + column) for row, column in squares)


def discs(board: Board, colour: str) -> list[Square]:
    return [(row, column) for row, column in ALL_SQUARES if board[row][column] == colour]


def other(colour: str) -> str:
    return {BLACK: WHITE, WHITE: BLACK}[colour]


def on_board(row: int, column: int) -> bool:
    return 0 <= row <= 7 and 0 <= column <= 7


# -- rules ---------------------------------------------------------------------------------------------------


def turned(board: Board, colour: str, row: int, column: int) -> list[Square]:
    """The discs that `colour` turns by playing here; none if the square is taken or no disc is outflanked."""
    if board[row][column] != EMPTY:
        return []
    result = []
    for row_step, column_step in DIRECTIONS:
        run = []
        r, c = row + row_step, column + column_step
        while on_board(r, c) and board[r][c] == other(colour):
            run.append((r, c))
            r, c = r + row_step, c + column_step
        if on_board(r, c) and board[r][c] == colour:
            result += run
    return sorted(result)


def moves(board: Board, colour: str) -> list[Square]:
    """The squares `colour` may play, in the order of the board."""
    return [(row, column) for row, column in ALL_SQUARES if turned(board, colour, row, column)]


def play(board: Board, colour: str, row: int, column: int) -> Board:
    """A board on which `colour` has played here."""
    result = [list(each) for each in board]
    for r, c in turned(board, colour, row, column):
        result[r][c] = colour
    result[row][column] = colour
    return result


def is_over(board: Board) -> bool:
    return not moves(board, BLACK) and not moves(board, WHITE)


def final_score(board: Board, colour: str) -> int:
    """Disc difference for `colour`; the winner also gets the empty squares."""
    own, their = len(discs(board, colour)), len(discs(board, other(colour)))
    empty = 64 - own - their
    if own > their:
        return own + empty - their
    if own < their:
        return own - their - empty
    return 0


def perft(board: Board, colour: str, depth: int, pass_costs_a_ply: bool = True) -> int:
    """Leaves of the game tree at `depth`; a finished game is one leaf at any depth."""
    if depth == 0:
        return 1
    own_moves = moves(board, colour)
    if own_moves:
        return sum(
            perft(play(board, colour, row, column), other(colour), depth - 1, pass_costs_a_ply)
            for row, column in own_moves
        )
    if not moves(board, other(colour)):
        return 1
    return perft(board, other(colour), depth - 1 if pass_costs_a_ply else depth, pass_costs_a_ply)


def solve(board: Board, colour: str) -> int:
    """The final score for `colour` when both sides play perfectly: full-width negamax without any cut."""
    own_moves = moves(board, colour)
    if own_moves:
        return max(-solve(play(board, colour, row, column), other(colour)) for row, column in own_moves)
    if moves(board, other(colour)):
        return -solve(board, other(colour))
    return final_score(board, colour)


def solve_moves(board: Board, colour: str) -> dict[Square, int]:
    """The value of every legal move for `colour`."""
    return {
        (row, column): -solve(play(board, colour, row, column), other(colour)) for row, column in moves(board, colour)
    }


# -- stability -----------------------------------------------------------------------------------------------


def never_turned(board: Board) -> list[Square]:
    """Discs that keep their colour in every continuation, whoever moves, turns taken in any order.

    Stricter than the game, where the sides alternate. Only for boards with few empties.
    """
    safe = {square for square in ALL_SQUARES if board[square[0]][square[1]] != EMPTY}
    seen = set()
    waiting = [board]
    while waiting:
        current = waiting.pop()
        if text_of(current) in seen:
            continue
        seen.add(text_of(current))
        safe = {(row, column) for row, column in safe if current[row][column] == board[row][column]}
        for colour in (BLACK, WHITE):
            waiting += [play(current, colour, row, column) for row, column in moves(current, colour)]
    return sorted(safe)


@cache
def never_turned_on_edge(edge: str) -> str:
    """The edge's eight squares with `-` in place of each disc that some sequence of moves can turn.

    Either colour may put a disc on any empty square, since discs off the edge can make any move legal; discs
    outflanked along the edge are turned.
    """
    kept = edge
    for place in range(8):
        if edge[place] != EMPTY:
            continue
        for colour in (BLACK, WHITE):
            after = list(edge)
            after[place] = colour
            for step in (-1, 1):
                run = []
                at = place + step
                while 0 <= at < 8 and edge[at] == other(colour):
                    run.append(at)
                    at += step
                if 0 <= at < 8 and edge[at] == colour:
                    for each in run:
                        after[each] = colour
            later = never_turned_on_edge("".join(after))
            kept = "".join(old if old == still else EMPTY for old, still in zip(kept, later, strict=True))
    return kept


# -- classic evaluation --------------------------------------------------------------------------------------

CLASSIC_TABLE = [
    [120, -40, 20, 5, 5, 20, -40, 120],
    [-40, -80, -5, -5, -5, -5, -80, -40],
    [20, -5, 15, 3, 3, 15, -5, 20],
    [5, -5, 3, 3, 3, 3, -5, 5],
    [5, -5, 3, 3, 3, 3, -5, 5],
    [20, -5, 15, 3, 3, 15, -5, 20],
    [-40, -80, -5, -5, -5, -5, -80, -40],
    [120, -40, 20, 5, 5, 20, -40, 120],
]
CLASSIC_WEIGHTS = {
    "material": 12,
    "positional": 10,
    "mobility": 90,
    "corners": 800,
    "frontier": -18,
    "parity": 55,
    "danger": -220,
    "stable": 140,
}
CLASSIC_PARITY_EMPTIES = 16


def beside(row: int, column: int) -> list[Square]:
    """The squares beside a square, up to eight."""
    return [(row + r, column + c) for r, c in DIRECTIONS if on_board(row + r, column + c)]


def frontier(board: Board, colour: str) -> list[Square]:
    """Discs that touch an empty square."""
    return [
        (row, column)
        for row, column in discs(board, colour)
        if any(board[r][c] == EMPTY for r, c in beside(row, column))
    ]


def in_danger(board: Board, colour: str) -> list[Square]:
    """Discs on the squares beside an empty corner: one X-square and two C-squares each."""
    return [
        square
        for row, column in CORNERS
        if board[row][column] == EMPTY
        for square in beside(row, column)
        if board[square[0]][square[1]] == colour
    ]


def grown_from_corners(board: Board, colour: str) -> list[Square]:
    """The classic evaluation's stable discs: what grows outward from the corners of this colour.

    Seen from an owned corner a disc joins if the neighbour towards the corner supports it in its row, in its
    column and on the diagonal that leads that way, and if one of its neighbours on the other diagonal does.
    Off the board is support.
    """
    own_corners = [(row, column) for row, column in CORNERS if board[row][column] == colour]
    stable = set(own_corners)

    def supports(row: int, column: int) -> bool:
        return not on_board(row, column) or (row, column) in stable

    while True:
        joining = set()
        for corner_row, corner_column in own_corners:
            up = -1 if corner_row == 0 else 1
            left = -1 if corner_column == 0 else 1
            for row, column in discs(board, colour):
                if (
                    supports(row, column + left)
                    and supports(row + up, column)
                    and supports(row + up, column + left)
                    and (supports(row + up, column - left) or supports(row - up, column + left))
                ):
                    joining.add((row, column))
        if joining <= stable:
            return sorted(stable)
        stable |= joining


def classic_terms(board: Board, colour: str) -> dict[str, int]:
    """The eight differences of the classic evaluation, own minus other's, before their weights."""

    def difference(count: Callable[[str], int]) -> int:
        return count(colour) - count(other(colour))

    n_empty = len(discs(board, EMPTY))
    parity = 0
    if n_empty <= CLASSIC_PARITY_EMPTIES:
        parity = 1 if n_empty % 2 == 1 else -1
    return {
        "material": difference(lambda side: len(discs(board, side))),
        "positional": difference(lambda side: sum(CLASSIC_TABLE[r][c] for r, c in discs(board, side))),
        "mobility": difference(lambda side: len(moves(board, side))),
        "corners": difference(lambda side: sum(board[r][c] == side for r, c in CORNERS)),
        "frontier": difference(lambda side: len(frontier(board, side))),
        "parity": parity,
        "danger": difference(lambda side: len(in_danger(board, side))),
        "stable": difference(lambda side: len(grown_from_corners(board, side))),
    }


def classic_evaluation(board: Board, colour: str) -> int:
    """The classic evaluation for `colour`, whose turn it is."""
    return sum(CLASSIC_WEIGHTS[name] * value for name, value in classic_terms(board, colour).items())


# -- trained evaluation --------------------------------------------------------------------------------------

HIGHEST_ESTIMATE = 6399


def images(squares: list[Square]) -> list[list[Square]]:
    """The squares, in their order, under the eight symmetries of the board."""
    found = []
    for is_transposed in (False, True):
        for rows_are_mirrored in (False, True):
            for columns_are_mirrored in (False, True):
                image = []
                for row, column in squares:
                    if is_transposed:
                        row, column = column, row
                    if rows_are_mirrored:
                        row = 7 - row
                    if columns_are_mirrored:
                        column = 7 - column
                    image.append((row, column))
                found.append(image)
    return found


def instances(squares: list[Square]) -> list[list[Square]]:
    """One image for each set of squares that the symmetries make of these."""
    found: dict[frozenset[Square], list[Square]] = {}
    for image in images(squares):
        found.setdefault(frozenset(image), image)
    return list(found.values())


def reading(board: Board, colour: str, squares: list[Square]) -> int:
    """The squares as a number in base three, the first one last: 0 empty, 1 `colour`, 2 the other."""
    digits = {EMPTY: "0", colour: "1", other(colour): "2"}
    return int("".join(digits[board[row][column]] for row, column in reversed(squares)), 3)


def count_rows(board: Board, colour: str) -> dict[str, int]:
    """Which row of its own table each count picks."""

    def most(count: int, limit: int) -> int:
        return count if count < limit else limit - 1

    def empties_beside(side: str) -> int:
        return sum(any(board[r][c] == side for r, c in beside(*square)) for square in discs(board, EMPTY))

    empty = discs(board, EMPTY)
    odd_quadrants = 0
    for bit, (top, left) in ((1, (0, 0)), (2, (0, 4)), (4, (4, 0)), (8, (4, 4))):
        inside = [(r, c) for r, c in empty if top <= r < top + 4 and left <= c < left + 4]
        odd_quadrants += bit * (len(inside) % 2)
    return {
        "mobility": 32 * most(len(moves(board, colour)), 32) + most(len(moves(board, other(colour))), 32),
        "potential": 48 * most(empties_beside(other(colour)), 48) + most(empties_beside(colour), 48),
        "parity": odd_quadrants,
        "discs": 65 * (len(empty) % 2) + len(discs(board, colour)),
    }


@dataclass(frozen=True, slots=True)
class TrainedNetwork:
    """One network. hidden: for each unit, a weight for each element of the vector."""

    direct: list[int]
    hidden: list[list[int]]
    offset: list[int]
    output: list[int]
    last: int


def network_value(vector: list[int], network: TrainedNetwork) -> int:
    """Hundredths of a disc; 1024 stands for 1 in the vector, the hidden weights and the hidden units."""
    total = network.last
    for element, weight in zip(vector, network.direct, strict=True):
        total += element * weight
    for weights, offset, worth in zip(network.hidden, network.offset, network.output, strict=True):
        unit = offset + sum(max(element, 0) * weight for element, weight in zip(vector, weights, strict=True))
        total += max(unit // 1024, 0) * worth
    return total // 1024


def trained_evaluation(
    board: Board,
    colour: str,
    patterns: list[tuple[str, list[Square]]],
    row: Callable[[str, int], list[int]],
    network: Callable[[int], TrainedNetwork],
) -> int:
    """The trained evaluation for `colour`, whose turn it is.

    patterns: name of the table and squares of each place where a pattern is read; row: of the table of this name, which
    is a family's or a count's; network: the one for so many empty squares.
    """
    picked = [row(table, reading(board, colour, squares)) for table, squares in patterns]
    picked += [row(table, index) for table, index in count_rows(board, colour).items()]
    vector = [max(-32768, min(sum(elements), 32767)) for elements in zip(*picked, strict=True)]
    value = network_value(vector, network(len(discs(board, EMPTY))))
    return max(-HIGHEST_ESTIMATE, min(value, HIGHEST_ESTIMATE))
