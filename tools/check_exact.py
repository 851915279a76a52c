"""Prove that exact answers are exact: random endgames against a plain solver, tables cold and warm, 1 to 8 workers.

Positions come from random games, a quarter each with a forced pass, an early end, and a pass ahead; where games have
too few, from boards tilted to one side. A plain solver (`tools/plain_solver.py`) values every move of each: by full
width up to 9 empties, beyond that by alpha-beta without table and ordering, itself compared with full width up to 9.
The real engine, with real worker processes, is asked

    cold   in a new game: exact score, win/loss/draw, and, up to --lines-to empties, the exact score of every move;
    warm   the same in one long game, each position after searches that must leave nothing wrong behind: of fewer
           plies, of narrow windows, of some moves only, selective, cut short by nodes, time or `stop`, of the position
           itself, of one after a move, or with the sides exchanged.

An answer is right if score, kind and tag are those of a proof, if its move is one of the best, and if its line is
legal, goes to the end of the game and ends in the score claimed. What any search before claims to have proved is judged
as well. With several workers every solve is divided far below the size at which dividing pays, so that they share the
work and the table of the smallest endgames.

    python -m tools.check_exact                                     the whole check: an hour
    python -m tools.check_exact --threads 1                         one worker, both profiles: minutes
    python -m tools.check_exact --positions 50                      a look: minutes
    python -m tools.check_exact --empties 14-15 --positions 100     replies too have entries of selective solves there
    python -m tools.check_exact --threads 4 --profiles classic --seed 7

Every difference is shown with commands to paste into the program; the exit status is then 1.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from unittest import mock

from rich.console import Console
from rich.table import Table

from othello_engine.config import load_config
from othello_engine.engine.engine import Engine
from othello_engine.engine.scheduler import Scheduler, Tuning
from othello_engine.position import Position
from othello_engine.types import NO_MOVE, Bound, Goal, Limits, ScoreKind, SearchInfo, SearchResult, square_name
from tools import plain_solver
from tools.measure.figures import Report, progress

ANSWER_TIMEOUT_S = 120.0
"""Longer than any of these searches takes on a busy machine: no answer is a difference too."""
SHOWN_DIFFERENCES = 20
DISTURBANCES = 6
"""Searches before each warm answer."""
LONGEST_DELAY_S = 0.005
"""From `go` to `stop`."""
GAMES_PER_POSITION = 4
"""After so many random games for each position wanted, kinds that are still rare are looked for on tilted boards."""


# -- positions -----------------------------------------------------------------------------------------------


class Kind(Enum):
    """What is special about a position."""

    PASS = "pass"
    """The side to move must pass."""
    EARLY_END = "early end"
    """The game is over, or a move ends it, with squares left empty."""
    PASS_AHEAD = "pass ahead"
    """A move leaves the other side without one."""
    ORDINARY = "ordinary"


def kind_of(position: Position) -> Kind:
    if position.is_over:
        return Kind.EARLY_END
    if position.must_pass:
        return Kind.PASS
    after = [position.play(move) for move in position.legal_moves]
    if any(each.is_over and each.n_empties for each in after):
        return Kind.EARLY_END
    return Kind.PASS_AHEAD if any(each.must_pass for each in after) else Kind.ORDINARY


def random_game(rng: random.Random) -> Iterator[Position]:
    """The positions of a random game to its end; in two games of three, moves that leave few replies are preferred."""
    squeeze = rng.choice((0.0, 0.5, 0.8))
    position = Position.start()
    while legal := position.legal_moves:
        yield position
        if rng.random() < squeeze:
            replies = {move: position.play(move).legal_bitboard.bit_count() for move in legal}
            legal = tuple(move for move in legal if replies[move] == min(replies.values()))
        position = position.play(rng.choice(legal))
    yield position


def tilted(position: Position, rng: random.Random) -> Position:
    """The same squares with more discs for one side: passes and early ends are common there, if it is in no game."""
    share, gains = rng.choice((0.5, 0.8, 0.9)), rng.random() < 0.5
    loser = position.opponent if gains else position.player
    turned = sum(1 << square for square in range(64) if loser >> square & 1 and rng.random() < share)
    return Position(position.player ^ turned, position.opponent ^ turned, position.side)


def endgames(numbers: Sequence[int], count: int, rng: random.Random) -> dict[int, list[tuple[Position, Kind]]]:
    """By number of empties: `count` positions, an equal share of each kind as far as there are so many.

    A game gives one position to each number, before a forced pass as often as after it.
    """
    share = -(-count // len(Kind))
    found: dict[int, dict[Kind, list[Position]]] = {n: {kind: [] for kind in Kind} for n in numbers}
    for game in range(2 * GAMES_PER_POSITION * count):
        if all(len(each) >= share for kinds in found.values() for each in kinds.values()):
            break
        by_empties: dict[int, list[Position]] = {}
        for position in random_game(rng):
            by_empties.setdefault(position.n_empties, []).append(position)
        for n in numbers:
            if n in by_empties:
                position = rng.choice(by_empties[n])
                if game >= GAMES_PER_POSITION * count:
                    position = tilted(position, rng)
                kept = found[n][kind_of(position)]
                if len(kept) < count:
                    kept.append(position)
    return {n: _chosen(kinds, count, share) for n, kinds in found.items()}


def _chosen(kinds: dict[Kind, list[Position]], count: int, share: int) -> list[tuple[Position, Kind]]:
    """A share of each kind, then as many of all as are still wanted, the special ones first."""
    first = [(position, kind) for kind, each in kinds.items() for position in each[:share]]
    rest = [(position, kind) for kind, each in kinds.items() for position in each[share:]]
    return (first + rest)[:count]


# -- what is true --------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Case:
    """A position, and what the plain solver says: the score, and that of every move."""

    position: Position
    kind: Kind
    score: int
    moves: dict[int, int]

    @classmethod
    def of(cls, position: Position, kind: Kind = Kind.ORDINARY) -> Case:
        p, o = position.player, position.opponent
        if position.n_empties > plain_solver.FULL_WIDTH_EMPTIES:
            moves = plain_solver.move_scores(p, o, prunes=True)
        else:
            moves = plain_solver.move_scores(p, o)
            assert moves == plain_solver.move_scores(p, o, prunes=True), f"alpha-beta is wrong on {position.to_text()}"
        score = max(moves.values()) if moves else plain_solver.score(p, o)
        return cls(position, kind, score, moves)


def sign(score: int) -> int:
    return (score > 0) - (score < 0)


def is_proof(info: SearchInfo) -> bool:
    """True if the line claims an exact score or outcome."""
    is_final = info.score.kind in (ScoreKind.DISCS, ScoreKind.WLD) and info.score.bound is Bound.EXACT
    return is_final and info.selectivity == 100


def faults_of_claim(info: SearchInfo, moves: dict[int, int]) -> Iterator[str]:
    """What is wrong about the proof that a line claims to be. moves: the true values of those that could be played."""
    score = info.score
    if score.kind not in (ScoreKind.DISCS, ScoreKind.WLD) or info.selectivity < 100 or not info.pv:
        return
    move = info.pv[0]
    if move not in moves:
        yield f"{square_name(move)} was not to be played"
        return
    true = moves[move] if score.kind is ScoreKind.DISCS else sign(moves[move])
    is_true = {
        Bound.EXACT: score.value == true,
        Bound.LOWER: score.value <= true,
        Bound.UPPER: score.value >= true,
    }[score.bound]
    if not is_true:
        yield f"{square_name(move)} is worth {true}, not {score.bound.value} {score.value}"
    elif info.rank == 1 and score.bound is Bound.EXACT and moves[move] != max(moves.values()):
        better = max(moves, key=lambda each: moves[each])
        if score.kind is ScoreKind.DISCS or sign(moves[better]) != true:
            yield f"{square_name(move)} ({moves[move]:+d}) is not best: {square_name(better)} ({moves[better]:+d})"


def faults_of_answer(result: SearchResult, case: Case, goal: Goal, n_lines: int = 1) -> Iterator[str]:
    """What is wrong about the answer to a solve that nothing cut short."""
    if result.error is not None:
        yield f"error {result.error!r}"
    if not case.moves:
        n_lines = 1
    if len(result.lines) != n_lines:
        yield f"{len(result.lines)} lines, not {n_lines}"
        return
    kind = ScoreKind.WLD if goal is Goal.WLD else ScoreKind.DISCS
    true_scores = sorted(case.moves.values(), reverse=True) or [case.score]
    for true, info in zip(true_scores, result.lines, strict=False):
        if (info.score.kind, info.score.bound, info.selectivity) != (kind, Bound.EXACT, 100):
            yield f"not a proof: {info.score.kind.value} {info.score.bound.value}, selectivity {info.selectivity}"
        wanted = sign(true) if goal is Goal.WLD else true
        if info.score.value != wanted:
            yield f"line {info.rank}: score {info.score.value}, not {wanted}"
        yield from faults_of_claim(info, case.moves)
    if n_lines > 1 and len({info.pv[0] for info in result.lines}) != n_lines:
        yield "a move has two lines"
    best = result.best_move
    if not case.moves:
        if best != NO_MOVE:
            yield f"best move {square_name(best)} of a finished game"
    elif best not in case.moves:
        yield f"best move {square_name(best)} is not legal"
    elif result.lines[0].pv[0] != best:
        yield f"best move {square_name(best)} does not begin the best line"


def faults_of_line(info: SearchInfo, case: Case, goal: Goal) -> Iterator[str]:
    """What is wrong about a line of play: it must be legal, and that of a solve go to the end, to the score claimed."""
    end = plain_solver.line_score(case.position.player, case.position.opponent, info.pv)
    text = " ".join(map(square_name, info.pv))
    if end == plain_solver.ILLEGAL:
        yield f"illegal line {text}"
    elif goal is Goal.WLD:
        if end != plain_solver.UNFINISHED and sign(end) != info.score.value:
            yield f"line {text} ends in {end:+d}, outcome {info.score.value}"
    elif end == plain_solver.UNFINISHED:
        yield f"line {text or '(none)'} stops before the end of the game"
    elif end != info.score.value:
        yield f"line {text} ends in {end:+d}, not {info.score.value:+d}"


# -- the engine ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that is wrong. is_line: only about a line of play. commands: to paste into the program."""

    is_line: bool
    engine: str
    table: str
    commands: str
    fault: str

    def __str__(self) -> str:
        return f"{self.engine}, {self.table} table: {self.fault}\n    " + self.commands.replace("\n", "\n    ")


