"""Options, levels, profiles, files: what is read, what is refused, and with which words."""

from __future__ import annotations

import dataclasses
import itertools
import os
from pathlib import Path

import pytest

from othello_engine import config as configuration
from othello_engine.config import (
    Config,
    Level,
    OptionSpec,
    available_cores,
    find_option,
    format_option_value,
    load_config,
    load_profile,
    option_spec,
    option_specs,
    parse_option_value,
    profile_names,
)
from othello_engine.errors import ConfigError

VALUED = [spec for spec in option_specs() if spec.kind != "button"]


def by_name(spec: OptionSpec) -> str:
    return spec.name


# -- the declarations --------------------------------------------------------------------------------------


def test_every_declared_option_is_a_field_of_the_configuration() -> None:
    fields = [f.name for f in dataclasses.fields(Config) if f.name != "explicit"]
    assert fields == [spec.key for spec in VALUED]


@pytest.mark.parametrize("spec", option_specs(), ids=by_name)
def test_every_option_is_declared_in_full(spec: OptionSpec) -> None:
    assert spec.help
    assert spec.kind in ("spin", "check", "combo", "string", "button")
    assert (spec.minimum is not None and spec.maximum is not None) == (spec.kind == "spin")
    assert bool(spec.choices) == (spec.kind == "combo")
    if spec.kind != "button":
        assert spec.default is not None
        assert parse_option_value(spec, format_option_value(spec.default)) == spec.default


@pytest.mark.parametrize("spec", VALUED, ids=by_name)
def test_defaults_survive_being_written_and_read(spec: OptionSpec) -> None:
    value = load_config().value_of(spec)
    assert load_config().with_option(spec.name, format_option_value(value)).value_of(spec) == value


def test_names_and_keys_are_found_in_any_case() -> None:
    for word in ("MoveOverhead", "moveoverhead", "move_overhead_ms", "MOVEOVERHEAD"):
        assert option_spec(word).key == "move_overhead_ms"
    assert option_spec("clear  hash").name == "Clear Hash"
    assert find_option("nothing of the kind") is None


