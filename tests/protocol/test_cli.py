"""The command line from outside, as far as it needs no search: arguments, status, signals, descriptors."""

from __future__ import annotations

import errno
import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace

import pytest

from othello_engine import __version__
from protocol import cli
from protocol.lines import Wire

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
HEAVY = ("numba", "numpy", "llvmlite", "multiprocessing", "rich", "asyncio", "logging")


def run(
    *arguments: str, text: str = "", python: Sequence[str] = ("-m", "protocol")
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *python, *arguments],
        input=text,
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        timeout=60,
        check=False,
    )


def test_the_version_is_said_and_nothing_else() -> None:
    done = run("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"othello-engine {__version__}\n", "")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["solve", "--help"],
        ["perft", "--help"],
        ["convert", "--help"],
        ["bench", "--help"],
        ["warmup", "--help"],
    ],
)
def test_help_teaches(arguments: list[str]) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert "usage: othello-engine" in done.stdout
    if arguments == ["--help"]:
        for word in ("go time 4000", "solve endgames.obf", "exit status", "--profile", "--set"):
            assert word in done.stdout
    if arguments[0] == "solve":
        for word in ("solve FILE", "a1:+14", "--resume", "solve - --jsonl"):
            assert word in done.stdout


@pytest.mark.parametrize("argument", ["--version", "--help", "uoi"])
def test_nothing_heavy_is_imported_for_a_first_answer(argument: str) -> None:
    script = (
        "import sys\n"
        "from protocol.cli import main\n"
        "try:\n    main(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)\n"
    )
    text = "" if argument.startswith("-") else "# no command\n"
    done = run(*([argument] if argument.startswith("-") else []), text=text, python=("-c", script))
    assert done.stderr.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--nonsense"], "--nonsense"),
        (["nonsense"], "nonsense"),
        (["--vers"], "--vers"),
        (["--set", "threads"], "NAME=VALUE"),
        (["--set", "=3"], "NAME=VALUE"),
        (["--set", "threads=0"], "from 1 to 256"),
        (["--set", "treads=1"], "did you mean Threads"),
        (["--profile", "nobody"], "nobody"),
        (["--config", "/nonexistent/engine.yaml"], "/nonexistent/engine.yaml"),
        (["--log", "/nonexistent/x.log"], "/nonexistent/x.log"),
        (["perft"], "D"),
        (["perft", "x"], "'x'"),
        (["perft", "61"], "from 1 to 60"),
        (["perft", "3", "--board", "startpo"], "--board"),
        (["bench", "0"], "from 1 to 60"),
        (["solve"], "FILE"),
        (["solve", "/nonexistent/x.obf"], "/nonexistent/x.obf: No such file"),
        (["solve", "-", "--threads", "0"], "from 1 to 256"),
        (["solve", "-"], "standard input: no positions"),
        (["solve", "-", "--csv", "x.csv", "--resume"], "not standard input"),
        (["solve", "x.obf", "--resume"], "--csv OUT"),
        (["solve", "x.obf", "--json", "--resume"], "--csv OUT"),
        (["solve", "x.obf", "--json", "--csv"], "standard output is named twice"),
        (["solve", "x.obf", "--json", "r", "--csv", "r"], "r is named twice"),
        (["solve", "x.obf", "--json", "r", "--csv", "./r"], "r and ./r are the same file"),
        (["solve", "--json", "x.obf"], "solve FILE"),
        (["solve", "-", "--set", "hash=0"], "from 1 to 65536"),
        (["--protocol", "gtp", "match"], "othello-engine match ..."),
        (["--set", "threads=2", "conformance"], "othello-engine conformance ..."),
        (["--protocol", "gtp", "perft", "3"], "perft has no use for it"),
        (["--profile", "weighted", "solve", "-"], "the profile weighted never solves"),
    ],
)
def test_a_bad_command_line_is_status_two_with_the_offence(arguments: list[str], words: str) -> None:
    done = run(*arguments)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_malformed_test_file_is_named_with_line_and_field(tmp_path: Path) -> None:
    text = "% fine\r\n\r\nXO X; a1:+2;\r\n"
    file = tmp_path / "x.obf"
    file.write_text(text, newline="")
    for name, argument in (("standard input", "-"), (str(file), str(file))):
        done = run("solve", argument, text=text)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == f"othello-engine: {name}: line 3, field 1: only 2 of 64 squares (column 4)\n"


