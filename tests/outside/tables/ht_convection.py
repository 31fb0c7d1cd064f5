"""Correlations of convection, by ht."""

from __future__ import annotations

import ht
from ht import (
    conv_external,
    conv_free_enclosed,
    conv_free_immersed,
    conv_internal,
    conv_jacket,
    conv_packed_bed,
    conv_plate,
    conv_tube_bank,
)
from oracle import OracleTable

TABLE = OracleTable("ht", ht.__version__)
TABLE.add(
    "convection.hausen_laminar_nusselt",
    "ht.conv_internal.laminar_entry_thermal_Hausen",
    lambda reynolds_number, prandtl_number, length, diameter: conv_internal.laminar_entry_thermal_Hausen(
        reynolds_number, prandtl_number, length, diameter
    ),
    draws={
        "reynolds_number": [100.0, 2200.0],
        "prandtl_number": [0.7, 50.0],
        "length": [0.5, 10.0],
        "diameter": [0.01, 0.2],
    },
)
TABLE.add(
    "convection.sieder_tate_laminar_nusselt",
    "ht.conv_internal.laminar_entry_Seider_Tate",
    lambda reynolds_number, prandtl_number, length, diameter, viscosity, wall_viscosity: (
        conv_internal.laminar_entry_Seider_Tate(
            reynolds_number, prandtl_number, length, diameter, viscosity, wall_viscosity
        )
    ),
    draws={
        "reynolds_number": [100.0, 2200.0],
        "prandtl_number": [0.7, 50.0],
        "length": [0.5, 10.0],
        "diameter": [0.01, 0.2],
        "viscosity": [0.0003, 0.01],
        "wall_viscosity": [0.0003, 0.01],
    },
)
TABLE.add(
    "convection.baehr_stephan_nusselt",
    "ht.conv_internal.laminar_entry_Baehr_Stephan",
    lambda reynolds_number, prandtl_number, length, diameter: conv_internal.laminar_entry_Baehr_Stephan(
        reynolds_number, prandtl_number, length, diameter
    ),
    draws={
        "reynolds_number": [100.0, 2200.0],
        "prandtl_number": [0.7, 50.0],
        "length": [0.5, 10.0],
        "diameter": [0.01, 0.2],
    },
)
TABLE.add(
    "convection.hausen_turbulent_nusselt",
    "ht.conv_internal.turbulent_entry_Hausen",
    lambda reynolds_number, prandtl_number, diameter, length: conv_internal.turbulent_entry_Hausen(
        reynolds_number, prandtl_number, diameter, length
    ),
    draws={
        "reynolds_number": [10000.0, 200000.0],
        "prandtl_number": [0.7, 50.0],
        "diameter": [0.01, 0.2],
        "length": [0.2, 5.0],
    },
)
TABLE.add(
    "convection.sieder_tate_nusselt",
    "ht.conv_internal.turbulent_Sieder_Tate",
    lambda reynolds_number, prandtl_number, viscosity, wall_viscosity: conv_internal.turbulent_Sieder_Tate(
        reynolds_number, prandtl_number, viscosity, wall_viscosity
    ),
    draws={
        "reynolds_number": [10000.0, 200000.0],
        "prandtl_number": [0.7, 50.0],
        "viscosity": [0.0003, 0.01],
        "wall_viscosity": [0.0003, 0.01],
    },
)
TABLE.add(
    "convection.colburn_nusselt",
    "ht.conv_internal.turbulent_Colburn",
    lambda reynolds_number, prandtl_number: conv_internal.turbulent_Colburn(reynolds_number, prandtl_number),
    draws={"reynolds_number": [10000.0, 200000.0], "prandtl_number": [0.7, 50.0]},
)
TABLE.add(
    "convection.gnielinski_gas_nusselt",
    "ht.conv_internal.turbulent_Gnielinski_smooth_1",
    lambda reynolds_number, prandtl_number: conv_internal.turbulent_Gnielinski_smooth_1(
        reynolds_number, prandtl_number
    ),
    draws={"reynolds_number": [10000.0, 200000.0], "prandtl_number": [0.7, 50.0]},
)
TABLE.add(
    "convection.gnielinski_liquid_nusselt",
    "ht.conv_internal.turbulent_Gnielinski_smooth_2",
    lambda reynolds_number, prandtl_number: conv_internal.turbulent_Gnielinski_smooth_2(
        reynolds_number, prandtl_number
    ),
    draws={"reynolds_number": [10000.0, 200000.0], "prandtl_number": [0.7, 50.0]},
)
TABLE.add(
    "convection.esdu_pipe_nusselt",
    "ht.conv_internal.turbulent_ESDU",
    lambda reynolds_number, prandtl_number: conv_internal.turbulent_ESDU(reynolds_number, prandtl_number),
    draws={"reynolds_number": [10000.0, 200000.0], "prandtl_number": [0.7, 50.0]},
)
TABLE.add(
    "convection.von_karman_nusselt",
    "ht.conv_internal.turbulent_von_Karman",
    lambda reynolds_number, prandtl_number, friction_factor: conv_internal.turbulent_von_Karman(
        reynolds_number, prandtl_number, friction_factor
    ),
    draws={"reynolds_number": [10000.0, 200000.0], "prandtl_number": [0.7, 50.0], "friction_factor": [0.012, 0.04]},
)
TABLE.add(
    "convection.prandtl_analogy_nusselt",
    "ht.conv_internal.turbulent_Prandtl",
    lambda reynolds_number, prandtl_number, friction_factor: conv_internal.turbulent_Prandtl(
        reynolds_number, prandtl_number, friction_factor
    ),
    draws={"reynolds_number": [10000.0, 200000.0], "prandtl_number": [0.7, 50.0], "friction_factor": [0.012, 0.04]},
)
TABLE.add(
    "convection.friend_metzner_nusselt",
    "ht.conv_internal.turbulent_Friend_Metzner",
    lambda reynolds_number, prandtl_number, friction_factor: conv_internal.turbulent_Friend_Metzner(
        reynolds_number, prandtl_number, friction_factor
    ),
    draws={"reynolds_number": [10000.0, 200000.0], "prandtl_number": [0.7, 50.0], "friction_factor": [0.012, 0.04]},
)
TABLE.add(
    "convection.petukhov_nusselt",
    "ht.conv_internal.turbulent_Petukhov_Kirillov_Popov",
    lambda reynolds_number, prandtl_number, friction_factor: conv_internal.turbulent_Petukhov_Kirillov_Popov(
        reynolds_number, prandtl_number, friction_factor
    ),
    draws={"reynolds_number": [10000.0, 200000.0], "prandtl_number": [0.7, 50.0], "friction_factor": [0.012, 0.04]},
)
TABLE.add(
    "convection.churchill_zajic_nusselt",
    "ht.conv_internal.turbulent_Churchill_Zajic",
    lambda reynolds_number, prandtl_number, friction_factor: conv_internal.turbulent_Churchill_Zajic(
        reynolds_number, prandtl_number, friction_factor
    ),
    draws={"reynolds_number": [10000.0, 200000.0], "prandtl_number": [0.7, 50.0], "friction_factor": [0.012, 0.04]},
)
TABLE.add(
    "convection.martinelli_nusselt",
    "ht.conv_internal.turbulent_Martinelli",
    lambda reynolds_number, prandtl_number, friction_factor: conv_internal.turbulent_Martinelli(
        reynolds_number, prandtl_number, friction_factor
    ),
    draws={"reynolds_number": [10000.0, 200000.0], "prandtl_number": [0.005, 0.05], "friction_factor": [0.012, 0.04]},
)
TABLE.add(
    "convection.nunner_nusselt",
    "ht.conv_internal.turbulent_Nunner",
    lambda reynolds_number, prandtl_number, friction_factor, smooth_friction_factor: conv_internal.turbulent_Nunner(
        reynolds_number, prandtl_number, friction_factor, smooth_friction_factor
    ),
    draws={
        "reynolds_number": [10000.0, 200000.0],
        "prandtl_number": [0.7, 50.0],
        "friction_factor": [0.012, 0.04],
        "smooth_friction_factor": [0.01, 0.02],
    },
)
TABLE.add(
    "convection.dipprey_sabersky_nusselt",
    "ht.conv_internal.turbulent_Dipprey_Sabersky",
    lambda reynolds_number, prandtl_number, friction_factor, relative_roughness: (
        conv_internal.turbulent_Dipprey_Sabersky(reynolds_number, prandtl_number, friction_factor, relative_roughness)
    ),
    draws={
        "reynolds_number": [10000.0, 200000.0],
        "prandtl_number": [0.7, 50.0],
        "friction_factor": [0.012, 0.04],
        "relative_roughness": [0.0005, 0.02],
    },
)
TABLE.add(
    "convection.bhatti_shah_nusselt",
    "ht.conv_internal.turbulent_Bhatti_Shah",
    lambda reynolds_number, prandtl_number, friction_factor, relative_roughness: conv_internal.turbulent_Bhatti_Shah(
        reynolds_number, prandtl_number, friction_factor, relative_roughness
    ),
    draws={
        "reynolds_number": [10000.0, 200000.0],
        "prandtl_number": [0.7, 50.0],
        "friction_factor": [0.012, 0.04],
        "relative_roughness": [0.0005, 0.02],
    },
)
TABLE.add(
    "convection.mori_nakayama_nusselt",
    "ht.conv_internal.helical_turbulent_Nu_Mori_Nakayama",
    lambda reynolds_number, prandtl_number, diameter, coil_diameter: conv_internal.helical_turbulent_Nu_Mori_Nakayama(
        reynolds_number, prandtl_number, diameter, coil_diameter
    ),
    draws={
        "reynolds_number": [10000.0, 140000.0],
        "prandtl_number": [0.5, 3.0],
        "diameter": [0.005, 0.05],
        "coil_diameter": [0.3, 2.0],
    },
)
TABLE.add(
    "convection.schmidt_coil_nusselt",
    "ht.conv_internal.helical_turbulent_Nu_Schmidt",
    lambda reynolds_number, prandtl_number, diameter, coil_diameter: conv_internal.helical_turbulent_Nu_Schmidt(
        reynolds_number, prandtl_number, diameter, coil_diameter
    ),
    draws={
        "reynolds_number": [10000.0, 40000.0],
        "prandtl_number": [0.7, 50.0],
        "diameter": [0.005, 0.05],
        "coil_diameter": [0.3, 2.0],
    },
)
TABLE.add(
    "convection.xin_ebadian_coil_nusselt",
    "ht.conv_internal.helical_turbulent_Nu_Xin_Ebadian",
    lambda reynolds_number, prandtl_number, diameter, coil_diameter: conv_internal.helical_turbulent_Nu_Xin_Ebadian(
        reynolds_number, prandtl_number, diameter, coil_diameter
    ),
    draws={
        "reynolds_number": [10000.0, 140000.0],
        "prandtl_number": [0.7, 50.0],
        "diameter": [0.005, 0.05],
        "coil_diameter": [0.3, 2.0],
    },
)
TABLE.add(
    "convection.rectangular_duct_nusselt",
    "ht.conv_internal.Nu_laminar_rectangular_Shan_London",
    lambda aspect_ratio: conv_internal.Nu_laminar_rectangular_Shan_London(aspect_ratio),
    draws={"aspect_ratio": [0.05, 0.99]},
)
TABLE.add(
    "convection.spiral_exchanger_nusselt",
    "ht.conv_internal.Morimoto_Hotta",
    lambda reynolds_number, prandtl_number, hydraulic_diameter, mean_radius: conv_internal.Morimoto_Hotta(
        reynolds_number, prandtl_number, hydraulic_diameter, mean_radius
    ),
    draws={
        "reynolds_number": [5000.0, 90000.0],
        "prandtl_number": [0.7, 50.0],
        "hydraulic_diameter": [0.005, 0.05],
        "mean_radius": [0.1, 1.0],
    },
)
TABLE.add(
    "convection.zukauskas_cylinder_nusselt",
    "ht.conv_external.Nu_cylinder_Zukauskas",
    lambda reynolds_number, prandtl_number, wall_prandtl_number: conv_external.Nu_cylinder_Zukauskas(
        reynolds_number, prandtl_number, wall_prandtl_number
    ),
    draws={
        "reynolds_number": [5.0, 30.0, 70.0, 500.0, 900.0, 20000.0, 150000.0, 300000.0],
        "prandtl_number": [0.7, 20.0],
        "wall_prandtl_number": [0.7, 50.0],
    },
)
TABLE.add(
    "convection.churchill_bernstein_nusselt",
    "ht.conv_external.Nu_cylinder_Churchill_Bernstein",
    lambda reynolds_number, prandtl_number: conv_external.Nu_cylinder_Churchill_Bernstein(
        reynolds_number, prandtl_number
    ),
    draws={"reynolds_number": [50.0, 50000.0], "prandtl_number": [0.7, 50.0]},
)
TABLE.add(
    "convection.sanitjai_goldstein_nusselt",
    "ht.conv_external.Nu_cylinder_Sanitjai_Goldstein",
    lambda reynolds_number, prandtl_number: conv_external.Nu_cylinder_Sanitjai_Goldstein(
        reynolds_number, prandtl_number
    ),
    draws={"reynolds_number": [2000.0, 90000.0], "prandtl_number": [0.7, 50.0]},
)
TABLE.add(
    "convection.fand_nusselt",
    "ht.conv_external.Nu_cylinder_Fand",
    lambda reynolds_number, prandtl_number: conv_external.Nu_cylinder_Fand(reynolds_number, prandtl_number),
    draws={"reynolds_number": [50.0, 50000.0], "prandtl_number": [0.7, 50.0]},
)
TABLE.add(
    "convection.mcadams_cylinder_nusselt",
    "ht.conv_external.Nu_cylinder_McAdams",
    lambda reynolds_number, prandtl_number: conv_external.Nu_cylinder_McAdams(reynolds_number, prandtl_number),
    draws={"reynolds_number": [50.0, 50000.0], "prandtl_number": [0.7, 50.0]},
)
TABLE.add(
    "convection.perkins_leppert_nusselt",
    "ht.conv_external.Nu_cylinder_Perkins_Leppert_1962",
    lambda reynolds_number, prandtl_number, viscosity, wall_viscosity: conv_external.Nu_cylinder_Perkins_Leppert_1962(
        reynolds_number, prandtl_number, viscosity, wall_viscosity
    ),
    draws={
        "reynolds_number": [50.0, 50000.0],
        "prandtl_number": [0.7, 50.0],
        "viscosity": [0.0003, 0.01],
        "wall_viscosity": [0.0003, 0.01],
    },
)
TABLE.add(
    "convection.churchill_ozoe_nusselt",
    "ht.conv_external.Nu_horizontal_plate_laminar_Churchill_Ozoe",
    lambda reynolds_number, prandtl_number: conv_external.Nu_horizontal_plate_laminar_Churchill_Ozoe(
        reynolds_number, prandtl_number
    ),
    draws={"reynolds_number": [1000.0, 400000.0], "prandtl_number": [0.7, 50.0]},
)
TABLE.add(
    "convection.schlichting_plate_nusselt",
    "ht.conv_external.Nu_horizontal_plate_turbulent_Schlichting",
    lambda reynolds_number, prandtl_number: conv_external.Nu_horizontal_plate_turbulent_Schlichting(
        reynolds_number, prandtl_number
    ),
    draws={"reynolds_number": [600000.0, 9000000.0], "prandtl_number": [0.7, 50.0]},
)
TABLE.add(
    "convection.kreith_plate_nusselt",
    "ht.conv_external.Nu_horizontal_plate_turbulent_Kreith",
    lambda reynolds_number, prandtl_number: conv_external.Nu_horizontal_plate_turbulent_Kreith(
        reynolds_number, prandtl_number
    ),
    draws={"reynolds_number": [600000.0, 9000000.0], "prandtl_number": [0.7, 50.0]},
)
TABLE.add(
    "convection.churchill_chu_cylinder_nusselt",
    "ht.conv_free_immersed.Nu_horizontal_cylinder_Churchill_Chu",
    lambda prandtl_number, rayleigh_number: conv_free_immersed.Nu_horizontal_cylinder_Churchill_Chu(
        prandtl_number, rayleigh_number / prandtl_number
    ),
    draws={"prandtl_number": [0.7, 50.0], "rayleigh_number": [100.0, 1000000000.0]},
)
TABLE.add(
    "convection.kuehn_goldstein_nusselt",
    "ht.conv_free_immersed.Nu_horizontal_cylinder_Kuehn_Goldstein",
    lambda prandtl_number, rayleigh_number: conv_free_immersed.Nu_horizontal_cylinder_Kuehn_Goldstein(
        prandtl_number, rayleigh_number / prandtl_number
    ),
    draws={"prandtl_number": [0.7, 50.0], "rayleigh_number": [100.0, 1000000000.0]},
)
TABLE.add(
    "convection.morgan_nusselt",
    "ht.conv_free_immersed.Nu_horizontal_cylinder_Morgan",
    lambda rayleigh_number: conv_free_immersed.Nu_horizontal_cylinder_Morgan(1.0, rayleigh_number),
    draws={"rayleigh_number": [0.005, 0.02, 30.0, 300.0, 7000.0, 43000.0, 6500000.0, 230000000.0, 71000000000.0]},
)
TABLE.add(
    "convection.sphere_free_convection_nusselt",
    "ht.conv_free_immersed.Nu_sphere_Churchill",
    lambda prandtl_number, rayleigh_number: conv_free_immersed.Nu_sphere_Churchill(
        prandtl_number, rayleigh_number / prandtl_number
    ),
    draws={"prandtl_number": [0.7, 50.0], "rayleigh_number": [100.0, 1000000000.0]},
)
TABLE.add(
    "convection.weise_saunders_nusselt",
    "ht.conv_free_immersed.Nu_vertical_cylinder_McAdams_Weiss_Saunders",
    lambda rayleigh_number: conv_free_immersed.Nu_vertical_cylinder_McAdams_Weiss_Saunders(1.0, rayleigh_number),
    draws={"rayleigh_number": [100000.0, 20000000.0, 600000000.0, 3000000000.0, 40000000000.0, 770000000000.0]},
)
TABLE.add(
    "convection.popiel_slender_cylinder_nusselt",
    "ht.conv_free_immersed.Nu_vertical_cylinder_Popiel_Churchill",
    lambda prandtl_number, rayleigh_number, length, diameter: conv_free_immersed.Nu_vertical_cylinder_Popiel_Churchill(
        prandtl_number, rayleigh_number / prandtl_number, length, diameter
    ),
    draws={
        "prandtl_number": [0.7, 50.0],
        "rayleigh_number": [100000.0, 100000000000.0],
        "length": [0.3, 2.0],
        "diameter": [0.01, 0.2],
    },
)
TABLE.add(
    "convection.al_arabi_khamis_nusselt",
    "ht.conv_free_immersed.Nu_vertical_cylinder_Al_Arabi_Khamis",
    lambda prandtl_number, rayleigh_number, length, diameter: conv_free_immersed.Nu_vertical_cylinder_Al_Arabi_Khamis(
        prandtl_number, rayleigh_number / prandtl_number, length, diameter
    ),
    draws={
        "prandtl_number": [0.7, 50.0],
        "rayleigh_number": [100000000.0, 6000000000.0],
        "length": [0.3, 2.0],
        "diameter": [0.01, 0.2],
    },
)
TABLE.add(
    "convection.mcadams_hot_plate_up_nusselt",
    "ht.conv_free_immersed.Nu_horizontal_plate_McAdams",
    lambda rayleigh_number: conv_free_immersed.Nu_horizontal_plate_McAdams(1.0, rayleigh_number, True),
    draws={"rayleigh_number": [100000.0, 3000000.0, 20000000.0, 500000000.0, 6000000000.0]},
)
TABLE.add(
    "convection.mcadams_hot_plate_down_nusselt",
    "ht.conv_free_immersed.Nu_horizontal_plate_McAdams",
    lambda rayleigh_number: conv_free_immersed.Nu_horizontal_plate_McAdams(1.0, rayleigh_number, False),
    asked="buoyancy=False",
    draws={"rayleigh_number": [100000.0, 10000000000.0]},
)
TABLE.add(
    "convection.probert_layer_nusselt",
    "ht.conv_free_enclosed.Nu_Nusselt_Rayleigh_Probert",
    lambda rayleigh_number: conv_free_enclosed.Nu_Nusselt_Rayleigh_Probert(1.0, rayleigh_number),
    draws={"rayleigh_number": [1000.0, 40000.0]},
)
TABLE.add(
    "convection.hollands_layer_nusselt",
    "ht.conv_free_enclosed.Nu_Nusselt_Rayleigh_Hollands",
    lambda prandtl_number, rayleigh_number: conv_free_enclosed.Nu_Nusselt_Rayleigh_Hollands(
        prandtl_number, rayleigh_number / prandtl_number
    ),
    draws={"prandtl_number": [0.7, 50.0], "rayleigh_number": [1000.0, 1000000.0]},
)
TABLE.add(
    "convection.vertical_cavity_nusselt",
    "ht.conv_free_enclosed.Nu_Nusselt_vertical_Thess",
    lambda prandtl_number, rayleigh_number, height, gap: conv_free_enclosed.Nu_Nusselt_vertical_Thess(
        prandtl_number, rayleigh_number / prandtl_number, H=height, L=gap
    ),
    draws={
        "prandtl_number": [0.7, 50.0],
        "rayleigh_number": [10000.0, 20000000.0],
        "height": [0.5, 3.0],
        "gap": [0.02, 0.2],
    },
)
TABLE.add(
    "convection.staggered_tube_bank_nusselt",
    "ht.conv_tube_bank.Nu_HEDH_tube_bank",
    lambda reynolds_number, prandtl_number, tube_diameter, tube_rows, longitudinal_pitch, transverse_pitch: (
        conv_tube_bank.Nu_HEDH_tube_bank(
            reynolds_number, prandtl_number, tube_diameter, tube_rows, longitudinal_pitch, transverse_pitch
        )
    ),
    draws={
        "reynolds_number": [50.0, 90000.0],
        "prandtl_number": [0.7, 50.0],
        "tube_diameter": [0.01, 0.02],
        "tube_rows": [1, 15],
        "longitudinal_pitch": [0.0225, 0.03],
        "transverse_pitch": [0.035, 0.06],
    },
)
TABLE.add(
    "convection.tube_bank_inclination_factor",
    "ht.conv_tube_bank.ESDU_tube_angle_correction",
    lambda angle: conv_tube_bank.ESDU_tube_angle_correction(angle),
    draws={"angle": [10.0, 90.0]},
)
TABLE.add(
    "convection.muley_manglik_nusselt",
    "ht.conv_plate.Nu_plate_Muley_Manglik",
    lambda reynolds_number, prandtl_number, chevron_angle, enlargement_factor: conv_plate.Nu_plate_Muley_Manglik(
        reynolds_number, prandtl_number, chevron_angle, enlargement_factor
    ),
    draws={
        "reynolds_number": [1000.0, 9000.0],
        "prandtl_number": [0.7, 50.0],
        "chevron_angle": [31.0, 59.0],
        "enlargement_factor": [1.05, 1.45],
    },
)
TABLE.add(
    "convection.khan_plate_exchanger_nusselt",
    "ht.conv_plate.Nu_plate_Khan_Khan",
    lambda reynolds_number, prandtl_number, chevron_angle: conv_plate.Nu_plate_Khan_Khan(
        reynolds_number, prandtl_number, chevron_angle
    ),
    draws={"reynolds_number": [1000.0, 9000.0], "prandtl_number": [0.7, 50.0], "chevron_angle": [31.0, 59.0]},
)
TABLE.add(
    "convection.martin_plate_exchanger_nusselt",
    "ht.conv_plate.Nu_plate_Martin",
    lambda reynolds_number, prandtl_number, chevron_angle: conv_plate.Nu_plate_Martin(
        reynolds_number, prandtl_number, chevron_angle
    ),
    draws={"reynolds_number": [300.0, 5000.0], "prandtl_number": [0.7, 50.0], "chevron_angle": [31.0, 59.0]},
)
TABLE.add(
    "convection.jacket_heat_transfer_coefficient",
    "ht.conv_jacket.Lehrer",
    lambda mass_flow_rate, tank_diameter, jacket_diameter, jacket_height, inlet_diameter, density, heat_capacity, conductivity, viscosity, wall_viscosity: (
        conv_jacket.Lehrer(
            mass_flow_rate,
            tank_diameter,
            jacket_diameter,
            jacket_height,
            inlet_diameter,
            density,
            heat_capacity,
            conductivity,
            viscosity,
            wall_viscosity,
        )
    ),
    draws={
        "mass_flow_rate": [0.5, 5.0],
        "tank_diameter": [0.5, 1.2],
        "jacket_diameter": [1.25, 1.5],
        "jacket_height": [0.5, 2.0],
        "inlet_diameter": [0.02, 0.06],
        "density": [800.0, 1100.0],
        "heat_capacity": [1800.0, 4200.0],
        "conductivity": [0.1, 0.6],
        "viscosity": [0.0003, 0.01],
        "wall_viscosity": [0.0003, 0.01],
    },
)
TABLE.add(
    "convection.gnielinski_packed_bed_nusselt",
    "ht.conv_packed_bed.Nu_packed_bed_Gnielinski",
    lambda particle_diameter, void_fraction, speed, density, viscosity, prandtl_number: (
        conv_packed_bed.Nu_packed_bed_Gnielinski(
            particle_diameter, void_fraction, speed, density, viscosity, prandtl_number
        )
    ),
    draws={
        "particle_diameter": [0.001, 0.02],
        "void_fraction": [0.36, 0.48],
        "speed": [0.01, 1.0],
        "density": [1.0, 1000.0],
        "viscosity": [2e-05, 0.002],
        "prandtl_number": [0.7, 50.0],
    },
)
TABLE.add(
    "convection.wakao_nusselt",
    "ht.conv_packed_bed.Nu_Wakao_Kagei",
    lambda reynolds_number, prandtl_number: conv_packed_bed.Nu_Wakao_Kagei(reynolds_number, prandtl_number),
    draws={"reynolds_number": [3.0, 3000.0], "prandtl_number": [0.7, 50.0]},
)
TABLE.add(
    "convection.achenbach_nusselt",
    "ht.conv_packed_bed.Nu_Achenbach",
    lambda reynolds_number, void_fraction: conv_packed_bed.Nu_Achenbach(reynolds_number, 0.71, void_fraction),
    draws={"reynolds_number": [3.0, 3000.0], "void_fraction": [0.36, 0.48]},
)
TABLE.add(
    "convection.pebble_bed_nusselt",
    "ht.conv_packed_bed.Nu_KTA",
    lambda reynolds_number, prandtl_number, void_fraction: conv_packed_bed.Nu_KTA(
        reynolds_number, prandtl_number, void_fraction
    ),
    draws={"reynolds_number": [3.0, 3000.0], "prandtl_number": [0.7, 50.0], "void_fraction": [0.36, 0.48]},
)