# -- values ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("Hash", "1", 1),
        ("Hash", "65536", 65536),
        ("Hash", "+64", 64),
        ("Contempt", "-6400", -6400),
        ("Ponder", "true", True),
        ("Ponder", "FALSE", False),
        ("Selectivity", "98", 98),
        ("ResultLine", "CSV", "csv"),
        ("LogFile", "<empty>", ""),
        ("LogFile", "/tmp/a b.log", "/tmp/a b.log"),
        ("EvalFile", "<empty>", ""),
        ("eval_file", "/tmp/a b.weights", "/tmp/a b.weights"),
    ],
)
def test_a_text_becomes_a_value(name: str, text: str, value: object) -> None:
    assert parse_option_value(option_spec(name), text) == value


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("Hash", "0", "from 1 to 65536"),
        ("Hash", "65537", "from 1 to 65536"),
        ("Hash", "", "whole number"),
        ("Hash", "1.5", "1.5"),
        ("Hash", "1e3", "1e3"),
        ("Hash", "\u0661", "whole number"),
        ("Hash", "9" * 5000, "..."),
        ("Ponder", "on", "true or false"),
        ("Selectivity", "50", "73 87 95 98 99 100"),
        ("ResultLine", "xml", "none csv"),
        ("Clear Hash", "x", "button"),
    ],
)
def test_a_text_that_does_not_fit_is_refused_by_name(name: str, text: str, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_option_value(option_spec(name), text)
    assert name in str(caught.value)
    assert words in str(caught.value)
    assert str(caught.value).isascii()


@pytest.mark.parametrize(
    ("name", "value"),
    [("Hash", True), ("Hash", 2.5), ("Hash", None), ("Ponder", 1), ("LogFile", 3), ("Selectivity", 74)],
)
def test_a_value_of_the_wrong_type_is_refused(name: str, value: object) -> None:
    with pytest.raises(ConfigError, match=name):
        load_config().with_option(name, value)


def test_a_changed_option_leaves_the_original_alone() -> None:
    before = load_config()
    after = before.with_option("multipv", "4")
    assert (before.multipv, after.multipv) == (1, 4)
    assert before.explicit == frozenset()
    assert after.explicit == {"multipv"}


def test_a_button_holds_nothing() -> None:
    with pytest.raises(ConfigError, match="button"):
        load_config().with_option("Clear Hash", True)


# -- profiles and levels -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", profile_names())
def test_every_profile_is_sound(name: str) -> None:
    profile = load_profile(name)
    assert profile.summary
    assert profile.score_kind in ("cp", "raw")
    assert profile.reserve_ms >= 0
    assert profile.minimum_ms >= 0
    assert [row.level for row in profile.levels] == list(range(len(profile.levels)))
    assert profile.units_per_disc > 0
    assert load_config(profile=name).profile is profile


def test_the_classic_profile_has_its_documented_numbers() -> None:
    config = load_config(profile="Classic")
    profile = config.profile
    assert (profile.move_time_ms, profile.reserve_ms, profile.minimum_ms) == (4000, 30, 50)
    assert (config.solve_empties, config.move_overhead_ms, config.selectivity) == (14, 30, 100)
    assert (profile.evaluation, profile.score_kind) == ("classic", "raw")
    assert profile.result_lines == ("csv",)


def test_the_strong_profile_shows_hundredths_of_a_disc() -> None:
    config = load_config(profile="strong")
    assert (config.profile.evaluation, config.profile.score_kind) == ("patterns", "cp")
    assert (config.bare_go_level, config.bare_go_time_ms) == (21, 3000)
    assert (config.with_option("Level", 9).bare_go_level, config.with_option("Level", 9).bare_go_time_ms) == (9, None)
    timed = config.with_option("MoveTime", 200)
    assert (timed.bare_go_level, timed.bare_go_time_ms) == (None, 200)
    both = timed.with_option("Level", 9)
    assert (both.bare_go_level, both.bare_go_time_ms) == (9, 200)
    assert config.profile.anti == "anti"
    assert (config.solve_empties, config.wld_empties, config.selectivity) == (20, 22, 73)


def test_the_weighted_profile_has_its_documented_levels() -> None:
    config = load_config(profile="weighted")
    profile = config.profile
    assert (profile.evaluation, profile.search, profile.score_kind) == ("weighted", "minimax", "raw")
    assert [(row.level, row.name, row.depth) for row in profile.levels] == [
        (0, "easy", 0),
        (1, "normal", 1),
        (2, "hard", 4),
    ]
    assert (config.level, config.bare_go_level, profile.move_time_ms) == (2, 2, None)
    assert sorted(profile.hint_plies) == [1, 3, 5]
    assert profile.hint_plies[0] == 3
    assert not profile.can_solve


@pytest.mark.parametrize(
    ("value", "level", "name"),
    [(0, 0, "easy"), ("1", 1, "normal"), ("hard", 2, "hard"), ("EASY", 0, "easy"), ("Normal", 1, "normal")],
)
def test_a_level_with_a_name_is_set_by_name_or_number(value: object, level: int, name: str) -> None:
    config = load_config(profile="weighted", overrides={"Level": value})
    assert config.level == level
    assert config.value_of(option_spec("Level")) == name
    assert config.with_option("Level", name) == config


@pytest.mark.parametrize("value", [3, "3", -1, "expert", "easy hard", ""])
def test_a_level_that_the_profile_has_not_is_refused_with_what_there_is(value: object) -> None:
    config = load_config(profile="weighted")
    with pytest.raises(
        ConfigError, match=r"^Level is one of easy normal hard, or a whole number from 0 to 2, not "
    ) as caught:
        config.with_option("Level", value)
    assert str(value) in str(caught.value)


@pytest.mark.parametrize("profile", ["strong", "classic"])
@pytest.mark.parametrize("value", ["hard", 61, -1, True, 2.0])
def test_numbered_levels_have_no_names_and_an_end(profile: str, value: object) -> None:
    with pytest.raises(ConfigError, match="Level takes a whole number"):
        load_config(profile=profile).with_option("Level", value)


def test_names_of_levels_are_a_choice_and_numbers_a_range() -> None:
    level = option_spec("Level")
    assert load_profile("weighted").fitted(level).choices == ("easy", "normal", "hard")
    assert load_profile("weighted").fitted(level).kind == "combo"
    assert load_profile("strong").fitted(level) is level
    assert load_profile("weighted").fitted(option_spec("Hash")) is option_spec("Hash")


def test_a_level_stays_only_where_it_means_the_same() -> None:
    strong = load_config(profile="strong", overrides={"Level": 9, "MultiPV": 2})
    assert strong.with_option("Profile", "classic").level == 9
    weighted = strong.with_option("Profile", "weighted")
    assert (weighted.level, weighted.multipv) == (2, 2)
    again = weighted.with_option("Level", "easy").with_option("Profile", "strong")
    assert (again.level, "level" in again.explicit) == (option_spec("Level").default, False)
    assert load_config(overrides={"Level": "easy", "Profile": "weighted"}).level == 0


def test_a_search_goes_only_with_an_evaluation_that_it_can_use() -> None:
    from othello_engine import config

    entries = config._read_data("profiles", "weighted.yaml")
    with pytest.raises(ConfigError, match="profile x: the search minimax can't use the evaluation patterns"):
        config._profile("x", {**entries, "evaluation": "patterns"})
    with pytest.raises(ConfigError, match="profile x: the search guessing can't use the evaluation weighted"):
        config._profile("x", {**entries, "search": "guessing"})


def test_the_phased_profile_is_as_documented() -> None:
    config = load_config(profile="phased")
    profile = config.profile
    assert (profile.evaluation, profile.anti, profile.search, profile.score_kind) == (
        "phased",
        "anti",
        "deepening",
        "cp",
    )
    assert profile.level_names == ("beginner", "intermediate", "advanced", "expert")
    assert (profile.clean_table, profile.outcome_first, profile.result_lines) == (True, True, ())
    assert (config.threads, config.hash_mb, config.selectivity) == (1, 16, 100)
    assert (profile.move_time_ms, config.bare_go_level) == (None, 3)
    beginner, intermediate, advanced, expert = profile.levels
    assert beginner.style is not None
    assert beginner.style.misses_corner > 0 < beginner.style.careless
    assert beginner.style.greed > 0
    assert 1 <= beginner.depth < intermediate.depth < advanced.depth < expert.depth
    assert expert.style is None
    assert expert.nodes > 0
    # Who sees the end of the game plays it straight, so a style must not reach into it.
    assert all(row.exact_empties >= 4 for row in profile.levels)


def test_only_two_profiles_begin_with_anything_unusual() -> None:
    for name in ("classic", "strong", "weighted"):
        profile = load_profile(name)
        assert not profile.clean_table
        assert not profile.outcome_first
        assert all(row.style is None and row.nodes == 0 for row in profile.levels)


@pytest.mark.parametrize(
    ("level", "solves"),
    [
        (0, []),
        (1, [(2, 100)]),
        (10, [(20, 100)]),
        (11, [(21, 100), (24, 98)]),
        (13, [(21, 100), (24, 98), (27, 87)]),
        (18, [(21, 100), (24, 98), (27, 87)]),
        (21, [(24, 100), (27, 98), (30, 87)]),
        (24, [(24, 100), (27, 99), (30, 95), (33, 73)]),
        (27, [(27, 100), (30, 98), (33, 87)]),
        (29, [(27, 100), (30, 99), (33, 95), (36, 73)]),
        (31, [(30, 100), (33, 98), (36, 87)]),
        (33, [(30, 100), (33, 99), (36, 95), (39, 73)]),
        (35, [(30, 100), (33, 99), (36, 98), (39, 87)]),
        (36, [(30, 100), (33, 99), (36, 98), (39, 95), (42, 87), (45, 73)]),
        (59, [(53, 100), (56, 99), (59, 98), (62, 95), (65, 87), (68, 73)]),
        (60, [(60, 100)]),
    ],
)
def test_levels_are_those_that_users_of_edax_know(level: int, solves: list[tuple[int, int]]) -> None:
    row = load_profile("strong").levels[level]
    assert list(row.solves) == solves
    assert row.depth == max(level, 1)
    assert row.exact_empties == max((empties for empties, confidence in solves if confidence == 100), default=0)


@pytest.mark.parametrize("table", [load_profile("strong").levels, load_profile("classic").levels])
def test_levels_never_get_weaker(table: tuple[Level, ...]) -> None:
    assert (table[0].depth, table[0].exact_empties) == (1, 0)
    assert (table[60].depth, table[60].exact_empties) == (60, 60)
    for weaker, stronger in itertools.pairwise(table):
        assert weaker.depth <= stronger.depth
        assert weaker.exact_empties <= stronger.exact_empties
        assert (weaker.depth, weaker.exact_empties) != (stronger.depth, stronger.exact_empties)


def test_without_forward_pruning_a_level_looks_less_far() -> None:
    strong = load_config(profile="strong")
    anti = strong.with_option("Variant", "anti")
    assert anti.levels == load_profile("classic").levels
    assert strong.levels == strong.profile.levels
    for pruned, full in zip(strong.levels, anti.levels, strict=True):
        assert full.depth <= pruned.depth
        assert all(confidence == 100 for _, confidence in full.solves)


@pytest.mark.parametrize(
    ("block", "entries", "words"),
    [
        ("3", {"solve": {5: 100}}, "depth"),
        ("3", {"depth": 3, "exact": 4}, "exact"),
        ("x", {"depth": 3}, "hyphen"),
        ("3", {"depth": "3M"}, "3M"),
        ("3", {"depth": "2*L"}, "2\\*L"),
        ("3", {"depth": 0}, "needs a depth"),
        ("3", {"depth": 3, "solve": {9: 100, 8: 98}}, "ever more empties"),
        ("3", {"depth": 3, "solve": {8: 98, 9: 100}}, "less confidence"),
        ("3", {"depth": 3, "solve": {8: 97}}, "confidence"),
    ],
)
def test_a_level_table_is_checked(block: str, entries: dict[str, object], words: str) -> None:
    with pytest.raises(ConfigError, match=f"^levels.yaml, {block}: .*{words}"):
        configuration._numbered_levels(block, entries, "levels.yaml")


def test_a_block_of_levels_is_counted_from_the_level_s_number() -> None:
    rows = configuration._numbered_levels("7-8", {"depth": "L", "solve": {"2L": 100, "L+20": 98, 40: 73}}, "t")
    assert [(row.level, row.depth, row.solves) for row in rows] == [
        (7, 7, ((14, 100), (27, 98), (40, 73))),
        (8, 8, ((16, 100), (28, 98), (40, 73))),
    ]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"depth": 2, "plies": 3}, "unknown key 'plies'"),
        ({"exact": 3}, "depth"),
        ({"depth": 0, "exact": 3}, "needs a depth"),
        ({"depth": 2, "nodes": -1}, "needs a depth"),
        ({"depth": 2, "style": {"gred": 1}}, "unknown key 'gred'; did you mean greed"),
        ({"depth": 2, "style": {"careless": 1.5}}, "careless is a number from 0 to 1"),
        ({"depth": 2, "style": {"noise": -1}}, "noise is a number from 0 to 64"),
        ({"depth": 2, "style": {"noise": "much"}}, "not 'much'"),
        ({"depth": 2, "style": {"within": True}}, "not True"),
    ],
)
def test_a_level_with_a_name_is_checked(row: dict[str, object], words: str) -> None:
    with pytest.raises(ConfigError, match=f"^profile x, level lazy: .*{words}"):
        configuration._levels({"lazy": row}, "profile x")


