"""The `weighted` engine written from its documentation, to be obvious: lists, no cuts, the player's view throughout.

Built on the rules of `tests/oracle.py`; nothing here comes from the engine.
"""

from __future__ import annotations

from tests.oracle import ALL_SQUARES, Board, Square, moves, other, play

_CORNER_OF_THE_TABLE = [
    [120, -20, 20, 5],
    [-20, -40, -5, -5],
    [20, -5, 15, 3],
    [5, -5, 3, 3],
]
EVAL_BOARD = [[_CORNER_OF_THE_TABLE[min(r, 7 - r)][min(c, 7 - c)] for c in range(8)] for r in range(8)]
"""The upper left quarter, mirrored."""


def evaluate(board: Board, player: str) -> int:
    """Weights of the player's discs less those of the opponent's, and ten for every move that it has more."""
    score = 0
    for row, column in ALL_SQUARES:
        if board[row][column] == player:
            score += EVAL_BOARD[row][column]
        elif board[row][column] == other(player):
            score -= EVAL_BOARD[row][column]
    return score + 10 * (len(moves(board, player)) - len(moves(board, other(player))))


def minimax(board: Board, depth: int, to_move: str, player: str) -> int:
    """Value for `player`, who takes the largest when it is `to_move`, and the other side the smallest."""
    if depth == 0:
        return evaluate(board, player)
    legal = moves(board, to_move)
    if not legal:
        if not moves(board, other(to_move)):
            return evaluate(board, player)
        return minimax(board, depth - 1, other(to_move), player)
    values = [minimax(play(board, to_move, *square), depth - 1, other(to_move), player) for square in legal]
    return max(values) if to_move == player else min(values)


def move_values(board: Board, player: str, depth: int) -> dict[Square, int]:
    """The value of every move of `player` to `depth` plies, the move itself included, in the order of the board."""
    return {
        square: minimax(play(board, player, *square), depth - 1, other(player), player)
        for square in moves(board, player)
    }


def first_best(values: dict[Square, int]) -> Square:
    """The move that a loop finds which only a larger value can convince."""
    best = None
    for square, value in values.items():
        if best is None or value > values[best]:
            best = square
    assert best is not None
    return best
