"""The results so far, as counts that grow with every game; no game is kept."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from othello_engine.types import BLACK
from tools.match.games import OthelloGame
from tools.match.record import GameRecord
from tools.match.stats import elo_interval, elo_of_points, likelihood_of_superiority, mean_and_variance

MIDGAME_EMPTIES = 24
"""Down to here hardly a position is solved in a short time: what a move really gets shows above."""
MOST_FAULTS = 20
"""So many are told in the summary; the games file has all."""


@dataclass(slots=True)
class Duel:
    """All games between two engines, from the first one's view. Pairs count when both games are played."""

    n_games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    discs: int = 0
    """Sum over all games."""
    pentanomial: list[int] = field(default_factory=lambda: [0] * 5)
    discs_of_pairs: float = 0.0
    squares_of_pairs: float = 0.0
    """Sums over whole pairs of the mean discs of their games, and of the squares of that."""
    course: list[float] = field(default_factory=list)
    """Points of the pairs, 0 to 1, in the order in which they ended."""
    _waiting: dict[int, tuple[float, int]] = field(default_factory=dict)

    def add(self, pair: int, points: float, discs: int) -> None:
        self.n_games += 1
        self.wins += points == 1
        self.draws += points == 0.5
        self.losses += points == 0
        self.discs += discs
        if pair not in self._waiting:
            self._waiting[pair] = (points, discs)
            return
        other_points, other_discs = self._waiting.pop(pair)
        mean_discs = (discs + other_discs) / 2
        self.pentanomial[round(2 * (points + other_points))] += 1
        self.discs_of_pairs += mean_discs
        self.squares_of_pairs += mean_discs**2
        self.course.append((points + other_points) / 2)

    @property
    def n_pairs(self) -> int:
        return sum(self.pentanomial)

    @property
    def points(self) -> float:
        """Mean of a game, 0 to 1; nan without games."""
        return (self.wins + self.draws / 2) / self.n_games if self.n_games else math.nan

    @property
    def mean_discs(self) -> float:
        return self.discs / self.n_games if self.n_games else math.nan

    @property
    def discs_error(self) -> float:
        """Standard error of the mean discs, from pairs; nan with fewer than two."""
        n = self.n_pairs
        if n < 2:
            return math.nan
        mean = self.discs_of_pairs / n
        variance = max(0.0, self.squares_of_pairs - n * mean**2) / (n - 1)
        return math.sqrt(variance / n)

    @property
    def elo(self) -> float:
        return elo_of_points(self.points) if self.n_games else math.nan

    @property
    def elo_interval(self) -> tuple[float, float]:
        """95 %, from pairs."""
        return elo_interval(self.pentanomial)

    @property
    def superiority(self) -> float:
        """Likelihood that the first is the stronger one."""
        return likelihood_of_superiority(self.pentanomial)

    @property
    def pair_ratio(self) -> float:
        """Pairs won to pairs lost; nan if neither was."""
        lost, won = sum(self.pentanomial[:2]), sum(self.pentanomial[3:])
        return won / lost if lost else math.inf if won else math.nan

    @property
    def spread(self) -> float:
        """Standard deviation of the points of a pair."""
        return math.sqrt(mean_and_variance(self.pentanomial)[1]) if self.n_pairs else math.nan


