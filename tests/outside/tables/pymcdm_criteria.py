"""Scores by several criteria, and weights of criteria, by pymcdm."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
from oracle import OracleTable
from pymcdm import methods, weights
from pymcdm.methods import partial  # noqa: F401  # which PROMETHEE II needs to be there
from pymcdm.normalizations import linear_normalization, vector_normalization

TABLE = OracleTable("pymcdm", version("pymcdm"))
DRAWS = {"m": [3, 6], "n": [2, 4], "outcomes": [1.0, 90.0], "weights": [1.0, 9.0]}


def mix_directions(drawn: dict[str, Any]) -> dict[str, Any]:
    """Make the first criterion a benefit and the last a cost, which some methods need."""
    return {**drawn, "more_is_better": [True, *drawn["more_is_better"][1:-1], False]}


def score(make: Callable[..., Any], setting: str = "") -> Callable[..., Any]:
    """Return what asks a method for its scores, with one setting more."""

    def ask(
        outcomes: Sequence[Sequence[float]], scale: Sequence[float], more_is_better: Sequence[bool], *more: float
    ) -> Any:
        method = make(**{setting: more[0]}) if setting else make()
        shares = np.array(scale) / sum(scale)
        return method(np.array(outcomes), shares, np.where(more_is_better, 1, -1))

    return ask


def compromise(
    outcomes: Sequence[Sequence[float]],
    scale: Sequence[float],
    more_is_better: Sequence[bool],
    weight_of_majority: float,
) -> dict[str, Any]:
    """Return the three lists of VIKOR."""
    method = methods.VIKOR(v=weight_of_majority)
    shares = np.array(scale) / sum(scale)
    *_, utility, regret, index = method._method(np.array(outcomes), shares, np.where(more_is_better, 1, -1))
    return {"compromise": index.tolist(), "group_utility": utility.tolist(), "regret": regret.tolist()}


def add(name: str, function: str, compute: Callable[..., Any], **more: Any) -> None:
    """Compare a method, with both benefits and costs."""
    TABLE.add(
        f"decision.{name}", f"pymcdm.methods.{function}", compute, prepare=mix_directions, near_zero=1e-13, **more
    )


add("topsis_scores", "TOPSIS", score(lambda: methods.TOPSIS(vector_normalization)), draws=DRAWS, within=1e-11)
add(
    "weighted_sum_scores",
    "WSM",
    score(lambda: methods.WSM(linear_normalization)),
    draws=DRAWS,
    asked="linear normalization",
)
add(
    "weighted_product_scores",
    "WPM",
    score(lambda: methods.WPM(linear_normalization)),
    draws=DRAWS,
    asked="linear normalization",
)
add("waspas_scores", "WASPAS", score(methods.WASPAS, "l"), draws=DRAWS)
add("vikor_scores", "VIKOR", compromise, draws=DRAWS)
add("promethee_net_flows", "PROMETHEE_II", score(lambda: methods.PROMETHEE_II("usual")), draws=DRAWS)
add("moora_scores", "MOORA", score(methods.MOORA), draws=DRAWS)
add("edas_scores", "EDAS", score(methods.EDAS), draws=DRAWS)
add("aras_scores", "ARAS", score(methods.ARAS), draws=DRAWS)
for _name, _weigh in (
    ("entropy", weights.entropy_weights),
    ("deviation", weights.standard_deviation_weights),
    ("critic", weights.critic_weights),
):
    TABLE.add(
        f"decision.{_name}_weights",
        f"pymcdm.weights.{_weigh.__name__}",
        lambda outcomes, weigh=_weigh: weigh(np.array(outcomes)),
        draws=DRAWS,
        within=1e-10,
    )
