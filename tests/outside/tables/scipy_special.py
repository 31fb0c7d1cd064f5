"""Special functions of SciPy: only those that are one function there, not formulas of several."""

from __future__ import annotations

from typing import Any

import scipy
from oracle import OracleTable
from scipy import special

TABLE = OracleTable("scipy", scipy.__version__)
# Ours, SciPy's, and the arguments in SciPy's order where it is another one.
SAME = {
    "bessel_i": "iv", "bessel_i_scaled": "ive", "bessel_j": "jv", "bessel_k": "kv", "bessel_k_scaled": "kve",
    "bessel_y": "yv", "beta": "beta", "binomial_real": "binom", "carlson_rc": "elliprc", "carlson_rd": "elliprd",
    "carlson_rf": "elliprf", "carlson_rg": "elliprg", "carlson_rj": "elliprj", "chebyshev_t": "eval_chebyt",
    "chebyshev_u": "eval_chebyu", "dawson": "dawsn", "digamma": "psi", "elliptic_e": "ellipe",
    "elliptic_e_incomplete": "ellipeinc", "elliptic_f": "ellipkinc", "elliptic_k": "ellipk", "erf": "erf",
    "erf_inverse": "erfinv", "erfc": "erfc", "erfc_inverse": "erfcinv", "erfcx": "erfcx", "erfi": "erfi",
    "exponential_integral_e1": "exp1", "exponential_integral_ei": "expi", "exponential_integral_en": "expn",
    "factorial": "factorial", "gamma": "gamma", "gamma_p": "gammainc", "gamma_p_inverse": "gammaincinv",
    "gamma_q": "gammaincc", "gamma_q_inverse": "gammainccinv", "hermite": "eval_hermite",
    "hermite_probabilist": "eval_hermitenorm", "hurwitz_zeta": "zeta", "hyp0f1": "hyp0f1", "hyp1f1": "hyp1f1",
    "hyp2f1": "hyp2f1", "hyperu": "hyperu", "kelvin_bei": "bei", "kelvin_ber": "ber", "kelvin_kei": "kei",
    "kelvin_ker": "ker", "laguerre": "eval_laguerre", "legendre": "eval_legendre", "log_beta": "betaln",
    "log_gamma": "gammaln", "owens_t": "owens_t", "pochhammer": "poch", "polygamma": "polygamma",
    "reciprocal_gamma": "rgamma", "struve_h": "struve", "struve_l": "modstruve",
    "voigt_profile": "voigt_profile", "zeta": "zeta", "zeta_minus_one": "zetac", "gegenbauer": "eval_gegenbauer",
    "jacobi": "eval_jacobi", "wright_omega": "wrightomega", "spherical_bessel_i": "spherical_in",
    "spherical_bessel_j": "spherical_jn", "spherical_bessel_k": "spherical_kn", "spherical_bessel_y": "spherical_yn",
}  # fmt: skip
ORDERED = {
    "associated_laguerre": ("eval_genlaguerre", "n alpha x"),
    "beta_regularized": ("betainc", "a b x"),
    "beta_regularized_inverse": ("betaincinv", "a b p"),
    "parabolic_cylinder_d": ("pbdv", "order x"),
    "airy_ai": ("airy", "x"),
    "airy_ai_prime": ("airy", "x"),
    "airy_bi": ("airy", "x"),
    "airy_bi_prime": ("airy", "x"),
    "jacobi_sn": ("ellipj", "u m"),
    "jacobi_cn": ("ellipj", "u m"),
    "jacobi_dn": ("ellipj", "u m"),
    "sine_integral": ("sici", "x"),
    "cosine_integral": ("sici", "x"),
    "hyperbolic_sine_integral": ("shichi", "x"),
    "hyperbolic_cosine_integral": ("shichi", "x"),
    "fresnel_s": ("fresnel", "x"),
    "fresnel_c": ("fresnel", "x"),
}
PART = {  # of functions that return several values
    "parabolic_cylinder_d": 0, "airy_ai": 0, "airy_ai_prime": 1, "airy_bi": 2, "airy_bi_prime": 3, "jacobi_sn": 0,
    "jacobi_cn": 1, "jacobi_dn": 2, "sine_integral": 0, "cosine_integral": 1, "hyperbolic_sine_integral": 0,
    "hyperbolic_cosine_integral": 1, "fresnel_s": 0, "fresnel_c": 1,
}  # fmt: skip
DRAWS = {
    "order": (0, 6), "n": (0, 8), "a": (0.3, 6), "b": (0.3, 6), "c": (0.5, 6), "m": (0.05, 0.95), "p": (0.02, 0.98),
    "k": (0, 8),
}  # fmt: skip
OF = {
    "hyp2f1": {"x": (-0.9, 0.9)}, "hurwitz_zeta": {"s": (1.2, 9)}, "zeta": {"s": (1.2, 9)},
    "zeta_minus_one": {"s": (1.2, 9)}, "carlson_rj": {"p": (-6, 6)}, "carlson_rc": {"y": (-6, 6)},
    "bessel_j": {"order": (-6, 6), "x": (0.1, 9)}, "bessel_y": {"order": (-6, 6)}, "bessel_k": {"order": (-6, 6)},
    "bessel_i": {"order": (-6, 6), "x": (0.1, 9)}, "polygamma": {"order": (1, 6), "x": (0.1, 9)},
    "digamma": {"x": (-9.7, 9)}, "log_gamma": {"x": (-9.7, 60)},
    "hyperu": {"x": (0.3, 6)}, "parabolic_cylinder_d": {"order": (0, 5), "x": (-3, 3)}, "factorial": {"n": (0, 15)},
    "airy_ai": {"x": (-8, 3)}, "airy_ai_prime": {"x": (-8, 3)}, "airy_bi": {"x": (-8, 3)},
    "airy_bi_prime": {"x": (-8, 3)},
    "beta_regularized": {"x": (0.02, 0.98)},
}  # fmt: skip
WITHIN = {
    "kelvin_kei": 1e-8,
    "kelvin_ker": 1e-8,
    "parabolic_cylinder_d": 1e-9,
    "hyperu": 1e-8,
    "hyp2f1": 1e-10,
    "hyp1f1": 1e-10,
    "struve_h": 1e-9,
}
USUAL, NEAR_ZERO = 1e-11, 1e-13


