"""Matches of Gomoku between fake engines: the referee, openings, records and files, and the program."""

from __future__ import annotations

import json
import random
import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from othello_engine.gomoku.position import EMPTY, STONES, GomokuPosition
from othello_engine.types import BLACK, WHITE
from tests.tools.fake_gomoku import LATE_S
from tests.tools.players import players
from tools.engines.drivers import FaultKind
from tools.engines.spec import EngineSpec, Limits
from tools.match.__main__ import build_parser, main, raw_settings
from tools.match.folder import transcript_line
from tools.match.game import Rules, play_game
from tools.match.games import GomokuGame, OthelloGame, game_named
from tools.match.gomoku import GomokuOpening, format_sgf, is_even, parse_opening, random_openings
from tools.match.openings import OpeningsError, read_lines
from tools.match.record import Fault, GameRecord, Played, RecordError
from tools.match.settings import Settings, UsageError, make_settings

FAKE = Path(__file__).with_name("fake_gomoku.py")
QUICK = Rules(margin_s=0.1, hang_s=0.4, patience_s=0.5)
EMPTY_BOARD = GomokuOpening.of("")


def fake(behaviour: str = "good", dialect: str = "gomocup", name: str = "", **more: object) -> EngineSpec:
    limits = more.pop("limits", Limits(move_s=0.05))
    command = (sys.executable, str(FAKE), dialect, behaviour)
    return EngineSpec(name or behaviour, command, dialect, limits=limits, **more)  # type: ignore[arg-type]


def game(
    black: EngineSpec, white: EngineSpec, opening: GomokuOpening = EMPTY_BOARD, rules: Rules = QUICK
) -> GameRecord:
    with players(black, white) as (first, second):
        return play_game((first, second), opening, rules)


def end_of(record: GameRecord) -> GomokuPosition:
    """The last position, by moves that are replayed one by one."""
    position = record.start
    for each in record.moves:
        assert not position.is_over
        position = position.play(each.move)
    assert isinstance(position, GomokuPosition)
    return position


# --- the referee


@pytest.mark.parametrize("dialects", [("gomocup", "gomocup"), ("gomocup", "native"), ("native", "gomocup")])
@pytest.mark.parametrize(("size", "moves"), [(15, ""), (15, "h8"), (15, "a1b1"), (20, "a2b3c4"), (10, "")])
def test_a_game_goes_on_until_somebody_has_five(dialects: tuple[str, str], size: int, moves: str) -> None:
    """Both play the first empty cell: the same moves in every dialect."""
    opening = GomokuOpening.of(moves, size)
    record = game(fake(dialect=dialects[0]), fake(dialect=dialects[1]), opening)
    expected = opening.position
    while not expected.is_over:
        expected = expected.play(expected.legal_moves[0])
    assert end_of(record) == expected
    assert (record.fault, record.ending) == (None, "played")
    assert record.score == {BLACK: 1, WHITE: -1}[expected.winner]  # type: ignore[index]
    assert record.points == (record.score + 1) / 2
    assert all(each.seconds is None for each in record.moves[: record.n_opening])
    assert all(each.seconds is not None for each in record.moves[record.n_opening :])
    assert record.game == GomokuGame(size)


def test_a_full_board_is_a_draw() -> None:
    record = game(fake("drawing"), fake("drawing", "native"), GomokuOpening.of("", 10))
    end = end_of(record)
    assert EMPTY not in end.cells
    assert (end.winner, record.score, record.points, record.ending) == (None, 0, 0.5, "played")
    assert len(record.moves) == 100


@pytest.mark.parametrize("n_stones", [1, 7, 8])
def test_a_game_can_be_called_a_draw(n_stones: int) -> None:
    record = game(fake(), fake("drawing"), GomokuOpening.of("h8"), replace(QUICK, draw_after=n_stones))
    assert (len(record.moves), record.score, record.ending) == (n_stones, 0, "adjudicated")
    decided = game(fake(), fake(), rules=replace(QUICK, draw_after=225))
    assert decided.score != 0


def test_a_win_comes_before_the_draw() -> None:
    n_stones = len(game(fake(), fake()).moves)
    assert game(fake(), fake(), rules=replace(QUICK, draw_after=n_stones)).ending == "played"
    assert game(fake(), fake(), rules=replace(QUICK, draw_after=n_stones - 1)).ending == "adjudicated"


