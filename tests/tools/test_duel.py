"""Matches between engine programs, with fake ones that are good, slow, silent, illegal, crashing or refusing."""

from __future__ import annotations

import json
import math
import shlex
import sys
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from othello_engine.position import Position
from othello_engine.types import BLACK, PASS, WHITE
from tests.tools.fake_player import SLOW_S
from tools.duel.__main__ import UsageError, load_openings, main, make_spec
from tools.duel.__main__ import build_parser as parser
from tools.duel.engines import DIALECTS, EngineSpec, FaultKind, Player
from tools.duel.match import FORFEIT, Game, GameFault, Opening, Pair, Thought, play_game, play_match
from tools.duel.report import Conduct, Standing, game_line, points_interval

FAKE = Path(__file__).with_name("fake_player.py")
OPENINGS = ["f5d6c3d3c4", "f5f6e6f4e3", "f5f4e3f6g5", "f5d6c5f4e3"]
BEFORE_A_PASS = "d3c3e6d2d1e1b3c1"  # black must pass


def fake(dialect: str = "native", behaviour: str = "good", *, name: str = "", limit_s: float = 20.0) -> EngineSpec:
    return EngineSpec(name or behaviour, (sys.executable, str(FAKE), dialect, behaviour), dialect, 50, None, limit_s)


def play(first: EngineSpec, second: EngineSpec, *openings: str, concurrency: int = 1) -> list[Pair]:
    match = play_match((first, second), [Opening.from_moves(moves) for moves in openings], concurrency)
    return sorted(match, key=lambda pair: pair.index)


def first_legal_game(opening: str) -> Position:
    """The end of the game in which both play the first legal move."""
    position = Position.from_moves(opening)
    while not position.is_over:
        position = position.play(position.legal_moves[0])
    return position


@pytest.fixture
def openings_file(tmp_path: Path) -> Path:
    path = tmp_path / "openings.txt"
    path.write_text("# some openings\n\n" + "".join(f"{moves}  name\n" for moves in OPENINGS))
    return path


# --- games


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
@pytest.mark.parametrize("opening", [OPENINGS[0], BEFORE_A_PASS])
def test_a_whole_game_is_played_in_every_dialect(dialect: str, opening: str) -> None:
    [pair] = play(fake(dialect), fake("native"), opening)
    end = first_legal_game(opening)
    black = end.final_score if end.side == BLACK else -end.final_score
    for game in pair.games:
        assert game.fault is None
        assert Position.from_moves(game.transcript) == end
        assert sum(len(thoughts) for thoughts in game.thoughts) == sum(
            ply.move != PASS for ply in game.plies[len(pair.opening.plies) :]
        )
    assert [game.score for game in pair.games] == [black, -black]
    assert [game.black for game in pair.games] == [0, 1]


def test_a_forced_pass_is_played_by_the_referee() -> None:
    [pair] = play(fake("gtp"), fake("nboard"), BEFORE_A_PASS)
    game = pair.games[0]
    assert game.plies[8].side == BLACK
    assert game.plies[8].move == PASS
    assert game.thoughts[1][0].n_empties == 52


def test_programs_keep_running_from_game_to_game() -> None:
    before = set(psutil.Process().children())  # other tests' engines may be there
    players = (Player(fake()), Player(fake("gtp")))
    try:
        for moves in OPENINGS[:2]:
            assert play_game(players, 0, Opening.from_moves(moves)).fault is None
        assert len(set(psutil.Process().children()) - before) == 2
    finally:
        for player in players:
            player.close()


def test_the_time_of_an_answer_is_measured() -> None:
    [pair] = play(fake(behaviour="slow"), fake(), OPENINGS[0])
    conducts = [Conduct.of(list(pair.games), engine) for engine in (0, 1)]
    assert conducts[0].mean_ms >= 1000 * SLOW_S
    assert conducts[0].worst_ms >= conducts[0].mean_ms
    assert conducts[1].mean_ms < conducts[0].mean_ms
    assert not conducts[0].faults


