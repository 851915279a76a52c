"""Options, levels and profiles: read from YAML, checked, and handed on as one frozen `Config`.

`configs/default.yaml` declares every option once; a profile, a configuration file and single values
override its defaults in that order. Nothing is guessed: an unknown name or a value that doesn't fit is
refused by name. Knows no Numba; the YAML reader is imported when the first file is read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, cast

import configs
from othello_engine.errors import ConfigError
from othello_engine.types import N_SQUARES

if TYPE_CHECKING:
    from pathlib import Path

DEFAULT_PROFILE = "strong"
OTHELLO, GOMOKU = "othello", "gomoku"
"""Games."""
DEFAULT_PROFILES = {OTHELLO: DEFAULT_PROFILE, GOMOKU: "gomoku"}
"""The strongest profile of each game."""
_PROFILE = "profile"
_GAME = "game"
_LEVEL = "level"
MAX_LEVEL = 60
"""Of a table with numbered rows."""

OptionValue = int | bool | str
"""What an option holds; buttons hold nothing."""

OptionKind = Literal["spin", "check", "combo", "string", "button"]

EMPTY_STRING = "<empty>"
"""How an empty string option is written, as in UCI."""

_CORES = "cores"
_PROFILES = "profiles"
_LEVELS_FILE = "levels.yaml"
_STRENGTH_FILE = "strength.yaml"
_STRENGTH = "strength"
_PROFILE_KEYS = (
    "summary",
    "game",
    "evaluation",
    "anti",
    "search",
    "clean_table",
    "outcome_first",
    "score",
    "units_per_disc",
    "move_time_ms",
    "level_and_time",
    "reserve_ms",
    "minimum_ms",
    "levels",
    "anti_levels",
    "hints",
    "result_line",
    "options",
)
_SEARCHES = {
    "deepening": ("classic", "patterns", "phased"),
    "minimax": ("weighted",),
    "threats": ("gomoku",),
    "windows": ("gomoku_classic",),
}
"""Search -> the evaluations that it can use."""
_GAMES = {"threats": GOMOKU, "windows": GOMOKU}
"""Search -> the game that it plays, if that is not Othello."""
_OTHELLO_OPTIONS = (
    "variant",
    "limit_strength",
    "elo",
    "selectivity",
    "solve_empties",
    "wld_empties",
    "contempt",
    "eval_file",
)
_GOMOKU_OPTIONS = ("board_size",)
_ANTI_EVALUATIONS = {"deepening": ("anti",)}
"""The same for anti-Othello; their scores are hundredths of a disc."""
_ANTI = "anti"
_UNITS_PER_DISC = 100
"""Of a score in hundredths of a disc."""


# -- values ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OptionSpec:
    """One option as declared.

    name: in the protocol (`MoveOverhead`). key: in files and in Python (`move_overhead_ms`). minimum,
    maximum: of a spin. choices: of a combo. A button has no default. by_profile: the profile says which numbers there
    are, and may have names for them.
    """

    name: str
    key: str
    kind: OptionKind
    default: OptionValue | None = None
    minimum: int | None = None
    maximum: int | None = None
    choices: tuple[OptionValue, ...] = ()
    by_profile: bool = False
    unit: str = ""
    help: str = ""


@dataclass(frozen=True, slots=True)
class Style:
    """How a player chooses among moves whose values it knows: the mistakes it makes.

    All figures are discs or chances from 0 to 1. noise: standard deviation of the error in the value of each move.
    greed: what each disc turned seems to be worth on top; in anti-Othello, each disc left alone. misses_corner: chance
    that a corner isn't seen; never in anti-Othello. careless: chance that nothing seems wrong with a square next to an
    empty corner; in anti-Othello, with a corner. within: a move that seems worse than the best by no more than this is
    as good.
    """

    noise: float = 0.0
    greed: float = 0.0
    misses_corner: float = 0.0
    careless: float = 0.0
    within: float = 0.0


@dataclass(frozen=True, slots=True)
class Level:
    """A row of a level table: how far a search looks.

    depth: plies, for the midgame; 0, under a profile of fixed depths: a legal move at random. solves: pairs of empty
    squares and a confidence in per cent, the former rising: with so many empty squares and fewer the game is solved
    with that confidence, 100 for proof; the first pair that fits counts. name: in lower case; empty if it has none.
    nodes: visited at most; 0 = no limit. style: how it chooses; None = the best move.
    """

    level: int
    depth: int
    solves: tuple[tuple[int, int], ...] = ()
    name: str = ""
    nodes: int = 0
    style: Style | None = None

    @property
    def exact_empties(self) -> int:
        """Empty squares from which the game is solved with proof."""
        return max((empties for empties, confidence in self.solves if confidence == 100), default=0)


@dataclass(frozen=True, slots=True)
class Strength:
    """A row of the table behind the option Elo: who plays like that looks `depth` plies ahead, solves from
    `exact_empties` on, and chooses by `style`."""

    elo: int
    depth: int
    exact_empties: int
    style: Style


@dataclass(frozen=True, slots=True)
class Profile:
    """A set-up of the engine under a name.

    game: which one it plays. evaluation: which one judges the midgame. anti: which one judges anti-Othello; empty if
    that isn't played. search: `deepening`, or `minimax` for one plain search of a fixed depth; for Gomoku `threats` or
    `windows`. clean_table: every search begins with an empty table. outcome_first: a solve proves who wins before it
    looks for the disc difference. score_kind: `cp` for hundredths of a disc, `raw` for the evaluation's own units.
    units_per_disc: how many of those a disc, or in Gomoku a move, is worth, roughly. defaults: option values by key
    that differ from `default.yaml`. move_time_ms: for a bare `go`; None = the level decides. level_and_time: of a bare
    `go` both count, whichever is reached first. reserve_ms: kept back of a move's time; it is the default of
    MoveOverhead here, so read `Config.move_overhead_ms`. minimum_ms: a search gets at least this if the move's time
    allows. levels: rows in order, from 0; anti_levels: the same for anti-Othello. hint_plies: how far a hint may look,
    the usual depth first; empty if as far as is asked for. result_lines: forms of the result line that it has.
    """

    name: str
    summary: str
    game: str
    evaluation: str
    anti: str
    search: Literal["deepening", "minimax", "threats", "windows"]
    clean_table: bool
    outcome_first: bool
    score_kind: Literal["cp", "raw"]
    units_per_disc: int
    defaults: Mapping[str, OptionValue]
    move_time_ms: int | None
    level_and_time: bool
    reserve_ms: int
    minimum_ms: int
    levels: tuple[Level, ...]
    anti_levels: tuple[Level, ...]
    hint_plies: tuple[int, ...]
    result_lines: tuple[str, ...]

    @property
    def can_solve(self) -> bool:
        """True if the end of the game can be asked for."""
        return self.search == "deepening"

    @property
    def level_names(self) -> tuple[str, ...]:
        """Names of the levels; empty if they have only numbers."""
        return tuple(row.name for row in self.levels if row.name)

    @property
    def can_limit_strength(self) -> bool:
        """True if an Elo may be asked of it: its levels are numbers. Those with names say themselves how they play."""
        return self.can_solve and not self.level_names

    def offers(self, spec: OptionSpec) -> bool:
        """True if an option means something under this profile."""
        if spec.key == "result_line":
            return bool(self.result_lines)
        if spec.key in (_OTHELLO_OPTIONS if self.game == GOMOKU else _GOMOKU_OPTIONS):
            return False
        if spec.key == "variant":
            return bool(self.anti)
        return spec.key not in ("limit_strength", "elo") or self.can_limit_strength

    def fitted(self, spec: OptionSpec) -> OptionSpec:
        """An option as it is under this profile: names of levels are a choice, and only some result lines are."""
        if spec.key == "result_line":
            return replace(spec, choices=("none", *self.result_lines))
        if not spec.by_profile or not self.level_names:
            return spec
        return replace(spec, kind="combo", minimum=None, maximum=None, choices=self.level_names)


@dataclass(frozen=True, slots=True)
class Config:
    """All option values in force, and the profile.

    Field names are the keys of `configs/default.yaml`, where units and meanings stand. explicit: keys that
    were set by somebody, rather than left at a default.

    >>> load_config(overrides={"Threads": 2}).with_option("Hash", "64").hash_mb
    64
    """

    profile: Profile
    game: str
    variant: str
    board_size: int
    hash_mb: int
    threads: int
    multipv: int
    level: int
    limit_strength: bool
    elo: int
    bare_move_time_ms: int
    selectivity: int
    solve_empties: int
    wld_empties: int
    ponder: bool
    contempt: int
    move_overhead_ms: int
    info_interval_ms: int
    result_line: str
    eval_file: str
    log_file: str
    seed: int
    explicit: frozenset[str] = frozenset()

    def with_option(self, name: str, value: object) -> Config:
        """A copy with one option changed.

        name: the option's name in any case, or its key. value: of its type, or its text. Raises ConfigError.
        """
        spec = option_spec(name)
        if spec.kind == "button":
            raise ConfigError(f"{spec.name} is a button and holds no value")
        checked = check_option_value(spec, value)
        if spec.key == _PROFILE:
            return self._under(load_profile(str(checked)))
        if spec.key == _GAME:
            return self if checked == self.game else self._under(load_profile(DEFAULT_PROFILES[str(checked)]))
        if spec.by_profile:
            checked = _level_number(self.profile.levels, spec, checked)
        changes: dict[str, Any] = {spec.key: checked, "explicit": self.explicit | {spec.key}}
        return replace(self, **changes)._checked()

    def _under(self, profile: Profile) -> Config:
        """A copy under another profile, whose defaults take the place of all that nobody has set.

        A level is kept only where it means the same: in the same game, where both have numbers, or the same names.
        """
        is_other = (profile.game, profile.level_names) != (self.profile.game, self.profile.level_names)
        dropped = {_LEVEL} if is_other else set()
        explicit = self.explicit - dropped
        kept = {key: getattr(self, key) for key in explicit}
        return replace(_defaults_of(profile), **kept, explicit=explicit)._checked()

    def _checked(self) -> Config:
        """This configuration, if its values go together; ConfigError otherwise."""
        if self.result_line not in ("none", *self.profile.result_lines):
            form = f"{self.result_line} " if self.profile.result_lines else ""
            raise ConfigError(f"ResultLine: the profile {self.profile.name} has no {form}result line")
        if self.limit_strength and self.game != OTHELLO:
            raise ConfigError(f"LimitStrength: the profile {self.profile.name} has no Elo; its levels are depths")
        if self.is_anti and not self.profile.anti:
            raise ConfigError(f"Variant: the profile {self.profile.name} has no anti-Othello")
        if self.limit_strength and not self.profile.can_limit_strength:
            names = " ".join(self.profile.level_names)
            raise ConfigError(f"LimitStrength: the profile {self.profile.name} has the levels {names} instead")
        return self

    def value_of(self, spec: OptionSpec) -> OptionValue:
        """The value in force of an option that is no button; a level by its name, if it has one."""
        if spec.key == _PROFILE:
            return self.profile.name
        value = cast(OptionValue, getattr(self, spec.key))
        return self.profile.levels[self.level].name or value if spec.by_profile else value

    @property
    def is_anti(self) -> bool:
        """True if the game is anti-Othello: fewest discs win."""
        return self.variant == _ANTI

    @property
    def evaluation(self) -> str:
        """Name of the evaluation in force."""
        return self.profile.anti if self.is_anti else self.profile.evaluation

    @property
    def levels(self) -> tuple[Level, ...]:
        """Rows of the level table in force, from 0."""
        return self.profile.anti_levels if self.is_anti else self.profile.levels

    @property
    def strength(self) -> tuple[Strength, Strength, float] | None:
        """What the option Elo asks for, as of `strengths_around`; None without a limit."""
        return strengths_around(self.elo) if self.limit_strength else None

    @property
    def bare_go_level(self) -> int | None:
        """The level that limits a `go` without limits; None if only a time does."""
        is_given = "level" in self.explicit or (self.profile.level_and_time and not self.bare_move_time_ms)
        return self.level if is_given or self.bare_go_time_ms is None else None

    @property
    def bare_go_time_ms(self) -> int | None:
        """The time that limits a `go` without limits; None if only the level does."""
        if self.bare_move_time_ms:
            return self.bare_move_time_ms
        return None if "level" in self.explicit else self.profile.move_time_ms


# -- options -----------------------------------------------------------------------------------------------


@cache
def option_specs() -> tuple[OptionSpec, ...]:
    """Every option, in the order of `configs/default.yaml`."""
    declared = _read_data("default.yaml")
    return tuple(_option_spec(name, entry) for name, entry in declared.items())


def find_option(name: str) -> OptionSpec | None:
    """The option of this name (any case) or key; None if there is none."""
    return _specs_by_word().get(_fold(name))


def option_spec(name: str) -> OptionSpec:
    """The option of this name (any case) or key; ConfigError with the nearest name otherwise."""
    spec = find_option(name)
    if spec is None:
        names = (each.key if "_" in name else each.name for each in option_specs())
        raise ConfigError(f"unknown option {_quoted(name)}{_hint(name, names)}")
    return spec


def parse_option_value(spec: OptionSpec, text: str) -> OptionValue:
    """The value that a text means for an option; ConfigError says what would fit.

    Of an option `by_profile` it is a number or a word, and only a profile can tell whether there is such a one.
    """
    if spec.kind == "spin":
        if not re.fullmatch(r"[+-]?[0-9]{1,18}", text):
            if spec.by_profile:
                return text.lower()  # perhaps a name
            raise ConfigError(f"{spec.name} takes a whole number {_range(spec)}, not {_quoted(text)}")
        return check_option_value(spec, int(text))
    if spec.kind == "check":
        if text.lower() not in ("true", "false"):
            raise ConfigError(f"{spec.name} is true or false, not {_quoted(text)}")
        return text.lower() == "true"
    if spec.kind == "combo":
        for choice in spec.choices:
            if str(choice).lower() == text.lower():
                return choice
        choices = " ".join(str(choice) for choice in spec.choices)
        raise ConfigError(f"{spec.name} is one of {choices}, not {_quoted(text)}")
    if spec.kind == "string":
        return "" if text == EMPTY_STRING else text
    raise ConfigError(f"{spec.name} is a button and takes no value")


def check_option_value(spec: OptionSpec, value: object) -> OptionValue:
    """The value, if it fits the option (texts are parsed); ConfigError otherwise."""
    if isinstance(value, str):
        return parse_option_value(spec, value)
    if spec.kind == "check" and isinstance(value, bool):
        return value
    if spec.kind in ("spin", "combo") and isinstance(value, int) and not isinstance(value, bool):
        if spec.kind == "combo":
            return parse_option_value(spec, str(value))
        assert spec.minimum is not None
        assert spec.maximum is not None
        if not spec.by_profile and not spec.minimum <= value <= spec.maximum:
            raise ConfigError(f"{spec.name} takes a whole number {_range(spec)}, not {value}")
        return value
    wanted = {"spin": "a whole number", "check": "true or false", "combo": "one of its values"}
    raise ConfigError(f"{spec.name} takes {wanted.get(spec.kind, 'text')}, not {value!a} ({type(value).__name__})")


def format_option_value(value: OptionValue) -> str:
    """The text that `parse_option_value` reads back."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) or EMPTY_STRING


