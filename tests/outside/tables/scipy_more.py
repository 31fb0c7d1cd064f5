"""Tests, moments, losses, signals, initial value problems and geometry of SciPy."""

# fmt: off
from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import scipy
from oracle import OracleTable
from scipy import integrate, linalg, optimize, signal, special, stats
from scipy.spatial import distance
from scipy.spatial.transform import Rotation

TABLE = OracleTable("scipy", scipy.__version__)


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(capability, f"scipy.{function}", compute, **{"within": 1e-9, "near_zero": 1e-13, **more})


def _name(names: str, *values: Any) -> dict[str, Any]:
    return dict(zip(names.split(), values, strict=True))


# Modes: where a density is largest
def _add_mode(name: str, distribution: Any, parameters: Any, **draws: Any) -> None:
    def compute(**given: float) -> float:
        frozen = distribution(*(part for part in parameters(**given)[0]), **parameters(**given)[1])
        low, high = frozen.ppf(1e-6), frozen.ppf(1 - 1e-6)
        grid = np.linspace(low, high, 4001)
        best = int(np.argmax(frozen.pdf(grid)))
        ends = grid[max(best - 1, 0)], grid[min(best + 1, 4000)]
        return float(optimize.minimize_scalar(lambda x: -frozen.logpdf(x), bounds=ends, method="bounded", options={"xatol": 1e-12}).x)

    _add(f"distributions.{name}_mode", "optimize.minimize_scalar", compute, within=1e-6, near_zero=1e-8, draws=draws, asked=f"of -scipy.stats.{distribution.name}.logpdf")


_add_mode("weibull", stats.weibull_min, lambda shape, scale: ([shape], {"scale": scale}), shape=(1.3, 6))
_add_mode("frechet", stats.invweibull, lambda shape, scale: ([shape], {"scale": scale}), shape=(1, 6))
_add_mode("gev", stats.genextreme, lambda location, scale, shape: ([-shape], {"loc": location, "scale": scale}), shape=(-0.4, 0.4))
_add_mode("gompertz", stats.gompertz, lambda shape, rate: ([shape], {"scale": 1 / rate}), shape=(0.05, 0.8), rate=(0.5, 3))
_add_mode("log_logistic", stats.fisk, lambda shape, scale: ([shape], {"scale": scale}), shape=(1.5, 6))
_add_mode("burr", stats.burr12, lambda shape, exponent, scale: ([shape, exponent], {"scale": scale}), shape=(1.5, 6), exponent=(0.8, 4))
_add_mode("dagum", stats.burr, lambda shape, exponent, scale: ([shape, exponent], {"scale": scale}), shape=(1.5, 6), exponent=(0.9, 4))
_add_mode("lognormal", stats.lognorm, lambda log_mean, log_std: ([log_std], {"scale": math.exp(log_mean)}), log_mean=(-1, 2), log_std=(0.2, 1.2))
_add_mode("inverse_gaussian", stats.invgauss, lambda mean, shape: ([mean / shape], {"scale": shape}), mean=(0.3, 5), shape=(0.5, 6))
_add_mode("chi2", stats.chi2, lambda df: ([df], {}), df=(3, 20))
_add_mode("f", stats.f, lambda d1, d2: ([d1, d2], {}), d1=(3, 20), d2=(4, 30))
_add_mode("gamma", stats.gamma, lambda shape, scale: ([shape], {"scale": scale}), shape=(1.3, 8))
_add_mode("inverse_gamma", stats.invgamma, lambda shape, scale: ([shape], {"scale": scale}), shape=(1.3, 8))
_add_mode("chi", stats.chi, lambda df: ([df], {}), df=(1.5, 15))
_add_mode("maxwell", stats.maxwell, lambda scale: ([], {"scale": scale}))
_add_mode("nakagami", stats.nakagami, lambda shape, spread: ([shape], {"scale": math.sqrt(spread)}), shape=(0.8, 6))
_add_mode("levy", stats.levy, lambda location, scale: ([], {"loc": location, "scale": scale}))
_add_mode("beta_prime", stats.betaprime, lambda a, b: ([a, b], {}), a=(1.3, 6), b=(1, 6))
_add_mode("generalized_logistic", stats.genlogistic, lambda location, scale, shape: ([shape], {"loc": location, "scale": scale}), shape=(0.5, 5))
_add_mode("beta", stats.beta, lambda a, b: ([a, b], {}), a=(1.3, 6), b=(1.3, 6))

# Tests and effect sizes
TAILED = {"n": (5, 9), "m": (5, 9)}


def _test(found: Any) -> dict[str, Any]:
    return {"statistic": found.statistic, "pvalue": found.pvalue}


def _groups(values: Any, groups: Any) -> list[Any]:
    return [[value for value, group in zip(values, groups, strict=True) if group == one] for one in sorted(set(groups))]


