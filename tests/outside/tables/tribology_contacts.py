"""Elastic contacts of the package tribology."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version

from oracle import OracleTable
from tribology.hertz import eeff, reff

TABLE = OracleTable("tribology", version("tribology"))
TABLE.add("tribology.contact_modulus", "tribology.hertz.eeff", lambda first, first_poisson, second, second_poisson: eeff(first, first_poisson, second, second_poisson) / 2, asked="half of it, as it is twice the contact modulus", draws={"first_modulus": (1e9, 4e11), "second_modulus": (1e9, 4e11), "first_poisson": (0.1, 0.45), "second_poisson": (0.1, 0.45)})
TABLE.add("tribology.effective_radius", "tribology.hertz.reff", lambda first, second: reff(first, first, second, second)[1], asked="the radius along x", draws={"first_radius": (0.001, 0.5), "second_radius": (0.001, 0.5)})
