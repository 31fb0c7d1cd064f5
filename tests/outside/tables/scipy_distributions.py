"""Distributions of SciPy: a family is named once, and all of its functions are compared.

The parameters are those of our families; SciPy's `loc` and `scale` are made from them. A value of the variable is
drawn as a quantile, so that it lies where there is some probability.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import scipy
from oracle import OracleTable
from scipy import stats

TABLE = OracleTable("scipy", scipy.__version__)
Shape = Callable[["_Parameters"], Mapping[str, Any]]
METHODS = {
    "pdf": "pdf", "pmf": "pmf", "log_pdf": "logpdf", "log_pmf": "logpmf", "cdf": "cdf", "sf": "sf",
    "log_cdf": "logcdf", "log_sf": "logsf", "quantile": "ppf", "upper_quantile": "isf", "mean": "mean",
    "variance": "var", "std": "std", "median": "median", "entropy": "entropy", "skewness": "stats", "kurtosis": "stats",
}  # fmt: skip
WITHIN = {"quantile": 1e-8, "upper_quantile": 1e-8, "median": 1e-9, "entropy": 1e-7, "skewness": 1e-7, "kurtosis": 1e-6}
USUAL = 1e-9
INTEGRATED = {  # moments for which SciPy integrates: within 1e-7
    *("half_generalized_normal_variance", "half_generalized_normal_std"),
    "reciprocal_inverse_gaussian_variance",
}


class _Parameters(dict[str, Any]):
    """Arguments by name; a location or scale that a moment does not depend on is that of the standard form."""

    def __missing__(self, name: str) -> float:
        return 0.0 if name in ("location", "center", "log_mean", "low") else 1.0


def _scaled(**shapes: str) -> Shape:
    """Make SciPy's arguments: location and scale of the same names, shapes by SciPy's names from ours."""
    return lambda p: {
        "loc": p["location"],
        "scale": p["scale"],
        **{theirs: p[ours] for theirs, ours in shapes.items()},
    }


def _shaped(**shapes: str) -> Shape:
    return lambda p: {theirs: p[ours] for theirs, ours in shapes.items()}


FAMILIES: Mapping[str, tuple[str, Shape]] = {
    "arcsine": ("arcsine", lambda p: {"loc": p["low"], "scale": p["high"] - p["low"]}),
    "asymmetric_laplace": ("laplace_asymmetric", _scaled(kappa="asymmetry")),
    "bernoulli": ("bernoulli", _shaped(p="probability")),
    "beta_binomial": ("betabinom", _shaped(n="trials", a="a", b="b")),
    "beta": ("beta", _shaped(a="a", b="b")),
    "beta_prime": ("betaprime", _shaped(a="a", b="b")),
    "binomial": ("binom", _shaped(n="trials", p="probability")),
    "birnbaum_saunders": ("fatiguelife", _scaled(c="shape")),
    "bradford": ("bradford", _shaped(c="shape")),
    "burr": ("burr12", _scaled(c="shape", d="exponent")),
    "cauchy": ("cauchy", _scaled()),
    "chi2": ("chi2", _shaped(df="df")),
    "chi": ("chi", _shaped(df="df")),
    "dagum": ("burr", _scaled(c="shape", d="exponent")),
    "discrete_laplace": ("dlaplace", _shaped(a="rate")),
    "discrete_uniform": ("randint", lambda p: {"low": p["low"], "high": p["high"] + 1}),
    "exponential": ("expon", lambda p: {"scale": 1 / p["rate"]}),
    "exponentially_modified_gaussian": (
        "exponnorm",
        lambda p: {"K": 1 / (p["scale"] * p["rate"]), "loc": p["location"], "scale": p["scale"]},
    ),
    "exponentiated_weibull": ("exponweib", _scaled(a="exponent", c="shape")),
    "f": ("f", _shaped(dfn="d1", dfd="d2")),
    "folded_normal": ("foldnorm", lambda p: {"c": abs(p["location"]) / p["scale"], "scale": p["scale"]}),
    "frechet": ("invweibull", _scaled(c="shape")),
    "gamma": ("gamma", _scaled(a="shape")),
    "generalized_gamma": ("gengamma", _scaled(a="shape", c="power")),
    "generalized_logistic": ("genlogistic", _scaled(c="shape")),
    "generalized_normal": ("gennorm", _scaled(beta="shape")),
    "geometric": ("geom", _shaped(p="probability")),
    "gev": ("genextreme", lambda p: {"c": -p["shape"], "loc": p["location"], "scale": p["scale"]}),
    "gompertz": ("gompertz", lambda p: {"c": p["shape"], "scale": 1 / p["rate"]}),
    "gpd": ("genpareto", _scaled(c="shape")),
    "gumbel": ("gumbel_r", _scaled()),
    "gumbel_min": ("gumbel_l", _scaled()),
    "half_cauchy": ("halfcauchy", _scaled()),
    "half_logistic": ("halflogistic", _scaled()),
    "half_normal": ("halfnorm", _scaled()),
    "hyperbolic_secant": ("hypsecant", lambda p: {"loc": p["location"], "scale": 2 * p["scale"] / math.pi}),
    "hypergeometric": ("hypergeom", _shaped(M="population", n="successes", N="draws")),
    "inverse_gamma": ("invgamma", _scaled(a="shape")),
    "inverse_gaussian": ("invgauss", lambda p: {"mu": p["mean"] / p["shape"], "scale": p["shape"]}),
    "irwin_hall": ("irwinhall", _shaped(n="terms")),
    "johnson_sb": ("johnsonsb", _scaled(a="skew", b="tail")),
    "johnson_su": ("johnsonsu", _scaled(a="skew", b="tail")),
    "laplace": ("laplace", _scaled()),
    "levy": ("levy", _scaled()),
    "log_logistic": ("fisk", _scaled(c="shape")),
    "log_uniform": ("loguniform", _shaped(a="low", b="high")),
    "logarithmic": ("logser", _shaped(p="theta")),
    "logistic": ("logistic", _scaled()),
    "lognormal": ("lognorm", lambda p: {"s": p["log_std"], "scale": math.exp(p["log_mean"])}),
    "lomax": ("lomax", _scaled(c="shape")),
    "maxwell": ("maxwell", _scaled()),
    "moyal": ("moyal", _scaled()),
    "nakagami": ("nakagami", lambda p: {"nu": p["shape"], "scale": math.sqrt(p["spread"])}),
    "negative_binomial": ("nbinom", _shaped(n="successes", p="probability")),
    "noncentral_chi2": ("ncx2", _shaped(df="df", nc="noncentrality")),
    "normal": ("norm", lambda p: {"loc": p["mean"], "scale": p["std"]}),
    "pareto": ("pareto", _scaled(b="shape")),
    "poisson": ("poisson", _shaped(mu="rate")),
    "power_function": ("powerlaw", _scaled(a="shape")),
    "raised_cosine": ("cosine", lambda p: {"loc": p["center"], "scale": p["radius"] / math.pi}),
    "rayleigh": ("rayleigh", _scaled()),
    "rice": ("rice", lambda p: {"b": p["distance"] / p["scale"], "scale": p["scale"]}),
    "semicircle": ("semicircular", lambda p: {"loc": p["center"], "scale": p["radius"]}),
    "skellam": ("skellam", _shaped(mu1="first", mu2="second")),
    "skew_normal": ("skewnorm", _scaled(a="shape")),
    "student_t": ("t", _shaped(df="df")),
    "triangular": (
        "triang",
        lambda p: {
            "c": (p["peak"] - p["low"]) / (p["high"] - p["low"]),
            "loc": p["low"],
            "scale": p["high"] - p["low"],
        },
    ),
    "truncated_normal": (
        "truncnorm",
        lambda p: {
            "a": (p["low"] - p["location"]) / p["scale"],
            "b": (p["high"] - p["location"]) / p["scale"],
            "loc": p["location"],
            "scale": p["scale"],
        },
    ),
    "uniform": ("uniform", lambda p: {"loc": p["low"], "scale": p["high"] - p["low"]}),
    "von_mises": ("vonmises", lambda p: {"kappa": p["concentration"], "loc": p["center"]}),
    "weibull": ("weibull_min", _scaled(c="shape")),
    "yule_simon": ("yulesimon", _shaped(alpha="shape")),
    "zeta": ("zipf", _shaped(a="exponent")),
    "zipf": ("zipfian", _shaped(a="exponent", n="size")),
    "alpha": ("alpha", _shaped(a="shape")),
    "argus": ("argus", lambda p: {"chi": p["curvature"], "scale": p["cutoff"]}),
    "beta_negative_binomial": ("betanbinom", _shaped(n="successes", a="a", b="b")),
    "crystal_ball": ("crystalball", _scaled(beta="turn", m="exponent")),
    "double_gamma": ("dgamma", _scaled(a="shape")),
    "double_weibull": ("dweibull", _scaled(c="shape")),
    "folded_cauchy": ("foldcauchy", lambda p: {"c": p["location"] / p["scale"], "scale": p["scale"]}),
    "generalized_inverse_gaussian": ("geninvgauss", _scaled(p="order", b="concentration")),
    "half_generalized_normal": ("halfgennorm", _scaled(beta="shape")),
    "log_gamma": ("loggamma", _scaled(c="shape")),
    "log_laplace": ("loglaplace", _scaled(c="shape")),
    "negative_hypergeometric": ("nhypergeom", _shaped(M="population", n="successes", r="failures")),
    "normal_inverse_gaussian": (
        "norminvgauss",
        lambda p: {
            "a": p["tail"] * p["scale"],
            "b": p["asymmetry"] * p["scale"],
            "loc": p["location"],
            "scale": p["scale"],
        },
    ),
    "pearson3": ("pearson3", lambda p: {"skew": p["skew"], "loc": p["average"], "scale": p["deviation"]}),
    "power_normal": ("powernorm", _scaled(c="shape")),
    "relativistic_breit_wigner": ("rel_breitwigner", lambda p: {"rho": p["mass"] / p["width"], "scale": p["width"]}),
    "trapezoidal": (
        "trapezoid",
        lambda p: {
            "c": (p["rise"] - p["low"]) / (p["high"] - p["low"]),
            "d": (p["fall"] - p["low"]) / (p["high"] - p["low"]),
            "loc": p["low"],
            "scale": p["high"] - p["low"],
        },
    ),
    "truncated_exponential": ("truncexpon", lambda p: {"b": p["high"] * p["rate"], "scale": 1 / p["rate"]}),
    "anglit": ("anglit", lambda p: {"loc": p["center"], "scale": p["scale"]}),
    "boltzmann": ("boltzmann", _shaped(lambda_="rate", N="size")),
    "exponential_power_lifetime": ("exponpow", _scaled(b="shape")),
    "generalized_half_logistic": ("genhalflogistic", _scaled(c="shape")),
    "jones_faddy_skew_t": ("jf_skew_t", _scaled(a="a", b="b")),
    "noncentral_f": ("ncf", _shaped(dfn="d1", dfd="d2", nc="noncentrality")),
    "noncentral_hypergeometric": (
        "nchypergeom_fisher",
        _shaped(M="population", n="successes", N="draws", odds="odds"),
    ),
    "noncentral_t": ("nct", _shaped(df="df", nc="noncentrality")),
    "power_lognormal": (
        "powerlognorm",
        lambda p: {"c": p["shape"], "s": p["log_std"], "scale": math.exp(p["log_mean"])},
    ),
    "r_distribution": ("rdist", lambda p: {"c": p["size"] - 2}),
    "reciprocal_inverse_gaussian": (
        "recipinvgauss",
        lambda p: {"mu": p["mean"] / p["shape"], "scale": 1 / p["shape"]},
    ),
    "reversed_weibull": ("weibull_max", _scaled(c="shape")),
    "skew_cauchy": ("skewcauchy", _scaled(a="skew")),
    "truncated_weibull": (
        "truncweibull_min",
        lambda p: {
            "c": p["shape"],
            "a": p["low"] / p["scale"],
            "b": p["high"] / p["scale"],
            "scale": p["scale"],
        },
    ),
    "wrapped_cauchy": ("wrapcauchy", _shaped(c="concentration")),
    "truncated_pareto": ("truncpareto", lambda p: {"b": p["shape"], "c": p["high"] / p["low"], "scale": p["low"]}),
}
DRAWS = {
    "trials": (1, 60), "population": (40, 80), "successes": (1, 30), "draws": (1, 30), "terms": (1, 12),
    "size": (2, 60),
    "probability": (0.05, 0.95), "theta": (0.05, 0.95), "p": (0.01, 0.99), "exponent": (1.2, 6), "shape": (0.3, 6),
    "a": (0.5, 6), "b": (0.5, 6), "df": (0.5, 30), "d1": (1, 20), "d2": (1, 20), "rate": (0.2, 5), "scale": (0.2, 5),
    "std": (0.2, 5), "radius": (0.5, 5), "concentration": (0.2, 8), "spread": (0.2, 5), "first": (0.5, 8),
    "second": (0.5, 8), "noncentrality": (0.2, 10), "distance": (0.2, 5), "log_std": (0.2, 1.5), "log_mean": (-1, 2),
    "asymmetry": (0.3, 3), "power": (0.5, 4), "tail": (0.5, 3), "skew": (-2, 2), "mean": (0.2, 5),
}  # fmt: skip
OF_FAMILY: Mapping[str, Mapping[str, tuple[float, ...]]] = {
    "alpha": {"shape": (0.5, 5)},
    "argus": {"cutoff": (1, 6), "curvature": (0.3, 4)},
    "beta_negative_binomial": {"a": (4.5, 9)},
    "crystal_ball": {"turn": (0.5, 3), "exponent": (1.5, 5)},
    "folded_cauchy": {"location": (0.1, 4)},
    "generalized_inverse_gaussian": {"order": (-4, 4)},
    "log_laplace": {"shape": (2.2, 6)},
    "negative_hypergeometric": {"successes": (5, 20), "failures": (1, 15)},
    "normal_inverse_gaussian": {"tail": (1.5, 5), "asymmetry": (-1.2, 1.2)},
    "pearson3": {"average": (-5, 5), "deviation": (0.5, 5), "skew": (-2, 2)},
    "relativistic_breit_wigner": {"mass": (1, 90), "width": (0.5, 4)},
    "trapezoidal": {"low": (-5, -3), "rise": (-2, 0), "fall": (0.5, 2), "high": (3, 6)},
    "truncated_exponential": {"high": (1, 6)},
    "truncated_pareto": {"low": (0.5, 2), "high": (4, 20), "shape": (0.4, 0.9)},
    "gev": {"shape": (-0.4, 0.2)},
    "gpd": {"shape": (-0.4, 0.2)},
    "jones_faddy_skew_t": {"a": (0.8, 5), "b": (0.8, 5)},
    "noncentral_f": {"d2": (5, 40)},
    "noncentral_hypergeometric": {"odds": (0.3, 4)},
    "noncentral_t": {"df": (3, 40), "noncentrality": (-3, 4)},
    "r_distribution": {"size": (4.5, 60)},
    "skew_cauchy": {"skew": (-0.8, 0.8)},
    "skew_normal": {"shape": (-5, 5)},
    "truncated_weibull": {"low": (0.1, 0.8), "high": (1, 6), "scale": (0.8, 4)},
    "wrapped_cauchy": {"concentration": (0.1, 0.9)},
    "zeta": {"exponent": (5.2, 8)},
    "normal": {"mean": (-5, 5)},
    # No probability that is a multiple of 1 / n: the double 0.55 is above 11/20, so the quantile of 20 values is
    # exactly the twelfth, where SciPy, whose probabilities are rounded, has the eleventh.
    "discrete_uniform": {"low": (-10, 5), "high": (6, 20), "p": (0.0131, 0.137, 0.293, 0.471, 0.613, 0.787, 0.977)},
    "arcsine": {"low": (-5, 0), "high": (1, 5)},
    "uniform": {"low": (-5, 0), "high": (1, 5)},
    "log_uniform": {"low": (0.1, 1), "high": (2, 9)},
    "triangular": {"low": (-5, -1), "peak": (-1, 1), "high": (1, 5)},
    "truncated_normal": {"low": (-3, 0), "high": (1, 4), "location": (-2, 2)},
}


def _add(family: str, name: str, shape: Shape) -> None:
    distribution = getattr(stats, name)
    is_discrete = hasattr(distribution, "pmf")
    variable = "k" if is_discrete else "x"
    draws = dict(DRAWS)
    draws |= OF_FAMILY.get(family, {})

    def prepare(drawn: dict[str, Any]) -> dict[str, Any]:
        if variable not in drawn:
            return drawn
        quantile = float(distribution.ppf(0.02 + 0.96 * drawn[variable], **shape(_Parameters(drawn))))
        if not math.isfinite(quantile):
            return drawn
        return drawn | {variable: int(quantile) if is_discrete else float(f"{quantile:.4g}")}

    for ours, theirs in METHODS.items():

        def compute(_ours: str = ours, _theirs: str = theirs, **drawn: Any) -> Any:
            given = _Parameters(drawn)
            if _theirs == "stats":
                return distribution.stats(**shape(given), moments=_ours[0])
            of = "p" if "quantile" in _ours else variable
            first = [given.pop(of)] if of in given else []
            value = getattr(distribution, _theirs)(*first, **shape(given))
            return int(value) if is_discrete and "quantile" in _ours else value

        TABLE.add(
            f"distributions.{family}_{ours}",
            f"scipy.stats.{name}.{theirs}",
            compute,
            within=1e-7 if f"{family}_{ours}" in INTEGRATED else WITHIN.get(ours, USUAL),
            near_zero=1e-14,
            draws={**draws, variable: (0, 1) if not is_discrete else (0.0, 1.0)},
            prepare=prepare,
            group=family,
            may_miss=True,
        )


for _family, (_name, _shape) in FAMILIES.items():
    _add(_family, _name, _shape)
