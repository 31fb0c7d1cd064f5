"""Electron waves of pymatgen."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version

from oracle import OracleTable
from pymatgen.analysis.diffraction.tem import TEMCalculator

TABLE = OracleTable("pymatgen", version("pymatgen"))
TABLE.add("quantum.electron_wavelength", "pymatgen.analysis.diffraction.tem.TEMCalculator.wavelength_rel", lambda voltage: TEMCalculator(voltage=voltage / 1e3).wavelength_rel() / 1e10, asked="in kilovolts and angstroms", draws={"voltage": (1e4, 4e5)}, within=1e-8)
