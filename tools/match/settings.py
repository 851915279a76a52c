"""What is to be played, from a YAML file and the command line; every mistake is named before a program is started.

Both say the same: keys of the match, keys that hold for each engine, and a list of engines. `MATCH_KEYS` and
`ENGINE_KEYS` are all there are; checks, hints at slips and the help text come from them.
"""

from __future__ import annotations

import difflib
import math
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from othello_engine.gomoku.position import LARGEST, SMALLEST, USUAL_SIZE
from tools.engines.drivers import DIALECTS
from tools.engines.spec import EngineSpec, Limits, PassStyle, parse_clock, parse_duration
from tools.match.games import ANTI, GAMES, GOMOKU, NATIVE, OTHELLO, GomokuGame, MatchGame, OthelloGame
from tools.match.stats import Sprt

Raw = dict[str, Any]
"""Keys and values as they were written: text, numbers, truth values, and mappings of such."""


class UsageError(Exception):
    """The match can't be played as it is described; the text names what is wrong, and where."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key: what its value is turned into, and a line of help."""

    read: Callable[[Any], Any]
    help: str


_OTHELLO = OthelloGame()


@dataclass(frozen=True, slots=True)
class Settings:
    """A whole match.

    game: what is played; native engines are told among their options. openings: a file, `random:N`, or `start`; None
    plays from the start too. pairs: openings for each pairing; None: as many as the file has, at most 100. give_up: so
    many crashes or hangs one after another take an engine out. Times in seconds.
    """

    engines: tuple[EngineSpec, ...]
    game: MatchGame = _OTHELLO
    openings: str | None = None
    pairs: int | None = None
    seed: int = 1
    mode: str = "round-robin"
    concurrency: int = 1
    margin: float = 0.5
    hang: float = 5.0
    patience: float = 60.0
    adjudicate: int = 0
    draw_after: int = 0
    give_up: int = 3
    sprt: Sprt | None = None
    name: str = "match"

    @property
    def is_anti(self) -> bool:
        """Fewest discs win."""
        return self.game == OthelloGame(is_anti=True)

    @property
    def variant(self) -> str:
        """Of the game, as records say it."""
        return self.game.variant

    @property
    def title(self) -> str:
        """The name, and what is played if it is not Othello."""
        return f"{self.name} ({self.game.title})" if self.game.title else self.name


# --- single values


def _text(value: Any) -> str:
    if isinstance(value, (Mapping, list)) or value is None or value == "":
        raise ValueError("a text is needed")
    return str(value)


def _word(value: Any) -> str:
    text = _text(value)
    if len(text.split()) != 1 or not text.isprintable() or any(sign in text for sign in "[]"):
        raise ValueError("one word is needed, without brackets")
    return text


def _whole(low: int, high: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if isinstance(value, bool) or not str(value).removeprefix("-").isdecimal() or not low <= int(value) <= high:
            raise ValueError(f"a whole number from {low} to {high} is needed")
        return int(value)

    return read


def _number(value: Any) -> float:
    if isinstance(value, bool):
        raise ValueError("a number is needed")
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError("a number is needed") from None
    if not math.isfinite(number):
        raise ValueError("a number is needed")
    return number


def _duration(value: Any) -> float:
    return parse_duration(str(value))


def _positive_duration(value: Any) -> float:
    seconds = _duration(value)
    if not seconds:
        raise ValueError("a time above 0 is needed")
    return seconds


def _clock(value: Any) -> tuple[float, float]:
    return parse_clock(str(value))


def _flag(value: Any) -> bool:
    known = {"true": True, "yes": True, "false": False, "no": False}
    if str(value).lower() not in known:
        raise ValueError("true or false is needed")
    return known[str(value).lower()]


def _one_of(*choices: str) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if str(value) not in choices:
            raise ValueError(f"one of {', '.join(choices)} is needed{_hint(str(value), choices)}")
        return str(value)

    return read


def _command(value: Any) -> tuple[str, ...]:
    if isinstance(value, list) and value:
        return tuple(_text(word) for word in value)
    words = tuple(shlex.split(_text(value)))
    if not words:
        raise ValueError("a command is needed")
    return words


def _mapping(value: Any) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, Mapping):
        raise ValueError("names with values are needed")
    return tuple((str(name), _option_text(each)) for name, each in value.items())


