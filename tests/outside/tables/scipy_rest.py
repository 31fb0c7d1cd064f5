"""Tests, channels, sketches, interpolation and filters of SciPy."""

# fmt: off
from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy
from oracle import OracleTable
from scipy import integrate, interpolate, linalg, ndimage, optimize, signal, special, stats
from scipy.spatial import distance

TABLE = OracleTable("scipy", scipy.__version__)


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(capability, f"scipy.{function}", compute, **{"within": 1e-9, "near_zero": 1e-13, **more})


def _integrate(function: Any, low: float, high: float) -> float:
    return float(integrate.quad(function, low, high, epsabs=0, epsrel=1e-12, limit=400)[0])


# Tests
_add("hypothesis.simes_combined", "stats.false_discovery_control", lambda pvalues: min(stats.false_discovery_control(pvalues)), draws={"n": (2, 6)}, asked="least")
_add("hypothesis.mann_whitney_normal", "stats.mannwhitneyu", lambda first, second, alternative: (lambda found: {"statistic": found.statistic, "pvalue": found.pvalue})(stats.mannwhitneyu(first, second, use_continuity=False, alternative=alternative, method="asymptotic")), draws={"n": (5, 9), "m": (5, 9)}, asked="asymptotic, without continuity")
_add("hypothesis.wilcoxon_normal", "stats.wilcoxon", lambda values, alternative: (lambda found: {"statistic": found.statistic, "pvalue": found.pvalue})(stats.wilcoxon(values, alternative=alternative, method="asymptotic", correction=False)), draws={"n": (11, 18), "alternative": ["less", "greater"]}, asked="asymptotic")
_add("risk.kupiec_test", "stats.power_divergence", lambda exceptions, days, confidence: (lambda found: {"statistic": found.statistic, "pvalue": found.pvalue})(stats.power_divergence([exceptions, days - exceptions], [days * (1 - confidence), days * confidence], lambda_="log-likelihood")), draws={"exceptions": (1, 20), "days": (100, 500), "confidence": [0.9, 0.95, 0.99]}, asked="log-likelihood")
_add("risk.kelly_fraction", "optimize.minimize_scalar", lambda probability, odds: optimize.minimize_scalar(lambda f: -probability * math.log1p(f * odds) - (1 - probability) * math.log1p(-f), bounds=(-0.999 / odds if odds > 1 else -0.999, 0.999), method="bounded", options={"xatol": 1e-12}).x, draws={"probability": (0.3, 0.8), "odds": (1.1, 4)}, asked="of the mean logarithm of growth", within=1e-5, near_zero=1e-7)