@pytest.mark.parametrize(
    ("dialect", "behaviour", "kind", "text"),
    [
        ("gomocup", "occupied", FaultKind.ILLEGAL, r"'[a-o]\d+' in .*: not an empty cell"),
        ("gomocup", "outside", FaultKind.ILLEGAL, "'15,3' in .*: not a cell"),
        ("gomocup", "spaced", FaultKind.ILLEGAL, "'7, 8' in .*: not a cell"),
        ("gomocup", "tailed", FaultKind.ILLEGAL, "'7,8,1' in .*: not a cell"),
        ("gomocup", "passing", FaultKind.ILLEGAL, "'-1,-1' in .*: not a cell"),
        ("native", "occupied", FaultKind.ILLEGAL, "not an empty cell"),
        ("native", "outside", FaultKind.ILLEGAL, "not a cell"),
        ("gomocup", "error", FaultKind.REFUSAL, "ERROR told to refuse"),
        ("gomocup", "unknown", FaultKind.REFUSAL, "UNKNOWN told not to know"),
        ("gomocup", "suggesting", FaultKind.REFUSAL, "SUGGEST 9,9"),
        ("native", "error", FaultKind.REFUSAL, "told to refuse"),
        ("gomocup", "crashing", FaultKind.CRASH, "told to crash"),
        ("gomocup", "no-start", FaultKind.CRASH, "told not to start"),
        ("gomocup", "no-size", FaultKind.REFUSAL, "START 15: ERROR size is not supported"),
        ("gomocup", "silent", FaultKind.HANG, "no answer in time"),
        ("gomocup", "late", FaultKind.TIME, "s where 0.050 s were left"),
    ],
)
def test_a_fault_loses_its_game_and_no_other(dialect: str, behaviour: str, kind: FaultKind, text: str) -> None:
    with players(fake(behaviour, dialect), fake()) as (bad, good):
        for colours, side in (((bad, good), BLACK), ((good, bad), WHITE)):
            record = play_game(colours, EMPTY_BOARD, QUICK)
            assert record.fault is not None
            assert (record.fault.side, record.fault.kind, record.ending) == (side, kind, kind)
            assert re.search(text, record.fault.text)
            assert record.score == (-1 if side == BLACK else 1)
        with players(fake()) as (third,):
            assert play_game((third, good), EMPTY_BOARD, QUICK).fault is None


@pytest.mark.parametrize("behaviour", ["chatter", "crlf", "complaining", "doubling", "nameless", "unknowing"])
def test_what_is_said_besides_changes_no_game(behaviour: str) -> None:
    plain = game(fake(), fake())
    record = game(fake(behaviour, limits=Limits()), fake(), rules=Rules())
    assert record.fault is None
    assert record.transcript == plain.transcript


def test_a_late_answer_is_not_taken_for_the_next_one() -> None:
    with players(fake("late"), fake()) as (late, good):
        assert play_game((late, good), EMPTY_BOARD, QUICK).ending == FaultKind.TIME
        record = play_game((late, good), EMPTY_BOARD, Rules(margin_s=1.0))
        assert record.fault is None
        assert max(each.seconds or 0 for each in record.moves) >= LATE_S
        assert play_game((late, good), EMPTY_BOARD, Rules(margin_s=0.0, hang_s=0.05)).ending == FaultKind.HANG
        assert play_game((late, good), EMPTY_BOARD, Rules(margin_s=1.0)).fault is None


def test_a_clock_runs_over_the_whole_game() -> None:
    """Some 33 moves of 10 ms each."""
    slow = fake("slow", limits=Limits(clock_s=0.1))
    record = game(slow, fake(), rules=Rules(margin_s=0.0, hang_s=1.0))
    assert record.ending == FaultKind.TIME
    spent = sum(each.seconds or 0 for each in record.moves[::2])
    assert spent <= 0.1
    assert game(slow, fake(), rules=Rules(margin_s=2.0)).fault is None


# --- openings


