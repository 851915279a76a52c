"""The Gomocup language and what INFO means, without a service: lines, limits, memory."""

from __future__ import annotations

import doctest
import re

import pytest

from othello_engine.gomoku.position import parse_cell
from othello_engine.types import BLACK, WHITE, Limits, Score, ScoreKind, SearchInfo
from protocol import gomocup_lines
from protocol.gomocup_info import (
    BASE_BYTES,
    CLOCK_SHARE,
    LEAST_MARGIN_MS,
    MIB,
    UNLIMITED_MS,
    WORKER_BYTES,
    Info,
    fit,
)
from protocol.gomocup_lines import (
    Command,
    RefusedError,
    format_count,
    format_point,
    format_report,
    format_score,
    parse_command,
    parse_number,
    parse_point,
    parse_stone,
)


def test_the_examples_are_right() -> None:
    assert doctest.testmod(gomocup_lines).failed == 0


def test_points_and_cells_are_inverse_on_every_size() -> None:
    for size in range(10, 21):
        for cell in range(size * size):
            assert parse_point(format_point(cell, size), size) == cell
        # The name's letter is the column, which comes first in a point.
        assert format_point(parse_cell("c7", size), size) == "2,6"


@pytest.mark.parametrize("text", ["7,9", " 7,9"[1:], "7, 9", "7 ,9", "7 , 9", "07,009", "+7,9"])
def test_ways_to_write_a_point(text: str) -> None:
    assert parse_point(text, 15) == 9 * 15 + 7


@pytest.mark.parametrize("text", ["", ",", "7", "7,", ",9", "7;9", "7 9", "7,9,1", "7.0,9", "h8", "7,9 x", "9" * 30])
def test_what_is_no_point(text: str) -> None:
    with pytest.raises(RefusedError):
        parse_point(text, 15)


def test_a_stone_has_a_field_or_none() -> None:
    assert parse_stone("7,9,2", 15) == (142, 2)
    assert parse_stone("7 , 9 , -2", 15) == (142, -2)
    assert parse_stone("7,9", 15) == (142, None)
    for text in ("7,9,", "7,9,a", "7,9,1,1"):
        with pytest.raises(RefusedError):
            parse_stone(text, 15)


def test_commands_are_read_in_every_case() -> None:
    assert parse_command("  yxNbest\t3 ") == Command("YXNBEST", "3")
    assert parse_command("END") == Command("END", "")
    assert parse_command(" \t ") is None


def test_numbers_of_info() -> None:
    assert parse_number("12 and more") == 12
    assert parse_number("-5") == -5
    for text in ("", "x", "1.5", "1e9", "9" * 19):
        assert parse_number(text) is None


@pytest.mark.parametrize(
    ("score", "text"),
    [
        (Score(ScoreKind.RAW, 35), "35"),
        (Score(ScoreKind.RAW, -8), "-8"),
        (Score(ScoreKind.MATE, 5), "+M5"),
        (Score(ScoreKind.MATE, -4), "-M4"),
    ],
)
def test_scores(score: Score, text: str) -> None:
    assert format_score(score) == text


def test_counts_are_short_and_never_round_up() -> None:
    unit = {"": 1, "K": 1000, "M": 10**6, "G": 10**9}
    for count in (0, 1, 9_999, 10_000, 999_999, 1_450_000, 9_999_999, 10**7, 10**10 - 1, 10**10, 10**13):
        text = format_count(count)
        found = re.fullmatch(r"(\d+)([KMG]?)", text)
        assert found is not None
        shown = int(found[1]) * unit[found[2]]
        assert shown <= count < shown + unit[found[2]]
        assert len(text) <= 6


def test_reports_are_of_the_layout_that_clients_take_apart() -> None:
    """The pattern is that of a client: depth, perhaps multipv, ev, n, n/ms, tm, pv."""
    pattern = (
        r"MESSAGE depth (\d+)-(\d+) (?:multipv (\d+) )?ev ([+-]?M?\d+) n (\d+[KMG]?) n/ms (\d+) tm (\d+)"
        r" pv( [A-T]\d+)*"
    )
    score = Score(ScoreKind.MATE, 5)
    info = SearchInfo(7, 3, 100, 2, score, 51_000, 100, 510_000, 0, (0, 16, 399))
    assert re.fullmatch(pattern, format_report(info, 20, ranked=True))
    assert format_report(info, 20, ranked=True) == (
        "MESSAGE depth 7-7 multipv 2 ev +M5 n 51K n/ms 510 tm 100 pv A1 Q1 T20"
    )