# -- anti-Othello and limited strength ---------------------------------------------------------------------


def test_the_variant_chooses_the_evaluation() -> None:
    config = load_config(profile="strong")
    assert (config.variant, config.is_anti, config.evaluation) == ("othello", False, "patterns")
    anti = config.with_option("variant", "Anti")
    assert (anti.is_anti, anti.evaluation) == (True, "anti")
    phased = anti.with_option("Profile", "phased")
    assert (phased.is_anti, phased.evaluation) == (True, "anti")
    assert phased.with_option("Variant", "othello").evaluation == "phased"


@pytest.mark.parametrize("name", ["classic", "weighted"])
def test_a_profile_without_anti_othello_says_so(name: str) -> None:
    words = f"^Variant: the profile {name} has no anti-Othello$"
    config = load_config(profile=name)
    assert config.with_option("Variant", "othello").evaluation == config.profile.evaluation
    with pytest.raises(ConfigError, match=words):
        config.with_option("Variant", "anti")
    with pytest.raises(ConfigError, match=words):
        load_config(profile="strong", overrides={"Variant": "anti"}).with_option("Profile", name)


def test_the_evaluation_of_anti_othello_must_be_one() -> None:
    entries = configuration._read_data("profiles", "phased.yaml")
    for changes in ({"anti": "patterns"}, {"score": "raw", "units_per_disc": 100}):
        with pytest.raises(ConfigError, match=r"^profile x: .* is no evaluation of anti-Othello"):
            configuration._profile("x", {**entries, **changes})