_add(
    "hypothesis.g_test_goodness_of_fit",
    "stats.power_divergence",
    lambda observed, shares: (lambda expected: _test(stats.power_divergence(observed, expected, lambda_="log-likelihood")) | {"df": len(shares) - 1})(np.array(shares) / sum(shares) * sum(observed)),
    draws={"observed": (1, 30), "shares": (0.5, 4), "k": (3, 5)},
    prepare=lambda drawn: drawn | {"shares": _share(drawn["shares"])},
    asked="log-likelihood",
)
_add(
    "hypothesis.levene",
    "stats.levene",
    lambda values, groups, centre: _test(stats.levene(*_groups(values, groups), center=centre)) | {"df_between": len(set(groups)) - 1, "df_within": len(values) - len(set(groups))},
    draws={"n": (10, 14)},
    prepare=lambda drawn: drawn | {"groups": [at % 3 for at in range(len(drawn["values"]))]},
)
_add(
    "hypothesis.sign_test",
    "stats.binomtest",
    lambda values, median, alternative: (lambda above, size: {"statistic": above, "size": size, "pvalue": stats.binomtest(above, size, 0.5, alternative).pvalue})(sum(value > median for value in values), sum(value != median for value in values)),
    draws={"n": (6, 14), "median": (-1, 1)},
)
_add("hypothesis.common_language_effect_size", "stats.norm.cdf", lambda d: stats.norm.cdf(d, scale=math.sqrt(2)), asked="of scale sqrt(2)")
_add("hypothesis.wilcoxon_normal", "stats.wilcoxon", lambda values, alternative: {"pvalue": stats.wilcoxon(values, alternative=alternative, method="asymptotic", correction=False).pvalue}, draws={"n": (11, 20)})
_add("hypothesis.mann_whitney_normal", "stats.mannwhitneyu", lambda first, second, alternative: {"pvalue": stats.mannwhitneyu(first, second, use_continuity=False, alternative=alternative, method="asymptotic").pvalue}, draws=TAILED, asked="asymptotic")
_add(
    "hypothesis.permutation_test", "stats.permutation_test", lambda first, second, alternative: _test(stats.permutation_test((first, second), lambda x, y, axis=-1: np.mean(x, axis=axis) - np.mean(y, axis=axis), vectorized=True, n_resamples=np.inf, alternative=alternative)), draws={"n": (3, 5), "m": (3, 5)}, within=1e-9
)
_add("hypothesis.correlation_interval", "stats.norm.interval", lambda correlation, size, level: _name("low high", *np.tanh(stats.norm.interval(level, np.arctanh(correlation), 1 / math.sqrt(size - 3)))), draws={"size": (5, 90), "correlation": (-0.95, 0.95), "level": (0.8, 0.99)}, asked="of arctanh")
_add("hypothesis.next_observation_interval", "stats.t.interval", lambda mean, std, size, level: _name("low high", *stats.t.interval(level, size - 1, mean, std * math.sqrt(1 + 1 / size))), draws={"size": (3, 40), "mean": (-9, 9), "std": (0.5, 5), "level": (0.8, 0.99)})
_add("hypothesis.phi_coefficient", "stats.pearsonr", lambda a, b, c, d: stats.pearsonr([1] * (a + b) + [0] * (c + d), [1] * a + [0] * b + [1] * c + [0] * d).statistic, draws=dict.fromkeys("abcd", (1, 20)), asked="of the cases")


def _share(values: list[float]) -> list[float]:
    total = sum(values)
    shares = [round(value / total, 3) for value in values]
    return [*shares[:-1], round(1 - sum(shares[:-1]), 3)]


# Samples
_add("stats.root_mean_square", "stats.pmean", lambda values: stats.pmean(np.abs(values), 2), asked="power 2")
_add("stats.raw_moment", "stats.moment", lambda values, order: stats.moment(values, order, center=0), draws={"order": (1, 5)}, asked="center 0")
_add("stats.l_skewness", "stats.lmoment", lambda values: stats.lmoment(values, 3, standardize=True), draws={"n": (4, 9)}, asked="order 3, standardized")
_add("stats.l_kurtosis", "stats.lmoment", lambda values: stats.lmoment(values, 4, standardize=True), draws={"n": (5, 9)}, asked="order 4, standardized")
_add("stats.weighted_median", "stats.quantile", lambda values, weights: stats.quantile(values, 0.5, weights=weights, method="averaged_inverted_cdf"), draws={"weights": (0.5, 4), "n": (3, 8)}, asked="averaged_inverted_cdf")
_add("stats.index_of_dispersion", "stats.variation", lambda values: stats.variation(values, ddof=1) ** 2 * np.mean(values), asked="squared, times the mean", draws={"values": (1, 9)})
_add("stats.normal_scores", "stats.norm.ppf", lambda values: stats.norm.ppf((stats.rankdata(values) - 0.375) / (len(values) + 0.25)), asked="of scipy.stats.rankdata, less 3/8, over n + 1/4")
_add("stats.quartile_dispersion", "stats.iqr", lambda values, definition: stats.iqr(values, interpolation="linear") / sum(stats.quantile(values, [0.25, 0.75])), draws={"values": (1, 9), "definition": [7]}, asked="over the sum of scipy.stats.quantile")
_add("stats.quartile_skewness", "stats.quantile", lambda values, definition: (lambda low, middle, high: (high + low - 2 * middle) / (high - low))(*stats.quantile(values, [0.25, 0.5, 0.75])), draws={"definition": [7]}, asked="quartiles")
_add("stats.mean_difference", "stats.lmoment", lambda values: 2 * stats.lmoment(values, 2), draws={"n": (3, 9)}, asked="order 2, twice")
_add("ecology.shannon_diversity", "stats.entropy", lambda counts: stats.entropy(counts), draws={"counts": (1, 40)})