@pytest.mark.parametrize(
    ("line", "size", "moves", "name"),
    [
        ("h8i7g6", 15, "h8i7g6", ""),
        ("H8 I7  g6 Swan", 15, "h8i7g6", "Swan"),
        ("0,0, 1,-1, -1,-2", 15, "h8i7g6", ""),
        ("0,0,1,-1,-1,-2", 15, "h8i7g6", ""),
        (" 0, 0 , +1,-1  Swan two", 15, "h8i7", "Swan two"),
        ("0,0", 10, "f6", ""),
        ("-10,-10, 9,9", 20, "a1t20", ""),
        ("-7,-7, 7,7", 15, "a1o15", ""),
        ("t20a1", 20, "t20a1", ""),
    ],
)
def test_openings_are_read_in_both_spellings(line: str, size: int, moves: str, name: str) -> None:
    opening = parse_opening(line, size)
    assert opening == GomokuOpening.of(moves, size, name)
    assert opening.text == moves
    assert parse_opening(opening.line, size) == opening
    assert opening.position.side == opening.position.n_empties % 2 ^ size % 2


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("h8h8", r"not an empty cell \(move 2: h8\)"),
        ("h8 p1", r"no cell of this board \(move 2: p1\)"),
        ("0,0, 8,0", "8,0 is not on a board of 15"),
        ("-8,0", "-8,0 is not on a board of 15"),
        ("0,0, 1", "'0,0,' is neither names of cells nor offsets"),
        ("0,0, 1,", "neither"),
        ("Swan", "'Swan' is neither names of cells nor offsets"),
        ("a1a2b1b2c1c2d1d2e1", "over after the opening"),
    ],
)
def test_an_opening_that_cannot_be_played_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "openings.txt"
    path.write_text(f"h8\n{line}\n")
    with pytest.raises(OpeningsError, match=f"{path}, line 2: .*{message}"):
        read_lines(path, GomokuGame(15).opening)


def test_a_file_of_openings_is_read_without_what_came_before(tmp_path: Path) -> None:
    path = tmp_path / "openings.txt"
    path.write_bytes(b"# offsets\r\n0,0, 1,-1\r\n\r\nh8i7 again\r\ni7h8\r\n0,0, 1,-1, -1,-2\r\nb2h8h9 x\r\n")
    found = read_lines(path, GomokuGame(15).opening)
    assert [opening.line for opening in found] == ["h8i7", "i7h8", "h8i7g6", "b2h8h9 x"]


def plain_rows(position: GomokuPosition) -> Iterator[list[tuple[int, int]]]:
    """Every row of five cells, as (cell, content)."""
    size = position.size
    for row in range(size):
        for column in range(size):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                cells = [(row + i * down, column + i * right) for i in range(5)]
                if all(0 <= r < size and 0 <= c < size for r, c in cells):
                    yield [(r * size + c, position.cells[r * size + c]) for r, c in cells]


def plain_lead(position: GomokuPosition) -> int:
    """What the side to move is ahead by the count of open rows."""
    mine, other = STONES[position.side], STONES[1 - position.side]
    lead = 0
    for row in plain_rows(position):
        contents = [content for _, content in row]
        n_mine, n_other = contents.count(mine), contents.count(other)
        if not n_mine or not n_other:
            lead += (0, 1, 4, 16)[n_mine] - (0, 1, 4, 16)[n_other]
    return lead


@pytest.mark.parametrize(("size", "n_stones"), [(10, 2), (10, 5), (12, 4), (15, 5)])
def test_random_openings_are_even_by_a_plain_count(size: int, n_stones: int) -> None:
    found = list(islice(random_openings(size, n_stones, 7), 3))
    assert len({opening.position for opening in found}) == 3
    assert found == list(islice(random_openings(size, n_stones, 7), 3))
    assert found != list(islice(random_openings(size, n_stones, 8), 3))
    for opening in found:
        position = opening.position
        assert len(opening.moves) == n_stones == size**2 - position.n_empties
        assert position.side == n_stones % 2
        for row in plain_rows(position):
            contents = [content for _, content in row]
            assert max(contents.count(stone) for stone in STONES) < 3 or all(stone in contents for stone in STONES)
        lead = plain_lead(position)
        best = max(-plain_lead(position.play(move)) for move in position.legal_moves) - lead
        assert best / 6 <= -lead <= best / 2


