"""The language of Cassio's protocol: what lines ask for, and how results are spelled."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from othello_engine.position import Position
from othello_engine.types import BLACK, PASS, WHITE, Bound, Goal, Limits, Score, ScoreKind, parse_square
from protocol import cassio_lines
from protocol.cassio_lines import (
    CassioError,
    format_effort,
    format_line,
    limits_of,
    read_command,
    read_feed,
    read_search,
    result_of,
)
from tests.positions import EARLIEST_PASS_TEXT, NOBODY_CAN_MOVE
from tests.protocol.cassio_client import read_result
from tests.protocol.fake_engine import info

WHITE_TO_MOVE = "------------------X--------XX------OXX-----O--------------------O"
SIX_EMPTIES = "----OOOXOO-OOOOX-OXXXXXXOXOOOXXXOOOOOOXXOOOOOOXXOOOOXXXXOOOOXXOOX"


def midgame(arguments: str, position: str = WHITE_TO_MOVE) -> cassio_lines.SearchRequest:
    return read_search(read_command(f"ENGINE-PROTOCOL midgame-search {position} {arguments}"))


def endgame(arguments: str, position: str = SIX_EMPTIES) -> cassio_lines.SearchRequest:
    return read_search(read_command(f"ENGINE-PROTOCOL endgame-search {position} {arguments}"))


# -- requests ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("ENGINE-PROTOCOL init", "init"),
        ("ENGINE-PROTOCOL  Midgame-SEARCH a b", "midgame-search"),
        ("\tENGINE-PROTOCOL\t stop  ", "stop"),
        ("ENGINE-PROTOCOL", ""),
        ("", ""),
        ("  ", ""),
    ],
)
def test_words_may_stand_apart_and_commands_be_written_in_any_letters(line: str, word: str) -> None:
    assert read_command(line).word == word


@pytest.mark.parametrize("line", ["hello", "engine-protocol init", "init", "ENGINE-PROTOCOLinit", "x" * 1000])
def test_other_first_words_are_another_protocol(line: str) -> None:
    with pytest.raises(CassioError, match=r'^Unknown protocol ".{1,40}"$'):
        read_command(line)


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        ("-64.00 64.00", None),
        ("-100 1000000", None),
        ("-64 12", (-64, 12)),
        ("-1 1", (-1, 1)),
        ("-1 0", (-1, 0)),
        ("2.01 3.99", (2, 4)),
        ("-2.01 -1.01", (-3, -1)),
        ("3 3", (3, 4)),
        ("5 3", (5, 6)),
        ("64 64", (63, 64)),
        ("-64 -64", (-64, -63)),
        (".5 +.5", (0, 1)),
        ("9" * 400 + " -" + "9" * 400, (63, 64)),
    ],
)
def test_a_window_is_the_whole_discs_around_it(window: str, expected: tuple[int, int] | None) -> None:
    assert midgame(f"{window} 8 73").window == expected
    assert endgame(f"{window} 100").window == expected


@pytest.mark.parametrize(
    ("precision", "selectivity"),
    [(0, 73), (73, 73), (74, 87), (87, 87), (88, 95), (90, 95), (95, 95), (96, 98), (98, 98), (99, 99), (100, 100)],
)
def test_a_precision_is_the_confidence_that_has_at_least_it(precision: int, selectivity: int) -> None:
    assert midgame(f"-64 64 8 {precision}").selectivity == selectivity
    assert midgame("-64 64 8 99.5").selectivity == 100


def test_the_side_to_move_may_stand_apart_from_the_squares() -> None:
    position, side = WHITE_TO_MOVE[:64], WHITE_TO_MOVE[64]
    assert midgame("-64 64 8 73", f"{position} {side}") == midgame("-64 64 8 73")
    assert midgame("-64 64 8 73").position.side == WHITE


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ("", "position. It is missing"),
        ("X", "position. only 1 of 64 squares (column 2)"),
        (WHITE_TO_MOVE[:64], "position. no side to move behind the board; write X or O (column 65)"),
        (f"{WHITE_TO_MOVE[:64]} -64 64 8 73", "position. no side to move behind the board; write X or O (column 65)"),
        (f"?{WHITE_TO_MOVE[1:]} -64 64 8 73", "position. '?' is no square; write X, O and - (column 1)"),
        (f"{WHITE_TO_MOVE}", "alpha. It is missing"),
        (f"{WHITE_TO_MOVE} x 64 8 73", "alpha. 'x' is no number"),
        (f"{WHITE_TO_MOVE} -64 1e3 8 73", "beta. '1e3' is no number"),
        (f"{WHITE_TO_MOVE} nan 64 8 73", "alpha. 'nan' is no number"),
        (f"{WHITE_TO_MOVE} -64 inf 8 73", "beta. 'inf' is no number"),
        (f"{WHITE_TO_MOVE} -64 \u0664 8 73", "beta. '\\u0664' is no number"),
        (f"{WHITE_TO_MOVE} -64 64 -3 73", "depth. '-3' is no whole number from 0 to 99"),
        (f"{WHITE_TO_MOVE} -64 64 8.5 73", "depth. '8.5' is no whole number from 0 to 99"),
        (f"{WHITE_TO_MOVE} -64 64 100 73", "depth. '100' is no whole number from 0 to 99"),
        (f"{WHITE_TO_MOVE} -64 64 {'9' * 5000} 73", f"depth. '{'9' * 37}...' is no whole number from 0 to 99"),
        (f"{WHITE_TO_MOVE} -64 64 8 101", "precision. 101 is not between 0 and 100"),
        (f"{WHITE_TO_MOVE} -64 64 8 -1", "precision. -1 is not between 0 and 100"),
        (f"{WHITE_TO_MOVE} -64 64 8", "precision. It is missing"),
    ],
)
def test_an_argument_that_is_wrong_is_named(arguments: str, problem: str) -> None:
    with pytest.raises(CassioError) as caught:
        read_search(read_command(f"ENGINE-PROTOCOL midgame-search {arguments}"))
    assert str(caught.value) == f"midgame-search cannot parse {problem}"


def test_more_arguments_than_there_are_is_an_error() -> None:
    with pytest.raises(CassioError, match="more arguments than endgame-search has: '7'"):
        endgame("-64 64 100 7")


# -- what the engine is told ------------------------------------------------------------------------------------


def test_depth_and_precision_are_passed_on_as_they_are() -> None:
    limits = limits_of(midgame("-64 64 9 90"), None)
    assert limits == Limits(depth=9, selectivity=95, multipv=1, thorough=True)


def test_a_search_to_the_end_of_the_game_is_a_solve_whatever_it_is_called() -> None:
    expected = Limits(goal=Goal.EXACT, window=(-1, 1), multipv=1, selectivity=87)
    assert limits_of(endgame("-1 1 87"), None) == expected
    assert limits_of(midgame("-1 1 6 87", SIX_EMPTIES), None) == expected
    assert limits_of(midgame("-1 1 60 87", SIX_EMPTIES), None) == expected


def test_what_prepares_a_proof_may_prune() -> None:
    assert limits_of(endgame("-64 64 100"), None).selectivity is None
    assert limits_of(midgame("-64 64 5 100", SIX_EMPTIES), None).selectivity == 100


def test_a_time_for_a_move_is_one_more_limit_and_forced_moves_are_quick() -> None:
    limits = limits_of(midgame("-64 64 40 73"), 500)
    assert (limits.depth, limits.move_time_ms, limits.thorough) == (40, 500, False)
    assert limits_of(midgame("-64 64 60 100"), 500).goal is Goal.AUTO


# -- feed-hash --------------------------------------------------------------------------------------------------


def feed(arguments: str) -> cassio_lines.FeedRequest:
    return read_feed(read_command(f"ENGINE-PROTOCOL  feed-hash {arguments}"))


def squares(text: str) -> tuple[int, ...]:
    return tuple(parse_square(text[index : index + 2]) for index in range(0, len(text), 2))


@pytest.mark.parametrize(
    ("line", "moves"),
    [
        ("G5F6D3", "g5f6d3"),
        ("g5F6d3", "g5f6d3"),
        ("G5 F6", "g5f6"),
        ("??", ""),
        ("", ""),
        ("G5??", "g5"),
        ("G5 ??", "g5"),
    ],
)
def test_a_line_is_fed_up_to_the_first_move_that_is_not_known(line: str, moves: str) -> None:
    request = feed(f"{WHITE_TO_MOVE} -2.00 6.00 20 100 {line}")
    assert (request.lower, request.upper, request.depth, request.selectivity) == (-2.0, 6.0, 20, 100)
    assert request.moves == squares(moves)


def test_a_forced_pass_may_be_left_out_of_a_line_or_written() -> None:
    position = EARLIEST_PASS_TEXT.replace(" ", "")
    assert feed(f"{position} 0 0 20 100 b4").moves == feed(f"{position} 0 0 20 100 pab4").moves == (PASS, 25)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ("6 5 20 100 G5", "upper. 5 is less than 6"),
        ("6 6 20 100 G5a1", "PV. no disc turned (move 2: a1)"),
        ("6 6 20 100 moves", "PV. neither a square nor a pass (move 1: 'moves')"),
        ("6 6 20 high G5", "precision. 'high' is no number"),
        ("x 6 20 100 G5", "lower. 'x' is no number"),
    ],
)
def test_a_feed_that_is_wrong_is_refused_as_a_whole(arguments: str, problem: str) -> None:
    with pytest.raises(CassioError) as caught:
        feed(f"{WHITE_TO_MOVE} {arguments}")
    assert str(caught.value) == f"feed-hash cannot parse {problem}"


# -- results ----------------------------------------------------------------------------------------------------


def result(request: cassio_lines.SearchRequest, **changes: Any) -> str:
    values = {"depth": 8, "selectivity": 73, "pv": squares("g5f6d3"), "nodes": 835, "time_ms": 12, **changes}
    return str(result_of(request, info(**values)))


def discs(value: int, bound: Bound = Bound.EXACT) -> Score:
    return Score(ScoreKind.DISCS, value, bound)


def test_a_result_is_spelled_as_in_the_specification() -> None:
    said = result(midgame("-64 64 8 73"), score=Score(ScoreKind.CENTIDISCS, 256))
    assert said == (
        "------------------X--------XX------OXX-----O--------------------O, move g5, depth 8, @73%, "
        "W+2.56 <= v <= W+2.56, g5F6d3, node 835, time 0.012"
    )
    line = (*squares("a3c2a1b1d1"), PASS, *squares("c1"))
    said = result(endgame("-1 1 100"), depth=6, selectivity=100, score=discs(12, Bound.LOWER), pv=line)
    assert said == (
        "----OOOXOO-OOOOX-OXXXXXXOXOOOXXXOOOOOOXXOOOOOOXXOOOOXXXXOOOOXXOOX, move A3, depth 6, @100%, "
        "B+12.00 <= v <= B+64.00, A3c2A1b1D1paC1, node 835, time 0.012"
    )


@pytest.mark.parametrize(
    ("score", "bounds"),
    [
        (discs(-4), "B-4.00 <= v <= B-4.00"),
        (discs(0), "B+0.00 <= v <= B+0.00"),
        (discs(12, Bound.LOWER), "B+12.00 <= v <= B+64.00"),
        (discs(-4, Bound.UPPER), "B-64.00 <= v <= B-4.00"),
        (discs(1, Bound.LOWER), "B+2.00 <= v <= B+64.00"),
        (discs(-1, Bound.UPPER), "B-64.00 <= v <= B-2.00"),
        (discs(-3, Bound.LOWER), "B-2.00 <= v <= B+64.00"),
        (Score(ScoreKind.CENTIDISCS, -256, Bound.LOWER), "B-2.56 <= v <= B+64.00"),
        (Score(ScoreKind.CENTIDISCS, 300, Bound.LOWER), "B+3.00 <= v <= B+64.00"),
        (Score(ScoreKind.RAW, 1000), "B+2.50 <= v <= B+2.50"),
        (Score(ScoreKind.RAW, -1), "B+0.00 <= v <= B+0.00"),
        (Score(ScoreKind.WLD, 1), "B+2.00 <= v <= B+64.00"),
        (Score(ScoreKind.WLD, 0), "B+0.00 <= v <= B+0.00"),
        (Score(ScoreKind.WLD, -1), "B-64.00 <= v <= B-2.00"),
        (Score(ScoreKind.WLD, 0, Bound.LOWER), "B+0.00 <= v <= B+64.00"),
        (Score(ScoreKind.WLD, 0, Bound.UPPER), "B-64.00 <= v <= B+0.00"),
        (Score(ScoreKind.WLD, 1, Bound.UPPER), "B-64.00 <= v <= B+64.00"),
        (Score(ScoreKind.WLD, -1, Bound.LOWER), "B-64.00 <= v <= B+64.00"),
    ],
)
def test_a_score_says_what_is_known_and_no_more(score: Score, bounds: str) -> None:
    assert f", {bounds}, " in result(endgame("-64 64 100"), score=score, pv=squares("a3"))


@given(st.integers(-6400, 6400), st.sampled_from(Bound), st.booleans())
def test_cassio_reads_the_bounds_that_were_meant(value: int, bound: Bound, is_white: bool) -> None:
    position = SIX_EMPTIES[:64] + ("O" if is_white else "X")
    move = Position.from_text(position).legal_moves[0]
    reading = read_result(
        result(midgame("-64 64 5 73", position), score=Score(ScoreKind.CENTIDISCS, value, bound), pv=(move,))
    )
    assert reading.lower == (-6400 if bound is Bound.UPPER else value)
    assert reading.upper == (6400 if bound is Bound.LOWER else value)


def test_a_result_to_the_end_of_the_game_has_any_depth_that_was_asked_for() -> None:
    deep = midgame("-64 64 60 100", SIX_EMPTIES)
    assert ", depth 60, " in result(deep, depth=6, score=discs(12), pv=squares("a3"))
    assert ", depth 5, " in result(deep, depth=5, pv=squares("a3"))
    assert ", depth 6, " in result(endgame("-64 64 100"), depth=6, score=discs(12), pv=squares("a3"))


def test_a_forced_pass_is_the_move_and_all_of_the_line() -> None:
    passing = midgame("-64 64 4 73", EARLIEST_PASS_TEXT.replace(" ", ""))
    said = result(passing, depth=4, pv=(PASS, 25, 18))
    assert ", move PA, " in said
    assert ", PA, node" in said
    assert read_result(said).move == "PA"


def test_a_finished_game_has_its_score_and_no_move() -> None:
    over = midgame("-64 64 4 73", NOBODY_CAN_MOVE + "X")
    said = result(over, depth=0, selectivity=100, score=discs(62), pv=(), nodes=0, time_ms=0)
    assert said.endswith(", move --, depth 61, @100%, B+62.00 <= v <= B+62.00, --, node 0, time 0.000")
    assert read_result(said).move == "--"


def test_black_s_moves_are_written_in_capitals() -> None:
    moves = (*squares("a1b2"), PASS, *squares("c3"))
    assert format_line(BLACK, moves) == "A1b2PAc3"
    assert format_line(WHITE, moves) == "a1B2paC3"
    assert format_line(WHITE, ()) == ""


def test_time_is_in_seconds() -> None:
    assert format_effort(1234567, 61234) == "node 1234567, time 61.234"