# Risks and losses: expectations over a distribution
_add("risk.normal_var", "stats.norm.ppf", lambda mean, deviation, confidence: -stats.norm.ppf(1 - confidence, mean, deviation), asked="less", draws={"mean": (-2, 5), "deviation": (0.5, 9), "confidence": (0.8, 0.995)})
_add(
    "risk.normal_expected_shortfall",
    "stats.norm.expect",
    lambda mean, deviation, confidence: -stats.norm(mean, deviation).expect(lambda x: x, ub=stats.norm.ppf(1 - confidence, mean, deviation), conditional=True),
    asked="below the quantile, less",
    draws={"mean": (-2, 5), "deviation": (0.5, 9), "confidence": (0.8, 0.995)},
    within=1e-7,
)
_add("risk.student_t_var", "stats.t.ppf", lambda mean, scale, freedom, confidence: -stats.t.ppf(1 - confidence, freedom, mean, scale), asked="less", draws={"mean": (-2, 5), "scale": (0.5, 9), "freedom": (2, 20), "confidence": (0.8, 0.995)})
_add(
    "risk.student_t_expected_shortfall",
    "stats.t.expect",
    lambda mean, scale, freedom, confidence: -stats.t.expect(lambda x: x, (freedom,), mean, scale, ub=stats.t.ppf(1 - confidence, freedom, mean, scale), conditional=True),
    asked="below the quantile, less",
    draws={"mean": (-2, 5), "scale": (0.5, 9), "freedom": (4, 20), "confidence": (0.8, 0.99)},
    within=1e-6,
)
_add("risk.lognormal_var", "stats.lognorm.ppf", lambda position, mean, deviation, confidence: position - stats.lognorm.ppf(1 - confidence, deviation, scale=position * math.exp(mean)), asked="from the position", draws={"position": (10, 900), "mean": (-0.1, 0.1), "deviation": (0.05, 0.5), "confidence": (0.8, 0.995)})
_add("risk.pareto_tail_var", "stats.genpareto.isf", lambda threshold, scale, shape, tail_part, confidence: stats.genpareto.isf((1 - confidence) / tail_part, shape, threshold, scale), draws={"threshold": (1, 9), "scale": (0.5, 4), "shape": (-0.3, 0.6), "tail_part": (0.06, 0.2), "confidence": (0.95, 0.995)})
_add(
    "risk.pareto_tail_expected_shortfall",
    "stats.genpareto.expect",
    lambda threshold, scale, shape, tail_part, confidence: stats.genpareto.expect(lambda x: x, (shape,), threshold, scale, lb=stats.genpareto.isf((1 - confidence) / tail_part, shape, threshold, scale), conditional=True),
    draws={"threshold": (1, 9), "scale": (0.5, 4), "shape": (0.05, 0.3), "tail_part": (0.06, 0.2), "confidence": (0.95, 0.99)},
    asked="beyond the quantile",
    within=1e-6,
)
LOSS = {"shape": (1.5, 6), "scale": (100, 900), "limit": (50, 2000), "attachment": (50, 900), "width": (50, 900), "mu": (2, 6), "sigma": (0.3, 1.2), "mean": (50, 200), "deviation": (5, 50), "retention": (50, 220)}
_add("insurance.pareto_limited_expected_value", "integrate.quad", lambda shape, scale, limit: integrate.quad(lambda x: stats.lomax.sf(x, shape, scale=scale), 0, limit, epsabs=0, epsrel=1e-12)[0], draws=LOSS, asked="of scipy.stats.lomax.sf")
_add("insurance.pareto_layer_premium", "integrate.quad", lambda shape, scale, attachment, width: integrate.quad(lambda x: stats.lomax.sf(x, shape, scale=scale), attachment, attachment + width, epsabs=0, epsrel=1e-12)[0], draws=LOSS, asked="of scipy.stats.lomax.sf")
_add("insurance.lognormal_limited_expected_value", "integrate.quad", lambda mu, sigma, limit: integrate.quad(lambda x: stats.lognorm.sf(x, sigma, scale=math.exp(mu)), 0, limit, epsabs=0, epsrel=1e-11, limit=400)[0], draws=LOSS, asked="of scipy.stats.lognorm.sf", within=1e-8)
_add(
    "insurance.normal_stop_loss",
    "integrate.quad",
    lambda mean, deviation, retention: integrate.quad(lambda x: stats.norm.sf(x, mean, deviation), retention, max(retention, mean) + 40 * deviation, points=[max(retention, mean)], epsabs=0, epsrel=1e-11, limit=400)[0],
    draws=LOSS,
    asked="of scipy.stats.norm.sf",
    within=1e-7,
    near_zero=1e-9,
)
_add(
    "insurance.exponential_premium_normal",
    "stats.norm.expect",
    lambda mean, deviation, risk_aversion: math.log(stats.norm(mean, deviation).expect(lambda x: np.exp(risk_aversion * x), lb=mean - 12 * deviation, ub=mean + 30 * deviation, epsabs=0)) / risk_aversion,
    draws={"mean": (1, 20), "deviation": (0.5, 3), "risk_aversion": (0.1, 0.6)},
    asked="logarithm of exp(risk_aversion x), over risk_aversion",
    within=1e-8,
)
_add(
    "metrics.crps_normal",
    "integrate.quad",
    lambda observed, mean, deviation: sum(integrate.quad(lambda x, side=side: (stats.norm.cdf(x, mean, deviation) - side) ** 2, *ends, epsabs=1e-13, epsrel=1e-11, limit=400)[0] for side, ends in ((0, (min(mean - 12 * deviation, observed), observed)), (1, (observed, max(mean + 12 * deviation, observed))))),
    draws={"observed": (-9, 9), "mean": (-5, 5), "deviation": (0.5, 4)},
    asked="of the squared difference of distributions",
    within=1e-8,
)
_add("ml.expected_improvement", "stats.norm.expect", lambda mean, deviation, best: stats.norm(mean, deviation).expect(lambda x: x - best, lb=best), draws={"mean": (-3, 3), "deviation": (0.5, 4), "best": (-3, 3)}, asked="of x - best beyond best", within=1e-7)
_add("reliability.weibull_b_life", "stats.weibull_min.ppf", lambda share, shape, scale: stats.weibull_min.ppf(share, shape, scale=scale))
_add("reliability.exponential_reliability", "stats.expon.sf", lambda failure_rate, time: stats.expon.sf(time, scale=1 / failure_rate), draws={"failure_rate": (0.01, 1), "time": (0.1, 20)})
_add("reliability.k_out_of_n_reliability", "stats.binom.sf", lambda parts, needed, reliability: stats.binom.sf(needed - 1, parts, reliability), draws={"parts": (4, 12), "needed": (1, 4)})
_add("reliability.standby_reliability", "stats.poisson.cdf", lambda failure_rate, time, spares: stats.poisson.cdf(spares, failure_rate * time), draws={"failure_rate": (0.01, 1), "time": (0.1, 20), "spares": (0, 6)})
_add("reliability.test_time_zero_failures", "stats.chi2.ppf", lambda mttf, confidence: mttf * stats.chi2.ppf(confidence, 2) / 2, asked="of 2 degrees, halved")
_add("survival.constant_rate_risk", "stats.expon.cdf", lambda rate, time: stats.expon.cdf(time, scale=1 / rate), draws={"rate": (0.01, 0.2), "time": (0.1, 20)})
_add("survival.weibull_survival", "stats.weibull_min.sf", lambda time, scale, shape: stats.weibull_min.sf(time, shape, scale=scale))
_add("survival.gompertz_survival", "stats.gompertz.sf", lambda time, hazard, growth: stats.gompertz.sf(time, hazard / growth, scale=1 / growth), draws={"time": (0.1, 20), "hazard": (0.01, 0.2), "growth": (0.02, 0.3)})
_add("coding_theory.block_failure_probability", "stats.binom.sf", lambda length, corrects, symbol_error: stats.binom.sf(corrects, length, symbol_error), draws={"length": (5, 60), "corrects": (0, 4), "symbol_error": (0.01, 0.3)})
_add("coding_theory.bpsk_bit_error", "stats.norm.sf", lambda ebn0: stats.norm.sf(math.sqrt(2 * ebn0)), asked="at sqrt(2 Eb/N0)", near_zero=0.0)
_add("experiments.power_binomial", "stats.binom.sf", lambda critical, trials, probability: stats.binom.sf(critical - 1, trials, probability), draws={"critical": (0, 9), "trials": (10, 40), "probability": (0.1, 0.7)})
_add("experiments.rule_of_three", "stats.binomtest", lambda trials, level: stats.binomtest(0, trials, alternative="less").proportion_ci(level).high, draws={"trials": (3, 400), "level": (0.8, 0.99)}, asked="proportion_ci of 0 successes")
_add("queueing.mm_infinity_probability", "stats.poisson.pmf", lambda load, number: stats.poisson.pmf(number, load))
_add("queueing.mm1_number_probability", "stats.geom.pmf", lambda arrival_rate, service_rate, number: stats.geom.pmf(number, 1 - arrival_rate / service_rate, loc=-1), draws={"arrival_rate": (0.5, 4), "service_rate": (4.1, 9)})
_add("queueing.mm1_time_quantile", "stats.expon.ppf", lambda arrival_rate, service_rate, share: stats.expon.ppf(share, scale=1 / (service_rate - arrival_rate)), draws={"arrival_rate": (0.5, 4), "service_rate": (4.1, 9)})
_add("information_theory.kl_bernoulli", "special.rel_entr", lambda p, q: special.rel_entr(p, q) + special.rel_entr(1 - p, 1 - q), draws={"p": (0.05, 0.95), "q": (0.05, 0.95)}, asked="of both outcomes")
_add(
    "information_theory.kl_normal",
    "stats.norm.expect",
    lambda mean_first, sd_first, mean_second, sd_second: stats.norm(mean_first, sd_first).expect(lambda x: stats.norm.logpdf(x, mean_first, sd_first) - stats.norm.logpdf(x, mean_second, sd_second), lb=mean_first - 20 * sd_first, ub=mean_first + 20 * sd_first),
    draws={"mean_first": (-3, 3), "mean_second": (-3, 3), "sd_first": (0.5, 3), "sd_second": (0.5, 3)},
    asked="of the difference of logpdf",
    within=1e-8,
)
_add("information_theory.binary_entropy", "stats.entropy", lambda p: stats.entropy([p, 1 - p], base=2), asked="base 2")
_add("information_theory.normal_differential_entropy", "stats.norm.entropy", lambda variance: stats.norm.entropy(scale=math.sqrt(variance)))
_add("information_theory.normal_mutual_information", "stats.multivariate_normal.entropy", lambda correlation: 2 * stats.norm.entropy() - stats.multivariate_normal.entropy([0, 0], [[1, correlation], [correlation, 1]]), asked="two norm.entropy less it", draws={"correlation": (-0.95, 0.95)})
_add(
    "information_theory.total_correlation_normal",
    "stats.multivariate_normal.entropy",
    lambda r12, r13, r23: 3 * stats.norm.entropy() - stats.multivariate_normal.entropy([0, 0, 0], [[1, r12, r13], [r12, 1, r23], [r13, r23, 1]]),
    asked="three norm.entropy less it",
    draws={"r12": (-0.5, 0.5), "r13": (-0.5, 0.5), "r23": (-0.5, 0.5)},
)
_add("information_theory.capacity_bsc", "stats.entropy", lambda flip: 1 - stats.entropy([flip, 1 - flip], base=2), asked="1 less it, base 2")
_add("information_theory.rayleigh_ergodic_capacity", "integrate.quad", lambda snr: integrate.quad(lambda gain: np.log2(1 + snr * gain) * stats.expon.pdf(gain), 0, 60, epsabs=0, epsrel=1e-11, limit=400)[0], draws={"snr": (0.2, 40)}, asked="of log2(1 + snr g) over scipy.stats.expon", within=1e-8)
_add("information_theory.rayleigh_outage_probability", "stats.expon.cdf", lambda efficiency, snr: stats.expon.cdf(2**efficiency - 1, scale=snr), draws={"efficiency": (0.1, 4), "snr": (0.5, 30)})
_add(
    "information_theory.capacity_z_channel",
    "optimize.minimize_scalar",
    lambda flip: -optimize.minimize_scalar(lambda one: stats.entropy([one], base=2) * 0 - (stats.entropy([one * (1 - flip), 1 - one * (1 - flip)], base=2) - one * stats.entropy([flip, 1 - flip], base=2)), bounds=(0, 1), method="bounded", options={"xatol": 1e-12}).fun,
    draws={"flip": (0.05, 0.9)},
    asked="of the mutual information",
    within=1e-8,
)
_add("information_theory.inverse_binary_entropy", "optimize.brentq", lambda entropy: optimize.brentq(lambda p: stats.entropy([p, 1 - p], base=2) - entropy, 1e-12, 0.5, xtol=1e-14), asked="of scipy.stats.entropy", draws={"entropy": (0.05, 0.95)})
_add(
    "game_theory.zero_sum_game",
    "optimize.linprog",
    lambda payoffs: {"value": -optimize.linprog([*np.zeros(len(payoffs)), -1], np.column_stack([-np.array(payoffs).T, np.ones(len(payoffs[0]))]), np.zeros(len(payoffs[0])), [[1] * len(payoffs) + [0]], [1], [(0, None)] * len(payoffs) + [(None, None)]).fun},
    asked="value",
    near_zero=1e-10,
)

