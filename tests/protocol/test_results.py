"""Files of results: whole after every position, read back however they were cut, refused if they are something else."""

from __future__ import annotations

import errno
import io
import itertools
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from protocol.batch.results import (
    FIELDS,
    CsvForm,
    Form,
    JsonForm,
    JsonLinesForm,
    MoveValue,
    ResultFile,
    ResultsError,
    Solved,
    open_binary,
    open_results,
    read_results,
)

ONE = Solved(
    number=1,
    line=2,
    board="-" * 64 + " X",
    empties=6,
    depth=6,
    score=-12,
    move="a3",
    pv="a3 pass c1",
    nodes=600,
    time_ms=1,
    nps=600_000,
    expected=None,
    verdict="unknown",
    goal="exact",
)
THREE = (
    ONE,
    replace(ONE, number=2, expected=4, score=4, verdict="right", fault='a b, "c"; d\'s'),
    replace(ONE, number=3, moves=(MoveValue("a3", 12, "a3 c1"), MoveValue("c1", 0, "c1"))),
)


def form(name: str) -> Form:
    forms: dict[str, Form] = {
        "csv": CsvForm(),
        "jsonl": JsonLinesForm(),
        "json": JsonForm("exact", 1),
    }
    return forms[name]


def readable(name: str, results: tuple[Solved, ...]) -> list[Solved]:
    """What comes back: rows of a table have no room for the lines of play of all moves."""
    if name != "csv":
        return list(results)
    return [replace(one, moves=tuple(replace(each, pv="") for each in one.moves)) for one in results]


@pytest.fixture(params=["csv", "jsonl", "json"])
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def write(path: Path, name: str, results: tuple[Solved, ...], kept: tuple[Solved, ...] = ()) -> list[bytes]:
    """The file's bytes at the beginning and after every result."""
    states = []
    with open_results(str(path), form(name), kept) as file:
        out = ResultFile(str(path), file, form(name), kept)
        states.append(path.read_bytes())
        for one in results:
            out.add(one)
            states.append(path.read_bytes())
        out.close()
    return states


def test_what_was_written_is_read_back(tmp_path: Path, name: str) -> None:
    path = tmp_path / "results"
    write(path, name, THREE)
    assert read_results(str(path), form(name)) == readable(name, THREE)


def test_a_file_is_whole_after_every_position(tmp_path: Path, name: str) -> None:
    path = tmp_path / "results"
    for n, state in enumerate(write(path, name, THREE)):
        path.write_bytes(state)
        assert read_results(str(path), form(name)) == readable(name, THREE[:n])
        if name == "json":
            assert len(json.loads(state)["positions"]) == n


def test_a_write_that_was_cut_costs_no_earlier_position(tmp_path: Path, name: str) -> None:
    """Behind the place of the cut there is nothing, or what stood there before."""
    tail = b"\n  ]," if name == "json" else b""
    states = write(tmp_path / "results", name, THREE)
    for n, (before, after) in enumerate(itertools.pairwise(states)):
        end = before.rindex(tail)
        for cut in range(end, len(after)):
            for text in (after[:cut], after[:cut] + before[cut:]):
                found = form(name).read(text.decode())
                assert found in (readable(name, THREE[:n]), readable(name, THREE[: n + 1]))


def test_a_file_goes_on_with_what_it_has_to_keep(tmp_path: Path, name: str) -> None:
    path, link = tmp_path / "results", tmp_path / "link"
    write(path, name, THREE[:2])
    path.chmod(0o640)
    link.symlink_to(path)
    states = write(link, name, THREE[2:], kept=THREE[:2])
    path.write_bytes(states[0])
    assert read_results(str(path), form(name)) == list(THREE[:2])
    path.write_bytes(states[-1])
    assert read_results(str(path), form(name)) == readable(name, THREE)
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert sorted(tmp_path.iterdir()) == [link, path]


def test_a_file_that_is_not_there_holds_nothing(tmp_path: Path, name: str) -> None:
    assert read_results(str(tmp_path / "results"), form(name)) == []
    (tmp_path / "results").touch()
    assert read_results(str(tmp_path / "results"), form(name)) == []


@pytest.mark.parametrize("text", ["hello", "hello\n", "{}\n", "[]", "number;line\n1;2\n", "\x00\xff\n"])
def test_a_foreign_file_is_refused_by_name(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / "results"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ResultsError, match="results: not results of this version"):
        read_results(str(path), form(name))


def test_a_file_with_other_columns_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "results"
    write(path, name, THREE)
    path.write_text(path.read_text().replace("verdict", "judgement"))
    with pytest.raises(ResultsError, match="of this version"):
        read_results(str(path), form(name))


@pytest.mark.parametrize("name", ["csv", "jsonl"])
def test_a_line_that_is_damaged_is_named(tmp_path: Path, name: str) -> None:
    path = tmp_path / "results"
    write(path, name, THREE)
    path.write_text(path.read_text().replace("600000", "fast", 2))
    with pytest.raises(ResultsError, match=r"line [12]: "):
        read_results(str(path), form(name))


def test_line_ends_of_a_spreadsheet_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    write(path, "csv", THREE)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert read_results(str(path), form("csv")) == readable("csv", THREE)


