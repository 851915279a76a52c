"""A small engine for the tests of the tools: plays the first legal move, in any dialect, and misbehaves when told to.

    fake_player.py native|nboard|gtp|cassio [BEHAVIOUR] [--log FILE]

BEHAVIOUR: `good`; `slow` thinks for 10 ms; `chatty` writes 200 kB to stderr and many lines before every move;
`doubling` says every move twice; `lasting` stays when told to quit or when its input ends, whatever the signal;
`implied` (GTP) passes by itself and refuses passes; `whole-seconds` (GTP) refuses decimals; `timeless` (GTP) knows no
time commands; `unready` never gets ready; `no-start` ends at once;
`late`, `silent`, `illegal`, `passing`, `crashing`, `refusing`, `flooding`, `orphaning` do so on their third move
(`late`: a quarter of a second, then it goes on; `orphaning`: ends, and leaves a child that holds the pipes);
`crash-once:FILE` crashes there unless FILE exists, and creates it.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # started by its path, with any environment

from othello_engine.formats.ggf import parse_ggf
from othello_engine.formats.sgf import parse_sgf
from othello_engine.position import Position
from othello_engine.types import BLACK, PASS, square_name

SLOW_S = 0.01
LATE_S = 0.25


class FakePlayer:
    """A position, and a choice made in it."""

    def __init__(self, behaviour: str) -> None:
        self.behaviour, _, self.file = behaviour.partition(":")
        self.position = Position.start()
        self.n_choices = 0

    def start(self, position: Position) -> None:
        self.position, self.n_choices = position, 0

    def play(self, *moves: str) -> None:
        for move in moves:
            self.position = self.position.play(move)

    def choose(self) -> str:
        """A move's name; `error` to refuse."""
        self.n_choices += 1
        if self.behaviour == "slow":
            time.sleep(SLOW_S)
        if self.behaviour == "chatty":
            sys.stderr.write("thinking aloud\n" * 14_000)
            print("info string thinking aloud\n" * 2000, end="", flush=True)
        if self.n_choices == 3:
            return self.third_choice()
        return self.move

    @property
    def move(self) -> str:
        legal = self.position.legal_bitboard
        return square_name((legal & -legal).bit_length() - 1 if legal else PASS)

    def third_choice(self) -> str:
        behaviour = self.behaviour
        if behaviour == "crashing":
            sys.exit("told to crash")
        if behaviour == "crash-once" and not Path(self.file).exists():
            Path(self.file).touch()
            sys.exit("told to crash once")
        if behaviour == "orphaning":
            subprocess.Popen(["sleep", "600"])
            sys.exit("told to leave a child")
        if behaviour == "silent":
            time.sleep(600)
        if behaviour == "late":
            time.sleep(LATE_S)
        while behaviour == "flooding":
            print("info string " + 100 * "flood ")
        answers = {"illegal": "d4", "passing": "pass", "refusing": "error", "resigning": "resign"}
        return answers.get(behaviour, self.move)


def native(player: FakePlayer, line: str) -> str | None:
    command, *words = line.split()
    if command == "uoi":
        return "id name fake\nuoiok"
    if command == "isready":
        return "readyok"
    if command == "setoption" and words[1] == "Treads":
        return "error unknown-option Treads no such option; did you mean Threads?"
    if command == "setboard":
        board, side, *moves = words
        player.start(Position.from_text(f"{board} {side}"))
        player.play(*moves[1:])
    if command == "move":
        player.play(*words)
    if command == "go":
        move = player.choose()
        if move == "error":
            return "error internal - told to refuse"
        info = "info depth 1 seldepth 1 sel 100 score disc 1 nodes 1 nps 1 time 0 hashfull 0 pv a1"
        return f"{info}\ninfo depth 7 seldepth 9 sel 73 score cp -150 nodes 99 nps 1 time 0 pv a1\nbestmove {move}"
    return None