# Functions
_add("special.faddeeva", "special.wofz", lambda x, y: (lambda value: {"real": value.real, "imaginary": value.imag})(special.wofz(x + 1j * y)), draws={"x": (-5, 5), "y": (0.1, 5)})
_add("special.spherical_harmonic", "special.sph_harm_y", lambda degree, order, polar, azimuth: (lambda value: {"real": value.real, "imaginary": value.imag})(special.sph_harm_y(degree, order, polar, azimuth)), draws={"degree": (3, 7), "order": (-3, 3), "polar": (0.1, 3), "azimuth": (-3, 3)})
_add("special.elliptic_d", "special.elliprd", lambda m: special.elliprd(0, 1 - m, 1) / 3, asked="at 0, 1 - m and 1, over 3", draws={"m": (-3, 0.95)})
_add("elementary.log_diff_exp", "special.logsumexp", lambda x, y: special.logsumexp([x, y], b=[1, -1]), prepare=lambda drawn: drawn | {"x": drawn["y"] + abs(drawn["x"])}, asked="b = [1, -1]", within=1e-8)
_add("elementary.logit_difference", "special.logit", lambda p, q: special.logit(p) - special.logit(q), asked="at p less at q")
_add("geometry.ellipse_perimeter", "integrate.quad", lambda a, b: integrate.quad(lambda t: 4 * math.hypot(a * math.sin(t), b * math.cos(t)), 0, math.pi / 2, epsrel=1e-13, epsabs=0)[0], draws={"a": (3, 9), "b": (0.5, 3)}, asked="of the line element")
_add("geometry.parabola_arc_length", "integrate.quad", lambda height, half_width: 2 * integrate.quad(lambda x: math.hypot(1, 2 * height * x / half_width**2), 0, half_width, epsrel=1e-13, epsabs=0)[0], asked="of the line element")
_add(
    "geometry.oblate_spheroid_surface",
    "integrate.quad",
    lambda equatorial, polar: 4 * math.pi * integrate.quad(lambda t: equatorial * math.cos(t) * math.hypot(equatorial * math.sin(t), polar * math.cos(t)), 0, math.pi / 2, epsrel=1e-13, epsabs=0)[0],
    draws={"equatorial": (3, 9), "polar": (0.5, 2.9)},
    asked="of the surface of revolution",
)
_add(
    "geometry.prolate_spheroid_surface",
    "integrate.quad",
    lambda polar, equatorial: 4 * math.pi * integrate.quad(lambda t: equatorial * math.cos(t) * math.hypot(equatorial * math.sin(t), polar * math.cos(t)), 0, math.pi / 2, epsrel=1e-13, epsabs=0)[0],
    draws={"polar": (3, 9), "equatorial": (0.5, 2.9)},
    asked="of the surface of revolution",
)
_add("geometry.rotation_matrix", "spatial.transform.Rotation.from_rotvec", lambda axis, angle: Rotation.from_rotvec(np.array(axis) / np.linalg.norm(axis) * angle).as_matrix(), draws={"k": (3, 3)})
_add("geometry.quaternion_rotation_matrix", "spatial.transform.Rotation.from_quat", lambda q: Rotation.from_quat(q, scalar_first=True).as_matrix(), draws={"k": (4, 4), "m": (3, 3), "n": (3, 3)}, asked="scalar first")
_add("geometry.polyline_length", "spatial.distance.euclidean", lambda points: sum(distance.euclidean(a, b) for a, b in pairwise(points)), draws={"k": (2, 3), "n": (3, 6)}, asked="of neighbors")
_add("geometry.diameter_of_points", "spatial.distance.pdist", lambda points: distance.pdist(points).max(), draws={"k": (2, 2), "n": (3, 7)}, asked="largest")
_add(
    "linalg.mahalanobis_distance",
    "spatial.distance.mahalanobis",
    lambda x, center, covariance: distance.mahalanobis(x, center, np.linalg.inv(covariance)),
    draws={"n": (3, 3)},
    prepare=lambda drawn: drawn | {"covariance": [[(abs(each) + 15 if i == j else drawn["covariance"][min(i, j)][max(i, j)]) for j, each in enumerate(row)] for i, row in enumerate(drawn["covariance"])]},
)

