"""Net run rates by cricket-nrr."""

from __future__ import annotations

from fractions import Fraction
from importlib.metadata import version

from cricket_nrr.nrr import TeamNRRPool
from oracle import OracleTable

TABLE = OracleTable("cricket-nrr", version("cricket-nrr"))


def find_rate(runs_scored: int, balls_faced: int, runs_conceded: int, balls_bowled: int) -> float:
    """Return the net run rate of a team of which the sums are known."""
    team = TeamNRRPool("a team")
    team._runs_for, team._overs_for = runs_scored, Fraction(balls_faced, 6)
    team._runs_against, team._overs_against = runs_conceded, Fraction(balls_bowled, 6)
    return team.nrr()


TABLE.add(
    "sports.net_run_rate",
    "cricket_nrr.nrr.TeamNRRPool.nrr",
    find_rate,
    draws={
        "runs_scored": [300, 2000],
        "balls_faced": [300, 1800],
        "runs_conceded": [300, 2000],
        "balls_bowled": [300, 1800],
    },
)
