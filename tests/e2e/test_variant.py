"""Anti-Othello in the real program: solves, results and moves in the dialects; and levels that repeat themselves."""

from __future__ import annotations

import random
import subprocess

import pytest

from othello_engine.position import Position
from othello_engine.types import parse_square, square_name
from tests.e2e.client import final_lines, live_positions
from tests.e2e.conftest import StartEngine
from tests.positions import WIPE_OUT
from tests.protocol.nboard_desk import ggf
from tests.protocol.transcripts import Dialogue, dialogues, play, real_program
from tools import plain_solver
from tools.measure.driver import COMMAND, engine_environment

pytestmark = pytest.mark.usefixtures("warm_cache")

ANTI = "setoption name Variant value anti"


def play_at_random(rng: random.Random, n_empties: int) -> Position:
    """A live position with so many empty squares from a random game."""
    while True:
        position = Position.start()
        while not position.is_over and position.n_empties > n_empties:
            position = position.play(rng.choice(position.legal_moves))
        if not position.is_over and not position.must_pass:
            return position


@pytest.mark.parametrize("profile", ["strong", "phased"])
def test_every_move_has_the_score_that_a_plain_solver_finds(start: StartEngine, profile: str) -> None:
    engine = start("--profile", profile, "--set", "threads=2", "--set", "variant=anti")
    engine.wait_ready()
    rng = random.Random(20261130)
    for n_empties in (*range(1, 10), 10):
        position = play_at_random(rng, n_empties)
        answer = engine.search(f"setboard {position.to_text()}", "go exact multipv 64")
        wanted = plain_solver.move_scores(position.player, position.opponent, anti=True)
        lines = final_lines(answer)
        assert {info.pv[0]: info.score for info in lines} == {square_name(move): s for move, s in wanted.items()}
        assert all(info.score_kind == "disc" for info in lines)
        assert answer.best in [square_name(move) for move, s in wanted.items() if s == max(wanted.values())]
        best = lines[0]
        end = position
        for move in best.pv:
            end = end.play(move)
        assert end.is_over
        sign = 1 if end.side == position.side else -1
        assert sign * end.final_score_in(is_anti=True) == best.score
        outcome = engine.search("go wld").last
        assert (outcome.score_kind, outcome.score) == ("wld", (best.score > 0) - (best.score < 0))


def test_the_variant_is_changed_while_the_program_runs(start: StartEngine) -> None:
    engine = start("--profile", "strong", "--set", "threads=1")
    engine.wait_ready()
    position = next(each for each in live_positions(60, 3) if each.n_empties == 8 and len(each.legal_moves) > 1)
    board = f"setboard {position.to_text()}"
    usual = engine.search(board, "go exact").last.score
    assert usual == plain_solver.score(position.player, position.opponent)
    assert engine.ask(ANTI) == []
    anti = engine.search(board, "go exact").last.score
    assert anti == plain_solver.score(position.player, position.opponent, anti=True)
    engine.ask("setoption name Variant value othello")
    assert engine.search(board, "go exact").last.score == usual


def test_a_profile_without_the_game_refuses_it_and_stays_as_it_was(start: StartEngine) -> None:
    engine = start("--profile", "classic", "--set", "threads=1")
    engine.wait_ready()
    refusal = "error bad-option-value anti Variant: the profile classic has no anti-Othello"
    assert engine.ask(ANTI) == [refusal]
    assert not [line for line in engine.ask("uoi") if "Variant" in line]
    engine.ask("setoption name Profile value phased", ANTI)
    assert "option name Variant type combo default anti var othello var anti" in engine.ask("uoi")
    assert engine.ask("setoption name Profile value classic") == [
        "error bad-option-value classic Variant: the profile classic has no anti-Othello"
    ]
    assert engine.ask(f"setboard startpos moves {WIPE_OUT}", "query result") == ["response p1win"]
    engine.ask("setoption name Variant value othello", "setoption name Profile value classic")
    assert engine.ask("query result") == ["response p2win"]


def test_an_nboard_answer_has_the_exact_score_of_the_variant() -> None:
    position = play_at_random(random.Random(5), 8)
    board = f"8 {position.to_text().replace('X', '*')}"
    done = subprocess.run(
        [*COMMAND, "--protocol", "nboard", "--set", "variant=anti", "--set", "threads=1"],
        input=f"nboard 2\nset game {ggf(board=board)}\nset depth 60\ngo\n",
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
        env=engine_environment(),
    )
    scores = plain_solver.move_scores(position.player, position.opponent, anti=True)
    answer = next(line for line in done.stdout.splitlines() if line.startswith("==="))
    move, value = answer.removeprefix("===").strip().split("/")[:2]
    assert float(value) == max(scores.values()) == scores[parse_square(move)]


def test_gtp_says_who_has_won() -> None:
    moves = [WIPE_OUT[index : index + 2] for index in range(0, len(WIPE_OUT), 2)]
    script = [f"play {'bw'[index % 2]} {move}" for index, move in enumerate(moves)]

    def score(*arguments: str) -> str:
        done = subprocess.run(
            [*COMMAND, "--protocol", "gtp", *arguments],
            input="".join(f"{line}\n" for line in [*script, "9 final_score", "quit"]),
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
            env=engine_environment(),
        )
        return next(line for line in done.stdout.splitlines() if line.startswith("=9"))

    assert score() == "=9 W+64"
    assert score("--set", "variant=anti") == "=9 B+64"


def answers_of_levels(levels: tuple[str, ...], positions: list[Position], hash_seed: str) -> list[str]:
    """What a fresh process answers at each level in each position."""
    script = ["setoption name Seed value 5"]
    for level in levels:
        script.append(f"setoption name Level value {level}")
        for position in positions:
            script += [f"setboard {position.to_text()}", "go"]
    done = subprocess.run(
        [*COMMAND, "--profile", "phased"],
        input="".join(f"{line}\n" for line in script),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
        env={**engine_environment(), "PYTHONHASHSEED": hash_seed},
    )
    return [line for line in done.stdout.splitlines() if line.startswith("bestmove")]


@pytest.mark.parametrize("dialogue", dialogues("docs/phased.md"), ids=str)
def test_the_dialogue_of_the_page_goes_as_printed(dialogue: Dialogue) -> None:
    with real_program() as (send, read):
        play(dialogue, send, read, {"N": r"\d+", "M": r"[a-h][1-8]"})


def test_levels_play_the_same_in_every_process_and_in_any_order() -> None:
    levels = ("beginner", "intermediate", "advanced", "expert")
    positions = live_positions(60, 17)[::8]
    first = answers_of_levels(levels, positions, "1")
    assert len(first) == len(levels) * len(positions)
    assert answers_of_levels(levels, positions, "2") == first
    backwards = answers_of_levels(levels[::-1], positions[::-1], "3")
    assert backwards[::-1] == first
