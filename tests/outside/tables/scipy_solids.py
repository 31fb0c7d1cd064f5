"""Solids by integration, distributions by their kin, and queues by distributions of SciPy."""

# fmt: off
from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy
from oracle import OracleTable
from scipy import integrate, linalg, spatial, special, stats
from scipy.spatial import distance

TABLE = OracleTable("scipy", scipy.__version__)


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(capability, f"scipy.{function}", compute, **{"within": 1e-9, "near_zero": 1e-13, **more})


def _integrate(function: Any, low: float, high: float) -> float:
    return float(integrate.quad(function, low, high, epsabs=0, epsrel=1e-12, limit=400)[0])


# Solids and areas, by integration over a coordinate
def _solid(name: str, compute: Any, asked: str = "of cross sections", **draws: Any) -> None:
    _add(f"geometry.{name}", "integrate.quad", compute, asked=asked, draws=draws, within=1e-8)


_solid("sphere_volume", lambda radius: _integrate(lambda x: math.pi * (radius**2 - x**2), -radius, radius))
_solid("sphere_surface", lambda radius: _integrate(lambda t: 2 * math.pi * radius * math.sin(t) * radius, 0, math.pi), asked="of circles")
_solid("spherical_cap_volume", lambda radius, height: _integrate(lambda x: math.pi * (radius**2 - x**2), radius - height, radius), radius=(3, 9), height=(0.5, 5))
_solid("cone_volume", lambda radius, height: _integrate(lambda x: math.pi * (radius * x / height) ** 2, 0, height))
_solid("cone_lateral_surface", lambda radius, height: _integrate(lambda x: 2 * math.pi * radius * x / height * math.hypot(1, radius / height), 0, height), asked="of circles")
_solid("conical_frustum_volume", lambda bottom, top, height: _integrate(lambda x: math.pi * (bottom + (top - bottom) * x / height) ** 2, 0, height))
_solid("horizontal_cylinder_fill", lambda radius, length, depth: length * _integrate(lambda t: 2 * (radius * math.sin(t)) ** 2, 0, math.acos(1 - depth / radius)), radius=(3, 9), length=(1, 9), depth=(0.5, 5), asked="of widths")
_solid("torus_volume", lambda major, minor: _integrate(lambda t: 4 * math.pi * major * 2 * (minor * math.cos(t)) ** 2 / 2, -math.pi / 2, math.pi / 2), major=(3, 9), minor=(0.5, 2.5), asked="of rings")
_solid("torus_surface", lambda major, minor: _integrate(lambda t: 2 * math.pi * (major + minor * math.cos(t)) * minor, 0, 2 * math.pi), major=(3, 9), minor=(0.5, 2.5), asked="of circles")
_solid("ellipsoid_volume", lambda a, b, c: _integrate(lambda x: math.pi * b * c * (1 - (x / a) ** 2), -a, a))
_solid("circular_segment_area", lambda radius, angle: _integrate(lambda t: 2 * (radius * math.sin(t)) ** 2, 0, angle / 2), angle=(0.3, 6), asked="of chords")
_solid("circular_sector_area", lambda radius, angle: _integrate(lambda r: r * angle, 0, radius), angle=(0.3, 6), asked="of arcs")


def _overlap(r: float, s: float, distance: float) -> float:
    cut = (distance**2 + r**2 - s**2) / (2 * distance)
    first = _integrate(lambda t: 2 * (r * math.sin(t)) ** 2, 0, math.acos(cut / r))
    return first + _integrate(lambda t: 2 * (s * math.sin(t)) ** 2, 0, math.acos((distance - cut) / s))


_solid("circle_overlap_area", _overlap, r=(3, 5), s=(3, 5), distance=(2.5, 5.5), asked="of chords of both")
_add("geometry.chord_length", "spatial.distance.euclidean", lambda radius, angle: distance.euclidean([radius, 0], [radius * math.cos(angle), radius * math.sin(angle)]), draws={"angle": (0.2, 3)}, asked="of the ends")
GOLD = (1 + math.sqrt(5)) / 2


