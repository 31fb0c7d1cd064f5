"""Laws of other fields that are distributions, programs and tests of SciPy under another name."""

# fmt: off
from __future__ import annotations

from typing import Any

import numpy as np
import scipy
from oracle import OracleTable
from scipy import interpolate, linalg, optimize, special, stats

TABLE = OracleTable("scipy", scipy.__version__)


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(capability, f"scipy.{function}", compute, **{"within": 1e-10, **more})


# Saturation after Hill is the log-logistic distribution; hazards that are proportional raise a survival to a power.
HILL = {"half_concentration": (0.2, 9), "ligand": (0.2, 9), "concentration": (0.2, 9), "hill_coefficient": (0.5, 4), "maximum_effect": (1, 90)}
_add("biochemistry.hill_saturation", "stats.fisk.cdf", lambda half_concentration, ligand, hill_coefficient: stats.fisk.cdf(ligand, hill_coefficient, scale=half_concentration), draws=HILL, asked="the half concentration as scale")
_add("pharmacokinetics.hill_effect", "stats.fisk.cdf", lambda maximum_effect, half_concentration, concentration, hill_coefficient: maximum_effect * stats.fisk.cdf(concentration, hill_coefficient, scale=half_concentration), draws=HILL, asked="the half concentration as scale, times the greatest effect")
_add("survival.proportional_hazards_survival", "stats.powernorm.sf", lambda baseline, hazard_ratio: stats.powernorm.sf(stats.norm.isf(baseline), hazard_ratio), draws={"baseline": (0.05, 0.95), "hazard_ratio": (0.2, 5)}, asked="where the normal distribution has the survival")

# Tokens that fall to experts at random
ROUTER = {"tokens": (5, 60), "experts": (2, 16), "capacity": (1, 9), "top": (1, 6), "loads": (0.5, 40)}
_add("moe_routing.random_overflow_probability", "stats.binom.sf", lambda tokens, experts, capacity: stats.binom.sf(capacity, tokens, 1 / experts), draws=ROUTER, asked="at one over the experts", near_zero=1e-15)
_add("moe_routing.random_idle_experts", "stats.binom.pmf", lambda tokens, experts: experts * stats.binom.pmf(0, tokens, 1 / experts), draws=ROUTER, asked="at 0, times the experts")
_add("moe_routing.expert_combinations", "special.comb", lambda experts, top: special.comb(experts, top, exact=True), draws=ROUTER | {"experts": (6, 60)}, asked="exact")
_add("moe_routing.load_coefficient_of_variation", "stats.variation", stats.variation, draws=ROUTER)
_add("moe_routing.importance_loss", "stats.variation", lambda gates, scale: scale * stats.variation(np.sum(gates, axis=0)) ** 2, draws={"gates": (0.01, 0.9), "scale": (0.01, 2)}, asked="of the sums, squared, times the scale")
_add("moe_routing.effective_experts", "stats.entropy", lambda loads: np.exp(stats.entropy(loads)), draws=ROUTER, asked="as a power of e")

# Programs and matrices
def _balance(drawn: dict[str, Any]) -> dict[str, Any]:
    """Costs that bound the program, and a right-hand side that something reaches."""
    matrix = np.array(drawn["matrix"])
    return drawn | {"cost": [abs(cost) + 0.5 for cost in drawn["cost"]], "right": (np.round(matrix @ np.arange(1, matrix.shape[1] + 1), 6)).tolist()}


def _program(cost: list[float], matrix: list[list[float]], right: list[float]) -> dict[str, Any]:
    found = optimize.linprog(cost, A_eq=matrix, b_eq=right, method="highs")
    return {"value": found.fun, "solution": found.x}


def _fill(values: list[float], weights: list[int], capacity: int) -> float:
    rows = optimize.LinearConstraint(np.array([weights]), ub=capacity)
    return -optimize.milp(-np.array(values), constraints=rows, integrality=np.ones(len(values)), options={"mip_rel_gap": 0}).fun


def _least(coefficients: list[float], low: float, high: float) -> dict[str, float]:
    curve = interpolate.PPoly(np.array(coefficients[::-1])[:, None], [low, high])
    best = min([low, high, *curve.derivative().roots(extrapolate=False)], key=curve)
    return {"value": float(curve(best)), "argument": float(best)}


