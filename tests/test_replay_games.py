"""Recorded tournament games through kernels, plain rules and oracle; the tool that replays whole files."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from othello_engine.core import jit
from othello_engine.formats.transcript import format_moves, parse_moves
from othello_engine.position import Position
from othello_engine.types import BLACK
from tests import oracle
from tools import replay_games

SAMPLE = Path(__file__).parent / "data" / "wthor_sample.txt.gz"


@pytest.fixture(scope="module")
def games() -> list[tuple[str, int]]:
    with gzip.open(SAMPLE, "rt", encoding="ascii") as lines:
        return [(moves, int(score)) for moves, score in (line.split() for line in lines)]


def report(capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """The rows of the printed table, and the text of everything else under the name ''."""
    out = capsys.readouterr().out
    rows = dict(re.findall(r"│ ([\w -]+?) +│ +([\d,.]+) │", out))
    return {**rows, "": out}


def run(*arguments: str | Path) -> int:
    return replay_games.main([str(argument) for argument in arguments])


# -- games ---------------------------------------------------------------------------------------------------


def test_recorded_games_are_legal_and_end_with_the_recorded_score(games: list[tuple[str, int]]) -> None:
    """RU-1, RU-2, RU-3, RU-4, SE-1: by the position."""
    for moves, score in games:
        steps = parse_moves(Position.start(), moves)
        last = steps[-1][1]
        assert last.is_over, moves
        assert last.final_score == (score if last.side == BLACK else -score), moves
        assert format_moves(move for move, _ in steps) == moves


def test_kernels_and_plain_rules_replay_alike(games: list[tuple[str, int]]) -> None:
    kernels, plain = replay_games.kernel_rules(), replay_games.plain_rules()
    for moves, score in games:
        replayed = replay_games.replay(moves, kernels)
        assert replayed == replay_games.replay(moves, plain)
        assert replayed is not None
        assert replayed.score == score


def test_oracle_replays_alike(games: list[tuple[str, int]]) -> None:
    for moves, score in games[::12]:
        board, colour = oracle.board_of("-" * 27 + "OX------XO" + "-" * 27), oracle.BLACK
        for start in range(0, len(moves), 2):
            row, column = int(moves[start + 1]) - 1, "abcdefgh".index(moves[start])
            if not oracle.moves(board, colour):
                colour = oracle.other(colour)
            assert oracle.turned(board, colour, row, column)
            board, colour = oracle.play(board, colour, row, column), oracle.other(colour)
        assert oracle.is_over(board)
        assert oracle.final_score(board, oracle.BLACK) == score


# -- the tool ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ["kernels", "plain"])
def test_tool_counts_the_sample(capsys: pytest.CaptureFixture[str], rules: str) -> None:
    assert run(SAMPLE, "--rules", rules) == 0
    rows = report(capsys)
    assert (rows["games"], rows["moves"], rows["passes"]) == ("300", "16,629", "869")
    assert (rows["ended with empty squares"], rows["ended by a wipe-out"]) == ("112", "55")
    faults = ("illegal", "unfinished", "score mismatches", "unreadable lines")
    assert [rows[name] for name in faults] == ["0"] * 4


def test_kernels_are_used_when_they_are_compiled() -> None:
    rules = replay_games.kernel_rules()
    assert (rules != replay_games.plain_rules()) == jit.IS_COMPILED


def test_limit_takes_the_first_games_or_random_ones_by_seed(tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    path.write_text("".join(f"f5 {n}\n" for n in range(50)))
    everything = replay_games.choose_lines([path], None, 1)
    assert len(everything) == 50
    assert replay_games.choose_lines([path], 3, None) == everything[:3]
    chosen = replay_games.choose_lines([path], 10, 1)
    assert chosen == replay_games.choose_lines([path], 10, 1) == sorted(chosen, key=everything.index)
    assert len(set(chosen)) == 10
    assert chosen != replay_games.choose_lines([path], 10, 2)
    assert replay_games.choose_lines([path, path], 100, 1) == everything * 2


@pytest.mark.parametrize(
    ("line", "row", "fault"),
    [
        ("f5d6c3d3c4 +0", "unfinished", "games.txt:3: not over after the last move"),
        ("f5d6c3d3a1 +0", "illegal", "games.txt:3: illegal, no disc turned (move 5: a1)"),
        ("f5d6x9 +0", "illegal", "games.txt:3: illegal, neither a square nor a pass (move 3: 'x9')"),
        ("f5d6c +0", "illegal", "games.txt:3: illegal, neither a square nor a pass (move 3: 'c')"),
        ("e6f4e3f6g5d6e7f5c5 +13", "score mismatches", "games.txt:3: recorded score +13, played +64"),
        ("e6f4d3e7f6g5e3e2f3c4f5f2 +64", "score mismatches", "recorded score +64, played -64"),
        ("e6f4e3f6g5d6e7f5c5", "unreadable lines", "games.txt:3: no score behind the moves"),
        ("e6f4e3f6g5d6e7f5c5 lots", "unreadable lines", "games.txt:3: no score behind the moves"),
    ],
)
def test_every_kind_of_fault_is_counted_named_and_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str, row: str, fault: str
) -> None:
    path = tmp_path / "games.txt"
    path.write_text(f"% heading\nE6F4E3F6G5D6E7F5C5 +64 1999\n{line}\n\n# end\n")
    assert run(path) == 1
    rows = report(capsys)
    assert rows["games"] == "2"
    assert rows[row] == "1"
    assert fault in rows[""]


def test_many_faults_are_counted_and_the_first_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.txt"
    path.write_text("f5 +0\n" * 25)
    assert run(path) == 1
    out = report(capsys)[""]
    assert out.count("not over") == 10
    assert "... and 15 more" in out


def test_missing_and_damaged_files_end_with_status_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path / "missing.gz") == 2
    damaged = tmp_path / "damaged.gz"
    damaged.write_bytes(SAMPLE.read_bytes()[:2000])
    assert run(damaged) == 2
    assert "replay_games:" in capsys.readouterr().err


def test_help_and_wrong_limits(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        run("--help")
    assert stopped.value.code == 0
    assert "--limit" in capsys.readouterr().out
    for wrong in ("0", "-1", "x"):
        with pytest.raises(SystemExit) as stopped:
            run(SAMPLE, "--limit", wrong)
        assert stopped.value.code == 2
