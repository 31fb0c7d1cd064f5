"""Solutions and electrolysis of chemlib."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version

from chemlib import Element, Solution, electrolysis, pH
from oracle import OracleTable

TABLE = OracleTable("chemlib", version("chemlib"))
METALS = {float(Element(symbol).AtomicMass): symbol for symbol in ("Cu", "Ag", "Zn", "Ni", "Pb")}
TABLE.add("chemistry.ph", "chemlib.chemistry.pH", lambda hydrogen: pH(H=hydrogen)["pH"], draws={"hydrogen": (1e-9, 0.1)}, within=1e-11)
TABLE.add("chemistry.diluted_concentration", "chemlib.chemistry.Solution.dilute", lambda stock, volume, final: Solution("NaCl", stock).dilute(V1=volume, V2=final)["Molarity"], draws={"stock_concentration": (0.1, 9), "stock_volume": (0.001, 0.4), "final_volume": (0.5, 9)})
# Its Faraday constant has five digits.
TABLE.add("electrochemistry.electrolysis_mass", "chemlib.electrochemistry.electrolysis", lambda current, time, molar_mass, electrons: electrolysis(METALS[molar_mass], electrons, amps=current, seconds=time)["grams"], draws={"current": (0.1, 90), "time": (10, 9000), "molar_mass": list(METALS), "electrons": [1, 2, 3]}, within=5e-6)
TABLE.add("electrochemistry.corrosion_rate", "chemlib.electrochemistry.electrolysis", lambda current_density, molar_mass, electrons, density: electrolysis(METALS[1e3 * molar_mass], electrons, amps=current_density, seconds=1)["grams"] / 1e3 / density, asked="the mass of a square metre in a second, over the density", draws={"current_density": (0.001, 9), "molar_mass": [mass / 1e3 for mass in METALS], "electrons": [1, 2, 3], "density": (2000, 12000)}, within=5e-6)