@dataclass(slots=True)
class Tally:
    """What was done with some of the positions.

    solves: searches whose answer had to be a proof; shared: those of them in which several workers searched.
    unproved: other searches that ended without one. wrong: searches with a wrong score, claim or move; wrong_lines:
    searches with a line that is illegal, too short, or ends in another score.
    """

    searches: int = 0
    solves: int = 0
    shared: int = 0
    unproved: int = 0
    wrong: int = 0
    wrong_lines: int = 0
    seconds: float = 0.0

    def add(self, other: Tally) -> None:
        self.searches += other.searches
        self.solves += other.solves
        self.shared += other.shared
        self.unproved += other.unproved
        self.wrong += other.wrong
        self.wrong_lines += other.wrong_lines
        self.seconds += other.seconds


@dataclass(slots=True)
class Check:
    """One engine, asked about all positions. rng: for what the table is filled with."""

    profile: str
    threads: int
    rng: random.Random
    lines_to: int
    hash_mb: int = 1
    differences: list[Difference] = field(default_factory=list)
    tallies: dict[int, Tally] = field(default_factory=dict)
    """By number of empties."""
    _tuning: Tuning = field(default_factory=Tuning)
    _tally: Tally = field(default_factory=Tally)
    _limits: Limits = field(default_factory=Limits)
    _is_warm: bool = False

    @property
    def name(self) -> str:
        return f"{self.profile} x {self.threads}"

    @contextlib.contextmanager
    def engine(self) -> Iterator[Engine]:
        """The engine, ready."""
        options = {"Threads": self.threads, "Hash": self.hash_mb}
        with self.dividing(), Engine(load_config(profile=self.profile, overrides=options)) as engine:
            engine.wait_ready(600)
            yield engine

    @contextlib.contextmanager
    def dividing(self) -> Iterator[None]:
        """In here, engines divide their searches as the check wants them to: nobody else has a reason to choose."""
        with mock.patch("othello_engine.engine.engine.Scheduler", lambda ids: Scheduler(self._tuning, ids)):
            yield

    @property
    def total(self) -> Tally:
        total = Tally()
        for tally in self.tallies.values():
            total.add(tally)
        return total

    def ask(self, engine: Engine, n_empties: int, cases: Sequence[Case]) -> Iterator[Case]:
        """All positions of a number of empties cold, then all warm; yields each when it is done."""
        self._tally = self.tallies.setdefault(n_empties, Tally())
        for self._is_warm in (False, True):
            engine.new_game()
            for case in cases:
                began = time.perf_counter()
                try:
                    self._ask_one(engine, case)
                except TimeoutError:
                    self._note([f"no answer within {ANSWER_TIMEOUT_S:.0f} s"], engine.position, self._limits)
                    return
                finally:
                    self._tally.seconds += time.perf_counter() - began
                yield case

    def _ask_one(self, engine: Engine, case: Case) -> None:
        n_empties = case.position.n_empties
        if self.threads > 1:
            self._tuning = self._eager(n_empties)
        if self._is_warm:
            for _ in range(DISTURBANCES):
                self._disturb(engine, case)
        questions = [Limits(goal=Goal.EXACT), Limits(goal=Goal.WLD)]
        if n_empties <= self.lines_to:
            questions.append(Limits(goal=Goal.EXACT, multipv=64))
        if self._is_warm:
            self.rng.shuffle(questions)
        for limits in questions:
            if not self._is_warm:
                engine.new_game()
            result, infos = self._search(engine, case.position, limits)
            self._tally.solves += 1
            self._tally.shared += sum(1 for nodes in result.worker_nodes if nodes) > 1
            n_lines = len(case.moves) if limits.multipv else 1
            faults = list(faults_of_answer(result, case, limits.goal, n_lines))
            faults += [fault for info in infos for fault in faults_of_claim(info, case.moves)]
            self._note(faults, case.position, limits)
            faults = [fault for info in result.lines for fault in faults_of_line(info, case, limits.goal)]
            self._note(faults, case.position, limits, is_line=True)

    def _eager(self, n_empties: int) -> Tuning:
        """Divides everything at once, down to a few plies below the root; now and then only what runs already."""
        floor = max(1, n_empties - self.rng.randint(1, 4))
        opened = self.rng.choice((floor, floor, 99))
        return Tuning(least_run=0.0, split_depth=1, split_empties=floor, open_depth=2, open_empties=opened)

    def _disturb(self, engine: Engine, case: Case) -> None:
        """A search that leaves something in the table; all that it claims to prove must be true."""
        rng = self.rng
        place = rng.random()
        if place < 0.2 and case.moves:
            case = Case.of(case.position.play(rng.choice(list(case.moves))))
        elif place < 0.3:
            case = Case.of(case.position.swapped())
        n_empties = case.position.n_empties
        alpha = max(-64, min(case.score + rng.randint(-9, 8), 63))
        goal = rng.choice((Goal.EXACT, Goal.EXACT, Goal.WLD))
        delay: float | None = None
        moves = case.moves
        limits = Limits(goal=goal)
        match rng.randrange(8):
            case 0:
                limits = Limits(depth=rng.randint(1, max(1, n_empties - 1)))
            case 1:
                limits = Limits(goal=goal, selectivity=rng.choice((73, 87, 95, 98, 99)))
            case 2:
                limits = Limits(goal=Goal.EXACT, window=(alpha, min(64, alpha + rng.choice((1, 1, 2, 5)))))
            case 3 if len(moves) > 1:
                chosen = tuple(rng.sample(sorted(moves), rng.randint(1, len(moves) - 1)))
                limits = Limits(goal=goal, search_moves=chosen)
                moves = {move: moves[move] for move in chosen}
            case 4:
                limits = Limits(goal=goal, nodes=1 + int(4 ** rng.uniform(0, n_empties)))
            case 5:
                limits = Limits(goal=goal, move_time_ms=rng.choice((0, 1, 2)))
            case 6:
                limits, delay = Limits(infinite=True), rng.random() * LONGEST_DELAY_S
            case _:
                selectivity = rng.choice((73, 100))
                delay = LONGEST_DELAY_S * rng.random() ** 3
                limits = Limits(goal=goal, selectivity=selectivity, multipv=rng.choice((1, 64)))
        result, infos = self._search(engine, case.position, limits, delay)
        faults = [] if result.error is None else [f"error {result.error!r}"]
        if result.best_move not in (moves or (NO_MOVE,)):
            faults.append(f"best move {square_name(result.best_move)} is not one of those allowed")
        self._tally.unproved += not any(is_proof(info) for info in result.lines[:1])
        faults += [fault for info in (*infos, *result.lines) for fault in faults_of_claim(info, moves)]
        self._note(faults, case.position, limits)
        board = case.position.player, case.position.opponent
        lines = {info.pv for info in (*infos, *result.lines)}
        illegal = [line for line in lines if plain_solver.line_score(*board, line) == plain_solver.ILLEGAL]
        faults = [f"illegal line {' '.join(map(square_name, line))}" for line in illegal]
        self._note(faults, case.position, limits, is_line=True)

    def _search(
        self, engine: Engine, position: Position, limits: Limits, delay: float | None = None
    ) -> tuple[SearchResult, list[SearchInfo]]:
        """One search, stopped after `delay` seconds if that is given; its result, and all it said on the way."""
        infos: list[SearchInfo] = []
        self._limits = limits
        engine.set_position(position)
        handle = engine.go(limits, infos.append)
        if delay is not None:
            time.sleep(delay)
            engine.stop()
        self._tally.searches += 1
        return handle.wait(ANSWER_TIMEOUT_S), infos

    def _note(self, faults: list[str], position: Position, limits: Limits, is_line: bool = False) -> None:
        if faults:
            self._tally.wrong_lines += is_line
            self._tally.wrong += not is_line
            table = "warm" if self._is_warm else "cold"
            fault = "; ".join(dict.fromkeys(faults))
            self.differences.append(Difference(is_line, self.name, table, commands_for(position, limits), fault))