def _option_text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


MOST_ELO = {"logistic": 1000, "normalised": 200}
"""Beyond that a test makes no sense, and the fit of `Sprt.llr` has no solution."""


def _sprt(value: Any) -> Sprt:
    if not isinstance(value, Mapping):
        raise ValueError("elo0 and elo1 are needed")
    given = _read(value, SPRT_KEYS, "sprt")
    if "elo0" not in given or "elo1" not in given:
        raise ValueError("elo0 and elo1 are needed")
    if not given["elo0"] < given["elo1"]:
        raise ValueError("elo0 must be below elo1")
    model = given.pop("model", "logistic")
    reach = MOST_ELO[model]
    if max(-given["elo0"], given["elo1"]) > reach:
        raise ValueError(f"elo0 and elo1 must lie between -{reach} and {reach} ({model})")
    for name in ("alpha", "beta"):
        if not 0 < given.get(name, 0.05) < 0.5:
            raise ValueError(f"{name} must lie between 0 and 0.5")
    return Sprt(normalised=model == "normalised", **given)


SPRT_KEYS = {
    "elo0": Key(_number, "lead that the first engine has if the change is worth nothing"),
    "elo1": Key(_number, "lead that it is hoped to have"),
    "alpha": Key(_number, "probability to accept elo1 wrongly (0.05)"),
    "beta": Key(_number, "probability to accept elo0 wrongly (0.05)"),
    "model": Key(_one_of("logistic", "normalised"), "kind of Elo (logistic)"),
}

MATCH_KEYS = {
    "name": Key(_text, "title of tables, EV of the games"),
    "game": Key(_one_of(*GAMES), "othello, or gomoku: five or more in a row win (othello)"),
    "variant": Key(_one_of(OTHELLO, ANTI), "othello, or anti: fewest discs win (othello)"),
    "board_size": Key(_whole(SMALLEST, LARGEST), f"gomoku: cells on a side ({USUAL_SIZE})"),
    "openings": Key(_text, "file with an opening a line (transcript, or board as in OBF), random:N moves, or start"),
    "pairs": Key(_whole(1, 10**7), "openings for each pairing, each played twice (all there are, at most 100)"),
    "seed": Key(_whole(0, 2**63), "order of the openings, or the random ones (1)"),
    "mode": Key(_one_of("round-robin", "gauntlet"), "everyone against everyone, or the first against all others"),
    "concurrency": Key(_whole(1, 1024), "games at once; each needs a core for an engine that does not ponder (1)"),
    "margin": Key(_duration, "time above its limit at which a move is not lost yet (500ms)"),
    "hang": Key(_positive_duration, "time after that in which a late move is still waited for (5s)"),
    "patience": Key(_positive_duration, "time in which a move must come where no limit in time is given (60s)"),
    "adjudicate": Key(_whole(0, 24), "empty squares from which our exact solver says the result (0: never)"),
    "draw_after": Key(_whole(0, LARGEST**2), "gomoku: stones with which a game is called a draw (0: never)"),
    "give_up": Key(_whole(1, 10**6), "games lost by a crash, hang or refusal in a row that take an engine out (3)"),
    "sprt": Key(_sprt, "stop as soon as it is decided: elo0, elo1, alpha, beta, model"),
}

ENGINE_KEYS = {
    "name": Key(_word, "in tables and files"),
    "command": Key(_command, "command line, split as by a shell"),
    "protocol": Key(_one_of(*DIALECTS), "what it speaks (native)"),
    "directory": Key(_text, "folder it runs in"),
    "environment": Key(_mapping, "variables added to its environment"),
    "options": Key(_mapping, "native: setoption; nboard: set NAME VALUE; gtp: command NAME VALUE; gomocup: INFO"),
    "movetime": Key(_positive_duration, "time for each move, such as 100ms"),
    "clock": Key(_clock, "time for the game and each move, such as 60s+1s"),
    "depth": Key(_whole(1, 1000), "plies, or what it takes for a depth"),
    "nodes": Key(_whole(1, 10**18), "positions for each move"),
    "passes": Key(_one_of(*PassStyle), "gtp: whether forced passes are told (auto: found out)"),
    "precision": Key(_whole(0, 100), "cassio: confidence asked of searches to a depth, percent (73)"),
    "restart": Key(_flag, "a new process for every game (false)"),
    "start_limit": Key(_positive_duration, "time until it must be ready (180s)"),
}
_ALIASES = {"cmd": "command", "dir": "directory", "env": "environment", "option": "options", "proto": "protocol"}


