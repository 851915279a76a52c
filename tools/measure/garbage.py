"""Hundreds of thousands of broken lines through a pipe: the program must stay alive and count its answers
right.

Lines come in blocks, each followed by a ping. For most classes it is known how many error lines a line brings
(blank lines and comments: none; unknown words, refused commands, binary bytes, over-long lines: exactly one);
for random changes of good commands it is known within bounds. A `go` among them is followed by `stop` and
must bring exactly one answer.

    python -m tools.measure.garbage
    python -m tools.measure.garbage --lines 20000 --seed 7
"""

from __future__ import annotations

import random
import string
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from tools.measure.driver import EngineProcess
from tools.measure.figures import Report, common_options, progress

LINE_LIMIT = 65536
START = "---------------------------OX------XO--------------------------- X"

COMMANDS = frozenset(
    (
        "uoi",
        "ugi",
        "isready",
        "setoption",
        "setboard",
        "position",
        "move",
        "undo",
        "newgame",
        "ucinewgame",
        "uginewgame",
        "go",
        "stop",
        "ponderhit",
        "display",
        "d",
        "eval",
        "perft",
        "bench",
        "query",
        "debug",
        "help",
        "quit",
        "uci",
        "exit",
        "q",
    )
)
"""First words that random text must not hit by chance."""

REFUSED = (
    "go depth",
    "go depth x",
    "go depth 3.5",
    "go nodes -5",
    "go frob 3",
    "go time",
    "go time abc",
    "go exact wld",
    "go ponder infinite",
    "go time 100 btime 100",
    "go depth 5 searchmoves a1",
    "go searchmoves",
    "go selectivity 12",
    "go multipv 0",
    "go window 5",
    "go window 5 5",
    "setoption name Hash value 0",
    "setoption name Hash value",
    "setoption name Hash value 99999999999999999999",
    "setoption name Hash value many",
    "setoption name Threads value -1",
    "setoption name Selectivity value 50",
    "setoption name Ponder value perhaps",
    "setoption name No Such Option value 1",
    "setoption name",
    "setoption Hash 5",
    "setboard",
    "setboard startpos moves a1",
    "setboard startpos moves d3 d3",
    "setboard startpos moves f5f6e6f4g5c5g4g6f3f2h4h3h2h1a1",
    "setboard startpos moves pass",
    "setboard startpos move d3",
    f"setboard {START[:30]} X",
    f"setboard {START[:63]} X",
    f"setboard -{START}",
    f"setboard {START[:64]}",
    f"setboard {START[:64]} Z",
    f"setboard {START.replace('O', '0')}",
    "position",
    "position fen",
    "position board",
    "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "move",
    "move a1",
    "move d3 d3",
    "move pass",
    "move i9",
    "undo 61",
    "undo x",
    "undo -1",
    "perft",
    "perft x",
    "perft -1",
    "bench x",
    "query",
    "query nothing",
    "debug",
    "debug perhaps",
    "ponderhit",
)
"""Lines that an idle engine at the start position (or a few moves from it) refuses, each with one error line.
"""

GOOD = (
    "setboard startpos",
    "setboard startpos moves f5d6c3",
    f"setboard {START}",
    f"position board {START} moves d3 c3",
    "position startpos moves e6 f4",
    "move d3",
    "query gameover",
    "query p1turn",
    "setoption name Contempt value 0",
    "setoption name Ponder value false",
)
GOOD_GO = (
    "go depth 2",
    "go nodes 500",
    "go time 1",
    "go depth 1 multipv 2",
    "go wld depth 3",
    "go btime 5 wtime 5",
)


@dataclass(frozen=True, slots=True)
class Garbage:
    """One line (without newline) and the bounds of how many error lines it brings."""

    kind: str
    data: bytes
    fewest: int
    most: int
    is_go: bool = False


def blank(rng: random.Random) -> Garbage:
    text = rng.choice(["", " ", "\t", "  \t ", "# comment", "#", "#go depth 3", "# \u00e9"])
    return Garbage("blank", text.encode(), 0, 0)


def unknown(rng: random.Random) -> Garbage:
    while True:
        word = "".join(rng.choices(string.ascii_letters + string.digits + "_-+*!?", k=rng.randint(1, 12)))
        if word.lower() not in COMMANDS:
            break
    rest = " ".join(
        rng.choices(["depth", "3", "startpos", "moves", "d3", "name", "value", "-1", "X"], k=rng.randint(0, 6))
    )
    return Garbage("unknown word", f"{word} {rest}".encode(), 1, 1)


def binary(rng: random.Random) -> Garbage:
    """Random bytes with at least one that is neither text nor blank, and no line ends among them."""
    noise = bytes(b for b in rng.randbytes(rng.randint(3, 300)) if b not in b"\r\n")
    return Garbage("binary", b"x" + noise + b"\x00\xff", 1, 1)


