"""Special functions, integrals and matrices of mpmath."""

# fmt: off
from __future__ import annotations

from typing import Any

import mpmath as mp
from oracle import OracleTable

TABLE = OracleTable("mpmath", mp.__version__)
mp.mp.dps = 25


def _read(value: Any) -> Any:
    """Make doubles of the numbers and matrices of mpmath."""
    if isinstance(value, mp.matrix):
        return [[float(each) for each in row] for row in value.tolist()]
    return float(mp.re(value)) if isinstance(value, mp.mpf | mp.mpc) else value


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    def ask(**drawn: Any) -> Any:
        return _read(compute(**drawn))

    TABLE.add(capability, f"mpmath.{function}", ask, **{"within": 1e-13, "near_zero": 1e-300, **more})


def _special(capability: str, function: str, compute: Any, **more: Any) -> None:
    _add(f"special.{capability}", function, compute, **more)


_special("clausen", "clsin", lambda angle: mp.clsin(2, angle), draws={"angle": (-9, 9)})
_special("lerch_phi", "lerchphi", lambda z, s, a: mp.lerchphi(z, s, a), draws={"z": (-0.9, 0.9), "s": (0.5, 5), "a": (0.2, 5)})  # fmt: skip
_special("inverse_tangent_integral", "polylog", lambda x: mp.im(mp.polylog(2, 1j * mp.mpf(x))), asked="imaginary part at i x")
_special("legendre_q", "legenq", lambda n, x: mp.legenq(n, 0, x), draws={"n": (0, 8)})
_special("associated_legendre", "legenp", lambda n, m, x: mp.legenp(n, m, x), draws={"n": (2, 9), "m": (0, 2)})
_special("whittaker_m", "whitm", lambda k, mu, x: mp.whitm(k, mu, x), draws={"k": (-2, 2), "mu": (0.1, 3), "x": (0.2, 8)})  # fmt: skip
_special("whittaker_w", "whitw", lambda k, mu, x: mp.whitw(k, mu, x), draws={"k": (-2, 2), "mu": (0.1, 3), "x": (0.2, 8)})  # fmt: skip
_special("coulomb_f", "coulombf", lambda l, eta, rho: mp.coulombf(l, eta, rho), draws={"l": (0, 5), "eta": (-3, 3), "rho": (0.5, 15)})  # fmt: skip
_special("coulomb_g", "coulombg", lambda l, eta, rho: mp.coulombg(l, eta, rho), draws={"l": (0, 5), "eta": (-3, 3), "rho": (0.5, 15)})  # fmt: skip
_special("riemann_siegel_z", "siegelz", lambda t: mp.siegelz(t), draws={"t": (0, 80)}, within=1e-12)
_special("zeta_zero", "zetazero", lambda n: mp.im(mp.zetazero(n)), draws={"n": (1, 60)})
_special("elliptic_pi", "ellippi", lambda n, m: mp.ellippi(n, m), draws={"n": (-4, 0.95), "m": (-3, 0.95)})
_special("elliptic_pi_incomplete", "ellippi", lambda n, phi, m: mp.ellippi(n, phi, m), draws={"n": (-4, 0.9), "phi": (0.05, 1.5), "m": (-3, 0.9)})  # fmt: skip
for _n in (1, 2, 3, 4):
    _special(f"theta_{_n}", "jtheta", lambda z, nome, n=_n: mp.jtheta(n, z, nome), draws={"nome": (0.01, 0.9)}, within=1e-12)  # fmt: skip
