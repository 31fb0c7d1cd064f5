"""Steel design of pyaisc360; its formulas have no units of their own, so they get millimeters, newtons and megapascals."""

from __future__ import annotations

import math
from importlib.metadata import version
from types import SimpleNamespace

from oracle import OracleTable
from pyaisc360 import (
    appendix_6,
    appendix_8,
    chapter_b,
    chapter_c,
    chapter_d,
    chapter_e,
    chapter_f,
    chapter_g,
    chapter_h,
    chapter_i,
    chapter_j,
    utils,
)
from pyaisc360.core.config import Basis


def bend(length, yield_strength, modulus, plastic, elastic, radius, effective_radius, torsion, distance, moment_factor):
    """Return the flexural strength of an I of section F2."""
    section = SimpleNamespace(Zx=plastic, Sx=elastic, ry=radius, rts=effective_radius, J=torsion, ho=distance)
    steel = SimpleNamespace(E=modulus, Fy=yield_strength)
    member = chapter_f.FlexuralMember(section=section, steel=steel, Lb=length, Cb=moment_factor)
    return min(state.nominal for state in chapter_f.f2_strength(member))


def tube(slenderness, yield_strength, plastic, elastic, modulus):
    """Return the flexural strength of a round tube of section F8."""
    steel = SimpleNamespace(E=modulus, Fy=yield_strength)
    member = chapter_f.FlexuralMember(section=SimpleNamespace(Zx=plastic, Sx=elastic), steel=steel)
    limits = chapter_b.flexural_limits(chapter_b.FlexuralElement.ROUND_HSS, modulus, yield_strength)
    kind = utils.classify_flexural_element(slenderness, *limits)
    return min(state.nominal for state in chapter_f.f8_strength(member, D_over_t=slenderness, wall_class=kind))


def bar(length, depth, width, yield_strength, moment_factor, modulus):
    """Return the flexural strength of a rectangular bar of section F11."""
    steel = SimpleNamespace(E=modulus, Fy=yield_strength)
    member = chapter_f.FlexuralMember(section=None, steel=steel, Lb=length, Cb=moment_factor)
    plastic, elastic = width * depth**2 / 4, width * depth**2 / 6
    return min(state.nominal for state in chapter_f.f11_strength(member, d=depth, t=width, Z=plastic, S=elastic))


def compact(yield_strength, modulus):
    """Make the record of the limits of a rolled I."""
    element = chapter_b.FlexuralElement
    flange = chapter_b.flexural_limits(element.ROLLED_I_FLANGE, modulus, yield_strength)
    web = chapter_b.flexural_limits(element.I_WEB, modulus, yield_strength)
    return dict(zip(("flange_compact", "flange_slender", "web_compact", "web_slender"), (*flange, *web), strict=True))


def brace(found):
    """Make the record of what a brace needs."""
    return {"force": found.strength, "stiffness": found.stiffness}


def largest(arguments):
    """Let the largest moment be the largest."""
    names = ("quarter", "middle", "three_quarters")
    return {**arguments, "largest": max(arguments["largest"], *[abs(arguments[name]) for name in names])}


