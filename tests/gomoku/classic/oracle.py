"""The documented Gomoku engine written again to be obvious: rows of characters, every line looked at cell by cell.

A board is a list of rows; `X` and `O` are stones, `-` is empty, `#` blocked. Nothing here comes from the engine. Cells
are (row, column).
"""

from __future__ import annotations

from functools import cache

Board = list[list[str]]
Cell = tuple[int, int]

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
WIN, LOST_SO_FAR = 620_000_000, 500_000_000


def other(player: str) -> str:
    """The opponent of X or O."""
    return "O" if player == "X" else "X"


def at(board: Board, cell: Cell) -> str:
    """What a cell holds; off the board `#`."""
    row, column = cell
    inside = 0 <= row < len(board) and 0 <= column < len(board)
    return board[row][column] if inside else "#"


def step(cell: Cell, direction: Cell, n: int) -> Cell:
    """The cell `n` steps away."""
    return cell[0] + n * direction[0], cell[1] + n * direction[1]


def all_cells(board: Board) -> list[Cell]:
    """Every cell, row by row."""
    return [(row, column) for row in range(len(board)) for column in range(len(board))]


def empty_cells(board: Board) -> list[Cell]:
    """Every empty cell, row by row."""
    return [cell for cell in all_cells(board) if at(board, cell) == "-"]


def with_stone(board: Board, cell: Cell, player: str) -> Board:
    """A copy with one stone more."""
    copy = [list(row) for row in board]
    copy[cell[0]][cell[1]] = player
    return copy


def has_five(board: Board, player: str) -> bool:
    """True if five cells in a line are the player's."""
    return any(
        all(at(board, step(cell, direction, n)) == player for n in range(5))
        for cell in all_cells(board)
        for direction in DIRECTIONS
    )


def is_in_five(board: Board, cell: Cell) -> bool:
    """True if the stone on this cell is part of a row of five or more."""
    return any(row_through(board, cell, direction)[0] >= 5 for direction in DIRECTIONS)


def five_points(board: Board, player: str) -> list[Cell]:
    """Empty cells that give the player a five. The board has none yet."""
    return [cell for cell in empty_cells(board) if is_in_five(with_stone(board, cell, player), cell)]


def points_of_four(board: Board, cell: Cell, player: str) -> list[Cell]:
    """The five-points that a stone on this cell makes, when there were none: they lie at most four cells away."""
    after = with_stone(board, cell, player)
    near = {step(cell, direction, n) for direction in DIRECTIONS for n in range(-4, 5)}
    return [c for c in sorted(near) if at(after, c) == "-" and is_in_five(with_stone(after, c, player), c)]