# Systems in time
STATE = {"n": (2, 3), "matrix": (-1, 1), "state": (-3, 3), "source": (-2, 2), "step": (0.05, 0.3), "count": (1, 9), "time": (0.1, 2)}


def _step(method: str) -> Any:
    def compute(matrix: Any, state: Any, step: float, count: int) -> Any:
        size = len(matrix)
        system = (np.array(matrix), np.eye(size), np.eye(size), np.zeros((size, size)))
        advance = signal.cont2discrete(system, step, method=method)[0]
        return np.linalg.matrix_power(advance, count) @ state

    return compute


_add("calculus.euler_linear", "signal.cont2discrete", _step("euler"), draws=STATE, asked="euler")
_add("calculus.crank_nicolson_linear", "signal.cont2discrete", _step("bilinear"), draws=STATE, asked="bilinear")


def _hold(matrix: Any, source: Any, state: Any, time: float) -> Any:
    size = len(matrix)
    found = signal.cont2discrete((np.array(matrix), np.array(source)[:, None], np.eye(size), np.zeros((size, 1))), time)
    return found[0] @ state + found[1][:, 0]


_add("calculus.linear_system_with_source", "signal.cont2discrete", _hold, draws=STATE, asked="zero-order hold")


def _solve(change: Any, start: Any, times: Any) -> Any:
    return integrate.solve_ivp(change, (0, max(times)), start, "DOP853", times, rtol=1e-12, atol=1e-13).y.T


