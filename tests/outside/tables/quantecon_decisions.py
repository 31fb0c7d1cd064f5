"""Markov decision processes of QuantEcon."""

# fmt: off
from __future__ import annotations

from typing import Any

import numpy as np
import quantecon
from oracle import OracleTable
from quantecon.markov import DiscreteDP

TABLE = OracleTable("quantecon", quantecon.__version__)


def _spread(drawn: dict[str, Any]) -> dict[str, Any]:
    """A row of chances for each state and action, which sums to one."""
    states, actions = np.array(drawn["rewards"]).shape
    flat = np.resize(np.array(drawn["transitions"]).ravel() + 0.05, (states * actions, states))
    parts = np.floor(flat / flat.sum(axis=1, keepdims=True) * 64)
    parts[:, 0] += 64 - parts.sum(axis=1)
    return drawn | {"transitions": (parts / 64).tolist()}


def _decide(rewards: list[list[float]], transitions: list[list[float]], discount: float) -> dict[str, Any]:
    states, actions = np.array(rewards).shape
    found = DiscreteDP(np.array(rewards), np.array(transitions).reshape(states, actions, states), discount).solve(method="policy_iteration")
    return {"values": found.v, "actions": found.sigma}


TABLE.add("decision.markov_decision_values", "quantecon.markov.DiscreteDP.solve", _decide, prepare=_spread, draws={"rewards": (-5, 9), "discount": (0.3, 0.97), "s": (2, 4), "a": (2, 3)}, within=1e-9, near_zero=1e-9, asked="policy_iteration")
