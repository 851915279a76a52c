"""Measure the kernels on one core: nanoseconds each, perft, exact solving and midgame nodes per second.

Every kernel is called from a compiled loop over the same positions of random games; the loop without the kernel is
measured beside it and subtracted. Each figure is the median of several repeats in one process. Machines are
noisy: compare only figures of one run, or two versions run alternately.

    python tools/bench.py                  everything
    python tools/bench.py kernels perft    only these groups
    python tools/bench.py --json out.json  figures for a script as well
    python tools/bench.py solve midgame --evaluation classic
"""

from __future__ import annotations

import argparse
import json
import mmap
import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
from rich.console import Console
from rich.table import Table

from othello_engine.core import jit, plain
from othello_engine.core.cache import KernelCache
from tools.shipped import shipped_weights

GROUPS = ("kernels", "evaluation", "perft", "solve", "midgame")
EVALUATIONS = ("patterns", "classic")
_FFO_SAMPLE = (
    # FFO 21-36 of the public endgame suite with their published scores: 15 to 21 empties.
    "fforum-20-39.obf",
    range(1, 17),
)


def random_positions(count: int, seed: int) -> list[tuple[int, int]]:
    """(player, opponent) at every stage of random games."""
    rng = random.Random(seed)
    found: list[tuple[int, int]] = []
    while len(found) < count:
        player, opponent = 0x0000000810000000, 0x0000001008000000
        while True:
            moves = plain.legal_moves(player, opponent)
            if not moves:
                player, opponent = opponent, player
                moves = plain.legal_moves(player, opponent)
                if not moves:
                    break
            found.append((player, opponent))
            square = rng.choice([s for s in range(64) if moves >> s & 1])
            turned = plain.flips(square, player, opponent)
            player, opponent = opponent ^ turned, player ^ turned ^ (1 << square)
    return found[:count]


def median_seconds(call: Callable[[], Any], repeats: int) -> float:
    """Median processor time of `call` in this thread, after one call that is not counted."""
    call()
    seconds = []
    for _ in range(repeats):
        start = time.thread_time()
        call()
        seconds.append(time.thread_time() - start)
    return statistics.median(seconds)


def kernel_loops() -> dict[str, Any]:
    """Compiled loops that call one kernel for every position and join the answers so that none is optimised away."""
    from othello_engine.core import simd
    from othello_engine.core.hashing import position_hash
    from othello_engine.core.jit import I64, U64, kernel
    from othello_engine.core.last_flip import count_last_flips
    from othello_engine.core.parity import quadrant_parity
    from othello_engine.core.stability import stable_discs
    from othello_engine.evaluation.classic import evaluate

    signature = U64(jit.numba.uint64[::1], jit.numba.uint64[::1], jit.numba.int64[::1], I64, U64)

    def loop(body: Callable[..., Any]) -> Any:
        inner = jit.inlined(body)

        @kernel(signature)
        def run(players, opponents, squares, rounds, zero):  # type: ignore[no-untyped-def]
            total = np.uint64(0)
            for _ in range(rounds):
                for index in range(players.size):
                    # `zero` is 0, which the compiler can't know: each call waits for the last one's answer.
                    total += inner(players[index] ^ (total & zero), opponents[index], squares[index])
            return total

        return run

    return {
        "(empty loop)": loop(lambda p, o, x: p),
        "legal moves": loop(lambda p, o, x: simd.legal_moves(p, o)),
        "flips": loop(lambda p, o, x: simd.flips(x, p, o)),
        "last flips": loop(lambda p, o, x: np.uint64(count_last_flips(x, p))),
        "stable discs": loop(lambda p, o, x: stable_discs(p, o)),
        "quadrant parity": loop(lambda p, o, x: np.uint64(quadrant_parity(~(p | o)))),
        "position hash": loop(lambda p, o, x: position_hash(p, o)),
        "classic evaluation": loop(lambda p, o, x: np.uint64(evaluate(p, o))),
    }


