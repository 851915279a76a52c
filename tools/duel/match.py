"""Paired games: every opening is played twice, the second time with colours changed.

The rules here are the judge. A program that plays an illegal move, ends, falls silent or answers with an error loses
that game; the match goes on, with a new process if the old one is of no more use.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field

from othello_engine.errors import IllegalMoveError
from othello_engine.formats.transcript import format_moves
from othello_engine.notation import parse_move
from othello_engine.position import Position
from othello_engine.types import BLACK, PASS
from tools.duel.engines import EngineSpec, FaultError, FaultKind, Player, Ply

FORFEIT = 64
"""Discs by which a game is lost through a fault."""


@dataclass(frozen=True, slots=True)
class Opening:
    """The first moves of a game, forced passes included, and the position after them."""

    plies: tuple[Ply, ...]
    position: Position

    @classmethod
    def from_moves(cls, moves: str) -> Opening:
        """Raises IllegalMoveError; ValueError if nothing is left to play."""
        plies: list[Ply] = []
        position = Position.start()
        for move, after in Position.start().follow(moves):
            plies.append(Ply(position.side, move))
            position = after
        if position.is_over:
            raise ValueError("the game is over after the opening")
        return cls(tuple(plies), position)

    @property
    def transcript(self) -> str:
        return format_moves(ply.move for ply in self.plies)


@dataclass(frozen=True, slots=True)
class GameFault:
    """What ended a game early. culprit: 0 the first engine, 1 the second."""

    culprit: int
    kind: FaultKind
    text: str


@dataclass(frozen=True, slots=True)
class Thought:
    """One answer of an engine: how many squares were empty, and how long it took."""

    n_empties: int
    seconds: float


@dataclass(slots=True)
class Game:
    """One game. All pairs of values stand for the first and the second engine."""

    pair: int
    black: int
    """Which engine plays black: 0 the first, 1 the second."""
    plies: list[Ply]
    score: int = 0
    """Disc difference for the first engine, empty squares to the winner."""
    fault: GameFault | None = None
    thoughts: tuple[list[Thought], list[Thought]] = field(default_factory=lambda: ([], []))
    cpu_seconds: tuple[float, float] | None = None
    """CPU time used from the first position to the last; None if a process was lost."""

    @property
    def points(self) -> float:
        """1, 0.5 or 0 for the first engine."""
        return 0.5 if self.score == 0 else float(self.score > 0)

    @property
    def transcript(self) -> str:
        return format_moves(ply.move for ply in self.plies)


@dataclass(frozen=True, slots=True)
class Pair:
    """Both games of an opening; in the first of them the first engine plays black."""

    index: int
    opening: Opening
    games: tuple[Game, Game]

    @property
    def points(self) -> float:
        """Mean of both games, 0 to 1, for the first engine."""
        return (self.games[0].points + self.games[1].points) / 2

    @property
    def discs(self) -> float:
        """Mean of both games, for the first engine."""
        return (self.games[0].score + self.games[1].score) / 2


def play_game(players: tuple[Player, Player], black: int, opening: Opening, pair: int = 0) -> Game:
    """Play an opening to its end. Processes that are of no more use are ended."""
    game = Game(pair, black, list(opening.plies))
    position = opening.position
    active = 0  # the engine that is to blame if it faults now

    def everyone(call: Callable[[Player], None]) -> None:
        nonlocal active
        for active in (0, 1):
            call(players[active])

    try:
        everyone(lambda player: player.start_game(opening.plies))
        cpu_before = [player.cpu_seconds() for player in players]
        while not position.is_over:
            move = PASS
            if not position.must_pass:
                active = black if position.side == BLACK else 1 - black
                answer = players[active].choose()
                game.thoughts[active].append(Thought(position.n_empties, answer.seconds))
                move = _judge(answer.text, position)
            ply = Ply(position.side, move)
            game.plies.append(ply)
            position = position.play(move)
            if not position.is_over:
                everyone(lambda player: player.played(ply))  # noqa: B023 - called at once
        black_discs = position.final_score if position.side == BLACK else -position.final_score
        game.score = black_discs if black == 0 else -black_discs
        used = [player.cpu_seconds() - before for player, before in zip(players, cpu_before, strict=True)]
        game.cpu_seconds = (used[0], used[1])
    except FaultError as fault:
        game.fault = GameFault(active, fault.kind, str(fault))
        game.score = -FORFEIT if active == 0 else FORFEIT
        if fault.kind is not FaultKind.ILLEGAL:
            players[active].drop()
    return game


def _judge(text: str, position: Position) -> int:
    try:
        move = parse_move(text)
        position.play(move)
    except (ValueError, IllegalMoveError) as error:
        raise FaultError(FaultKind.ILLEGAL, f"{text!a} in {position.to_text()}: {error}") from None
    return move


def play_match(
    specs: tuple[EngineSpec, EngineSpec], openings: Sequence[Opening], concurrency: int = 1
) -> Generator[Pair, None, None]:
    """Play all openings, each as a pair; pairs come as they are finished, not always in order.

    concurrency: games at the same time, each with processes of its own. Within a game only one engine thinks.
    Closing the iterator ends all processes.
    """
    waiting: queue.SimpleQueue[tuple[int, Opening]] = queue.SimpleQueue()
    for numbered in enumerate(openings):
        waiting.put(numbered)
    finished: queue.SimpleQueue[Pair | BaseException] = queue.SimpleQueue()
    stopped = threading.Event()

    def work(players: tuple[Player, Player]) -> None:
        try:
            while not stopped.is_set():
                index, opening = waiting.get_nowait()
                games = (play_game(players, 0, opening, index), play_game(players, 1, opening, index))
                finished.put(Pair(index, opening, games))
        except queue.Empty:
            pass
        except BaseException as error:
            finished.put(error)
        finally:
            for player in players:
                player.close()

    tables = [(Player(specs[0]), Player(specs[1])) for _ in range(min(concurrency, len(openings)))]
    threads = [threading.Thread(target=work, args=(players,), daemon=True) for players in tables]
    for thread in threads:
        thread.start()
    try:
        for _ in openings:
            pair = finished.get()
            if isinstance(pair, BaseException):
                raise pair
            yield pair
    finally:
        stopped.set()
        for players in tables:
            for player in players:
                player.close()
        for thread in threads:
            thread.join(30)