def _hull(points: Any, edge: float) -> float:
    """Return the volume of the hull of points, scaled to a length of the shortest edge."""
    return float(spatial.ConvexHull(np.array(points, dtype=float) * edge / distance.pdist(points).min()).volume)


def _signs(*values: float) -> list[list[float]]:
    found = {tuple(s * v for s, v in zip((a, b, c), values, strict=True)) for a in (1, -1) for b in (1, -1) for c in (1, -1)}
    return [[row[k:] + row[:k] for k in range(3)][at] for row in map(list, sorted(found)) for at in range(3)]


_add("geometry.tetrahedron_volume", "spatial.ConvexHull", lambda edge: _hull([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]], edge), asked="volume")
_add("geometry.icosahedron_volume", "spatial.ConvexHull", lambda edge: _hull([list(row) for row in sorted(set(map(tuple, _signs(0.0, 1.0, GOLD))))], edge), asked="volume")
_add("geometry.dodecahedron_volume", "spatial.ConvexHull", lambda edge: _hull([list(row) for row in sorted(set(map(tuple, _signs(1.0, 1.0, 1.0) + _signs(0.0, 1 / GOLD, GOLD))))], edge), asked="volume")
_add("geometry.convex_hull_area", "spatial.ConvexHull", lambda points: spatial.ConvexHull(points).volume, draws={"n": (4, 8), "k": (2, 2)}, asked="volume")


# Distributions that are another one of a transformed value
def _family(family: str, base: str, asked: str, draws: Any, **functions: Any) -> None:
    for name, compute in functions.items():
        _add(f"distributions.{family}_{name}", base, compute, asked=asked, draws=draws, within=1e-8, near_zero=1e-15, group=family)


def _moment(a: float, b: float, order: int) -> float:
    return _integrate(lambda x: x**order * stats.beta.pdf(x**a, 1, b) * a * x ** (a - 1), 0, 1)


_family(
    "kumaraswamy", "stats.beta", "of x^a, with 1 and b", {"x": (0.05, 0.95), "a": (1.1, 4), "b": (1.1, 4), "p": (0.02, 0.98)},
    pdf=lambda x, a, b: stats.beta.pdf(x**a, 1, b) * a * x ** (a - 1),
    log_pdf=lambda x, a, b: stats.beta.logpdf(x**a, 1, b) + math.log(a * x ** (a - 1)),
    cdf=lambda x, a, b: stats.beta.cdf(x**a, 1, b), sf=lambda x, a, b: stats.beta.sf(x**a, 1, b),
    log_cdf=lambda x, a, b: stats.beta.logcdf(x**a, 1, b), log_sf=lambda x, a, b: stats.beta.logsf(x**a, 1, b),
    quantile=lambda p, a, b: stats.beta.ppf(p, 1, b) ** (1 / a), upper_quantile=lambda p, a, b: stats.beta.isf(p, 1, b) ** (1 / a),
    median=lambda a, b: stats.beta.median(1, b) ** (1 / a),
)
_family(
    "kumaraswamy", "stats.beta", "of x^a, with 1 and b, integrated", {"a": (1.1, 4), "b": (1.1, 4)},
    mean=lambda a, b: _moment(a, b, 1), variance=lambda a, b: _moment(a, b, 2) - _moment(a, b, 1) ** 2,
    std=lambda a, b: math.sqrt(_moment(a, b, 2) - _moment(a, b, 1) ** 2),
    entropy=lambda a, b: -_integrate(lambda x: (lambda f: f * math.log(f) if f > 0 else 0.0)(stats.beta.pdf(x**a, 1, b) * a * x ** (a - 1)), 0, 1),
)


def _weibull(survival: float, shape: float) -> Any:
    return stats.weibull_min(shape, scale=(-math.log(survival)) ** (-1 / shape))