def commands_for(position: Position, limits: Limits) -> str:
    """What to type to ask the same again; that a search was cut short can't be repeated."""
    words = ["go"]
    if limits.goal is not Goal.AUTO:
        words.append(limits.goal.value)
    if limits.infinite:
        words.append("infinite")
    for name, value in (
        ("depth", limits.depth),
        ("nodes", limits.nodes),
        ("time", limits.move_time_ms),
        ("selectivity", limits.selectivity),
        ("multipv", limits.multipv),
        ("window", None if limits.window is None else f"{limits.window[0]} {limits.window[1]}"),
        ("searchmoves", None if limits.search_moves is None else " ".join(map(square_name, limits.search_moves))),
    ):
        if value is not None:
            words += [name, str(value)]
    return f"setboard {position.to_text()}\n{' '.join(words)}"


# -- the whole check -----------------------------------------------------------------------------------------


def cases_of(numbers: Sequence[int], count: int, seed: int, console: Console) -> dict[int, list[Case]]:
    """The positions with their true values, by number of empties."""
    cases: dict[int, list[Case]] = {}
    with console.status("playing random games ..."):
        found = endgames(numbers, count, random.Random(seed))
    with progress(console) as bar:
        task = bar.add_task("plain solver", total=len(numbers) * count, note="")
        for n, positions in found.items():
            cases[n] = []
            for position, kind in positions:
                cases[n].append(Case.of(position, kind))
                bar.update(task, advance=1, note=f"{n} empties")
    return cases