_special("euler_function", "qp", lambda q: mp.qp(q), draws={"q": (-0.9, 0.9)})
_special("dedekind_eta", "eta", lambda y: mp.eta(1j * mp.mpf(y)))
_special("modular_lambda", "mfrom", lambda y: mp.mfrom(tau=1j * mp.mpf(y)), draws={"y": (0.3, 6)})
_special("elliptic_nome", "qfrom", lambda m: mp.qfrom(m=mp.mpf(m)), draws={"m": (0.02, 0.98)})
_special("elliptic_parameter_from_nome", "mfrom", lambda nome: mp.mfrom(q=mp.mpf(nome)), draws={"nome": (0.01, 0.6)})
_special("repeated_erfc_integral", "quad", lambda x: mp.quad(mp.erfc, [x, x + 2, mp.inf]), draws={"x": (-4, 4)}, asked="of erfc")  # fmt: skip
_special("trigamma", "psi", lambda x: mp.psi(1, x), draws={"x": (-9.7, 9)})
_special("gamma_lower", "gammainc", lambda a, x: mp.gammainc(a, 0, x))
_special("gamma_upper", "gammainc", lambda a, x: mp.gammainc(a, x))
_special("beta_lower", "betainc", lambda x, a, b: mp.betainc(a, b, 0, x))
_special("log_factorial", "loggamma", lambda n: mp.loggamma(n + 1), draws={"n": (2, 500)})
_special("gamma_ratio", "gammaprod", lambda a, b: mp.gammaprod([a], [b]))
_special("bernoulli_polynomial", "bernpoly", lambda n, x: mp.bernpoly(n, x), draws={"n": (0, 14)})
_special("logarithmic_integral", "li", lambda x: mp.li(x), draws={"x": (1.5, 50)})
_special("offset_logarithmic_integral", "li", lambda x: mp.li(x, offset=True), draws={"x": (2.5, 50)}, asked="offset")
_special("debye", "quad", lambda n, x: n / mp.mpf(x) ** n * mp.quad(lambda t: t**n / mp.expm1(t), [0, x]), draws={"n": (1, 6), "x": (0.2, 9)}, asked="of t^n / expm1(t), times n / x^n")  # fmt: skip
_special("fermi_dirac", "quad", lambda order, x: mp.quad(lambda t: t**order / (mp.exp(t - x) + 1), [0, 5, 20, mp.inf]) / mp.gamma(order + 1), draws={"order": [1.0, 1.5, 2.0, 2.5, 3.0], "x": (-4, 3)}, asked="of t^order / (exp(t - x) + 1), over gamma", within=1e-11)  # fmt: skip
_special("bose_einstein", "quad", lambda order, x: mp.quad(lambda t: t**order / (mp.exp(t - x) - 1), [0, 5, 20, mp.inf]) / mp.gamma(order + 1), draws={"order": [1.0, 1.5, 2.0, 2.5, 3.0], "x": (-4, -0.2)}, asked="of t^order / (exp(t - x) - 1), over gamma", within=1e-11)  # fmt: skip
_special("zeta_derivative", "zeta", lambda s: mp.zeta(s, 1, 1), draws={"s": (-4.3, 8)}, asked="derivative 1")
_special("dirichlet_eta", "altzeta", lambda s: mp.altzeta(s), draws={"s": (-4, 9)})
_special("dirichlet_lambda", "zeta", lambda s: mp.zeta(s, 0.5) / mp.mpf(2) ** s, draws={"s": (1.1, 9)}, asked="at 1/2, over 2^s")  # fmt: skip
_special("dirichlet_beta", "dirichlet", lambda s: mp.dirichlet(s, [0, 1, 0, -1]), draws={"s": (0.2, 9)}, asked="character 0, 1, 0, -1")  # fmt: skip
_special("polylog", "polylog", lambda s, x: mp.polylog(s, x), draws={"s": (-2, 5), "x": (-0.95, 0.95)})
_special("legendre_chi", "lerchphi", lambda order, x: mp.mpf(x) * mp.lerchphi(mp.mpf(x) ** 2, order, 0.5) / mp.mpf(2) ** order, draws={"order": (0.5, 4), "x": (-0.95, 0.95)}, asked="at x^2 and 1/2, times x / 2^order")  # fmt: skip


def _elementary(capability: str, function: str, compute: Any, **more: Any) -> None:
    _add(f"elementary.{capability}", function, compute, **more)


_elementary("log_base", "log", lambda x, base: mp.log(x, base))
for _name in ("sec", "csc", "cot", "sech"):
    _elementary(_name, _name, lambda x, function=getattr(mp, _name): function(x))