@given(st.integers(0, 10**6))
@hypothesis_settings(max_examples=20)
def test_evenness_agrees_with_a_plain_count(seed: int) -> None:
    source = random.Random(seed)
    position = GomokuPosition.start(10)
    for cell in source.sample([row * 10 + column for row in range(2, 8) for column in range(2, 8)], 5):
        position = position.play(cell)
    rows = [[content for _, content in row] for row in plain_rows(position)]
    has_three = any(row.count(a) >= 3 and b not in row for row in rows for a, b in (STONES, STONES[::-1]))
    if has_three:
        assert not is_even(position)
        return
    lead = plain_lead(position)
    best = max(-plain_lead(position.play(move)) for move in position.legal_moves) - lead
    assert is_even(position) == (best / 6 <= -lead <= best / 2)


# --- records and files


def test_a_record_survives_its_line() -> None:
    for record in (
        game(fake(), fake("good", "native", name="b"), GomokuOpening.of("c5n5", 20)),
        game(fake("crashing"), fake()),
    ):
        record = record.with_number(7)
        again = GameRecord.from_json(record.to_json())
        assert again == record
        assert again.to_json() == record.to_json()
        assert again.game == record.game
    line = json.loads(record.to_json())
    assert (line["variant"], line["board_size"], line["moves"].split()[:2]) == ("gomoku", 15, ["a1", "b1"])
    for wrong, right in (('"board_size":15', '"board_size":9'), ('"a1 b1', '"a1 z1'), ('"gomoku"', '"renju"')):
        with pytest.raises(RecordError):
            GameRecord.from_json(record.to_json().replace(wrong, right))


def test_records_of_othello_are_told_from_those_of_gomoku() -> None:
    assert game_named("othello") == game_named("othello", 0) == OthelloGame()
    assert game_named("gomoku", 12) == GomokuGame(12) != GomokuGame(13)
    assert (OthelloGame().json_facts, OthelloGame(True).json_facts) == ({}, {"variant": "anti"})
    with pytest.raises(ValueError, match="10 to 20"):
        game_named("gomoku", 0)


def record_of(moves: str, score: int, fault: Fault | None = None, size: int = 15) -> GameRecord:
    opening = GomokuOpening.of(moves, size)
    played = [Played(move) for move in opening.moves[:1]]
    played += [Played(move, 0.0126, 1.5, 7, 1234) for move in opening.moves[1:]]
    ending = str(fault.kind) if fault else "played"
    return GameRecord("a", "b]\\", opening.start, 1, tuple(played), score, ending, fault, number=2)


def test_a_game_is_written_as_sgf() -> None:
    """Column before row, `aa` in the upper left corner."""
    written = format_sgf(record_of("h10a1o15", 1), "cup", "2026-11-30 12:00:00")
    said = "C[13 ms, value 1.5, depth 7, nodes 1234]"
    assert written == (
        "(;FF[4]CA[UTF-8]GM[4]SZ[15]RU[freestyle]PB[a]PW[b\\]\\\\]EV[cup]DT[2026-11-30]RE[B+]GC[game 3]"
        f";B[hj];W[aa]{said};B[oo]{said})"
    )


@pytest.mark.parametrize(
    ("score", "kind", "result"),
    [
        (0, None, "RE[Draw]"),
        (-1, None, "RE[W+]"),
        (1, FaultKind.TIME, "RE[B+T]"),
        (1, FaultKind.CRASH, "RE[B+F]"),
        (1, FaultKind.ILLEGAL, "RE[B+F]"),
    ],
)
def test_results_and_faults_are_told_in_the_files(score: int, kind: FaultKind | None, result: str) -> None:
    fault = None if kind is None else Fault(WHITE, kind, "why\nmore")
    record = record_of("h10a1o15", score, fault)
    written = format_sgf(record, "", "")
    assert result in written
    assert (f"GC[game 3, {kind} of b\\]\\\\: why]" in written) is (fault is not None)
    line = transcript_line(record)
    assert line.split("\t")[:4] == ["h10a1o15", f"{score:+d}", "15x15", "3"]
    assert line.endswith(f"\t{kind} of b]\\\n" if kind else "\tb]\\\n")


# --- settings


def settings(text: str) -> Settings:
    return make_settings(yaml.safe_load(text), "match.yaml")


TWO = "engines: [{name: a, command: x}, {name: b, command: y, protocol: gomocup}]\n"


