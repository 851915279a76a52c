"""A small engine for the conformance tests: speaks a dialect properly, or with one fault.

    fake_dialect.py native|nboard|gtp|cassio|gomocup [FAULT]

It solves positions with few empty squares, plays the first legal move in others, and "searches" without end by waiting
for the next line. FAULTS of a dialect are the words given to `broken` in its class, and those in `Engine` for all.
"""

from __future__ import annotations

import os
import re
import sys
import time
from functools import cache
from pathlib import Path

from othello_engine.errors import OthelloError
from othello_engine.position import Position
from othello_engine.types import BLACK, PASS, parse_square, square_name

_FEW = 6
_LINE_LIMIT = 65_536


@cache
def solve(position: Position) -> int:
    if position.is_over:
        return position.final_score
    return max(-solve(position.play(move)) for move in position.legal_moves)


def best_line(position: Position) -> tuple[int, list[int]]:
    """Value and line of play: to the end where few squares are empty, else one move and no more."""
    if position.is_over:
        return position.final_score, []
    if position.n_empties > _FEW:
        return 0, [position.legal_moves[0]]
    move = max(position.legal_moves, key=lambda move: -solve(position.play(move)))
    return solve(position), [move, *best_line(position.play(move))[1]]


class Engine:
    """Reads lines and writes answers; a dialect says what they are."""

    def __init__(self, fault: str) -> None:
        self.fault = fault
        self.start = self.position = Position.start()
        self.history: list[Position] = []
        self.is_open = False
        """A search without end is running."""

    def broken(self, fault: str) -> bool:
        return self.fault == fault

    def say(self, *lines: str) -> None:
        end = "\r\n" if self.broken("crlf") else "\n"
        try:
            os.write(1, "".join(line + end for line in lines).encode())
        except BrokenPipeError:
            if not self.broken("talks-to-nobody"):
                os._exit(4)

    def answer(self, line: str) -> None:
        raise NotImplementedError

    def close_search(self) -> None:
        """End the open search, with its answer if that is due."""
        self.is_open = False

    def play(self, moves: str) -> None:
        """Play moves or none of them."""
        steps = self.position.follow(moves)
        self.history += [self.position, *(reached for _, reached in steps[:-1])] if steps else []
        self.position = steps[-1][1] if steps else self.position

    def set_position(self, start: Position, moves: str) -> None:
        old = self.position, self.history
        self.position, self.history = start, []
        try:
            self.play(moves)
        except OthelloError:
            self.position, self.history = old
            raise

    def is_quit(self, line: str) -> bool:
        return line.split() == ["quit"]

    def run(self) -> None:
        if self.broken("banner"):
            self.say("Welcome to the fake engine")
        if self.broken("escapes"):
            self.say("\x1b[2J")
        if self.broken("stderr"):
            print("warming up", file=sys.stderr)
        if self.broken("dies-at-start"):
            sys.exit("told to die")
        for raw in sys.stdin.buffer:
            data = raw.removesuffix(b"\n")
            data = data if self.broken("crlf-in") else data.removesuffix(b"\r")
            if data.startswith(b"\xef\xbb\xbf") and not self.broken("bom"):
                data = data[3:]
            if self.broken("crash-on-binary") and any(byte > 127 or byte < 9 for byte in data):
                os.abort()
            line = data.decode("utf-8", "strict" if self.broken("utf8") else "replace")
            if self.is_quit(line):
                if self.broken("warms-up") and self.position is self.start:
                    os.abort()
                if self.broken("deaf-to-quit") or (self.is_open and self.broken("quit-in-search")):
                    continue
                self.farewell(line)
                os._exit(3 if self.broken("exit-status") else 0)
            self.answer(line)
            if self.broken("echo-late"):
                time.sleep(0.02)
                self.say("status late" if isinstance(self, NBoard) else "late")
        if self.is_open and not self.broken("deaf-to-end"):
            self.close_search()
        if self.broken("deaf-to-end"):
            time.sleep(60)

    def farewell(self, line: str) -> None:
        if self.broken("chatty-quit"):
            self.say("goodbye")


