"""The dialogues of `docs/gtp.md`, as they stand there: against a scripted engine, and against the real one."""

from __future__ import annotations

import pytest

from tests.protocol.gtp_desk import knowing
from tests.protocol.transcripts import Dialogue, dialogues, play, real_program, talk_to

PRINTED = dialogues("docs/gtp.md")
VARYING = {"M": "[a-h][1-8]", "N": r"\d+", "V": r"[+-]\d+(?:\.\d)?", "S": r"\d+\.\d+"}


@pytest.mark.parametrize("dialogue", PRINTED, ids=str)
def test_a_dialogue_goes_as_printed(dialogue: Dialogue) -> None:
    send, read, left_over = talk_to(knowing())
    play(dialogue, send, read, VARYING)
    assert left_over == []


@pytest.mark.e2e
@pytest.mark.parametrize("dialogue", PRINTED, ids=str)
def test_a_dialogue_goes_as_printed_with_the_real_engine(dialogue: Dialogue) -> None:
    options = ("threads=1", "hash=16", "movetime=100")
    settings = [word for option in options for word in ("--set", option)]
    with real_program("--protocol", "gtp", *settings) as (send, read):
        play(dialogue, send, read, VARYING)