def _add(ours: str, theirs: str, order: str = "") -> None:
    function, part = getattr(special, theirs), PART.get(ours)

    def compute(**drawn: Any) -> Any:
        given = [drawn[name] for name in order.split()] if order else [*drawn.values()]
        value = function(*given)
        return value if part is None else value[part]

    TABLE.add(
        f"special.{ours}",
        f"scipy.special.{theirs}",
        compute,
        within=WITHIN.get(ours, USUAL),
        near_zero=NEAR_ZERO,
        draws=DRAWS | OF.get(ours, {}),
    )


for _ours, _theirs in SAME.items():
    _add(_ours, _theirs)
for _ours, (_theirs, _order) in ORDERED.items():
    _add(_ours, _theirs, _order)
TABLE.add("special.lambert_w", "scipy.special.lambertw", lambda x: special.lambertw(x).real, draws={"x": (-0.3, 8)})
TABLE.add(
    "special.lambert_w_lower",
    "scipy.special.lambertw",
    lambda x: special.lambertw(x, -1).real,
    draws={"x": (-0.36, -0.01)},
    asked="branch -1",
)
TABLE.add(
    "special.dilogarithm",
    "scipy.special.spence",
    lambda x: special.spence(1 - x),
    draws={"x": (-5, 0.9)},
    asked="at 1 - x",
)
TABLE.add(
    "special.bessel_j_derivative",
    "scipy.special.jvp",
    lambda order, x: special.jvp(order, x, 1),
    near_zero=NEAR_ZERO,
    within=USUAL,
    draws={"order": (1, 6)},
)
TABLE.add(
    "special.falling_factorial",
    "scipy.special.poch",
    lambda x, n: special.poch(x - n + 1, n),
    asked="at x - n + 1",
    within=USUAL,
    draws={"x": (8.5, 14), "n": (0, 6)},
)


def _add_zeros(ours: str, theirs: str) -> None:
    zeros = getattr(special, theirs)
    TABLE.add(
        f"special.{ours}",
        f"scipy.special.{theirs}",
        lambda order, n: zeros(int(order), n)[-1],
        draws={"order": [0.0, 1.0, 2.0, 3.0, 5.0], "n": (1, 9)},
    )


_add_zeros("bessel_j_zero", "jn_zeros")
_add_zeros("bessel_y_zero", "yn_zeros")
TABLE.add(
    "special.airy_ai_zero",
    "scipy.special.ai_zeros",
    lambda n: special.ai_zeros(n)[0][-1],
    within=1e-9,
    draws={"n": (1, 9)},
)
TABLE.add(
    "special.airy_bi_zero",
    "scipy.special.bi_zeros",
    lambda n: special.bi_zeros(n)[0][-1],
    within=1e-9,
    draws={"n": (1, 9)},
)
