"""Answers in several grades by GIRTH."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
from girth.synthetic.polytomous import _credit_func, _graded_func
from oracle import OracleTable

TABLE = OracleTable("girth", version("girth"))
DRAWS = {"ability": [-3.0, 3.0], "discrimination": [0.4, 2.5], "n": [2, 5]}


def grade(fill: Callable[..., Any], levels: Sequence[float], discrimination: float, ability: float) -> list[float]:
    """Return the chances of the grades."""
    found = np.zeros((len(levels) + 1, 1))
    fill(np.array(levels), discrimination, np.array([ability]), found)
    return [float(each) for each in found[:, 0]]


TABLE.add(
    "psychometrics.graded_response_probabilities",
    "girth.synthetic.polytomous._graded_func",
    lambda ability, discrimination, thresholds: grade(_graded_func, thresholds, discrimination, ability),
    draws={**DRAWS, "thresholds": [-2.5, 2.5]},
    prepare=lambda drawn: {**drawn, "thresholds": sorted(drawn["thresholds"])},
    within=1e-10,
)
TABLE.add(
    "psychometrics.partial_credit_probabilities",
    "girth.synthetic.polytomous._credit_func",
    lambda ability, discrimination, steps: grade(_credit_func, steps, discrimination, ability),
    draws={**DRAWS, "steps": [-2.5, 2.5]},
    within=1e-11,
)