def _bend(drawn: dict[str, Any]) -> dict[str, Any]:
    """A matrix that is positive definite, and a vector."""
    size = len(drawn["linear"])
    matrix = np.array(drawn["quadratic"]).reshape(-1)[: size * size].reshape(size, size)
    return drawn | {"quadratic": np.round(matrix @ matrix.T + np.eye(size), 6).tolist()}


def _settle(quadratic: list[list[float]], linear: list[float]) -> dict[str, Any]:
    matrix, slope = np.array(quadratic), np.array(linear)
    found = optimize.minimize(lambda x: x @ matrix @ x / 2 + slope @ x, np.zeros(len(linear)), jac=lambda x: matrix @ x + slope, hess=lambda _: matrix, method="trust-exact", options={"gtol": 1e-12})
    return {"value": found.fun, "solution": found.x}


def _reflect(vector: list[float]) -> dict[str, Any]:
    beta, rest, _ = linalg.lapack.dlarfg(len(vector), vector[0], np.array(vector[1:]))
    whole = np.array([1.0, *rest])
    return {"vector": np.copysign(whole / linalg.norm(whole), whole * vector[0]), "value": beta}


def _turn(a: float, b: float) -> dict[str, float]:
    cosine, sine, length = linalg.lapack.dlartg(a, b)
    return {"cosine": cosine, "sine": sine, "length": length}


_add("optimization.linear_program_equality", "optimize.linprog", _program, prepare=_balance, draws={"m": (2, 2), "n": (3, 5), "matrix": (0.2, 9), "cost": (0, 9)}, within=1e-8, near_zero=1e-9, asked="highs, equalities")
_add("optimization.knapsack_unbounded", "optimize.milp", _fill, draws={"values": (1, 40), "weights": (2, 15), "capacity": (5, 60), "n": (2, 6)}, within=1e-9, asked="whole numbers")
_add("optimization.polynomial_minimum", "interpolate.PPoly.roots", _least, draws={"coefficients": (-3, 3), "n": (3, 6), "low": [0.0], "high": (0.5, 3)}, within=1e-8, near_zero=1e-9, asked="least of the ends and the roots of the derivative")
_add("optimization.quadratic_minimum", "optimize.minimize", _settle, prepare=_bend, draws={"n": (2, 4), "linear": (-5, 5), "quadratic": (-3, 3)}, within=1e-8, near_zero=1e-9, asked="trust-exact")
_add("linalg.householder_vector", "linalg.lapack.dlarfg", _reflect, draws={"vector": (-5, 5), "n": (2, 5)}, near_zero=1e-13, asked="to unit length, with the sign of the first component")
_add("linalg.givens_rotation", "linalg.lapack.dlartg", _turn, draws={"a": (0.1, 9), "b": (-9, 9)}, near_zero=1e-13)

# Tests and tables
def _square(rows: int, chi2: float, size: int) -> Any:
    """A square table with one number on the diagonal and one beside it, which has this chi-square statistic."""
    strength = np.sqrt(chi2 / (size * (rows - 1)))
    beside = size / rows**2 * (1 - strength)
    return np.round(np.full((rows, rows), beside) + np.eye(rows) * size / rows * strength).astype(int)


def _tabulate(drawn: dict[str, Any]) -> dict[str, Any]:
    rows = drawn.get("rows", 2)
    table = np.full((rows, rows), 3 + drawn["size"] % 11) + np.eye(rows, dtype=int) * (1 + int(drawn["chi2"] * 10) % 40)
    statistic = stats.chi2_contingency(table, correction=False).statistic
    return drawn | {"chi2": float(statistic), "size": int(table.sum())} | ({"columns": rows} if "rows" in drawn else {})


def _associate(chi2: float, size: int, rows: int = 2, columns: int = 2, *, method: str) -> float:
    return stats.contingency.association(_square(min(rows, columns), chi2, size), method=method)


SQUARE = {"rows": (2, 5), "chi2": (1, 9), "size": (1, 99)}
_add("hypothesis.cramers_v", "stats.contingency.association", lambda chi2, size, rows, columns: _associate(chi2, size, rows, columns, method="cramer"), prepare=_tabulate, draws=SQUARE, asked="cramer, of a table with this statistic")
_add("hypothesis.contingency_coefficient", "stats.contingency.association", lambda chi2, size: _associate(chi2, size, method="pearson"), prepare=_tabulate, draws=SQUARE, asked="pearson, of a table with this statistic")
