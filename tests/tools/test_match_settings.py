"""Descriptions of matches: what is understood, and how every slip is named before anything is started."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tools.engines.spec import EngineSpec, Limits, PassStyle
from tools.match.__main__ import build_parser, raw_settings
from tools.match.settings import ENGINE_KEYS, MATCH_KEYS, Settings, UsageError, load_yaml, make_settings, parse_words
from tools.match.stats import Sprt

TWO = "engines: [{name: a, command: x}, {name: b, command: y}]\n"
NATIVE_AND_GTP = ["--engine", "name=a", "command=x", "--engine", "name=b", "command=y", "protocol=gtp"]
EXAMPLE = Path(__file__).parents[2] / "examples" / "match.yaml"
PAGE = Path(__file__).parents[2] / "docs" / "match.md"


def settings(text: str) -> Settings:
    return make_settings(yaml.safe_load(text), "match.yaml")


def from_words(*words: str) -> Settings:
    raw, where = raw_settings(build_parser().parse_args(words))
    return make_settings(raw, where)


def test_every_key_is_understood() -> None:
    found = settings(
        """
        name: spring cup
        variant: othello
        openings: xot.txt
        pairs: 200
        seed: 5
        mode: gauntlet
        concurrency: 4
        margin: 200ms
        hang: 10s
        patience: 2m
        adjudicate: 12
        give_up: 5
        each: {depth: 8, environment: {A: 1}}
        engines:
        - name: ours
          command: othello-engine --set "Hash=64 MB"
          options: {Threads: 2, Ponder: true}
          movetime: 100ms
        - {command: [./ntest, x], protocol: nboard, directory: /opt/ntest, clock: 60s+1s, restart: yes}
        - {command: edax -gtp, protocol: gtp, passes: implied, nodes: 1000, start_limit: 5s}
        - {name: c, command: edax -cassio, protocol: cassio, precision: 87}
        """
    )
    assert found == Settings(
        engines=(
            EngineSpec(
                "ours",
                ("othello-engine", "--set", "Hash=64 MB"),
                environment=(("A", "1"),),
                options=(("Threads", "2"), ("Ponder", "true")),
                limits=Limits(move_s=0.1, depth=8),
            ),
            EngineSpec(
                "ntest",
                ("./ntest", "x"),
                "nboard",
                Path("/opt/ntest"),
                environment=(("A", "1"),),
                limits=Limits(clock_s=60, increment_s=1, depth=8),
                restart=True,
            ),
            EngineSpec(
                "edax",
                ("edax", "-gtp"),
                "gtp",
                environment=(("A", "1"),),
                limits=Limits(depth=8, nodes=1000),
                passes=PassStyle.IMPLIED,
                start_limit_s=5,
            ),
            found.engines[3],
        ),
        openings="xot.txt",
        pairs=200,
        seed=5,
        mode="gauntlet",
        concurrency=4,
        margin=0.2,
        hang=10,
        patience=120,
        adjudicate=12,
        give_up=5,
        name="spring cup",
    )
    assert found.engines[3].precision == 87


def test_the_command_line_says_the_same() -> None:
    found = from_words(
        *["--engine", "name=a", "cmd=x -y", "option.Hash=64", "option.Clear Hash=", "env.HOME=/tmp", "movetime=100ms"],
        *["--engine", "name=b", "command=z", "protocol=gtp", "clock=1m"],
        *["--each", "depth=6", "--openings", "random:8", "--pairs", "7", "--give-up", "2"],
        *["--sprt", "elo0=0", "elo1=5", "alpha=0.1", "model=normalised"],
    )
    first, second = found.engines
    assert first.command == ("x", "-y")
    assert first.options == (("Hash", "64"), ("Clear Hash", ""))
    assert first.environment == (("HOME", "/tmp"),)
    assert first.limits == Limits(move_s=0.1, depth=6)
    assert second.limits == Limits(clock_s=60, depth=6)
    assert (found.openings, found.pairs, found.give_up) == ("random:8", 7, 2)
    assert found.sprt == Sprt(0, 5, 0.1, 0.05, normalised=True)


def test_the_variant_is_an_option_of_native_engines() -> None:
    for found in (settings(TWO + "variant: anti\n"), from_words(*NATIVE_AND_GTP, "--variant", "anti")):
        assert (found.variant, found.is_anti) == ("anti", True)
        for spec in found.engines:
            assert spec.options[-1:] == ((("Variant", "anti"),) if spec.protocol == "native" else ())
    chosen = settings("variant: anti\nengines: [{command: x, options: {A: 1, variant: Anti}}, {command: y, name: b}]")
    assert chosen.engines[0].options == (("A", "1"), ("variant", "Anti"))
    assert settings(TWO) == settings(TWO + "variant: othello\n")
    assert all(spec.options == () for spec in settings(TWO).engines)


def test_an_engines_own_limit_takes_the_place_of_that_for_each() -> None:
    found = settings(
        "each: {movetime: 100ms}\n"
        "engines: [{name: a, command: x, clock: 60s}, {name: b, command: y}, {name: c, command: z, movetime: 1s}]"
    )
    assert [spec.limits for spec in found.engines] == [Limits(clock_s=60), Limits(move_s=0.1), Limits(move_s=1)]


def test_options_of_an_engine_are_added_to_those_of_each() -> None:
    found = settings(
        "each: {options: {Threads: 1, Hash: 16}}\n"
        "engines: [{name: a, command: x, options: {Hash: 64, Ponder: true}}, {name: b, command: y}]"
    )
    assert found.engines[0].options == (("Threads", "1"), ("Hash", "64"), ("Ponder", "true"))
    assert found.engines[1].options == (("Threads", "1"), ("Hash", "16"))


def test_options_have_the_last_word(tmp_path: Path) -> None:
    path = tmp_path / "match.yaml"
    path.write_text(TWO + "pairs: 5\nseed: 2\neach: {depth: 3, movetime: 1s, options: {A: 1, B: 2}}\n")
    found = from_words(str(path), "--pairs", "9", "--each", "depth=4", "clock=1m", "option.B=3")
    assert (found.pairs, found.seed, found.engines[0].limits) == (9, 2, Limits(clock_s=60, depth=4))
    assert found.engines[1].options == (("A", "1"), ("B", "3"))
    found = from_words(str(path), "--engine", "name=c", "command=z", "--engine", "name=d", "command=z")
    assert [spec.name for spec in found.engines] == ["c", "d"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TWO + "opening: x", "match.yaml: unknown key 'opening'; did you mean openings?"),
        ("engins: []", "match.yaml: unknown key 'engins'; did you mean engines?"),
        (TWO + "eech: {}", "unknown key 'eech'; did you mean each?"),
        (TWO + "movetime: 1s", "unknown key 'movetime'; it belongs to an engine, or to each for all of them"),
        (TWO + "each: {pairs: 3}", "match.yaml: each: unknown key 'pairs'; it belongs to the match, not to an engine"),
        (TWO + "each: {movetime: 5}", "match.yaml: each: movetime: '5' is no time"),
        ("engines: [{command: x}, {command: y, Threads: 1}]", "options of the program itself stand in options"),
        ("engines: {a: {command: x}, b: {command: y}}", "engines: a list is needed, not {'a'"),
        ("engines: [{command: x}, {command: './my[1]'}]", "engine 2: name: one word is needed, without brackets, not"),
        (TWO + "sprt: {elo0: 0, elo1: .inf}", "elo1: a number is needed"),
        (TWO + "sprt: {elo0: .nan, elo1: 5}", "elo0: a number is needed"),
        (TWO + "sprt: {elo0: -5000, elo1: 5}", "elo0 and elo1 must lie between -1000 and 1000 (logistic)"),
        (TWO + "sprt: {elo0: 0, elo1: 300, model: normalised}", "between -200 and 200 (normalised)"),
        (TWO + "pairs: many", "match.yaml: pairs: a whole number from 1 to 10000000 is needed, not 'many'"),
        (TWO + "pairs: 0", "pairs: a whole number from 1"),
        (TWO + "pairs: true", "pairs: a whole number"),
        (TWO + "margin: 5", "margin: '5' is no time; write a number and its unit"),
        (TWO + "mode: round_robin", "mode: one of round-robin, gauntlet is needed; did you mean round-robin?"),
        (TWO + "variant: ati", "variant: one of othello, anti is needed; did you mean anti?, not 'ati'"),
        (TWO + "each: {variant: anti}", "each: unknown key 'variant'; it belongs to the match, not to an engine"),
        (TWO + "each: {options: {Variant: anti}}", "engine 1 (a): options: Variant: anti, but the match is of othello"),
        (
            "variant: anti\nengines: [{command: x}, {command: y, options: {variant: othello}}]",
            "engine 2 (y): options: Variant: othello, but the match is of anti",
        ),
        (TWO + "adjudicate: 50", "adjudicate: a whole number from 0 to 24"),
        (TWO + "sprt: {elo0: 0}", "sprt: elo0 and elo1 are needed"),
        (TWO + "sprt: {elo0: 5, elo1: 0}", "sprt: elo0 must be below elo1"),
        (TWO + "sprt: {elo0: 0, elo1: 5, alpha: 2}", "alpha must lie between 0 and 0.5"),
        (TWO + "sprt: {elo0: 0, elo1: 5, betta: 0.1}", "unknown key 'betta'; did you mean beta?"),
        (TWO + "sprt: 5", "sprt: elo0 and elo1 are needed"),
        (TWO + "each: fast", "each: KEY: VALUE"),
        ("pairs: 5", "at least two engines"),
        ("engines: [{command: x}]", "at least two engines"),
        ("engines: x", "engines: a list is needed, not 'x'"),
        ("engines: [x, y]", "engine 1: KEY: VALUE"),
        ("engines: [{command: x}, {command: x}]", "two engines are called x; give them names"),
        ("engines: [{command: x}, {name: b}]", "match.yaml: engine 2 (b): no command"),
        ("engines: [{command: x}, {command: ''}]", "engine 2: command: a text is needed"),
        ("engines: [{command: x}, {command: y, name: a b}]", "engine 2: name: one word is needed"),
        ("engines: [{command: x}, {command: y, protcol: gtp}]", "unknown key 'protcol'; did you mean protocol?"),
        ("engines: [{command: x}, {command: y, protocol: nbord}]", "did you mean nboard?"),
        ("engines: [{command: x}, {command: y, movetime: 0ms}]", "a time above 0 is needed"),
        ("engines: [{command: x}, {command: y, clock: 60}]", "clock: '60' is no time"),
        (
            "engines: [{command: x}, {command: y, clock: 60s, movetime: 1s}]",
            "engine 2 (y): movetime or clock, not both",
        ),
        ("engines: [{command: x}, {command: y, depth: 1.5}]", "depth: a whole number"),
        ("engines: [{command: x}, {command: y, restart: maybe}]", "restart: true or false is needed"),
        ("engines: [{command: x}, {command: y, options: 5}]", "options: names with values are needed"),
        (
            "engines: [{command: x}, {command: y, protocol: cassio, options: {a: 1}}]",
            "engine 2 (y): options: cassio has no words for them",
        ),
        ("engines: [{command: 'x \"'}, {command: y}]", "command: No closing quotation"),
        (
            "engines: [{command: x}, {command: y}, {command: z}]\nsprt: {elo0: 0, elo1: 5}",
            "sprt is for two engines",
        ),
    ],
)
def test_every_slip_is_named(text: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        settings(text)
    assert message in str(error.value)
    assert str(error.value).startswith("match.yaml")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--engine", "name"], "--engine 1: 'name' is no KEY=VALUE"),
        (["--each", "depth"], "--each: 'depth' is no KEY=VALUE"),
        (["--engine", "name=a", "options=x", "option.Hash=64"], "--engine 1: options is given as a whole and in parts"),
        (["--engine", "name=a", "depth.x=3"], "depth: a whole number"),
        (["--engine", "name=a", "command=x", "--engine", "naem=b"], "unknown key 'naem'; did you mean name?"),
    ],
)
def test_slips_on_the_command_line_are_named(words: list[str], message: str) -> None:
    with pytest.raises(UsageError) as error:
        from_words(*words, *["--engine", "command=y", "--engine", "command=z"])
    assert message in str(error.value)


def test_a_file_that_is_no_description_is_named(tmp_path: Path) -> None:
    path = tmp_path / "match.yaml"
    for text, message in (("a: [", "no YAML"), ("- a", "are needed"), ("", "are needed"), ("\x00", "no YAML")):
        path.write_text(text)
        with pytest.raises(UsageError, match=f"{path}: .*{message}"):
            load_yaml(path)
    for text, message in (("name: 2026-99-99", "no YAML"), ("a: 1\nb: 2\na: 3", "'a' twice .*line 3")):
        path.write_text(text)
        with pytest.raises(UsageError, match=f"{path}: .*{message}"):
            load_yaml(path)
    path.write_text("x: &x {depth: 3, nodes: 4}\ny: {<<: *x, depth: 5}")
    assert load_yaml(path)["y"] == {"depth": 5, "nodes": 4}
    path.write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(UsageError, match=str(path)):
        load_yaml(path)
    with pytest.raises(UsageError, match="No such file"):
        load_yaml(tmp_path / "missing")


def test_parts_of_mappings_are_joined() -> None:
    words = ["option.Hash=64", "options.Threads=1", "env.A=1=2"]
    assert parse_words(words, "x") == {"options": {"Hash": "64", "Threads": "1"}, "environment": {"A": "1=2"}}


def test_the_example_is_understood_and_shows_every_key() -> None:
    """Those of Gomoku stand in its chapter of the documentation."""
    text = EXAMPLE.read_text(encoding="utf-8")
    found = make_settings(load_yaml(EXAMPLE), "example")
    assert len(found.engines) >= 2
    chapter = PAGE.read_text(encoding="utf-8").partition("\n## Gomoku\n")[2].partition("\n## ")[0]
    for name in [*MATCH_KEYS, *ENGINE_KEYS]:
        assert f"{name}:" in (chapter if name in ("game", "board_size", "draw_after") else text), name