def bench_kernels(repeats: int) -> dict[str, float]:
    """Nanoseconds of one call in a dependent chain (latency)."""
    boards = random_positions(4096, seed=1)
    players = np.array([p for p, _ in boards], dtype=np.uint64)
    opponents = np.array([o for _, o in boards], dtype=np.uint64)
    rng = random.Random(2)
    empties = [[s for s in range(64) if not (p | o) >> s & 1] for p, o in boards]
    squares = np.array([rng.choice(choice) for choice in empties], dtype=np.int64)
    rounds = 200
    figures = {}
    floor = 0.0
    for name, run in kernel_loops().items():
        seconds = median_seconds(lambda run=run: run(players, opponents, squares, rounds, np.uint64(0)), repeats)
        nanoseconds = seconds / (rounds * len(boards)) * 1e9
        if name == "(empty loop)":
            floor = nanoseconds
        else:
            figures[f"{name}, ns"] = nanoseconds - floor
    return figures


def bench_perft(repeats: int) -> dict[str, float]:
    """Million leaves per second of perft 11 from the start, bulk counted."""
    from othello_engine.core.perft import perft

    start = np.uint64(0x0000000810000000), np.uint64(0x0000001008000000)
    leaves = perft(*start, 11)
    assert leaves == 212_258_800, "perft 11 must be right before it may be fast"
    seconds = median_seconds(lambda: perft(*start, 11), repeats)
    return {"perft 11, s": seconds, "perft 11, million leaves/s": leaves / seconds / 1e6}


def bench_evaluation(repeats: int, depth: int = 4) -> dict[str, float]:
    """Leaves of the trained evaluation at the end of full trees: indices after the move, moves of both sides, value.

    The same trees without the value are measured beside it and subtracted.
    """
    from othello_engine.core.jit import I64, ONE, U64, ZERO, kernel
    from othello_engine.core.simd import flips, legal_moves, square_of
    from othello_engine.evaluation.lanes import ROW_BYTES, own_view_after, row_after, row_of
    from othello_engine.evaluation.patterns import value_of_row

    step, low_bit = np.uint64(ROW_BYTES), np.int64(1)

    def walk(with_value: bool) -> Any:
        @kernel(I64(U64, U64, U64, U64, I64))
        def leaves(weights, row, player, opponent, depth):  # type: ignore[no-untyped-def]
            moves = legal_moves(player, opponent)
            if depth == 0:
                if with_value:  # the value's last bit, in a way that changes nothing
                    return low_bit | (value_of_row(weights, row, player, opponent, moves) & low_bit)
                return low_bit
            total = np.int64(0)
            while moves != ZERO:
                x = square_of(moves)
                moves &= moves - ONE
                turned = flips(x, player, opponent)
                if with_value and depth == 1:
                    own_view_after(row, row + step, x, turned)
                elif with_value:
                    row_after(row, row + step, x, turned)
                placed = player ^ turned ^ (ONE << np.uint64(x))
                total += leaves(weights, row + step, opponent ^ turned, placed, depth - low_bit)
            return total

        return leaves

    @kernel(jit.VOID(U64, U64, U64))
    def begin(row, player, opponent):  # type: ignore[no-untyped-def]
        row_of(row, player, opponent)

    weights = shipped_weights()
    assert weights is not None
    rows = np.zeros(ROW_BYTES * (depth + 2), dtype=np.uint8)
    address = np.frombuffer(weights, dtype=np.uint8).ctypes.data
    boards = random_positions(5000, seed=3)[5::100]
    seconds, n_leaves = {}, 0
    for with_value in (True, False):
        leaves = walk(with_value)

        def run(leaves: Any = leaves) -> int:
            total = 0
            for player, opponent in boards:
                begin(rows.ctypes.data, player, opponent)
                total += leaves(address, rows.ctypes.data, player, opponent, depth)
            return total

        n_leaves = run()
        seconds[with_value] = median_seconds(run, min(repeats, 3))
    cost = (seconds[True] - seconds[False]) / n_leaves * 1e9
    return {"trained evaluation of a leaf, ns": cost, "trained evaluation, million leaves/s": 1e3 / cost}


def new_searcher(table_mb: int, evaluation: str) -> tuple[Any, Any]:
    """A searcher with its own table, and the table's memory."""
    from othello_engine.core.layout import STATE_BYTES
    from othello_engine.search.driver import Searcher

    searcher = Searcher(mmap.mmap(-1, STATE_BYTES), evaluation, shipped_weights(evaluation))
    memory = mmap.mmap(-1, table_mb << 20)
    searcher.attach_table(memory)
    return searcher, memory


