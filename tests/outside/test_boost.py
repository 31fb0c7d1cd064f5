"""Boost's tables of special functions, which SciPy carries as doubles: each value is the nearest double.

The tables give 35 to 100 digits for arguments that are doubles. Left out are the rows whose value or argument is none:
what lies beyond the largest double, and arguments of long doubles. `igamma_big_data` lost the exponents of the gamma
functions that are not regularized, from a = 95 on, in Boost's own file, and has -1 for one value; the large arguments
of `erfc_inv_big_data` have 40 digits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from service_nb_kernels.errors import LimitError
from service_nb_kernels.execute import Executor

SCIPY = find_spec("scipy")
assert SCIPY is not None
assert SCIPY.origin is not None
FILE = Path(SCIPY.origin).parent / "special" / "tests" / "data" / "boost.npz"
RUN = Executor()
DEADLINE_S = 60.0
LONGER = {  # values below the smallest double after sums of 10,000 terms and more: `limit_exceeded`
    ("distributions.noncentral_chi2_cdf", 12729.392578125),
    ("distributions.noncentral_chi2_cdf", 6465.49755859375),
}


class Rows(NamedTuple):
    """Where files have the arguments of a capability, and its value."""

    files: str
    arguments: tuple[int, ...]
    value: int
    whole: int = 0  # how many of the first arguments are whole numbers
    is_modulus: bool = False  # of the last argument k: ours is k**2
    has_double: Callable[[Any], bool] = lambda row: True


TABLES: dict[str, list[Rows]] = {
    "distributions.noncentral_beta_cdf": [Rows("ncbeta ncbeta_big", (3, 0, 1, 2), 4)],
    "distributions.noncentral_beta_sf": [Rows("ncbeta ncbeta_big", (3, 0, 1, 2), 5)],
    "distributions.noncentral_chi2_cdf": [Rows("nccs nccs_big", (2, 0, 1), 3)],
    "distributions.noncentral_chi2_sf": [Rows("nccs nccs_big", (2, 0, 1), 4)],
    "elementary.cbrt": [Rows("cbrt_data", (1,), 0)],
    "elementary.expm1": [Rows("log1p_expm1_data", (0,), 2)],
    "elementary.log1p": [Rows("log1p_expm1_data", (0,), 1)],
    "elementary.sinc": [Rows("sinc_data", (0,), 1)],
    "special.associated_laguerre": [Rows("laguerre3", (0, 1, 2), 3, whole=1)],
    "special.bessel_i": [Rows("bessel_i_data bessel_i_int_data", (0, 1), 2)],
    "special.bessel_j": [Rows("bessel_j_data bessel_j_int_data bessel_j_large_data", (0, 1), 2)],
    "special.bessel_j_derivative": [Rows("bessel_j_prime_int_data bessel_j_prime_large_data", (0, 1), 2)],
    "special.bessel_k": [Rows("bessel_k_data bessel_k_int_data", (0, 1), 2)],
    "special.bessel_y": [Rows("bessel_y01_data bessel_yn_data bessel_yv_data", (0, 1), 2)],
    "special.beta": [Rows("beta_exp_data beta_med_data", (0, 1), 2)],
    "special.beta_lower": [Rows("ibeta_data ibeta_int_data ibeta_large_data ibeta_small_data", (2, 0, 1), 3)],
    "special.beta_regularized": [Rows("ibeta_data ibeta_int_data ibeta_large_data ibeta_small_data", (2, 0, 1), 5)],
    "special.beta_regularized_inverse": [Rows("ibeta_inv_data", (2, 0, 1), 3)],
    "special.carlson_rc": [Rows("ellint_rc_data", (0, 1), 2)],
    "special.carlson_rd": [
        Rows("ellint_rd_0xy ellint_rd_0yy ellint_rd_data ellint_rd_xxx ellint_rd_xxz ellint_rd_xyy", (0, 1, 2), 3)
    ],
    "special.carlson_rf": [
        Rows("ellint_rf_0yy ellint_rf_data ellint_rf_xxx ellint_rf_xy0 ellint_rf_xyy", (0, 1, 2), 3)
    ],
    "special.carlson_rg": [Rows("ellint_rg_00x ellint_rg ellint_rg_xxx ellint_rg_xy0 ellint_rg_xyy", (0, 1, 2), 3)],
    "special.carlson_rj": [Rows("ellint_rj_data", (0, 1, 2, 3), 4)],
    "special.digamma": [Rows("digamma_data digamma_neg_data digamma_root_data digamma_small_data", (0,), 1)],
    "special.elliptic_e": [Rows("ellint_e_data", (0,), 1, is_modulus=True)],
    "special.elliptic_e_incomplete": [Rows("ellint_e2_data", (0, 1), 2, is_modulus=True)],
    "special.elliptic_f": [Rows("ellint_f_data", (0, 1), 2, is_modulus=True)],
    "special.elliptic_k": [Rows("ellint_k_data", (0,), 1, is_modulus=True)],
    "special.elliptic_pi": [Rows("ellint_pi2_data", (0, 1), 2, is_modulus=True)],
    "special.elliptic_pi_incomplete": [Rows("ellint_pi3_data ellint_pi3_large_data", (0, 1, 2), 3, is_modulus=True)],
    "special.erf": [Rows("erf_data erf_large_data erf_small_data", (0,), 1)],
    "special.erf_inverse": [Rows("erf_inv_data", (0,), 1)],
    "special.erfc": [Rows("erf_data erf_large_data erf_small_data", (0,), 2)],
    "special.erfc_inverse": [
        Rows("erfc_inv_data", (0,), 1),
        Rows("erfc_inv_big_data", (0,), 1, has_double=lambda row: 0 < row[0] < 0.1),
    ],
    "special.exponential_integral_ei": [Rows("expinti_data expinti_data_double expinti_data_long", (0,), 1)],
    "special.exponential_integral_en": [Rows("expint_1_data expint_data expint_small_data", (0, 1), 2, whole=1)],
    "special.gamma": [Rows("factorials near_0 near_1 near_2 near_m10 near_m55", (0,), 1)],
    "special.gamma_lower": [
        Rows("igamma_int_data igamma_med_data igamma_small_data", (0, 1), 4),
        Rows("igamma_big_data", (0, 1), 4, has_double=lambda row: row[0] < 95),
    ],
    "special.gamma_p": [Rows("igamma_big_data igamma_int_data igamma_med_data igamma_small_data", (0, 1), 5)],
    "special.gamma_p_inverse": [Rows("gamma_inv_data gamma_inv_big_data gamma_inv_small_data", (0, 1), 2)],
    "special.gamma_q": [Rows("igamma_big_data igamma_int_data igamma_med_data igamma_small_data", (0, 1), 3)],
    "special.gamma_q_inverse": [Rows("gamma_inv_data gamma_inv_big_data gamma_inv_small_data", (0, 1), 3)],
    "special.gamma_ratio": [Rows("tgamma_ratio_data", (0, 1), 2)],
    "special.gamma_upper": [
        Rows("igamma_int_data igamma_med_data igamma_small_data", (0, 1), 2),
        Rows("igamma_big_data", (0, 1), 2, has_double=lambda row: row[0] < 95 and row[2] != -1),
    ],
    "special.hermite": [Rows("hermite", (0, 1), 2, whole=1)],
    "special.laguerre": [Rows("laguerre2", (0, 1), 2, whole=1)],
    "special.legendre": [Rows("legendre_p legendre_p_large", (0, 1), 2, whole=1)],
    "special.legendre_q": [Rows("legendre_p legendre_p_large", (0, 1), 3, whole=1)],
    "special.log_gamma": [Rows("factorials near_0 near_1 near_2 near_m10 near_m55", (0,), 2)],
    "special.owens_t": [Rows("owens_t owens_t_large_data", (0, 1), 2)],
    "special.spherical_bessel_j": [Rows("sph_bessel_data", (0, 1), 2, whole=1)],
    "special.spherical_bessel_y": [Rows("sph_neumann_data", (0, 1), 2, whole=1)],
    "special.zeta": [Rows("zeta_1_below_data zeta_1_up_data zeta_data zeta_neg_data", (0,), 1)],
}


@pytest.fixture(scope="module")
def boost() -> dict[str, Any]:
    with np.load(FILE) as tables:
        return {name.partition("-")[2]: tables[name] for name in tables}


def list_rows(boost: dict[str, Any], tables: list[Rows]) -> Iterator[tuple[list[float], float]]:
    """Yield the arguments that are doubles, with the value that the tables have for them."""
    for table in tables:
        for row in np.concatenate([boost[name] for name in table.files.split()]):
            arguments, value = [float(row[at]) for at in table.arguments], float(row[table.value])
            if table.is_modulus:
                modulus, arguments[-1] = arguments[-1], arguments[-1] ** 2
                if Fraction(modulus) ** 2 != Fraction(arguments[-1]):
                    continue
            arguments[: table.whole] = map(int, arguments[: table.whole])
            if table.has_double(row) and np.isfinite(value):
                yield arguments, value


@pytest.mark.parametrize("step", [29, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", TABLES)
def test_the_value_is_the_nearest_double(boost: dict[str, Any], name: str, step: int) -> None:
    rows = [*list_rows(boost, TABLES[name])]
    assert len(rows) >= 80
    apart = []
    for arguments, value in rows[::step]:
        try:
            ours = RUN.execute(name, arguments, timeout_s=DEADLINE_S)
        except LimitError:
            assert (name, arguments[0]) in LONGER, arguments
            continue
        if ours != value:
            apart.append((arguments, ours, value))
    assert apart == []
