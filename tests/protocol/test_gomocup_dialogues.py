"""The dialogues of `docs/gomocup.md`, as they stand there: against a scripted engine, and against the real one."""

from __future__ import annotations

import pytest

from tests.protocol.gomocup_desk import self_answering
from tests.protocol.transcripts import Dialogue, dialogues, play, real_program, talk_to

PRINTED = dialogues("docs/gomocup.md")
VARYING = {"M": r"\d{1,2},\d{1,2}", "N": r"\d+"}


@pytest.mark.parametrize("dialogue", PRINTED, ids=str)
def test_a_dialogue_goes_as_printed(dialogue: Dialogue) -> None:
    send, read, left_over = talk_to(self_answering())
    play(dialogue, send, read, VARYING)
    assert left_over == []


@pytest.mark.e2e
@pytest.mark.parametrize("dialogue", PRINTED, ids=str)
def test_a_dialogue_goes_as_printed_with_the_real_engine(dialogue: Dialogue) -> None:
    with real_program("--protocol", "gomocup", "--set", "threads=1", "--set", "hash=16", quit_line="END") as (
        send,
        read,
    ):
        play(dialogue, send, read, VARYING)
