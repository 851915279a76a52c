"""The conformance checks, tried on small engines: what is right passes, and every kind of fault is found."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

import protocol
from othello_engine.position import Position
from tools.conformance import positions
from tools.conformance.__main__ import main
from tools.conformance.check import Limits, Severity
from tools.conformance.checks import DIALECTS
from tools.conformance.report import shortened
from tools.conformance.runner import Outcome, Runner, Verdict

FAKE = str(Path(__file__).with_name("fake_dialect.py"))
ROOT = str(Path(protocol.__file__).resolve().parent.parent)
PATIENT = Limits(start=30, answer=10, prompt=5, quiet=0.06, exit=10)
IMPATIENT = Limits(start=4, answer=0.7, prompt=0.5, quiet=0.06, exit=0.7)
_N_AT_ONCE = 6
"""Engines that run at the same time: they and the checks mostly wait."""

NOT_TRIED = {
    "native": set[str](),
    "nboard": {"nodestats-tell-the-time", "interrupted-go-gives-no-move"},  # the fake thinks too fast
    "gtp": {"end-of-input-during-a-long-search"},
    "cassio": set[str](),
    "gomocup": set[str](),
}

FAULTS = [
    # what all dialects share
    ("native", "banner", "silent-before-spoken-to empty-input-ends-the-program every-line-is-of-the-dialect"),
    ("native", "crlf", "no-stray-blanks"),
    ("native", "stderr", "stderr-is-silent"),
    ("nboard", "stderr", "stderr-is-silent"),
    ("native", "crlf-in", "crlf-line-ends"),
    ("gtp", "bom", "byte-order-mark-is-skipped"),
    ("cassio", "crash-on-binary", "bytes-that-are-no-utf8 binary-bytes random-garbage"),
    ("nboard", "utf8", "bytes-that-are-no-utf8 random-garbage"),
    ("native", "deaf-to-quit", "quit-ends-the-program"),
    ("cassio", "quit-in-search", "quit-during-a-search quit-says-goodbye"),
    ("native", "exit-status", "quit-ends-the-program"),
    ("cassio", "warms-up", "quit-at-once"),
    ("cassio", "talks-to-nobody", "closed-output-ends-the-program"),
    ("nboard", "chatty-quit", "quit-ends-the-program"),
    ("cassio", "chatty-quit", "quit-ends-the-program quit-says-goodbye"),
    ("nboard", "deaf-to-end", "end-of-input-ends-the-program"),
    ("native", "deaf-to-end", "end-of-input-during-a-long-search end-of-input-leaves-a-short-search"),
    ("native", "echo-late", "nothing-after-an-answer"),
    ("native", "dies-at-start", "gets-ready"),
    # native
    ("native", "two-uoiok", "uoi-names-the-engine"),
    ("native", "ugi", "ugi-ends-with-ugiok"),
    ("native", "no-options", "usual-options-are-there"),
    ("native", "any-value", "bad-option-value-changes-nothing"),
    ("native", "mirrored", "squares-are-neither-turned-nor-mirrored board-symbols"),
    ("native", "half-a-list", "illegal-move-changes-nothing bad-board-changes-nothing"),
    ("native", "lower-only", "keywords-in-any-case"),
    ("native", "no-pass", "forced-pass-is-shown-and-played"),
    ("native", "wrong-winner", "finished-games"),
    ("native", "any-token", "bad-searches"),
    ("native", "slow", "time-for-a-move no-time-left"),
    ("native", "searchmoves", "searchmoves-are-obeyed"),
    ("native", "wrong-score", "exact-score"),
    ("native", "one-line", "several-lines"),
    ("native", "illegal-pv", "lines-of-play-are-legal search-to-a-depth"),
    ("native", "no-nodes", "search-lines-have-their-fields"),
    ("native", "ponder-word", "bestmove-has-two-words"),
    ("native", "twice", "search-to-a-depth two-searches-in-a-row stop-brings-one-bestmove many-stops"),
    ("native", "answers-stop", "stop-while-idle"),
    ("native", "impatient", "infinite-search-of-a-solved-position ponder-waits-for-the-hit"),
    ("native", "deaf-in-search", "isready-during-a-search"),
    ("native", "busy", "changes-during-an-open-search"),
    ("native", "perft", "perft-counts perft-through-a-pass"),
    ("native", "help", "help-is-free-text"),
    # NBoard
    ("nboard", "name", "name-is-told nothing-but-the-name-is-set every-line-is-of-the-dialect"),
    ("nboard", "pong", "pong-has-the-number"),
    ("nboard", "late-pong", "ping-ends-a-hint many-interruptions"),
    ("nboard", "after-pong", "nothing-old-after-the-pong"),
    ("nboard", "late-move", "interrupted-go-gives-no-move"),
    ("nboard", "dies-of-contempt", "contempt-is-silent"),
    ("nboard", "half-a-game", "bad-game-changes-nothing"),
    ("nboard", "illegal-passes", "illegal-move-changes-nothing pass-that-is-not-forced"),
    ("nboard", "go-plays", "go-changes-nothing"),
    ("nboard", "twice", "go-answers-once nothing-after-an-answer"),
    ("nboard", "blanks", "answer-has-slashes"),
    ("nboard", "clock", "clock-of-the-game clock-that-has-run-out"),
    ("nboard", "moves-at-end", "finished-games"),
    ("nboard", "hints-pass", "hint-of-a-forced-pass finished-games"),
    ("nboard", "third-field", "hint-lines-are-well-formed"),
    ("nboard", "percent", "hint-lines-are-well-formed midgame-depth-has-no-percent"),
    ("nboard", "integers", "values-have-decimals"),
    ("nboard", "one-hint", "hint-brings-all-moves-of-a-depth"),
    ("nboard", "wrong-score", "hint-of-an-endgame-is-right"),
    ("nboard", "plain-depth", "exact-result-says-so"),
    ("nboard", "no-nodestats", "nodestats-come"),
    ("nboard", "no-time-told", "nodestats-tell-the-time"),
    ("nboard", "analyze", "analysis-of-every-position analysis-of-the-end"),
    ("nboard", "analysis-sign", "analysis-of-the-end analysis-of-an-endgame"),
    ("nboard", "learn", "learn-ends-with-learned"),
    ("nboard", "complains", "unknown-commands-are-ignored long-lines"),
    # GTP
    ("gtp", "space-id", "id-is-echoed quit-is-answered"),
    ("gtp", "sticky-id", "id-is-not-remembered"),
    ("gtp", "blank-after", "empty-answer-has-no-blank no-stray-blanks"),
    ("gtp", "doubled", "answer-without-id commands-sent-ahead every-command-has-one-answer"),
    ("gtp", "keeps-comments", "comments-and-blank-lines"),
    ("gtp", "version", "version-of-the-protocol"),
    ("gtp", "short-list", "required-commands-are-listed usual-commands-are-listed"),
    ("gtp", "unknown-known", "listed-commands-are-known"),
    ("gtp", "any-size", "boardsize every-command-has-one-answer"),
    ("gtp", "words", "unknown-command illegal-move undo-past-the-start bad-file"),
    ("gtp", "lower-only", "case-of-colours-and-squares"),
    ("gtp", "takes-illegal", "squares-are-neither-turned-nor-mirrored pass-that-is-not-forced"),
    ("gtp", "illegal-passes", "illegal-move"),
    ("gtp", "keeps-history", "clear-board-forgets"),
    ("gtp", "needs-passes", "pass-is-left-out genmove-after-a-pass-left-out undo-of-a-pass-left-out"),
    ("gtp", "forgets-passes", "genmove-passes"),
    ("gtp", "moves-at-end", "genmove-after-the-end"),
    ("gtp", "score-sign", "final-score"),
    ("gtp", "upper", "moves-are-in-lower-case"),
    ("gtp", "reg-plays", "reg-genmove-does-not-play"),
    ("gtp", "slow", "no-time-left time-left-counts"),
    ("gtp", "sgf-number", "loadsgf-to-a-move"),
    ("gtp", "go-only", "games"),
    ("gtp", "board-order", "rules-board"),
    ("gtp", "pass-at-end", "rules-legal-moves"),
    ("gtp", "analyze", "analyze-commands"),
    # Cassio
    ("cassio", "no-result", "midgame-search same-search-again exact-value"),
    ("cassio", "other-position", "midgame-search"),
    ("cassio", "shallow", "depth-reaches-what-was-asked exact-value"),
    ("cassio", "illegal-pv", "line-of-play-is-legal endgame-line-is-legal search-where-a-pass-is-forced"),
    ("cassio", "one-case", "case-tells-the-colour"),
    ("cassio", "wrong-score", "exact-value emptied-hash-gives-the-same"),
    ("cassio", "wrong-bounds", "value-outside-the-window"),
    ("cassio", "low-precision", "precision-is-reached"),
    ("cassio", "silent-end", "result-of-a-finished-game"),
    ("cassio", "loud-hash", "feeding-is-silent bad-feeding-is-one-error"),
    ("cassio", "stands-still", "infos-during-a-search"),
    ("cassio", "deaf-in-search", "empty-line-during-a-search"),
    ("cassio", "two-ready", "stop-while-idle stop-ends-a-search stop-drops-what-waits"),
    ("cassio", "foreign", "other-first-words"),
    ("cassio", "searches-anyway", "bad-searches"),
    # Gomocup
    ("gomocup", "banner", "silent-before-spoken-to every-line-is-of-the-dialect"),
    ("gomocup", "stderr", "stderr-is-silent"),
    ("gomocup", "crlf", "no-stray-blanks"),
    ("gomocup", "nameless", "about-before-start"),
    ("gomocup", "late-name", "about-begins-with-the-name"),
    ("gomocup", "explains-ok", "start-is-answered-by-ok"),
    ("gomocup", "upper-only", "start-in-lower-case"),
    ("gomocup", "any-size", "bad-sizes"),
    ("gomocup", "keeps-stones", "start-again"),
    ("gomocup", "silent-rectangle", "rectangular-boards"),
    ("gomocup", "plays-anyway", "turn-before-start"),
    ("gomocup", "two-moves", "begin nothing-after-an-answer"),
    ("gomocup", "forgets-own", "several-turns turn-to-an-occupied-cell"),
    ("gomocup", "takes-occupied", "turn-to-an-occupied-cell two-hundred-moves-with-a-copy"),
    ("gomocup", "lenient-points", "bad-turns"),
    ("gomocup", "turned-out", "points-are-not-turned"),
    ("gomocup", "turned-in", "points-are-not-turned"),
    ("gomocup", "blind", "five-is-made five-is-blocked"),
    ("gomocup", "no-empty-board", "empty-board"),
    ("gomocup", "by-order", "stones-in-any-order"),
    ("gomocup", "adds-boards", "board-replaces-the-old-one"),
    ("gomocup", "ignores-dead", "dead-cells"),
    ("gomocup", "half-boards", "bad-boards"),
    ("gomocup", "restart-keeps", "restart"),
    ("gomocup", "takes-nothing-back", "take-back"),
    ("gomocup", "by-token", "unknown-keys info-is-silent limits-of-a-gui"),
    ("gomocup", "early-rule", "rules"),
    ("gomocup", "late", "time-for-a-move no-time-for-a-move clock-is-not-spent-at-once"),
    ("gomocup", "ignores-clock", "time-left-counts no-time-left"),
    ("gomocup", "slow-stop", "yxstop"),
    ("gomocup", "answers-stop", "stop-while-idle many-stops"),
    ("gomocup", "swap2-fields", "swap2-opening swap2-answer swap2-choice"),
    ("gomocup", "two-numbers", "start-with-two-numbers"),
    ("gomocup", "yxboard-moves", "board-without-a-request"),
    ("gomocup", "forbids", "forbidden-cells-of-freestyle"),
    ("gomocup", "foreign", "unknown-commands"),
    ("gomocup", "twice-unknown", "unknown-commands long-lines"),
    ("gomocup", "answers-blanks", "blank-lines"),
    ("gomocup", "moves-at-end", "end-while-thinking"),
    ("gomocup", "leading-blank", "no-line-begins-with-a-blank"),
    ("gomocup", "odd-message", "messages-about-a-search"),
]


def fake(dialect: str, fault: str = "") -> list[str]:
    return [sys.executable, FAKE, dialect, *([fault] if fault else [])]


def outcomes(dialect: str, fault: str = "", names: str = "") -> list[Outcome]:
    """What becomes of these checks, or of all."""
    checks = DIALECTS[dialect].suite.ordered()
    chosen = [check for check in checks if not names or check.name in names.split()]
    assert not names or len(chosen) == len(names.split()), names
    limits = IMPATIENT if fault else PATIENT
    with closing(Runner(DIALECTS[dialect].client, fake(dialect, fault), None, limits)) as runner:
        return [runner.run(check) for check in chosen]


@pytest.fixture(scope="module", autouse=True)
def _importable() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", ROOT)
        yield


Runs = dict[tuple[str, str], Future[list[Outcome]]]


@pytest.fixture(scope="module")
def runs(_importable: None) -> Iterator[Runs]:
    """All runs of the fakes, by dialect and fault, under way side by side."""
    with ThreadPoolExecutor(_N_AT_ONCE) as pool:
        healthy = {(dialect, ""): pool.submit(outcomes, dialect) for dialect in DIALECTS}
        yield healthy | {(d, fault): pool.submit(outcomes, d, fault, names) for d, fault, names in FAULTS}
        pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_engine_without_faults_passes_all(dialect: str, runs: Runs) -> None:
    found = runs[dialect, ""].result()
    assert {o.check.name: (o.reason, o.transcript[-4:]) for o in found if o.verdict is Verdict.FAIL} == {}
    assert {o.check.name for o in found if o.verdict is Verdict.SKIPPED} == NOT_TRIED[dialect]


@pytest.mark.parametrize(("dialect", "fault", "names"), FAULTS)
def test_a_fault_is_found(dialect: str, fault: str, names: str, runs: Runs) -> None:
    found = runs[dialect, fault].result()
    assert {o.check.name: o.verdict for o in found} == dict.fromkeys(names.split(), Verdict.FAIL)
    assert all(o.reason and o.transcript for o in found)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_topic_has_a_fault_that_it_finds(dialect: str) -> None:
    topic_of = {check.name: check.topic for check in DIALECTS[dialect].suite.checks}
    shown = {topic_of[name] for d, _, names in FAULTS if d == dialect for name in names.split()}
    shared = {"lines", "bad input", "end", "output", "handshake"}  # the same code in all dialects
    assert set(topic_of.values()) <= shown | shared
    everywhere = {name for _, _, names in FAULTS for name in names.split()}
    for topic in shared & set(topic_of.values()):
        assert any(topic_of[name] == topic for name in everywhere & set(topic_of)), topic


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_check_says_what_it_is(dialect: str) -> None:
    for check in DIALECTS[dialect].suite.checks:
        assert check.title[0].isupper() or check.title[0] == "`", check.name
        assert check.source
        assert check.severity in Severity


def test_the_page_has_every_topic() -> None:
    page = Path(ROOT, "docs", "conformance.md").read_text(encoding="utf-8")
    table = page.split("## What is checked")[1].split("## How it works")[0]
    written = {topic for row in re.findall(r"^\| ([a-z][^|]*) \|", table, re.MULTILINE) for topic in row.split(", ")}
    assert written == {check.topic for dialect in DIALECTS.values() for check in dialect.suite.checks}


def test_positions_are_what_they_are_said_to_be() -> None:
    after = positions.after
    assert after(positions.PASS_GAME).must_pass
    assert positions.legal(after(positions.PASS_GAME).play("pass")) == {"b4", "d6"}
    assert positions.legal(after(positions.SINGLE_MOVE_GAME)) == {"c6"}
    for game, score in (
        (positions.WIPEOUT_GAME, -64),
        (positions.BLACK_WINS_GAME, 64),
        (positions.EMPTIES_LEFT_GAME, -62),
    ):
        end = after(game)
        assert (end.final_score if end.side == 0 else -end.final_score) == score
    late, six = after(positions.LATE_GAME), Position.from_text(positions.SIX_EMPTIES)
    assert late.n_empties == six.n_empties == 6
    assert [m for m in positions.legal(late) if -positions.solve(late.play(m)) == -6] == ["d1"]
    best = [m for m in positions.legal(six) if -positions.solve(six.play(m)) == positions.SIX_EMPTIES_SCORE]
    assert best == [positions.SIX_EMPTIES_BEST]
    assert positions.solve(six) == positions.SIX_EMPTIES_SCORE
    assert Position.from_text(positions.OVER_BOARD).is_over


@pytest.mark.slow
@pytest.mark.e2e
@pytest.mark.parametrize("dialect", DIALECTS)
def test_our_program_passes_all(dialect: str, capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["--protocol", dialect, "--", sys.executable, "-m", "protocol", "--protocol", dialect])
    assert status == 0, capsys.readouterr().out


# -- the program ---------------------------------------------------------------------------------------------


def test_all_passed_is_status_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--protocol", "cassio", "--only", "midgame", "--", *fake("cassio")]) == 0
    said = capsys.readouterr().out
    assert "  ok      midgame-search" in said
    assert "9 checks: 9 ok, 0 failed" in said


def test_a_failure_is_status_1_with_transcript_and_source(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    command = ["--protocol", "gtp", "--only", "version-of*", "--json", str(path), "--", *fake("gtp", "version")]
    assert main(command) == 1
    said = capsys.readouterr().out
    assert "  FAIL    version-of-the-protocol" in said
    for line in ("> protocol_version", "< = 2.0", "expected: = 2", "must (source: GTP 2; "):
        assert line in said
    assert said.rstrip().endswith("failed: version-of-the-protocol")
    data = json.loads(path.read_text())
    assert data["summary"] == {"ok": 0, "fail": 1, "skipped": 0}
    (check,) = data["checks"]
    assert (check["name"], check["severity"], check["verdict"]) == ("version-of-the-protocol", "must", "fail")
    assert check["transcript"] == ["> protocol_version", "< = 2.0", "< "]
    assert data["command"] == fake("gtp", "version")


def test_a_program_that_does_not_get_ready_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--protocol", "nboard", "--", *fake("nboard", "dies-at-start")]) == 1
    said = capsys.readouterr().out
    assert said.count("FAIL ") == 1
    assert "stderr: told to die" in said
    assert "the program did not get ready; the other checks were not tried" in said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--protocol", "gtp", "--", "/nonexistent/engine"], "can't start /nonexistent/engine: no such file"),
        (["--protocol", "gtp", "--", "no-such-engine-anywhere"], "can't start no-such-engine-anywhere"),
        (["--protocol", "gtp"], "write its command behind --"),
        (["--protocol", "gtp", "--"], "write its command behind --"),
        (["--protocol", "uci", "--", "engine"], "invalid choice: 'uci'"),
        (["--", "engine"], "--protocol"),
        (["--protocol", "gtp", "--only", "frobnication", "--", "engine"], "no check of gtp is like frobnication"),
        (["--protocol", "gtp", "--dir", "/nonexistent", "--", "engine"], "no folder /nonexistent"),
        (["--protocol", "gtp", "--json", "/nonexistent/x", "--", "engine"], "no folder /nonexistent"),
        (["--protocol", "gtp", "--timeout", "-1", "--", "engine"], "--timeout"),
        (["--protocol", "gtp", "--timeout", "nan", "--", "engine"], "--timeout"),
    ],
)
def test_what_can_not_be_used_is_status_2_and_one_error(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert words in captured.err
    assert captured.err.count("error:") + captured.err.count("can't start") == 1


def test_help_is_status_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert "--protocol" in capsys.readouterr().out


def test_checks_are_listed_without_a_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--protocol", "nboard", "--only", "learn", "--list"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said == ["learn", "  must   learn-ends-with-learned  `learn` ends with `learned`  [NBoard specification]"]


def test_everything_is_shown_if_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--protocol", "cassio", "--only", "version", "--verbose", "--", *fake("cassio")]) == 0
    assert "> ENGINE-PROTOCOL get-version" in capsys.readouterr().out


def test_no_reader_is_status_4_and_no_traceback() -> None:
    command = [sys.executable, "-m", "tools.conformance", "--protocol", "cassio", "--", *fake("cassio")]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(20) == 4


def test_control_characters_of_a_program_do_not_reach_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["--protocol", "native", "--only", "every-line", "--timeout", "1", "--", *fake("native", "escapes")]) == 1
    )
    said = capsys.readouterr().out
    assert "\\x1b[2J" in said
    assert "\x1b" not in said


def test_transcripts_are_shortened_in_the_middle() -> None:
    reports = [f"< info depth {i}" for i in range(50)]
    assert shortened(["> go", *reports, "< bestmove d3"]) == [
        "> go",
        "< info depth 0",
        "< ... 48 lines",
        "< info depth 49",
        "< bestmove d3",
    ]
    assert len(shortened([f"> line{i}" for i in range(100)])) == 21
    assert shortened(["< " + "x" * 500])[0].startswith("< xxx")
    assert len(shortened(["< " + "x" * 500])[0]) < 200