class Native(Engine):
    """UOI, docs/protocol.md."""

    def __init__(self, fault: str) -> None:
        super().__init__(fault)
        self.options = {
            "Hash": "spin default 256 min 1 max 65536",
            "Clear Hash": "button",
            "Threads": "spin default 1 min 1 max 8",
            "MultiPV": "spin default 1 min 1 max 64",
            "Level": "spin default 21 min 0 max 60",
            "Selectivity": "combo default 73 var 73 var 100",
            "Ponder": "check default false",
            "MoveOverhead": "spin default 50 min 0 max 5000",
            "InfoInterval": "spin default 100 min 0 max 10000",
        }
        self.pending = ""
        self.is_pondering = False
        if self.broken("no-options"):
            del self.options["MultiPV"]

    def error(self, code: str, token: str = "-") -> None:
        self.say(f"error {code} {token.replace(' ', '_')[:40].encode('ascii', 'replace').decode()} text")

    def answer(self, line: str) -> None:
        if len(line) > _LINE_LIMIT:
            self.error("line-too-long")
        elif re.search(r"[\x00-\x08\x0b-\x1f\x7f]", line):
            self.error("bad-encoding")
        elif line.split() and not line.lstrip().startswith("#"):
            word, *words = line.split()
            method = getattr(self, f"do_{word.lower().replace('position', 'setboard')}", None)
            changes = ("setboard", "position", "move", "undo", "newgame", "setoption", "go", "perft")
            if method is None or not word.isidentifier():
                self.error("unknown-command", word)
            elif self.is_open and word.lower() in changes and not self.broken("busy"):
                self.error("busy", word)
            else:
                method(words)

    def do_uoi(self, words: list[str], end: str = "uoiok") -> None:
        self.say("id name fake 1", "id author nobody")
        self.say(*(f"option name {name} type {rest}" for name, rest in self.options.items()))
        self.say(*([end] * (2 if self.broken("two-uoiok") else 1)))

    def do_ugi(self, words: list[str]) -> None:
        self.do_uoi(words, "uoiok" if self.broken("ugi") else "ugiok")

    def do_isready(self, words: list[str]) -> None:
        if not (self.is_open and self.broken("deaf-in-search")):
            self.say("readyok")

    def do_setoption(self, words: list[str]) -> None:
        found = re.fullmatch(r"name (.+?)(?: value (.*))?", " ".join(words))
        name = next((n for n in self.options if found and n.lower() == found[1].lower()), "")
        if not found or not name:
            return self.error("unknown-option", found[1] if found else "-")
        kind = self.options[name].split()
        value = found[2] or ""
        if kind[0] == "spin" and not self.broken("any-value"):
            low, high = int(kind[4]), int(kind[6])
            if not value.isdecimal() or not low <= int(value) <= high:
                return self.error("bad-option-value", value)
        if kind[0] == "check" and value not in ("true", "false"):
            return self.error("bad-option-value", value)
        if kind[0] != "button":
            kind[2] = value
        self.options[name] = " ".join(kind)
        return None

    def do_setboard(self, words: list[str]) -> None:
        text, _, moves = (
            " ".join(words).replace("MOVES", "" if self.broken("lower-only") else "moves").partition("moves")
        )
        text = re.sub(r"^(board|fen) ", "", text.strip())
        try:
            start = Position.start() if text.lower() == "startpos" else Position.from_text(text)
            if self.broken("mirrored") and text.lower() != "startpos":
                start = Position.from_text(text[:64][::-1] + text[64:])
            self.set_position(start, moves)
        except OthelloError as error:
            if self.broken("half-a-list"):
                self.position = Position.start()
            self.refuse(error)

    def refuse(self, error: OthelloError) -> None:
        text = getattr(error, "move", None)
        self.error("illegal-move" if text is not None else "bad-board", text or "65")

    def do_move(self, words: list[str]) -> None:
        if not words:
            return self.error("missing-argument", "move")
        try:
            self.play(" ".join(words))
        except OthelloError as error:
            self.refuse(error)
        return None

    def do_undo(self, words: list[str]) -> None:
        text = words[0] if words else "1"
        if not text.isdecimal():
            return self.error("bad-argument", text)
        if int(text) > len(self.history):
            return self.error("nothing-to-undo", text)
        self.position = self.history[-int(text)]
        del self.history[-int(text) :]
        return None

    def do_newgame(self, words: list[str]) -> None:
        self.position = Position.start()

    def do_display(self, words: list[str]) -> None:
        moves = [] if self.broken("no-pass") and self.position.must_pass else self.position.legal_moves
        names = " ".join(square_name(move) for move in moves) or "none"
        self.say(f"board {self.position.to_text()}", f"empties {self.position.n_empties}", f"legal {names}")

    def do_eval(self, words: list[str]) -> None:
        self.say("eval cp 0")

    def do_query(self, words: list[str]) -> None:
        over, score = self.position.is_over, self.position.final_score if self.position.is_over else 0
        score = score if self.position.side == BLACK else -score
        winner = "draw" if score == 0 else "p1win" if score > 0 else "p2win"
        answers = {
            "gameover": str(over).lower(),
            "p1turn": str(self.position.side == BLACK).lower(),
            "result": winner if over else "none",
        }
        if not words:
            return self.error("missing-argument", "query")
        if words[0].lower() not in answers:
            return self.error("bad-argument", words[0])
        if self.broken("wrong-winner") and over:
            answers["result"] = "draw"
        return self.say(f"response {answers[words[0].lower()]}")

    def do_perft(self, words: list[str]) -> None:
        if not words or not words[0].isdecimal():
            return self.error("bad-argument" if words else "missing-argument", words[0] if words else "perft")
        level = [self.position]
        for depth in range(1, int(words[0]) + 1):
            level = [p.play(move) for p in level for move in p.legal_moves]
            n = len(level) + self.broken("perft")
            self.say(f"info perft {depth} nodes {n} time 0 nps 0")
        return self.say(f"perft depth {words[0]} nodes {n} time 0 nps 0")

    def do_debug(self, words: list[str]) -> None:
        if words not in (["on"], ["off"]):
            self.error("bad-argument", " ".join(words) or "-")

    def do_help(self, words: list[str]) -> None:
        self.say("help yourself" if self.broken("help") else "info string help")

    def do_stop(self, words: list[str]) -> None:
        if self.is_open:
            self.close_search()
        elif self.broken("answers-stop"):
            self.say("bestmove none")

    def do_ponderhit(self, words: list[str]) -> None:
        if not self.is_pondering:
            return self.error("not-pondering", "ponderhit")
        return self.close_search()

    def do_go(self, words: list[str]) -> None:
        taking = {"depth", "time", "movetime", "btime", "wtime", "binc", "winc", "movestogo", "nodes", "multipv"}
        given: dict[str, str] = {}
        rest = list(words)
        while rest:
            word = rest.pop(0)
            if word in given:
                return self.error("bad-argument", word)
            if word in taking or word in ("window", "searchmoves"):
                given[word] = " ".join(rest) if word == "searchmoves" else rest.pop(0) if rest else ""
                if word == "searchmoves":
                    rest = []
                if word == "window":
                    given[word] += " " + (rest.pop(0) if rest else "")
                if not given[word].split() or (word == "window" and len(given[word].split()) < 2):
                    return self.error("missing-argument", word)
                low = -(10**18) if word in ("btime", "wtime") else 1 if word == "multipv" else 0
                if word not in ("window", "searchmoves") and (
                    not re.fullmatch(r"-?\d+", given[word]) or int(given[word]) < low
                ):
                    return self.error("bad-argument", given[word])
            elif word in ("exact", "wld", "infinite", "ponder") or self.broken("any-token"):
                given[word] = ""
            else:
                return self.error("bad-argument", word)
        for one, other in (("exact", "wld"), ("ponder", "infinite"), ("time", "btime")):
            if one in given and other in given:
                return self.error("bad-argument", other)
        if "window" in given and int(given["window"].split()[0]) >= int(given["window"].split()[1]):
            return self.error("bad-argument", given["window"])
        allowed = given.get("searchmoves", "").split()
        for move in allowed:
            if parse_square(move) not in self.position.legal_moves:
                return self.error("illegal-move", move)
        if self.broken("slow"):
            time.sleep(1.2)
        self.report(given, allowed)
        self.is_open, self.is_pondering = "infinite" in given or "ponder" in given, "ponder" in given
        if self.is_open and self.broken("impatient"):
            self.say(self.pending)
        elif not self.is_open:
            self.close_search()
        return None

    def report(self, given: dict[str, str], allowed: list[str]) -> None:
        value, line = best_line(self.position)
        if allowed and not self.broken("searchmoves"):
            line = [parse_square(allowed[0])]
        few = self.position.n_empties <= _FEW
        depth = self.position.n_empties if few else min(int(given.get("depth", "4")) or 1, 4)
        score = f"disc {value}" if few else "cp -30"
        if "wld" in given:
            score = "wld " + ("win" if value > 0 else "loss" if value < 0 else "draw")
        if self.broken("wrong-score") and few:
            score = "disc 10"
        wanted = int(given.get("multipv", "1"))
        moves = [m for m in self.position.legal_moves if m not in line[:1]]
        lines = [line, *([move] for move in moves)][: 1 if self.broken("one-line") else wanted]
        for rank, pv in enumerate(lines, 1):
            multipv = f" multipv {rank}" if wanted > 1 else ""
            names = [square_name(move) for move in pv] or ["pass"]
            if self.broken("illegal-pv"):
                names = ["a1", "a1"]
            if self.position.is_over:
                continue
            nodes = "" if self.broken("no-nodes") else " nodes 1 nps 1"
            self.say(f"info depth {depth} sel 100{multipv} score {score}{nodes} pv {' '.join(names)}")
        best = square_name(line[0]) if line else "none"
        self.pending = f"bestmove {best}" + (" ponder d3" if self.broken("ponder-word") else "")

    def close_search(self) -> None:
        self.is_open = self.is_pondering = False
        self.say(self.pending)
        if self.broken("twice"):
            self.say(self.pending)