# Channels and codes
_add("information_theory.capacity_q_ary_symmetric", "stats.entropy", lambda symbols, error_chance: math.log2(symbols) - stats.entropy([1 - error_chance, *[error_chance / (symbols - 1)] * (symbols - 1)], base=2), draws={"symbols": (2, 9), "error_chance": (0.02, 0.9)}, asked="less than log2 of the symbols")
_add("information_theory.rate_distortion_bernoulli", "stats.entropy", lambda p, distortion: stats.entropy([p, 1 - p], base=2) - stats.entropy([distortion, 1 - distortion], base=2), draws={"p": (0.3, 0.7), "distortion": (0.02, 0.28)}, asked="of the source less that of the errors")
_add("information_theory.markov_entropy_rate", "stats.entropy", lambda leave, to_first: (to_first * stats.entropy([leave, 1 - leave], base=2) + leave * stats.entropy([to_first, 1 - to_first], base=2)) / (leave + to_first), draws={"leave": (0.05, 0.95), "to_first": (0.05, 0.95)}, asked="of rows, in the stationary mean")
_add("coding_theory.rayleigh_bpsk_bit_error", "integrate.quad", lambda ebn0: _integrate(lambda gain: stats.norm.sf(math.sqrt(2 * ebn0 * gain)) * math.exp(-gain), 0, 60), draws={"ebn0": (0.3, 30)}, asked="of scipy.stats.norm.sf over the gain", within=1e-7)
_add("networks.slotted_aloha_throughput", "stats.poisson.pmf", lambda load: stats.poisson.pmf(1, load), asked="at 1")
_add("networks.pure_aloha_throughput", "stats.poisson.pmf", lambda load: load * stats.poisson.pmf(0, 2 * load), asked="at 0 of twice the load, times the load")
_add("networks.aloha_node_efficiency", "stats.binom.pmf", lambda stations, chance: stats.binom.pmf(1, stations, chance), draws={"stations": (1, 30), "chance": (0.01, 0.5)}, asked="at 1")
_add("networks.packet_error_rate", "stats.binom.sf", lambda bit_error, bits: stats.binom.sf(0, bits, bit_error), draws={"bit_error": (0.0001, 0.01), "bits": (8, 900)}, asked="at 0")
_add("rag_retrieval.lsh_candidate_probability", "stats.binom.sf", lambda similarity, bands, rows: stats.binom.sf(0, bands, similarity**rows), draws={"similarity": (0.2, 0.95), "bands": (1, 20), "rows": (1, 6)}, asked="at 0")
_add("rag_retrieval.minhash_standard_error", "stats.binom.std", lambda similarity, hashes: stats.binom.std(hashes, similarity) / hashes, draws={"similarity": (0.05, 0.95), "hashes": (8, 900)}, asked="over the hashes")
_add("rag_retrieval.hnsw_level_probability", "stats.expon.sf", lambda level, scale: stats.expon.sf(level, scale=scale), draws={"level": (0, 6), "scale": (0.2, 1.5)})
_add("rag_retrieval.hnsw_expected_levels", "stats.geom.mean", lambda scale: stats.geom.mean(-math.expm1(-1 / scale)), draws={"scale": (0.2, 1.5)})
_add("embeddings.random_cosine_tail", "stats.t.sf", lambda cosine, dimension: stats.t.sf(cosine * math.sqrt((dimension - 1) / (1 - cosine**2)), dimension - 1), draws={"cosine": (0.02, 0.9), "dimension": (3, 40)}, asked="at c sqrt((d - 1) / (1 - c^2))")
_add("embeddings.angular_distance", "spatial.distance.cosine", lambda first, second: math.acos(1 - distance.cosine(first, second)) / math.pi, draws={"d": (3, 5)}, asked="arccosine of 1 less it, over pi", within=1e-8)
_add("embeddings.effective_rank", "stats.entropy", lambda singular_values: math.exp(stats.entropy(singular_values)), draws={"singular_values": (0.1, 5)}, asked="exponential")
_add("psychometrics.rasch_probability", "special.expit", lambda ability, difficulty: special.expit(ability - difficulty), draws={"ability": (-3, 3), "difficulty": (-3, 3)})
_add("finance.continuous_annuity_present_value", "integrate.quad", lambda payment_rate, rate, time: _integrate(lambda t: payment_rate * math.exp(-rate * t), 0, time), draws={"payment_rate": (1, 90), "rate": (0.01, 0.2), "time": (0.5, 30)}, asked="of the discounted flow")

# Interpolation and filters
_add("interpolation.linear_many", "interpolate.interp1d", lambda x, y, at: interpolate.interp1d(x, y)(at), draws={"n": (4, 6), "m": (2, 3)}, prepare=lambda drawn: drawn | {"x": sorted(drawn["x"]), "at": [min(drawn["x"]) + 0.1 * (k + 1) for k in range(len(drawn["at"]))]})
_add("interpolation.bezier_point", "interpolate.BPoly", lambda controls, t: interpolate.BPoly(np.array(controls)[:, None, :], [0, 1])(t), draws={"m": (3, 5), "n": (2, 3), "t": (0.02, 0.98)})
_add("interpolation.bilinear", "interpolate.RegularGridInterpolator", lambda x, y, values, at: interpolate.RegularGridInterpolator((x, y), values)(at)[0], draws={"m": (3, 3), "n": (3, 3), "k": (2, 2)}, prepare=lambda drawn: drawn | {"x": sorted(drawn["x"]), "y": sorted(drawn["y"]), "at": [sum(sorted(drawn["x"])[:2]) / 2, sum(sorted(drawn["y"])[1:]) / 2]})
_add("interpolation.divided_differences", "interpolate.KroghInterpolator", lambda x, y: interpolate.KroghInterpolator(x, y).c[: len(x), 0], draws={"n": (3, 5)}, asked="c", within=1e-7)
_add("optimization.least_squares_equality", "linalg.lapack.dgglse", lambda matrix, right, constraints, targets: linalg.lapack.dgglse(np.array(matrix), np.array(constraints), np.array(right), np.array(targets))[3], draws={"m": (5, 6), "n": (3, 3), "k": (1, 2)}, within=1e-8)
_add("image_processing.filter_image", "signal.correlate2d", lambda image, kernel: signal.correlate2d(image, kernel, "valid"), draws={"r": (4, 5), "c": (4, 5), "h": (2, 2), "w": (2, 2)}, asked="valid")
_add("image_processing.sobel_magnitude", "ndimage.sobel", lambda image: np.hypot(ndimage.sobel(np.array(image), 0), ndimage.sobel(np.array(image), 1))[1:-1, 1:-1], draws={"r": (3, 4), "c": (3, 4)}, asked="of both axes, inside")