def nboard(player: FakePlayer, line: str) -> str | None:
    command, *words = line.split()
    if command == "ping":
        return f"pong {words[0]}"
    if line.startswith("set depth"):
        return f"\nset myname fake{words[1]}"
    if line.startswith("set game"):
        game = parse_ggf(line.removeprefix("set game "))
        player.start(game.final_position)
    if command == "move":
        player.play(words[0].partition("/")[0])
    if command == "go":
        told = f"status thinking\nsearch {player.move}    -1.50 0   7\nnodestats 99 0.1"
        return f"{told}\n=== {player.choose().upper()}/-1.50/0.1\nstatus"
    return None


GTP_COMMANDS = "protocol_version boardsize clear_board play genmove loadsgf time_settings time_left list_commands quit"


def gtp(player: FakePlayer, line: str) -> str | None:
    command, *words = line.split()
    answer = ""
    if command == "protocol_version":
        answer = "2"
    elif command == "list_commands":
        known = GTP_COMMANDS.split()
        answer = "\n".join(name for name in known if player.behaviour != "timeless" or "time" not in name)
    elif command == "clear_board":
        player.start(Position.start())
    elif command == "loadsgf":
        player.start(parse_sgf(Path(words[0]).read_text(encoding="ascii")).final_position)
    elif command == "play":
        if "bw"[player.position.side] != words[0] or (player.behaviour == "implied" and words[1] == "pass"):
            return "? illegal move\n"
        player.play(words[1])
    elif command == "genmove":
        assert "bw"[player.position.side] == words[0]
        answer = player.choose()
        if answer == "error":
            return "? told to refuse\n"
        if answer not in ("d4", "pass", "resign"):
            player.play(answer)
    elif command == "time_settings":
        if player.behaviour == "whole-seconds" and "." in line:
            return "? syntax error\n"
    elif command == "set_level" and words[0] == "none":
        return "? no such level\n"
    if player.behaviour == "implied" and player.position.must_pass:
        player.play("pass")
    return f"= {answer}".rstrip() + "\n"


def cassio(player: FakePlayer, line: str) -> str | None:
    _, command, *words = line.split()
    if command == "quit":
        return "bye bye."
    if command == "new-position":
        player.n_choices = 0
    if not command.endswith("search"):
        return "ready."
    player.position = Position.from_text(words[0])
    best = player.move
    move = player.choose()
    if move == "error":
        return "ERROR: told to refuse\nready."
    colour = "BW"[player.position.side != BLACK]
    result = f"{words[0]}, move {move}, depth 60, @73%, {colour}-1.50 <= v <= {colour}-1.50, {best}, node 99, time 0.1"
    return f"{result}\nready."


DIALECTS = {"native": native, "nboard": nboard, "gtp": gtp, "cassio": cassio}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("dialect", choices=sorted(DIALECTS))
    parser.add_argument("behaviour", nargs="?", default="good")
    parser.add_argument("--log", type=Path)
    options = parser.parse_args()
    player = FakePlayer(options.behaviour)
    if player.behaviour == "no-start":
        sys.exit("told not to start")
    if player.behaviour == "unready":
        time.sleep(600)
    if player.behaviour == "lasting":
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
    answer = DIALECTS[options.dialect]
    log = options.log.open("a", buffering=1) if options.log else None
    for line in sys.stdin:
        if log:
            log.write(line)
        is_quit = re.fullmatch(r"(ENGINE-PROTOCOL )?quit\s*", line)
        reply = answer(player, line)
        if player.behaviour == "doubling" and re.search(r"\bgo\b|genmove|search", line):
            reply = f"{reply}\n{reply}"
        if reply is not None:
            os.write(1, f"{reply}\n".encode())  # at once, however Python was told to buffer
        if is_quit and player.behaviour != "lasting":
            return
    while player.behaviour == "lasting":
        time.sleep(600)


if __name__ == "__main__":
    main()