def test_a_level_has_one_number_in_both_games() -> None:
    entries = configuration._read_data("profiles", "phased.yaml")
    with pytest.raises(ConfigError, match="profile x: levels and anti_levels need the same rows"):
        configuration._profile("x", {**entries, "anti_levels": "levels.yaml"})


def test_options_that_a_profile_has_no_use_for() -> None:
    specs = [option_spec(name) for name in ("ResultLine", "Variant", "LimitStrength", "Elo", "Hash", "BoardSize")]
    assert {name: [spec.name for spec in specs if load_profile(name).offers(spec)] for name in profile_names()} == {
        "classic": ["ResultLine", "LimitStrength", "Elo", "Hash"],
        "gomoku": ["ResultLine", "Hash", "BoardSize"],
        "gomoku-classic": ["ResultLine", "Hash", "BoardSize"],
        "phased": ["Variant", "Hash"],
        "strong": ["ResultLine", "Variant", "LimitStrength", "Elo", "Hash"],
        "weighted": ["Hash"],
    }


def test_a_game_stands_for_its_strongest_profile() -> None:
    config = load_config(overrides={"Game": "gomoku", "Threads": 1})
    assert (config.profile.name, config.game, config.threads) == ("gomoku", "gomoku", 1)
    assert config.value_of(option_spec("Game")) == "gomoku"
    assert config.with_option("Game", "gomoku") == config
    assert config.with_option("Game", "othello").profile.name == "strong"
    classic = load_config(overrides={"Game": "gomoku", "Profile": "gomoku-classic"})
    assert classic.profile.name == "gomoku-classic"
    assert load_config(profile="weighted").with_option("Profile", "gomoku-classic").game == "gomoku"