class NBoard(Engine):
    """NBoard 2."""

    def __init__(self, fault: str) -> None:
        super().__init__(fault)
        self.depth = 4
        self.start = Position.start()
        self.steps: list[Position] = [self.start]

    def name(self, move: int) -> str:
        return "PA" if move == PASS else square_name(move).upper()

    def answer(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        rest = rest.strip()
        if word == "ping" and self.is_open and not self.broken("late-pong"):
            self.close_search()
        if word == "ping" and re.fullmatch(r"-?\d+", rest) and not (self.is_open and self.broken("late-pong")):
            self.say("pong 1" if self.broken("pong") else f"pong {rest}")
            if self.broken("after-pong"):
                self.say("search D3 0.00 0 4")
        elif word == "set" and rest.startswith("depth ") and rest[6:].isdecimal():
            self.depth = int(rest[6:])
            self.say("set myname two words" if self.broken("name") else f"set myname Fake{self.depth}")
        elif word == "set" and rest.startswith("contempt ") and self.broken("dies-of-contempt"):
            os.abort()
        elif word == "set" and rest.startswith("game "):
            self.set_game(rest[5:])
        elif word == "move":
            self.move(rest)
        elif word == "go":
            self.go()
        elif word == "hint" and rest.isdecimal():
            self.hint(int(rest))
        elif word == "analyze" and not self.broken("analyze"):
            self.analyze()
        elif word == "learn":
            self.say("learn" if self.broken("learn") else "learned")
        elif self.broken("complains") and line.strip() and word not in ("nboard", "ping"):
            self.say(f"error: {word}")

    def set_game(self, text: str) -> None:
        try:
            found = re.search(r"BO\[8\s+([^\]]*)\]", text)
            if not found:
                raise ValueError("no board")
            start = Position.from_text(re.sub(r"\s", "", found[1]))
            moves = re.findall(r"\b[BW]\[(--|\w+)[^\]]*\]", text)
            steps = [start]
            for move in moves:
                steps.append(steps[-1].play(move))
                if self.broken("half-a-game"):
                    self.position = steps[-1]
            self.steps, self.position = steps, steps[-1]
        except (OthelloError, ValueError):
            self.say("status bad game")

    def move(self, text: str) -> None:
        try:
            self.position = self.position.play(text.split("/")[0])
            self.steps.append(self.position)
        except OthelloError:
            self.say("status illegal move")
            if self.broken("illegal-passes"):
                self.position = self.position.swapped()

    def go(self) -> None:
        self.say("status thinking")
        if self.position.is_over:
            self.say("=== A1" if self.broken("moves-at-end") else "status game over")
            return
        value, line = best_line(self.position)
        if self.broken("no-time-told"):
            time.sleep(0.4)
        if self.depth >= 60 and len(self.position.legal_moves) > 1 and self.fault in ("clock", "late-move"):
            self.is_open = True
            return
        separator = " " if self.broken("blanks") else "/"
        answer = separator.join([f"=== {self.name(line[0])}", f"{value:.2f}", "0.01"])
        self.say("nodestats 12 0.01", answer)
        if self.broken("go-plays"):
            self.position = self.position.play(line[0])
        if self.broken("twice"):
            self.say(answer)

    def hint(self, n: int) -> None:
        if self.position.is_over or self.position.must_pass:
            if self.broken("hints-pass"):
                self.say("search A1 0.00 0 4")
            return
        value, line = best_line(self.position)
        others = [move for move in self.position.legal_moves if move != line[0]]
        few = self.position.n_empties <= _FEW
        for move in [line[0], *others][: max(n, 1)]:
            value = -solve(self.position.play(move)) if few else 0
            value = 10 if few and self.broken("wrong-score") else value
            depth = "100%" if few and not self.broken("plain-depth") else f"{min(self.depth, 4)}"
            depth += "@73%" if self.broken("percent") else ""
            shown = f"{value}" if self.broken("integers") else f"{value:.2f}"
            third = "7" if self.broken("third-field") else "0"
            self.say(f"search {self.name(move)} {shown} {third} {depth}")
            if self.broken("one-hint"):
                break
        if not self.broken("no-nodestats"):
            self.say("nodestats 12 0.01")
        self.is_open = self.depth >= 60

    def close_search(self) -> None:
        self.is_open = False
        if self.broken("late-move"):
            self.say(f"=== {self.name(self.position.legal_moves[0])}")

    def analyze(self) -> None:
        for made, position in reversed(list(enumerate(self.steps))):
            value = best_line(position)[0] * (-1 if self.broken("analysis-sign") else 1)
            self.say(f"analysis {made} {value:.2f}")


class Gtp(Engine):
    """GTP 2."""

    def __init__(self, fault: str) -> None:
        super().__init__(fault)
        self.id = ""

    NAMES = (
        "protocol_version name version known_command list_commands quit boardsize clear_board komi play genmove undo "
        "time_settings time_left final_score loadsgf reg_genmove showboard list_games set_game gogui-rules_game_id "
        "gogui-rules_board gogui-rules_board_size gogui-rules_legal_moves gogui-rules_side_to_move "
        "gogui-rules_final_result gogui-analyze_commands gogui-play_sequence"
    )

    def is_quit(self, line: str) -> bool:
        return re.fullmatch(r"(\d+ +)?quit", line.strip()) is not None

    def farewell(self, line: str) -> None:
        self.reply(True, "", line.split()[0] if len(line.split()) > 1 else "")

    def reply(self, ok: bool, text: str = "", number: str = "") -> None:
        if self.broken("space-id") and number:
            number = f" {number}"
        mark = ("=" if ok else "?") + number
        blank = " " if (text and text[0] != "\n") or self.broken("blank-after") else ""
        self.say(f"{mark}{blank}{text}", "")
        if self.broken("doubled"):
            self.say(mark, "")

    def answer(self, line: str) -> None:
        line = line if self.broken("keeps-comments") else line.split("#")[0]
        line = re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", "", line)
        words = line.split()
        if not words:
            return
        if words[0].isdecimal():
            self.id = words.pop(0)
        elif not self.broken("sticky-id"):
            self.id = ""
        try:
            if not words or words[0] not in self.NAMES.split():
                raise ValueError("unknown command")
            text = getattr(self, {"play": "do_play"}.get(words[0], words[0].replace("-", "_")))(words[1:])
        except (OthelloError, ValueError, IndexError) as error:
            text = str(error) if type(error) is ValueError else "illegal move"
            if isinstance(error, IndexError):
                text = "syntax error"
            self.reply(False, "that went wrong" if self.broken("words") else text, self.id)
        else:
            self.reply(True, text or "", self.id)

    def protocol_version(self, words: list[str]) -> str:
        return "2.0" if self.broken("version") else "2"

    def name(self, words: list[str]) -> str:
        return "fake"

    def version(self, words: list[str]) -> str:
        return "1"

    def known_command(self, words: list[str]) -> str:
        return str(words[0] in self.NAMES.split() and not self.broken("unknown-known")).lower()

    def list_commands(self, words: list[str]) -> str:
        return "\n".join(self.NAMES.split()[: 5 if self.broken("short-list") else None])

    def boardsize(self, words: list[str]) -> None:
        if words[0] != "8" and not self.broken("any-size"):
            raise ValueError("unacceptable size")

    def clear_board(self, words: list[str]) -> None:
        self.position = Position.start()
        if not self.broken("keeps-history"):
            self.history = []

    def komi(self, words: list[str]) -> None:
        try:
            float(words[0])
        except ValueError:
            raise ValueError("syntax error") from None

    def side(self, word: str) -> int:
        colours = {"b": 0, "black": 0, "w": 1, "white": 1}
        key = word if self.broken("lower-only") else word.lower()
        if key not in colours:
            raise ValueError("syntax error")
        return colours[key]

    def turn_to(self, side: int) -> None:
        """A forced pass that was left out is made."""
        if self.position.is_over:
            raise ValueError("illegal move")
        if side != self.position.side:
            if not self.position.must_pass or self.broken("needs-passes"):
                raise ValueError("illegal move")
            self.play("pass")

    def play_move(self, side: int, move: str) -> None:
        before = self.position, list(self.history)
        try:
            self.turn_to(side)
            if self.position.must_pass and move.lower() != "pass":
                raise ValueError("illegal move")
            if self.broken("takes-illegal") and self.position.legal_bitboard:
                move = square_name(self.position.legal_moves[0])
            self.play(move)
        except (OthelloError, ValueError):
            if not self.broken("illegal-passes"):
                self.position, self.history = before
            raise

    def do_play(self, words: list[str]) -> None:
        self.play_move(self.side(words[0]), words[1])

    def genmove(self, words: list[str]) -> str:
        side = self.side(words[0])
        if self.broken("slow"):
            time.sleep(1.2)
        if self.position.is_over:
            return "a1" if self.broken("moves-at-end") else "pass"
        self.turn_to(side)
        move = square_name(best_line(self.position)[1][0])
        if not (move == "pass" and self.broken("forgets-passes")):
            self.play(move)
        return move.upper() if self.broken("upper") else move

    def reg_genmove(self, words: list[str]) -> str:
        if self.broken("reg-plays"):
            return self.genmove(words)
        return square_name(best_line(self.position)[1][0])

    def undo(self, words: list[str]) -> None:
        if not self.history:
            raise ValueError("cannot undo")
        self.position = self.history.pop()

    def time_settings(self, words: list[str]) -> None:
        for word in words[:3]:
            if not word.isdecimal():
                raise ValueError("syntax error")
        _ = words[2]

    def time_left(self, words: list[str]) -> None:
        self.side(words[0])
        self.time_settings([*words[1:], "0"])

    def final_score(self, words: list[str]) -> str:
        if not self.position.is_over:
            raise ValueError("cannot score")
        score = self.position.final_score if self.position.side == BLACK else -self.position.final_score
        sign = "" if self.broken("score-sign") else "+"
        return f"{'BW'[score < 0]}{sign}{abs(score)}"

    def loadsgf(self, words: list[str]) -> None:
        try:
            text = Path(words[0]).read_text(encoding="ascii")
        except OSError:
            raise ValueError("cannot load file") from None
        if "GM[2]" not in text:
            raise ValueError("cannot load file")
        discs = {
            key: re.findall(r"\[(\w\d)\]", m[0]) if (m := re.search(rf"{key}(\[\w+\])+", text)) else []
            for key in ("AB", "AW")
        }
        start = Position.start()
        if discs["AB"]:
            board = ["-"] * 64
            for key, sign in (("AB", "X"), ("AW", "O")):
                for name in discs[key]:
                    board[parse_square(name)] = sign
            start = Position.from_text("".join(board) + (" O" if "PL[W]" in text else " X"))
        moves = re.findall(r";[BW]\[(\w\w)\]", text)
        moves = [m if m[1].isdecimal() else m[0] + str(ord(m[1]) - 96) for m in moves]
        if len(words) > 1 and not self.broken("sgf-number"):
            moves = moves[: int(words[1]) - 1]
        self.set_position(start, " ".join(moves))

    def showboard(self, words: list[str]) -> str:
        return "\n".join(["", *self.position.diagram()])

    def list_games(self, words: list[str]) -> str:
        return "Go" if self.broken("go-only") else "Othello"

    def set_game(self, words: list[str]) -> None:
        if words != ["Othello"]:
            raise ValueError("unsupported game")

    def gogui_rules_game_id(self, words: list[str]) -> str:
        return "Othello"

    def gogui_rules_board_size(self, words: list[str]) -> str:
        return "8"

    def gogui_rules_board(self, words: list[str]) -> str:
        squares = self.position.to_text()[:64].replace("-", ".")
        rows = [" ".join(squares[8 * row : 8 * row + 8]) for row in range(8)]
        return "\n" + "\n".join(rows if self.broken("board-order") else rows[::-1])

    def gogui_rules_legal_moves(self, words: list[str]) -> str:
        moves = " ".join(square_name(move) for move in self.position.legal_moves)
        return moves or ("pass" if self.broken("pass-at-end") else "")

    def gogui_rules_side_to_move(self, words: list[str]) -> str:
        return ("black", "white")[self.position.side]

    def gogui_rules_final_result(self, words: list[str]) -> str:
        return self.final_score(words)

    def gogui_analyze_commands(self, words: list[str]) -> str:
        return "string/Score" if self.broken("analyze") else "string/Score/final_score"

    def gogui_play_sequence(self, words: list[str]) -> None:
        for side, move in zip(words[::2], words[1::2], strict=True):
            self.play_move(self.side(side), move)


class Cassio(Engine):
    """ENGINE-PROTOCOL."""

    def __init__(self, fault: str) -> None:
        super().__init__(fault)
        self.nodes = 0

    def is_quit(self, line: str) -> bool:
        return line.split() == ["ENGINE-PROTOCOL", "quit"]

    def farewell(self, line: str) -> None:
        self.say("goodbye" if self.broken("chatty-quit") else "bye bye.")

    def close_search(self) -> None:
        self.is_open = False
        self.say("ready.")

    def answer(self, line: str) -> None:
        words = line.split()
        if not words:
            if not (self.is_open and self.broken("deaf-in-search")):
                self.say("ok." if self.is_open else "ready.")
            return
        if words[0] != "ENGINE-PROTOCOL":
            self.say(f"ERROR: Unknown protocol {ascii(words[0])[:60]}", *(["ready."] if self.broken("foreign") else []))
            return
        command = words[1].lower() if len(words) > 1 else ""
        if command == "get-search-infos":
            self.nodes += not self.broken("stands-still")
            self.say(f"node {self.nodes}, time 0.001" if self.is_open else "ready.")
        elif command == "stop":
            self.is_open = False
            self.say(*["ready."] * (2 if self.broken("two-ready") else 1))
        elif self.is_open:
            pass  # it waits, and is dropped by `stop`
        elif command == "get-version":
            self.say("version: fake 1", "ready.")
        elif command in ("init", "new-position"):
            self.say("ready.")
        elif command == "empty-hash" or command == "feed-hash":
            if self.broken("loud-hash"):
                self.say("ready.")
        elif command in ("midgame-search", "endgame-search"):
            self.search(command, words[2:])
        else:
            self.say(f"ERROR: unknown command {command}", "ready.")

    def search(self, command: str, words: list[str]) -> None:
        try:
            position = Position.from_text(words[0])
            if len(words[0]) != 65:
                raise ValueError("position")
            alpha, beta = float(words[1]), float(words[2])
            depth = int(words[3]) if command == "midgame-search" else position.n_empties
            precision = int(words[4 if command == "midgame-search" else 3])
        except (OthelloError, ValueError, IndexError):
            if not self.broken("searches-anyway"):
                self.say(f"ERROR: {command} cannot parse it.", "ready.")
                return
            position, alpha, beta, depth, precision = Position.start(), -64, 64, 4, 73
        value, line = best_line(position)
        lower: float = value
        upper: float = value
        if position.n_empties <= _FEW:
            lower, upper = (-64, alpha) if value <= alpha else (beta, 64) if value >= beta else (value, value)
            if self.broken("wrong-bounds"):
                lower = upper = max(alpha, min(beta, value))
        if self.broken("wrong-score"):
            lower = upper = 10
        result = self.result(position, line, depth, precision, lower, upper)
        if not (self.broken("no-result") or (self.broken("silent-end") and position.is_over)):
            self.say(result)
        if depth >= 50 and position.n_empties > _FEW and not position.is_over:
            self.is_open = True
        else:
            self.say("ready.")

    def result(
        self, position: Position, line: list[int], depth: int, precision: int, lower: float, upper: float
    ) -> str:
        colour, other = "BW"[position.side], "WB"[position.side]
        pv, reached = "", position
        for move in line:
            name = square_name(move).replace("pass", "pa")
            pv += name.upper() if reached.side == BLACK and name != "pa" else name
            reached = reached.play(move)
        if line[:1] == [PASS]:
            answer = square_name(reached.legal_moves[0])
            pv += answer.upper() if reached.side == BLACK else answer
        if self.broken("one-case"):
            pv = pv.lower()
        if self.broken("illegal-pv"):
            pv = "A1a1"
        first = next((m for m in re.findall("..", pv) if m != "pa"), "--")
        depth = depth - 1 if self.broken("shallow") else depth
        squares = position.to_text().replace(" ", "")
        squares = squares[::-1] if self.broken("other-position") else squares
        told = f"{squares}, move {first}, depth {depth}, @{precision}%"
        if self.broken("low-precision"):
            told = told.replace(f"@{precision}%", "@50%")
        bounds = [f"{colour if bound >= 0 else other}+{abs(bound):.2f}" for bound in (lower, upper)]
        return f"{told}, {bounds[0]} <= v <= {bounds[1]}, {pv or '--'}, node 12, time 0.001"


def main() -> None:
    dialect, fault = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
    if dialect == "gomocup":
        from fake_gomocup import FakeGomocup  # the folder of this script is on the path

        FakeGomocup(fault).run()
        return
    {"native": Native, "nboard": NBoard, "gtp": Gtp, "cassio": Cassio}[dialect](fault).run()


if __name__ == "__main__":
    main()
