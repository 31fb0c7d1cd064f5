"""Elections by pref_voting, which needs an environment of its own, with NumPy before 2.4."""

from __future__ import annotations

import random
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import pref_voting.voting_methods as methods
from oracle import OracleTable
from pref_voting.other_methods import kemeny_young_rankings
from pref_voting.profiles import Profile

TABLE = OracleTable("pref_voting", version("pref_voting"))
DRAWS = {"m": [3, 9], "n": [3, 5], "ballots": [0, 1000000]}


def shuffle(drawn: dict[str, Any]) -> dict[str, Any]:
    """Make a ranking of each ballot that was drawn."""
    ballots = [random.Random(str(ballot)).sample(range(len(ballot)), len(ballot)) for ballot in drawn["ballots"]]
    return {"ballots": ballots}


def add(name: str, function: str, compute: Callable[[Profile], Any]) -> None:
    """Compare what a profile of ballots gives."""
    TABLE.add(
        f"game_theory.{name}",
        f"pref_voting.{function}",
        lambda ballots: compute(Profile(ballots)),
        draws=DRAWS,
        prepare=shuffle,
    )


def list_scores(scores: dict[int, float]) -> list[int]:
    """Return the scores in the order of the candidates."""
    return [int(scores[each]) for each in sorted(scores)]


def name_one(candidate: int | None) -> int:
    """Return a candidate, or -1 for nobody."""
    return -1 if candidate is None else int(candidate)


def list_all(winners: list[Any]) -> list[int]:
    """Return the winners in order."""
    return sorted(int(each) for each in winners)


def rank_by_kemeny(profile: Profile) -> list[int]:
    """Return the ranking of least disagreement, where there is only one."""
    (ranking,), _ = kemeny_young_rankings(profile)
    return [int(each) for each in ranking]


add("kemeny_ranking", "other_methods.kemeny_young_rankings", rank_by_kemeny)
add("borda_scores", "profiles.Profile.borda_scores", lambda each: list_scores(each.borda_scores()))
add("condorcet_winner", "profiles.Profile.condorcet_winner", lambda each: name_one(each.condorcet_winner()))
add("condorcet_loser", "profiles.Profile.condorcet_loser", lambda each: name_one(each.condorcet_loser()))
add("plurality_scores", "profiles.Profile.plurality_scores", lambda each: list_scores(each.plurality_scores()))
add("copeland_scores", "profiles.Profile.copeland_scores", lambda each: list_scores(each.copeland_scores()))
add(
    "pairwise_margins",
    "profiles.Profile.margin_matrix",
    lambda each: [[int(each.margin(a, b)) for b in each.candidates] for a in each.candidates],
)
for _name, _module, _function in (
    ("instant_runoff_winners", "iterative_methods", "instant_runoff"),
    ("two_round_winners", "iterative_methods", "plurality_with_runoff_put"),
    ("coombs_winners", "iterative_methods", "coombs"),
    ("baldwin_winners", "iterative_methods", "baldwin"),
    ("nanson_winners", "iterative_methods", "strict_nanson"),
    ("bucklin_winners", "other_methods", "bucklin"),
    ("minimax_winners", "margin_based_methods", "minimax"),
    ("smith_set", "c1_methods", "top_cycle"),
    ("uncovered_set", "c1_methods", "uc_gill"),
):
    add(_name, f"{_module}.{_function}", lambda each, find=getattr(methods, _function): list_all(find(each)))
