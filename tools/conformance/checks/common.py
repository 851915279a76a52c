"""What every dialect expects of a program on two pipes. Each dialect's suite takes these checks in at its end."""

from __future__ import annotations

import contextlib
import random
import re
import subprocess
import time
from typing import Any

from tools.conformance.check import CheckFailed, CheckSkipped, Suite, require
from tools.conformance.clients.client import Client
from tools.engines.guard import kill_session
from tools.engines.process import find_program

_LISTEN_S = 1.0
"""How long a program is listened to that should say nothing at its start."""
_N_GARBAGE = 150
_GARBAGE_SEED = 17
_LINE_LIMITS = (5_000, 100_000, 2_000_000)
_N_SHOWN = 5
"""Offending lines shown of a whole run."""


def add_to(suite: Suite[Any], client_type: type[Client]) -> None:
    """Add the checks that every dialect has."""
    silence = "pipes: nothing is printed unasked"
    suite.must("handshake", silence, fresh=True)(silent_before_spoken_to)

    suite.must("lines", "pipes: LF and CRLF are line ends")(crlf_line_ends)
    suite.should("lines", "Windows shells begin a file with it", fresh=True)(byte_order_mark_is_skipped)
    suite.must("lines", "pipes: commands wait until they are read", fresh=True)(everything_in_one_write)
    suite.should("lines", "pipes: a line may come in pieces")(line_in_pieces)
    suite.must("bad input", "programs outlive bad input")(long_lines)
    suite.must("bad input", "programs outlive bad input")(bytes_that_are_no_utf8)
    suite.must("bad input", "programs outlive bad input")(binary_bytes)
    suite.must("bad input", "programs outlive bad input")(random_garbage)

    ends = "pipes: the end of input ends a program"
    suite.must("end", "all dialects: quit", fresh=True)(quit_ends_the_program)
    suite.must("end", "all dialects: quit", fresh=True)(quit_during_a_search)
    suite.must("end", "all dialects: quit", fresh=True)(quit_at_once)
    suite.must("end", ends, fresh=True)(end_of_input_ends_the_program)
    suite.must("end", ends, fresh=True)(empty_input_ends_the_program)
    suite.should("end", "`echo commands | engine` brings an answer", fresh=True)(end_of_input_leaves_a_short_search)
    suite.must("end", ends, fresh=True)(end_of_input_during_a_long_search)
    suite.should("end", "pipes: nobody is left to read the answers")(closed_output_ends_the_program)

    suite.must("output", silence)(nothing_after_an_answer)
    of_the_dialect = suite.should if client_type.skips_foreign_lines else suite.must
    of_the_dialect("output", "the dialect's grammar")(every_line_is_of_the_dialect)
    suite.should("output", "strict readers")(no_stray_blanks)


def add_first(suite: Suite[Any]) -> None:
    """Add the check without which no other can be tried."""
    suite.must("handshake", "all dialects")(gets_ready)


def add_stderr_check(suite: Suite[Any], *, must: bool, source: str) -> None:
    """Add the check that nothing ever went to standard error, for dialects that need it so."""
    (suite.must if must else suite.should)("output", source)(stderr_is_silent)


# -- handshake -----------------------------------------------------------------------------------------------


def gets_ready(client: Client) -> None:
    """The program answers the handshake, gets ready, and goes to the start position."""
    client.sync()


def silent_before_spoken_to(client: Client) -> None:
    """Nothing is printed before the first command."""
    lines = client.talk.lines_for(_LISTEN_S)
    require(not lines, "no output before anything was asked")
    require(client.talk.is_usable, "a program that waits for commands")


# -- lines ---------------------------------------------------------------------------------------------------


def crlf_line_ends(client: Client) -> None:
    """CR LF ends a line as LF does."""
    client.perform(lambda line: line.replace(b"\n", b"\r\n"))


def byte_order_mark_is_skipped(client: Client) -> None:
    """A byte order mark before the first command is skipped."""
    client.talk.send_bytes(b"\xef\xbb\xbf")
    client.perform(limit=client.limits.start)


def everything_in_one_write(client: Client) -> None:
    """A whole dialogue in one write, before the program is up, brings the same answers in the same order."""
    client.perform(at_once=True, limit=client.limits.start)


