"""Distributions of vectors, counts of several kinds, shares, matrices and directions of SciPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy
from oracle import OracleTable
from scipy import stats

TABLE = OracleTable("scipy", scipy.__version__)


def _add(capability: str, function: str, compute: Callable[..., Any], **more: Any) -> None:
    TABLE.add(
        f"distributions.{capability}",
        f"scipy.stats.{function}",
        compute,
        **{"within": 1e-10, "near_zero": 1e-13, "draws": {"n": (2, 4)}, **more},
    )


def _definite(*names: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Make the drawn matrices symmetric and positive definite, in few digits."""

    def prepare(drawn: dict[str, Any]) -> dict[str, Any]:
        made = {name: np.array(drawn[name]) for name in names}
        return drawn | {
            name: np.round(each @ each.T / 8 + np.eye(len(each)), 6).tolist() for name, each in made.items()
        }

    return prepare


for _name, _scipy, _matrix in [
    ("multivariate_normal_log_pdf", "multivariate_normal.logpdf", "covariance"),
    ("multivariate_normal_pdf", "multivariate_normal.pdf", "covariance"),
    ("multivariate_t_log_pdf", "multivariate_t.logpdf", "shape"),
    ("multivariate_t_pdf", "multivariate_t.pdf", "shape"),
]:
    _of, _method = _scipy.split(".")
    _add(
        _name,
        _scipy,
        lambda *given, _call=getattr(getattr(stats, _of), _method): _call(*given),
        draws={"n": (2, 4), "x": (-3, 3), "mean": (-3, 3), "location": (-3, 3), _matrix: (-3, 3), "df": (0.5, 20)},
        prepare=_definite(_matrix),
    )
_add(
    "multivariate_normal_entropy",
    "multivariate_normal.entropy",
    lambda covariance: stats.multivariate_normal.entropy(np.zeros(len(covariance)), covariance),
    draws={"n": (2, 4), "covariance": (-3, 3)},
    prepare=_definite("covariance"),
)

COUNTS = {"n": (2, 5), "counts": (0, 9), "weights": (0.1, 2), "concentrations": (0.2, 6), "trials": (1, 40)}


def _shares_of(weights: list[float]) -> Any:
    return np.array(weights) / sum(weights)


_add(
    "multinomial_log_pmf",
    "multinomial.logpmf",
    lambda counts, weights: stats.multinomial.logpmf(counts, sum(counts), _shares_of(weights)),
    draws=COUNTS,
)
_add(
    "multinomial_pmf",
    "multinomial.pmf",
    lambda counts, weights: stats.multinomial.pmf(counts, sum(counts), _shares_of(weights)),
    draws=COUNTS,
)
_add(
    "multinomial_covariance",
    "multinomial.cov",
    lambda trials, weights: stats.multinomial.cov(trials, _shares_of(weights)),
    draws=COUNTS,
)
_add(
    "dirichlet_multinomial_log_pmf",
    "dirichlet_multinomial.logpmf",
    lambda counts, concentrations: stats.dirichlet_multinomial.logpmf(counts, concentrations, sum(counts)),
    draws=COUNTS,
)
_add(
    "dirichlet_multinomial_pmf",
    "dirichlet_multinomial.pmf",
    lambda counts, concentrations: stats.dirichlet_multinomial.pmf(counts, concentrations, sum(counts)),
    draws=COUNTS,
)
_add(
    "dirichlet_multinomial_covariance",
    "dirichlet_multinomial.cov",
    lambda trials, concentrations: stats.dirichlet_multinomial.cov(concentrations, trials),
    draws=COUNTS,
)

