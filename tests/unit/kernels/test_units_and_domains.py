"""Units as exact scales and exponents; domains as intervals."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from scipy import constants
from service_nb_kernels.domain import parse_domain
from service_nb_kernels.errors import PackError
from service_nb_kernels.units import ONE, parse_unit


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("N", "kg*m/s^2"),
        ("J", "N*m"),
        ("W/(m^2*K)", "kg/(s^3*K)"),
        ("V", "J/C"),
        ("ohm*F", "s"),
        ("T", "V*s/m^2"),
        ("km/h", "m/(3.6 s)"),
        ("mL", "cm^3"),
        ("kWh", "3.6 MJ"),
        ("m^0.5*m^1.5", "m^2"),
        ("(m^2)^(1/2)", "m"),
        ("rad", "1"),
        ("byte", "8 bit"),
        ("1/min", "rpm"),
        ("yr^-0.5*yr^0.5", "1"),
        ("ug/m^3", "1e-9 kg/m^3"),
    ],
)
def test_units_are_equal_by_what_they_are_made_of(a: str, b: str) -> None:
    assert parse_unit(a) == parse_unit(b)


@pytest.mark.parametrize(
    ("unit", "si", "value"),
    [
        ("atm", "Pa", constants.atm),
        ("eV", "J", constants.eV),
        ("psi", "Pa", constants.psi),
        ("lb", "kg", constants.lb),
        ("ft", "m", constants.foot),
        ("mi", "m", constants.mile),
        ("nmi", "m", constants.nautical_mile),
        ("au", "m", constants.au),
        ("ly", "m", constants.light_year),
        ("Torr", "Pa", constants.torr),
        ("kn", "m/s", constants.knot),
        ("ha", "m^2", constants.hectare),
        ("u", "kg", constants.u),
        ("yr", "s", constants.Julian_year),
    ],
)
def test_scales_are_those_of_scipy(unit: str, si: str, value: float) -> None:
    ratio = parse_unit(unit) / parse_unit(si)
    scale = math.prod(Fraction(int(symbol)) ** int(power) for symbol, power in ratio.powers)
    assert all(symbol.isdigit() for symbol, _ in ratio.powers)
    assert float(scale) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize("text", ["", "furlong", "m/", "m^", "(m", "m)", "kg**2", "m^x", "5 kg m", "?", "kkg", "mmin"])
def test_malformed_units_are_refused(text: str) -> None:
    with pytest.raises(PackError):
        parse_unit(text)


def test_angles_decibels_money_and_information_are_not_plain_numbers() -> None:
    assert ONE not in {parse_unit(text) for text in ("deg", "dB", "money", "bit", "?u", "%", "km/m")}


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("(0, inf)", [5e-324, 1e308], [0.0, -1.0, math.inf]),
        ("[0, 1]", [0.0, 1.0, 0.5], [math.nextafter(1, 2), -5e-324]),
        ("[0.1, 1)", [0.1, 0.99], [math.nextafter(0.1, 0), 1.0]),
        ("(-inf, inf)", [0, 10**400, -1e308], [math.inf, -math.inf, math.nan]),
        ("[1, inf)", [1, 2**70], [0, math.nan]),
    ],
)
def test_domain_knows_what_lies_in_it(text: str, inside: list[float], outside: list[float]) -> None:
    domain = parse_domain(text)
    assert all(value in domain for value in inside)
    assert not any(value in domain for value in outside)


def test_bounds_are_the_doubles_that_people_write_so() -> None:
    for text in ("[0.1, 1]", "[0, 0.1]", "[0.3, 1)", "[0, 0.3]"):  # one is above its decimal, the other below
        assert (0.1 if "0.1" in text else 0.3) in parse_domain(text)
    assert 0.1 not in parse_domain("(0.1, 1)")


@pytest.mark.parametrize("text", ["", "0, 1", "(0 1)", "(1, 0)", "[a, b]", "(0, inf", "{0, 1}"])
def test_malformed_domains_are_refused(text: str) -> None:
    with pytest.raises(PackError):
        parse_domain(text)
