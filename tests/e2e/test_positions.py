"""Positions over the wire: passes, finished games, wipe-outs, undo, and all that is refused."""

from __future__ import annotations

import itertools
import random

import pytest

from othello_engine.position import Position
from othello_engine.types import BLACK, square_name
from tests.e2e.client import assert_playable, board_line
from tests.positions import (
    BLACK_WIPES_OUT,
    EARLIEST_PASS,
    EARLY_END,
    FINISHED,
    PASS_AT_16,
    PASS_AT_16_PERFT,
    PASS_THEN_WIPE_OUT,
    START_PERFT,
    START_TEXT,
    WIPE_OUT,
    random_game,
)
from tools.measure.driver import EngineProcess


def shown(engine: EngineProcess, *commands: str) -> tuple[str, str]:
    """After these commands, which must not be refused: the lines `board` and `legal` of a display."""
    lines = engine.ask(*commands, "display")
    assert lines[0].startswith("board "), lines
    return lines[0], lines[2]


# -- passes --------------------------------------------------------------------------------------------------


def test_a_side_without_a_move_passes_and_the_game_goes_on(engine: EngineProcess) -> None:
    position = Position.from_moves(PASS_AT_16)
    assert shown(engine, f"setboard startpos moves {PASS_AT_16}") == (board_line(position), "legal pass")
    answer = engine.search("go depth 6")
    assert answer.best == "pass"
    assert_playable(position, answer)
    assert shown(engine, "move pass") == (board_line(position.play("pass")), "legal c3 g3 b4")


def test_perft_counts_a_pass_as_a_ply(engine: EngineProcess) -> None:
    engine.send(f"setboard startpos moves {PASS_AT_16}", "perft 7")
    lines = [line.text for line in engine.read_until("perft depth .*", 30)]
    counts = [int(line.split()[4]) for line in lines if line.startswith("info perft")]
    assert counts == list(PASS_AT_16_PERFT)
    assert lines[-1].startswith(f"perft depth 7 nodes {PASS_AT_16_PERFT[-1]} ")


def test_perft_from_the_start(engine: EngineProcess) -> None:
    engine.send("setboard startpos", "perft 9")
    lines = [line.text for line in engine.read_until("perft depth .*", 60)]
    assert [int(line.split()[4]) for line in lines if line.startswith("info perft")] == list(START_PERFT)


@pytest.mark.parametrize("spelling", ["", "pass", "PA", "ps", "--", "@@@@", "0000", "Pass", "pa"])
def test_a_pass_may_be_spelled_in_many_ways_or_left_out(engine: EngineProcess, spelling: str) -> None:
    expected = board_line(Position.from_moves(EARLIEST_PASS).play("pass").play("b4"))
    separate = " ".join(EARLIEST_PASS[i : i + 2] for i in range(0, len(EARLIEST_PASS), 2))
    by_list = shown(engine, f"setboard startpos moves {separate} {spelling} b4")
    assert by_list[0] == expected
    by_move = shown(engine, f"setboard startpos moves {EARLIEST_PASS}", f"move {spelling} b4")
    assert by_move[0] == expected
    by_transcript = shown(engine, f"setboard startpos moves {EARLIEST_PASS}{spelling}b4")
    assert by_transcript[0] == expected


def test_a_whole_game_with_passes_fits_one_line(engine: EngineProcess) -> None:
    rng = random.Random(3)
    game = next(g for g in iter(lambda: random_game(rng), None) if len(g) > 61 and any(p.must_pass for p in g))
    moves = []
    for before, after in itertools.pairwise(game):
        played = next(m for m in before.legal_moves if before.play(m) == after)
        moves.append(square_name(played))
    assert "pass" in moves
    expected = (board_line(game[-1]), "legal none")
    assert shown(engine, f"setboard startpos moves {' '.join(moves)}") == expected
    without = "".join(move for move in moves if move != "pass")
    assert shown(engine, f"setboard startpos moves {without}") == expected


def test_undo_and_redo_are_inverses_across_passes(engine: EngineProcess) -> None:
    rng = random.Random(4)
    for _ in range(3):
        game = next(g for g in iter(lambda: random_game(rng, 0.5), None) if any(p.must_pass for p in g))
        boards = [board_line(position) for position in game]
        engine.ask("newgame")
        for before, after in itertools.pairwise(game):
            move = next(m for m in before.legal_moves if before.play(m) == after)
            assert engine.ask(f"move {square_name(move)}") == []
        seen = [engine.ask("display")[0]]
        for _ in game[1:]:
            seen.append(engine.ask("undo", "display")[0])
        assert seen == boards[::-1]
        (error,) = engine.ask("undo")
        assert error.startswith("error nothing-to-undo")


