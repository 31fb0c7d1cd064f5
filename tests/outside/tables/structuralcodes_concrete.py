"""Concrete design of structuralcodes.

The package's __init__ imports its sections, and with them the mesher triangle (LGPL), which no formula of its codes
needs. So its codes are imported past that __init__, and triangle is not installed.
"""

from __future__ import annotations

import math
import sys
import types
from importlib.metadata import distribution, version

import numpy as np
from oracle import OracleTable

PACKAGE = types.ModuleType("structuralcodes")
PACKAGE.__path__ = [str(distribution("structuralcodes").locate_file("structuralcodes"))]
sys.modules["structuralcodes"] = PACKAGE
from structuralcodes.codes import ec2_2004, ec2_2023, mc2010  # noqa: E402

SLOW_NORMAL_RAPID = ("S", "N", "R")
CEMENT = ("32.5 N", "42.5 N", "42.5 R")


def hardened(days, cement):
    """Return the development of strength by EN 1992-1-1:2004."""
    return ec2_2004.beta_cc(days, ec2_2004.s_time_development(SLOW_NORMAL_RAPID[cement + 1]))


def creep(age, loading_age, mean_strength, notional_size, humidity, cement):
    """Return the creep coefficient of annex B of EN 1992-1-1:2004."""
    code = ec2_2004
    alpha = code.alpha_cement(SLOW_NORMAL_RAPID[cement + 1])
    wet = code.phi_RH(notional_size, mean_strength, humidity, code.alpha_1(mean_strength), code.alpha_2(mean_strength))
    notional = code.phi_0(wet, code.beta_fcm(mean_strength), code.beta_t0(code.t0_adj(loading_age, alpha)))
    slow = code.beta_H(notional_size, mean_strength, humidity, code.alpha_3(mean_strength))
    return code.phi(notional, code.beta_c(loading_age, age, slow))


def drying(age, curing_age, mean_strength, notional_size, humidity, cement):
    """Return the drying shrinkage of EN 1992-1-1:2004."""
    code, name = ec2_2004, SLOW_NORMAL_RAPID[cement + 1]
    nominal = code.eps_cd_0(code.alpha_ds1(name), code.alpha_ds2(name), mean_strength, code.beta_RH(humidity))
    return code.eps_cd(code.beta_ds(age, curing_age, notional_size), code.k_h(notional_size), nominal)


def creep_2010(age, loading_age, mean_strength, notional_size, humidity, cement):
    """Return the creep coefficient of the Model Code 2010 under a small stress."""
    code = mc2010
    adjusted = code.t0_adj(loading_age, CEMENT[cement + 1])
    basic = code.phi_bc(code.beta_bc_fcm(mean_strength), code.beta_bc_t(age, loading_age, adjusted))
    drying = code.phi_dc(
        code.beta_dc_fcm(mean_strength),
        code.beta_dc_RH(humidity, notional_size),
        code.beta_dc_t0(adjusted),
        code.beta_dc_t(
            age, loading_age, code.beta_h(notional_size, code.alpha_fcm(mean_strength)), code.gamma_t0(adjusted)
        ),
    )
    return code.phi(basic, drying, 0.0, mean_strength)


def shrinkage_2010(age, curing_age, mean_strength, notional_size, humidity, cement):
    """Return basic and drying shrinkage of the Model Code 2010."""
    code, name = mc2010, CEMENT[cement + 1]
    wet = code.beta_RH(humidity, code.beta_s1(mean_strength))
    drying = code.eps_cds(code.eps_cds0(mean_strength, name), code.beta_ds(age, curing_age, notional_size), wet)
    return drying + code.eps_cbs(code.eps_cbs0(mean_strength, name), code.beta_bs(age))


def later(arguments, start):
    """Let an age be later than another."""
    return {**arguments, "age": arguments[start] + arguments["age"]}


def spacing(cover, diameter, effective_ratio, bond_factor, strain_factor):
    """Return the largest crack spacing of EN 1992-1-1:2004."""
    return ec2_2004.sr_max_close(cover, diameter, effective_ratio, bond_factor, strain_factor)


