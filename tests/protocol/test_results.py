"""Files of results: whole after every position, read back however they were cut, refused if they are something else."""

from __future__ import annotations

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
    Totals,
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
        "json": JsonForm("exact", 1, Totals(3)),
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
    states = write(tmp_path / "results", name, THREE)
    for n, (before, after) in enumerate(itertools.pairwise(states)):
        end = len(before) - len(form(name).tail())
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