@cache
def _specs_by_word() -> dict[str, OptionSpec]:
    return {_fold(word): spec for spec in option_specs() for word in (spec.name, spec.key)}


def _fold(name: str) -> str:
    return " ".join(name.lower().split())


def _range(spec: OptionSpec) -> str:
    return f"from {spec.minimum} to {spec.maximum}"


def _option_spec(name: str, entry: Mapping[str, Any]) -> OptionSpec:
    default = entry.get("default")
    return OptionSpec(
        name=name,
        key=entry["key"],
        kind=entry["type"],
        default=available_cores() if default == _CORES else default,
        minimum=strengths()[0].elo if entry.get("min") == _STRENGTH else entry.get("min"),
        maximum=strengths()[-1].elo if entry.get("max") == _STRENGTH else entry.get("max"),
        choices=profile_names() if entry.get("values") == _PROFILES else tuple(entry.get("values", ())),
        by_profile=entry.get("by_profile", False),
        unit=entry.get("unit", ""),
        help=entry.get("help", ""),
    )


# -- profiles and levels -----------------------------------------------------------------------------------


def profile_names() -> tuple[str, ...]:
    """The profiles that come with the package."""
    files = os.listdir(os.path.join(_data_folder(), "profiles"))
    return tuple(sorted(file.removesuffix(".yaml") for file in files if file.endswith(".yaml")))


