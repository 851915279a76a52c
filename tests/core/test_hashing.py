"""The position hash: the same number everywhere, and well mixed."""

from __future__ import annotations

from othello_engine.core.hashing import position_hash
from othello_engine.position import Position
from tests import positions
from tests.core.support import SEED, bitboards, several

MASK = 2**64 - 1


def hash_of(player: int, opponent: int) -> int:
    return bitboards(position_hash, player, opponent)


def by_definition(player: int, opponent: int) -> int:
    """The documented formula on unbounded integers."""
    p = player * 0x9E3779B97F4A7C15 & MASK
    o = opponent * 0xC2B2AE3D27D4EB4F & MASK
    h = p ^ ((o << 31 | o >> 33) & MASK)
    h = (h ^ h >> 32) * 0xD6E8FEB86659FD93 & MASK
    return h ^ h >> 32


def test_hash_is_the_documented_one_with_every_bit_pattern() -> None:
    """SE-10, SE-11: no process, processor or compilation changes it."""
    for player, opponent in positions.random_bitboards(several(5_000), SEED):
        assert hash_of(player, opponent) == by_definition(player, opponent)


def test_different_positions_of_games_have_different_hashes() -> None:
    seen = {(p.player, p.opponent) for p in positions.random_positions(several(40_000, 4_000), SEED)}
    hashes = {hash_of(*boards) for boards in seen}
    assert len(hashes) == len(seen)


def test_player_and_opponent_are_not_interchangeable() -> None:
    for player, opponent in positions.random_bitboards(several(1_000), SEED):
        if player != opponent:
            assert hash_of(player, opponent) != hash_of(opponent, player)


def test_table_indices_are_spread_evenly() -> None:
    """Low bits index the table: 4,096 slots filled by games as evenly as by chance."""
    n_slots = 4096
    counts = [0] * n_slots
    seen = {(p.player, p.opponent) for p in positions.random_positions(several(40_000, 8_000), SEED)}
    for boards in seen:
        counts[hash_of(*boards) % n_slots] += 1
    expected = len(seen) / n_slots
    chi_square = sum((count - expected) ** 2 / expected for count in counts)
    # Mean n_slots - 1, standard deviation sqrt(2 (n_slots - 1)) = 90: six of them on either side.
    assert 3550 < chi_square < 4640


def test_any_single_disc_changes_about_half_of_the_low_bits() -> None:
    start = Position.start()
    base = hash_of(start.player, start.opponent)
    changed = []
    for square in range(64):
        for player, opponent in (
            (start.player ^ 1 << square, start.opponent),
            (start.player, start.opponent ^ 1 << square),
        ):
            changed.append(((hash_of(player, opponent) ^ base) & 0xFFFFFF).bit_count())
    assert min(changed) >= 2
    assert 10 <= sum(changed) / len(changed) <= 14