TABLE = OracleTable("pyaisc360", version("pyaisc360"))
TABLE.add(
    "steel_design.column_critical_stress",
    "pyaisc360.chapter_e.flexural_buckling_stress_E3",
    lambda slenderness, yield_strength, modulus: chapter_e.flexural_buckling_stress_E3(
        slenderness, modulus, yield_strength
    )[0],
    draws={"yield_strength": (200.0, 500.0), "modulus": (190000.0, 210000.0), "slenderness": (20, 200)},
    within=1e-11,
)
TABLE.add(
    "steel_design.torsional_buckling_stress",
    "pyaisc360.chapter_e.Fez",
    lambda warping, torsion, length, area, polar_radius, modulus, shear_modulus: chapter_e.Fez(
        modulus, shear_modulus, warping, torsion, length, area, polar_radius
    ),
    draws={
        "area": (1000.0, 30000.0),
        "modulus": (190000.0, 210000.0),
        "warping": (10000000000.0, 1000000000000.0),
        "torsion": (100000.0, 10000000.0),
        "length": (1000.0, 9000.0),
        "polar_radius": (40.0, 250.0),
        "shear_modulus": (76000.0, 81000.0),
    },
    within=1e-11,
)
TABLE.add(
    "steel_design.polar_radius_of_gyration",
    "pyaisc360.chapter_e.polar_radius_of_gyration",
    lambda shift_x, shift_y, inertia_x, inertia_y, area: chapter_e.polar_radius_of_gyration(
        shift_x, shift_y, inertia_x, inertia_y, area
    ),
    draws={
        "area": (1000.0, 30000.0),
        "shift_x": (-60.0, 60.0),
        "shift_y": (-60.0, 60.0),
        "inertia_x": (1000000.0, 500000000.0),
        "inertia_y": (1000000.0, 100000000.0),
    },
    within=1e-11,
)
TABLE.add(
    "steel_design.flexural_torsional_buckling_stress",
    "pyaisc360.chapter_e.flexural_torsional_buckling_stress",
    lambda flexural_stress, torsional_stress, flexural_constant: chapter_e.flexural_torsional_buckling_stress(
        flexural_stress, torsional_stress, flexural_constant
    ),
    draws={"flexural_stress": (50.0, 900.0), "torsional_stress": (50.0, 900.0), "flexural_constant": (0.4, 1.0)},
    within=1e-11,
)
TABLE.add(
    "steel_design.plastic_length_limit",
    "pyaisc360.chapter_f.Lp_F2",
    lambda radius, yield_strength, modulus: chapter_f.Lp_F2(radius, modulus, yield_strength),
    draws={"yield_strength": (200.0, 500.0), "modulus": (190000.0, 210000.0), "radius": (15.0, 90.0)},
    within=1e-11,
)
TABLE.add(
    "steel_design.elastic_length_limit",
    "pyaisc360.chapter_f.Lr_F2",
    lambda effective_radius, torsion, elastic_modulus, flange_distance, yield_strength, modulus: chapter_f.Lr_F2(
        effective_radius, modulus, yield_strength, torsion, 1.0, elastic_modulus, flange_distance
    ),
    draws={
        "yield_strength": (200.0, 500.0),
        "modulus": (190000.0, 210000.0),
        "torsion": (100000.0, 5000000.0),
        "elastic_modulus": (200000.0, 4000000.0),
        "flange_distance": (150.0, 900.0),
        "effective_radius": (20.0, 100.0),
    },
    within=1e-11,
)
TABLE.add(
    "steel_design.beam_flexural_strength",
    "pyaisc360.chapter_f.f2_strength",
    lambda length, plastic_modulus, elastic_modulus, radius, effective_radius, torsion, flange_distance, yield_strength, modulus, moment_factor: (
        bend(
            length,
            yield_strength,
            modulus,
            plastic_modulus,
            elastic_modulus,
            radius,
            effective_radius,
            torsion,
            flange_distance,
            moment_factor,
        )
    ),
    draws={
        "yield_strength": (200.0, 500.0),
        "modulus": (190000.0, 210000.0),
        "torsion": (100000.0, 5000000.0),
        "elastic_modulus": (200000.0, 4000000.0),
        "flange_distance": (150.0, 900.0),
        "effective_radius": (20.0, 100.0),
        "radius": (15.0, 90.0),
        "plastic_modulus": (4000000.0, 5000000.0),
        "length": (500.0, 15000.0),
        "moment_factor": (1.0, 2.3),
    },
    prepare=lambda arguments: {**arguments, "radius": min(arguments["radius"], arguments["effective_radius"])},
    within=1e-11,
)
TABLE.add(
    "steel_design.moment_gradient_factor",
    "pyaisc360.utils.lateral_torsional_modification_factor",
    lambda largest, quarter, middle, three_quarters: utils.lateral_torsional_modification_factor(
        largest, quarter, middle, three_quarters
    ),
    draws={
        "largest": (50.0, 100.0),
        "quarter": (-90.0, 90.0),
        "middle": (-90.0, 90.0),
        "three_quarters": (-90.0, 90.0),
    },
    prepare=lambda arguments: largest(arguments),
    within=1e-11,
)
TABLE.add(
    "steel_design.web_shear_strength",
    "pyaisc360.chapter_g.g2_1_strength",
    lambda web_area, slenderness, yield_strength, buckling_coefficient, modulus: chapter_g.g2_1_strength(
        yield_strength, web_area, slenderness, modulus, kv=buckling_coefficient
    )[0],
    draws={
        "yield_strength": (200.0, 500.0),
        "modulus": (190000.0, 210000.0),
        "web_area": (1000.0, 20000.0),
        "slenderness": (20.0, 200.0),
        "buckling_coefficient": (5.34, 12.0),
    },
    within=1e-11,
)
TABLE.add(
    "steel_design.tension_field_shear_strength",
    "pyaisc360.chapter_g.g2_2_tension_field_strength",
    lambda web_area, slenderness, aspect, yield_strength, buckling_coefficient, modulus: (
        chapter_g.g2_2_tension_field_strength(
            yield_strength, web_area, slenderness, modulus, aspect, kv=buckling_coefficient, full_tension_field=True
        )[0]
    ),
    draws={
        "yield_strength": (200.0, 500.0),
        "modulus": (190000.0, 210000.0),
        "web_area": (1000.0, 20000.0),
        "slenderness": (40.0, 250.0),
        "aspect": (0.5, 3.0),
        "buckling_coefficient": (5.34, 20.0),
    },
    within=1e-11,
)
TABLE.add(
    "steel_design.web_buckling_coefficient",
    "pyaisc360.chapter_g.kv_coefficient",
    lambda aspect: chapter_g.kv_coefficient(aspect),
    draws={"aspect": (0.3, 4.0)},
    within=1e-11,
)
TABLE.add(
    "steel_design.round_tube_shear_stress",
    "pyaisc360.chapter_g.g5_critical_stress",
    lambda diameter, thickness, length, yield_strength, modulus: chapter_g.g5_critical_stress(
        diameter, thickness, length, modulus, yield_strength
    )[0],
    draws={
        "yield_strength": (200.0, 500.0),
        "modulus": (190000.0, 210000.0),
        "diameter": (100.0, 900.0),
        "thickness": (2.0, 12.0),
        "length": (1000.0, 20000.0),
    },
    within=1e-11,
)
TABLE.add(
    "steel_design.round_tube_effective_area",
    "pyaisc360.chapter_e.round_hss_effective_area",
    lambda area, diameter, thickness, yield_strength, modulus: chapter_e.round_hss_effective_area(
        area, diameter, thickness, modulus, yield_strength
    ),
    draws={
        "area": (1000.0, 30000.0),
        "yield_strength": (200.0, 500.0),
        "modulus": (190000.0, 210000.0),
        "diameter": (100.0, 900.0),
        "thickness": (4.0, 12.0),
    },
    within=1e-11,
)
TABLE.add(
    "steel_design.combined_force_ratio",
    "pyaisc360.chapter_h.combined_axial_flexure",
    lambda axial_force, axial_strength, moment_x, strength_x, moment_y, strength_y: (
        chapter_h.combined_axial_flexure(axial_force, axial_strength, moment_x, strength_x, moment_y, strength_y).ratio
    ),
    draws={
        "axial_force": (10000.0, 1000000.0),
        "axial_strength": (500000.0, 4000000.0),
        "moment_x": (1000000.0, 300000000.0),
        "strength_x": (100000000.0, 900000000.0),
        "moment_y": (1000000.0, 50000000.0),
        "strength_y": (50000000.0, 300000000.0),
    },
    within=1e-11,
)
TABLE.add(
    "steel_design.member_moment_amplifier",
    "pyaisc360.appendix_8.B1_multiplier",
    lambda axial_force, stiffness, length, moment_ratio, load_factor: appendix_8.B1_multiplier(
        appendix_8.Cm_no_transverse_load(moment_ratio),
        axial_force,
        appendix_8.Pe1(stiffness, length),
        Basis.LRFD if load_factor == 1 else Basis.ASD,
    ),
    draws={
        "axial_force": (10000.0, 1000000.0),
        "stiffness": (10000000000000.0, 100000000000000.0),
        "length": (2000.0, 6000.0),
        "moment_ratio": (-1.0, 1.0),
        "load_factor": [1.0, 1.6, 1.0],
    },
    within=1e-11,
)
TABLE.add(
    "steel_design.story_moment_amplifier",
    "pyaisc360.appendix_8.B2_multiplier",
    lambda story_load, shear, drift, height, frame_share, load_factor: appendix_8.B2_multiplier(
        story_load,
        appendix_8.story_buckling_strength(
            appendix_8.RM_factor(frame_share * story_load, story_load), shear, height, drift
        ),
        Basis.LRFD if load_factor == 1 else Basis.ASD,
    ),
    draws={
        "story_load": (1000000.0, 10000000.0),
        "shear": (100000.0, 1000000.0),
        "drift": (1.0, 20.0),
        "height": (3000.0, 5000.0),
        "frame_share": (0.0, 1.0),
        "load_factor": [1.0, 1.6, 1.0],
    },
    within=1e-11,
)
TABLE.add(
    "steel_design.stiffness_reduction",
    "pyaisc360.chapter_c.tau_b",
    lambda load_ratio: chapter_c.tau_b(load_ratio, 1.0),
    draws={"load_ratio": (0.2, 1.0)},
    within=1e-11,
)
TABLE.add(
    "steel_design.shear_lag_factor",
    "pyaisc360.chapter_d.shear_lag_case_2",
    lambda eccentricity, length: chapter_d.shear_lag_case_2(eccentricity, length),
    draws={"eccentricity": (5.0, 60.0), "length": (80.0, 400.0)},
    within=1e-11,
)
TABLE.add(
    "steel_design.welded_plate_shear_lag_factor",
    "pyaisc360.chapter_d.shear_lag_case_4",
    lambda length, width, eccentricity: chapter_d.shear_lag_case_4(length, length, width, eccentricity),
    draws={"eccentricity": (0.0, 40.0), "length": (80.0, 400.0), "width": (50.0, 300.0)},
    within=1e-11,
)
TABLE.add(
    "steel_design.column_point_brace",
    "pyaisc360.appendix_6.column_point_bracing",
    lambda axial_force, length: brace(appendix_6.column_point_bracing(axial_force, length)),
    draws={"axial_force": (100000.0, 3000000.0), "length": (2000.0, 6000.0)},
    within=1e-11,
)
TABLE.add(
    "steel_design.bolt_bearing_strength",
    "pyaisc360.chapter_j.bearing_strength",
    lambda diameter, thickness, tensile_strength: chapter_j.bearing_strength(diameter, thickness, tensile_strength)[0],
    draws={"tensile_strength": (350.0, 700.0), "diameter": (12.0, 36.0), "thickness": (6.0, 30.0)},
    within=1e-11,
)
TABLE.add(
    "steel_design.bolt_tearout_strength",
    "pyaisc360.chapter_j.tearout_strength",
    lambda clear_distance, thickness, tensile_strength: chapter_j.tearout_strength(
        clear_distance, thickness, tensile_strength
    )[0],
    draws={"tensile_strength": (350.0, 700.0), "thickness": (6.0, 30.0), "clear_distance": (15.0, 80.0)},
    within=1e-11,
)
TABLE.add(
    "steel_design.block_shear_strength",
    "pyaisc360.chapter_j.block_shear_strength",
    lambda gross_shear_area, net_shear_area, net_tension_area, yield_strength, tensile_strength, tension_factor: (
        chapter_j.block_shear_strength(
            tensile_strength, net_shear_area, net_tension_area, yield_strength, gross_shear_area, tension_factor
        ).nominal
    ),
    draws={
        "yield_strength": (200.0, 500.0),
        "tensile_strength": (350.0, 700.0),
        "gross_shear_area": (1000.0, 9000.0),
        "net_shear_area": (700.0, 6000.0),
        "net_tension_area": (200.0, 3000.0),
        "tension_factor": [1.0, 0.5, 1.0],
    },
    within=1e-11,
)
TABLE.add(
    "steel_design.bolt_slip_resistance",
    "pyaisc360.chapter_j.slip_resistance",
    lambda friction, pretension, planes, pretension_ratio, filler_factor: (
        chapter_j.slip_resistance(
            friction, pretension_ratio, filler_factor, pretension, planes, chapter_j.HoleType.STANDARD
        ).nominal
    ),
    draws={
        "friction": (0.3, 0.5),
        "pretension": (50000.0, 400000.0),
        "planes": (1, 2),
        "pretension_ratio": (1.0, 1.2),
        "filler_factor": [1.0, 0.85, 1.0],
    },
    within=1e-11,
)
TABLE.add(
    "steel_design.bolt_tension_with_shear",
    "pyaisc360.chapter_j.combined_tension_shear",
    lambda tensile_stress, shear_stress, required_shear: chapter_j.combined_tension_shear(
        tensile_stress, shear_stress, required_shear
    )[0],
    draws={"tensile_stress": (500.0, 800.0), "shear_stress": (300.0, 580.0), "required_shear": (0.0, 350.0)},
    within=1e-11,
)
TABLE.add(
    "steel_design.fillet_weld_strength",
    "pyaisc360.chapter_j.fillet_weld_strength",
    lambda electrode_strength, throat_area, angle: (
        chapter_j.fillet_weld_strength(
            electrode_strength, throat_area, theta_degrees=math.degrees(angle), directional_increase=True
        ).nominal
    ),
    draws={"electrode_strength": (400.0, 800.0), "throat_area": (200.0, 6000.0), "angle": (0.0, 1.57)},
    within=1e-11,
)
TABLE.add(
    "steel_design.long_weld_reduction",
    "pyaisc360.chapter_j.weld_length_reduction",
    lambda length, size: chapter_j.weld_length_reduction(length, size),
    draws={"length": (100.0, 1500.0), "size": (5.0, 16.0)},
    within=1e-11,
)
TABLE.add(
    "steel_design.web_yielding_strength",
    "pyaisc360.chapter_j.web_local_yielding",
    lambda web, fillet, bearing_length, yield_strength: (
        chapter_j.web_local_yielding(yield_strength, web, fillet, bearing_length).nominal
    ),
    draws={
        "yield_strength": (200.0, 500.0),
        "web": (5.0, 25.0),
        "fillet": (10.0, 60.0),
        "bearing_length": (20.0, 300.0),
    },
    within=1e-11,
)
TABLE.add(
    "steel_design.web_crippling_strength",
    "pyaisc360.chapter_j.web_local_crippling",
    lambda web, flange, height, bearing_length, yield_strength, modulus: (
        chapter_j.web_local_crippling(web, flange, height, bearing_length, modulus, yield_strength).nominal
    ),
    draws={
        "yield_strength": (200.0, 500.0),
        "modulus": (190000.0, 210000.0),
        "web": (5.0, 25.0),
        "flange": (8.0, 40.0),
        "height": (150.0, 1000.0),
        "bearing_length": (20.0, 300.0),
    },
    within=1e-11,
)
TABLE.add(
    "steel_design.web_compression_buckling_strength",
    "pyaisc360.chapter_j.web_compression_buckling",
    lambda web, clear_height, yield_strength, modulus: (
        chapter_j.web_compression_buckling(web, clear_height, modulus, yield_strength).nominal
    ),
    draws={
        "yield_strength": (200.0, 500.0),
        "modulus": (190000.0, 210000.0),
        "web": (5.0, 25.0),
        "clear_height": (120.0, 950.0),
    },
    within=1e-11,
)
TABLE.add(
    "steel_design.flange_bending_strength",
    "pyaisc360.chapter_j.flange_local_bending",
    lambda flange, yield_strength: chapter_j.flange_local_bending(yield_strength, flange).nominal,
    draws={"yield_strength": (200.0, 500.0), "flange": (8.0, 40.0)},
    within=1e-11,
)
TABLE.add(
    "steel_design.panel_zone_shear_strength",
    "pyaisc360.chapter_j.panel_zone_shear",
    lambda height, web, yield_strength, load_ratio: (
        chapter_j.panel_zone_shear(yield_strength, height, web, load_ratio, 1.0).nominal
    ),
    draws={"yield_strength": (200.0, 500.0), "height": (150.0, 700.0), "web": (6.0, 40.0), "load_ratio": (0.0, 1.0)},
    within=1e-11,
)
TABLE.add(
    "steel_design.base_plate_bearing_strength",
    "pyaisc360.chapter_j.concrete_bearing_strength",
    lambda strength, plate_area, support_area: (
        chapter_j.concrete_bearing_strength(strength, plate_area, support_area).nominal
    ),
    draws={"strength": (20.0, 60.0), "plate_area": (40000.0, 500000.0), "support_area": (40000.0, 2000000.0)},
    within=1e-11,
)
TABLE.add(
    "steel_design.stud_shear_strength",
    "pyaisc360.chapter_i.stud_anchor_shear_in_beam",
    lambda stud_area, strength, concrete_modulus, tensile_strength, group_factor, position_factor: (
        chapter_i.stud_anchor_shear_in_beam(
            stud_area, strength, concrete_modulus, group_factor, position_factor, tensile_strength
        )[0]
    ),
    draws={
        "tensile_strength": (350.0, 700.0),
        "stud_area": (120.0, 500.0),
        "strength": (20.0, 60.0),
        "concrete_modulus": (20000.0, 35000.0),
        "group_factor": [1.0, 0.85, 0.7],
        "position_factor": [0.75, 0.6, 0.75],
    },
    within=1e-11,
)
TABLE.add(
    "steel_design.round_tube_flexural_strength",
    "pyaisc360.chapter_f.f8_strength",
    lambda slenderness, yield_strength, plastic_modulus, elastic_modulus, modulus: tube(
        slenderness, yield_strength, plastic_modulus, elastic_modulus, modulus
    ),
    draws={
        "yield_strength": (200.0, 500.0),
        "modulus": (190000.0, 210000.0),
        "slenderness": (15.0, 180.0),
        "plastic_modulus": (1300000.0, 1600000.0),
        "elastic_modulus": (900000.0, 1200000.0),
    },
    within=1e-11,
)
TABLE.add(
    "steel_design.rectangular_bar_flexural_strength",
    "pyaisc360.chapter_f.f11_strength",
    lambda length, depth, width, yield_strength, moment_factor, modulus: bar(
        length, depth, width, yield_strength, moment_factor, modulus
    ),
    draws={
        "yield_strength": (200.0, 500.0),
        "modulus": (190000.0, 210000.0),
        "length": (100.0, 6000.0),
        "depth": (50.0, 300.0),
        "width": (6.0, 40.0),
        "moment_factor": (1.0, 2.3),
    },
    within=1e-11,
)
TABLE.add(
    "steel_design.tee_buckling_moment",
    "pyaisc360.chapter_f.Mcr_F9",
    lambda length, depth, inertia, torsion, modulus: chapter_f.Mcr_F9(
        1.0, length, modulus, inertia, torsion, depth, stem_in_compression=False
    ),
    draws={
        "modulus": (190000.0, 210000.0),
        "length": (500.0, 9000.0),
        "depth": (80.0, 400.0),
        "inertia": (1000000.0, 50000000.0),
        "torsion": (50000.0, 2000000.0),
    },
    within=1e-11,
)
TABLE.add(
    "steel_design.compactness_limits",
    "pyaisc360.chapter_b.flexural_limits",
    lambda yield_strength, modulus: compact(yield_strength, modulus),
    draws={"yield_strength": (200.0, 500.0), "modulus": (190000.0, 210000.0)},
    within=1e-11,
)
TABLE.add(
    "steel_design.round_tube_torsional_stress",
    "pyaisc360.chapter_h.round_hss_torsional_stress",
    lambda diameter, thickness, length, yield_strength, modulus: chapter_h.round_hss_torsional_stress(
        diameter, thickness, length, modulus, yield_strength
    )[0],
    draws={
        "yield_strength": (200.0, 500.0),
        "modulus": (190000.0, 210000.0),
        "diameter": (100.0, 900.0),
        "thickness": (2.0, 12.0),
        "length": (1000.0, 20000.0),
    },
    within=1e-11,
)
TABLE.add(
    "steel_design.rectangular_tube_torsional_constant",
    "pyaisc360.chapter_h.rectangular_hss_torsional_constant",
    lambda width, height, thickness: chapter_h.rectangular_hss_torsional_constant(width, height, thickness),
    draws={"width": (60.0, 400.0), "height": (60.0, 400.0), "thickness": (3.0, 16.0)},
    within=1e-11,
)
TABLE.add(
    "steel_design.beam_point_brace",
    "pyaisc360.appendix_6.beam_point_bracing",
    lambda moment, flange_distance, length, curvature_factor: brace(
        appendix_6.beam_point_bracing(moment, flange_distance, length, Cd=curvature_factor)
    ),
    draws={
        "moment": (10000000.0, 1000000000.0),
        "flange_distance": (150.0, 900.0),
        "length": (1000.0, 6000.0),
        "curvature_factor": [1.0, 2.0, 1.0],
    },
    within=1e-11,
)
TABLE.add(
    "steel_design.encased_column_stiffness",
    "pyaisc360.chapter_i.EIeff_encased",
    lambda steel_area, bar_area, gross_area, steel_inertia, bar_inertia, concrete_inertia, concrete_modulus, steel_modulus: (
        chapter_i.EIeff_encased(
            steel_modulus,
            steel_inertia,
            bar_inertia,
            chapter_i.C1_coefficient(steel_area, bar_area, gross_area),
            concrete_modulus,
            concrete_inertia,
        )
    ),
    draws={
        "steel_area": (5000.0, 20000.0),
        "bar_area": (500.0, 5000.0),
        "gross_area": (100000.0, 300000.0),
        "steel_inertia": (10000000.0, 300000000.0),
        "bar_inertia": (1000000.0, 100000000.0),
        "concrete_inertia": (1000000000.0, 10000000000.0),
        "concrete_modulus": (20000.0, 35000.0),
        "steel_modulus": (190000.0, 210000.0),
    },
    within=1e-11,
)
TABLE.add(
    "steel_design.filled_column_stiffness",
    "pyaisc360.chapter_i.EIeff_filled",
    lambda steel_area, bar_area, gross_area, steel_inertia, bar_inertia, concrete_inertia, concrete_modulus, steel_modulus: (
        chapter_i.EIeff_filled(
            steel_modulus,
            steel_inertia,
            bar_inertia,
            chapter_i.C3_coefficient(steel_area, bar_area, gross_area),
            concrete_modulus,
            concrete_inertia,
        )
    ),
    draws={
        "steel_area": (5000.0, 20000.0),
        "bar_area": (500.0, 5000.0),
        "gross_area": (100000.0, 300000.0),
        "steel_inertia": (10000000.0, 300000000.0),
        "bar_inertia": (1000000.0, 100000000.0),
        "concrete_inertia": (1000000000.0, 10000000000.0),
        "concrete_modulus": (20000.0, 35000.0),
        "steel_modulus": (190000.0, 210000.0),
    },
    within=1e-11,
)
TABLE.add(
    "steel_design.composite_column_strength",
    "pyaisc360.chapter_i.composite_compressive_strength",
    lambda squash, stiffness, length: (
        chapter_i.composite_compressive_strength(squash, chapter_i.Pe_composite(stiffness, length)).nominal
    ),
    draws={
        "squash": (1000000.0, 20000000.0),
        "stiffness": (10000000000000.0, 200000000000000.0),
        "length": (2000.0, 15000.0),
    },
    within=1e-11,
)
TABLE.add(
    "structural.euler_buckling_stress",
    "pyaisc360.chapter_e.Fex",
    lambda modulus, slenderness: float(chapter_e.Fex(slenderness, modulus)),
    draws={"modulus": (1e10, 4e11), "slenderness": (20, 200)},
    within=1e-12,
)
