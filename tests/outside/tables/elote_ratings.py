"""Ratings by Glicko, Colley, Massey and Bill James, by Elote."""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib.metadata import version

from elote import ColleyMatrixCompetitor, EloCompetitor, GlickoCompetitor, MasseyCompetitor
from elote.competitors.pythagorean import PythagoreanCompetitor
from oracle import OracleTable

TABLE = OracleTable("elote", version("elote"))
GlickoCompetitor._q = math.log(10) / 400  # rounded to five digits unless told
PythagoreanCompetitor._prior_points = 0.0  # a prior that the formula has not
RATINGS = {"rating": [1000.0, 2200.0], "opponent_rating": [1000.0, 2200.0], "opponent_deviation": [30.0, 350.0]}


def expect(rating: float, opponent_rating: float, opponent_deviation: float) -> float:
    """Return the expected score by Glicko."""
    opponent = GlickoCompetitor(opponent_rating, opponent_deviation)
    return GlickoCompetitor(rating, 50).expected_score(opponent)


def update(
    rating: float,
    deviation: float,
    opponent_ratings: Sequence[float],
    opponent_deviations: Sequence[float],
    scores: Sequence[float],
) -> dict[str, float]:
    """Update a Glicko rating by one game."""
    opponent = GlickoCompetitor(opponent_ratings[0], opponent_deviations[0])
    found = GlickoCompetitor(rating, deviation).update_competitor_rating(opponent, scores[0])
    return {"rating": found[0], "deviation": found[1]}


def expect_shares(scored: float, allowed: float, exponent: float) -> float:
    """Return the Pythagorean expectation."""
    team = PythagoreanCompetitor(exponent)
    team._record_game(scored, allowed)
    return team.rating


def rate_by_wins(wins: Sequence[Sequence[int]]) -> list[float]:
    """Return Colley ratings."""
    teams = [ColleyMatrixCompetitor() for _ in wins]
    for first, row in zip(teams, wins, strict=True):
        for second, many in zip(teams, row, strict=True):
            for _ in range(many):
                first.beat(second)
    return [team.rating for team in teams]


def clear_diagonal(drawn: dict[str, list[list[int]]]) -> dict[str, list[list[int]]]:
    """Take out games of a team against itself."""
    return {
        name: [[0 if a == b else each for b, each in enumerate(row)] for a, row in enumerate(rows)]
        for name, rows in drawn.items()
    }


def pair_games(drawn: dict[str, list[list[int]]]) -> dict[str, list[list[int]]]:
    """Make one game of each pair of teams, which the team that scored more has won."""
    points = [[2 * each + (a < b) for b, each in enumerate(row)] for a, row in enumerate(drawn["points"])]
    games = [[int(a != b) for b in range(len(points))] for a in range(len(points))]
    return clear_diagonal({"games": games, "points": points})


def rate_by_points(games: Sequence[Sequence[int]], points: Sequence[Sequence[int]]) -> list[float]:
    """Return Massey ratings of a round robin."""
    teams = [MasseyCompetitor() for _ in games]
    for a in range(len(teams)):
        for b in range(a):
            mine, theirs = points[a][b], points[b][a]
            winner, loser = (a, b) if mine > theirs else (b, a)
            teams[winner].beat(teams[loser], scores=(max(mine, theirs), min(mine, theirs)))
    return [team.rating for team in teams]


TABLE.add("sports.glicko_expected_score", "elote.GlickoCompetitor.expected_score", expect, draws=RATINGS)
TABLE.add(
    "sports.glicko_update",
    "elote.GlickoCompetitor.update_competitor_rating",
    update,
    draws={
        "n": [1, 1],
        "rating": [1000.0, 2200.0],
        "deviation": [30.0, 350.0],
        "opponent_ratings": [1000.0, 2200.0],
        "opponent_deviations": [30.0, 350.0],
        "scores": [0.0, 0.5, 1.0],
    },
)
TABLE.add(
    "sports.pythagorean_expectation",
    "elote.competitors.pythagorean.PythagoreanCompetitor.rating",
    expect_shares,
    draws={"scored": [50.0, 900.0], "allowed": [50.0, 900.0], "exponent": [1.83, 2.0, 2.37, 13.91]},
)
TABLE.add(
    "sports.log5_probability",
    "elote.competitors.pythagorean.PythagoreanCompetitor._log5",
    PythagoreanCompetitor._log5,
    draws={"first_share": [0.5, 0.95], "second_share": [0.05, 0.5]},
)
TABLE.add(
    "sports.colley_ratings",
    "elote.ColleyMatrixCompetitor.rating",
    rate_by_wins,
    draws={"n": [3, 6], "wins": [0, 3]},
    prepare=clear_diagonal,
    within=1e-9,
)
TABLE.add(
    "sports.massey_ratings",
    "elote.MasseyCompetitor.rating",
    rate_by_points,
    draws={"n": [3, 6], "points": [10, 50]},
    prepare=pair_games,
    within=1e-8,
    near_zero=1e-9,
)
TABLE.add(
    "metrics.elo_expected_score",
    "elote.EloCompetitor.expected_score",
    lambda rating, opponent: EloCompetitor(rating).expected_score(EloCompetitor(opponent)),
    draws={"rating": [800.0, 2600.0], "opponent": [800.0, 2600.0]},
)


def update_elo(rating: float, opponent: float, score: float, factor: float) -> float:
    """Update an Elo rating by one game."""
    player = EloCompetitor(rating, k_factor=factor)
    return player._new_rating(score, player.expected_score(EloCompetitor(opponent)))


TABLE.add(
    "metrics.elo_update",
    "elote.EloCompetitor._new_rating",
    update_elo,
    draws={
        "rating": [800.0, 2600.0],
        "opponent": [800.0, 2600.0],
        "score": [0.0, 0.5, 1.0],
        "factor": [10.0, 16.0, 20.0, 24.0, 32.0, 40.0],
    },
)