_elementary("sin_pi", "sinpi", lambda x: mp.sinpi(x))
_elementary("cos_pi", "cospi", lambda x: mp.cospi(x))
_elementary("tan_pi", "sinpi", lambda x: mp.sinpi(x) / mp.cospi(x), asked="over cospi")
_elementary("fused_multiply_add", "fdot", lambda a, b, c: mp.fdot([(a, b), (c, 1)]))
_elementary("sum_of_squares", "fsum", lambda values: mp.fsum(values, squared=True), asked="squared")
_elementary("ratio_of_sums", "fsum", lambda numerators, denominators: mp.fsum(numerators) / mp.fsum(denominators), asked="twice")


def _calculus(capability: str, function: str, compute: Any, **more: Any) -> None:
    _add(f"calculus.{capability}", function, compute, **{"within": 1e-11, "near_zero": 1e-14, **more})


_calculus("gaussian_integral", "quad", lambda scale, low, high: mp.quad(lambda x: mp.exp(-scale * x**2), mp.linspace(low, high, 9)), draws={"low": (-3, 0), "high": (0, 3)})  # fmt: skip
_calculus("power_exponential_integral", "quad", lambda power, rate, high: mp.quad(lambda x: x**power * mp.exp(-rate * x), [0, high / 2, high]), draws={"power": (0, 4), "rate": (0.1, 3), "high": (0.2, 6)})  # fmt: skip
_calculus("damped_cosine_integral", "quad", lambda decay, frequency: mp.quad(lambda x: mp.exp(-decay * x) * mp.cos(frequency * x), [*mp.linspace(0, 40 / decay, 41), mp.inf]), draws={"decay": (0.5, 3), "frequency": (-3, 3)})  # fmt: skip
_calculus("wallis_integral", "quad", lambda power: mp.quad(lambda x: mp.sin(x) ** power, [0, 0.5, mp.pi / 2]), draws={"power": (0, 9)})  # fmt: skip
_calculus("gaussian_cosine_integral", "quad", lambda scale, frequency: mp.quad(lambda x: mp.exp(-scale * x**2) * mp.cos(frequency * x), mp.linspace(-18, 18, 61)), draws={"scale": (0.4, 3), "frequency": (-4, 4)})  # fmt: skip
_calculus("bose_integral", "quad", lambda power: mp.quad(lambda x: x**power / mp.expm1(x), [0, 2, 10, mp.inf]), draws={"power": (1, 7)})  # fmt: skip
_calculus(
    "power_sum_real", "fsum", lambda exponent, n: mp.fsum(mp.mpf(k) ** exponent for k in range(1, n + 1)),
    draws={"exponent": (-3, 3), "n": (1, 40)}, within=1e-12,
)  # fmt: skip
_calculus(
    "pade",
    "pade",
    lambda coefficients, numerator_degree, denominator_degree: dict(zip(("numerator", "denominator"), [[float(each) for each in part] for part in mp.pade(coefficients, numerator_degree, denominator_degree)], strict=True)),
    draws={"n": (7, 7), "numerator_degree": (3, 3), "denominator_degree": (3, 3)},
    within=1e-8,
)
_calculus("wynn_epsilon", "shanks", lambda values: mp.shanks(values)[-1][-1], draws={"n": (5, 5)}, within=1e-9)


def _numbers(matrix: Any) -> Any:
    return [[float(mp.re(each)) for each in row] for row in matrix.tolist()]


SMALL = {"n": (2, 2), "m": (2, 2), "k": (2, 2)}


def _linalg(capability: str, function: str, compute: Any, **more: Any) -> None:
    _add(f"linalg.{capability}", function, compute, **{"within": 1e-8, "near_zero": 1e-12, "draws": SMALL, **more})


def _flatten(matrix: Any) -> list[float]:
    return [float(each) for each in matrix]


def _make_symmetric(drawn: dict[str, Any]) -> dict[str, Any]:
    matrix = drawn["matrix"]
    return {"matrix": [[matrix[min(i, j)][max(i, j)] for j in range(len(matrix))] for i in range(len(matrix))]}