@cache
def load_profile(name: str) -> Profile:
    """The profile of this name (any case); ConfigError with the names there are otherwise."""
    stem = name.lower()
    if not re.fullmatch(r"[a-z0-9_-]+", stem) or stem not in profile_names():
        raise ConfigError(f"unknown profile {_quoted(name)}; there is {', '.join(profile_names())}")
    return _profile(stem, _read_data("profiles", f"{stem}.yaml"))


def _profile(name: str, entries: Mapping[str, Any]) -> Profile:
    where = f"profile {name}"
    _refuse_unknown(entries, _PROFILE_KEYS, where)
    search = entries.get("search", "deepening")
    if entries["evaluation"] not in _SEARCHES.get(search, ()):
        raise ConfigError(f"{where}: the search {search} can't use the evaluation {entries['evaluation']}")
    anti = entries.get("anti", "")
    if anti and (anti not in _ANTI_EVALUATIONS.get(search, ()) or entries["score"] != "cp"):
        raise ConfigError(f"{where}: {anti} is no evaluation of anti-Othello for the search {search} and its scores")
    levels = _levels(entries.get("levels", _LEVELS_FILE), where)
    anti_levels = _levels(entries["anti_levels"], where) if "anti_levels" in entries else levels
    if [row.name for row in anti_levels] != [row.name for row in levels]:
        raise ConfigError(f"{where}: levels and anti_levels need the same rows")
    game = _GAMES.get(search, OTHELLO)
    if entries.get("game", OTHELLO) != game:
        raise ConfigError(f"{where}: the search {search} plays {game}")
    defaults: dict[str, OptionValue] = {"move_overhead_ms": entries["reserve_ms"], _GAME: game}
    for option, value in entries.get("options", {}).items():
        spec = option_spec(option)
        checked = check_option_value(spec, value)
        defaults[spec.key] = _level_number(levels, spec, checked) if spec.by_profile else checked
    return Profile(
        name=name,
        summary=entries["summary"],
        game=game,
        evaluation=entries["evaluation"],
        anti=anti,
        search=search,
        clean_table=entries.get("clean_table", False),
        outcome_first=entries.get("outcome_first", False),
        score_kind=entries["score"],
        units_per_disc=entries["units_per_disc"] if entries["score"] == "raw" else _UNITS_PER_DISC,
        defaults=defaults,
        move_time_ms=entries.get("move_time_ms"),
        level_and_time=entries.get("level_and_time", False),
        reserve_ms=entries["reserve_ms"],
        minimum_ms=entries["minimum_ms"],
        levels=levels,
        anti_levels=anti_levels,
        hint_plies=tuple(entries.get("hints", ())),
        result_lines=tuple(entries.get("result_line", ())),
    )


