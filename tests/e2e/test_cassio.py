"""The real program as Cassio's engine, asked and read as Cassio does it."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

import pytest

from othello_engine.position import Position
from tests.positions import EARLIEST_PASS_TEXT, NOBODY_CAN_MOVE, SOLVED
from tests.protocol.cassio_client import CassioClient
from tests.protocol.test_cassio import VARYING, answers_of, command, garbage
from tests.protocol.transcripts import dialogues, play
from tools.measure.driver import START_TIMEOUT, EngineProcess

MIDGAME = Position.from_moves("f5d6c3d3c4f4f6g5")
LONG = Position.from_moves("f5d6c3d3c4f4c5b3c2e3")


def start(*settings: str) -> EngineProcess:
    arguments = ["--protocol", "cassio", "--set", "Hash=16"]
    for setting in settings or ("Threads=1",):
        arguments += ["--set", setting]
    return EngineProcess(arguments, check_grammar=False)


def end(process: EngineProcess) -> None:
    """Leaves by `quit`, at once and with nothing left behind."""
    sent_at = process.send(command("quit"))
    assert process.read_until("bye bye\\.")[-1].at - sent_at < 1
    assert process.popen.wait(2) == 0
    assert process.wait_gone(3) == []
    assert process.stderr_text == ""


@pytest.fixture(scope="module")
def cassio() -> Iterator[EngineProcess]:
    with start() as process:
        process.send(command("init"))
        process.read_until("ready\\.", START_TIMEOUT)
        yield process
        end(process)


def ask(process: EngineProcess, client: CassioClient, request: str, timeout: float = 60) -> CassioClient:
    """Sends a request and lets the client read all that comes; `client.value` is what it makes of it."""
    process.send(request)
    while not client.take(process.read_line(timeout).text):
        continue
    return client


def test_cassio_understands_every_line_of_a_midgame_search(cassio: EngineProcess) -> None:
    for position in (MIDGAME, LONG, *(MIDGAME.play(move) for move in MIDGAME.legal_moves[:3])):
        for depth, precision in ((1, 73), (6, 90), (9, 73), (4, 100)):
            client = CassioClient()
            ask(cassio, client, client.midgame_search(position, depth, precision))
            assert -64 <= client.value <= 64
            assert client.results[-1].depth == depth
            assert len(client.results) == 1
            assert client.errors == []


@pytest.mark.parametrize("known", SOLVED, ids=lambda known: known.name)
def test_scores_at_the_end_are_right_in_every_window(cassio: EngineProcess, known: object) -> None:
    position, score = known.position, known.score  # type: ignore[attr-defined]
    if position.n_empties > 16:
        pytest.skip("takes too long here")
    client = CassioClient()
    assert ask(cassio, client, client.endgame_search(position)).value == score
    edges = (-64, -10, -1, 0, 1, 10, 64)
    for alpha, beta in [(a, b) for a in edges for b in edges if a < b] + [(score - 1, score), (score, score + 1)]:
        alpha, beta = max(alpha, -64), min(beta, 64)
        if alpha >= beta or position.is_over:
            continue
        client = CassioClient()
        value = ask(cassio, client, client.endgame_search(position, window=(alpha, beta))).value
        # Fail-soft: a value outside is a bound on the far side of the edge, one inside is the score.
        assert value == score if alpha < score < beta else (value <= alpha) == (score <= alpha), (alpha, beta)
        assert client.results[-1].lower <= 100 * score <= client.results[-1].upper


def test_a_depth_to_the_end_is_a_solve(cassio: EngineProcess) -> None:
    known = next(known for known in SOLVED if 5 <= known.position.n_empties <= 12)
    for depth in (known.position.n_empties, 60):
        client = CassioClient()
        assert ask(cassio, client, client.midgame_search(known.position, depth, 100)).value == known.score
        assert client.results[-1].precision == 100


def test_a_single_move_is_searched_to_the_depth_that_was_asked_for(cassio: EngineProcess) -> None:
    dice = random.Random(2)
    position = Position.start()
    while len(position.legal_moves) != 1 or position.must_pass:
        position = position.play(dice.choice(position.legal_moves))
        if position.is_over or position.n_empties < 12:
            position = Position.start()
    client = CassioClient()
    ask(cassio, client, client.midgame_search(position, 9, 73))
    assert client.results[-1].depth == 9


def test_passes_and_finished_games_are_answered(cassio: EngineProcess) -> None:
    client = CassioClient()
    passing = Position.from_text(EARLIEST_PASS_TEXT)
    ask(cassio, client, client.midgame_search(passing, 7, 73))
    assert client.results[-1].move == "PA"
    over = Position.from_text(f"{NOBODY_CAN_MOVE} O")
    for request in (client.midgame_search, client.endgame_search):
        arguments = (over, 7, 73) if request == client.midgame_search else (over,)
        assert ask(cassio, client, request(*arguments)).value == -62  # type: ignore[operator]


def test_pings_are_answered_during_a_search_and_stop_ends_it(cassio: EngineProcess) -> None:
    client = CassioClient()
    cassio.send(client.midgame_search(LONG, 40, 100))
    nodes = []
    for _ in range(20):
        sent_at = cassio.send("", command("get-search-infos"))
        lines = cassio.read_until(r"node \d+, time [\d.]+", 5)
        assert lines[-1].at - sent_at < 0.5
        assert "ok." in [line.text for line in lines]
        nodes.append(int(lines[-1].text.split()[1].rstrip(",")))
        for line in lines:
            assert not client.take(line.text)
        time.sleep(0.1)
    assert nodes == sorted(nodes)
    assert nodes[0] < nodes[-1]
    cassio.send(client.request, command("new-position"))
    sent_at = cassio.send(command("stop"))
    lines = cassio.read_until("ready\\.", 5)
    assert lines[-1].at - sent_at < 0.5
    assert [client.take(line.text) for line in lines][-1]
    assert cassio.read_for(0.2) == []


def test_three_hundred_lines_of_garbage_are_each_answered(cassio: EngineProcess) -> None:
    dice = random.Random(8)
    for _ in range(300):
        line = garbage(dice)
        cassio.send(line)
        cassio.send(command("bogus-end"))
        said = [each.text for each in cassio.read_until("ERROR: unknown command bogus-end", 20)]
        assert cassio.read_line().text == "ready."
        assert said.count("ready.") == answers_of(line), line
        assert all(text.isascii() and text == text.strip() and text for text in said)


def test_what_is_fed_is_taken_and_proofs_do_not_believe_it(cassio: EngineProcess) -> None:
    known = next(known for known in SOLVED if 5 <= known.position.n_empties <= 12)
    text = known.position.to_text().replace(" ", "")
    for move in known.position.legal_moves:
        after = known.position.play(move).to_text().replace(" ", "")
        cassio.send(command(f"feed-hash {after} 40.00 40.00 60 100 ??"))
    cassio.send(command(f"feed-hash {text} -40.00 -40.00 60 100 ??"))
    client = CassioClient()
    assert ask(cassio, client, client.endgame_search(known.position)).value == known.score
    cassio.send(command("empty-hash"))


def test_a_time_for_moves_ends_a_search_of_the_midgame() -> None:
    with start("MoveTime=300", "Threads=2") as process:
        process.send(command("get-version"), command("init"))
        version, *_ = process.read_until("ready\\.", START_TIMEOUT)
        assert version.text.startswith("version: othello-engine ")
        process.read_until("ready\\.", START_TIMEOUT)
        for position in (LONG, MIDGAME):
            sent_at = process.send(command(f"midgame-search {position.to_text().replace(' ', '')} -64 64 60 100"))
            lines = process.read_until("ready\\.", 10)
            assert lines[-1].at - sent_at < 1.0
            assert ", move " in lines[-2].text
        end(process)


def test_the_dialogue_of_the_page_goes_as_printed_with_the_real_engine() -> None:
    (dialogue,) = dialogues("docs/cassio.md")
    with start() as process:
        play(
            dialogue,
            lambda line: process.send(line) and None,
            lambda: process.read_line(START_TIMEOUT).text,
            VARYING,
        )
        assert process.popen.wait(2) == 0
        assert process.wait_gone(3) == []
        assert process.stderr_text == ""


def test_a_quit_during_a_search_or_before_anything_leaves_nothing_behind() -> None:
    with start() as process:
        end(process)
    with start("Threads=2") as process:
        process.send(command("init"))
        process.read_until("ready\\.", START_TIMEOUT)
        process.send(CassioClient().midgame_search(LONG, 50, 100))
        process.read_line(20)
        end(process)


def test_lines_that_were_written_at_once_are_all_answered_before_the_end_of_input_counts() -> None:
    with start() as process:
        known = SOLVED[0]
        client = CassioClient()
        process.send(command("get-version"), command("init"), client.endgame_search(known.position), command("bogus"))
        process.end_input()
        said = [line.text for line in process.read_to_end(START_TIMEOUT)]
        assert said[0].startswith("version: ")
        assert said.count("ready.") == 4
        assert process.popen.wait(5) == 0
        assert process.stderr_text == ""