def test_a_file_may_name_a_game(tmp_path: Path) -> None:
    file = tmp_path / "gomoku.yaml"
    file.write_text("board_size: 20\ngame: gomoku\n")
    config = load_config(file)
    assert (config.profile.name, config.board_size) == ("gomoku", 20)


def test_what_only_othello_has_is_refused_under_gomoku() -> None:
    gomoku = load_config(profile="gomoku")
    with pytest.raises(ConfigError, match="Variant: the profile gomoku has no anti-Othello"):
        gomoku.with_option("Variant", "anti")
    with pytest.raises(ConfigError, match="LimitStrength: the profile gomoku has no Elo"):
        gomoku.with_option("LimitStrength", True)
    with pytest.raises(ConfigError, match="ResultLine: the profile classic has no json result line"):
        load_config(profile="classic", overrides={"ResultLine": "json"})
    assert gomoku.with_option("ResultLine", "json").result_line == "json"
    assert load_profile("classic").fitted(option_spec("ResultLine")).choices == ("none", "csv")
    with pytest.raises(ConfigError, match="profile x: the search threats plays gomoku"):
        configuration._profile("x", {**configuration._read_data("profiles", "gomoku.yaml"), "game": "othello"})


@pytest.mark.parametrize("name", ["phased", "weighted"])
def test_levels_with_names_are_the_only_strengths_of_their_profiles(name: str) -> None:
    words = rf"^LimitStrength: the profile {name} has the levels .* instead$"
    with pytest.raises(ConfigError, match=words):
        load_config(profile=name, overrides={"LimitStrength": True})
    limited = load_config(overrides={"LimitStrength": True})
    with pytest.raises(ConfigError, match=words):
        limited.with_option("Profile", name)
    assert limited.with_option("Profile", "classic").strength == limited.strength


