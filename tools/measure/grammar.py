"""The grammar of everything the engine may print: for each game a table of regular expressions, one per kind of line.

A strict reader is what the engine meets outside, so whatever a test or a measurement reads is checked against
it. A line that fits no entry is a fault of the engine, even if everything else about it is right.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

MOVE = r"(?:[a-h][1-8]|pass)"
_INTEGER = r"-?(?:0|[1-9][0-9]*)"
_COUNT = r"(?:0|[1-9][0-9]*)"
_TEXT = r"[!-~](?:[ -~]*[!-~])?"
_SCORE = rf"(?:(?:cp|raw|disc) {_INTEGER}|wld (?:win|draw|loss))"

ERROR_CODES = (
    "unknown-command",
    "missing-argument",
    "bad-argument",
    "bad-option-value",
    "unknown-option",
    "bad-board",
    "illegal-move",
    "nothing-to-undo",
    "busy",
    "not-pondering",
    "io",
    "line-too-long",
    "bad-encoding",
    "internal",
)

GRAMMAR: dict[str, re.Pattern[str]] = {
    kind: re.compile(pattern, re.ASCII)
    for kind, pattern in {
        "id": rf"id (?:name|author|protocol) {_TEXT}",
        "option": rf"option name {_TEXT} type (?:check|spin|combo|string|button)(?: {_TEXT})?",
        "handshake": r"(?:uoi|ugi)ok",
        "ready": r"readyok",
        "string": r"info string [ -~]*[!-~]",
        "info": (
            rf"info depth {_COUNT}(?: seldepth {_COUNT})?(?: sel {_COUNT})?(?: multipv {_COUNT})?"
            rf"(?: score {_SCORE}(?: lowerbound| upperbound)?)?"
            rf"(?: nodes {_COUNT} nps {_COUNT})(?: time {_COUNT})?(?: hashfull {_COUNT})?"
            rf"(?: currmove {MOVE})?(?: currmovenumber {_COUNT})?(?: book {_COUNT})?"
            rf"(?: pv {MOVE}(?: {MOVE})*)?(?: string {_TEXT})?"
        ),
        "bestmove": rf"bestmove (?:{MOVE}(?: ponder {MOVE})?|none)",
        "board": r"board [XO-]{64} [XO]",
        "empties": rf"empties {_COUNT}",
        "legal": r"legal (?:pass|none|[a-h][1-8](?: [a-h][1-8])*)",
        "eval": rf"eval (?:cp|raw|disc) {_INTEGER}",
        "perft": rf"(?:info perft {_COUNT}|perft depth {_COUNT}) nodes {_COUNT} time {_COUNT} nps {_COUNT}",
        "bench": (
            rf"info bench {_COUNT} nodes {_COUNT} time {_COUNT} nps {_COUNT}(?: {_TEXT})?"
            rf"|bench nodes {_COUNT} time {_COUNT} nps {_COUNT}"
        ),
        "hint": (
            rf"hint {MOVE} value {_COUNT} band (?:amber|emerald|blue) score {_SCORE}(?: lowerbound| upperbound)?"
            rf" depth {_COUNT}"
        ),
        "hints": r"hintok",
        "response": r"response (?:true|false|p1win|p2win|draw|none)",
        "error": rf"error (?:{'|'.join(ERROR_CODES)}) [!-~]+(?: {_TEXT})?",
        "row": rf"(?:[0-7],[0-7]|-1,-1),{_INTEGER},{_COUNT},{_COUNT},{_COUNT},{_COUNT}",
    }.items()
}

CELL = r"[a-t](?:1[0-9]|20|[1-9])"
_GOMOKU_SCORE = rf"(?:raw {_INTEGER}|mate -?[1-9][0-9]*|wld (?:win|draw|loss))"
_CELLS = "|".join(rf"[XO#-]{{{size * size}}}" for size in range(10, 21))
_PLACE = r"1?[0-9]"

GOMOKU_GRAMMAR = {kind: GRAMMAR[kind] for kind in GRAMMAR if kind != "perft"} | {
    kind: re.compile(pattern, re.ASCII)
    for kind, pattern in {
        "info": (
            rf"info depth {_COUNT} seldepth {_COUNT} sel 100(?: multipv {_COUNT})? score {_GOMOKU_SCORE}"
            rf" nodes {_COUNT} nps {_COUNT} time {_COUNT} hashfull {_COUNT}"
            rf"(?: pv {CELL}(?: {CELL})*)?(?: string {_TEXT})?"
        ),
        "bestmove": rf"bestmove (?:{CELL}(?: ponder {CELL})?|none)",
        "board": rf"board (?:{_CELLS}) [XO]",
        "legal": rf"legal (?:none|{CELL}(?: {CELL})*)",
        "eval": rf"eval raw {_INTEGER}",
        "hint": rf"hint {CELL} value {_COUNT} band (?:amber|emerald|blue) score raw {_INTEGER} depth 0",
        "row": rf"(?:{_PLACE},{_PLACE}|-1,-1),{_INTEGER},{_COUNT},{_COUNT},{_COUNT},{_COUNT}",
        "result": (
            rf'result \{{"r":(?:{_PLACE},"c":{_PLACE}|-1,"c":-1),"score":{_INTEGER},"depth":{_COUNT},"nodes":{_COUNT},'
            rf'"time_ms":{_COUNT},"nps":{_COUNT},"heatmap":'
            rf"\[(?:\[{_PLACE},{_PLACE},{_INTEGER}\](?:,\[{_PLACE},{_PLACE},{_INTEGER}\])*)?\]\}}"
        ),
    }.items()
}

GRAMMARS = {"othello": GRAMMAR, "gomoku": GOMOKU_GRAMMAR}


class GrammarError(AssertionError):
    """The engine printed a line that is none of its protocol."""


def kind_of(line: str, games: Iterable[str] = ("othello",)) -> str:
    """The name that the tables of these games have for a line without its newline; GrammarError if no entry fits the
    whole of it.
    """
    for game in games:
        for kind, pattern in GRAMMARS[game].items():
            if pattern.fullmatch(line):
                return kind
    raise GrammarError(f"no protocol line: {line!r}")


@dataclass(frozen=True, slots=True)
class Info:
    """One search line, taken apart. Absent fields are None, an absent pv is empty.

    score_kind: cp, raw, disc, mate or wld; for wld the value is 1, 0 or -1. bound: lowerbound, upperbound or empty.
    """

    depth: int
    seldepth: int | None
    sel: int | None
    multipv: int | None
    score_kind: str | None
    score: int | None
    bound: str
    nodes: int
    nps: int
    time: int | None
    hashfull: int | None
    pv: tuple[str, ...]


_WLD = {"win": 1, "draw": 0, "loss": -1}


def parse_info(line: str) -> Info:
    """The fields of a search line that has passed the grammar."""
    words = line.split()
    numbers: dict[str, int] = {}
    score_kind: str | None = None
    score: int | None = None
    bound = ""
    pv: tuple[str, ...] = ()
    i = 1
    while i < len(words):
        word = words[i]
        if word == "string":
            break
        if word == "pv":
            end = words.index("string") if "string" in words else len(words)
            pv = tuple(words[i + 1 : end])
            i = end
        elif word == "score":
            score_kind, value = words[i + 1], words[i + 2]
            score = _WLD[value] if score_kind == "wld" else int(value)
            i += 3
        elif word in ("lowerbound", "upperbound"):
            bound = word
            i += 1
        elif word == "currmove":
            i += 2
        else:
            numbers[word] = int(words[i + 1])
            i += 2
    return Info(
        depth=numbers["depth"],
        seldepth=numbers.get("seldepth"),
        sel=numbers.get("sel"),
        multipv=numbers.get("multipv"),
        score_kind=score_kind,
        score=score,
        bound=bound,
        nodes=numbers["nodes"],
        nps=numbers["nps"],
        time=numbers.get("time"),
        hashfull=numbers.get("hashfull"),
        pv=pv,
    )