_family(
    "discrete_weibull", "stats.weibull_min", "at k + 1", {"k": (0, 6), "survival": (0.3, 0.9), "shape": (0.5, 2), "p": (0.05, 0.95)},
    pmf=lambda k, survival, shape: _weibull(survival, shape).cdf(k + 1) - _weibull(survival, shape).cdf(k),
    log_pmf=lambda k, survival, shape: special.logsumexp([_weibull(survival, shape).logsf(k), _weibull(survival, shape).logsf(k + 1)], b=[1, -1]),
    cdf=lambda k, survival, shape: _weibull(survival, shape).cdf(k + 1), sf=lambda k, survival, shape: _weibull(survival, shape).sf(k + 1),
    log_cdf=lambda k, survival, shape: _weibull(survival, shape).logcdf(k + 1), log_sf=lambda k, survival, shape: _weibull(survival, shape).logsf(k + 1),
    quantile=lambda p, survival, shape: math.floor(_weibull(survival, shape).ppf(p)),
    upper_quantile=lambda p, survival, shape: math.floor(_weibull(survival, shape).isf(p)),
)


def _progeny(rate: float, order: int) -> float:
    k = np.arange(1, 4000)
    return float(np.sum(k**order * stats.poisson.pmf(k - 1, rate * k) / k))


_family(
    "borel", "stats.poisson.pmf", "at k - 1 of rate k, over k", {"k": (1, 9), "rate": (0.1, 0.8)},
    pmf=lambda k, rate: stats.poisson.pmf(k - 1, rate * k) / k, log_pmf=lambda k, rate: stats.poisson.logpmf(k - 1, rate * k) - math.log(k),
    mean=lambda rate: _progeny(rate, 1), variance=lambda rate: _progeny(rate, 2) - _progeny(rate, 1) ** 2,
    std=lambda rate: math.sqrt(_progeny(rate, 2) - _progeny(rate, 1) ** 2),
)
_family(
    "benford", "stats.loguniform", "between 1 and the base, at k + 1", {"k": (1, 8), "base": [10, 10, 12, 16], "p": (0.05, 0.95)},
    pmf=lambda k, base: stats.loguniform.cdf(k + 1, 1, base) - stats.loguniform.cdf(k, 1, base),
    log_pmf=lambda k, base: math.log(stats.loguniform.cdf(k + 1, 1, base) - stats.loguniform.cdf(k, 1, base)),
    cdf=lambda k, base: stats.loguniform.cdf(k + 1, 1, base), sf=lambda k, base: stats.loguniform.sf(k + 1, 1, base),
    log_cdf=lambda k, base: stats.loguniform.logcdf(k + 1, 1, base), log_sf=lambda k, base: stats.loguniform.logsf(k + 1, 1, base),
    quantile=lambda p, base: math.floor(stats.loguniform.ppf(p, 1, base)), upper_quantile=lambda p, base: math.floor(stats.loguniform.isf(p, 1, base)),
)

# Queues: distributions that are cut off
_add("queueing.erlang_b", "stats.poisson", lambda servers, load: stats.poisson.pmf(servers, load) / stats.poisson.cdf(servers, load), draws={"servers": (1, 12), "load": (0.2, 9)}, asked="pmf over cdf")
_add("queueing.engset_blocking", "stats.binom", lambda sources, servers, intensity: (lambda p: stats.binom.pmf(servers, sources, p) / stats.binom.cdf(servers, sources, p))(intensity / (1 + intensity)), draws={"sources": (6, 15), "servers": (1, 5), "intensity": (0.05, 2)}, asked="pmf over cdf")
_add("queueing.mm1k_blocking", "stats.geom", lambda arrival_rate, service_rate, places: stats.geom.pmf(places + 1, 1 - arrival_rate / service_rate) / stats.geom.cdf(places + 1, 1 - arrival_rate / service_rate), draws={"arrival_rate": (0.5, 4), "service_rate": (4.1, 9), "places": (1, 9)}, asked="pmf over cdf")
_add("queueing.erlang_b_servers", "stats.poisson", lambda load, target: next(c for c in range(1, 200) if stats.poisson.pmf(c, load) / stats.poisson.cdf(c, load) <= target), draws={"load": (0.5, 9), "target": (0.005, 0.2)}, asked="first pmf over cdf below the target")


def _wait(arrival_rate: float, service_rate: float, servers: int) -> Any:
    """Return the long-run probabilities of a queue with room for 400."""
    load = arrival_rate / service_rate
    busy = np.array([stats.poisson.pmf(min(n, servers), load) * (load / servers) ** max(n - servers, 0) for n in range(800)])
    return busy / busy.sum()