def _levels(table: str | Mapping[str, Any], where: str) -> tuple[Level, ...]:
    """Rows of a level table: a file of numbered ones, or names with what each looks at."""
    if not isinstance(table, str):
        named = enumerate(table.items())
        return tuple(_named_level(number, name, row, f"{where}, level {name}") for number, (name, row) in named)
    rows = [row for block, entries in _read_data(table).items() for row in _numbered_levels(str(block), entries, table)]
    if [row.level for row in rows] != list(range(MAX_LEVEL + 1)):
        raise ConfigError(f"{table}: the rows 0 to {MAX_LEVEL} are needed, in order")
    return tuple(rows)


def _numbered_levels(block: str, entries: Mapping[str, Any], where: str) -> list[Level]:
    """The rows of one block of a level table: `21`, or `19-21` for three of them.

    depth, and the empty squares under solve, are numbers or sums of the level's number L: `2L`, `L-6`, `L+9`.
    """
    place = f"{where}, {block}"
    _refuse_unknown(entries, ("depth", "solve"), place)
    first, _, last = block.partition("-")
    if not (first.isdecimal() and (last or first).isdecimal()):
        raise ConfigError(f"{place}: rows are a number, or two with a hyphen")
    rows = []
    for level in range(int(first), int(last or first) + 1):
        solves = [(_of_level(empties, level, place), sure) for empties, sure in entries.get("solve", {}).items()]
        rows.append(
            _checked_level(Level(level, _of_level(entries.get("depth", 0), level, place), tuple(solves)), place)
        )
    return rows


