"""The dialogues of `docs/nboard.md`, as they stand there: against a scripted engine, and against the real one."""

from __future__ import annotations

import pytest

from tests.protocol.fake_engine import answer_truly
from tests.protocol.nboard_desk import Desk
from tests.protocol.transcripts import Dialogue, dialogues, play, real_program, talk_to

PRINTED = dialogues("docs/nboard.md")
VARYING = {"N": r"\d+", "V": r"-?\d+\.\d\d", "S": r"\d+\.\d+", "M": "[A-H][1-8]", "PV": "(?:[A-H][1-8]|PA)+"}


@pytest.mark.parametrize("dialogue", PRINTED, ids=str)
def test_a_dialogue_goes_as_printed(dialogue: Dialogue) -> None:
    send, read, _ = talk_to(Desk(prepare=lambda engine: setattr(engine, "answer", answer_truly)))
    play(dialogue, send, read, VARYING)


@pytest.mark.e2e
@pytest.mark.parametrize("dialogue", PRINTED, ids=str)
def test_a_dialogue_goes_as_printed_with_the_real_engine(dialogue: Dialogue) -> None:
    with real_program("--protocol", "nboard", "--set", "threads=1", "--set", "hash=16") as (send, read):
        play(dialogue, send, read, VARYING)