_add("queueing.erlang_c", "stats.poisson.pmf", lambda servers, load: _wait(load, 1.0, servers)[servers:].sum(), draws={"servers": (5, 9), "load": (0.5, 4.5)}, asked="of the busy servers, with geometric queues")
_add("queueing.mmc_mean_wait", "stats.poisson.pmf", lambda arrival_rate, service_rate, servers: sum((n - servers) * p for n, p in enumerate(_wait(arrival_rate, service_rate, servers)) if n > servers) / arrival_rate, draws={"arrival_rate": (0.5, 4), "service_rate": (1, 3), "servers": (5, 8)}, asked="of the busy servers, with geometric queues", within=1e-8)
_add("queueing.mmc_service_level", "stats.gamma.cdf", lambda arrival_rate, service_rate, servers, patience: sum(p * (stats.gamma.cdf(patience, n - servers + 1, scale=1 / (servers * service_rate)) if n >= servers else 1.0) for n, p in enumerate(_wait(arrival_rate, service_rate, servers)) if n < 500), draws={"arrival_rate": (0.5, 4), "service_rate": (1, 3), "servers": (5, 8), "patience": (0.05, 2)}, asked="of the waiting time of each number", within=1e-8)

# Parts that fail
_add("reliability.mttf_parallel", "integrate.quad", lambda parts, failure_rate: integrate.quad(lambda t: 1 - stats.expon.cdf(t) ** parts, 0, 80, epsabs=0, epsrel=1e-11, limit=400)[0] / failure_rate, draws={"parts": (1, 9), "failure_rate": (0.1, 2)}, asked="of 1 less a power of scipy.stats.expon.cdf")
_add("reliability.weibull_failure_rate", "stats.weibull_min", lambda time, shape, scale: stats.weibull_min.pdf(time, shape, scale=scale) / stats.weibull_min.sf(time, shape, scale=scale), draws={"time": (0.2, 5), "shape": (0.5, 3), "scale": (2, 9)}, asked="pdf over sf")
_add("survival.weibull_hazard", "stats.weibull_min", lambda time, scale, shape: stats.weibull_min.pdf(time, shape, scale=scale) / stats.weibull_min.sf(time, shape, scale=scale), draws={"time": (0.2, 5), "shape": (0.5, 3), "scale": (2, 9)}, asked="pdf over sf")
_add("reliability.instantaneous_availability", "linalg.expm", lambda failure_rate, repair_rate, time: linalg.expm(np.array([[-failure_rate, failure_rate], [repair_rate, -repair_rate]]) * time)[0, 0], draws={"failure_rate": (0.1, 1), "repair_rate": (0.5, 4), "time": (0.1, 3)}, asked="of the rates")
_add("reliability.probability_failure_on_demand", "integrate.quad", lambda failure_rate, interval: integrate.quad(lambda t: stats.expon.cdf(t, scale=1 / failure_rate), 0, interval, epsabs=0)[0] / interval, draws={"failure_rate": (0.01, 0.5), "interval": (0.5, 5)}, asked="mean of scipy.stats.expon.cdf")
_add("logistics.reorder_point", "stats.norm.ppf", lambda mean_demand, lead_time, service_level, demand_deviation: stats.norm.ppf(service_level, mean_demand * lead_time, demand_deviation * math.sqrt(lead_time)), draws={"mean_demand": (5, 90), "lead_time": (0.5, 9), "service_level": (0.7, 0.99), "demand_deviation": (1, 9)}, asked="of the demand in the lead time")
_add("logistics.safety_stock", "stats.norm.ppf", lambda service_level, lead_time, demand_deviation, mean_demand, lead_deviation: stats.norm.ppf(service_level, scale=math.hypot(demand_deviation * math.sqrt(lead_time), mean_demand * lead_deviation)), draws={"mean_demand": (5, 90), "lead_time": (0.5, 9), "service_level": (0.7, 0.99), "demand_deviation": (1, 9), "lead_deviation": (0.1, 2)}, asked="of the demand in the lead time, less its mean")

