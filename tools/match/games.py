"""What is played: where games begin, how openings and moves are written, who has won, and the files that keep games.

Everything else of a match is the same for every game, and asks the value that is made here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol

from othello_engine.formats.game import ANTI_TYPE
from othello_engine.formats.ggf import format_ggf
from othello_engine.formats.transcript import format_moves
from othello_engine.gomoku.position import LARGEST, SMALLEST, USUAL_SIZE, GomokuPosition, cell_name, parse_cell
from othello_engine.notation import parse_move
from othello_engine.position import Position
from othello_engine.types import BLACK, PASS, WHITE, square_name
from tools.match import gomoku
from tools.match.gomoku import GomokuOpening
from tools.match.openings import Opening, parse_opening, random_openings

if TYPE_CHECKING:
    from othello_engine.games import AnyPosition
    from tools.match.record import GameRecord

OTHELLO, ANTI = "othello", "anti"
"""The variants of Othello: most discs win, or fewest."""
GOMOKU = "gomoku"
GAMES = (OTHELLO, GOMOKU)
"""The games that there are."""
NATIVE = "native"

AnyOpening = Opening | GomokuOpening
Options = tuple[tuple[str, str], ...]


class MatchGame(Protocol):
    """A game, as a match needs it. Values that are equal play the same game by the same rules."""

    @property
    def variant(self) -> str:
        """As records say it."""

    @property
    def label(self) -> str:
        """For messages: all that tells it from others."""

    @property
    def title(self) -> str:
        """For headings, where it is not the usual game; else empty."""

    @property
    def protocols(self) -> tuple[str, ...]:
        """The dialects in which it can be played."""

    @property
    def forfeit(self) -> int:
        """The score of a game that was lost through a fault."""

    @property
    def unit(self) -> str:
        """What scores count; empty if they only tell who has won."""

    @property
    def default_openings(self) -> str | None:
        """Where nothing is said: as in the settings; None plays from the start."""

    @property
    def random_moves(self) -> tuple[int, int]:
        """Moves of the shortest and of the longest random opening."""

    @property
    def start(self) -> AnyPosition:
        """Where games begin if nothing else is said."""

    @property
    def file_name(self) -> str:
        """The file with the games for other programs."""

    @property
    def marks(self) -> tuple[str, ...]:
        """What stands behind the score in a line of transcripts."""

    @property
    def rules(self) -> tuple[str, ...]:
        """Sentences for the summary: what is played, if not the usual game."""

    @property
    def facts(self) -> dict[str, object]:
        """The same for programs that read the summary."""

    @property
    def json_facts(self) -> dict[str, object]:
        """What a line of the games file says of it; nothing if it is the usual game."""

    def native_options(self, options: Options) -> Options:
        """Those of a native engine, with what tells it the game. ValueError if they say something else."""

    def untold(self, protocol: str) -> tuple[str, ...]:
        """What a dialect has no word for, and the program's command line has to say."""

    def opening(self, line: str) -> AnyOpening:
        """Of a line of a file; an empty one is the start. Raises ValueError."""

    def random_openings(self, n_moves: int, seed: int) -> Iterator[AnyOpening]:
        """Different ones, for as long as new ones are found."""

    def parse_start(self, text: str) -> AnyPosition:
        """A board as records write it. Raises ValueError."""

    def must_pass(self, position: AnyPosition) -> bool:
        """True if the side to move has no move, though the game is not over."""

    def is_pass(self, move: int) -> bool:
        """True for a move that fills nothing."""

    def read_move(self, text: str) -> int:
        """Of an answer; ValueError if it is spelled like no move."""

    def move_name(self, move: int) -> str:
        """As `read_move` reads it back."""

    def transcript(self, moves: Sequence[int]) -> str:
        """The moves of a game without blanks; passes are left out."""

    def score(self, position: AnyPosition) -> int:
        """Of a game that is over: above 0 if black has won."""

    def file_line(self, record: GameRecord, event: str, date: str) -> str:
        """A game for the file with the games for other programs."""


@dataclass(frozen=True, slots=True)
class OthelloGame:
    """Othello; is_anti: the variant in which fewest discs win. See MatchGame for the rest."""

    is_anti: bool = False

    protocols: ClassVar[tuple[str, ...]] = (NATIVE, "nboard", "gtp", "cassio")
    forfeit: ClassVar[int] = 64
    unit: ClassVar[str] = "discs"
    default_openings: ClassVar[str | None] = None
    random_moves: ClassVar[tuple[int, int]] = (1, 40)
    file_name: ClassVar[str] = "games.ggf"
    _OPTION: ClassVar[str] = "Variant"

    @property
    def variant(self) -> str:
        return ANTI if self.is_anti else OTHELLO

    @property
    def label(self) -> str:
        return f"variant {self.variant}" if self.is_anti else OTHELLO

    @property
    def title(self) -> str:
        return "anti-Othello" if self.is_anti else ""

    @property
    def start(self) -> Position:
        return Position.start()

    @property
    def marks(self) -> tuple[str, ...]:
        return (ANTI_TYPE,) if self.is_anti else ()

    @property
    def rules(self) -> tuple[str, ...]:
        anti = "Anti-Othello: fewest discs win. Discs count for whoever has fewer of them."
        return (anti,) if self.is_anti else ()

    @property
    def facts(self) -> dict[str, object]:
        return {"variant": self.variant}

    @property
    def json_facts(self) -> dict[str, object]:
        return {"variant": ANTI} if self.is_anti else {}

    def native_options(self, options: Options) -> Options:
        """Behind the other options, one of which may choose a profile."""
        is_told = _is_told(options, self._OPTION, self.variant)
        return options if is_told or not self.is_anti else (*options, (self._OPTION, self.variant))

    def untold(self, protocol: str) -> tuple[str, ...]:
        return (f"variant {ANTI}",) if self.is_anti and protocol != NATIVE else ()

    def opening(self, line: str) -> Opening:
        return parse_opening(line) if line else Opening.of("")

    def random_openings(self, n_moves: int, seed: int) -> Iterator[Opening]:
        return random_openings(n_moves, seed)

    def parse_start(self, text: str) -> Position:
        return Position.from_text(text)

    def must_pass(self, position: AnyPosition) -> bool:
        assert isinstance(position, Position)
        return not position.legal_bitboard

    def is_pass(self, move: int) -> bool:
        return move == PASS

    def read_move(self, text: str) -> int:
        return parse_move(text)

    def move_name(self, move: int) -> str:
        return square_name(move)

    def transcript(self, moves: Sequence[int]) -> str:
        return format_moves(moves)

    def score(self, position: AnyPosition) -> int:
        """Black's discs minus white's, in anti-Othello the other way round; empty squares to the side with more."""
        assert isinstance(position, Position)
        return position.final_score_in(self.is_anti, BLACK)

    def file_line(self, record: GameRecord, event: str, date: str) -> str:
        """GGF."""
        return format_ggf(record.to_game(event, date))