def test_several_plies_can_be_undone_at_once(engine: EngineProcess) -> None:
    engine.ask("setboard startpos moves f5d6c3d3")
    assert engine.ask("undo 3", "display")[0] == board_line(Position.from_moves("f5"))
    (error,) = engine.ask("undo 2")
    assert error.startswith("error nothing-to-undo")
    assert engine.ask("display")[0] == board_line(Position.from_moves("f5"))


# -- ends of games -------------------------------------------------------------------------------------------


def result_for_black(score: int) -> str:
    return "response draw" if score == 0 else "response p1win" if score > 0 else "response p2win"


@pytest.mark.parametrize(("board", "score"), FINISHED)
@pytest.mark.parametrize("side", ["X", "O"])
def test_a_finished_game_is_an_ordinary_position(engine: EngineProcess, board: str, score: int, side: str) -> None:
    said = engine.ask(f"setboard {board} {side}", "query gameover", "query result")
    assert said == ["response true", result_for_black(score)]
    assert shown(engine) == (f"board {board} {side}", "legal none")
    for go in ("go", "go depth 5", "go exact", "go time 100", "go wld"):
        answer = engine.search(go, timeout=2)
        assert answer.best == "none"
        assert answer.seconds < 0.5
        for info in answer.infos:
            if info.score_kind == "disc":
                assert info.score == (score if side == "X" else -score)
    (error,) = engine.ask("move pass")
    assert error.startswith("error illegal-move pass")
    engine.send("perft 3")
    assert engine.read_until("perft depth .*")[-1].text.startswith("perft depth 3 nodes 1 ")


def test_an_unbounded_search_of_a_finished_game_waits_for_stop(engine: EngineProcess) -> None:
    engine.send(f"setboard {FINISHED[0][0]} X", "go infinite")
    assert not [line for line in engine.read_for(0.5) if line.kind == "bestmove"]
    assert engine.search("stop").best == "none"


@pytest.mark.parametrize(
    ("moves", "score"),
    [(BLACK_WIPES_OUT, 64), (WIPE_OUT, -64), (PASS_THEN_WIPE_OUT, 64), (EARLY_END, -62)],
)
def test_a_game_that_ends_early_is_over(engine: EngineProcess, moves: str, score: int) -> None:
    said = engine.ask(f"setboard startpos moves {moves}", "query gameover", "query result")
    assert said == ["response true", result_for_black(score)]
    (error,) = engine.ask(f"setboard startpos moves {moves}a1")
    assert error.startswith(f"error illegal-move a1 at {len(moves) // 2 + 1}")


@pytest.mark.parametrize("moves", [BLACK_WIPES_OUT, WIPE_OUT])
def test_a_wipe_out_is_seen_coming(engine: EngineProcess, moves: str) -> None:
    before = Position.from_moves(moves[:-2])
    answer = engine.search(f"setboard {before.to_text()}", "go depth 3")
    assert before.play(answer.best).is_over
    # Counted to the end, in hundredths of a disc, or as the documented evaluation shows it: sign * 10,000,000 + 10,000
    # a disc.
    assert (answer.last.score_kind, answer.last.score) in (("disc", 64), ("cp", 6400), ("raw", 10_640_000))


def test_a_forced_move_is_answered_at_once(engine: EngineProcess) -> None:
    rng = random.Random(6)
    found = 0
    while found < 5:
        game = random_game(rng, 0.6)
        for ply, position in enumerate(game):
            if len(position.legal_moves) == 1 and position.n_empties > 15:
                # Analyse what came before, so that the table holds something about this position.
                engine.search(f"setboard {game[max(0, ply - 1)].to_text()}", "go depth 4")
                answer = engine.search(f"setboard {position.to_text()}", "go time 60000")
                assert answer.best == square_name(position.legal_moves[0])
                assert answer.seconds < 0.2
                found += 1
                break


# -- new game, sides -----------------------------------------------------------------------------------------


def test_a_new_game_after_a_white_position_starts_with_black(engine: EngineProcess) -> None:
    engine.ask(f"setboard {START_TEXT[:-1]}O")
    assert shown(engine, "newgame") == (f"board {START_TEXT}", "legal d3 c4 f5 e6")


