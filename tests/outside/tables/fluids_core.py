"""Numbers without a dimension of fluids."""

from __future__ import annotations

import fluids
from fluids import core
from oracle import OracleTable

TABLE = OracleTable("fluids", fluids.__version__)
TABLE.add(
    "dimensionless_numbers.archimedes_number",
    "fluids.core.Archimedes",
    lambda length, density, particle_density, viscosity, gravity: core.Archimedes(
        length, density, particle_density, viscosity, gravity
    ),
)
TABLE.add(
    "dimensionless_numbers.bejan_number",
    "fluids.core.Bejan_L",
    lambda pressure_drop, length, viscosity, thermal_diffusivity: core.Bejan_L(
        pressure_drop, length, viscosity, thermal_diffusivity
    ),
)
TABLE.add(
    "dimensionless_numbers.bejan_number_of_permeability",
    "fluids.core.Bejan_p",
    lambda pressure_drop, permeability, viscosity, thermal_diffusivity: core.Bejan_p(
        pressure_drop, permeability, viscosity, thermal_diffusivity
    ),
)
TABLE.add(
    "dimensionless_numbers.boiling_number",
    "fluids.core.Boiling",
    lambda mass_flux, heat_flux, vaporization_heat: core.Boiling(mass_flux, heat_flux, vaporization_heat),
)
TABLE.add(
    "dimensionless_numbers.bond_number",
    "fluids.core.Bond",
    lambda liquid_density, gas_density, surface_tension, length, gravity: core.Bond(
        liquid_density, gas_density, surface_tension, length
    ),
    draws={"gravity": [9.80665]},
)
TABLE.add(
    "dimensionless_numbers.capillary_number",
    "fluids.core.Capillary",
    lambda speed, viscosity, surface_tension: core.Capillary(speed, viscosity, surface_tension),
)
TABLE.add(
    "dimensionless_numbers.cavitation_number",
    "fluids.core.Cavitation",
    lambda pressure, vapor_pressure, density, speed: core.Cavitation(pressure, vapor_pressure, density, speed),
)
TABLE.add(
    "dimensionless_numbers.confinement_number",
    "fluids.core.Confinement",
    lambda diameter, liquid_density, gas_density, surface_tension, gravity: core.Confinement(
        diameter, liquid_density, gas_density, surface_tension, gravity
    ),
)
TABLE.add(
    "dimensionless_numbers.dean_number",
    "fluids.core.Dean",
    lambda reynolds_number, inner_diameter, curvature_diameter: core.Dean(
        reynolds_number, inner_diameter, curvature_diameter
    ),
)
TABLE.add(
    "dimensionless_numbers.eckert_number",
    "fluids.core.Eckert",
    lambda speed, heat_capacity, temperature_difference: core.Eckert(speed, heat_capacity, temperature_difference),
)
TABLE.add(
    "dimensionless_numbers.euler_number",
    "fluids.core.Euler",
    lambda pressure_drop, density, speed: core.Euler(pressure_drop, density, speed),
)
TABLE.add(
    "dimensionless_numbers.mass_fourier_number",
    "fluids.core.Fourier_mass",
    lambda time, length, diffusivity: core.Fourier_mass(time, length, diffusivity),
)
TABLE.add(
    "dimensionless_numbers.densimetric_froude_number",
    "fluids.core.Froude_densimetric",
    lambda speed, length, heavy_density, light_density, gravity: core.Froude_densimetric(
        speed, length, heavy_density, light_density, True, gravity
    ),
)
TABLE.add(
    "dimensionless_numbers.graetz_number",
    "fluids.core.Graetz_heat",
    lambda speed, diameter, distance, thermal_diffusivity: core.Graetz_heat(
        speed, diameter, distance, alpha=thermal_diffusivity
    ),
)
TABLE.add(
    "dimensionless_numbers.grashof_number",
    "fluids.core.Grashof",
    lambda length, expansion, temperature_difference, kinematic_viscosity, gravity: core.Grashof(
        length, expansion, temperature_difference, 0, nu=kinematic_viscosity, g=gravity
    ),
)
TABLE.add(
    "dimensionless_numbers.hagen_number",
    "fluids.core.Hagen",
    lambda reynolds_number, friction_factor: core.Hagen(reynolds_number, friction_factor),
)
TABLE.add(
    "dimensionless_numbers.jakob_number",
    "fluids.core.Jakob",
    lambda heat_capacity, vaporization_heat, temperature_difference: core.Jakob(
        heat_capacity, vaporization_heat, temperature_difference
    ),
)
TABLE.add(
    "dimensionless_numbers.knudsen_number",
    "fluids.core.Knudsen",
    lambda mean_free_path, length: core.Knudsen(mean_free_path, length),
)
TABLE.add(
    "dimensionless_numbers.lewis_number",
    "fluids.core.Lewis",
    lambda thermal_diffusivity, diffusivity: core.Lewis(diffusivity, alpha=thermal_diffusivity),
)
TABLE.add(
    "dimensionless_numbers.mach_number", "fluids.core.Mach", lambda speed, sound_speed: core.Mach(speed, sound_speed)
)
TABLE.add(
    "dimensionless_numbers.morton_number",
    "fluids.core.Morton",
    lambda liquid_density, gas_density, liquid_viscosity, surface_tension, gravity: core.Morton(
        liquid_density, gas_density, liquid_viscosity, surface_tension, gravity
    ),
)
TABLE.add(
    "dimensionless_numbers.nusselt_number",
    "fluids.core.Nusselt",
    lambda coefficient, length, conductivity: core.Nusselt(coefficient, length, conductivity),
)
TABLE.add(
    "dimensionless_numbers.ohnesorge_number",
    "fluids.core.Ohnesorge",
    lambda length, density, viscosity, surface_tension: core.Ohnesorge(length, density, viscosity, surface_tension),
)
TABLE.add(
    "dimensionless_numbers.heat_peclet_number",
    "fluids.core.Peclet_heat",
    lambda speed, length, thermal_diffusivity: core.Peclet_heat(speed, length, alpha=thermal_diffusivity),
)
TABLE.add(
    "dimensionless_numbers.mass_peclet_number",
    "fluids.core.Peclet_mass",
    lambda speed, length, diffusivity: core.Peclet_mass(speed, length, diffusivity),
)
TABLE.add(
    "dimensionless_numbers.power_number",
    "fluids.core.Power_number",
    lambda power, diameter, rotation_rate, density: core.Power_number(power, diameter, rotation_rate, density),
)
TABLE.add(
    "dimensionless_numbers.prandtl_number",
    "fluids.core.Prandtl",
    lambda heat_capacity, conductivity, viscosity: core.Prandtl(Cp=heat_capacity, k=conductivity, mu=viscosity),
)
TABLE.add(
    "dimensionless_numbers.schmidt_number",
    "fluids.core.Schmidt",
    lambda diffusivity, viscosity, density: core.Schmidt(diffusivity, mu=viscosity, rho=density),
)
TABLE.add(
    "dimensionless_numbers.sherwood_number",
    "fluids.core.Sherwood",
    lambda mass_coefficient, length, diffusivity: core.Sherwood(mass_coefficient, length, diffusivity),
)
TABLE.add(
    "dimensionless_numbers.stanton_number",
    "fluids.core.Stanton",
    lambda coefficient, speed, density, heat_capacity: core.Stanton(coefficient, speed, density, heat_capacity),
)
TABLE.add(
    "dimensionless_numbers.stokes_number",
    "fluids.core.Stokes_number",
    lambda speed, particle_diameter, diameter, density, viscosity: core.Stokes_number(
        speed, particle_diameter, diameter, density, viscosity
    ),
)
TABLE.add(
    "dimensionless_numbers.strouhal_number",
    "fluids.core.Strouhal",
    lambda frequency, length, speed: core.Strouhal(frequency, length, speed),
)
TABLE.add(
    "dimensionless_numbers.suratman_number",
    "fluids.core.Suratman",
    lambda length, density, viscosity, surface_tension: core.Suratman(length, density, viscosity, surface_tension),
)
TABLE.add(
    "dimensionless_numbers.thermal_diffusivity",
    "fluids.core.thermal_diffusivity",
    lambda conductivity, density, heat_capacity: core.thermal_diffusivity(conductivity, density, heat_capacity),
)