def test_the_game_is_a_key_of_the_match() -> None:
    found = settings(TWO + "game: gomoku\nboard_size: 20\ndraw_after: 300\n")
    assert (found.game, found.draw_after, found.openings) == (GomokuGame(20), 300, "random:5")
    assert found.title == "match (Gomoku 20x20)"
    words = ["--game", "gomoku", "--board-size", "20", "--draw-after", "300"]
    words += ["--engine", "name=a", "cmd=x", "--engine", "name=b", "proto=gomocup", "cmd=y"]
    raw, where = raw_settings(build_parser().parse_args(words))
    assert make_settings(raw, where) == found
    assert settings(TWO + "game: gomoku\nopenings: start\n").openings == "start"
    othello = settings(TWO.replace("gomocup", "gtp"))
    assert (othello.game, othello.openings) == (OthelloGame(), None)
    assert settings(TWO.replace("gomocup", "gtp") + "game: othello\nvariant: anti").game == OthelloGame(is_anti=True)


def test_native_engines_are_told_the_game_before_anything_else() -> None:
    each = "each: {options: {Profile: gomoku-classic}}\n"
    first, second = settings(each + TWO + "game: gomoku\n").engines
    assert first.options == (("Game", "gomoku"), ("Profile", "gomoku-classic"))
    assert second.options == (("Profile", "gomoku-classic"),)
    own = settings("game: gomoku\nengines: [{command: x, options: {game: Gomoku}}, {command: y, name: b}]").engines
    assert own[0].options == (("game", "Gomoku"),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TWO, "engine 2 (b): protocol: gomocup can't play othello; one of native, nboard, gtp, cassio is needed"),
        (TWO.replace("gomocup", "gtp") + "game: gomoku", "gtp can't play gomoku; one of native, gomocup is needed"),
        (TWO + "game: gomku", "game: one of othello, gomoku is needed; did you mean gomoku?"),
        (TWO + "game: gomoku\nvariant: anti", "variant is a key of othello, but the match is of gomoku"),
        (TWO + "game: gomoku\nadjudicate: 5", "adjudicate is a key of othello, but the match is of gomoku"),
        (TWO + "board_size: 15", "board_size is a key of gomoku, but the match is of othello"),
        (TWO + "draw_after: 15", "draw_after is a key of gomoku, but the match is of othello"),
        (TWO + "game: gomoku\nboard_size: 9", "board_size: a whole number from 10 to 20 is needed"),
        (
            "game: gomoku\nengines: [{command: x, options: {Game: othello}}, {command: y, name: b}]",
            "options: Game: othello, but the match is of gomoku",
        ),
    ],
)
def test_every_slip_is_named(text: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        settings(text)
    assert message in str(error.value)


# --- the program


def engine(name: str, dialect: str = "gomocup", behaviour: str = "good") -> list[str]:
    command = shlex.join([sys.executable, str(FAKE), dialect, behaviour])
    return ["--engine", f"name={name}", f"cmd={command}", f"proto={dialect}"]


def match(out: Path, *options: str | Path, second: list[str] | None = None) -> int:
    arguments = [*engine("a", "native"), *(second or engine("b")), "--game", "gomoku", "--out", out, *options]
    return main([str(argument) for argument in [*arguments, "--each", "movetime=100ms"]])


def games_of(out: Path) -> list[GameRecord]:
    lines = (out / "games.jsonl").read_text().splitlines()
    return sorted((GameRecord.from_json(line) for line in lines), key=lambda record: record.number)


def test_the_program_writes_everything_to_its_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, openings = tmp_path / "out", tmp_path / "openings.txt"
    openings.write_text("0,0, 1,-1, -1,-2\nh8i9\n-3,-3\n")
    bad = engine("bad", behaviour="occupied")
    assert match(out, "--openings", openings, "--name", "cup", second=bad) == 0
    printed = capsys.readouterr().out
    assert "cup (Gomoku 15x15): 6 of 6 games" in printed
    assert "not an empty cell" in printed
    assert "discs" not in printed
    records = games_of(out)
    assert [record.number for record in records] == list(range(6))
    starts = [record.transcript for record in records]
    assert sorted({start[:4] for start in starts}) == ["e5a1", "h8i7", "h8i9"]
    assert all(first[:2] == second[:2] for first, second in zip(starts[::2], starts[1::2], strict=True))
    assert [record.black for record in records] == ["a", "bad"] * 3
    assert all(record.score == (1 if record.black == "a" else -1) for record in records)
    sgf = (out / "games.sgf").read_text().splitlines()
    assert len(sgf) == 6
    assert all("GM[4]SZ[15]" in line and "EV[cup]" in line and "+F]" in line for line in sgf)
    lines = [line.split("\t") for line in (out / "games.txt").read_text().splitlines()]
    assert [line[2] for line in lines] == ["15x15"] * 6
    assert not (out / "games.ggf").exists()
    report = json.loads((out / "summary.json").read_text())
    assert (report["game"], report["board_size"], report["variant"]) == ("gomoku", 15, "freestyle")
    assert report["pairings"][0]["wins"] == 6
    assert report["pairings"][0]["pentanomial"] == [0, 0, 0, 0, 3]
    assert "discs" not in report["pairings"][0]
    text = (out / "summary.md").read_text()
    assert text.startswith("# cup (Gomoku 15x15)")
    assert "- Freestyle Gomoku on a board of 15 by 15: five or more in a row win, a full board is a draw." in text
    assert "loses the game." in text
    assert "discs" not in text
    assert "empty" not in text.partition("## Rules")[0].partition("Faults:")[0]
    assert (out / "score.png").exists()


def test_without_openings_random_ones_are_played(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert match(out, "--pairs", "2", "--seed", "3", "--board-size", "12", "--concurrency", "2") == 0
    records = games_of(out)
    expected = [opening.moves for opening in islice(random_openings(12, 5, 3), 2)]
    found = [tuple(each.move for each in record.moves[:5]) for record in records]
    assert found == [expected[0], expected[0], expected[1], expected[1]]
    assert all((record.n_opening, record.start.size, record.fault) == (5, 12, None) for record in records)


def test_a_match_goes_on_in_its_game_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, whole = tmp_path / "out", tmp_path / "whole"
    for path in (out, whole):
        assert match(path, "--pairs", "2", "--draw-after", "60") == 0
    games = (out / "games.jsonl").read_text().splitlines(keepends=True)
    (out / "games.jsonl").write_text("".join(games[:1]))
    assert main(["--resume", str(out), "--game", "othello"]) == 2
    assert "game can't be changed" in capsys.readouterr().err
    description = json.loads((out / "match.json").read_text())
    other = {**description, "settings": {**description["settings"], "board_size": "20"}}
    (out / "match.json").write_text(json.dumps(other))
    assert main(["--resume", str(out)]) == 2
    told = f"{out}: game 1 is of gomoku 15x15, but the match of gomoku 20x20; that can't be changed"
    assert told in capsys.readouterr().err
    (out / "match.json").write_text(json.dumps(description))
    assert main(["--resume", str(out)]) == 0
    assert [(r.transcript, r.score) for r in games_of(out)] == [(r.transcript, r.score) for r in games_of(whole)]
    assert len((out / "games.sgf").read_text().splitlines()) == 4
    results = [json.loads((path / "summary.json").read_text())["pairings"] for path in (out, whole)]
    assert results[0] == results[1]


def test_the_empty_board_is_one_opening(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert match(tmp_path / "out", "--openings", "start") == 0
    records = games_of(tmp_path / "out")
    assert [record.n_opening for record in records] == [0, 0]
    assert {len(record.moves) for record in records} == {61}  # row by row: e1 d2 c3 b4 a5 are full first
    assert match(tmp_path / "more", "--openings", "start", "--pairs", "2") == 2
    assert "there is only the start; try --openings random:8" in capsys.readouterr().err
    assert match(tmp_path / "more", "--openings", "random:1") == 2
    assert "random:N takes 2 to 12 moves, not '1'" in capsys.readouterr().err


def test_the_sequential_test_and_many_engines_work_as_ever(tmp_path: Path) -> None:
    bad = engine("bad", behaviour="outside")
    assert match(tmp_path / "one", "--pairs", "200", "--sprt", "elo0=0", "elo1=100", second=bad) == 0
    report = json.loads((tmp_path / "one" / "summary.json").read_text())
    assert report["state"] == "decided: H1 accepted"
    assert match(tmp_path / "three", "--pairs", "2", "--mode", "gauntlet", second=[*engine("b"), *bad]) == 0
    report = json.loads((tmp_path / "three" / "summary.json").read_text())
    assert [each["games"] for each in report["engines"]] == [8, 4, 4]
    assert "discs" not in (tmp_path / "three" / "summary.md").read_text()