def _add_flow(name: str, compute: Any, **draws: Any) -> None:
    _add(f"calculus.{name}", "integrate.solve_ivp", compute, draws={"n": (2, 3), **draws}, prepare=lambda drawn: drawn | ({"times": sorted(drawn["times"])} if "times" in drawn else {}), asked="DOP853", within=1e-6, near_zero=1e-9)


def _end(change: Any, start: Any, time: float) -> Any:
    return _solve(change, start, [time])[-1]


_add_flow("lotka_volterra", lambda rates, start, times: _solve(lambda _, y: [rates[0] * y[0] - rates[1] * y[0] * y[1], rates[3] * y[0] * y[1] - rates[2] * y[1]], start, times), k=(4, 4), m=(2, 2), rates=(0.3, 1.5), start=(0.5, 3), times=(0.2, 4))
_add_flow("van_der_pol", lambda damping, start, times: _solve(lambda _, y: [y[1], damping * (1 - y[0] ** 2) * y[1] - y[0]], start, times), m=(2, 2), damping=(0, 3), start=(-2, 2), times=(0.2, 5))
_add_flow("lorenz", lambda rates, start, times: _solve(lambda _, y: [rates[0] * (y[1] - y[0]), y[0] * (rates[1] - y[2]) - y[1], y[0] * y[1] - rates[2] * y[2]], start, times), k=(3, 3), m=(3, 3), rates=(1, 9), start=(-5, 5), times=(0.1, 1.5))
_add_flow("sir_epidemic", lambda rates, start, times: _solve(lambda _, y: [-rates[0] * y[0] * y[1], rates[0] * y[0] * y[1] - rates[1] * y[1], rates[1] * y[1]], start, times), k=(2, 2), m=(3, 3), rates=(0.2, 2), start=(0.1, 0.33), times=(0.2, 6))
_add_flow("pendulum", lambda frequency, start, times: _solve(lambda _, y: [y[1], -(frequency**2) * math.sin(y[0])], start, times), m=(2, 2), frequency=(0.5, 3), start=(-1.5, 1.5), times=(0.2, 5))
_add_flow("linear_decay_state", lambda initial, source, rate, time: _end(lambda _, y: [source - rate * y[0]], [initial], time)[0], initial=(0.5, 9), source=(0.1, 4), rate=(0.1, 2), time=(0.1, 4))
_add_flow("gompertz_growth_state", lambda initial, capacity, rate, time: _end(lambda _, y: [rate * y[0] * math.log(capacity / y[0])], [initial], time)[0], initial=(0.5, 4), capacity=(5, 20), rate=(0.1, 2), time=(0.1, 4))
_add_flow("underdamped_oscillator_position", lambda position, velocity, damping, frequency, time: _end(lambda _, y: [y[1], -2 * damping * y[1] - frequency**2 * y[0]], [position, velocity], time)[0], position=(-3, 3), velocity=(-3, 3), damping=(0.05, 0.9), frequency=(1, 4), time=(0.1, 5))
_add_flow("overdamped_oscillator_position", lambda position, velocity, damping, frequency, time: _end(lambda _, y: [y[1], -2 * damping * y[1] - frequency**2 * y[0]], [position, velocity], time)[0], position=(-3, 3), velocity=(-3, 3), damping=(2, 4), frequency=(0.5, 1.9), time=(0.1, 3))