def test_files_of_results_are_looked_at_before_the_engine_starts(tmp_path: Path) -> None:
    file, results = tmp_path / "x.obf", tmp_path / "r.csv"
    file.write_text("-" * 64 + " X;\n")
    results.write_text("my,own,table\n")
    done = run("solve", str(file), "--csv", str(results), "--resume")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"othello-engine: {results}: not results of this version of solve\n"
    assert results.read_text() == "my,own,table\n"
    done = run("solve", str(file), "--csv", str(tmp_path / "nowhere" / "r.csv"))
    assert (done.returncode, done.stderr.endswith("r.csv: No such file or directory\n")) == (2, True)
    done = run("solve", str(file), "--json", str(tmp_path / "." / "x.obf"))
    assert (done.returncode, "x.obf is named twice" in done.stderr) == (2, True)
    (tmp_path / "link").hardlink_to(file)
    done = run("solve", str(file), "--json", str(tmp_path / "link"))
    assert (done.returncode, "link are the same file" in done.stderr) == (2, True)
    assert file.read_text() == "-" * 64 + " X;\n"


def test_standard_input_that_fails_later_is_an_error_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def __next__(self) -> str:
            line = self.readline()
            if not line:
                raise OSError(errno.EIO, "Input/output error")
            return line

    monkeypatch.setattr(cli, "_open_input", lambda path, wire: Terminal("-" * 64 + " X;\n"))
    with ExitStack() as open_files:
        options = SimpleNamespace(file="-", limit=None)
        records = iter(cli._records(options, open_files, Wire(None, None), []))
        next(records)
        with pytest.raises(cli._UsageError, match="standard input: Input/output error"):
            next(records)


def test_options_of_the_command_line_are_in_force(tmp_path: Path) -> None:
    file = tmp_path / "engine.yaml"
    file.write_text("hash_mb: 8\nmultipv: 2\n")
    script = (
        "import sys\n"
        "from protocol import cli\n"
        "options = cli._options(sys.argv[1:])\n"
        "config = cli._load_config(options)\n"
        "print(config.hash_mb, config.multipv, config.threads, config.log_file)\n"
    )

    def found(*arguments: str) -> str:
        return run(*arguments, python=("-c", script)).stdout.strip()

    assert found("--config", str(file), "--set", "threads=3") == "8 2 3"
    assert found("--config", str(file), "--set", "threads=3", "--set", "MultiPV=5", "--log", "x") == "8 5 3 x"
    assert found("--set", "threads=3", "perft", "--set", "hash=9", "--config", str(file), "4") == "9 2 3"
    assert found("--config", str(file), "solve", "--threads", "4", "x.obf") == "8 2 4"


@pytest.mark.parametrize("text", ["", "\n", "# nothing\n", "\ufeff\n"])
def test_an_empty_script_ends_without_a_word(text: str) -> None:
    done = run(text=text)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_is_a_quit_with_its_own_status(name: str) -> None:
    number = getattr(signal, name)
    process = subprocess.Popen(
        [sys.executable, "-m", "protocol"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"nonsense\n")
    process.stdin.flush()
    assert process.stdout.readline().startswith(b"error unknown-command")
    began = time.monotonic()
    process.send_signal(number)
    assert process.wait(5) == 128 + number
    assert time.monotonic() - began < 1
    assert process.communicate() == (b"", b"")


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
@pytest.mark.parametrize(("redirection", "status"), [("0<&-", 0), ("1>&-", 4), ("2>&-", 0), ("0<&- 1>&- 2>&-", 0)])
def test_closed_descriptors_do_no_harm(redirection: str, status: int) -> None:
    done = subprocess.run(
        ["sh", "-c", f"exec {sys.executable} -m protocol {redirection}"],
        input="nonsense\n" * 3,
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        timeout=30,
        check=False,
    )
    assert done.returncode == status
    assert done.stderr == ""


def test_many_lines_of_garbage_are_one_error_each() -> None:
    lines = [f"x{number} {'y' * (number % 300)}" for number in range(20_000)]
    done = run(text="".join(f"{line}\n" for line in lines))
    answers = done.stdout.splitlines()
    assert len(answers) == len(lines)
    assert all(answer.startswith(f"error unknown-command x{number} ") for number, answer in enumerate(answers))
    assert (done.returncode, done.stderr) == (0, "")
