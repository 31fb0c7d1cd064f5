"""The functions that a formula may call: how each is evaluated in balls, and in rationals where it stays rational.

`unit` says what the function does to units: "plain" takes and gives plain numbers; "same" gives the unit that all of
its arguments have; the others are named for what they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from service_nb_kernels.certified import elementary as el
from service_nb_kernels.certified import incomplete
from service_nb_kernels.certified import special as sp

UnitRule = Literal["plain", "same", "root2", "root3", "sign", "ratio", "solver", "integral", "shape"]


@dataclass(frozen=True, slots=True)
class Function:
    """One function of the language.

    Parameters
    ----------
    ball : callable
        Takes integers and balls, returns an integer or a ball that encloses the true value.
    latex : str
        A template: ``{0}`` is the first argument, ``{0!p}`` the same in brackets where it needs them.
    rational : callable, optional
        The same over exact rationals; it raises `Inexact` where the value leaves them.
    inverse : str, optional
        The function that undoes it on the branch that `solve_for` takes.
    """

    ball: Callable[..., Any]
    arity: tuple[int, ...]
    latex: str
    unit: UnitRule = "plain"
    rational: Callable[..., Any] | None = None
    inverse: str | None = None


def _named(name: str) -> str:
    return rf"\operatorname{{{{{name}}}}}\left({{0}}\right)"


def _named2(name: str) -> str:
    return rf"\operatorname{{{{{name}}}}}\left({{0}}, {{1}}\right)"


F = Function
FUNCTIONS: Mapping[str, Function] = {
    "abs": F(abs, (1,), r"\left|{0}\right|", "same", abs),
    "min": F(el.smaller, (2, 3, 4, 5, 6), r"\min\left({*}\right)", "same", min),
    "max": F(el.larger, (2, 3, 4, 5, 6), r"\max\left({*}\right)", "same", max),
    "floor": F(el.floor, (1,), r"\left\lfloor {0} \right\rfloor", rational=el.exact_floor),
    "ceil": F(el.ceil, (1,), r"\left\lceil {0} \right\rceil", rational=el.exact_ceil),
    "round": F(el.nearest, (1,), _named("round"), rational=el.exact_nearest),
    "sign": F(el.sign, (1,), _named("sgn"), "sign", el.exact_sign),
    "sqrt": F(el.sqrt, (1,), r"\sqrt{{{0}}}", "root2", el.exact_sqrt),
    "cbrt": F(el.cbrt, (1,), r"\sqrt[3]{{{0}}}", "root3"),
    "hypot": F(el.hypot, (2, 3), r"\operatorname{{hypot}}\left({*}\right)", "same"),
    "exp": F(el.exp, (1,), r"e^{{{0}}}", rational=el.at_zero(1), inverse="log"),
    "expm1": F(el.expm1, (1,), r"\left(e^{{{0}}} - 1\right)", rational=el.at_zero(0), inverse="log1p"),
    "log": F(el.log, (1,), r"\ln{0!p}", rational=el.at_one(0), inverse="exp"),
    "log1p": F(el.log1p, (1,), r"\ln\left(1 + {0}\right)", rational=el.at_zero(0), inverse="expm1"),
    "log2": F(el.log2, (1,), r"\log_2{0!p}", rational=el.exact_log2),
    "log10": F(el.log10, (1,), r"\log_{{10}}{0!p}", rational=el.exact_log10),
    "sin": F(el.sin, (1,), r"\sin{0!p}", rational=el.at_zero(0), inverse="asin"),
    "cos": F(el.cos, (1,), r"\cos{0!p}", rational=el.at_zero(1), inverse="acos"),
    "tan": F(el.tan, (1,), r"\tan{0!p}", rational=el.at_zero(0), inverse="atan"),
    "asin": F(el.asin, (1,), r"\arcsin{0!p}", rational=el.at_zero(0), inverse="sin"),
    "acos": F(el.acos, (1,), r"\arccos{0!p}", rational=el.at_one(0), inverse="cos"),
    "atan": F(el.atan, (1,), r"\arctan{0!p}", rational=el.at_zero(0), inverse="tan"),
    "atan2": F(el.atan2, (2,), _named2("atan2"), "ratio"),
    "sinh": F(el.sinh, (1,), r"\sinh{0!p}", rational=el.at_zero(0), inverse="asinh"),
    "cosh": F(el.cosh, (1,), r"\cosh{0!p}", rational=el.at_zero(1), inverse="acosh"),
    "tanh": F(el.tanh, (1,), r"\tanh{0!p}", rational=el.at_zero(0), inverse="atanh"),
    "asinh": F(el.asinh, (1,), _named("arsinh"), rational=el.at_zero(0), inverse="sinh"),
    "acosh": F(el.acosh, (1,), _named("arcosh"), rational=el.at_one(0), inverse="cosh"),
    "atanh": F(el.atanh, (1,), _named("artanh"), rational=el.at_zero(0), inverse="tanh"),
    "sinc": F(el.sinc, (1,), r"\frac{{\sin{0!p}}}{{{0}}}", rational=el.at_zero(1)),
    "gamma": F(sp.gamma, (1,), r"\Gamma\left({0}\right)", rational=sp.exact_gamma),
    "log_gamma": F(sp.log_gamma, (1,), r"\ln\Gamma\left({0}\right)"),
    "digamma": F(sp.digamma, (1,), r"\psi\left({0}\right)"),
    "harmonic": F(sp.harmonic, (1,), r"H_{{{0}}}", rational=sp.exact_harmonic),
    "polygamma": F(sp.polygamma, (2,), r"\psi^{{({0})}}\left({1}\right)"),
    "beta": F(sp.beta, (2,), r"\mathrm{{B}}\left({0}, {1}\right)"),
    "log_beta": F(sp.log_beta, (2,), r"\ln\mathrm{{B}}\left({0}, {1}\right)"),
    "factorial": F(sp.factorial, (1,), r"{0!p}!", rational=sp.factorial),
    "binomial": F(sp.binomial, (2,), r"\binom{{{0}}}{{{1}}}", rational=sp.binomial),
    "erf": F(sp.method("erf"), (1,), _named("erf"), rational=el.at_zero(0), inverse="erf_inverse"),
    "erfc": F(sp.erfc, (1,), _named("erfc"), rational=el.at_zero(1)),
    "erf_inverse": F(sp.erf_inverse, (1,), r"\operatorname{{erf}}^{{-1}}\left({0}\right)", inverse="erf"),
    "normal_pdf": F(sp.normal_pdf, (1,), r"\varphi\left({0}\right)"),
    "normal_cdf": F(sp.normal_cdf, (1,), r"\Phi\left({0}\right)", inverse="normal_quantile"),
    "normal_sf": F(sp.normal_sf, (1,), r"\left(1 - \Phi\left({0}\right)\right)"),
    "normal_quantile": F(sp.normal_quantile, (1,), r"\Phi^{{-1}}\left({0}\right)", inverse="normal_cdf"),
    "gamma_p": F(incomplete.gamma_p, (2,), r"P\left({0}, {1}\right)"),
    "gamma_q": F(incomplete.gamma_q, (2,), r"Q\left({0}, {1}\right)"),
    "beta_regularized": F(incomplete.beta_regularized, (3,), r"I_{{{0}}}\left({1}, {2}\right)"),
    "student_t_cdf": F(incomplete.student_t_cdf, (2,), r"F_{{t}}\left({0};\, {1}\right)"),
    "student_t_sf": F(incomplete.student_t_sf, (2,), r"\left(1 - F_{{t}}\left({0};\, {1}\right)\right)"),
    "chi2_cdf": F(incomplete.chi2_cdf, (2,), r"F_{{\chi^2}}\left({0};\, {1}\right)"),
    "chi2_sf": F(incomplete.chi2_sf, (2,), r"\left(1 - F_{{\chi^2}}\left({0};\, {1}\right)\right)"),
    "noncentral_chi2_cdf": F(incomplete.noncentral_chi2_cdf, (3,), r"F_{{\chi'^2}}\left({0};\, {1}, {2}\right)"),
    "noncentral_chi2_sf": F(
        incomplete.noncentral_chi2_sf, (3,), r"\left(1 - F_{{\chi'^2}}\left({0};\, {1}, {2}\right)\right)"
    ),
    "noncentral_beta_cdf": F(incomplete.noncentral_beta_cdf, (4,), r"I_{{{0}}}\left({1}, {2};\, {3}\right)"),
    "noncentral_beta_sf": F(
        incomplete.noncentral_beta_sf, (4,), r"\left(1 - I_{{{0}}}\left({1}, {2};\, {3}\right)\right)"
    ),
    "noncentral_t_cdf": F(incomplete.noncentral_t_cdf, (3,), r"F_{{t'}}\left({0};\, {1}, {2}\right)"),
    "noncentral_t_sf": F(incomplete.noncentral_t_sf, (3,), r"\left(1 - F_{{t'}}\left({0};\, {1}, {2}\right)\right)"),
    "f_cdf": F(incomplete.f_cdf, (3,), r"F_{{F}}\left({0};\, {1}, {2}\right)"),
    "f_sf": F(incomplete.f_sf, (3,), r"\left(1 - F_{{F}}\left({0};\, {1}, {2}\right)\right)"),
    "bessel_j": F(sp.bessel("bessel_j"), (2,), r"J_{{{0}}}\left({1}\right)"),
    "bessel_y": F(sp.bessel("bessel_y"), (2,), r"Y_{{{0}}}\left({1}\right)"),
    "bessel_i": F(sp.bessel("bessel_i"), (2,), r"I_{{{0}}}\left({1}\right)"),
    "bessel_k": F(sp.bessel_k, (2,), r"K_{{{0}}}\left({1}\right)"),
    "airy_ai": F(sp.method("airy_ai"), (1,), _named("Ai")),
    "airy_bi": F(sp.method("airy_bi"), (1,), _named("Bi")),
    "zeta": F(sp.zeta, (1, 2), r"\zeta\left({*}\right)"),
    "polylog": F(sp.polylog, (2,), r"\operatorname{{Li}}_{{{0}}}\left({1}\right)"),
    "lambert_w": F(sp.lambert_w, (1, 2), r"W\left({*}\right)"),
    "elliptic_k": F(sp.elliptic("elliptic_k"), (1,), r"K\left({0}\right)"),
    "elliptic_e": F(sp.elliptic("elliptic_e"), (1,), r"E\left({0}\right)"),
    "expint": F(sp.expint, (2,), r"E_{{{0}}}\left({1}\right)"),
    "ei": F(sp.ei, (1,), _named("Ei")),
    "li": F(sp.method("li"), (1,), _named("li")),
    "si": F(sp.method("si"), (1,), _named("Si")),
    "ci": F(sp.method("ci"), (1,), _named("Ci")),
    "fresnel_s": F(sp.method("fresnel_s"), (1,), r"S\left({0}\right)"),
    "fresnel_c": F(sp.method("fresnel_c"), (1,), r"C\left({0}\right)"),
    "hyp0f1": F(sp.hyp0f1, (2,), r"{{}}_0F_1\left(; {0}; {1}\right)"),
    "hyp1f1": F(sp.hyp1f1, (3,), r"{{}}_1F_1\left({0}; {1}; {2}\right)"),
    "hyp2f1": F(sp.hyp2f1, (4,), r"{{}}_2F_1\left({0}, {1}; {2}; {3}\right)"),
    "hypu": F(sp.hypu, (3,), r"U\left({0}, {1}, {2}\right)"),
    "legendre": F(sp.ordered("legendre_p"), (2,), r"P_{{{0}}}\left({1}\right)"),
    "chebyshev_t": F(sp.ordered("chebyshev_t"), (2,), r"T_{{{0}}}\left({1}\right)"),
    "chebyshev_u": F(sp.ordered("chebyshev_u"), (2,), r"U_{{{0}}}\left({1}\right)"),
    "hermite": F(sp.ordered("hermite_h"), (2,), r"H_{{{0}}}\left({1}\right)"),
    "laguerre": F(sp.ordered("laguerre_l"), (2,), r"L_{{{0}}}\left({1}\right)"),
    "root": F(el.unused, (3,), r"\operatorname{{root}}\left({*}\right)", "solver"),
    "integral": F(el.unused, (3,), "", "integral"),
    "smallest": F(el.unused, (2,), r"\min\left\{{{0}\right\}}", "solver"),
}
ARITY: Mapping[str, tuple[int, ...] | None] = {
    name: None if name in ("min", "max") else function.arity for name, function in FUNCTIONS.items()
}
