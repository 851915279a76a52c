"""What is played: fields of contestants, who of them meets whom, and the games of that in an order of their own."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from othello_engine.config import Config, OptionValue, load_config, option_spec
from othello_engine.config import strengths as strength_rows
from othello_engine.errors import ConfigError
from tools.levels.players import MAX_SEED, RANDOM, Contestant
from tools.match.openings import Opening
from tools.match.record import OTHELLO
from tools.match.schedule import Meeting
from tools.match.settings import UsageError

DEFAULT_PROFILE = "phased"
MEMORY_MB = 16
"""Table of a contestant whose profile does not say how large it has to be."""


@dataclass(frozen=True, slots=True)
class Field:
    """Contestants, the weakest first, and the pairs of places that meet, the weaker one first."""

    contestants: tuple[Contestant, ...]
    pairings: tuple[tuple[int, int], ...]

    @property
    def names(self) -> list[str]:
        return [each.name for each in self.contestants]

    def describe(self) -> list[dict[str, Any]]:
        """Names, options, and what the tables of levels and strengths say about each, as JSON has it."""
        return [_describe(each) for each in self.contestants]


def _describe(contestant: Contestant) -> dict[str, Any]:
    told: dict[str, Any] = {"name": contestant.name, "profile": contestant.profile, "nodes": contestant.nodes}
    if contestant.profile is not None:
        config = load_config(profile=contestant.profile, overrides=contestant.options)
        plays = config.strength or config.levels[config.level]
        told |= {"options": dict(contestant.options), "evaluation": config.evaluation, "plays": repr(plays)}
    return told


@dataclass(frozen=True, slots=True)
class Round:
    """One game to be played. number: of the game, from 0; the two games of an opening are 2 n and 2 n + 1."""

    number: int
    black: Contestant
    white: Contestant
    opening: Opening


def ladder(profile: str, levels: Sequence[str], variant: str) -> Field:
    """Every level against the one below, the lowest one against the random mover. Raises UsageError.

    levels: the weakest first; none for all that the profile has names for.
    """
    config = _config(profile, variant)
    if not levels:
        levels = config.profile.level_names
    if not levels:
        raise UsageError(f"the levels of the profile {profile} have no names; say which ones with --levels")
    options: dict[str, OptionValue] = _memory(config)
    if variant != OTHELLO:
        options["Variant"] = variant
    contestants = [RANDOM]
    for level in levels:
        number = _checked(config, "Level", level)
        row = config.levels[number]
        contestants.append(Contestant(row.name or f"{profile}-{row.level}", profile, {**options, "Level": number}))
    _refuse_twins(contestants)
    return Field(tuple(contestants), tuple(itertools.pairwise(range(len(contestants)))))


def strengths(profile: str, elos: Sequence[int], span: int) -> Field:
    """Steps of the option Elo, each against the `span` steps below and above it. Raises UsageError."""
    config = _config(profile, OTHELLO)
    for elo in elos:
        _checked(config, "Elo", elo)
    contestants = [
        Contestant(str(elo), profile, {**_memory(config), "LimitStrength": True, "Elo": elo}) for elo in sorted(elos)
    ]
    _refuse_twins(contestants)
    if len(contestants) < 2:
        raise UsageError("at least two strengths are needed")
    pairings = [pair for pair in itertools.combinations(range(len(contestants)), 2) if pair[1] - pair[0] <= span]
    return Field(tuple(contestants), tuple(pairings))


def default_elos() -> list[int]:
    """The rows of the table behind the option Elo."""
    return [row.elo for row in strength_rows()]


def rounds(field: Field, openings: Sequence[Opening]) -> Iterator[Round]:
    """All games, opening by opening, so that every pairing has about as many at any time."""
    pair = 0
    for opening in openings:
        for first, second in field.pairings:
            meeting = Meeting(pair, first, second, opening)
            for game in (0, 1):
                black, white = (field.contestants[place] for place in meeting.colours(game))
                yield Round(2 * pair + game, black, white, opening)
            pair += 1


def seed_of(seed: int, number: int, name: str) -> int:
    """The option Seed of one side in one game, 1 to MAX_SEED."""
    return random.Random(f"{seed} {number} {name}").randint(1, MAX_SEED)


def _config(profile: str, variant: str) -> Config:
    try:
        config = load_config(profile=profile)
        return config if variant == OTHELLO else config.with_option("Variant", variant)
    except ConfigError as error:
        raise UsageError(str(error)) from None


def _checked(config: Config, option: str, value: OptionValue) -> int:
    """The number that a value of an option means."""
    try:
        found: int = getattr(config.with_option(option, value), option_spec(option).key)
    except ConfigError as error:
        raise UsageError(str(error)) from None
    return found


def _memory(config: Config) -> dict[str, OptionValue]:
    return {} if "hash_mb" in config.profile.defaults else {"Hash": MEMORY_MB}


def _refuse_twins(contestants: Sequence[Contestant]) -> None:
    names = [each.name for each in contestants]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"{name} is there twice")
