"""Broken lines through a pipe, in the dialects that GUIs speak: the program stays alive and counts its answers right.

Lines come in blocks, each followed by a line whose answer can't be mistaken. GTP owes every line that is not blank
exactly one answer; Cassio's protocol owes one `ready.` to every command but two, and an `ERROR:` line to what is none;
NBoard owes nothing to what it doesn't know, and only what it was asked to what it knows.

    python -m tools.measure.garbage_dialects --protocol gtp
    python -m tools.measure.garbage_dialects --protocol nboard --lines 20000 --seed 7
"""

from __future__ import annotations

import random
import re
import string
import sys
from abc import ABC, abstractmethod
from collections import Counter
from dataclasses import dataclass, field

from rich.console import Console

from tools.measure.driver import EngineProcess, Line, NoAnswerError
from tools.measure.figures import Report, common_options, progress
from tools.measure.garbage import LINE_LIMIT

BLOCK = 100
BOARD = "---------------------------OX------XO---------------------------"
PIECES = (
    *("d3", "D3", "c4", "pa", "PASS", "i9", "b", "w", "black", "WHITE", "green", "0", "1", "-1", "3.5", "1e9", "nan"),
    *("9" * 30, "Othello", "8", "100", "-64.0", "64", "[", "]", "(;", ";)", "d3/1.0/0.1", "F5//x", BOARD, BOARD + "X"),
    *("--", "#x", "=", "?", "\u00e9", "\u96ea", "startpos", "game", "depth", "contempt", "myname", "(;GM[Othello];)"),
)
START_GGF = f"(;GM[Othello]PC[x]PB[a]PW[b]RE[?]TI[5:00]TY[8]BO[8 {BOARD.replace('X', '*')} *];)"
WORD = string.ascii_letters + string.digits + "_+*!?."


@dataclass(frozen=True, slots=True)
class Garbage:
    """One line (without newline), and what it is owed: a number of answers, or None for what can't be known."""

    kind: str
    data: bytes
    owed: int | None


@dataclass(slots=True)
class Count:
    """What came for a block: answers, by the dialect's own reckoning, and lines that are none of its own."""

    answers: int = 0
    foreign: list[str] = field(default_factory=list)