def _of_level(term: int | str, level: int, where: str) -> int:
    """What a number, or a term such as `2L` or `L-6`, comes to for a level."""
    found = re.fullmatch(r"([0-9]*)L([+-][0-9]+)?|([0-9]+)", str(term))
    if found is None:
        raise ConfigError(f"{where}: {_quoted(str(term))} is no number, nor a term such as 2L or L-6")
    factor, addend, number = found.groups()
    return int(number) if number else int(factor or 1) * level + int(addend or 0)


def _named_level(number: int, name: str, row: int | Mapping[str, Any], where: str) -> Level:
    """A row with a name: the plies that it looks ahead, or those under `depth` and more."""
    if isinstance(row, int):
        return Level(number, row, name=name)
    _refuse_unknown(row, ("depth", "exact", "nodes", "style"), where)
    level = Level(
        number,
        row.get("depth", 0),
        solves=((row["exact"], 100),) if row.get("exact") else (),
        name=name,
        nodes=row.get("nodes", 0),
        style=_style(row["style"], where) if "style" in row else None,
    )
    return _checked_level(level, where)


def _checked_level(level: Level, where: str) -> Level:
    """A level, if it makes sense: solves for more empty squares are less sure; ConfigError otherwise."""
    empties = [each for each, _ in level.solves]
    confidences = [each for _, each in level.solves]
    allowed = option_spec("Selectivity").choices
    is_sound = (
        level.depth >= 1
        and level.nodes >= 0
        and empties == sorted(set(empties))
        and confidences == sorted(set(confidences), reverse=True)
        and all(confidence in allowed for confidence in confidences)
    )
    if not is_sound:
        raise ConfigError(f"{where}: a level needs a depth, and solves with ever more empties and less confidence")
    return level


