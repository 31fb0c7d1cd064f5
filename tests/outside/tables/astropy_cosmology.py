"""Distances, times and densities of Astropy's universes of matter, curvature and dark energy, without radiation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import astropy
from astropy import units as u
from astropy.cosmology import Flatw0waCDM, LambdaCDM
from oracle import OracleTable

TABLE = OracleTable("astropy", astropy.__version__)
DRAWS: dict[str, Sequence[Any]] = {
    "hubble": [1.8e-18, 2.8e-18],
    "redshift": [0.01, 8.0],
    "matter": [0.1, 0.9],
    "dark_energy": [0.0, 1.0],
    "w0": [-1.5, -0.5],
    "wa": [-0.8, 0.4],
}
SOME_RATE = 2.2e-18  # where the rate cancels


def make_universe(matter: float, dark_energy: float, hubble: float = SOME_RATE) -> LambdaCDM:
    """Make a universe with a cosmological constant."""
    return LambdaCDM(H0=hubble / u.s, Om0=matter, Ode0=dark_energy, Tcmb0=0 * u.K)


def make_dynamic(w0: float, wa: float, matter: float = 0.3, hubble: float = SOME_RATE) -> Flatw0waCDM:
    """Make a flat universe whose dark energy changes."""
    return Flatw0waCDM(H0=hubble / u.s, Om0=matter, w0=w0, wa=wa, Tcmb0=0 * u.K)


def _add(name: str, method: str, unit: Any = None, within: float = 1e-9, **more: Any) -> None:
    """Compare with a method that takes a redshift, in a universe of the other arguments."""

    def ask(redshift: float, **universe: float) -> Any:
        value = getattr(make_universe(**universe), method)(redshift)
        return float(value if unit is None else value.to_value(unit))

    draws = {**DRAWS, **more.pop("draws", {})}
    TABLE.add(f"cosmology.{name}", f"astropy.cosmology.LambdaCDM.{method}", ask, within=within, draws=draws, **more)


def _say(name: str, function: str, compute: Callable[..., Any], within: float = 1e-9, **more: Any) -> None:
    draws = {**DRAWS, **more.pop("draws", {})}
    TABLE.add(f"cosmology.{name}", f"astropy.cosmology.{function}", compute, within=within, draws=draws, **more)


_add("expansion_function", "efunc")
_add("transverse_comoving_distance", "comoving_transverse_distance", u.m)
_add("angular_diameter_distance", "angular_diameter_distance", u.m)
_add("luminosity_distance", "luminosity_distance", u.m)
_add("distance_modulus_of_redshift", "distmod", u.mag)
_add("lookback_time", "lookback_time", u.s)
_add("age_at_redshift", "age", u.s)
NEVER_FLAT = {"dark_energy": [0.0005, 0.2005, 0.7005, 0.9005]}  # next to flatness its difference cancels
_add("comoving_volume", "comoving_volume", u.m**3, 1e-7, draws=NEVER_FLAT)
_add("differential_comoving_volume", "differential_comoving_volume", u.m**3 / u.sr)
_add("absorption_distance", "absorption_distance")
_add("matter_density_parameter", "Om")
_say(
    "hubble_distance",
    "LambdaCDM.hubble_distance",
    lambda hubble: make_universe(0.3, 0.7, hubble).hubble_distance.to_value(u.m),
)
_say("hubble_time", "LambdaCDM.hubble_time", lambda hubble: make_universe(0.3, 0.7, hubble).hubble_time.to_value(u.s))
_say(
    "angular_diameter_distance_between",
    "LambdaCDM.angular_diameter_distance",
    lambda lens_redshift, source_redshift, **universe: (
        make_universe(**universe).angular_diameter_distance(lens_redshift, source_redshift).to_value(u.m)
    ),
    draws={"lens_redshift": [0.05, 1.0], "source_redshift": [1.1, 6.0]},
)
_say(
    "critical_density",
    "LambdaCDM.critical_density0",
    lambda hubble: make_universe(0.3, 0.7, hubble).critical_density0.to_value(u.kg / u.m**3),
)
_say(
    "photon_density_parameter",
    "LambdaCDM.Ogamma0",
    lambda temperature, hubble: LambdaCDM(H0=hubble / u.s, Om0=0.3, Ode0=0.7, Tcmb0=temperature * u.K).Ogamma0,
    draws={"temperature": [1.0, 5.0]},
)
_say(
    "background_temperature",
    "LambdaCDM.Tcmb",
    lambda redshift, temperature=2.7255: (
        LambdaCDM(H0=SOME_RATE / u.s, Om0=0.3, Ode0=0.7, Tcmb0=temperature * u.K).Tcmb(redshift).to_value(u.K)
    ),
    1e-12,
    draws={"temperature": [1.0, 5.0], "redshift": [0.0, 3000.0]},
)
_say(
    "scale_factor",
    "LambdaCDM.scale_factor",
    lambda redshift: float(make_universe(0.3, 0.7).scale_factor(redshift)),
    1e-12,
)
_say(
    "dark_energy_equation_of_state",
    "Flatw0waCDM.w",
    lambda redshift, w0, wa: make_dynamic(w0, wa).w(redshift),
    1e-12,
    near_zero=1e-12,
)
_say(
    "dark_energy_density_scale",
    "Flatw0waCDM.de_density_scale",
    lambda redshift, w0, wa: make_dynamic(w0, wa).de_density_scale(redshift),
)
_say(
    "comoving_distance_of_dynamic_dark_energy",
    "Flatw0waCDM.comoving_distance",
    lambda hubble, redshift, matter, w0, wa: (
        make_dynamic(w0, wa, matter, hubble).comoving_distance(redshift).to_value(u.m)
    ),
)
