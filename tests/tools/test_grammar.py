"""The grammar of Gomoku takes what the protocol's formatters write, and nothing that is Othello's or of no board."""

from __future__ import annotations

import pytest

from othello_engine.gomoku.position import NO_CELL, GomokuPosition
from othello_engine.types import RootValue, Score, ScoreKind, SearchInfo, SearchResult
from protocol import commands
from protocol.hints import hints_of_heatmap
from tools.measure.grammar import GRAMMARS, GrammarError, kind_of, parse_info

GAMES = tuple(GRAMMARS)
SIZES = range(10, 21)


def gomoku(line: str) -> str:
    return kind_of(line, ["gomoku"])


def info(score: Score, *pv: int, complete: bool = True) -> SearchInfo:
    return SearchInfo(7, 9, 100, 2, score, 12_345, 67, 184_253, 3, pv, complete)


def result(best_move: int, *heatmap: RootValue) -> SearchResult:
    lines = (info(Score(ScoreKind.RAW, -5), best_move),)
    return SearchResult(best_move, NO_CELL, lines, 12_345, 67, document_score=-5, root_values=heatmap)


@pytest.mark.parametrize("size", SIZES)
def test_every_cell_of_every_size_is_a_move_and_a_board_is_square(size: int) -> None:
    position = GomokuPosition.start(size)
    everywhere = tuple(range(size * size))
    score = Score(ScoreKind.RAW, -12)
    assert gomoku(commands.format_info(info(score, *everywhere), False, position)) == "info"
    values = tuple(RootValue(cell, 10 - cell) for cell in everywhere)
    assert gomoku(commands.format_result_line(result(size * size - 1, *values), "json", position)) == "result"
    assert gomoku(commands.format_result_line(result(size * size - 1), "csv", position)) == "row"
    assert {gomoku(commands.format_hint(hint, position)) for hint in hints_of_heatmap(values)} == {"hint"}
    board, empties, legal, *diagram = commands.format_display(position)
    assert [gomoku(line) for line in (board, empties, legal)] == ["board", "empties", "legal"]
    assert {gomoku(line) for line in diagram} == {"string"}
    for wrong in (f"{board[:-2]}- X", f"{board[:6]}{board[7:]}"):
        with pytest.raises(GrammarError):
            gomoku(wrong)


@pytest.mark.parametrize("name", ["a0", "a01", "a21", "u1", "A1", "a", "1", "h-8", "pass"])
def test_what_is_no_cell_is_no_move(name: str) -> None:
    for line in (f"bestmove {name}", f"legal a1 {name}"):
        with pytest.raises(GrammarError):
            gomoku(line)


@pytest.mark.parametrize(
    ("score", "read"),
    [
        (Score(ScoreKind.MATE, 5), ("mate", 5)),
        (Score(ScoreKind.MATE, -24), ("mate", -24)),
        (Score(ScoreKind.RAW, 0), ("raw", 0)),
        (Score(ScoreKind.WLD, -1), ("wld", -1)),
    ],
)
def test_scores_are_taken_apart(score: Score, read: tuple[str, int]) -> None:
    for with_rank in (False, True):
        for complete in (False, True):
            line = commands.format_info(info(score, 0, 112, complete=complete), with_rank, GomokuPosition.start())
            assert gomoku(line) == "info"
            found = parse_info(line)
            assert (found.score_kind, found.score) == read
            assert (found.multipv, found.pv) == (2 if with_rank else None, ("a1", "h8"))


def test_a_finished_game() -> None:
    won = GomokuPosition.from_moves("c5a1d5a3e5a8f5b9g5", 10)
    assert gomoku(commands.format_display(won)[2]) == "legal"
    assert gomoku(commands.format_result_line(result(NO_CELL), "json", won)) == "result"
    assert gomoku(commands.format_result_line(result(NO_CELL), "csv", won)) == "row"
    assert gomoku(commands.format_best_move(result(NO_CELL), False, won)) == "bestmove"


INFO = "info depth 7 seldepth 9 sel 100 score mate 3 nodes 1 nps 1 time 0 hashfull 0 pv h8"
RESULT = '{"r":7,"c":7,"score":1,"depth":2,"nodes":3,"time_ms":4,"nps":5,"heatmap":[[7,7,1],[0,19,-1]]}'


@pytest.mark.parametrize(
    "line",
    [
        INFO.replace("mate 3", "mate 0"),
        INFO.replace("mate 3", "mate +3"),
        INFO.replace("mate 3", "cp 3"),
        INFO.replace("mate 3", "disc 3"),
        INFO.replace("sel 100", "sel 73"),
        INFO.replace(" hashfull 0", ""),
        f"result {RESULT.replace('19', '20')}",
        f"result {RESULT.replace('],[', '], [')}",
        f"result {RESULT.replace('7,', '-1,', 1)}",
        f"result {RESULT[:-1]}",
        RESULT,
        "eval cp 3",
        "perft depth 1 nodes 1 time 0 nps 0",
        "hint h8 value 90 band amber score raw 3 depth 1",
    ],
)
def test_lines_that_are_nearly_right(line: str) -> None:
    assert gomoku(INFO) == "info"
    assert gomoku(f"result {RESULT}") == "result"
    with pytest.raises(GrammarError):
        gomoku(line)


@pytest.mark.parametrize(
    ("line", "game"),
    [
        (INFO, "gomoku"),
        (f"result {RESULT}", "gomoku"),
        ("bestmove h9", "gomoku"),
        (f"board {100 * '-'} X", "gomoku"),
        ("bestmove pass", "othello"),
        (f"board {64 * '-'} X", "othello"),
        ("eval disc 2", "othello"),
    ],
)
def test_a_line_of_one_game_is_none_of_the_other(line: str, game: str) -> None:
    assert kind_of(line, GAMES) == kind_of(line, [game])
    (other,) = set(GAMES) - {game}
    with pytest.raises(GrammarError):
        kind_of(line, [other])
    if game == "othello":
        assert kind_of(line) == kind_of(line, [game])