@pytest.mark.parametrize("word", ["newgame", "ucinewgame", "uginewgame"])
def test_a_new_game_has_three_names(engine: EngineProcess, word: str) -> None:
    engine.ask("setboard startpos moves f5d6")
    assert shown(engine, word)[0] == f"board {START_TEXT}"
    (error,) = engine.ask("undo")
    assert error.startswith("error nothing-to-undo")


@pytest.mark.parametrize(
    "spelled",
    [
        "setboard {}",
        "position board {}",
        "position fen {}",
        "setboard {} moves",
    ],
)
def test_an_asymmetric_board_comes_back_as_it_went_in(engine: EngineProcess, spelled: str) -> None:
    for position in (Position.from_moves("f5d6c3d3c4f4f6f3e6"), Position.from_moves("f5f6e6")):
        assert shown(engine, spelled.format(position.to_text()))[0] == board_line(position)


def test_boards_are_read_in_all_spellings(engine: EngineProcess) -> None:
    position = Position.from_moves("f5d6c3d3")
    plain = position.to_text()[:64]
    side = "Xx*Bb" if position.side == BLACK else "OoWw"
    for black in "Xx*Bb":
        for white, empty in (("O", "-"), ("o", "."), ("W", "-"), ("w", ".")):
            table = str.maketrans({"X": black, "O": white, "-": empty})
            for gap in (" ", ""):
                text = f"setboard {plain.translate(table)}{gap}{side[0]}"
                assert shown(engine, text)[0] == board_line(position), text
    for word in ("black", "b", "B"):
        assert engine.ask(f"setboard {plain} {word}", "query p1turn") == ["response true"]


# -- what is refused -----------------------------------------------------------------------------------------

BOARD = START_TEXT[:64]

REFUSED_POSITIONS = (
    ("setboard", "missing-argument"),
    (f"setboard {BOARD[:63]} X", "bad-board"),
    (f"setboard -{BOARD} X", "bad-board"),
    (f"setboard {BOARD}", "bad-board"),
    (f"setboard {BOARD} Z", "bad-board"),
    (f"setboard {BOARD.replace('X', '?')} X", "bad-board"),
    (f"setboard {BOARD.replace('O', '0')} X", "bad-board"),
    ("setboard X", "bad-board"),
    ("position fen", ""),
    ("position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "bad-board"),
    ("setboard startpos moves d4", "illegal-move d4 at 1"),
    ("setboard startpos moves a1", "illegal-move a1 at 1"),
    ("setboard startpos moves d3 d3", "illegal-move d3 at 2"),
    ("setboard startpos moves f5d6c3a8", "illegal-move a8 at 4"),
    ("setboard startpos moves f5 d6 pass", "illegal-move pass at 3"),
    ("setboard startpos moves f5 i9", "illegal-move i9 at 2"),
    (f"setboard startpos moves {EARLIEST_PASS} pass pass", "illegal-move pass at 10"),
    ("move a1", "illegal-move a1"),
    ("move d3 d3", "illegal-move d3 at 2"),
    ("move", "missing-argument"),
    ("undo 5", "nothing-to-undo"),
    ("undo x", "bad-argument x"),
    ("undo -1", "bad-argument -1"),
)


@pytest.mark.parametrize(("command", "error"), REFUSED_POSITIONS)
def test_a_refused_position_changes_nothing(engine: EngineProcess, command: str, error: str) -> None:
    engine.ask("setboard startpos moves e6 f4")
    kept = engine.ask("display")
    (said,) = engine.ask(command)
    assert said.startswith(f"error {error}"), said
    assert engine.ask("display") == kept
    assert engine.ask("undo 2") == []


@pytest.mark.parametrize("n_lines", [2000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_thousands_of_broken_positions_change_nothing(engine: EngineProcess, n_lines: int) -> None:
    rng = random.Random(8)
    engine.ask("setboard startpos moves e6 f4")
    kept = engine.ask("display")
    for _ in range(n_lines // 50):
        lines = []
        for _ in range(50):
            cells = list(BOARD)
            kind = rng.randrange(4)
            if kind == 0:
                del cells[rng.randrange(64)]
            elif kind == 1:
                cells[rng.randrange(64)] = rng.choice("?0129zA/")
            elif kind == 2:
                cells.insert(rng.randrange(64), rng.choice("XO-"))
            side = " X" if kind != 3 else rng.choice(["", " Y", " 1", " ?"])
            lines.append(f"setboard {''.join(cells)}{side}")
        answers = engine.ask(*lines)
        assert len(answers) == len(lines)
        assert all(answer.startswith("error bad-board ") for answer in answers)
    assert engine.ask("display") == kept
