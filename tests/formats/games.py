"""Games for the tests of formats: recorded, random, from set-up positions, and texts that are hard to write."""

from __future__ import annotations

import gzip
import random
from dataclasses import replace
from pathlib import Path

from hypothesis import strategies as st

from othello_engine.formats.game import Ending, Game, GameClock, GameMove, Result, Theory, bare_moves
from othello_engine.types import PASS
from tests import positions

SAMPLE = Path(__file__).parents[1] / "data" / "wthor_sample.txt.gz"
REAL_GAMES = Path(__file__).parents[3] / "shared" / "data" / "games"

WIPE_OUT = Game.of(positions.WIPE_OUT)
"""T1: white turns everything, -64."""
PASS_AND_WIPE_OUT = Game.of(positions.PASS_THEN_WIPE_OUT)
"""T2: white passes once, black wins by 64."""
PASS_AND_EARLY_END = Game.of(positions.EARLY_END)
"""T3: black passes once, both colours remain, -62."""
UNFINISHED = Game.of(positions.FIVE_MOVES)
ENDINGS = (WIPE_OUT, PASS_AND_WIPE_OUT, PASS_AND_EARLY_END, UNFINISHED)


def sample_transcripts(limit: int | None = None) -> list[str]:
    with gzip.open(SAMPLE, "rt", encoding="ascii") as lines:
        return [line.split()[0] for line in lines][:limit]


def sample_games(limit: int | None = None) -> list[Game]:
    """Recorded games with what WTHOR knows about a game, in a fixed but irregular way."""
    rng = random.Random(7)
    players = ["Anna Alpha", "Bo Beta", "Élodie Ñuñez", "O'Hara", "", "Æsa-Öz", "Only nineteen chars"]
    return [
        replace(
            Game.of(transcript),
            black=rng.choice(players),
            white=rng.choice(players),
            event=rng.choice(["Example cup 2026", "Château d'Été", ""]),
            date="2026",
            theory=Theory(2 * rng.randint(-32, 32), 24),
        )
        for transcript in sample_transcripts(limit)
    ]


def game_from_the_middle(seed: int, n_played: int) -> Game:
    """The rest of a random game whose first moves are not known; it may begin with white."""
    played = positions.random_game(random.Random(seed), squeeze=0.5)
    return Game(played[n_played], bare_moves(positions.moves_of(played)[n_played:]))


def _random_game(seed: int, n_left_out: int, n_played: int) -> Game:
    played = positions.random_game(random.Random(seed), squeeze=0.5)
    first = min(n_left_out, len(played) - 1)
    return Game(played[first], bare_moves(positions.moves_of(played)[first : first + n_played]))


def hundredths(limit: int) -> st.SearchStrategy[float]:
    """Numbers of two decimals, as they are written."""
    return st.integers(-100 * limit, 100 * limit).map(lambda n: n / 100)


GAMES = st.builds(_random_game, st.integers(0, 10**6), st.sampled_from((0, 0, 0, 7, 20, 41, 58)), st.integers(0, 70))
CLOCKS = st.builds(
    GameClock,
    st.integers(0, 10**6).map(float),
    st.integers(0, 999).map(lambda n: n / 10),
    st.integers(0, 999).map(float),
)
LINES = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp", "Zs"), exclude_characters="[]"), max_size=12)
"""Texts without blanks and without what GGF can't hold."""
RESULTS = st.builds(Result.of_score, hundredths(64), st.sampled_from(Ending))


def with_values(game: Game, seed: int, times: bool = True) -> Game:
    """The game with values and times at some of its moves, as they would be written."""
    rng = random.Random(seed)
    moves = (
        GameMove(
            each.move,
            rng.choice((None, rng.randint(-6400, 6400) / 100)),
            rng.choice((None, rng.randint(0, 10**6) / 1000)) if times else None,
        )
        for each in game.moves
    )
    return replace(game, moves=tuple(moves))


@st.composite
def annotated(draw: st.DrawFn, texts: st.SearchStrategy[str] = LINES, times: bool = True) -> Game:
    """Games with everything that GGF can say."""
    game = with_values(draw(GAMES), draw(st.integers(0, 10**6)), times)
    known = draw(
        st.fixed_dictionaries(
            dict.fromkeys(("black", "white", "black_rating", "white_rating", "event", "place", "date"), texts)
        )
    )
    clocks = {"black_clock": draw(st.none() | CLOCKS), "white_clock": draw(st.none() | CLOCKS)} if times else {}
    return replace(
        game,
        **known,
        **clocks,
        stated=draw(st.none() | RESULTS),
        theory=draw(st.none() | st.builds(Theory, st.integers(-64, 64), st.integers(0, 60))),
        comment=draw(texts),
    )


def without_stated(game: Game) -> Game:
    """For comparison: a result that only repeats the board comes back as stated, as that is how files are."""
    return replace(game, stated=None)


def without_last_pass(game: Game) -> Game:
    """What comes back from formats that don't write passes: of an unfinished game the last move may be one."""
    if game.moves and game.moves[-1].move == PASS:
        return replace(game, moves=game.moves[:-1])
    return game