def line_in_pieces(client: Client) -> None:
    """A line that arrives in two pieces is one line."""
    data = "".join(exchange.line + "\n" for exchange in client.dialogue[:1]).encode()
    middle = len(data) // 2
    client.talk.send_bytes(data[:middle])
    time.sleep(0.05)
    client.talk.send_bytes(data[middle:])
    for answer in client.dialogue[0].answers:
        client.talk.until(answer, client.limits.answer, f"the line {answer}")
    client.sync()


# -- bad input -----------------------------------------------------------------------------------------------


def long_lines(client: Client) -> None:
    """A line far too long is answered once, if at all, and changes nothing."""
    client.set_landmark()
    for length in _LINE_LIMITS:
        client.require_complaint(client.provoke(b"x" * length), f"a line of {length} bytes")
    client.require_landmark()


def bytes_that_are_no_utf8(client: Client) -> None:
    """Bytes that are no UTF-8 are answered once, if at all, and change nothing."""
    client.set_landmark()
    for data in (b"zz\xff\xfe\xfd", b"\xe9t\xe9 3", "zf5 — 東".encode()):
        client.require_complaint(client.provoke(data), repr(data))
    client.require_landmark()


def binary_bytes(client: Client) -> None:
    """NUL and other control bytes among words change nothing."""
    client.set_landmark()
    for data in (b"frob\x00nicate", b"frob\x1b[A", b"frob\x07\x08"):
        client.require_complaint(client.provoke(data), repr(data))
    client.require_landmark()


def random_garbage(client: Client) -> None:
    """After many lines of random bytes and words the program is alive, and its state is the same."""
    client.set_landmark()
    rng = random.Random(_GARBAGE_SEED)
    for n_sent in range(0, _N_GARBAGE, 10):
        client.talk.send_bytes(b"".join(_garbage(rng) + b"\n" for _ in range(10)))
        lines = client.sync()
        complaints = sum(bool(re.fullmatch(client.complaint, line)) for line in lines)
        require(complaints <= 10, f"no more than one answer a line (lines {n_sent + 1} to {n_sent + 10})")
    client.require_landmark()


def _garbage(rng: random.Random) -> bytes:
    """A line that is no command of any dialect: its first word begins with `zz` or is no text."""
    if rng.random() < 0.5:
        return b"\xfe" + bytes(
            rng.choice([*range(1, 10), *range(11, 13), *range(14, 256)]) for _ in range(rng.randint(0, 60))
        )
    words = ["zz" + "".join(rng.choices("abcxyz0189=?{}[]();", k=rng.randint(0, 12))) for _ in range(rng.randint(1, 6))]
    return " ".join(words).encode()


# -- the end -------------------------------------------------------------------------------------------------


def quit_ends_the_program(client: Client) -> None:
    """The command to quit ends the program soon, with status 0 and nothing left running."""
    client.greet()
    client.send(client.quit_line)
    lines = client.talk.lines_to_end(client.limits.exit)
    told = [line for line in lines if line and client.kind_of(line) not in client.noise]
    if client.farewell:
        require(len(told) == 1 and re.fullmatch(client.farewell, told[0]) is not None, f"just {client.farewell}")
    else:
        require(not told, "no output")
    _require_gone(client, client.limits.exit)


def quit_during_a_search(client: Client) -> None:
    """The command to quit ends the program during a search, with status 0 and nothing left running."""
    client.greet()
    client.reset()
    client.send(*(client.long_search or client.short_search))
    client.talk.lines_for(client.limits.quiet)
    client.send(client.quit_line)
    limit = client.limits.exit if client.long_search else client.limits.answer
    client.talk.lines_to_end(limit)
    _require_gone(client, limit)


def quit_at_once(client: Client) -> None:
    """The command to quit as the very first one ends the program, with status 0 and nothing left running."""
    client.send(client.quit_line)
    client.talk.lines_to_end(client.limits.start)
    _require_gone(client, client.limits.exit)


def end_of_input_ends_the_program(client: Client) -> None:
    """The end of input ends an idle program soon, with status 0 and nothing left running."""
    client.greet()
    client.talk.end_input()
    client.talk.lines_to_end(client.limits.exit)
    _require_gone(client, client.limits.exit)


def empty_input_ends_the_program(client: Client) -> None:
    """Input that ends at once ends the program, with status 0 and no output but a farewell."""
    client.talk.end_input()
    lines = [line for line in client.talk.lines_to_end(client.limits.start) if line]
    require(not lines or (len(lines) == 1 and re.fullmatch(client.farewell, lines[0]) is not None), "no output")
    _require_gone(client, client.limits.exit)