@dataclass(slots=True)
class Conduct:
    """How one engine behaved. Times in seconds."""

    n_games: int = 0
    points: float = 0.0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    discs: int = 0
    n_moves: int = 0
    seconds: float = 0.0
    worst: float = 0.0
    n_over: int = 0
    """Moves that took longer than the time of a move, if there is one; within the margin, or they would be faults."""
    n_midgame: int = 0
    midgame_seconds: float = 0.0
    depths: int = 0
    n_depths: int = 0
    nodes: int = 0
    node_seconds: float = 0.0
    cpu: float = 0.0
    cpu_seconds: float = 0.0
    """CPU time, and the thinking time of the games for which it is known."""
    faults: Counter[str] = field(default_factory=Counter)

    def add(self, record: GameRecord, side: int, move_s: float | None = None) -> None:
        """A game of it. move_s: the time it had for a move."""
        points = record.points if side == BLACK else 1 - record.points
        self.n_games += 1
        self.points += points
        self.wins += points == 1
        self.draws += points == 0.5
        self.losses += points == 0
        self.discs += record.score if side == BLACK else -record.score
        game, n_empties, mover, seconds = record.game, record.start.n_empties, record.start.side, 0.0
        for each in record.moves:
            if mover == side and each.seconds is not None:
                self.n_moves += 1
                seconds += each.seconds
                self.worst = max(self.worst, each.seconds)
                self.n_over += move_s is not None and each.seconds > move_s
                if n_empties >= MIDGAME_EMPTIES:
                    self.n_midgame += 1
                    self.midgame_seconds += each.seconds
                if each.depth is not None:
                    self.n_depths += 1
                    self.depths += each.depth
                if each.nodes is not None:
                    self.nodes += each.nodes
                    self.node_seconds += each.seconds
            n_empties -= not game.is_pass(each.move)
            mover = 1 - mover
        self.seconds += seconds
        if record.cpu_s:
            self.cpu += record.cpu_s[side]
            self.cpu_seconds += seconds
        if record.fault and record.fault.side == side:
            self.faults[str(record.fault.kind)] += 1

    @property
    def mean_ms(self) -> float:
        return _share(1000 * self.seconds, self.n_moves)

    @property
    def midgame_mean_ms(self) -> float:
        return _share(1000 * self.midgame_seconds, self.n_midgame)

    @property
    def mean_depth(self) -> float:
        return _share(self.depths, self.n_depths)

    @property
    def nodes_per_second(self) -> float:
        return _share(self.nodes, self.node_seconds)

    @property
    def cpu_share(self) -> float:
        """CPU time divided by thinking time. Above 1: it uses several cores, or thinks on the other's time. Well below
        1: the machine was busy with something else, and the match says little.
        """
        return _share(self.cpu, self.cpu_seconds)


class Standing:
    """Everything that is known from the games so far. Engines by their place in the list of names.

    move_times: what each has for a move, in seconds; None where nothing is said. unit: what scores count, empty if they
    only tell who has won.
    """

    def __init__(
        self, names: Sequence[str], move_times: Sequence[float | None] = (), unit: str = OthelloGame.unit
    ) -> None:
        self.names = tuple(names)
        self.unit = unit
        self.move_times = tuple(move_times) or (None,) * len(names)
        self.duels: dict[tuple[int, int], Duel] = {}
        """By (first, second), first < second."""
        self.conduct = [Conduct() for _ in names]
        self.n_games = 0
        self.n_moves = 0
        self.manager_s = 0.0
        self.endings: Counter[str] = Counter()
        self.faults: list[str] = []
        """What the first faults were, a line each."""
        self._places = {name: place for place, name in enumerate(names)}

    def add(self, record: GameRecord) -> Duel:
        """Count a game; the duel it belongs to."""
        black, white = self._places[record.black], self._places[record.white]
        first, second = min(black, white), max(black, white)
        duel = self.duels.setdefault((first, second), Duel())
        sign = 1 if black == first else -1
        duel.add(record.pair, record.points if sign > 0 else 1 - record.points, sign * record.score)
        self.conduct[black].add(record, 0, self.move_times[black])
        self.conduct[white].add(record, 1, self.move_times[white])
        self.n_games += 1
        self.n_moves += len(record.moves) - record.n_opening
        self.manager_s += record.manager_s
        self.endings[record.ending] += 1
        if record.fault and len(self.faults) < MOST_FAULTS:
            self.faults.append(record.fault_line)
        return duel

    @property
    def overhead_ms(self) -> float:
        """The manager's own time for each move."""
        return _share(1000 * self.manager_s, self.n_moves)


def _share(part: float, whole: float) -> float:
    return part / whole if whole else math.nan