def test_games_at_the_same_time_are_the_same_games() -> None:
    one = play(fake(), fake("gtp"), *OPENINGS)
    two = play(fake(), fake("gtp"), *OPENINGS, concurrency=2)
    assert [game.transcript for pair in one for game in pair.games] == [
        game.transcript for pair in two for game in pair.games
    ]


def test_a_match_that_is_broken_off_leaves_no_process() -> None:
    before = set(psutil.Process().children())
    openings = [Opening.from_moves(moves) for moves in OPENINGS]
    with closing(play_match((fake(), fake(behaviour="slow")), openings)) as match:
        next(match)
    assert set(psutil.Process().children()) <= before


# --- faults


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
@pytest.mark.parametrize(
    ("behaviour", "kind"),
    [("illegal", FaultKind.ILLEGAL), ("crashing", FaultKind.CRASH), ("silent", FaultKind.SILENCE)],
)
def test_a_fault_loses_the_game_and_the_match_goes_on(dialect: str, behaviour: str, kind: FaultKind) -> None:
    [pair] = play(fake("native"), fake(dialect, behaviour, limit_s=0.5), OPENINGS[0])
    for game in pair.games:
        assert game.fault is not None
        assert (game.fault.culprit, game.fault.kind) == (1, kind)
        assert game.score == FORFEIT
    assert Conduct.of(list(pair.games), 1).faults == {kind: 2}
    assert not Conduct.of(list(pair.games), 0).faults


@pytest.mark.parametrize("dialect", ["native", "gtp"])
def test_an_error_answer_is_a_refusal(dialect: str) -> None:
    [pair] = play(fake(dialect, "refusing"), fake(), OPENINGS[0])
    fault = pair.games[0].fault
    assert fault is not None
    assert (fault.culprit, fault.kind) == (0, FaultKind.REFUSAL)
    assert "told to refuse" in fault.text
    assert pair.games[0].score == -FORFEIT


def test_a_crashed_program_is_started_again(tmp_path: Path) -> None:
    [pair] = play(fake(), fake("nboard", f"crash-once:{tmp_path / 'mark'}"), OPENINGS[0])
    assert pair.games[0].fault is not None
    assert "told to crash once" in pair.games[0].fault.text
    assert pair.games[1].fault is None


def test_a_program_that_never_starts_loses_every_game() -> None:
    missing = EngineSpec("missing", ("/nonexistent/engine",), "gtp", 50, None, 5.0)
    [pair] = play(fake(), missing, OPENINGS[0])
    assert [game.score for game in pair.games] == [FORFEIT, FORFEIT]
    assert pair.games[0].fault is not None
    assert pair.games[0].fault.kind is FaultKind.CRASH


# --- what programs are told


def told(tmp_path: Path, dialect: str, *options: str) -> list[str]:
    """All lines that reach a program in the first game of a match with these options."""
    log = tmp_path / "log"
    command = shlex.join([sys.executable, str(FAKE), dialect, "--log", str(log)])
    arguments = ["--first", command, "--first-protocol", dialect, *options, "--second", "x", "--openings", "x"]
    players = (Player(make_spec(parser().parse_args(arguments), "first")), Player(fake()))
    try:
        assert play_game(players, 0, Opening.from_moves(BEFORE_A_PASS)).fault is None
    finally:
        for player in players:
            player.close()
    return log.read_text().splitlines()


@pytest.mark.parametrize(
    ("options", "go"),
    [
        (["--time-ms", "70"], "go time 70"),
        (["--first-depth", "3"], "go depth 3"),
        (["--time-ms", "70", "--first-time-ms", "40", "--first-depth", "3"], "go time 40 depth 3"),
    ],
)
def test_native_is_told_time_and_depth(tmp_path: Path, options: list[str], go: str) -> None:
    lines = told(tmp_path, "native", *options)
    assert lines[:4] == ["uoi", "isready", "newgame", "setboard startpos moves d3 c3 e6 d2 d1 e1 b3 c1"]
    assert {line for line in lines if line.startswith("go")} == {go}
    assert "setboard startpos moves d3 c3 e6 d2 d1 e1 b3 c1 pass" in lines