def too_long(rng: random.Random) -> Garbage:
    word = rng.choice([b"x", b"setboard startpos moves d3 ", b"go depth 1 ", b"\xff", b"# "])
    length = LINE_LIMIT + rng.randint(2, LINE_LIMIT)
    return Garbage("too long", (word * (length // len(word) + 1))[:length], 1, 1)


def refused(rng: random.Random) -> Garbage:
    text = rng.choice(REFUSED)
    if rng.random() < 0.2:
        text = text.replace(" ", rng.choice(["  ", "\t", " \t "]))
    if rng.random() < 0.2:
        text = f" {text} "
    if rng.random() < 0.1:
        text += "\r"
    return Garbage("refused", text.encode(), 1, 1)


def mutate(rng: random.Random, text: str) -> str:
    """One random change that leaves the first word, and all digits, alone."""
    first, _, rest = text.partition(" ")
    places = [i for i, c in enumerate(rest) if not c.isdigit()]
    if not places:
        return text
    i = rng.choice(places)
    change = rng.randrange(4)
    if change == 0:
        rest = rest[:i] + rest[i + 1 :]
    elif change == 1:
        rest = rest[:i] + rng.choice("abxXO- ,.;:!") + rest[i + 1 :]
    elif change == 2:
        rest = rest[:i] + rng.choice("abxXO- ,.;:!") + rest[i:]
    else:
        rest = rest[:i]
    return f"{first} {rest}"


def changed(rng: random.Random) -> Garbage:
    return Garbage("changed command", mutate(rng, rng.choice(GOOD)).encode(), 0, 1)


def changed_go(rng: random.Random) -> Garbage:
    return Garbage("changed go", mutate(rng, rng.choice(GOOD_GO)).encode(), 0, 1, is_go=True)


CLASSES: tuple[tuple[Callable[[random.Random], Garbage], float], ...] = (
    (blank, 5),
    (unknown, 30),
    (binary, 20),
    (refused, 35),
    (changed, 7.5),
    (changed_go, 2),
    (too_long, 0.2),
)
BLOCK = 100


def send_in_pieces(engine: EngineProcess, rng: random.Random, data: bytes) -> None:
    """One write mostly; now and then cut at random places, as a pipe may do."""
    if rng.random() < 0.9 or len(data) < 2:
        engine.send_bytes(data)
        return
    cuts = sorted(rng.sample(range(1, len(data)), k=min(5, len(data) - 1)))
    for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True):
        engine.send_bytes(data[start:end])


def errors_of(engine: EngineProcess, rng: random.Random, lines: list[Garbage]) -> int:
    """Send lines and a ping; how many error lines come before its answer."""
    # Back to the start first: what is refused must not depend on which changed commands went through.
    data = b"setboard startpos\n" + b"".join(line.data + b"\n" for line in lines) + b"isready\n"
    send_in_pieces(engine, rng, data)
    return sum(line.kind == "error" for line in engine.read_until("readyok", 60))


def answers_of_go(engine: EngineProcess, line: Garbage) -> int:
    """Send one changed `go` and `stop`; how many answers (an error line or a bestmove) come. One is right."""
    engine.send_bytes(b"setboard startpos\n" + line.data + b"\nstop\n")
    answers = 0
    for found in engine.read_until("(?:error|bestmove) .*", 30):
        answers += found.kind in ("error", "bestmove")
    engine.send("isready")
    for found in engine.read_until("readyok", 30):
        answers += found.kind in ("error", "bestmove")
    return answers


def main() -> int:
    parser = common_options("Send garbage through a pipe and count the answers.")
    parser.add_argument("--lines", type=int, default=200_000, metavar="N", help="lines to send")
    options = parser.parse_args()
    console = Console(stderr=True)
    rng = random.Random(options.seed)
    makers, weights = zip(*CLASSES, strict=True)

    sent: Counter[str] = Counter()
    fewest: Counter[str] = Counter()
    most: Counter[str] = Counter()
    faults: list[str] = []
    errors_counted = 0
    with EngineProcess(options={"Threads": options.threads, "Hash": 1}) as engine, progress(console) as bar:
        task = bar.add_task("garbage", total=options.lines, note="")
        engine.wait_ready()
        left = options.lines
        while left:
            block = [maker(rng) for maker in rng.choices(makers, weights, k=min(BLOCK, left))]
            left -= len(block)
            for line in block:
                sent[line.kind] += 1
                fewest[line.kind] += line.fewest
                most[line.kind] += line.most
            plain = [line for line in block if not line.is_go]
            count = errors_of(engine, rng, plain)
            errors_counted += count
            if not sum(line.fewest for line in plain) <= count <= sum(line.most for line in plain):
                # Find the culprits by sending the block again, line by line.
                culprits = [line for line in plain if not line.fewest <= errors_of(engine, rng, [line]) <= line.most]
                shown = [f"{line.kind}: {line.data[:120]!r}" for line in culprits] or ["(not found one by one)"]
                faults.extend(shown)
            for line in block:
                if line.is_go and (answers := answers_of_go(engine, line)) != 1:
                    faults.append(f"{answers} answers: {line.data[:120]!r}")
            bar.update(task, advance=len(block), note=f"{len(faults)} faults")
        state = engine.ask("setboard startpos", "display")
        status = engine.quit(10)
        left_over = engine.wait_gone(3)
        errors_said = engine.stderr_text

    report = Report("garbage")
    table = Table(title="lines sent", title_justify="left")
    for heading in ("class", "lines", "error lines due"):
        table.add_column(heading, justify="left" if heading == "class" else "right")
    for kind in sorted(sent):
        due = str(fewest[kind]) if fewest[kind] == most[kind] else f"{fewest[kind]} to {most[kind]}"
        table.add_row(kind, str(sent[kind]), due)
    report.tables.append(table)
    report.target(f"faults in {sum(sent.values())} lines", len(faults), 0, "")
    report.target("board afterwards right", int(f"board {START}" in state), 1, "", at_least=True)
    report.target("exit status", status, 0, "")
    report.target("processes left", len(left_over), 0, "")
    report.target("characters on stderr", len(errors_said), 0, "")
    report.raw.update(sent=dict(sent), error_lines=errors_counted, faults=faults, stderr=errors_said)
    for fault in faults[:20]:
        console.print(fault, markup=False)
    return report.finish(Console(), options.json)


if __name__ == "__main__":
    sys.exit(main())