def test_the_table_of_strengths_rises_in_many_steps() -> None:
    rows = configuration.strengths()
    assert len(rows) >= 14
    for weaker, stronger in itertools.pairwise(rows):
        assert weaker.elo < stronger.elo
        assert weaker.depth <= stronger.depth
        assert weaker.exact_empties <= stronger.exact_empties
        assert weaker.style.noise > stronger.style.noise
        assert weaker.style.misses_corner >= stronger.style.misses_corner


def test_elo_goes_from_one_end_of_the_table_to_the_other() -> None:
    rows, elo = configuration.strengths(), option_spec("Elo")
    assert (elo.minimum, elo.maximum) == (rows[0].elo, rows[-1].elo)
    assert isinstance(elo.default, int)
    assert rows[0].elo < elo.default < rows[-1].elo
    with pytest.raises(ConfigError, match="Elo takes a whole number"):
        load_config(overrides={"Elo": rows[-1].elo + 1})


def test_a_strength_lies_between_its_neighbours() -> None:
    rows = configuration.strengths()
    for row in rows:
        assert configuration.strengths_around(row.elo) == (row, row, 0.0)
    for weaker, stronger in itertools.pairwise(rows):
        for elo in range(weaker.elo + 1, stronger.elo):
            *neighbours, part = configuration.strengths_around(elo)
            assert neighbours == [weaker, stronger]
            assert weaker.elo + part * (stronger.elo - weaker.elo) == pytest.approx(elo)
    assert configuration.strengths_around(0) == (rows[0], rows[0], 0.0)
    assert configuration.strengths_around(9999) == (rows[-1], rows[-1], 0.0)


def test_strength_is_limited_only_on_request() -> None:
    assert load_config(overrides={"Elo": 1000}).strength is None
    strength = load_config(overrides={"Elo": "1000", "LimitStrength": "true"}).strength
    assert strength == configuration.strengths_around(1000)


def test_another_profile_changes_what_nobody_has_set() -> None:
    strong = load_config(profile="strong", overrides={"Hash": 64, "MoveOverhead": 7})
    changed = strong.with_option("profile", "Classic")
    assert changed.profile is load_profile("classic")
    assert (changed.hash_mb, changed.move_overhead_ms) == (64, 7)
    assert changed.solve_empties == load_config(profile="classic").solve_empties != strong.solve_empties
    assert changed.with_option("Profile", "strong") == strong
    assert changed.value_of(option_spec("Profile")) == "classic"
    names = "classic gomoku gomoku-classic phased strong weighted"
    with pytest.raises(ConfigError, match=f"Profile is one of {names}, not 'nonsense'"):
        strong.with_option("Profile", "nonsense")


def test_a_profile_among_single_values_counts_as_if_it_came_first() -> None:
    given = {"SolveEmpties": 5, "Profile": "classic", "Level": 3}
    assert load_config(overrides=given) == load_config(profile="classic", overrides={"SolveEmpties": 5, "Level": 3})


def test_a_level_that_was_chosen_overrides_the_time_per_move() -> None:
    assert load_config(profile="classic").bare_go_level is None
    assert load_config(profile="classic", overrides={"Level": "20"}).bare_go_level == 20
    assert load_config(profile="strong").bare_go_level == option_spec("Level").default


# -- files and precedence ----------------------------------------------------------------------------------