@dataclass(frozen=True, slots=True)
class GomokuGame:
    """Freestyle Gomoku: five or more in a row win. size: cells on a side. See MatchGame for the rest."""

    size: int = USUAL_SIZE

    variant: ClassVar[str] = GOMOKU
    protocols: ClassVar[tuple[str, ...]] = (NATIVE, "gomocup")
    forfeit: ClassVar[int] = 1
    unit: ClassVar[str] = ""
    default_openings: ClassVar[str | None] = "random:5"
    random_moves: ClassVar[tuple[int, int]] = gomoku.RANDOM_STONES
    file_name: ClassVar[str] = "games.sgf"
    _OPTION: ClassVar[str] = "Game"

    def __post_init__(self) -> None:
        if not SMALLEST <= self.size <= LARGEST:
            raise ValueError(f"a board has {SMALLEST} to {LARGEST} cells on a side, not {self.size}")

    @property
    def label(self) -> str:
        return f"{GOMOKU} {self.size}x{self.size}"

    @property
    def title(self) -> str:
        return f"Gomoku {self.size}x{self.size}"

    @property
    def start(self) -> GomokuPosition:
        return GomokuPosition.start(self.size)

    @property
    def marks(self) -> tuple[str, ...]:
        return (f"{self.size}x{self.size}",)

    @property
    def rules(self) -> tuple[str, ...]:
        board = f"a board of {self.size} by {self.size}"
        return (f"Freestyle Gomoku on {board}: five or more in a row win, a full board is a draw.",)

    @property
    def facts(self) -> dict[str, object]:
        return {"game": GOMOKU, "board_size": self.size, "variant": "freestyle"}

    @property
    def json_facts(self) -> dict[str, object]:
        return {"variant": GOMOKU, "board_size": self.size}

    def native_options(self, options: Options) -> Options:
        """Before the other options: some of them exist in this game only."""
        is_told = _is_told(options, self._OPTION, GOMOKU)
        return options if is_told else ((self._OPTION, GOMOKU), *options)

    def untold(self, protocol: str) -> tuple[str, ...]:
        return ()

    def opening(self, line: str) -> GomokuOpening:
        return gomoku.parse_opening(line, self.size) if line else GomokuOpening.of("", self.size)

    def random_openings(self, n_moves: int, seed: int) -> Iterator[GomokuOpening]:
        return gomoku.random_openings(self.size, n_moves, seed)

    def parse_start(self, text: str) -> GomokuPosition:
        return GomokuPosition.from_text(text)

    def must_pass(self, position: AnyPosition) -> bool:
        return False

    def is_pass(self, move: int) -> bool:
        return False

    def read_move(self, text: str) -> int:
        return parse_cell(text, self.size)

    def move_name(self, move: int) -> str:
        return cell_name(move, self.size)

    def transcript(self, moves: Sequence[int]) -> str:
        return gomoku.transcript(moves, self.size)

    def score(self, position: AnyPosition) -> int:
        """1, 0 or -1."""
        assert isinstance(position, GomokuPosition)
        return {BLACK: 1, WHITE: -1, None: 0}[position.winner]

    def file_line(self, record: GameRecord, event: str, date: str) -> str:
        """SGF."""
        return gomoku.format_sgf(record, event, date)


def game_of(start: AnyPosition, is_anti: bool = False) -> MatchGame:
    """The game that is played from such a position."""
    return GomokuGame(start.size) if isinstance(start, GomokuPosition) else OthelloGame(is_anti)


def game_named(variant: object, board_size: object = USUAL_SIZE) -> MatchGame:
    """The game that a record names. ValueError if there is none."""
    if variant == GOMOKU:
        return GomokuGame(int(str(board_size)))
    if variant not in (OTHELLO, ANTI):
        raise ValueError(f"variant {variant!a}")
    return OthelloGame(variant == ANTI)


def _is_told(options: Options, name: str, value: str) -> bool:
    """True if an option says so already; ValueError if it says something else."""
    own = [given for option, given in options if option.lower() == name.lower()]
    for given in own:
        if given.lower() != value:
            raise ValueError(f"{name}: {given}, but the match is of {value}")
    return bool(own)
