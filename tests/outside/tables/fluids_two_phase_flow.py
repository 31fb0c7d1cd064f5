"""Two phase flow, by fluids."""

from __future__ import annotations

import math

import fluids
from fluids import two_phase, two_phase_voidage
from oracle import OracleTable

TABLE = OracleTable("fluids", fluids.__version__)
TABLE.add(
    "two_phase_flow.homogeneous_void_fraction",
    "fluids.two_phase_voidage.homogeneous",
    lambda quality, liquid_density, gas_density: two_phase_voidage.homogeneous(quality, liquid_density, gas_density),
    draws={"quality": [0.02, 0.97], "liquid_density": [400.0, 1400.0], "gas_density": [0.5, 90.0]},
)
TABLE.add(
    "two_phase_flow.zivi_void_fraction",
    "fluids.two_phase_voidage.Zivi",
    lambda quality, liquid_density, gas_density: two_phase_voidage.Zivi(quality, liquid_density, gas_density),
    draws={"quality": [0.02, 0.97], "liquid_density": [400.0, 1400.0], "gas_density": [0.5, 90.0]},
)
TABLE.add(
    "two_phase_flow.fauske_void_fraction",
    "fluids.two_phase_voidage.Fauske",
    lambda quality, liquid_density, gas_density: two_phase_voidage.Fauske(quality, liquid_density, gas_density),
    draws={"quality": [0.02, 0.97], "liquid_density": [400.0, 1400.0], "gas_density": [0.5, 90.0]},
)
TABLE.add(
    "two_phase_flow.thom_void_fraction",
    "fluids.two_phase_voidage.Thom",
    lambda quality, liquid_density, gas_density, liquid_viscosity, gas_viscosity: two_phase_voidage.Thom(
        quality, liquid_density, gas_density, liquid_viscosity, gas_viscosity
    ),
    draws={
        "quality": [0.02, 0.97],
        "liquid_density": [400.0, 1400.0],
        "gas_density": [0.5, 90.0],
        "liquid_viscosity": [0.0001, 0.004],
        "gas_viscosity": [8e-06, 3e-05],
    },
)
TABLE.add(
    "two_phase_flow.smith_void_fraction",
    "fluids.two_phase_voidage.Smith",
    lambda quality, liquid_density, gas_density: two_phase_voidage.Smith(quality, liquid_density, gas_density),
    draws={"quality": [0.02, 0.97], "liquid_density": [400.0, 1400.0], "gas_density": [0.5, 90.0]},
)
TABLE.add(
    "two_phase_flow.chisholm_void_fraction",
    "fluids.two_phase_voidage.Chisholm_voidage",
    lambda quality, liquid_density, gas_density: two_phase_voidage.Chisholm_voidage(
        quality, liquid_density, gas_density
    ),
    draws={"quality": [0.02, 0.97], "liquid_density": [400.0, 1400.0], "gas_density": [0.5, 90.0]},
)
TABLE.add(
    "two_phase_flow.turner_wallis_void_fraction",
    "fluids.two_phase_voidage.Turner_Wallis",
    lambda quality, liquid_density, gas_density, liquid_viscosity, gas_viscosity: two_phase_voidage.Turner_Wallis(
        quality, liquid_density, gas_density, liquid_viscosity, gas_viscosity
    ),
    draws={
        "quality": [0.02, 0.97],
        "liquid_density": [400.0, 1400.0],
        "gas_density": [0.5, 90.0],
        "liquid_viscosity": [0.0001, 0.004],
        "gas_viscosity": [8e-06, 3e-05],
    },
)
TABLE.add(
    "two_phase_flow.baroczy_void_fraction",
    "fluids.two_phase_voidage.Baroczy",
    lambda quality, liquid_density, gas_density, liquid_viscosity, gas_viscosity: two_phase_voidage.Baroczy(
        quality, liquid_density, gas_density, liquid_viscosity, gas_viscosity
    ),
    draws={
        "quality": [0.02, 0.97],
        "liquid_density": [400.0, 1400.0],
        "gas_density": [0.5, 90.0],
        "liquid_viscosity": [0.0001, 0.004],
        "gas_viscosity": [8e-06, 3e-05],
    },
)
TABLE.add(
    "two_phase_flow.armand_void_fraction",
    "fluids.two_phase_voidage.Armand",
    lambda quality, liquid_density, gas_density: two_phase_voidage.Armand(quality, liquid_density, gas_density),
    draws={"quality": [0.02, 0.97], "liquid_density": [400.0, 1400.0], "gas_density": [0.5, 90.0]},
)
TABLE.add(
    "two_phase_flow.nishino_yamazaki_void_fraction",
    "fluids.two_phase_voidage.Nishino_Yamazaki",
    lambda quality, liquid_density, gas_density: two_phase_voidage.Nishino_Yamazaki(
        quality, liquid_density, gas_density
    ),
    draws={"quality": [0.02, 0.97], "liquid_density": [400.0, 1400.0], "gas_density": [0.5, 90.0]},
)
TABLE.add(
    "two_phase_flow.huq_loth_void_fraction",
    "fluids.two_phase_voidage.Huq_Loth",
    lambda quality, liquid_density, gas_density: two_phase_voidage.Huq_Loth(quality, liquid_density, gas_density),
    draws={"quality": [0.02, 0.97], "liquid_density": [400.0, 1400.0], "gas_density": [0.5, 90.0]},
)
TABLE.add(
    "two_phase_flow.gregory_scott_void_fraction",
    "fluids.two_phase_voidage.Gregory_Scott",
    lambda quality, liquid_density, gas_density: two_phase_voidage.Gregory_Scott(quality, liquid_density, gas_density),
    draws={"quality": [0.02, 0.97], "liquid_density": [400.0, 1400.0], "gas_density": [0.5, 90.0]},
)
TABLE.add(
    "two_phase_flow.guzhov_void_fraction",
    "fluids.two_phase_voidage.Guzhov",
    lambda quality, liquid_density, gas_density, mass_flux, diameter, gravity: two_phase_voidage.Guzhov(
        quality, liquid_density, gas_density, math.pi / 4 * diameter**2 * mass_flux, diameter
    ),
    draws={
        "quality": [0.02, 0.97],
        "liquid_density": [400.0, 1400.0],
        "gas_density": [0.5, 90.0],
        "mass_flux": [20.0, 900.0],
        "diameter": [0.005, 0.3],
        "gravity": [9.80665],
    },
)
TABLE.add(
    "two_phase_flow.rouhani_axelsson_void_fraction",
    "fluids.two_phase_voidage.Rouhani_1",
    lambda quality, liquid_density, gas_density, surface_tension, mass_flux, gravity: two_phase_voidage.Rouhani_1(
        quality, liquid_density, gas_density, surface_tension, math.pi / 4 * mass_flux, 1.0, gravity
    ),
    draws={
        "quality": [0.02, 0.97],
        "liquid_density": [400.0, 1400.0],
        "gas_density": [0.5, 90.0],
        "surface_tension": [0.005, 0.075],
        "mass_flux": [20.0, 900.0],
        "gravity": [9.6, 10.0],
    },
)
TABLE.add(
    "two_phase_flow.steiner_void_fraction",
    "fluids.two_phase_voidage.Steiner",
    lambda quality, liquid_density, gas_density, surface_tension, mass_flux, gravity: two_phase_voidage.Steiner(
        quality, liquid_density, gas_density, surface_tension, math.pi / 4 * mass_flux, 1.0, gravity
    ),
    draws={
        "quality": [0.02, 0.97],
        "liquid_density": [400.0, 1400.0],
        "gas_density": [0.5, 90.0],
        "surface_tension": [0.005, 0.075],
        "mass_flux": [20.0, 900.0],
        "gravity": [9.6, 10.0],
    },
)
TABLE.add(
    "two_phase_flow.rouhani_mass_flux_void_fraction",
    "fluids.two_phase_voidage.Rouhani_2",
    lambda quality, liquid_density, gas_density, surface_tension, mass_flux, diameter, gravity: (
        two_phase_voidage.Rouhani_2(
            quality,
            liquid_density,
            gas_density,
            surface_tension,
            math.pi / 4 * diameter**2 * mass_flux,
            diameter,
            gravity,
        )
    ),
    draws={
        "quality": [0.02, 0.97],
        "liquid_density": [400.0, 1400.0],
        "gas_density": [0.5, 90.0],
        "surface_tension": [0.005, 0.075],
        "mass_flux": [20.0, 900.0],
        "diameter": [0.005, 0.3],
        "gravity": [9.6, 10.0],
    },
)
TABLE.add(
    "two_phase_flow.nicklin_void_fraction",
    "fluids.two_phase_voidage.Nicklin_Wilkes_Davidson",
    lambda quality, liquid_density, gas_density, mass_flux, diameter, gravity: (
        two_phase_voidage.Nicklin_Wilkes_Davidson(
            quality, liquid_density, gas_density, math.pi / 4 * diameter**2 * mass_flux, diameter, gravity
        )
    ),
    draws={
        "quality": [0.02, 0.97],
        "liquid_density": [400.0, 1400.0],
        "gas_density": [0.5, 90.0],
        "mass_flux": [20.0, 900.0],
        "diameter": [0.005, 0.3],
        "gravity": [9.6, 10.0],
    },
)
TABLE.add(
    "two_phase_flow.void_fraction_of_density",
    "fluids.two_phase_voidage.two_phase_voidage_experimental",
    lambda density, liquid_density, gas_density: two_phase_voidage.two_phase_voidage_experimental(
        density, liquid_density, gas_density
    ),
    draws={"density": [50.0, 700.0], "liquid_density": [400.0, 1400.0], "gas_density": [0.5, 90.0]},
)
TABLE.add(
    "two_phase_flow.martinelli_parameter",
    "fluids.two_phase_voidage.Lockhart_Martinelli_Xtt",
    lambda quality, liquid_density, gas_density, liquid_viscosity, gas_viscosity: (
        two_phase_voidage.Lockhart_Martinelli_Xtt(quality, liquid_density, gas_density, liquid_viscosity, gas_viscosity)
    ),
    draws={
        "quality": [0.02, 0.97],
        "liquid_density": [400.0, 1400.0],
        "gas_density": [0.5, 90.0],
        "liquid_viscosity": [0.0001, 0.004],
        "gas_viscosity": [8e-06, 3e-05],
    },
)
TABLE.add(
    "two_phase_flow.mcadams_viscosity",
    "fluids.two_phase_voidage.McAdams",
    lambda quality, liquid_viscosity, gas_viscosity: two_phase_voidage.McAdams(
        quality, liquid_viscosity, gas_viscosity
    ),
    draws={"quality": [0.02, 0.97], "liquid_viscosity": [0.0001, 0.004], "gas_viscosity": [8e-06, 3e-05]},
)
TABLE.add(
    "two_phase_flow.cicchitti_viscosity",
    "fluids.two_phase_voidage.Cicchitti",
    lambda quality, liquid_viscosity, gas_viscosity: two_phase_voidage.Cicchitti(
        quality, liquid_viscosity, gas_viscosity
    ),
    draws={"quality": [0.02, 0.97], "liquid_viscosity": [0.0001, 0.004], "gas_viscosity": [8e-06, 3e-05]},
)
TABLE.add(
    "two_phase_flow.dukler_viscosity",
    "fluids.two_phase_voidage.Duckler",
    lambda quality, liquid_viscosity, gas_viscosity, liquid_density, gas_density: two_phase_voidage.Duckler(
        quality, liquid_viscosity, gas_viscosity, liquid_density, gas_density
    ),
    draws={
        "quality": [0.02, 0.97],
        "liquid_viscosity": [0.0001, 0.004],
        "gas_viscosity": [8e-06, 3e-05],
        "liquid_density": [400.0, 1400.0],
        "gas_density": [0.5, 90.0],
    },
)
TABLE.add(
    "two_phase_flow.lin_kwok_viscosity",
    "fluids.two_phase_voidage.Lin_Kwok",
    lambda quality, liquid_viscosity, gas_viscosity: two_phase_voidage.Lin_Kwok(
        quality, liquid_viscosity, gas_viscosity
    ),
    draws={"quality": [0.02, 0.97], "liquid_viscosity": [0.0001, 0.004], "gas_viscosity": [8e-06, 3e-05]},
)
TABLE.add(
    "two_phase_flow.beattie_whalley_viscosity",
    "fluids.two_phase_voidage.Beattie_Whalley",
    lambda quality, liquid_viscosity, gas_viscosity, liquid_density, gas_density: two_phase_voidage.Beattie_Whalley(
        quality, liquid_viscosity, gas_viscosity, liquid_density, gas_density
    ),
    draws={
        "quality": [0.02, 0.97],
        "liquid_viscosity": [0.0001, 0.004],
        "gas_viscosity": [8e-06, 3e-05],
        "liquid_density": [400.0, 1400.0],
        "gas_density": [0.5, 90.0],
    },
)
TABLE.add(
    "two_phase_flow.fourar_bories_viscosity",
    "fluids.two_phase_voidage.Fourar_Bories",
    lambda quality, liquid_viscosity, gas_viscosity, liquid_density, gas_density: two_phase_voidage.Fourar_Bories(
        quality, liquid_viscosity, gas_viscosity, liquid_density, gas_density
    ),
    draws={
        "quality": [0.02, 0.97],
        "liquid_viscosity": [0.0001, 0.004],
        "gas_viscosity": [8e-06, 3e-05],
        "liquid_density": [400.0, 1400.0],
        "gas_density": [0.5, 90.0],
    },
)
TABLE.add(
    "two_phase_flow.mixture_density",
    "fluids.two_phase_voidage.density_two_phase",
    lambda void_fraction, liquid_density, gas_density: two_phase_voidage.density_two_phase(
        void_fraction, liquid_density, gas_density
    ),
    draws={"void_fraction": [0.05, 0.95], "liquid_density": [400.0, 1400.0], "gas_density": [0.5, 90.0]},
)
TABLE.add(
    "two_phase_flow.acceleration_pressure_drop",
    "fluids.two_phase.two_phase_dP_acceleration",
    lambda mass_flux, quality_in, quality_out, void_fraction_in, void_fraction_out, liquid_density, gas_density: (
        two_phase.two_phase_dP_acceleration(
            math.pi / 4 * mass_flux,
            1.0,
            quality_in,
            quality_out,
            void_fraction_in,
            void_fraction_out,
            liquid_density,
            gas_density,
        )
    ),
    draws={
        "mass_flux": [20.0, 900.0],
        "quality_in": [0.02, 0.6],
        "quality_out": [0.1, 0.97],
        "void_fraction_in": [0.1, 0.9],
        "void_fraction_out": [0.1, 0.95],
        "liquid_density": [400.0, 1400.0],
        "gas_density": [0.5, 90.0],
    },
)
TABLE.add(
    "two_phase_flow.gravity_pressure_gradient",
    "fluids.two_phase.two_phase_dP_dz_gravitational",
    lambda angle, void_fraction, liquid_density, gas_density, gravity: two_phase.two_phase_dP_dz_gravitational(
        angle, void_fraction, liquid_density, gas_density, gravity
    ),
    draws={
        "angle": [-85.0, 85.0],
        "void_fraction": [0.05, 0.95],
        "liquid_density": [400.0, 1400.0],
        "gas_density": [0.5, 90.0],
        "gravity": [9.6, 10.0],
    },
)