def test_a_file_overrides_the_profile_and_single_values_the_file(tmp_path: Path) -> None:
    file = tmp_path / "engine.yaml"
    file.write_text("profile: classic\nhash_mb: 8\nMultiPV: 2\nponder: true\nMoveOverhead: '7'\n")
    config = load_config(file, overrides={"multipv": "3"})
    assert (config.hash_mb, config.multipv, config.ponder, config.move_overhead_ms) == (8, 3, True, 7)
    assert config.solve_empties == 14
    assert config.explicit == {"hash_mb", "multipv", "ponder", "move_overhead_ms"}


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n"])
def test_an_empty_file_changes_nothing(tmp_path: Path, text: str) -> None:
    file = tmp_path / "engine.yaml"
    file.write_text(text)
    assert load_config(file) == load_config()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("hsah_mb: 3\n", "hsah_mb.*did you mean hash_mb"),
        ("Treads: 3\n", "Treads.*did you mean Threads"),
        ("hash_mb: 0\n", "Hash.*from 1 to 65536"),
        ("hash_mb: yes\n", "Hash.*bool"),
        ("hash_mb:\n", "Hash.*None"),
        ("hash_mb: [1]\n", "Hash.*list"),
        ("hash_mb: 1\nhash_mb: 2\n", "line 2.*occurs twice"),
        ("hash_mb: 1\nHash: 2\n", "Hash is set twice"),
        ("profile: nobody\n", "nobody.*classic"),
        ("profile: ../secret\n", "secret"),
        ("profile: 3\n", "profile is a name"),
        ("hash_mb: {\n", "line"),
        ("- 1\n- 2\n", "mapping"),
        ("just text\n", "mapping"),
        ("1: 2\n", "1 is no option name"),
        ("? [a, b]\n: 1\n", "engine.yaml"),
        ("clear_hash: true\n", "button"),
        ("hash_mb: !!python/object/apply:os.getcwd []\n", "line 1"),
        ("log_file: 2001-99-99\n", "engine.yaml"),
        ("\x00\n", "engine.yaml"),
    ],
)
def test_a_bad_file_is_refused_with_its_name_and_the_offence(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "engine.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=words) as caught:
        load_config(file)
    assert "engine.yaml" in str(caught.value) or "profile" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_named() -> None:
    with pytest.raises(ConfigError, match=r"/nonexistent/x\.yaml: No such file"):
        load_config("/nonexistent/x.yaml")


def test_the_slow_yaml_reader_reads_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    import yaml

    fast = configuration._read_data("default.yaml")
    monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    configuration._loader.cache_clear()
    try:
        assert configuration._read_data("default.yaml") == fast
        with pytest.raises(ConfigError, match="line 2, column 1: a occurs twice"):
            configuration._parse_yaml(b"a: 1\na: 2\n", "x")
    finally:
        configuration._loader.cache_clear()


# -- cores -------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="needs affinity masks")
def test_the_affinity_mask_bounds_the_default_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(configuration, "_read_text", lambda path: "")
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 3, 5})
    assert available_cores() == 3
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(1000)))
    assert available_cores() == 256


@pytest.mark.parametrize(
    ("files", "cores"),
    [
        ({}, None),
        ({"/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": "max 100000\n"}, None),
        ({"/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": "200000 100000\n"}, 2),
        ({"/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": "150000 100000\n"}, 1),
        ({"/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": "50000 100000\n"}, 1),
        (
            {
                "/proc/self/cgroup": "0::/a.slice/b.scope\n",
                "/sys/fs/cgroup/a.slice/cpu.max": "300000 100000\n",
                "/sys/fs/cgroup/a.slice/b.scope/cpu.max": "max 100000\n",
            },
            3,
        ),
        (
            {
                "/proc/self/cgroup": "4:memory:/x\n3:cpu,cpuacct:/job\n",
                "/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us": "400000\n",
                "/sys/fs/cgroup/cpu/job/cpu.cfs_period_us": "100000\n",
            },
            4,
        ),
        (
            {
                "/proc/self/cgroup": "3:cpu,cpuacct:/\n",
                "/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n",
                "/sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
            },
            None,
        ),
        ({"/proc/self/cgroup": "nonsense\n\n:::\n"}, None),
    ],
)
def test_the_quota_of_a_container_is_found(files: dict[str, str], cores: int | None) -> None:
    assert configuration._quota_cores(lambda path: files.get(path, "")) == cores