def candidates(board: Board) -> list[Cell]:
    """The centre of a board without stones, else empty cells not further than two from a stone; all if none is left."""
    stones = [cell for cell in all_cells(board) if at(board, cell) in "XO"]
    if not stones:
        near = [(len(board) // 2, len(board) // 2)]
    else:
        near = [c for c in all_cells(board) if any(max(abs(c[0] - s[0]), abs(c[1] - s[1])) <= 2 for s in stones)]
    return [cell for cell in near if at(board, cell) == "-"] or empty_cells(board)


def window_score(board: Board, start: Cell, direction: Cell, player: str) -> int:
    """Value of the five cells from `start` on, as section "windows" of the profile's page has it."""
    cells = [at(board, step(start, direction, n)) for n in range(5)]
    if any(content not in (player, "-") for content in cells):
        return 0
    n_open = [at(board, step(start, direction, -1)), at(board, step(start, direction, 5))].count("-")
    if cells[0] == cells[4] == player and n_open == 2:
        n_open = 1
    match cells.count(player), n_open:
        case 5, _:
            return 50_000_000
        case 4, 2:
            return 12_000_000
        case 4, 1:
            return 8_000_000
        case 4, 0:
            return 4_000_000
        case 3, 2:
            return 1_500_000
        case 3, 1:
            return 450_000
        case 2, 2:
            return 45_000
    return 0


def pattern_score(length: int, n_open: int) -> int:
    """Value of a row without gaps."""
    if length >= 5:
        return 20_000_000
    table = {
        (4, 2): 3_200_000,
        (4, 1): 360_000,
        (3, 2): 110_000,
        (3, 1): 12_000,
        (2, 2): 3_500,
        (2, 1): 600,
        (1, 2): 80,
    }
    return table.get((length, n_open), 10)


def row_through(board: Board, cell: Cell, direction: Cell) -> tuple[int, int]:
    """(length, empty ends) of the row of equal stones through a stone."""
    player = at(board, cell)
    length, ends = 1, 0
    for sign in (1, -1):
        n = 1
        while at(board, step(cell, direction, sign * n)) == player:
            n += 1
        length += n - 1
        ends += at(board, step(cell, direction, sign * n)) == "-"
    return length, ends


def score_side(board: Board, player: str) -> int:
    """All rows and all windows."""
    score = 0
    for cell in all_cells(board):
        for direction in DIRECTIONS:
            score += window_score(board, cell, direction, player)
            if at(board, cell) == player and at(board, step(cell, direction, -1)) != player:
                score += pattern_score(*row_through(board, cell, direction))
    return score


def evaluate(board: Board, player: str) -> int:
    """Static value for the player to move."""
    value = score_side(board, player) - score_side(board, other(player))
    return max(-490_000_000, min(490_000_000, value))


def windows_through(board: Board, cell: Cell, direction: Cell, player: str) -> list[tuple[int, int]]:
    """(stones, score) of the five windows that hold the cell; no stones if somebody else's is there."""
    found = []
    for back in range(5):
        start = step(cell, direction, -back)
        cells = [at(board, step(start, direction, n)) for n in range(5)]
        clean = all(content in (player, "-") for content in cells)
        found.append((cells.count(player) if clean else 0, window_score(board, start, direction, player)))
    return found


def threats(board: Board, cell: Cell, player: str) -> tuple[int, int, int, int, bool]:
    """(sum of the windows, fork bonus, lines with a four, lines with an open three, is it a five) after a stone."""
    after = with_stone(board, cell, player)
    lines = [windows_through(after, cell, direction, player) for direction in DIRECTIONS]
    fours = sum(1 for line in lines if any(stones == 4 for stones, _ in line) and all(stones < 5 for stones, _ in line))
    threes = sum(
        1
        for line in lines
        if all(stones < 4 for stones, _ in line) and any(stones == 3 and score == 1_500_000 for stones, score in line)
    )
    fork = 0
    if fours >= 2:
        fork = 18_000_000
    elif fours == 1 and threes >= 1:
        fork = 9_000_000
    elif threes >= 2:
        fork = 4_500_000
    return sum(score for line in lines for _, score in line), fork, fours, threes, has_five(after, player)


def order(board: Board, cell: Cell, player: str) -> tuple[int, int]:
    """(tier from 8 down to 0, documented score) of a move."""
    attack_threat, attack_fork, own_fours, own_threes, own_five = threats(board, cell, player)
    defend_threat, defend_fork, foe_fours, foe_threes, foe_five = threats(board, cell, other(player))
    tiers = [
        (own_five, 40_000_000),
        (foe_five, 35_000_000),
        (own_fours > 0, 34_000_000 + attack_threat + attack_fork),
        (foe_fours > 0, 30_000_000 + defend_threat + defend_fork),
        (attack_fork >= 4_500_000, 22_000_000 + attack_threat + attack_fork),
        (defend_fork >= 4_500_000, 18_000_000 + defend_threat + defend_fork),
        (own_threes > 0, 11_000_000 + attack_threat + attack_fork),
        (foe_threes > 0, 7_000_000 + defend_threat + defend_fork),
    ]
    for index, (holds, score) in enumerate(tiers):
        if holds:
            return 8 - index, score
    attack, defend = (
        sum(pattern_score(*row_through(with_stone(board, cell, who), cell, direction)) for direction in DIRECTIONS)
        for who in (player, other(player))
    )
    middle = len(board) // 2
    centre = max(0, 2 * middle - abs(cell[0] - middle) - abs(cell[1] - middle))
    quiet = centre + 8 * attack + 4 * defend + 3 * attack_threat + 2 * defend_threat + attack_fork + defend_fork // 2
    return 0, quiet


def ranked(board: Board, player: str) -> list[Cell]:
    """Candidates, best first; of equal ones the first of the board."""
    keys = {cell: order(board, cell, player) for cell in candidates(board)}
    return sorted(keys, key=lambda cell: (*(-part for part in keys[cell]), cell))


def negamax(board: Board, player: str, depth: int, ply: int) -> int:
    """Value for the player to move, `ply` plies from the root, by looking at everything."""
    if has_five(board, other(player)):
        return -(WIN - (ply - 1))
    if depth == 0:
        return evaluate(board, player)
    moves = ranked(board, player)
    if not moves:
        return evaluate(board, player)
    values = []
    wins = [cell for cell in moves if has_five(with_stone(board, cell, player), player)]
    blocks = [cell for cell in moves if has_five(with_stone(board, cell, other(player)), other(player))]
    if wins or blocks:
        moves = wins or blocks
    else:
        values.append(-(LOST_SO_FAR - ply))
    values += [-negamax(with_stone(board, cell, player), other(player), depth - 1, ply + 1) for cell in moves[:22]]
    return max(values)


def shortest_vcf(board: Board, attacker: str, limit: int) -> int:
    """Plies of the shortest win by fours, at most `limit`, 0 if there is none: every four, every answer."""

    @cache
    def prove(rows: tuple[str, ...], left: int) -> int:
        here = [list(row) for row in rows]
        if five_points(here, attacker):
            return 1
        if left < 3:
            return 0
        against = five_points(here, other(attacker))
        if len(against) > 1:
            return 0
        best = 0
        for cell in against or empty_cells(here):
            answers = points_of_four(here, cell, attacker)
            if not answers:
                continue
            after = with_stone(here, cell, attacker)
            lengths = []
            for answer in answers:
                answered = with_stone(after, answer, other(attacker))
                lengths.append(prove(tuple("".join(row) for row in answered), left - 2))
            if all(lengths):
                length = 2 + max(lengths)
                best = min(best, length) if best else length
        return best

    return prove(tuple("".join(row) for row in board), limit)