# Samples and tests
LEVEL = {"size": (3, 40), "first_size": (3, 40), "second_size": (3, 40), "variance": (0.5, 9), "first_variance": (0.5, 9), "second_variance": (0.5, 9), "level": (0.8, 0.99)}
_add("hypothesis.variance_interval", "stats.chi2.interval", lambda variance, size, level: dict(zip(("high", "low"), (size - 1) * variance / np.array(stats.chi2.interval(level, size - 1)), strict=True)), draws=LEVEL, asked="under the sum of squares")
_add("hypothesis.variance_ratio_interval", "stats.f.interval", lambda first_variance, first_size, second_variance, second_size, level: dict(zip(("high", "low"), first_variance / second_variance / np.array(stats.f.interval(level, first_size - 1, second_size - 1)), strict=True)), draws=LEVEL, asked="under the ratio")
_add("time_series.white_noise_limit", "stats.norm.interval", lambda size, level: stats.norm.interval(level, scale=1 / math.sqrt(size))[1], draws={"size": (5, 900), "level": (0.8, 0.99)}, asked="upper end")
_add("metrics.pass_at_k", "stats.hypergeom.sf", lambda samples, right, k: stats.hypergeom.sf(0, samples, right, k), draws={"samples": (10, 30), "right": (0, 10), "k": (1, 9)})
_add("stats.partial_correlation", "stats.linregress", lambda x, y, control: (lambda rest: stats.pearsonr(rest(x), rest(y)).statistic)(lambda values: np.array(values) - np.polyval(stats.linregress(control, values)[:2], control)), draws={"n": (5, 9)}, asked="scipy.stats.pearsonr of what it leaves")


def _cost(mean_count: float, claim_probabilities: list[float], largest: int) -> list[float]:
    """Return the distribution of a Poisson number of claims by the fast Fourier transform."""
    size = 512
    claims = np.zeros(size)
    claims[1 : len(claim_probabilities) + 1] = claim_probabilities
    return [float(each) for each in np.real(scipy.fft.ifft(np.exp(mean_count * (scipy.fft.fft(claims) - 1))))[: largest + 1]]


_add("insurance.compound_poisson_distribution", "fft.ifft", _cost, draws={"mean_count": (0.5, 5), "claim_probabilities": (0.1, 0.4), "k": (2, 4), "largest": (3, 7)}, prepare=lambda drawn: drawn | {"claim_probabilities": [*(each / 2 for each in drawn["claim_probabilities"][:-1]), 1 - sum(each / 2 for each in drawn["claim_probabilities"][:-1])]}, asked="of the generating function", within=1e-8)
RISK = {"makeham": (0.0005, 0.005), "level": (1e-5, 1e-4), "growth": (0.08, 0.12), "age": (20, 70), "years": (1, 30), "limit": (10, 60), "rate": (0.01, 0.06)}


def _survive(makeham: float, level: float, growth: float, age: float, years: float) -> float:
    return math.exp(-_integrate(lambda t: makeham + level * math.exp(growth * (age + t)), 0, years)) if years else 1.0


_add("insurance.makeham_survival", "integrate.quad", _survive, draws=RISK, asked="of the force of mortality")
_add("insurance.makeham_life_expectancy", "integrate.quad", lambda makeham, level, growth, age, limit: _integrate(lambda t: _survive(makeham, level, growth, age, t), 0, limit), draws=RISK, asked="of survival", within=1e-7)
_add("insurance.makeham_annuity", "integrate.quad", lambda rate, makeham, level, growth, age, limit: _integrate(lambda t: math.exp(-rate * t) * _survive(makeham, level, growth, age, t), 0, limit), draws=RISK, asked="of discounted survival", within=1e-7)
_add("insurance.makeham_insurance", "integrate.quad", lambda rate, makeham, level, growth, age, limit: _integrate(lambda t: math.exp(-rate * t) * _survive(makeham, level, growth, age, t) * (makeham + level * math.exp(growth * (age + t))), 0, limit), draws=RISK, asked="of discounted deaths", within=1e-7)
