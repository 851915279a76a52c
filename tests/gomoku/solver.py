"""A state record with tables of proofs, for tests of the searches for a forced win."""

from __future__ import annotations

from typing import Any

import numpy as np

from othello_engine.gomoku import weights
from othello_engine.gomoku.board import set_up
from othello_engine.gomoku.position import GomokuPosition
from othello_engine.gomoku.state import fill_near, new_state


class Solver:
    def __init__(self) -> None:
        self.state: Any = new_state()
        self.state.info[:] = weights.info_table(weights.by_hand())
        self.proofs = np.zeros(1 << 16, np.uint64)
        self.state.proof_address = self.proofs.ctypes.data
        self.state.proof_mask = len(self.proofs) - 1
        self.threats = np.zeros(1 << 16, np.uint64)
        self.state.threat_address = self.threats.ctypes.data
        self.state.threat_mask = len(self.threats) // 2 - 1

    def load(self, position: GomokuPosition) -> Any:
        """The record with this position and nothing known."""
        fill_near(self.state, position.size)
        self.state.cells[: position.size**2] = np.frombuffer(position.cells, np.uint8)
        set_up(self.state)
        self.proofs[:] = self.threats[:] = 0
        self.state.nodes = self.state.stop = 0
        return self.state