def _style(entries: Mapping[str, Any], where: str) -> Style:
    _refuse_unknown(entries, Style.__dataclass_fields__, where)
    for key, value in entries.items():
        most = 1 if key in ("misses_corner", "careless") else N_SQUARES
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
            raise ConfigError(f"{where}: {key} is a number from 0 to {most}, not {value!a}")
    return Style(**{key: float(value) for key, value in entries.items()})


def _level_number(levels: tuple[Level, ...], spec: OptionSpec, value: OptionValue) -> int:
    """The number of the row that a number or a name in lower case means; ConfigError with what there is otherwise."""
    for row in levels:
        if value in (row.level, row.name or None):
            return row.level
    numbers = f"a whole number from 0 to {len(levels) - 1}"
    names = " ".join(row.name for row in levels if row.name)
    wanted = f"is one of {names}, or {numbers}" if names else f"takes {numbers}"
    raise ConfigError(f"{spec.name} {wanted}, not {_quoted(value) if isinstance(value, str) else value}")


# -- strength ----------------------------------------------------------------------------------------------


@cache
def strengths() -> tuple[Strength, ...]:
    """The table of strengths, rising."""
    rows = []
    for elo, entries in cast(dict[int, Any], _read_data(_STRENGTH_FILE)).items():
        where = f"{_STRENGTH_FILE}, {elo}"
        style = {key: value for key, value in entries.items() if key not in ("depth", "exact")}
        rows.append(Strength(elo, entries["depth"], entries["exact"], _style(style, where)))
    if len(rows) < 2 or any(weaker.elo >= stronger.elo for weaker, stronger in pairwise(rows)):
        raise ConfigError(f"{_STRENGTH_FILE}: two rows or more are needed, with a rising Elo")
    return tuple(rows)


