"""Packed towers and mist eliminators, by fluids."""

from __future__ import annotations

import fluids
from fluids import packed_tower
from oracle import OracleTable

TABLE = OracleTable("fluids", fluids.__version__)
TABLE.add(
    "mixing_and_separation.stichlmair_dry_pressure_drop",
    "fluids.packed_tower.Stichlmair_dry",
    lambda gas_speed, gas_density, gas_viscosity, void_fraction, specific_area, constant_1, constant_2, constant_3, height: (
        packed_tower.Stichlmair_dry(
            gas_speed,
            gas_density,
            gas_viscosity,
            void_fraction,
            specific_area,
            constant_1,
            constant_2,
            constant_3,
            height,
        )
    ),
    draws={
        "gas_speed": [0.2, 2.0],
        "gas_density": [1.0, 20.0],
        "gas_viscosity": [1e-05, 2e-05],
        "void_fraction": [0.6, 0.97],
        "specific_area": [80.0, 300.0],
        "constant_1": [1.0, 50.0],
        "constant_2": [1.0, 10.0],
        "constant_3": [0.2, 5.0],
        "height": [0.5, 6.0],
    },
)
TABLE.add(
    "mixing_and_separation.robbins_pressure_drop",
    "fluids.packed_tower.Robbins",
    lambda liquid_flux, gas_flux, liquid_density, gas_density, liquid_viscosity, packing_factor: (
        packed_tower.Robbins(
            liquid_flux / 737.33812,
            gas_flux / 737.33812,
            liquid_density / 0.062427961,
            gas_density / 0.062427961,
            liquid_viscosity / 1000,
            1.0,
            packing_factor,
        )
        / 817.22083
    ),
    within=1e-09,
    draws={
        "liquid_flux": [500.0, 20000.0],
        "gas_flux": [100.0, 2000.0],
        "liquid_density": [50.0, 80.0],
        "gas_density": [0.05, 0.3],
        "liquid_viscosity": [0.3, 3.0],
        "packing_factor": [10.0, 60.0],
    },
)
TABLE.add(
    "mixing_and_separation.dry_mesh_pressure_drop",
    "fluids.packed_tower.dP_demister_dry_Setekleiv_Svendsen",
    lambda specific_area, void_fraction, gas_speed, gas_density, gas_viscosity, thickness: (
        packed_tower.dP_demister_dry_Setekleiv_Svendsen(
            specific_area, void_fraction, gas_speed, gas_density, gas_viscosity, thickness
        )
    ),
    within=1e-10,
    draws={
        "specific_area": [300.0, 500.0],
        "void_fraction": [0.95, 0.99],
        "gas_speed": [0.2, 2.0],
        "gas_density": [1.0, 20.0],
        "gas_viscosity": [1e-05, 2e-05],
        "thickness": [0.05, 0.06],
    },
)
TABLE.add(
    "mixing_and_separation.wet_mesh_pressure_drop",
    "fluids.packed_tower.dP_demister_wet_ElDessouky",
    lambda gas_speed, void_fraction, wire_diameter, thickness: packed_tower.dP_demister_wet_ElDessouky(
        gas_speed, void_fraction, wire_diameter / 1000, thickness
    ),
    within=1e-05,
    draws={
        "gas_speed": [0.2, 2.0],
        "void_fraction": [0.95, 0.99],
        "wire_diameter": [0.2, 0.32],
        "thickness": [0.05, 0.2],
    },
)
TABLE.add(
    "mixing_and_separation.mesh_separation_efficiency",
    "fluids.packed_tower.separation_demister_ElDessouky",
    lambda gas_speed, void_fraction, wire_diameter, droplet_diameter: packed_tower.separation_demister_ElDessouky(
        gas_speed, void_fraction, wire_diameter / 1000, droplet_diameter / 1000
    ),
    within=1e-05,
    draws={
        "gas_speed": [0.2, 2.0],
        "void_fraction": [0.95, 0.99],
        "wire_diameter": [0.2, 0.32],
        "droplet_diameter": [0.5, 5.0],
    },
)
TABLE.add(
    "mixing_and_separation.mesh_specific_area",
    "fluids.packed_tower.specific_area_mesh",
    lambda void_fraction, wire_diameter: packed_tower.specific_area_mesh(void_fraction, wire_diameter),
    draws={"void_fraction": [0.95, 0.99], "wire_diameter": [0.0002, 0.00035]},
)
