"""The `weighted` profile in the real program: the moves and values of its page, in every dialect."""

from __future__ import annotations

import itertools
import re
import subprocess
import time

import pytest

from othello_engine.position import Position
from othello_engine.types import square_name
from protocol.hints import relative_values
from tests import oracle, weighted_oracle
from tests.e2e.client import final_lines, live_positions
from tests.e2e.conftest import StartEngine
from tests.positions import SOLVED
from tests.protocol.transcripts import Dialogue, dialogues, play, real_program
from tools.measure.driver import COMMAND, EngineProcess, engine_environment
from tools.measure.grammar import kind_of

pytestmark = pytest.mark.usefixtures("warm_cache")

F5 = "setboard startpos moves f5"


@pytest.fixture
def engine(start: StartEngine) -> EngineProcess:
    engine = start("--profile", "weighted")
    engine.wait_ready()
    return engine


def said_by(*lines: str, arguments: tuple[str, ...] = ()) -> list[str]:
    """All that the program answers to a script."""
    done = subprocess.run(
        [*COMMAND, "--profile", "weighted", *arguments],
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
        env=engine_environment(),
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def values_of(position: Position, depth: int) -> dict[str, int]:
    """The values of all moves by the minimax on lists."""
    board = oracle.board_of(position.to_text()[:64])
    values = weighted_oracle.move_values(board, "XO"[position.side], depth)
    return {square_name(8 * row + column): value for (row, column), value in values.items()}


@pytest.mark.parametrize("dialogue", dialogues("docs/weighted.md"), ids=str)
def test_the_dialogue_of_the_page_goes_as_printed(dialogue: Dialogue) -> None:
    with real_program() as (send, read):
        play(dialogue, send, read, {"N": r"\d+"})


def test_a_level_plays_the_first_of_the_best_moves_of_its_depth(engine: EngineProcess) -> None:
    positions = [Position.from_moves("f5"), *(each for each in live_positions(60, 5) if each.n_empties < 7)]
    for (level, depth), position in itertools.product({"normal": 1, "hard": 4}.items(), positions):
        engine.ask(f"setoption name Level value {level}")
        values = values_of(position, depth)
        answer = engine.search(f"setboard {position.to_text()}", "go")
        assert (answer.last.depth, answer.last.score_kind) == (depth, "raw")
        if values:
            assert answer.last.score == max(values.values())
            assert answer.best == next(move for move, value in values.items() if value == answer.last.score)
        else:
            assert answer.best == "pass"


def test_clocks_and_open_searches_change_nothing(engine: EngineProcess) -> None:
    wanted = engine.search(F5, "go")
    for limits in ("time 1", "btime 0 wtime 0", "time 60000"):
        answer = engine.search(F5, f"go {limits}")
        assert (answer.best, answer.last.score, answer.last.depth) == (wanted.best, wanted.last.score, 4)
    engine.send("go infinite")
    time.sleep(0.3)
    assert not any(line.startswith("bestmove") for line in engine.ask("query gameover"))
    assert engine.search("stop").best == wanted.best


def test_a_depth_that_never_ends_is_ended_by_stop_or_time(engine: EngineProcess) -> None:
    begun = time.perf_counter()
    answer = engine.search(F5, "go depth 40 time 200")
    assert 0.1 < time.perf_counter() - begun < 2
    assert answer.best in ("d6", "f4", "f6")
    engine.send(F5, "go depth 60")
    time.sleep(0.1)
    assert engine.search("stop").best in ("d6", "f4", "f6")


def test_several_lines_have_their_exact_values(engine: EngineProcess) -> None:
    for position in (Position.from_moves("f5d6"), *live_positions(60, 9)[50:54]):
        if position.must_pass:
            continue
        answer = engine.search(f"setboard {position.to_text()}", "go depth 2 multipv 64")
        found = [(info.pv[0], info.score) for info in final_lines(answer)]
        values = values_of(position, 2)
        assert found == sorted(values.items(), key=lambda pair: -pair[1])  # stable: equal ones in board order
        assert answer.best == found[0][0]


def test_the_easy_level_plays_any_move_without_a_seed_and_one_with_it(engine: EngineProcess) -> None:
    engine.ask("setoption name Level value easy")
    free = [engine.search("setboard startpos", "go").best for _ in range(40)]
    assert len(set(free)) > 1
    assert set(free) <= {"d3", "c4", "f5", "e6"}
    engine.ask("setoption name Seed value 7")
    bound = [engine.search("setboard startpos", "go").best for _ in range(10)]
    assert len(set(bound)) == 1


def test_hints_are_the_documented_relative_values() -> None:
    positions = [Position.from_moves("f5"), Position.from_moves("f5d6c3"), *live_positions(60, 11)[50:53]]
    asked = list(itertools.product(positions, (1, 3)))
    lines = said_by(*(line for each, plies in asked for line in (f"setboard {each.to_text()}", f"hint {plies}")))
    assert {kind_of(line) for line in lines} == {"hint", "hints"}
    blocks = "\n".join(lines).removesuffix("hintok").split("hintok\n")
    for (position, plies), block in zip(asked, blocks, strict=True):
        values = sorted(values_of(position, plies).items(), key=lambda pair: -pair[1])
        wanted = [
            f"hint {move} value {shown} band {'amber' if shown >= 75 else 'emerald' if shown >= 50 else 'blue'}"
            f" score raw {value} depth {plies}"
            for (move, value), shown in zip(values, relative_values([value for _, value in values]), strict=True)
        ]
        assert block.splitlines() == wanted or position.must_pass


def test_the_other_profiles_give_hints_of_their_own_search() -> None:
    lines = said_by(
        "setoption name Profile value strong", f"{F5} d6 c3", "hint 6", f"setboard {SOLVED[2].text}", "hint 6"
    )
    first, second = "\n".join(lines).removesuffix("hintok").split("hintok\n")
    assert re.fullmatch(r"(hint [a-h][1-8] value \d+ band \w+ score cp -?\d+ depth 6\n){4}", first)
    assert second.splitlines()[0] == "hint a3 value 90 band amber score disc 12 depth 6"
    assert second.splitlines()[1] == "hint c2 value 65 band emerald score disc 2 depth 6"


def test_a_hint_that_takes_long_is_stopped() -> None:
    begun = time.perf_counter()
    lines = said_by("setoption name Profile value strong", "isready", F5, "hint 40", "stop")
    assert lines[-1] == "hintok"
    assert time.perf_counter() - begun < 60


def test_gtp_s_analysis_shows_every_move_in_discs() -> None:
    text = "\n".join(
        said_by("play b f5", "othello_engine-move_scores", "othello_engine-influence", arguments=("--protocol", "gtp"))
    )
    for move in ("f4", "f6", "d6"):
        assert re.search(rf"\b{move} [+-]\d\.\d\b", text), text
    assert "d6 -2.6" in text  # -39 on the page, 15 to a disc
    assert "?" not in text


def test_nboard_hints_show_every_move_at_every_level() -> None:
    board = "---------------------------O*------*O--------------------------- *"
    game = f"(;GM[Othello]PC[x]PB[a]PW[b]TY[8]BO[8 {board}]B[f5];)"
    for depth in ("0", "60"):
        lines = said_by(f"set depth {depth}", f"set game {game}", "hint 3", arguments=("--protocol", "nboard"))
        assert {line.split()[1][:2] for line in lines if line.startswith("search ")} == {"F6", "F4", "D6"}