def strengths_around(elo: int) -> tuple[Strength, Strength, float]:
    """The rows of the table on both sides of an Elo, and how far from the first to the second it lies: from 0 up to 1.

    Beyond the table, the row at its end, twice.
    """
    rows = strengths()
    elo = max(rows[0].elo, min(elo, rows[-1].elo))
    weaker = max((row for row in rows if row.elo <= elo), key=lambda row: row.elo)
    stronger = min((row for row in rows if row.elo >= elo), key=lambda row: row.elo)
    part = 0.0 if weaker is stronger else (elo - weaker.elo) / (stronger.elo - weaker.elo)
    return weaker, stronger, part


# -- the whole configuration -------------------------------------------------------------------------------


def load_config(
    path: Path | str | None = None,
    profile: str | None = None,
    overrides: Mapping[str, object] | None = None,
) -> Config:
    """The configuration in force: defaults, then the profile, then a file, then single values.

    path: a YAML file that maps option keys or names to values, and may name a `profile`. profile: overrides
    the file's. overrides: by name or key; texts are parsed. Raises ConfigError naming what is wrong and
    where.
    """
    written = _read_file(os.fspath(path)) if path is not None else {}
    singles = dict(overrides or {})
    chosen = profile
    for name in tuple(singles):  # a profile first: it says what the others may be
        if (spec := option_spec(name)).key == _PROFILE:
            chosen = str(check_option_value(spec, singles.pop(name)))
    if chosen is None:
        chosen = next((value for key, value in written.items() if _fold(key) == _PROFILE), DEFAULT_PROFILE)
        if not isinstance(chosen, str):
            raise ConfigError(f"{path}: profile is a name, not {chosen!a}")
    config = _defaults_of(load_profile(chosen))
    for source in (written, singles):  # then the game, which may stand for its strongest profile
        for name in tuple(source):
            if _fold(name) == _GAME:
                config = config.with_option(_GAME, source.pop(name))

    seen: set[str] = set()
    for key, value in written.items():
        try:
            spec = option_spec(key)
            if spec.key != _PROFILE:
                config = config.with_option(key, value)
        except ConfigError as error:
            raise ConfigError(f"{path}: {error}") from None
        if spec.key in seen:
            raise ConfigError(f"{path}: {spec.name} is set twice")
        seen.add(spec.key)
    for name, value in singles.items():
        config = config.with_option(name, value)
    return config


def _defaults_of(profile: Profile) -> Config:
    """The configuration under a profile where nobody has set anything."""
    values = {spec.key: spec.default for spec in option_specs() if spec.kind != "button" and spec.key != _PROFILE}
    values.update(profile.defaults)
    return Config(profile=profile, **cast(dict[str, Any], values))


def _read_file(path: str) -> dict[str, Any]:
    """The mapping in a user's YAML file; an empty file is an empty mapping."""
    try:
        with open(path, "rb") as file:
            text = file.read()
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from None
    entries = _parse_yaml(text, path)
    if entries is None:
        return {}
    if not isinstance(entries, dict):
        raise ConfigError(f"{path}: a mapping of option names to values is needed")
    for key in entries:
        if not isinstance(key, str):
            raise ConfigError(f"{path}: {key!a} is no option name")
    return entries