def run(check: Check, cases: dict[int, list[Case]], console: Console) -> None:
    """One engine on all positions."""
    began = time.perf_counter()
    with check.engine() as engine, progress(console) as bar:
        task = bar.add_task(check.name, total=2 * sum(map(len, cases.values())), note="")
        for n, chosen in cases.items():
            for _ in check.ask(engine, n, chosen):
                bar.update(task, advance=1, note=f"{n} empties, {len(check.differences)} differences")
            if engine.is_searching:
                break  # it does not answer any more
    for is_line in (False, True):
        found = [difference for difference in check.differences if difference.is_line == is_line]
        for difference in found[:SHOWN_DIFFERENCES]:
            console.print(str(difference), markup=False, highlight=False, soft_wrap=True)
        if len(found) > SHOWN_DIFFERENCES:
            console.print(f"... and {len(found) - SHOWN_DIFFERENCES} more wrong {'lines' if is_line else 'answers'}")
    took = time.perf_counter() - began
    console.print(f"{check.name}: {len(check.differences)} differences in {took:.0f} s", highlight=False)


def table_by_empties(cases: dict[int, list[Case]], checks: Sequence[Check]) -> Table:
    table = Table(title="by empties (pass, end, ahead: forced pass, early end, pass ahead)", title_justify="left")
    kinds = (Kind.PASS, Kind.EARLY_END, Kind.PASS_AHEAD)
    for heading in ("empties", "all", "pass", "end", "ahead", "searches", "wrong", "lines", "seconds"):
        table.add_column(heading, justify="right")
    for n, chosen in cases.items():
        done = Tally()
        for check in checks:
            done.add(check.tallies.get(n, Tally()))
        counts = [len(chosen), *(sum(case.kind is kind for case in chosen) for kind in kinds)]
        figures = (done.searches, done.wrong, done.wrong_lines)
        table.add_row(str(n), *map(str, (*counts, *figures)), f"{done.seconds:.1f}")
    return table