# -- INFO --------------------------------------------------------------------------------------------------


def info_of(*lines: str) -> Info:
    info = Info()
    for line in lines:
        info.take(line)
    return info


def test_keys_are_read_in_every_case_and_unknown_ones_left_out() -> None:
    info = Info()
    assert info.take(" TimeOut_Turn  100 ") == "timeout_turn"
    assert info.take("foo 3") == ""
    assert info.take("timeout_turn x") == ""
    assert info.take("") == ""
    assert info.timeout_turn == 100


def test_no_move_takes_more_than_its_time_less_the_margin() -> None:
    for turn in (0, 1, 29, 30, 49, 50, 51, 100, 1000, 30_000):
        for left in (-1000, 0, 1, 100, 349, 350, 1000, 180_000, UNLIMITED_MS):
            for overhead in (0, 30, 100, 500):
                info = info_of(f"timeout_turn {turn}", f"time_left {left}")
                allowance = info.allowance(BLACK, overhead)
                margin = max(LEAST_MARGIN_MS, overhead)
                end = min(turn, left)
                assert allowance.thinking_ms is not None
                assert allowance.patience_ms is not None
                assert allowance.stop_ms is not None
                assert allowance.answer_ms is not None
                assert allowance.patience_ms <= allowance.thinking_ms <= max(0, turn - margin)
                if left < UNLIMITED_MS:
                    assert allowance.thinking_ms <= max(0, left / CLOCK_SHARE)
                if not allowance.is_instant:
                    assert end - margin < allowance.stop_ms < allowance.answer_ms < end
                    time_ms = allowance.limits.move_time_ms
                    assert time_ms is not None
                    assert time_ms - overhead == turn - margin, "what the engine makes of it"
                    assert allowance.limits.white_ms is None


def test_only_the_own_clock_is_told() -> None:
    info = info_of("time_left 10000")
    assert info.allowance(WHITE, 30).limits == Limits(white_ms=10_000, multipv=1)
    assert info.allowance(BLACK, 30).limits == Limits(black_ms=10_000, multipv=1)
    assert info.allowance(BLACK, 30).limits_after(123.4) == Limits(black_ms=9_877, multipv=1)
    assert info.allowance(BLACK, 30).limits_after(1e9) == Limits(black_ms=1, multipv=1)


def test_without_times_there_is_no_deadline() -> None:
    allowance = Info().allowance(BLACK, 30)
    assert (allowance.patience_ms, allowance.stop_ms, allowance.answer_ms) == (None, None, None)
    assert allowance.limits == Limits(multipv=1)


# -- memory ------------------------------------------------------------------------------------------------


def test_what_fits_is_below_the_limit_and_as_much_as_can_be() -> None:
    for limit_mb in (*range(1, 700, 7), 350, 4096):
        for hash_mb in (1, 16, 64, 100, 256, 1024):
            for threads in (1, 2, 4, 16):
                fitted_hash, fitted_threads = fit(hash_mb, threads, limit_mb * MIB)
                assert 1 <= fitted_hash <= hash_mb
                assert 1 <= fitted_threads <= threads
                used = BASE_BYTES + fitted_threads * WORKER_BYTES + fitted_hash * MIB
                if (fitted_hash, fitted_threads) != (1, 1):
                    assert used <= limit_mb * MIB
                if fitted_hash < hash_mb:
                    assert fitted_hash & (fitted_hash - 1) == 0
                    assert used + fitted_hash * MIB > limit_mb * MIB or fitted_hash * 2 > hash_mb
    assert fit(256, 4, 0) == (256, 4)
    assert fit(256, 2, 367001600) == (64, 2), "the usual limit of tournaments, 350 MiB"