def _refuse_unknown(entries: Iterable[str], known: Iterable[str], where: str) -> None:
    for key in entries:
        if key not in known:
            raise ConfigError(f"{where}: unknown key {_quoted(key)}{_hint(key, known)}")


def _hint(word: str, known: Iterable[str]) -> str:
    """`; did you mean X?` if a known word is near."""
    from difflib import get_close_matches  # only mistakes pay for it

    by_fold = {_fold(each): each for each in known}
    near = get_close_matches(_fold(word), by_fold, n=1)
    return f"; did you mean {by_fold[near[0]]}?" if near else ""


def _quoted(text: str) -> str:
    """A user's text in a message: ASCII, and short enough to read."""
    return ascii(text if len(text) <= 40 else text[:37] + "...")


# -- YAML --------------------------------------------------------------------------------------------------


def _data_folder() -> str:
    return os.path.dirname(configs.__file__)


def _read_data(*names: str) -> dict[str, Any]:
    """A YAML file of the package, read through its loader, so that it may also lie in a zip archive."""
    path = os.path.join(_data_folder(), *names)
    loader: Any = configs.__loader__
    return cast(dict[str, Any], _parse_yaml(loader.get_data(path), "/".join(names)))


def _parse_yaml(text: bytes, where: str) -> Any:
    """What a YAML text says; ConfigError with the place of a mistake, a key that occurs twice included."""
    import yaml

    try:
        return yaml.load(text, Loader=_loader())
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{where}, line {mark.line + 1}, column {mark.column + 1}" if mark else where
        problem = getattr(error, "problem", None) or "no readable YAML"
        raise ConfigError(f"{place}: {problem}") from None


@cache
def _loader() -> Any:
    """A safe YAML loader that refuses repeated keys; the C one where PyYAML has it (ten times as fast)."""
    import yaml

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Loader(base):  # type: ignore[misc]
        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            seen: set[str] = set()
            for key, _ in node.value:
                if isinstance(key, yaml.ScalarNode):
                    if key.value in seen:
                        problem = f"{key.value} occurs twice"
                        raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
                    seen.add(key.value)
            return super().construct_mapping(node, deep)

    return Loader


# -- the machine -------------------------------------------------------------------------------------------


def available_cores() -> int:
    """Cores this process may use: its affinity mask, cut by the quota of its container; at least 1."""
    try:
        cores = len(os.sched_getaffinity(0))
    except (AttributeError, OSError):
        cores = os.cpu_count() or 1
    quota = _quota_cores(_read_text)
    return max(1, min(cores, quota or cores, 256))


def _read_text(path: str) -> str:
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def _quota_cores(read: Callable[[str], str]) -> int | None:
    """Whole cores that Linux control groups allow this process, at least 1; None without a quota.

    read: gives a file's text, or "" where there is none. A limit may be set on the process's own group or on
    any group above it; inside a container the root of the mounted tree is the container's group.
    """
    allowed: list[float] = []
    for line in read("/proc/self/cgroup").splitlines():
        hierarchy, _, rest = line.partition(":")
        controllers, _, group = rest.partition(":")
        if hierarchy == "0":
            for folder in _group_and_above("/sys/fs/cgroup", group):
                limit = read(f"{folder}/cpu.max").split()
                if len(limit) == 2 and limit[0].isdigit():
                    allowed.append(int(limit[0]) / int(limit[1]))
        elif "cpu" in controllers.split(","):
            for folder in _group_and_above("/sys/fs/cgroup/cpu", group):
                microseconds = read(f"{folder}/cpu.cfs_quota_us").strip()
                period = read(f"{folder}/cpu.cfs_period_us").strip()
                if microseconds.isdigit() and period.isdigit():
                    allowed.append(int(microseconds) / int(period))
    return max(1, int(min(allowed))) if allowed else None


def _group_and_above(root: str, group: str) -> list[str]:
    parts = [part for part in group.split("/") if part not in ("", "..")]
    return [root + "".join(f"/{part}" for part in parts[:length]) for length in range(len(parts), -1, -1)]