class Dialect(ABC):
    """What is sent in a dialect, and how its answers are counted."""

    name: str
    words: tuple[str, ...]
    """Commands that may stand in front of anything. None ends the program, or runs for long."""

    def garbage(self, rng: random.Random) -> Garbage:
        """One line of a random kind."""
        return rng.choices(
            (self._blank, self._unknown, self._binary, self._known, self._too_long), (5, 25, 15, 55, 0.2)
        )[0](rng)

    def _blank(self, rng: random.Random) -> Garbage:
        text = rng.choice(("", " ", "\t", "  \t "))
        return Garbage("blank", text.encode(), self.owed_to_blank())

    def _unknown(self, rng: random.Random) -> Garbage:
        while True:
            word = "".join(rng.choices(WORD, k=rng.randint(1, 12)))
            if word.lower() not in self.known() and not word.isdigit():
                break
        rest = " ".join(rng.choices(PIECES, k=rng.randint(0, 5)))
        return Garbage("unknown word", f"{word} {rest}".encode(), self.owed_to_unknown())

    def _binary(self, rng: random.Random) -> Garbage:
        noise = bytes(byte for byte in rng.randbytes(rng.randint(3, 300)) if byte not in b"\r\n#")
        return Garbage("binary", b"x" + noise + b"\x00\xff", self.owed_to_unknown())

    def _too_long(self, rng: random.Random) -> Garbage:
        word = rng.choice((b"x", b"\xff", b"play b d3 ", b"ENGINE-PROTOCOL ", b"set game "))
        length = LINE_LIMIT + rng.randint(2, LINE_LIMIT)
        return Garbage("too long", (word * (length // len(word) + 1))[:length], self.owed_to_unknown())

    def _known(self, rng: random.Random) -> Garbage:
        text = " ".join((rng.choice(self.words), *rng.choices(PIECES, k=rng.randint(0, 6))))
        if rng.random() < 0.2:
            text = text.replace(" ", rng.choice(("  ", "\t", " \t ")))
        if rng.random() < 0.1:
            text += "\r"
        return Garbage("known word", text.encode(), self.owed_to_known(text))

    def known(self) -> frozenset[str]:
        """First words that an unknown line must not hit by chance."""
        return frozenset(word.split()[0].lower() for word in self.words)

    @abstractmethod
    def owed_to_blank(self) -> int: ...
    @abstractmethod
    def owed_to_unknown(self) -> int: ...
    @abstractmethod
    def owed_to_known(self, text: str) -> int | None: ...

    @abstractmethod
    def barrier(self, number: int) -> str:
        """A line whose answer shows that all before it has been answered."""

    @abstractmethod
    def is_barrier(self, text: str, number: int) -> bool:
        """True for that answer."""

    @abstractmethod
    def count(self, lines: list[Line]) -> Count:
        """The answers among the lines before a barrier's."""

    @abstractmethod
    def last_question(self) -> tuple[list[str], str]:
        """Lines that set the start position and ask for a move, and a pattern of the answer."""


class Gtp(Dialect):
    """Each answer begins with `=` or `?` and ends with an empty line."""

    name = "gtp"
    words = (
        *("protocol_version", "name", "version", "known_command", "list_commands", "boardsize", "clear_board", "komi"),
        *(
            "play",
            "undo",
            "time_settings",
            "time_left",
            "final_score",
            "loadsgf",
            "showboard",
            "set_game",
            "list_games",
        ),
        *("gogui-analyze_commands", "gogui-rules_board", "gogui-rules_legal_moves", "gogui-play_sequence", "genmove"),
        *("gogui-setup", "gogui-rules_final_result", "reg_genmove", "12 play", "0 undo", "2147483647 name"),
    )

    def known(self) -> frozenset[str]:
        return super().known() | {"quit"}

    def owed_to_blank(self) -> int:
        return 0

    def owed_to_unknown(self) -> int:
        return 1

    def owed_to_known(self, text: str) -> int:
        return 1

    def barrier(self, number: int) -> str:
        return f"{1_000_000 + number} known_command name"

    def is_barrier(self, text: str, number: int) -> bool:
        return text == f"={1_000_000 + number} true"

    def count(self, lines: list[Line]) -> Count:
        count, inside = Count(), False
        for line in lines:
            if not inside and re.match(r"[=?]\d*(?: |$)", line.text):
                count.answers += 1
                inside = True
            elif not line.text and inside:
                inside = False
            elif not inside and line.text:
                count.foreign.append(line.text)
        return count

    def last_question(self) -> tuple[list[str], str]:
        return ["clear_board", "genmove b"], "= (?:d3|c4|f5|e6)"


class Cassio(Dialect):
    """A line of no command is told of with `ERROR:`, a blank one with `ready.`."""

    name = "cassio"
    words = tuple(
        f"ENGINE-PROTOCOL {word}"
        for word in (
            *("init", "get-version", "new-position", "midgame-search", "endgame-search", "feed-hash", "empty-hash"),
            *("get-search-infos", "stop", "frobnicate", f"midgame-search {BOARD}X -64 64 3 73"),
            *(f"feed-hash {BOARD}X -6.00 6.00 15 100 d3", f"endgame-search {'X' * 30}{'O' * 32}-- X -64 64 100"),
        )
    )

    def owed_to_blank(self) -> int:
        return 1

    def owed_to_unknown(self) -> int:
        return 1

    def owed_to_known(self, text: str) -> int | None:
        return None  # a `stop` among them drops what waits

    def barrier(self, number: int) -> str:
        return f"ENGINE-PROTOCOL barrier-{number}"

    def is_barrier(self, text: str, number: int) -> bool:
        return text == f"ERROR: unknown command barrier-{number}"

    def count(self, lines: list[Line]) -> Count:
        own = re.compile(r"ready\.|ok\.|ERROR: .*|version: .*|node \d+, time [\d.]+|.{64}[XO], move .*")
        count = Count()
        for line in lines:
            if not own.fullmatch(line.text):
                count.foreign.append(line.text)
            count.answers += line.text in ("ready.", "ok.") or line.text.startswith("ERROR: ")
        return count

    def last_question(self) -> tuple[list[str], str]:
        return [f"ENGINE-PROTOCOL midgame-search {BOARD}X -64 64 3 73"], f"{BOARD}X, move [DCFE][3456], .*"


class Nboard(Dialect):
    """Nothing is owed but `pong`; whatever comes is one of the protocol's messages."""

    name = "nboard"
    words = (
        *("nboard", "set depth", "set game", "set contempt", "set myname", "move", "hint", "go", "ping", "learn"),
        *("analyze", "clear", f"set game {START_GGF}", "move D3/0.5/1.0", "hint 2", "go", "set depth 3"),
    )

    def known(self) -> frozenset[str]:
        return super().known() | {"quit"}

    def owed_to_blank(self) -> int:
        return 0

    def owed_to_unknown(self) -> int:
        return 0

    def owed_to_known(self, text: str) -> int | None:
        return None

    def barrier(self, number: int) -> str:
        return f"ping {1_000_000 + number}"

    def is_barrier(self, text: str, number: int) -> bool:
        return text == f"pong {1_000_000 + number}"

    def count(self, lines: list[Line]) -> Count:
        message = re.compile(
            r"set myname \S+|status( .*)?|search \S+ \S+ 0 \S+|=== \S+|nodestats \d+ [\d.]+|analysis \d+ \S+"
            r"|learned|pong [+-]?\d+"
        )
        # What a line that can't be read is told is a `status`, which is no answer but a remark.
        return Count(0, [line.text for line in lines if not message.fullmatch(line.text)])

    def last_question(self) -> tuple[list[str], str]:
        return ["set depth 3", f"set game {START_GGF}", "go"], "=== (?:D3|C4|F5|E6)/.*"


DIALECTS: dict[str, Dialect] = {dialect.name: dialect for dialect in (Nboard(), Gtp(), Cassio())}


def run_block(engine: EngineProcess, dialect: Dialect, lines: list[Garbage], number: int) -> list[str]:
    """Send lines and a barrier; what is wrong with the answers."""
    data = b"".join(line.data + b"\n" for line in lines) + f"{dialect.barrier(number)}\n".encode()
    engine.send_bytes(data)
    came: list[Line] = []
    while True:
        came.append(engine.read_line(60))
        if dialect.is_barrier(came[-1].text, number):
            break
    if dialect.name != "nboard":  # the rest of the barrier's answer
        engine.read_line(5)
    count = dialect.count(came[:-1])
    faults = [f"not of this protocol: {text[:120]!r}" for text in count.foreign]
    if all(line.owed is not None for line in lines):
        owed = sum(line.owed or 0 for line in lines)
        if count.answers != owed:
            faults.append(f"{count.answers} answers, {owed} owed")
    return faults


def main() -> int:
    parser = common_options("Send garbage in a GUI's dialect through a pipe and count the answers.")
    parser.add_argument("--protocol", choices=sorted(DIALECTS), required=True, help="the dialect")
    parser.add_argument("--lines", type=int, default=50_000, metavar="N", help="lines to send")
    options = parser.parse_args()
    dialect = DIALECTS[options.protocol]
    console = Console(stderr=True)
    rng = random.Random(options.seed)
    sent: Counter[str] = Counter()
    faults: list[str] = []
    arguments = ["--protocol", dialect.name, "--set", f"Threads={options.threads}", "--set", "Hash=1"]
    arguments += ["--set", "Level=2"]
    with EngineProcess(arguments, check_grammar=False) as engine, progress(console) as bar:
        task = bar.add_task("garbage", total=options.lines, note="")
        left, number = options.lines, 0
        while left:
            lines = [dialect.garbage(rng) for _ in range(min(BLOCK, left))]
            # Lines of which it is not known what they are owed come in blocks of their own.
            for block in ([x for x in lines if x.owed is not None], [x for x in lines if x.owed is None]):
                number += 1
                for problem in run_block(engine, dialect, block, number):
                    # Find the culprits by sending the block again, line by line.
                    number += 1
                    culprits = []
                    for line in block:
                        number += 1
                        if run_block(engine, dialect, [line], number):
                            culprits.append(f"{line.kind}: {line.data[:120]!r}")
                    faults.extend(f"{problem}: {culprit}" for culprit in culprits or ["(not found one by one)"])
            sent.update(line.kind for line in lines)
            left -= len(lines)
            bar.update(task, advance=len(lines), note=f"{len(faults)} faults")
        question, pattern = dialect.last_question()
        engine.send(*question)
        try:
            engine.read_until(pattern, 30)
            answers = 1
        except NoAnswerError as error:
            faults.append(str(error))
            answers = 0
        engine.send("ENGINE-PROTOCOL quit" if dialect.name == "cassio" else "quit")
        status = engine.wait_exit(10)
        left_over = engine.wait_gone(3)
        errors_said = engine.stderr_text

    report = Report(f"garbage {dialect.name}")
    report.target(f"faults in {sum(sent.values())} lines", len(faults), 0, "")
    report.target("a move afterwards", answers, 1, "", at_least=True)
    report.target("exit status", status, 0, "")
    report.target("processes left", len(left_over), 0, "")
    report.target("characters on stderr", len(errors_said), 0, "")
    report.raw.update(sent=dict(sent), faults=faults, stderr=errors_said)
    for fault in faults[:20]:
        console.print(fault, markup=False)
    return report.finish(Console(), options.json)


if __name__ == "__main__":
    sys.exit(main())