def strains(stress, effective_ratio, tensile_strength, modular_ratio, duration_factor, steel_modulus):
    """Return the difference of strains of EN 1992-1-1:2004."""
    return ec2_2004.eps_sm_eps_cm(
        stress, modular_ratio, effective_ratio, duration_factor, tensile_strength, steel_modulus
    )


TABLE = OracleTable("structuralcodes", version("structuralcodes"))
TABLE.add(
    "concrete_design.mean_compressive_strength",
    "structuralcodes.codes.ec2_2004.fcm",
    lambda strength: ec2_2004.fcm(strength),
    draws={"strength": (12, 100)},
    within=1e-12,
)
TABLE.add(
    "concrete_design.mean_tensile_strength",
    "structuralcodes.codes.ec2_2004.fctm",
    lambda strength: ec2_2004.fctm(strength),
    draws={"strength": (12, 100)},
    within=1e-12,
)
TABLE.add(
    "concrete_design.mean_tensile_strength_2023",
    "structuralcodes.codes.ec2_2023.fctm",
    lambda strength: ec2_2023.fctm(strength),
    draws={"strength": (12, 100)},
    within=1e-12,
)
TABLE.add(
    "concrete_design.characteristic_tensile_strength",
    "structuralcodes.codes.ec2_2004.fctk_5",
    lambda strength: ec2_2004.fctk_5(ec2_2004.fctm(strength)),
    draws={"strength": (12, 100)},
    within=1e-12,
)
TABLE.add(
    "concrete_design.secant_modulus",
    "structuralcodes.codes.ec2_2004.Ecm",
    lambda mean_strength: ec2_2004.Ecm(mean_strength),
    draws={"mean_strength": (20, 100)},
    within=1e-12,
)
TABLE.add(
    "concrete_design.secant_modulus_2023",
    "structuralcodes.codes.ec2_2023.Ecm",
    lambda mean_strength, aggregate_factor: ec2_2023.Ecm(mean_strength, aggregate_factor),
    draws={"mean_strength": (20, 100), "aggregate_factor": (5000, 13000)},
    within=1e-12,
)
TABLE.add(
    "concrete_design.tangent_modulus",
    "structuralcodes.codes.mc2010.Eci",
    lambda mean_strength, aggregate_factor: mc2010.Eci(
        mean_strength, {1.2: "basalt", 1.0: "quartzite", 0.9: "limestone", 0.7: "sandstone"}[aggregate_factor]
    ),
    draws={"mean_strength": (20, 100), "aggregate_factor": [1.2, 1.0, 0.9, 0.7]},
    within=1e-12,
)
TABLE.add(
    "concrete_design.design_compressive_strength",
    "structuralcodes.codes.ec2_2004.fcd",
    lambda strength, load_factor, partial_factor: ec2_2004.fcd(strength, load_factor, partial_factor),
    draws={"strength": (12, 100), "load_factor": (0.8, 1.0), "partial_factor": (1.0, 1.6)},
    within=1e-12,
)
TABLE.add(
    "concrete_design.design_compressive_strength_2023",
    "structuralcodes.codes.ec2_2023.fcd",
    lambda strength, time_factor, partial_factor: ec2_2023.fcd(
        strength, ec2_2023.eta_cc(strength), time_factor, partial_factor
    ),
    draws={"strength": (12, 100), "time_factor": [0.85, 1.0, 1.0], "partial_factor": (1.0, 1.6)},
    within=1e-12,
)
TABLE.add(
    "concrete_design.design_tensile_strength",
    "structuralcodes.codes.ec2_2004.fctd",
    lambda tensile_strength, load_factor, partial_factor: ec2_2004.fctd(tensile_strength, load_factor, partial_factor),
    draws={"tensile_strength": (1, 4), "load_factor": (0.8, 1.0), "partial_factor": (1.0, 1.6)},
    within=1e-12,
)
TABLE.add(
    "concrete_design.peak_strain",
    "structuralcodes.codes.ec2_2004.eps_c1",
    lambda mean_strength: ec2_2004.eps_c1(mean_strength),
    draws={"mean_strength": (20, 100)},
    within=1e-12,
)
TABLE.add(
    "concrete_design.ultimate_strain",
    "structuralcodes.codes.ec2_2004.eps_cu2",
    lambda strength: ec2_2004.eps_cu2(strength),
    draws={"strength": (40, 90)},
    within=1e-12,
)
TABLE.add(
    "concrete_design.reinforcement_stress",
    "structuralcodes.codes.ec2_2023.sigma_s",
    lambda strain, yield_strength, ultimate_strain, hardening, modulus: ec2_2023.sigma_s(
        strain, yield_strength, hardening, ultimate_strain, modulus
    ),
    draws={
        "strain": (0.0001, 0.03),
        "yield_strength": (400, 600),
        "ultimate_strain": (0.031, 0.08),
        "hardening": (1.01, 1.2),
        "modulus": (190000, 210000),
    },
    within=1e-12,
)
TABLE.add(
    "concrete_design.fracture_energy",
    "structuralcodes.codes.mc2010.Gf",
    lambda mean_strength: mc2010.Gf(mean_strength - 8),
    draws={"mean_strength": (20, 100)},
    within=1e-12,
)
TABLE.add(
    "concrete_design.strength_at_age",
    "structuralcodes.codes.ec2_2004.fcm_time",
    lambda mean_strength, age, cement: ec2_2004.fcm_time(mean_strength, hardened(age, cement)),
    draws={"mean_strength": (20, 100), "age": (1, 365), "cement": [-1, 0, 1]},
    within=1e-12,
)
TABLE.add(
    "concrete_design.modulus_at_age",
    "structuralcodes.codes.ec2_2004.Ecm_time",
    lambda modulus, age, cement: ec2_2004.Ecm_time(1.0, hardened(age, cement), modulus),
    draws={"modulus": (25000, 45000), "age": (1, 365), "cement": [-1, 0, 1]},
    within=1e-12,
)
TABLE.add(
    "concrete_design.notional_size",
    "structuralcodes.codes.ec2_2004.h_0",
    lambda area, perimeter: ec2_2004.h_0(area, perimeter),
    draws={"area": (10000.0, 1000000.0), "perimeter": (400, 5000)},
    within=1e-12,
)
TABLE.add(
    "concrete_design.temperature_adjusted_age",
    "structuralcodes.codes.ec2_2004.t_T",
    lambda temperatures, durations: ec2_2004.t_T(np.array(temperatures), np.array(durations)),
    draws={"temperatures": (0, 60), "durations": (0.1, 10)},
    within=1e-12,
)
TABLE.add(
    "concrete_design.creep_coefficient",
    "structuralcodes.codes.ec2_2004.phi",
    lambda age, loading_age, mean_strength, notional_size, humidity, cement: creep(
        age, loading_age, mean_strength, notional_size, humidity, cement
    ),
    draws={
        "age": (1, 20000),
        "loading_age": (1, 90),
        "mean_strength": (20, 100),
        "notional_size": (50, 1000),
        "humidity": (40, 100),
        "cement": [-1, 0, 1],
    },
    prepare=lambda arguments: later(arguments, "loading_age"),
    within=1e-12,
)
TABLE.add(
    "concrete_design.drying_shrinkage_strain",
    "structuralcodes.codes.ec2_2004.eps_cd",
    lambda age, curing_age, mean_strength, notional_size, humidity, cement: drying(
        age, curing_age, mean_strength, notional_size, humidity, cement
    ),
    draws={
        "age": (1, 20000),
        "curing_age": (1, 28),
        "mean_strength": (20, 100),
        "notional_size": (50, 1000),
        "humidity": (30, 99),
        "cement": [-1, 0, 1],
    },
    prepare=lambda arguments: later(arguments, "curing_age"),
    within=1e-12,
)
TABLE.add(
    "concrete_design.autogenous_shrinkage_strain",
    "structuralcodes.codes.ec2_2004.eps_ca",
    lambda strength, age: ec2_2004.eps_ca(ec2_2004.beta_as(age), ec2_2004.eps_ca_inf(strength)),
    draws={"strength": (12, 100), "age": (0.5, 20000)},
    within=1e-12,
)
TABLE.add(
    "concrete_design.creep_coefficient_2010",
    "structuralcodes.codes.mc2010.phi",
    lambda age, loading_age, mean_strength, notional_size, humidity, cement: creep_2010(
        age, loading_age, mean_strength, notional_size, humidity, cement
    ),
    draws={
        "age": (1, 20000),
        "loading_age": (1, 90),
        "mean_strength": (20, 100),
        "notional_size": (50, 1000),
        "humidity": (40, 100),
        "cement": [-1, 0, 1],
    },
    prepare=lambda arguments: later(arguments, "loading_age"),
    within=1e-12,
)
TABLE.add(
    "concrete_design.shrinkage_strain_2010",
    "structuralcodes.codes.mc2010.eps_cds",
    lambda age, curing_age, mean_strength, notional_size, humidity, cement: shrinkage_2010(
        age, curing_age, mean_strength, notional_size, humidity, cement
    ),
    draws={
        "age": (1, 20000),
        "curing_age": (1, 28),
        "mean_strength": (20, 100),
        "notional_size": (50, 1000),
        "humidity": (40, 100),
        "cement": [-1, 0, 1],
    },
    prepare=lambda arguments: later(arguments, "curing_age"),
    within=1e-12,
)
TABLE.add(
    "concrete_design.effective_modulus_2023",
    "structuralcodes.codes.ec2_2023.Ec_eff",
    lambda mean_strength, creep_coefficient, aggregate_factor: ec2_2023.Ec_eff(
        mean_strength, creep_coefficient, aggregate_factor
    ),
    draws={"mean_strength": (20, 100), "creep_coefficient": (0, 4), "aggregate_factor": (5000, 13000)},
    within=1e-12,
)
TABLE.add(
    "concrete_design.crack_strain_difference",
    "structuralcodes.codes.ec2_2004.eps_sm_eps_cm",
    lambda stress, effective_ratio, tensile_strength, modular_ratio, duration_factor, steel_modulus: strains(
        stress, effective_ratio, tensile_strength, modular_ratio, duration_factor, steel_modulus
    ),
    draws={
        "stress": (50, 400),
        "effective_ratio": (0.005, 0.08),
        "tensile_strength": (1.5, 5),
        "modular_ratio": (5, 10),
        "duration_factor": [0.4, 0.6, 0.4],
        "steel_modulus": (190000, 210000),
    },
    within=1e-12,
)
TABLE.add(
    "concrete_design.crack_spacing",
    "structuralcodes.codes.ec2_2004.sr_max_close",
    lambda cover, diameter, effective_ratio, bond_factor, strain_factor: spacing(
        cover, diameter, effective_ratio, bond_factor, strain_factor
    ),
    draws={
        "cover": (15, 60),
        "diameter": (6, 40),
        "effective_ratio": (0.005, 0.08),
        "bond_factor": [0.8, 1.6, 0.8],
        "strain_factor": (0.5, 1.0),
    },
    within=1e-12,
)
TABLE.add(
    "concrete_design.crack_width",
    "structuralcodes.codes.ec2_2004.wk",
    lambda stress, effective_ratio, cover, diameter, tensile_strength, modular_ratio, duration_factor, bond_factor, strain_factor, steel_modulus: (
        ec2_2004.wk(
            spacing(cover, diameter, effective_ratio, bond_factor, strain_factor),
            strains(stress, effective_ratio, tensile_strength, modular_ratio, duration_factor, steel_modulus),
        )
    ),
    draws={
        "stress": (50, 400),
        "effective_ratio": (0.005, 0.08),
        "tensile_strength": (1.5, 5),
        "modular_ratio": (5, 10),
        "duration_factor": [0.4, 0.6, 0.4],
        "steel_modulus": (190000, 210000),
        "cover": (15, 60),
        "diameter": (6, 40),
        "bond_factor": [0.8, 1.6, 0.8],
        "strain_factor": (0.5, 1.0),
    },
    within=1e-12,
)
TABLE.add(
    "concrete_design.crack_width_2023",
    "structuralcodes.codes.ec2_2023.wk_cal",
    lambda height, axis_depth, centroid_depth, effective_depth, stress, effective_ratio, cover, diameter, tensile_strength, modular_ratio, duration_factor, bond_factor, spacing_factor, steel_modulus: (
        ec2_2023.wk_cal(
            spacing_factor,
            height,
            centroid_depth,
            effective_depth,
            cover,
            bond_factor,
            diameter,
            effective_ratio,
            axis_depth,
            stress,
            duration_factor,
            tensile_strength,
            modular_ratio,
            steel_modulus,
        )[0]
    ),
    draws={
        "stress": (50, 400),
        "effective_ratio": (0.005, 0.08),
        "tensile_strength": (1.5, 5),
        "modular_ratio": (5, 10),
        "duration_factor": [0.4, 0.6, 0.4],
        "steel_modulus": (190000, 210000),
        "cover": (15, 60),
        "diameter": (6, 40),
        "bond_factor": [0.9, 1.2, 0.9],
        "strain_factor": (0.5, 1.0),
        "height": (300, 1000),
        "axis_depth": (50, 150),
        "centroid_depth": (140, 200),
        "effective_depth": (50, 150),
        "spacing_factor": (1.2, 1.7),
    },
    within=1e-12,
)
TABLE.add(
    "concrete_design.crack_minimum_reinforcement",
    "structuralcodes.codes.ec2_2004.As_min",
    lambda tension_area, tensile_strength, stress, distribution_factor, size_factor: ec2_2004.As_min(
        tension_area, stress, tensile_strength, size_factor, distribution_factor
    ),
    draws={
        "tension_area": (20000.0, 500000.0),
        "tensile_strength": (1.5, 5),
        "stress": (150, 500),
        "distribution_factor": (0, 1),
        "size_factor": (0.65, 1),
    },
    within=1e-12,
)
TABLE.add(
    "concrete_design.effective_tension_depth",
    "structuralcodes.codes.ec2_2004.hc_eff",
    lambda height, depth, axis_depth: ec2_2004.hc_eff(height, depth, axis_depth),
    draws={"height": (500, 1000), "depth": (400, 499), "axis_depth": (50, 300)},
    within=1e-12,
)
TABLE.add(
    "concrete_design.equivalent_bar_diameter",
    "structuralcodes.codes.ec2_2004.phi_eq",
    lambda counts, diameters: ec2_2004.phi_eq(*counts, *diameters),
    draws={"n": (2, 2), "counts": (1, 9), "diameters": (6, 40)},
    within=1e-12,
)
TABLE.add(
    "concrete_design.shear_resistance_without_stirrups",
    "structuralcodes.codes.ec2_2004.VRdc",
    lambda strength, bar_area, width, depth, axial_stress, partial_factor: ec2_2004.VRdc(
        strength, depth, bar_area, width, axial_stress, 1.0, strength / partial_factor, gamma_c=partial_factor
    ),
    draws={
        "strength": (12, 100),
        "bar_area": (0, 8000),
        "width": (150, 1000),
        "depth": (100, 1000),
        "axial_stress": (-1, 8),
        "partial_factor": (1.2, 1.6),
    },
    within=1e-11,
)
TABLE.add(
    "concrete_design.stirrup_shear_resistance",
    "structuralcodes.codes.ec2_2004.VRds",
    lambda stirrup_area, spacing, lever_arm, stirrup_strength, strut_angle, stirrup_angle: ec2_2004.VRds(
        stirrup_area,
        spacing,
        lever_arm,
        math.degrees(strut_angle),
        stirrup_strength,
        math.degrees(stirrup_angle),
        gamma_s=1.0,
    ),
    draws={
        "stirrup_area": (50, 500),
        "spacing": (80, 400),
        "lever_arm": (150, 900),
        "stirrup_strength": (350, 500),
        "strut_angle": (0.382, 0.785),
        "stirrup_angle": (0.8, 1.57),
    },
    within=1e-11,
)
TABLE.add(
    "concrete_design.strut_shear_resistance",
    "structuralcodes.codes.ec2_2004.VRdmax",
    lambda width, lever_arm, strength, design_strength, strut_angle, stirrup_angle, axial_stress: ec2_2004.VRdmax(
        width,
        lever_arm,
        strength,
        math.degrees(strut_angle),
        axial_stress,
        1.0,
        design_strength,
        math.degrees(stirrup_angle),
    ),
    draws={
        "width": (150, 800),
        "lever_arm": (150, 900),
        "strength": (12, 100),
        "design_strength": (10, 60),
        "strut_angle": (0.382, 0.785),
        "stirrup_angle": (0.8, 1.57),
        "axial_stress": (-2, 9),
    },
    within=1e-11,
)
TABLE.add(
    "concrete_design.prestressed_shear_resistance",
    "structuralcodes.codes.ec2_2004.VRdc_prin_stress",
    lambda inertia, width, first_moment, tensile_strength, axial_stress, transfer_ratio: ec2_2004.VRdc_prin_stress(
        inertia, width, first_moment, tensile_strength, axial_stress, 1.0, transfer_ratio, 1.0
    ),
    draws={
        "inertia": (100000000.0, 10000000000.0),
        "width": (100, 400),
        "first_moment": (1000000.0, 30000000.0),
        "tensile_strength": (1, 3),
        "axial_stress": (0, 10),
        "transfer_ratio": (0, 1),
    },
    within=1e-12,
)
TABLE.add(
    "concrete_design.shear_resistance_2010",
    "structuralcodes.codes.mc2010.v_rdc_approx1",
    lambda strength, width, lever_arm, partial_factor: mc2010.v_rdc_approx1(strength, lever_arm, width, partial_factor),
    draws={"strength": (12, 100), "width": (150, 1000), "lever_arm": (100, 1000), "partial_factor": (1.2, 1.6)},
    within=1e-12,
)
TABLE.add(
    "concrete_design.longitudinal_strain_2010",
    "structuralcodes.codes.mc2010.epsilon_x",
    lambda lever_arm, bar_area, moment, shear, axial_force, eccentricity, steel_modulus: mc2010.epsilon_x(
        steel_modulus, bar_area, lever_arm, mc2010.create_load_dict(moment, shear, axial_force, eccentricity)
    ),
    draws={
        "lever_arm": (150, 900),
        "bar_area": (300, 6000),
        "moment": (0, 500000000.0),
        "shear": (0, 500000.0),
        "axial_force": (-300000.0, 300000.0),
        "eccentricity": (0, 100),
        "steel_modulus": (190000, 210000),
    },
    within=1e-12,
)
TABLE.add(
    "concrete_design.shear_resistance_strain_2010",
    "structuralcodes.codes.mc2010.v_rdc_approx2",
    lambda strength, width, lever_arm, aggregate_size, strain, partial_factor: mc2010.v_rdc_approx2(
        strength,
        lever_arm,
        width,
        aggregate_size,
        0.5,
        1.0,
        mc2010.create_load_dict(0.0, strain, 0.0, 0.0),
        partial_factor,
    ),
    draws={
        "strength": (12, 100),
        "width": (150, 1000),
        "lever_arm": (100, 1000),
        "aggregate_size": (4, 40),
        "strain": (0, 0.002),
        "partial_factor": (1.2, 1.6),
    },
    within=1e-12,
)
TABLE.add(
    "concrete_design.slab_rotation",
    "structuralcodes.codes.mc2010.psi_punching_level_two",
    lambda radius, yield_strength, depth, moment, moment_resistance, steel_modulus: mc2010.psi_punching_level_two(
        radius, yield_strength, depth, steel_modulus, moment, moment_resistance
    ),
    draws={
        "radius": (500, 2500),
        "yield_strength": (350, 550),
        "depth": (120, 600),
        "moment": (10000.0, 100000.0),
        "moment_resistance": (50000.0, 200000.0),
        "steel_modulus": (190000, 210000),
    },
    within=1e-12,
)
TABLE.add(
    "concrete_design.punching_shear_resistance",
    "structuralcodes.codes.mc2010.v_rdc_punching",
    lambda strength, perimeter, shear_depth, depth, rotation, aggregate_size, partial_factor: mc2010.v_rdc_punching(
        mc2010.k_psi(mc2010.k_dg(aggregate_size), depth, rotation), perimeter, shear_depth, strength, partial_factor
    ),
    draws={
        "strength": (12, 100),
        "perimeter": (1000, 4000),
        "shear_depth": (100, 500),
        "depth": (120, 600),
        "rotation": (0.001, 0.02),
        "aggregate_size": (4, 40),
        "partial_factor": (1.2, 1.6),
    },
    within=1e-12,
)
TABLE.add(
    "concrete_design.splitting_bond_strength",
    "structuralcodes.codes.mc2010.tau_bu_split",
    lambda mean_strength, diameter, smaller_cover, larger_cover, confinement_efficiency, confinement_ratio, position_factor: (
        mc2010.tau_bu_split(
            position_factor,
            mean_strength,
            diameter,
            smaller_cover,
            larger_cover,
            confinement_efficiency,
            confinement_ratio,
        )
    ),
    draws={
        "mean_strength": (20, 100),
        "diameter": (8, 40),
        "smaller_cover": (20, 50),
        "larger_cover": (50, 90),
        "confinement_efficiency": (0, 12),
        "confinement_ratio": (0, 0.05),
        "position_factor": [1.0, 0.7, 1.0],
    },
    within=1e-12,
)
TABLE.add(
    "concrete_design.lapped_bar_stress",
    "structuralcodes.codes.mc2010.f_stm",
    lambda mean_strength, bond_length, diameter, smaller_cover, larger_cover, confinement_efficiency, confinement_ratio: (
        mc2010.f_stm(
            mean_strength, diameter, bond_length, smaller_cover, larger_cover, confinement_efficiency, confinement_ratio
        )
    ),
    draws={
        "mean_strength": (20, 100),
        "diameter": (8, 40),
        "smaller_cover": (20, 50),
        "larger_cover": (50, 90),
        "confinement_efficiency": (0, 12),
        "confinement_ratio": (0, 0.05),
        "bond_length": (200, 1500),
    },
    within=1e-12,
)
TABLE.add(
    "concrete_design.joint_shear_resistance",
    "structuralcodes.codes.mc2010.tau_rdi_with_reinforcement",
    lambda strength, design_strength, yield_strength, bar_ratio, normal_stress, bar_angle, interlock, friction, bar_efficiency, dowel_factor, strut_factor: (
        mc2010.tau_rdi_with_reinforcement(
            interlock,
            bar_efficiency,
            dowel_factor,
            friction,
            bar_ratio,
            normal_stress,
            math.degrees(bar_angle),
            strut_factor,
            strength,
            yield_strength,
            design_strength,
        )
    ),
    draws={
        "strength": (12, 100),
        "design_strength": (8, 60),
        "yield_strength": (350, 500),
        "bar_ratio": (0.0, 0.01),
        "normal_stress": (0, 2),
        "bar_angle": (0.8, 1.57),
        "interlock": (0, 0.2),
        "friction": (0.5, 1),
        "bar_efficiency": (0, 0.5),
        "dowel_factor": (0.9, 1.5),
        "strut_factor": (0.3, 0.5),
    },
    within=1e-12,
)