def table_by_engine(checks: Sequence[Check]) -> Table:
    table = Table(title="by engine", title_justify="left")
    for heading in ("engine", "solves", "shared", "others", "unproved", "wrong", "lines", "seconds"):
        table.add_column(heading, justify="left" if heading == "engine" else "right")
    for check in checks:
        done = check.total
        figures = (done.solves, done.shared, done.searches - done.solves, done.unproved, done.wrong, done.wrong_lines)
        table.add_row(check.name, *map(str, figures), f"{done.seconds:.1f}")
    return table


def number_range(text: str) -> list[int]:
    """`1-12`, `8` or `1,4-6`."""
    numbers: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        numbers.update(range(int(first), int(last or first) + 1))
    if not numbers or min(numbers) < 1:
        raise ValueError(text)
    return sorted(numbers)


def names(text: str) -> list[str]:
    return text.split(",")


def main(arguments: Sequence[str] | None = None) -> int:
    """arguments: those of the command line if None. Returns the exit status."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=int, default=500, metavar="N", help="for each number of empties (500)")
    parser.add_argument("--empties", type=number_range, default="1-12", metavar="FROM-TO", help="which (1-12)")
    parser.add_argument("--threads", type=number_range, default="1,2,4,8", metavar="N,N", help="workers (1,2,4,8)")
    parser.add_argument("--profiles", type=names, default="strong,classic", metavar="NAME,NAME", help="engines")
    parser.add_argument("--lines-to", type=int, default=8, metavar="N", help="every root move up to N empties (8)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of positions and disturbances (1)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the full record there")
    options = parser.parse_args(arguments)
    console = Console(stderr=True)

    began = time.perf_counter()
    cases = cases_of(options.empties, options.positions, options.seed, console)
    console.print(f"{sum(map(len, cases.values()))} positions, valued in {time.perf_counter() - began:.0f} s")
    checks = []
    for profile in options.profiles:
        for threads in options.threads:
            rng = random.Random(f"{options.seed} {profile} {threads}")
            checks.append(Check(profile, threads, rng, options.lines_to))
            run(checks[-1], cases, console)

    report = Report("exact answers")
    report.tables += [table_by_empties(cases, checks), table_by_engine(checks)]
    fewest = min((len(chosen) for chosen in cases.values()), default=0)
    report.target("positions of each number of empties", fewest, options.positions, "", at_least=True)
    report.target("wrong answers", sum(check.total.wrong for check in checks), 0, "")
    report.target("wrong lines of play", sum(check.total.wrong_lines for check in checks), 0, "")
    report.raw["differences"] = [str(difference) for check in checks for difference in check.differences]
    report.raw["seconds"] = time.perf_counter() - began
    return report.finish(Console(), options.json)


if __name__ == "__main__":
    sys.exit(main())