# --- mappings


def _hint(word: str, known: Sequence[str] | Mapping[str, Any]) -> str:
    close = difflib.get_close_matches(word, list(known), 1)
    return f"; did you mean {close[0]}?" if close else ""


def _hint_at_key(name: str, keys: Mapping[str, Key]) -> str:
    """What may have been meant by a key that is not known here."""
    if keys is MATCH_KEYS:
        if name in ENGINE_KEYS or name in _ALIASES:
            return "; it belongs to an engine, or to each for all of them"
        return _hint(name, [*MATCH_KEYS, "engines", "each"])
    if keys is ENGINE_KEYS:
        if name in MATCH_KEYS:
            return "; it belongs to the match, not to an engine"
        return _hint(name, keys) or "; options of the program itself stand in options"
    return _hint(name, keys)


def _read(raw: Mapping[str, Any], keys: Mapping[str, Key], where: str) -> Raw:
    """Values of known keys. Raises UsageError."""
    found = {}
    for name, value in raw.items():
        key = keys.get(name) if isinstance(name, str) else None
        if key is None:
            raise UsageError(f"{where}: unknown key {name!a}{_hint_at_key(str(name), keys)}")
        try:
            found[name] = key.read(value)
        except UsageError as error:  # of a mapping in this one
            raise UsageError(f"{where}: {error}") from None
        except ValueError as error:
            raise UsageError(f"{where}: {name}: {error}, not {value!r}") from None
    return found


class _Loader(yaml.SafeLoader):
    """Refuses a key that is there twice; YAML forbids it, and PyYAML takes the last one."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.tag != "tag:yaml.org,2002:merge":
                if key.value in seen:
                    raise yaml.constructor.ConstructorError(None, None, f"{key.value!a} twice", key.start_mark)
                seen.add(key.value)
        return super().construct_mapping(node, deep)


def load_yaml(path: Path) -> Raw:
    """A file with `engines`, `each` and match keys. Raises UsageError."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            raw = yaml.load(file, _Loader)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise UsageError(f"{path}: no YAML: {' '.join(str(error).split())}") from None
    if not isinstance(raw, dict):
        raise UsageError(f"{path}: keys such as engines and openings are needed")
    return raw


def parse_words(words: Sequence[str], where: str) -> Raw:
    """The mapping of `key=value` words; `options.Hash=64` and `env.NAME=1` are parts of mappings."""
    raw: Raw = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise UsageError(f"{where}: {word!a} is no KEY=VALUE")
        name, dot, part = name.partition(".")
        name = _ALIASES.get(name, name)
        if dot:
            parts = raw.setdefault(name, {})
            if not isinstance(parts, dict):
                raise UsageError(f"{where}: {name} is given as a whole and in parts ({word!a})")
            parts[part] = value
        else:
            raw[name] = value
    return raw


def game_of_raw(raw: Mapping[str, Any]) -> MatchGame:
    """What is played, as the keys of a match say it. Raises UsageError."""
    return _take_game(_read({name: raw[name] for name in _GAME_KEYS if name in raw}, MATCH_KEYS, "game"), "game")


_GAME_KEYS = ("game", "variant", "board_size")
_KEYS_OF_A_GAME = {"variant": OTHELLO, "adjudicate": OTHELLO, "board_size": GOMOKU, "draw_after": GOMOKU}
"""Keys that make sense in one game only."""


def _take_game(given: Raw, where: str) -> MatchGame:
    """What is played; its keys are taken out of those of the match."""
    name = given.pop("game", OTHELLO)
    for key, game in _KEYS_OF_A_GAME.items():
        if key in given and game != name:
            raise UsageError(f"{where}: {key} is a key of {game}, but the match is of {name}")
    if name == GOMOKU:
        return GomokuGame(given.pop("board_size", USUAL_SIZE))
    return OthelloGame(is_anti=given.pop("variant", OTHELLO) == ANTI)


