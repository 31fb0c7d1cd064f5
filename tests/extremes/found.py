"""Extreme calls that once ended the process, hung or failed without a code; and how they end now."""

from __future__ import annotations

from typing import Any, NamedTuple

LEAST_NORMAL, MOST = 2.2250738585072014e-308, 1.7976931348623157e308


class Found(NamedTuple):
    """A call of a capability: what it did before, and how it ends now."""

    capability: str
    arguments: list[Any]
    before: str
    ends: tuple[str, ...]  # value, or a code; either of two where the machine decides


LIMIT = ("limit_exceeded",)
DOMAIN = ("domain_error",)
VALUE = ("value",)
LEVELS = [float(n) for n in range(20_000)]
HILBERT = [[1 / (i + j + 1) for j in range(10)] for i in range(10)]

FOUND = (
    Found("cryptography.bloom_false_positive", [10**12, 200, 10**9], "crash SIGFPE", VALUE),
    Found("cryptography.bloom_false_positive", [5, 198, 10**6], "crash SIGABRT", VALUE),
    Found("cryptography.bloom_false_positive", [64, 132, 10**7], "hang", VALUE),
    Found("calculus.crank_nicolson_linear", [HILBERT, [1.0] * 9 + [1e-300], 1e-300, 200], "hang", LIMIT),
    Found("calculus.rk4_linear", [HILBERT, [1.0] * 9 + [1e-300], 1e-300, 200], "hang", LIMIT),
    Found("calculus.newton_sequence", [[LEAST_NORMAL, 1e-9, *([3.7e200] * 10)], 1.1e-300, 8], "hang", VALUE),
    Found(
        "calculus.linear_system_with_source",
        [[[MOST if i > j else -0.1 for j in range(30)] for i in range(30)], [1.0] * 30, [1.0] * 30, 1000.0],
        "hang",
        LIMIT,
    ),
    Found("linalg.matrix_exponential", [[[MOST * (i + j) / 100 for j in range(40)] for i in range(40)]], "hang", LIMIT),
    Found("linalg.matrix_exponential", [[[0.0, MOST], [0.0, 0.0]]], "a value, and still one", VALUE),
    Found("distributions.f_sf", [2.84, LEAST_NORMAL, 709.8], "hang", VALUE),
    Found("distributions.student_t_sf", [1000.0, 1e9], "hang", VALUE),
    Found("distributions.f_log_cdf", [1e200, LEAST_NORMAL, 10992921.135753099], "hang", VALUE),
    Found("distributions.f_upper_quantile", [1e-09, LEAST_NORMAL, 2147483648.0], "hang", DOMAIN),
    Found("distributions.beta_quantile", [0.5, LEAST_NORMAL, 170.5], "hang", VALUE),
    Found("distributions.negative_binomial_log_cdf", [581343, LEAST_NORMAL, LEAST_NORMAL], "hang", VALUE),
    Found("distributions.negative_binomial_log_sf", [200, 1e-160, 1e-160], "hang", VALUE),
    Found(
        "distributions.negative_binomial_log_cdf", [906362, LEAST_NORMAL, 0.001], "hang", ("value", "undecided", *LIMIT)
    ),
    Found("distributions.negative_binomial_upper_quantile", [LEAST_NORMAL, 1e-300, 0.03519596773624508], "hang", VALUE),
    Found("distributions.f_log_cdf", [2.0, 1e6, 1e6], "hang", VALUE),
    Found("distributions.negative_binomial_log_cdf", [10_000, 1000.0, 0.5], "hang", VALUE),
    Found("distributions.noncentral_f_cdf", [1.05, 3e4, 3e4, 3e4], "hang", VALUE),
    Found("distributions.noncentral_t_sf", [50.0, 1e4, 20.0], "hang", VALUE),
    Found("distributions.beta_prime_log_cdf", [0.23, 2.5, 4404.0], "hang", VALUE),
    Found("distributions.logarithmic_quantile", [0.975, 1 - 2**-53], "hang", (*VALUE, *LIMIT)),
    Found("special.gamma_p_inverse", [1e9, 1e-300], "hang", (*VALUE, *LIMIT)),
    Found("distributions.generalized_inverse_gaussian_std", [LEAST_NORMAL, 3.0, 1.0], "hang", VALUE),
    Found("metrology.calibrated_value", [LEVELS, [n + n % 5 for n in LEVELS], [2.5]], "hang", VALUE),
    Found("polynomials.derivative", [[1e300 / (i + 1) for i in range(5000)], 2500], "hang", DOMAIN),
    Found(
        "polynomials.evaluate_many",
        [[1e300 / (i + 1) for i in range(200)], [1e-300 * i for i in range(5000)]],
        "hang",
        LIMIT,
    ),
    Found("stats.polynomial_fit", [[1.1 ** (40 * i) * 1e-150 for i in range(60)], [1.0] * 60, 20], "hang", LIMIT),
    Found(
        "stats.variance_inflation_factors",
        [[[((7 * i + 3 * j) % 11) * 10.0 ** (20 * j - 300) for j in range(30)] for i in range(40)]],
        "hang",
        LIMIT,
    ),
    Found("hypothesis.binomial_test", [171, 2000, 1e-300, "two-sided"], "hang", LIMIT),
    Found("hypothesis.ks_uniform", [[1e-300] * 33], "hang", ("value", "undecided", *LIMIT)),
    Found("hypothesis.ks_uniform", [[(i * i % 37) / 37 * 1e-9 for i in range(40)]], "hang", ("value", *LIMIT)),
    Found("polynomials.count_real_roots", [[-MOST / 3.0**i for i in range(100)], -1.0, 1.0], "hang", VALUE),
    Found("finance.discounted_payback_period", [1e300, [-MOST] * 500], "hang", ("domain_error", *LIMIT)),
    Found("game_theory.borda_scores", [[[10**5000, 0], [0, 1]]], "untyped ValueError", DOMAIN),
    Found("graph_theory.shortest_path", [3, [[0, 10**5000]], [1.0], [0, 2]], "untyped ValueError", DOMAIN),
    Found("graph_theory.critical_path", [[1.0, 2.0], [[1]]], "untyped ValueError", DOMAIN),
    Found("number_theory.frobenius_number", [10**5000, 10**5], "untyped ValueError", DOMAIN),
    Found("number_theory.p_adic_valuation", [48, 10**5000], "untyped ValueError", DOMAIN),
    Found("number_theory.convergents", [[1, -(10**5000)]], "untyped ValueError", DOMAIN),
)