DRAWN = {"n": (2, 5), "drawn": (0, 4), "counts": (4, 12), "draws": (1, 7)}
_add(
    "multivariate_hypergeometric_log_pmf",
    "multivariate_hypergeom.logpmf",
    lambda drawn, counts: stats.multivariate_hypergeom.logpmf(drawn, counts, sum(drawn)),
    draws=DRAWN,
)
_add(
    "multivariate_hypergeometric_pmf",
    "multivariate_hypergeom.pmf",
    lambda drawn, counts: stats.multivariate_hypergeom.pmf(drawn, counts, sum(drawn)),
    draws=DRAWN,
)
_add(
    "multivariate_hypergeometric_covariance",
    "multivariate_hypergeom.cov",
    lambda draws, counts: stats.multivariate_hypergeom.cov(counts, draws),
    draws=DRAWN,
)


def _with_a_rest(drawn: dict[str, Any]) -> dict[str, Any]:
    """Make one share less than there are concentrations, with a sum below 1."""
    shares = np.array(drawn["concentrations"][:-1]) * drawn["shares"][0]
    return drawn | {"shares": np.round(shares / sum(drawn["concentrations"]), 6).tolist()}


for _method, _name in [("logpdf", "log_pdf"), ("pdf", "pdf")]:
    _add(
        f"dirichlet_{_name}",
        f"dirichlet.{_method}",
        lambda shares, concentrations, _call=getattr(stats.dirichlet, _method): _call(shares, concentrations),
        draws={"n": (2, 5), "m": (1, 1), "concentrations": (0.2, 6), "shares": (0.1, 0.9)},
        prepare=_with_a_rest,
    )
for _method, _name in [("mean", "mean"), ("var", "variance"), ("cov", "covariance"), ("entropy", "entropy")]:
    _add(
        f"dirichlet_{_name}",
        f"dirichlet.{_method}",
        getattr(stats.dirichlet, _method),
        draws={"n": (2, 5), "concentrations": (0.2, 6)},
    )

for _name, _scipy in [("wishart", stats.wishart), ("inverse_wishart", stats.invwishart)]:
    _add(
        f"{_name}_log_pdf",
        f"{_name.replace('inverse_', 'inv')}.logpdf",
        lambda matrix, scale, df, _call=_scipy.logpdf: _call(np.array(matrix), df, np.array(scale)),
        draws={"n": (2, 4), "matrix": (-3, 3), "scale": (-3, 3), "df": (4, 12)},
        prepare=_definite("matrix", "scale"),
    )
_add(
    "matrix_normal_log_pdf",
    "matrix_normal.logpdf",
    lambda *given: stats.matrix_normal.logpdf(*map(np.array, given)),
    draws={"n": (2, 3), "m": (2, 3), "row_covariance": (-3, 3), "column_covariance": (-3, 3)},
    prepare=_definite("row_covariance", "column_covariance"),
)


def _of_length_one(drawn: dict[str, Any]) -> dict[str, Any]:
    made = {name: np.array(drawn[name]) for name in ("direction", "mean_direction")}
    return drawn | {name: (each / np.linalg.norm(each)).tolist() for name, each in made.items()}


_add(
    "von_mises_fisher_log_pdf",
    "vonmises_fisher.logpdf",
    lambda direction, mean_direction, concentration: stats.vonmises_fisher.logpdf(
        direction, mean_direction, concentration
    ),
    draws={"n": (2, 4), "direction": (-1, 1), "mean_direction": (-1, 1), "concentration": (0.2, 20)},
    prepare=_of_length_one,
)

for _method, _name in [("pmf", "pmf"), ("cdf", "cdf"), ("sf", "sf")]:
    _add(
        f"poisson_binomial_{_name}",
        f"poisson_binom.{_method}",
        lambda k, probabilities, _call=getattr(stats.poisson_binom, _method): _call(k, probabilities),
        draws={"n": (4, 9), "k": (0, 4), "probabilities": (0.01, 0.99)},
    )
_add(
    "poisson_binomial_variance",
    "poisson_binom.var",
    lambda probabilities: stats.poisson_binom.var(probabilities),
    draws={"n": (2, 9), "probabilities": (0.01, 0.99)},
)