def test_nboard_is_told_depth_game_and_moves(tmp_path: Path) -> None:
    lines = told(tmp_path, "nboard", "--first-depth", "8")
    assert lines[:3] == ["nboard 1", "set depth 8", "ping 1"]
    assert lines[3].startswith("set game (;GM[Othello]")
    assert lines[3].endswith("*]B[D3]W[C3]B[E6]W[D2]B[D1]W[E1]B[B3]W[C1];)")
    assert "move PA" in lines


def test_gtp_is_told_both_colours_and_passes_but_not_what_it_played(tmp_path: Path) -> None:
    lines = told(tmp_path, "gtp")
    assert lines[:4] == ["protocol_version", "boardsize 8", "clear_board", "play b d3"]
    assert "play b pass" in lines
    after = lines.index("genmove b")
    assert lines[after + 1].startswith("play w")


def test_gtp_has_no_word_for_a_depth() -> None:
    arguments = ["--first", "x", "--first-protocol", "gtp", "--first-depth", "8", "--second", "x", "--openings", "x"]
    with pytest.raises(UsageError, match="gtp has no word for it"):
        make_spec(parser().parse_args(arguments), "first")


# --- openings


def test_the_seed_chooses_the_openings(openings_file: Path) -> None:
    drawn = {seed: [opening.transcript for opening in load_openings(openings_file, 4, seed)] for seed in range(5)}
    assert all(sorted(chosen) == sorted(OPENINGS) for chosen in drawn.values())
    assert len({tuple(chosen) for chosen in drawn.values()}) > 1
    assert [opening.transcript for opening in load_openings(openings_file, 2, 3)] == drawn[3][:2]


def test_openings_that_cannot_be_played_are_named(tmp_path: Path) -> None:
    path = tmp_path / "openings.txt"
    path.write_text("f5d6\nf5f5\n")
    with pytest.raises(UsageError, match="line 2"):
        load_openings(path, 2, 1)
    with pytest.raises(UsageError, match="3 pairs need as many openings"):
        load_openings(path, 3, 1)
    with pytest.raises(UsageError):
        load_openings(tmp_path / "missing", 1, 1)


def test_an_opening_must_leave_something_to_play() -> None:
    with pytest.raises(ValueError, match="over"):
        Opening.from_moves("e6f4d3e7f6g5e3e2f3c4f5f2")


# --- figures


def pair_of(*scores: int) -> Pair:
    opening = Opening.from_moves("f5")
    first, second = (Game(0, black, [], score) for black, score in enumerate(scores))
    return Pair(0, opening, (first, second))


def test_the_standing_counts_games_and_takes_its_errors_from_pairs() -> None:
    standing = Standing.of([pair_of(10, -4), pair_of(0, 2), pair_of(-6, -8)])
    assert (standing.wins, standing.draws, standing.losses) == (2, 1, 3)
    assert standing.points == pytest.approx((0.5 + 0.75 + 0.0) / 3)
    assert standing.discs == pytest.approx(-1.0)
    # means of the pairs: 3, 1, -7
    assert standing.discs_error == pytest.approx(math.sqrt((16 + 4 + 36) / 2 / 3))
    assert math.isnan(Standing.of([pair_of(10, -4)]).discs_error)


def test_the_interval_leaves_doubt_after_few_pairs_and_narrows_with_many() -> None:
    low, high = points_interval([1.0, 1.0])
    assert low < 0.5
    assert high == 1.0
    few, many = points_interval([0.5, 0.75] * 5), points_interval([0.5, 0.75] * 50)
    assert few[0] < many[0] < 0.625 < many[1] < few[1]
    # 98 pairs at 1/2 and the four imagined ones: deviation sqrt(4 * 0.25 / 101), mean 1/2
    low, high = points_interval([0.5] * 98)
    assert high - 0.5 == pytest.approx(0.5 - low) == pytest.approx(1.96 * math.sqrt(1 / 101 / 102))