def bench_solve(suite: Path, evaluation: str) -> dict[str, float]:
    """Exact solving of FFO 21-36 with a fresh table each: nodes, seconds, nodes per second, wrong scores."""
    from othello_engine.search.driver import clear_table
    from othello_engine.search.task import EXACT_LIMIT, Task

    name, chosen = _FFO_SAMPLE
    path = suite / name
    if not path.exists():
        return {}
    lines = [line for line in path.read_text().splitlines() if line.strip() and not line.startswith("%")]
    searcher, memory = new_searcher(64, evaluation)
    nodes, seconds, wrong = 0, 0.0, 0
    for index in chosen:
        text, *fields = lines[index].split(";")
        black = sum(1 << s for s in range(64) if text[s] in "Xx*")
        white = sum(1 << s for s in range(64) if text[s] in "Oo")
        player, opponent = (black, white) if text.split()[-1] in "Xx*" else (white, black)
        best = max(int(field.split(":")[1]) for field in fields if ":" in field)
        clear_table(memory)
        searcher.new_game()
        start = time.thread_time()
        result = searcher.run(Task(player, opponent, -EXACT_LIMIT, EXACT_LIMIT, 0, exact=True))
        seconds += time.thread_time() - start
        nodes += result.nodes
        wrong += result.score != best
    return {
        "FFO 21-36, million nodes": nodes / 1e6,
        "FFO 21-36, s": seconds,
        "FFO 21-36, million nodes/s": nodes / seconds / 1e6,
        "FFO 21-36, wrong scores": float(wrong),
    }


def bench_midgame(depth: int, evaluation: str) -> dict[str, float]:
    """Deepening to `depth` on 20 positions of random games with 34 to 53 empties."""
    from othello_engine.search.driver import clear_table
    from othello_engine.search.task import SCORE_LIMIT, Task

    boards = random_positions(5000, seed=3)
    chosen = [next(b for b in boards[k * 200 :] if 64 - (b[0] | b[1]).bit_count() == 34 + k) for k in range(20)]
    searcher, memory = new_searcher(64, evaluation)
    nodes, seconds = 0, 0.0
    for player, opponent in chosen:
        clear_table(memory)
        searcher.new_game()
        start = time.thread_time()
        for ply in range(1, depth + 1):
            nodes += searcher.run(Task(player, opponent, -SCORE_LIMIT, SCORE_LIMIT, ply)).nodes
        seconds += time.thread_time() - start
    return {
        f"midgame to depth {depth}, million nodes": nodes / 1e6,
        f"midgame to depth {depth}, s": seconds,
        f"midgame to depth {depth}, million nodes/s": nodes / seconds / 1e6,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"of {', '.join(GROUPS)}; default: all")
    parser.add_argument("--repeats", type=int, default=7, help="timed repeats of each kernel (default 7)")
    parser.add_argument("--depth", type=int, default=9, help="depth of the midgame group (default 9)")
    parser.add_argument(
        "--evaluation", choices=EVALUATIONS, default=EVALUATIONS[0], help="of solve and midgame (default: %(default)s)"
    )
    parser.add_argument(
        "--suite",
        type=Path,
        default=Path("../shared/data/positions"),
        help="folder with fforum-20-39.obf for the solve group (left out when it is not there)",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to FILE as well")
    arguments = parser.parse_args()
    groups = arguments.groups or list(GROUPS)
    if unknown := [group for group in groups if group not in GROUPS]:
        parser.error(f"unknown group {unknown[0]!r}; choose from {', '.join(GROUPS)}")

    cache = KernelCache()
    jit.use_folder(cache.folder if cache.is_complete() else None)
    console = Console()
    figures: dict[str, float] = {}
    with console.status("measuring ...") as status:
        for group in groups:
            status.update(f"measuring {group} ...")
            figures |= {
                "kernels": lambda: bench_kernels(arguments.repeats),
                "evaluation": lambda: bench_evaluation(arguments.repeats),
                "perft": lambda: bench_perft(min(arguments.repeats, 5)),
                "solve": lambda: bench_solve(arguments.suite, arguments.evaluation),
                "midgame": lambda: bench_midgame(arguments.depth, arguments.evaluation),
            }[group]()
    table = Table("measure", "figure", title="one core, this machine, one run")
    table.columns[1].justify = "right"
    for name, figure in figures.items():
        table.add_row(name, f"{figure:,.2f}")
    console.print(table)
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n")
    return 1 if figures.get("FFO 21-36, wrong scores") else 0


if __name__ == "__main__":
    sys.exit(main())
