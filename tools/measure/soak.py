"""Self-play through the protocol for a long time: rules, one answer per question, processes and memory.

One engine plays both sides. Each game opens with a few random moves, so that no two are alike; every answer
is judged by `Position`. Memory is that of the whole process tree: private pages (resident less shared) of all
processes together, and the shared pages of the largest one (the tables; these grow until they are full, and
then stay).

    python -m tools.measure.soak
    python -m tools.measure.soak --games 50 --move-time 10
"""

from __future__ import annotations

import contextlib
import random
import sys
import time
from dataclasses import dataclass, field

import psutil
from rich.console import Console
from rich.table import Table

from othello_engine.errors import PositionError
from othello_engine.position import Position
from othello_engine.types import BLACK, square_name
from tools.measure.driver import EngineProcess, NoAnswerError
from tools.measure.figures import Report, common_options, progress, slope_per_hour, summary_table

MIB = 1 << 20


@dataclass(slots=True)
class Tally:
    """What went wrong, and what was measured on the way."""

    moves: int = 0
    illegal: int = 0
    missing: int = 0
    double: int = 0
    wrong_results: int = 0
    answer_ms: list[float] = field(default_factory=list)
    memory: list[tuple[float, float, float]] = field(default_factory=list)
    """(seconds since the first game, private MiB of all processes, shared MiB of the largest)"""
    notes: list[str] = field(default_factory=list)


def memory_of(engine: EngineProcess) -> tuple[float, float]:
    """(private MiB of all processes together, shared MiB of the one with most)."""
    private, shared = 0.0, 0.0
    for process in engine.processes():
        with contextlib.suppress(psutil.Error):
            info = process.memory_info()
            of_process = getattr(info, "shared", 0)
            private += (info.rss - of_process) / MIB
            shared = max(shared, of_process / MIB)
    return private, shared


def result_word(position: Position) -> str:
    """What `query result` must say of a finished game."""
    difference = position.final_score if position.side == BLACK else -position.final_score
    return "draw" if difference == 0 else "p1win" if difference > 0 else "p2win"


def play_game(engine: EngineProcess, opening: list[str], move_time: int, tally: Tally) -> None:
    """One game from the start position after some given moves; adds what happens to `tally`."""
    position = Position.start()
    moves: list[str] = []
    for move in opening:
        position = position.play(move)
        moves.append(move)
    engine.send("newgame")
    while not position.is_over:
        text = f" moves {' '.join(moves)}" if moves else ""
        asked_at = engine.send(f"setboard startpos{text}", f"go time {move_time}")
        try:
            answer = engine.collect(asked_at, timeout=10)
        except NoAnswerError:
            tally.missing += 1
            tally.notes.append(f"no answer after {' '.join(moves)}")
            return
        tally.moves += 1
        tally.answer_ms.append(1000 * answer.seconds)
        # Whatever follows the answer would be in front of the next ping's.
        if any(line.startswith("bestmove") for line in engine.ask()):
            tally.double += 1
            tally.notes.append(f"two answers after {' '.join(moves)}")
        try:
            position = position.play(answer.best)
        except PositionError as error:
            tally.illegal += 1
            tally.notes.append(f"{answer.best} after {' '.join(moves)}: {error}")
            return
        moves.append(answer.best)
    said = engine.ask(f"setboard startpos moves {' '.join(moves)}", "query gameover", "query result")
    if said != ["response true", f"response {result_word(position)}"]:
        tally.wrong_results += 1
        tally.notes.append(f"{said} for {' '.join(moves)}")


def random_opening(rng: random.Random, longest: int) -> list[str]:
    """0 to `longest` random moves from the start position."""
    position = Position.start()
    moves: list[str] = []
    for _ in range(rng.randint(0, longest)):
        if position.is_over:
            break
        move = square_name(rng.choice(position.legal_moves))
        position = position.play(move)
        moves.append(move)
    return moves


def main() -> int:
    parser = common_options("Self-play soak through the protocol.")
    parser.add_argument("--games", type=int, default=500, metavar="N", help="games to play")
    parser.add_argument("--move-time", type=int, default=10, metavar="MS", help="time for each move, ms")
    parser.add_argument("--opening", type=int, default=12, metavar="N", help="at most so many random moves first")
    parser.add_argument("--hash", type=int, default=16, metavar="MIB", help="table size; small, so that it fills early")
    parser.add_argument(
        "--growth-limit",
        type=float,
        default=1.0,
        metavar="MIB",
        help="target: fitted growth of private memory in the second half, MiB per 100 games",
    )
    options = parser.parse_args()
    console = Console(stderr=True)
    rng = random.Random(options.seed)
    tally = Tally()
    start = time.perf_counter()

    settings = {"Threads": options.threads, "Hash": options.hash}
    with EngineProcess(options=settings) as engine, progress(console) as bar:
        task = bar.add_task("games", total=options.games, note="")
        engine.wait_ready()
        start = time.perf_counter()
        played = 0
        for _ in range(options.games):
            if engine.popen.poll() is not None:
                tally.notes.append(f"the program ended with status {engine.popen.returncode}")
                break
            play_game(engine, random_opening(rng, options.opening), options.move_time, tally)
            played += 1
            private, shared = memory_of(engine)
            tally.memory.append((time.perf_counter() - start, private, shared))
            bar.update(task, advance=1, note=f"{private:.0f} MiB private, {tally.illegal} illegal")
        status = engine.quit(10)
        orphans = engine.wait_gone(3)
        errors_said = engine.stderr_text

    report = Report("self-play soak")
    if tally.answer_ms:
        rows = [("go to bestmove", tally.answer_ms)]
        report.tables.append(summary_table(f"{options.move_time} ms a move, {options.threads} workers", "ms", rows))
    memory = Table(title="memory of the process tree (MiB)", title_justify="left")
    for heading in ("after game", "private, all processes", "shared, largest process"):
        memory.add_column(heading, justify="right")
    for i in sorted({0, *(len(tally.memory) * k // 8 - 1 for k in range(1, 9))} & set(range(len(tally.memory)))):
        memory.add_row(str(i + 1), f"{tally.memory[i][1]:.1f}", f"{tally.memory[i][2]:.1f}")
    report.tables.append(memory)

    later = tally.memory[len(tally.memory) // 2 :]
    per_game = [(float(i), private) for i, (_, private, _) in enumerate(later)]
    growth = slope_per_hour(per_game) / 3600 * 100
    report.target("games played", played, options.games, "", at_least=True)
    report.target(f"illegal moves in {tally.moves}", tally.illegal, 0, "")
    report.target("missing answers", tally.missing, 0, "")
    report.target("double answers", tally.double, 0, "")
    report.target("wrong results", tally.wrong_results, 0, "")
    report.target("processes left at the end", len(orphans), 0, "")
    report.target("private memory, per 100 games", growth, options.growth_limit, "MiB")
    report.target("exit status", status, 0, "")
    report.target("characters on stderr", len(errors_said), 0, "")
    report.raw.update(
        memory=tally.memory,
        answer_ms=tally.answer_ms,
        notes=tally.notes,
        moves=tally.moves,
        stderr=errors_said,
    )
    for note in tally.notes[:20]:
        console.print(note, markup=False)
    return report.finish(Console(), options.json)


if __name__ == "__main__":
    sys.exit(main())