def test_conduct_separates_the_midgame() -> None:
    game = Game(0, BLACK, [])
    game.thoughts[0].extend([Thought(30, 0.3), Thought(24, 0.1), Thought(10, 0.02)])
    game.cpu_seconds = (0.21, 0.0)
    conduct = Conduct.of([game], 0)
    assert conduct.n_moves == 3
    assert conduct.mean_ms == pytest.approx(140)
    assert conduct.midgame_mean_ms == pytest.approx(200)
    assert conduct.worst_ms == pytest.approx(300)
    assert conduct.cpu_share == pytest.approx(0.5)
    assert math.isnan(Conduct.of([game], 1).mean_ms)


def test_a_game_line_is_from_blacks_view_and_names_the_fault() -> None:
    specs = (fake(name="ours"), fake(name="theirs"))
    plies = list(Opening.from_moves("f5d6").plies)
    game = Game(2, WHITE, plies, score=6)
    assert game_line(game, specs).split("\t") == ["3", "theirs", "ours", "-6", "f5d6"]
    game.fault = GameFault(1, FaultKind.CRASH, "")
    assert game_line(game, specs).endswith("\tcrash of theirs")


# --- the program


def run(openings: Path, second: str, *options: str) -> int:
    command = f"{shlex.quote(sys.executable)} {shlex.quote(str(FAKE))}"
    sides = ["--first", f"{command} native", "--second", f"{command} {second}", "--second-protocol", second.split()[0]]
    return main(["--openings", str(openings), *sides, "--second-name", "fake", *options])


def test_the_program_writes_table_games_and_json(
    openings_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, games = tmp_path / "out.json", tmp_path / "games.txt"
    options = ["--pairs", "2", "--seed", "7", "--time-ms", "50", "--out", str(out), "--games", str(games)]
    assert run(openings_file, "gtp illegal", *options) == 0
    printed = capsys.readouterr().out
    assert "fake: illegal move: 'd4' in" in printed
    assert "first against fake: 4 games, 2 openings" in printed
    assert [line.split("\t")[0] for line in games.read_text().splitlines()] == ["1", "1", "2", "2"]
    report = json.loads(out.read_text())
    assert report["settings"]["seed"] == 7
    assert report["result"]["n_games"] == report["result"]["wins"] == 4
    assert report["result"]["points_percent"] == 100
    first, second = report["engines"]
    assert (first["protocol"], first["time_ms"], first["depth"]) == ("native", 50, None)
    assert second["command"][-2:] == ["gtp", "illegal"]
    assert second["faults"] == {"illegal move": 4}
    assert len(report["faults"]) == 4
    expected = [opening.transcript for opening in load_openings(openings_file, 2, 7)]
    assert [pair["opening"] for pair in report["pairs"]] == expected
    # white moves first behind these openings; the third move of the second engine is the last
    assert [[len(side) for side in game] for game in report["pairs"][0]["ms"]] == [[2, 3], [3, 3]]


def test_a_program_that_does_not_start_is_an_error_of_the_command_line(
    openings_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--openings", str(openings_file), "--pairs", "1", "--second", "/nonexistent/engine"]
    assert main(["--first", shlex.join([sys.executable, str(FAKE), "native"]), *options]) == 2
    assert "second does not start" in capsys.readouterr().err


def test_too_many_pairs_and_wrong_numbers_are_errors(openings_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(openings_file, "gtp", "--pairs", "5") == 2
    assert "has 4" in capsys.readouterr().err
    assert run(openings_file, "gtp", "--pairs", "1", "--out", "/nonexistent/out.json") == 2
    assert "no folder /nonexistent" in capsys.readouterr().err
    with pytest.raises(SystemExit) as stopped:
        run(openings_file, "gtp", "--pairs", "0")
    assert stopped.value.code == 2
