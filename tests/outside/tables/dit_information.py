"""Entropies and divergences of dit."""

# fmt: off
from __future__ import annotations

import math
from typing import Any

import dit
import numpy as np
from dit.divergences import pmf as divergences
from oracle import OracleTable

TABLE = OracleTable("dit", dit.__version__)


def _draw(drawn: dict[str, Any]) -> dict[str, Any]:
    """Make weights positive and probabilities of them."""
    return drawn | {name: _share(drawn[name]) for name in ("p", "q") if name in drawn}


def _share(values: list[float]) -> list[float]:
    parts = [0.1 + abs(each) for each in values]
    shares = [round(each / sum(parts), 4) for each in parts]
    return [*shares[:-1], round(1 - sum(shares[:-1]), 4)]


def _distribution(p: Any) -> Any:
    return dit.Distribution([str(at) for at in range(len(p))], list(p))


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(f"information_theory.{capability}", f"dit.{function}", compute, **{"within": 1e-9, "near_zero": 1e-13, "prepare": _draw, "draws": {"n": (2, 5), "base": [2.0, 2.0, 2.0], "order": [0.5, 2.0, 3.0, 0.3], "alpha": (-0.9, 0.9)}, **more})


_add("renyi_entropy", "other.renyi_entropy", lambda p, order, base: dit.other.renyi_entropy(_distribution(p), order))
_add("min_entropy", "other.renyi_entropy", lambda p, base: dit.other.renyi_entropy(_distribution(p), math.inf), asked="order infinity")
_add("tsallis_entropy", "other.tsallis_entropy", lambda p, order: dit.other.tsallis_entropy(_distribution(p), order))
_add("perplexity", "other.perplexity", lambda p: dit.other.perplexity(_distribution(p)))
_add("hill_number", "other.renyi_entropy", lambda p, order: 2 ** dit.other.renyi_entropy(_distribution(p), order), asked="2 to it")
_add("cross_entropy", "divergences.pmf.cross_entropy", lambda p, q, base: divergences.cross_entropy(np.array(p), np.array(q)))
_add("jeffreys_divergence", "divergences.pmf.relative_entropy", lambda p, q: math.log(2) * (divergences.relative_entropy(np.array(p), np.array(q)) + divergences.relative_entropy(np.array(q), np.array(p))), asked="both ways, times ln 2")
_add("renyi_divergence", "divergences.renyi_divergence", lambda p, q, order: math.log(2) * dit.divergences.renyi_divergence(_distribution(p), _distribution(q), order), asked="times ln 2")
_add("alpha_divergence", "divergences.alpha_divergence", lambda p, q, alpha: dit.divergences.alpha_divergence(_distribution(p), _distribution(q), alpha))
_add("bhattacharyya_coefficient", "divergences.pmf.bhattacharyya_coefficient", lambda p, q: divergences.bhattacharyya_coefficient(np.array(p), np.array(q)))
_add("bhattacharyya_distance", "divergences.pmf.bhattacharyya_coefficient", lambda p, q: -math.log(divergences.bhattacharyya_coefficient(np.array(p), np.array(q))), asked="less its logarithm")
_add("hellinger_distance", "divergences.pmf.hellinger_distance", lambda p, q: divergences.hellinger_distance(np.array(p), np.array(q)))
_add("total_variation_distance", "divergences.pmf.variational_distance", lambda p, q: divergences.variational_distance(np.array(p), np.array(q)))
_add("chi_square_divergence", "divergences.f_divergence", lambda p, q: dit.divergences.f_divergence(_distribution(p), _distribution(q), lambda t: (t - 1) ** 2), asked="of (t - 1)^2")
_add("triangular_discrimination", "divergences.f_divergence", lambda p, q: dit.divergences.f_divergence(_distribution(p), _distribution(q), lambda t: (t - 1) ** 2 / (t + 1)), asked="of (t - 1)^2 / (t + 1)")


def _join(joint: Any) -> Any:
    cells = [(f"{i}{j}", each) for i, row in enumerate(joint) for j, each in enumerate(row)]
    total = sum(each for _, each in cells)
    return dit.Distribution([name for name, _ in cells], [each / total for _, each in cells])


JOINT = {"prepare": None, "draws": {"joint": (0.2, 4), "r": (2, 3), "c": (2, 3), "base": [2.0, 2.0, 2.0]}}
_add("joint_entropy", "shannon.entropy", lambda joint, base: dit.shannon.entropy(_join(joint)), **JOINT)
_add("conditional_entropy", "shannon.conditional_entropy", lambda joint, base: dit.shannon.conditional_entropy(_join(joint), [1], [0]), **JOINT)
_add("mutual_information", "shannon.mutual_information", lambda joint, base: dit.shannon.mutual_information(_join(joint), [0], [1]), **JOINT)
_add("uncertainty_coefficient", "shannon.mutual_information", lambda joint: dit.shannon.mutual_information(_join(joint), [0], [1]) / dit.shannon.entropy(_join(joint), [1]), asked="over dit.shannon.entropy", **JOINT)
TABLE.add("portfolio.effective_number_of_bets", "dit.other.perplexity", lambda weights: dit.other.perplexity(_distribution(weights)), prepare=lambda drawn: {"weights": _share(drawn["weights"])}, within=1e-9)
