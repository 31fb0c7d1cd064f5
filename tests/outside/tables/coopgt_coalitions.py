"""Games of coalitions by CoopGT."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from itertools import combinations
from typing import Any

from coopgt.shapley_value import calculate
from oracle import OracleTable

TABLE = OracleTable("coopgt", version("coopgt"))


def name_coalitions(players: int) -> list[tuple[int, ...]]:
    """Return the coalitions of players, numbered from 1 as the package does."""
    every = range(1, players + 1)
    return [coalition for size in range(players + 1) for coalition in combinations(every, size)]


def share(values: Sequence[float]) -> list[float]:
    """Share out the value of a game of which the coalitions are given by binary digits."""
    players = len(values).bit_length() - 1
    game = {each: values[sum(1 << (player - 1) for player in each)] for each in name_coalitions(players)}
    return [float(each) for each in calculate(game)]


def weigh(weights: Sequence[int], quota: int) -> list[float]:
    """Share out a vote that is won by the quota."""
    game = {each: int(sum(weights[player - 1] for player in each) >= quota) for each in name_coalitions(len(weights))}
    return [float(each) for each in calculate(game)]


def empty_coalition(drawn: dict[str, Any]) -> dict[str, Any]:
    """Give the coalition without members no value, and make their number a power of 2."""
    players = len(drawn["values"]).bit_length() - 1
    return {"values": [0.0, *drawn["values"][1 : 1 << players]]}


TABLE.add(
    "game_theory.shapley_value",
    "coopgt.shapley_value.calculate",
    share,
    draws={"n": [8, 16], "values": [0.0, 20.0]},
    prepare=empty_coalition,
    within=1e-11,
    near_zero=1e-13,
)
TABLE.add(
    "game_theory.shapley_shubik_index",
    "coopgt.shapley_value.calculate",
    weigh,
    draws={"n": [3, 5], "weights": [1, 9], "quota": [6, 9]},
    prepare=lambda drawn: {**drawn, "quota": sum(drawn["weights"]) // 2 + 1},
    asked="of the game of votes",
)