def _add_rate(capability: str, compute: Any, **draws: Any) -> None:
    _add(capability, "integrate.solve_ivp", compute, draws=draws, asked="DOP853", within=1e-7)


_add_rate("ecology.exponential_population", lambda start, growth_rate, time: _end(lambda _, y: [growth_rate * y[0]], [start], time)[0], start=(1, 90), growth_rate=(-1, 1), time=(0.1, 5))
_add_rate("ecology.logistic_population", lambda capacity, start, growth_rate, time: _end(lambda _, y: [growth_rate * y[0] * (1 - y[0] / capacity)], [start], time)[0], capacity=(50, 500), start=(1, 40), growth_rate=(0.1, 1.5), time=(0.1, 8))
_add_rate("pharmacokinetics.bolus_concentration", lambda dose, volume, rate_constant, time: _end(lambda _, y: [-rate_constant * y[0]], [dose], time)[0] / volume, dose=(10, 900), volume=(5, 60), rate_constant=(0.05, 1), time=(0.1, 8))
_add_rate("pharmacokinetics.infusion_concentration", lambda infusion_rate, clearance, volume, time: _end(lambda _, y: [infusion_rate / volume - clearance / volume * y[0]], [0.0], time)[0], infusion_rate=(1, 90), clearance=(1, 20), volume=(5, 60), time=(0.1, 8))
_add_rate(
    "pharmacokinetics.oral_concentration",
    lambda bioavailability, dose, absorption_rate, volume, rate_constant, time: _end(lambda _, y: [-absorption_rate * y[0], absorption_rate * y[0] - rate_constant * y[1]], [bioavailability * dose, 0.0], time)[1] / volume,
    bioavailability=(0.3, 1),
    dose=(10, 900),
    absorption_rate=(0.5, 3),
    volume=(5, 60),
    rate_constant=(0.05, 0.4),
    time=(0.2, 8),
)