def end_of_input_leaves_a_short_search(client: Client) -> None:
    """A search that ends by itself is finished and answered when the input ends behind it."""
    client.greet()
    client.reset()
    client.send(*client.short_search)
    client.talk.end_input()
    lines = client.talk.lines_to_end(client.limits.answer)
    require(len(client.finals(lines)) == 1, f"one answer to the search, {client.final}")
    _require_gone(client, client.limits.exit)


def end_of_input_during_a_long_search(client: Client) -> None:
    """A search without end is ended, and the program with it, when the input ends."""
    if not client.long_search:
        raise CheckSkipped("the dialect has no search without end")
    client.greet()
    client.reset()
    client.send(*client.long_search)
    client.talk.lines_for(client.limits.quiet)
    client.talk.end_input()
    client.talk.lines_to_end(client.limits.exit)
    _require_gone(client, client.limits.exit)


def closed_output_ends_the_program(client: Client) -> None:
    """A program whose output is closed ends when it has something to say, and not only at the end of its input."""
    command = [find_program(client.talk.command[0], client.talk.directory), *client.talk.command[1:]]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    deadline = time.perf_counter() + client.limits.start
    with subprocess.Popen(command, cwd=client.talk.directory, start_new_session=True, **pipes) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        program.stdout.close()
        try:
            while program.poll() is None and time.perf_counter() < deadline:
                program.stdin.write("".join(exchange.line + "\n" for exchange in client.dialogue).encode())
                program.stdin.flush()
                time.sleep(0.1)
        except OSError:  # it does not read any more, and ought to be gone soon
            with contextlib.suppress(subprocess.TimeoutExpired):
                program.wait(client.limits.exit)
        ended = program.poll() is not None
        kill_session(program.pid)
        with contextlib.suppress(OSError):
            program.stdin.close()
    if not ended:
        raise CheckFailed("the end of the program after its output was closed", ("# its output is closed",))


def _require_gone(client: Client, limit: float) -> None:
    status = client.talk.exit_status(limit)
    require(status == 0, "exit status 0")
    deadline = time.perf_counter() + client.limits.prompt
    while client.talk.processes() and time.perf_counter() < deadline:
        time.sleep(0.02)
    left = len(client.talk.processes())
    require(not left, f"no process left behind; there {'is' if left == 1 else 'are'} {left}")


# -- output --------------------------------------------------------------------------------------------------


def nothing_after_an_answer(client: Client) -> None:
    """Nothing is printed after the answer of a search until the next command."""
    client.search_to_end(*client.short_search)
    lines = client.talk.lines_for(3 * client.limits.quiet)
    told = [line for line in lines if line and client.kind_of(line) not in client.noise]
    require(not told, "no output after the answer")


def every_line_is_of_the_dialect(client: Client) -> None:
    """Every line printed so far, in all checks, is one that the dialect knows."""
    client.search_to_end(*client.short_search)
    texts = (line.decode("utf-8", "replace").removesuffix("\r") for talk in client.history for line in talk.printed)
    foreign = [text for text in dict.fromkeys(texts) if client.kind_of(text) is None]
    if foreign:
        raise CheckFailed("only lines of the dialect", _some(foreign))


def no_stray_blanks(client: Client) -> None:
    """No line printed so far has a CR, blanks at its end, or characters other than ASCII."""
    client.search_to_end(*client.short_search)
    printed = dict.fromkeys(line for talk in client.history for line in talk.printed)
    strange = [line for line in printed if line != line.rstrip() or not line.isascii()]
    if strange:
        raise CheckFailed("no CR, no blanks at line ends, only ASCII", _some([repr(line)[1:] for line in strange]))


def stderr_is_silent(client: Client) -> None:
    """Nothing was written to standard error in the whole run."""
    client.search_to_end(*client.short_search)
    told = [line for talk in client.history for line in talk.errors.splitlines() if line.strip()]
    if told:
        raise CheckFailed("nothing on standard error", _some(list(dict.fromkeys(told)), "! "))


def _some(lines: list[str], mark: str = "< ") -> tuple[str, ...]:
    shown = [mark + line for line in lines[:_N_SHOWN]]
    return (*shown, f"# and {len(lines) - _N_SHOWN} more") if len(lines) > _N_SHOWN else tuple(shown)
