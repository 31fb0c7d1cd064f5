"""Forces, fringes and fluids of formulon."""

# fmt: off
from __future__ import annotations

import math
from importlib.metadata import version

from formulon import electromagnetism, fluidmechanics, wavedynamics
from oracle import OracleTable
from scipy.constants import elementary_charge

TABLE = OracleTable("formulon-physics", version("formulon-physics"))
TABLE.add("electromagnetism.coulomb_force", "formulon.electromagnetism.coulomb_force", lambda charge, other_charge, distance: float(electromagnetism.coulomb_force(charge, other_charge, distance)), draws={"charge": (1e-9, 1e-5), "other_charge": (1e-9, 1e-5), "distance": (0.01, 9)}, within=1e-8)
TABLE.add("optics.double_slit_fringe_spacing", "formulon.wavedynamics.double_slit_fringe_width", lambda wavelength, screen_distance, slit_separation: float(wavedynamics.double_slit_fringe_width(wavelength, screen_distance, slit_separation)), draws={"wavelength": (4e-7, 8e-7), "screen_distance": (0.1, 9), "slit_separation": (1e-5, 1e-3)})
TABLE.add("fluids.capillary_rise", "formulon.fluidmechanics.capillary_rise", lambda surface_tension, contact_angle, density, gravity, radius: float(fluidmechanics.capillary_rise(surface_tension, math.degrees(contact_angle), radius, density, gravity)), draws={"surface_tension": (0.01, 0.5), "contact_angle": (0, 1.4), "density": (500, 9000), "gravity": (9.7, 9.9), "radius": (1e-5, 1e-3)}, within=1e-11)
TABLE.add("fluids.bernoulli_pressure", "formulon.fluidmechanics.bernoullis_equation", lambda pressure, density, speed, speed_downstream, gravity, height, height_downstream: float(fluidmechanics.bernoullis_equation(pressure, density, speed, height, speed_downstream, height_downstream, gravity)), draws={"pressure": (9e6, 2e7), "density": (500, 1100), "speed": (1, 40), "speed_downstream": (1, 40), "gravity": (9.7, 9.9), "height": (0, 30), "height_downstream": (0, 30)}, within=1e-11)
TABLE.add("electrical.joule_power", "formulon.electromagnetism.joule_heating_power", lambda current, resistance: float(electromagnetism.joule_heating_power(electromagnetism.ohms_law_voltage(current, resistance), current)), asked="of ohms_law_voltage", draws={"current": (0.01, 40), "resistance": (0.1, 900)}, within=1e-11)
TABLE.add("nuclear.coulomb_barrier", "formulon.electromagnetism.electric_potential_energy", lambda charge_number, other_charge_number, distance: float(electromagnetism.electric_potential_energy(charge_number * elementary_charge, other_charge_number * elementary_charge, distance)), asked="of the charges", draws={"charge_number": (1, 92), "other_charge_number": (1, 92), "distance": (1e-15, 2e-14)}, within=1e-8)