def test_a_table_has_a_column_for_every_field(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    write(path, "csv", THREE)
    head, *rows = path.read_text().splitlines()
    assert head.split(",") == list(FIELDS)
    assert rows[2].endswith(",a3:+12 c1:+0")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is full")
def test_a_full_disk_is_one_error_with_the_name(name: str) -> None:
    with pytest.raises(ResultsError, match="/dev/full: No space left"), open_binary("/dev/full", "wb") as file:
        ResultFile("/dev/full", file, form(name)).add(ONE)
    with pytest.raises(ResultsError, match="/nonexistent/x: No such file"):
        open_results("/nonexistent/x", form(name))


def test_going_on_into_a_file_that_is_not_there_yet(tmp_path: Path, name: str) -> None:
    path = tmp_path / "results"
    write(path, name, THREE[2:], kept=THREE[:2])
    assert read_results(str(path), form(name)) == readable(name, THREE)
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_cannot_be_replaced_stays_and_nothing_beside_it(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*paths: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "results"
    write(path, name, THREE[:2])
    before = path.read_bytes()
    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(ResultsError, match="results: No space left"):
        open_results(str(path), form(name), THREE[:2])
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == before


class Disk(io.BytesIO):
    """A regular file on a disk that may be full, in the middle of a write; or interrupted when one is done."""

    room = 1_000_000
    interrupted = False

    def write(self, data: bytes, /) -> int:  # type: ignore[override]
        if not self.room:
            raise OSError(errno.ENOSPC, "No space left on device")
        n = super().write(data[: self.room])
        self.room -= n
        if self.interrupted:
            raise KeyboardInterrupt
        return n


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    monkeypatch.setattr("protocol.batch.results._is_regular", lambda file: True)
    return Disk()


def test_a_full_disk_costs_one_result_and_the_totals_do_not_count_it(disk: Disk, name: str) -> None:
    out = ResultFile("r", disk, form(name), planned=3)
    out.add(THREE[0])
    disk.room = 50
    with pytest.raises(ResultsError):
        out.add(THREE[1])
    disk.room = 1_000_000
    out.close()
    text = disk.getvalue().decode()
    assert form(name).read(text) == [THREE[0]]
    if name == "json":
        totals = json.loads(text)["totals"]
        assert (totals["positions"], totals["remaining"], totals["unknown"]) == (1, 2, 1)


def test_an_interruption_right_after_a_write_costs_nothing(disk: Disk, name: str) -> None:
    out = ResultFile("r", disk, form(name), planned=3)
    out.add(THREE[0])
    disk.interrupted = True
    with pytest.raises(KeyboardInterrupt):
        out.add(THREE[1])
    disk.interrupted = False
    out.close()
    text = disk.getvalue().decode()
    assert form(name).read(text) == list(THREE[:2])
    if name == "json":
        assert json.loads(text)["totals"]["positions"] == 2


def test_a_full_pipe_that_does_not_block_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    class Pipe(io.BytesIO):
        n_tries = 0

        def write(self, data: bytes, /) -> int | None:  # type: ignore[override]
            self.n_tries += 1
            return None if self.n_tries % 2 else super().write(data[:100])

    pipe, rests = Pipe(), list[float]()
    monkeypatch.setattr("time.sleep", rests.append)
    ResultFile("-", pipe, JsonLinesForm()).add(ONE)
    assert len(rests) == pipe.n_tries // 2
    assert JsonLinesForm().read(pipe.getvalue().decode()) == [ONE]


# -- damage ------------------------------------------------------------------------------------------------


def damage(path: Path, name: str, old: str, new: str, n: int = -1) -> None:
    """Writes a file with a part of it replaced, where there is one."""
    write(path, name, THREE)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, n))


def test_two_reports_in_one_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "results"
    write(path, "json", THREE)
    path.write_text(path.read_text() * 2)
    with pytest.raises(ResultsError, match="results: damaged after 3 positions"):
        read_results(str(path), form("json"))


def test_a_report_that_is_damaged_and_not_cut_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "results"
    damage(path, "json", '"empties": 6,', '"empties": 6,,', 1)
    with pytest.raises(ResultsError, match="damaged after 0 positions"):
        read_results(str(path), form("json"))


def test_a_cut_report_of_another_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "results"
    damage(path, "json", "verdict", "judgement")
    path.write_text(path.read_text()[:-40])
    with pytest.raises(ResultsError, match="no result of this version"):
        read_results(str(path), form("json"))


def test_a_last_line_without_an_end_counts_if_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "results"
    write(path, "jsonl", THREE)
    path.write_text(path.read_text().removesuffix("\n"))
    assert read_results(str(path), form("jsonl")) == list(THREE)
    path.write_text('{"number": 7, "title": "mine"}')
    with pytest.raises(ResultsError, match="line 1: no result of this version"):
        read_results(str(path), form("jsonl"))


def test_a_row_that_was_cut_in_its_moves_does_not_pass_for_whole(tmp_path: Path) -> None:
    path = tmp_path / "results"
    write(path, "csv", THREE)
    for end in ("a3:+12 c1:+0\n", "+12 c1:+0\n", "2 c1:+0\n", "\n"):
        path.write_text(path.read_text().removesuffix(end))
        assert read_results(str(path), form("csv")) == list(THREE[:2])


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("json", '"positions": [', '"places": ['),
        ("csv", "a b,", "a" * 140_000),
        ("jsonl", f'"{ONE.board}"', '["X"]'),
        ("jsonl", '"move": "a3", "score"', '"move": ["a3"], "score"'),
        ("jsonl", '"nodes": 600', '"nodes": Infinity'),
        ("csv", "a3 pass c1", "a3 p\u00e4ss c1"),
    ],
)
def test_damage_of_any_kind_is_told_with_the_name(tmp_path: Path, name: str, old: str, new: str) -> None:
    path = tmp_path / "results"
    damage(path, name, old, new)
    with pytest.raises(ResultsError, match="results: "):
        read_results(str(path), form(name))