def make_settings(raw: Mapping[str, Any], where: str) -> Settings:
    """The match of a mapping: match keys, `each`, and `engines`. Raises UsageError."""
    raw = dict(raw)
    engines, each = raw.pop("engines", None), raw.pop("each", None) or {}
    given = _read(raw, MATCH_KEYS, where)
    game = _take_game(given, where)
    if engines is not None and not isinstance(engines, list):
        raise UsageError(f"{where}: engines: a list is needed, not {engines!r}")
    if not engines or len(engines) < 2:
        raise UsageError(f"{where}: at least two engines are needed")
    for name, value in [("each", each), *((f"engine {i}", engine) for i, engine in enumerate(engines, 1))]:
        if not isinstance(value, Mapping):
            raise UsageError(f"{where}: {name}: KEY: VALUE pairs are needed, not {value!r}")
    _read(merged(each, {}), ENGINE_KEYS, f"{where}: each")
    specs = [_make_spec(merged(each, engine), f"{where}: engine {i}", game) for i, engine in enumerate(engines, 1)]
    names = [spec.name for spec in specs]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"{where}: two engines are called {name}; give them names")
    if given.get("sprt") and len(specs) != 2:
        raise UsageError(f"{where}: sprt is for two engines")
    given.setdefault("openings", game.default_openings)
    return Settings(engines=tuple(specs), game=game, **given)


def merged(each: Mapping[str, Any], engine: Mapping[str, Any]) -> Raw:
    """The keys of an engine over those of each, mappings joined. A time per move and a clock replace each other."""
    own = {_ALIASES.get(name, name): value for name, value in engine.items()}
    found = {_ALIASES.get(name, name): value for name, value in each.items()}
    for name, other in (("movetime", "clock"), ("clock", "movetime")):
        if name in own:
            found.pop(other, None)
    for name, value in own.items():
        if isinstance(value, Mapping) and isinstance(found.get(name), Mapping):
            value = {**found[name], **value}
        found[name] = value
    return found


def _make_spec(raw: Raw, where: str, game: MatchGame) -> EngineSpec:
    given = _read(raw, ENGINE_KEYS, where)
    name = given.pop("name", "")
    if "command" not in given:
        raise UsageError(f"{where}{f' ({name})' if name else ''}: no command")
    command: tuple[str, ...] = given.pop("command")
    try:
        name = name or _word(Path(command[0]).name)
    except ValueError as error:
        raise UsageError(f"{where}: name: {error}, not that of its program ({command[0]!a})") from None
    where = f"{where} ({name})"
    if "movetime" in given and "clock" in given:
        raise UsageError(f"{where}: movetime or clock, not both")
    clock_s, increment_s = given.pop("clock", (None, 0.0))
    limits = Limits(
        move_s=given.pop("movetime", None),
        clock_s=clock_s,
        increment_s=increment_s,
        depth=given.pop("depth", None),
        nodes=given.pop("nodes", None),
    )
    if "directory" in given:
        given["directory"] = Path(given["directory"]).expanduser()
    if "passes" in given:
        given["passes"] = PassStyle(given["passes"])
    if "start_limit" in given:
        given["start_limit_s"] = given.pop("start_limit")
    spec = EngineSpec(name=name, command=command, limits=limits, **given)
    if spec.protocol not in game.protocols:
        others = ", ".join(game.protocols)
        raise UsageError(f"{where}: protocol: {spec.protocol} can't play {game.variant}; one of {others} is needed")
    driver = DIALECTS[spec.protocol]
    if spec.options and not driver.takes_options:
        raise UsageError(f"{where}: options: {spec.protocol} has no words for them; use its command line")
    if spec.protocol != NATIVE:
        return spec
    try:
        return replace(spec, options=game.native_options(spec.options))
    except ValueError as error:
        raise UsageError(f"{where}: options: {error}") from None


def key_table(keys: Mapping[str, Key]) -> str:
    """For help texts."""
    return "\n".join(f"  {name:<12} {key.help}" for name, key in keys.items())