def _make_definite(drawn: dict[str, Any]) -> dict[str, Any]:
    matrix = _make_symmetric(drawn)["matrix"]
    return {"matrix": [[each + 30 * (i == j) for j, each in enumerate(row)] for i, row in enumerate(matrix)]}


def _order(values: Any) -> list[list[float]]:
    return sorted([float(f"{mp.nstr(mp.re(each), 17)}"), float(mp.im(each))] for each in values)


_linalg("solve_large", "lu_solve", lambda matrix, right: _flatten(mp.lu_solve(mp.matrix(matrix), mp.matrix(right))))
_linalg("inverse_large", "inverse", lambda matrix: mp.inverse(mp.matrix(matrix)))
_linalg("log_determinant_large", "det", lambda matrix: {"sign": float(mp.sign(mp.det(matrix))), "logarithm": float(mp.log(abs(mp.det(matrix))))})
_linalg("least_squares_large", "qr_solve", lambda matrix, right: _flatten(mp.qr_solve(mp.matrix(matrix), mp.matrix(right))[0]), draws={"m": (3, 4), "n": (2, 2)})  # fmt: skip
_linalg("minimum_norm_solution", "lu_solve", lambda matrix, right: _flatten(mp.matrix(matrix).T * mp.lu_solve(mp.matrix(matrix) * mp.matrix(matrix).T, mp.matrix(right))), draws={"m": (2, 3), "n": (4, 6)}, asked="of A A^T, times A^T")  # fmt: skip
_linalg("eigenvalues_symmetric_large", "eigsy", lambda matrix: _flatten(mp.eigsy(mp.matrix(matrix), eigvals_only=True)), prepare=_make_symmetric)  # fmt: skip
_linalg("eigenvalues_large", "eig", lambda matrix: _order(mp.eig(mp.matrix(matrix), left=False, right=False)))
_linalg("eigenvalues", "eig", lambda matrix: _order(mp.eig(mp.matrix(matrix), left=False, right=False)))
_linalg("singular_values_large", "svd_r", lambda matrix: _flatten(mp.svd_r(mp.matrix(matrix), compute_uv=False)))
_linalg("cholesky_large", "cholesky", lambda matrix: mp.cholesky(mp.matrix(matrix)), prepare=_make_definite)
_linalg("matrix_product_large", "matrix", lambda a, b: mp.matrix(a) * mp.matrix(b), asked="product")
_linalg("matrix_exponential_large", "expm", lambda matrix: mp.expm(mp.matrix(matrix)), draws=SMALL | {"matrix": (-2, 2)})
_linalg("exponential_action", "expm", lambda matrix, vector, time: _flatten(mp.expm(mp.matrix(matrix) * time) * mp.matrix(vector)), draws=SMALL | {"matrix": (-2, 2), "time": (0.1, 2)}, asked="times the vector")
_linalg("commutator", "matrix", lambda a, b: mp.matrix(a) * mp.matrix(b) - mp.matrix(b) * mp.matrix(a), asked="A B - B A")  # fmt: skip
_linalg("spectral_radius", "eig", lambda matrix: max(float(abs(each)) for each in mp.eig(mp.matrix(matrix), left=False, right=False)), asked="largest absolute value")  # fmt: skip
_linalg("spectral_abscissa", "eig", lambda matrix: max(float(mp.re(each)) for each in mp.eig(mp.matrix(matrix), left=False, right=False)), asked="largest real part")  # fmt: skip


def _factor(matrix: list[list[float]]) -> dict[str, Any]:
    """Factor a matrix with a positive diagonal of the triangle: the sign of a column is free."""
    q, r = mp.qr(mp.matrix(matrix), mode="skinny")
    signs = mp.diag([mp.sign(r[i, i]) for i in range(r.rows)])
    return {"q": _numbers(q * signs), "r": _numbers(signs * r)}


_linalg("qr_large", "qr", _factor, draws={"m": (3, 3), "n": (2, 2)}, asked="skinny, diagonal positive")
