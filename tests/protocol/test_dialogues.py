"""The dialogues of `docs/protocol.md`, as they stand there: against a scripted engine, and against the real
one.

`N` stands for a number, `M` for a move, `...` for the rest of a line or alone for any number of lines.
"""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from tests.protocol.fake_engine import Desk, FakeEngine, answer_truly, count_truly
from tests.protocol.transcripts import Dialogue, dialogues, play, real_program, talk_to

VARYING = {"N": r"-?\d+", "M": "(?:[a-h][1-8]|pass)"}
VARYING_IN_GOMOKU = {**VARYING, "M": "[a-t](?:1[0-9]|20|[1-9])"}


def native_dialogues() -> list[Dialogue]:
    """In the README what varies is printed as it came out once."""
    return [masked(dialogue) for dialogue in dialogues("docs/protocol.md", "README.md")]


def masked(dialogue: Dialogue) -> Dialogue:
    if dialogue.page != "README.md":
        return dialogue
    figures = r"\b(nodes|nps|time|seldepth|hashfull) \d+"
    text = (re.sub(figures, r"\1 N", line) if line.startswith("<") else line for line in dialogue.text)
    return replace(dialogue, text=tuple(text))


def is_gomoku(dialogue: Dialogue) -> bool:
    return any("value gomoku" in line for line in dialogue.text)


@pytest.mark.parametrize("dialogue", [each for each in native_dialogues() if not is_gomoku(each)], ids=str)
def test_a_dialogue_goes_as_printed(dialogue: Dialogue) -> None:
    """The scripted engine knows Othello only."""

    def prepare(engine: FakeEngine) -> None:
        engine.answer = answer_truly
        engine.count_for_me = count_truly

    send, read, said = talk_to(Desk(prepare=prepare, profile=None))
    play(dialogue, send, read, VARYING)
    assert all(line.startswith("info") for line in said)


@pytest.mark.e2e
@pytest.mark.parametrize("dialogue", native_dialogues(), ids=str)
def test_a_dialogue_goes_as_printed_with_the_real_engine(dialogue: Dialogue) -> None:
    with real_program() as (send, read):
        send("isready")
        while read() != "readyok":  # on an empty cache, progress comes first
            continue
        play(dialogue, send, read, VARYING_IN_GOMOKU if is_gomoku(dialogue) else VARYING)
