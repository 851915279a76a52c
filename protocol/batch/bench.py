"""`bench`: fixed positions at a fixed depth. With one worker the node sum is the signature of a build."""

from __future__ import annotations

from typing import TYPE_CHECKING

from othello_engine.config import GOMOKU, OTHELLO
from othello_engine.position import Position
from othello_engine.types import Limits
from protocol import exit_status
from protocol.batch.screen import Column, Screen, count, seconds
from protocol.commands import format_bench, nodes_per_second
from protocol.facade import EngineLike

if TYPE_CHECKING:
    from othello_engine.games import AnyPosition

_DEPTHS = {OTHELLO: 10, GOMOKU: 9}
BENCH_THREADS = 1
BENCH_HASH_MB = 16

_BOARDS = (
    "-------------------X-O-----XO-----OOX--------X------------------ X",
    "--------------------OOO---XXO------OXX----O--------------------- X",
    "---------------------X-----OXX----OOOX------XX-------X---------- O",
    "--O-X-----OX------XX-----XOOX-----OOO--------------------------- O",
    "------------------XXOOO----XXO-----OOX-----OOO------------------ X",
    "-------------------XXX----OXX-----OXX----XOXX-----OO-------O---- X",
    "---O------XOO-----XOO----OXOX----XXXXX---O---------------------- O",
    "-----------------XXX------XXOO-----OXOO---OOOX-----OXX-------X-- O",
    "-------------X---OOOXXO----OXXX---OXOX----OOOO----O------------- X",
    "-------------O----X--O-----XXXOX--XXX-OX--OXXO-X----O--X---OX--- X",
    "-------------O-----X-O----XXOOOO--XOOO---XOOOOO----XOO------O--- O",
    "------------XO-----XXXX----XXOX----XOOO---XXXO----XX-O----XXXO-- O",
    "------------O-------OO-X--XXXOXX--XXXOXX--XXXXX----XXO-----OOO-- O",
    "------------X-----XOXX-O--XOOOOO--OOXOOO--OOXXOO--O-X--O-------O X",
    "----------OOX----XOXXX---OXXOO--OOOXOOO-X-OOXOOO---O-X-------X-- X",
    "--X--O--O-XXOO--OOXOOO--OXOXOO--OOXXOO--OOXXOO-----X------------ X",
    "-----------------OXOOO--OOXXOXXXOOXXXXXXOOXOXOOX--XXOO-----X-O-- O",
    "XXXX----O-OX----XOXOO---XXOXOO--XXOOXO--XXXXXX----OOO-----OOOO-- O",
    "--O-O------OOO----XXOOOO--XOOOOO-XXXXXXX-XXXXXXO--XXXX----XXXX-- O",
    "-XXXXO----XXOO--OXOOXO--OXOXXO--OOXXXOO-O-OOXOOO--OOO-----OOOO-- X",
    "--X--O-----X-O---XOOXOOXXOXOXXXXXXOOOOXXXOXOXOXX--OXOO-X-OOOOO-- O",
    "-OOOO------OOO-OOXXXXXOOOOXOXOXOOXOXOXXOO-OOXX-OO-OXXX----XXXXX- X",
    "--XXXX----XXXX--XXXOOOOOXXXXXXOOXOOXXOXOXOOXXXOOX-XOOX---XXXXXX- O",
    "--OOOO----OXXXX-XXXXXXX-XXXXXOXXXXXXOOXXXXXOOXOXX-OOXX-OXOOOOOOO X",
)
"""From 56 to 10 empty squares, out of games between players that look one ply ahead and like mobility."""

_GOMOKU_GAMES = (
    "h8",
    "h8i9g6",
    "h8g7f6g8g9",
    "h8h7j6i7f7i9h6",
    "h8i9j10i8i7g9h9",
    "h8i7g6g8f7h6i9j9h10k8",
    "f6h8j7k7f7i9g8h7h9j8e5d4",
    "h8h9j9j8f8i7g7i9h6e9f6k7l6i10",
)
"""Games of Gomoku, from 1 to 14 stones, without a win in a few moves for either side."""

_COLUMNS = (
    Column("#", 3),
    Column("empties", 7),
    Column("nodes", 15),
    Column("time", 9),
    Column("nodes/s", 13),
)


def bench_depth(game: str) -> int:
    """Plies that a bench of this game searches if nobody says otherwise."""
    return _DEPTHS[game]


def bench_positions(game: str = OTHELLO) -> tuple[AnyPosition, ...]:
    """The positions, most empty squares first."""
    if game == GOMOKU:
        from othello_engine.gomoku.position import GomokuPosition

        return tuple(GomokuPosition.from_moves(moves) for moves in _GOMOKU_GAMES)
    return tuple(Position.from_text(board) for board in _BOARDS)


def bench(engine: EngineLike, screen: Screen, depth: int | None = None) -> int:
    """Searches every position with an empty table and prints a row for each; the exit status.

    depth: plies; those of `bench_depth` if None. The last line is that of the protocol's `bench`, for scripts.
    """
    game = engine.config.game
    depth = depth or bench_depth(game)
    positions = bench_positions(game)
    nodes = time_ms = 0
    screen.header(_COLUMNS)
    with screen.progress(len(positions)) as progress:
        for index, position in enumerate(positions, 1):
            progress.describe(f"{position.n_empties} empty squares")
            engine.new_game()
            engine.set_position(position)
            result = engine.go(Limits(depth=depth, multipv=1)).wait()
            nodes += result.nodes
            time_ms += result.time_ms
            rate = nodes_per_second(result.nodes, result.time_ms)
            cells = (index, position.n_empties, count(result.nodes), seconds(result.time_ms), count(rate))
            screen.row(_COLUMNS, cells)
            progress.advance()
    screen.line(format_bench(nodes, time_ms))
    return exit_status.DONE
