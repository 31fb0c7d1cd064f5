"""Item response theory by catsim."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version

import numpy as np
from catsim import irt
from oracle import OracleTable

TABLE = OracleTable("catsim", version("catsim"))
ITEM = {
    "ability": [-3.0, 3.0],
    "difficulty": [-3.0, 3.0],
    "discrimination": [0.3, 2.5],
    "guessing": [0.0, 0.35],
    "ceiling": [0.8, 1.0],
}
TEST = {
    "n": [3, 8],
    "ability": [-3.0, 3.0],
    "difficulties": [-3.0, 3.0],
    "discriminations": [0.3, 2.5],
    "guessings": [0.0, 0.35],
}


def make_items(
    difficulties: Sequence[float], discriminations: Sequence[float], guessings: Sequence[float]
) -> np.ndarray:
    """Make the table of items without a ceiling."""
    return np.column_stack([discriminations, difficulties, guessings, np.ones(len(difficulties))])


TABLE.add(
    "psychometrics.three_parameter_probability",
    "catsim.irt.icc",
    lambda ability, difficulty, discrimination, guessing: irt.icc(ability, discrimination, difficulty, guessing),
    draws=ITEM,
)
TABLE.add(
    "psychometrics.item_information",
    "catsim.irt.inf",
    lambda ability, difficulty, discrimination: irt.inf(ability, discrimination, difficulty),
    draws=ITEM,
    within=1e-11,
)
TABLE.add(
    "psychometrics.four_parameter_probability",
    "catsim.irt.icc",
    lambda ability, difficulty, discrimination, guessing, ceiling: irt.icc(
        ability, discrimination, difficulty, guessing, ceiling
    ),
    draws=ITEM,
)
TABLE.add(
    "psychometrics.four_parameter_information",
    "catsim.irt.inf",
    lambda ability, difficulty, discrimination, guessing, ceiling: irt.inf(
        ability, discrimination, difficulty, guessing, ceiling
    ),
    draws=ITEM,
    within=1e-8,  # far above an item, its ceiling less the chance cancels
)
TABLE.add(
    "psychometrics.most_informative_ability",
    "catsim.irt.max_info",
    lambda difficulty, discrimination, guessing: irt.max_info(discrimination, difficulty, guessing),
    draws=ITEM,
    within=1e-11,
)
TABLE.add(
    "psychometrics.test_information",
    "catsim.irt.test_info",
    lambda ability, *items: irt.test_info(ability, make_items(*items)),
    draws=TEST,
    within=1e-11,
)
TABLE.add(
    "psychometrics.ability_standard_error",
    "catsim.irt.see",
    lambda ability, *items: irt.see(ability, make_items(*items)),
    draws=TEST,
    within=1e-11,
)
TABLE.add(
    "psychometrics.response_log_likelihood",
    "catsim.irt.log_likelihood",
    lambda ability, answers, *items: irt.log_likelihood(ability, [each == 1 for each in answers], make_items(*items)),
    draws=TEST,
    within=1e-11,
)
