"""Currents at electrodes of softpotato."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version

from oracle import OracleTable
from softpotato.analytical import hydrodynamics, kinetics, step, voltammetry

TABLE = OracleTable("softpotato", version("softpotato"))
DRAWS = {
    "electrons": (1, 4), "area": (1e-6, 1e-3), "diffusivity": (1e-10, 1e-8), "time": (0.01, 90), "concentration": (0.1, 90), "angular_speed": (1, 600),
    "viscosity": (5e-7, 5e-6), "scan_rate": (0.005, 5), "temperature": (275, 350), "exchange_current": (1e-3, 90), "transfer_coefficient": (0.2, 0.8),
    "overpotential": (0.001, 0.3), "current_density": (100, 9000),
}
TABLE.add("electrochemistry.butler_volmer_current", "softpotato.analytical.kinetics.butler_volmer", lambda exchange_current, transfer_coefficient, electrons, overpotential, temperature: float(kinetics.butler_volmer(overpotential, exchange_current, alpha=transfer_coefficient, n=electrons, T=temperature)), draws=DRAWS, within=1e-11)
TABLE.add("electrochemistry.tafel_overpotential", "softpotato.analytical.kinetics.tafel_overpotential", lambda temperature, transfer_coefficient, electrons, current_density, exchange_current: -float(kinetics.tafel_overpotential(current_density, exchange_current, transfer_coefficient, "cathodic", electrons, temperature)), asked="the cathodic branch, without its sign", draws=DRAWS, within=1e-11)
TABLE.add("electrochemistry.cottrell_current", "softpotato.analytical.step.cottrell", lambda electrons, area, concentration, diffusivity, time: float(step.cottrell(time, electrons, diffusivity, concentration, area)), draws=DRAWS, within=1e-12)
TABLE.add("electrochemistry.levich_current", "softpotato.analytical.hydrodynamics.levich", lambda electrons, area, diffusivity, angular_speed, viscosity, concentration: float(hydrodynamics.levich(angular_speed, n=electrons, D=diffusivity, c_bulk=concentration, area=area, nu=viscosity)), draws=DRAWS, within=1e-12)
TABLE.add("electrochemistry.randles_sevcik_current", "softpotato.analytical.voltammetry.randles_sevcik", lambda electrons, area, concentration, scan_rate, diffusivity, temperature: abs(float(voltammetry.randles_sevcik(scan_rate, concentration, diffusivity, area, electrons, temperature))), asked="without its sign", draws=DRAWS, within=1e-12)
