"""Starting: how fast, from where, in which environment, and what is not imported."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import othello_engine
from tests.e2e.client import texts
from tests.e2e.conftest import StartEngine
from tests.positions import SOLVED
from tools.measure.driver import COMMAND, EngineProcess, engine_environment

SLOW_IMPORTS = ("numba", "numpy", "llvmlite")


def solves(engine: EngineProcess) -> None:
    engine.send(f"setboard {SOLVED[2].text}", "go exact")
    answer = engine.collect(0, timeout=180)
    assert (answer.best, answer.last.score) == ("a3", 12)


def test_the_handshake_does_not_wait_for_the_kernels(start: StartEngine) -> None:
    times = []
    for _ in range(5):
        engine = start()
        engine.send("uoi")
        times.append(engine.read_until("uoiok", 5)[-1].at - engine.started_at)
    # The target of 150 ms is measured by tools/measure/startup.py; other tests may load this machine.
    assert min(times) < 0.3, times


def test_a_position_can_be_set_and_shown_before_anything_is_ready(start: StartEngine) -> None:
    engine = start()
    engine.send("setboard startpos moves f5d6c3", "display")
    assert engine.read_until("legal .*", 5)[-1].at - engine.started_at < 0.6


def test_ready_comes_soon_on_a_warm_cache(start: StartEngine) -> None:
    engine = start(options={"Threads": 2})
    assert engine.wait_ready() < 5


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_version_and_help_import_no_compiler(option: str) -> None:
    script = (
        "import sys\n"
        "from protocol.cli import main\n"
        "try:\n    main([sys.argv[1]])\nexcept SystemExit as end:\n    assert not end.code, end.code\n"
        f"loaded = [name for name in {SLOW_IMPORTS!r} if name in sys.modules]\n"
        "assert not loaded, loaded\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, option],
        capture_output=True,
        text=True,
        env=engine_environment(),
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    if option == "--version":
        assert othello_engine.__version__ in done.stdout


def test_the_parent_process_never_loads_the_compiler(start: StartEngine) -> None:
    maps = Path(f"/proc/{os.getpid()}/maps")
    if not maps.exists():
        pytest.skip("needs /proc")
    engine = start(options={"Threads": 1})
    engine.wait_ready()
    solves(engine)
    assert "llvmlite" not in Path(f"/proc/{engine.pid}/maps").read_text(encoding="utf-8")


@pytest.mark.parametrize("folder", ["blank and \u00e9\u6771", "deleted", pytest.param("/", marks=pytest.mark.slow)])
def test_the_working_directory_does_not_matter(
    start: StartEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    where = Path(folder) if folder == "/" else tmp_path / folder
    where.mkdir(exist_ok=True)
    command = list(COMMAND)
    if folder == "deleted":
        command = ["sh", "-c", 'rmdir "$PWD" && exec "$@"', "sh", *COMMAND]
    engine = start(options={"Threads": 1}, cwd=where, command=command)
    solves(engine)
    if folder not in ("/", "deleted"):
        assert engine.quit() == 0
        assert list(where.iterdir()) == []


def test_a_package_in_a_folder_with_blanks_and_foreign_letters_works(start: StartEngine, tmp_path: Path) -> None:
    root = Path(othello_engine.__file__).resolve().parent.parent
    home = tmp_path / "my engines \u00e9 \u6771"
    home.mkdir()
    for package in ("othello_engine", "protocol", "configs"):
        (home / package).symlink_to(root / package, target_is_directory=True)
    env = engine_environment()
    env["PYTHONPATH"] = str(home)
    solves(start(options={"Threads": 1}, env=env))


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, id="C locale"),
        pytest.param({"PYTHONWARNINGS": "error"}, id="warnings are errors"),
        pytest.param({"PYTHONIOENCODING": "cp437"}, id="cp437", marks=pytest.mark.slow),
        pytest.param({"PYTHONIOENCODING": "ascii:strict"}, id="ascii", marks=pytest.mark.slow),
        pytest.param({"PYTHONUNBUFFERED": None, "TERM": None, "LANG": None}, id="bare", marks=pytest.mark.slow),
    ],
)
def test_the_environment_does_not_matter(start: StartEngine, changes: dict[str, str | None]) -> None:
    engine = start(options={"Threads": 1}, env=engine_environment(**changes))
    engine.send_bytes("zug \u6771 \u00e9\n".encode())
    (error,) = texts(engine.read_until("error .*", 5))
    assert error.isascii()
    solves(engine)


def test_the_installed_command_is_the_same_program(start: StartEngine) -> None:
    script = shutil.which("othello-engine", path=str(Path(sys.executable).parent))
    if script is None:
        pytest.skip("not installed as a command")
    solves(start(options={"Threads": 1}, command=[script]))


def test_the_command_line_sets_options_and_profile(start: StartEngine, tmp_path: Path) -> None:
    file = tmp_path / "engine.yaml"
    file.write_text("hash_mb: 8\nmultipv: 2\n", encoding="utf-8")
    engine = start("--config", str(file), "--profile", "classic", "--set", "threads=1", "--set", "multipv=3")
    engine.wait_ready()
    answer = engine.search("setboard startpos moves f5d6c3", "go depth 3")
    assert {info.multipv for info in answer.infos} == {1, 2, 3}
    assert len(engine.workers()) == 1