# Integration, interpolation, factors
_add("calculus.gauss_legendre", "special.roots_legendre", lambda n: _name("nodes weights", *special.roots_legendre(n)), draws={"n": (1, 12)})
_add("calculus.boole", "integrate.newton_cotes", lambda values, step: step * float(np.dot(integrate.newton_cotes(4)[0], values)), draws={"n": (5, 5)}, asked="order 4")
_add("calculus.gauss_legendre_integral", "integrate.fixed_quad", lambda values, low, high: float(np.dot(special.roots_legendre(len(values))[1], values)) * (high - low) / 2, draws={"n": (2, 7), "low": (-3, 0), "high": (0.5, 4)}, asked="weights of scipy.special.roots_legendre")
_add("linalg.lu", "linalg.lu", lambda matrix: (lambda found: {"permutation": np.argsort(found[0]), "lower": found[1], "upper": found[2]})(linalg.lu(np.array(matrix), p_indices=True)), draws={"n": (2, 4)})
_add("time_series.moving_average", "signal.convolve", lambda series, window: signal.convolve(series, np.ones(window) / window, "valid"), draws={"n": (6, 10), "window": (1, 4)}, asked="valid")
_add("time_series.weighted_moving_average", "signal.correlate", lambda series, weights: signal.correlate(series, np.array(weights) / sum(weights), "valid"), draws={"n": (6, 10), "k": (2, 3), "weights": (0.5, 3)}, asked="valid")
_add("time_series.periodogram", "signal.periodogram", lambda series: signal.periodogram(series, detrend=False, return_onesided=False)[1][1 : len(series) // 2 + 1], draws={"n": (5, 9)})
_add("time_series.box_cox", "special.boxcox", lambda series, power: special.boxcox(series, power), draws={"series": (0.5, 9), "power": (-2, 2)})


def _density(numerator: list[float], denominator: list[float], variance: float, frequency: float) -> float:
    _, response = signal.freqz(numerator, denominator, [2 * math.pi * frequency])
    return variance * float(abs(response[0]) ** 2)


UNIT = {"coefficient": (-0.9, 0.9), "first": (-0.4, 0.4), "second": (-0.5, 0.5), "innovation_variance": (0.5, 4), "frequency": (0, 0.5)}
_add("time_series.ar1_spectral_density", "signal.freqz", lambda coefficient, innovation_variance, frequency: _density([1], [1, -coefficient], innovation_variance, frequency), draws=UNIT, asked="squared")
_add("time_series.ar2_spectral_density", "signal.freqz", lambda first, second, innovation_variance, frequency: _density([1], [1, -first, -second], innovation_variance, frequency), draws=UNIT, asked="squared")
_add("time_series.ma1_spectral_density", "signal.freqz", lambda coefficient, innovation_variance, frequency: _density([1, coefficient], [1], innovation_variance, frequency), draws=UNIT, asked="squared")
_add(
    "portfolio.minimum_variance_weights",
    "optimize.minimize",
    lambda covariance: (
        optimize.minimize(lambda w: w @ np.array(covariance) @ w, np.full(len(covariance), 1 / len(covariance)), jac=lambda w: 2 * np.array(covariance) @ w, constraints={"type": "eq", "fun": lambda w: w.sum() - 1, "jac": lambda w: np.ones(len(w))}, method="SLSQP", options={"ftol": 1e-16, "maxiter": 500}).x
    ),
    draws={"n": (2, 4)},
    prepare=lambda drawn: drawn | {"covariance": [[(abs(each) + 15 if i == j else drawn["covariance"][min(i, j)][max(i, j)]) for j, each in enumerate(row)] for i, row in enumerate(drawn["covariance"])]},
    within=1e-5,
    near_zero=1e-6,
)
_add(
    "genetics.hardy_weinberg_chi2",
    "stats.chisquare",
    lambda homozygous_1, heterozygous, homozygous_2: (lambda n, p: stats.chisquare([homozygous_1, heterozygous, homozygous_2], [n * p * p, 2 * n * p * (1 - p), n * (1 - p) ** 2]).statistic)(homozygous_1 + heterozygous + homozygous_2, (2 * homozygous_1 + heterozygous) / 2 / (homozygous_1 + heterozygous + homozygous_2)),
    draws=dict.fromkeys(("homozygous_1", "heterozygous", "homozygous_2"), (5, 90)),
    asked="with Hardy-Weinberg shares",
)
_add("epidemiology.final_epidemic_size", "optimize.brentq", lambda r0: optimize.brentq(lambda z: z + math.expm1(-r0 * z), 1e-6, 1, xtol=1e-15), draws={"r0": (1.2, 6)}, asked="of 1 - z = exp(-r0 z)")
_add(
    "pharmacokinetics.peak_time",
    "optimize.minimize_scalar",
    lambda absorption_rate, rate_constant: optimize.minimize_scalar(lambda t: math.exp(-absorption_rate * t) - math.exp(-rate_constant * t), bounds=(0, 30), method="bounded", options={"xatol": 1e-12}).x,
    draws={"absorption_rate": (0.6, 3), "rate_constant": (0.05, 0.5)},
    asked="of the Bateman function, less",
    within=1e-6,
)
