"""Friction factors and loss coefficients, by fluids."""

from __future__ import annotations

import fluids
from fluids import core, fittings, friction
from oracle import OracleTable

TABLE = OracleTable("fluids", fluids.__version__)
TABLE.add(
    "pipe_losses.laminar_friction_factor",
    "fluids.friction.friction_laminar",
    lambda reynolds_number: friction.friction_laminar(reynolds_number),
    draws={"reynolds_number": [100.0, 2300.0]},
)
TABLE.add(
    "pipe_losses.blasius_friction_factor",
    "fluids.friction.Blasius",
    lambda reynolds_number: friction.Blasius(reynolds_number),
    draws={"reynolds_number": [5000.0, 900000.0]},
)
TABLE.add(
    "pipe_losses.smooth_pipe_friction_factor",
    "fluids.friction.Prandtl_von_Karman_Nikuradse",
    lambda reynolds_number: friction.Prandtl_von_Karman_Nikuradse(reynolds_number),
    draws={"reynolds_number": [5000.0, 900000.0]},
)
TABLE.add(
    "pipe_losses.rough_pipe_friction_factor",
    "fluids.friction.von_Karman",
    lambda relative_roughness: friction.von_Karman(relative_roughness),
    draws={"relative_roughness": [0.0001, 0.04]},
)
TABLE.add(
    "pipe_losses.moody_friction_factor",
    "fluids.friction.Moody",
    lambda reynolds_number, relative_roughness: friction.Moody(reynolds_number, relative_roughness),
    draws={"reynolds_number": [5000.0, 900000.0], "relative_roughness": [0.0001, 0.04]},
)
TABLE.add(
    "pipe_losses.churchill_friction_factor",
    "fluids.friction.Churchill_1977",
    lambda reynolds_number, relative_roughness: friction.Churchill_1977(reynolds_number, relative_roughness),
    draws={"reynolds_number": [500.0, 60000.0], "relative_roughness": [0.0001, 0.04]},
)
TABLE.add(
    "pipe_losses.swamee_jain_friction_factor",
    "fluids.friction.Swamee_Jain_1976",
    lambda reynolds_number, relative_roughness: friction.Swamee_Jain_1976(reynolds_number, relative_roughness),
    draws={"reynolds_number": [5000.0, 900000.0], "relative_roughness": [0.0001, 0.04]},
)
TABLE.add(
    "pipe_losses.serghides_friction_factor",
    "fluids.friction.Serghides_1",
    lambda reynolds_number, relative_roughness: friction.Serghides_1(reynolds_number, relative_roughness),
    within=1e-09,
    draws={"reynolds_number": [5000.0, 900000.0], "relative_roughness": [0.0001, 0.04]},
)
TABLE.add(
    "pipe_losses.zigrang_sylvester_friction_factor",
    "fluids.friction.Zigrang_Sylvester_1",
    lambda reynolds_number, relative_roughness: friction.Zigrang_Sylvester_1(reynolds_number, relative_roughness),
    draws={"reynolds_number": [5000.0, 900000.0], "relative_roughness": [0.0001, 0.04]},
)
TABLE.add(
    "pipe_losses.chen_friction_factor",
    "fluids.friction.Chen_1979",
    lambda reynolds_number, relative_roughness: friction.Chen_1979(reynolds_number, relative_roughness),
    draws={"reynolds_number": [5000.0, 900000.0], "relative_roughness": [0.0001, 0.04]},
)
TABLE.add(
    "pipe_losses.wood_friction_factor",
    "fluids.friction.Wood_1966",
    lambda reynolds_number, relative_roughness: friction.Wood_1966(reynolds_number, relative_roughness),
    draws={"reynolds_number": [5000.0, 900000.0], "relative_roughness": [0.0001, 0.04]},
)
TABLE.add(
    "pipe_losses.altshul_friction_factor",
    "fluids.friction.Alshul_1952",
    lambda reynolds_number, relative_roughness: friction.Alshul_1952(reynolds_number, relative_roughness),
    draws={"reynolds_number": [5000.0, 900000.0], "relative_roughness": [0.0001, 0.04]},
)
TABLE.add(
    "pipe_losses.white_coil_friction_factor",
    "fluids.friction.helical_laminar_fd_White",
    lambda reynolds_number, diameter, coil_diameter: friction.helical_laminar_fd_White(
        reynolds_number, diameter, coil_diameter
    ),
    draws={"reynolds_number": [100.0, 2300.0], "diameter": [0.005, 0.05], "coil_diameter": [0.3, 2.0]},
)
TABLE.add(
    "pipe_losses.schmidt_coil_friction_factor",
    "fluids.friction.helical_laminar_fd_Schmidt",
    lambda reynolds_number, diameter, coil_diameter: friction.helical_laminar_fd_Schmidt(
        reynolds_number, diameter, coil_diameter
    ),
    draws={"reynolds_number": [100.0, 2300.0], "diameter": [0.005, 0.05], "coil_diameter": [0.3, 2.0]},
)
TABLE.add(
    "pipe_losses.srinivasan_coil_friction_factor",
    "fluids.friction.helical_turbulent_fd_Srinivasan",
    lambda reynolds_number, diameter, coil_diameter: friction.helical_turbulent_fd_Srinivasan(
        reynolds_number, diameter, coil_diameter
    ),
    draws={"reynolds_number": [5000.0, 900000.0], "diameter": [0.005, 0.05], "coil_diameter": [0.3, 2.0]},
)
TABLE.add(
    "pipe_losses.ito_critical_reynolds",
    "fluids.friction.helical_transition_Re_Ito",
    lambda diameter, coil_diameter: friction.helical_transition_Re_Ito(diameter, coil_diameter),
    draws={"diameter": [0.005, 0.05], "coil_diameter": [0.3, 2.0]},
)
TABLE.add(
    "pipe_losses.schmidt_critical_reynolds",
    "fluids.friction.helical_transition_Re_Schmidt",
    lambda diameter, coil_diameter: friction.helical_transition_Re_Schmidt(diameter, coil_diameter),
    draws={"diameter": [0.005, 0.05], "coil_diameter": [0.3, 2.0]},
)
TABLE.add(
    "pipe_losses.martin_plate_friction_factor",
    "fluids.friction.friction_plate_Martin_1999",
    lambda reynolds_number, chevron_angle: friction.friction_plate_Martin_1999(reynolds_number, chevron_angle),
    draws={"reynolds_number": [300.0, 5000.0], "chevron_angle": [31.0, 59.0]},
)
TABLE.add(
    "pipe_losses.muley_manglik_friction_factor",
    "fluids.friction.friction_plate_Muley_Manglik",
    lambda reynolds_number, chevron_angle, enlargement_factor: friction.friction_plate_Muley_Manglik(
        reynolds_number, chevron_angle, enlargement_factor
    ),
    draws={"reynolds_number": [1000.0, 9000.0], "chevron_angle": [31.0, 59.0], "enlargement_factor": [1.05, 1.45]},
)
TABLE.add(
    "pipe_losses.angled_entrance_loss",
    "fluids.fittings.entrance_angled",
    lambda angle: fittings.entrance_angled(angle),
    draws={"angle": [20.0, 90.0]},
)
TABLE.add(
    "pipe_losses.rounded_entrance_loss",
    "fluids.fittings.entrance_rounded",
    lambda diameter, radius: fittings.entrance_rounded(diameter, radius),
    draws={"diameter": [0.05, 0.3], "radius": [0.001, 0.05]},
)
TABLE.add(
    "pipe_losses.swamee_entrance_loss",
    "fluids.fittings.entrance_rounded",
    lambda diameter, radius: fittings.entrance_rounded(diameter, radius, method="Swamee"),
    asked="Swamee",
    draws={"diameter": [0.05, 0.3], "radius": [0.001, 0.05]},
)
TABLE.add(
    "pipe_losses.beveled_entrance_loss",
    "fluids.fittings.entrance_beveled",
    lambda diameter, bevel_length, angle: fittings.entrance_beveled(diameter, bevel_length, angle),
    draws={"diameter": [0.05, 0.3], "bevel_length": [0.001, 0.02], "angle": [10.0, 80.0]},
)
TABLE.add(
    "pipe_losses.beveled_orifice_entrance_loss",
    "fluids.fittings.entrance_beveled_orifice",
    lambda diameter, orifice_diameter, bevel_length, angle: fittings.entrance_beveled_orifice(
        diameter, orifice_diameter, bevel_length, angle
    ),
    draws={
        "diameter": [0.05, 0.3],
        "orifice_diameter": [0.02, 0.048],
        "bevel_length": [0.001, 0.02],
        "angle": [10.0, 80.0],
    },
)
TABLE.add(
    "pipe_losses.reentrant_entrance_loss",
    "fluids.fittings.entrance_distance",
    lambda diameter, wall_thickness: fittings.entrance_distance(diameter, wall_thickness),
    draws={"diameter": [0.05, 0.3], "wall_thickness": [0.001, 0.01]},
)
TABLE.add(
    "pipe_losses.bend_loss",
    "fluids.fittings.bend_rounded",
    lambda diameter, angle, friction_factor, bend_radius: fittings.bend_rounded(
        diameter, angle, fd=friction_factor, rc=bend_radius
    ),
    draws={"diameter": [0.05, 0.3], "angle": [10.0, 180.0], "friction_factor": [0.01, 0.04], "bend_radius": [0.1, 1.0]},
)
TABLE.add(
    "pipe_losses.miter_bend_loss",
    "fluids.fittings.bend_miter",
    lambda angle: fittings.bend_miter(angle),
    draws={"angle": [10.0, 150.0]},
)
TABLE.add(
    "pipe_losses.coil_loss",
    "fluids.fittings.helix",
    lambda diameter, coil_radius, pitch, turns, friction_factor: fittings.helix(
        diameter, coil_radius, pitch, turns, friction_factor
    ),
    draws={
        "diameter": [0.05, 0.3],
        "coil_radius": [0.2, 1.0],
        "pitch": [0.02, 0.2],
        "turns": [1.0, 20.0],
        "friction_factor": [0.01, 0.04],
    },
)
TABLE.add(
    "pipe_losses.spiral_loss",
    "fluids.fittings.spiral",
    lambda diameter, outer_radius, inner_radius, pitch, friction_factor: fittings.spiral(
        diameter, outer_radius, inner_radius, pitch, friction_factor
    ),
    draws={
        "diameter": [0.05, 0.3],
        "outer_radius": [0.5, 1.0],
        "inner_radius": [0.1, 0.4],
        "pitch": [0.02, 0.2],
        "friction_factor": [0.01, 0.04],
    },
)
TABLE.add(
    "pipe_losses.sudden_contraction_loss",
    "fluids.fittings.contraction_sharp",
    lambda inlet_diameter, outlet_diameter: fittings.contraction_sharp(inlet_diameter, outlet_diameter),
    draws={"inlet_diameter": [0.31, 0.6], "outlet_diameter": [0.05, 0.3]},
)
TABLE.add(
    "pipe_losses.rounded_contraction_loss",
    "fluids.fittings.contraction_round",
    lambda inlet_diameter, outlet_diameter, radius: fittings.contraction_round(inlet_diameter, outlet_diameter, radius),
    draws={"inlet_diameter": [0.31, 0.6], "outlet_diameter": [0.05, 0.3], "radius": [0.001, 0.05]},
)
TABLE.add(
    "pipe_losses.conical_contraction_loss",
    "fluids.fittings.contraction_conical",
    lambda inlet_diameter, outlet_diameter, friction_factor, angle: fittings.contraction_conical(
        inlet_diameter, outlet_diameter, fd=friction_factor, angle=angle
    ),
    draws={
        "inlet_diameter": [0.31, 0.6],
        "outlet_diameter": [0.05, 0.3],
        "friction_factor": [0.01, 0.04],
        "angle": [5.0, 170.0],
    },
)
TABLE.add(
    "pipe_losses.beveled_contraction_loss",
    "fluids.fittings.contraction_beveled",
    lambda inlet_diameter, outlet_diameter, bevel_length, angle: fittings.contraction_beveled(
        inlet_diameter, outlet_diameter, bevel_length, angle
    ),
    draws={
        "inlet_diameter": [0.31, 0.6],
        "outlet_diameter": [0.05, 0.3],
        "bevel_length": [0.001, 0.01],
        "angle": [5.0, 170.0],
    },
)
TABLE.add(
    "pipe_losses.crane_contraction_loss",
    "fluids.fittings.contraction_conical_Crane",
    lambda inlet_diameter, outlet_diameter, angle: fittings.contraction_conical_Crane(
        inlet_diameter, outlet_diameter, angle=angle
    ),
    draws={"inlet_diameter": [0.31, 0.6], "outlet_diameter": [0.05, 0.3], "angle": [5.0, 170.0]},
)
TABLE.add(
    "pipe_losses.crane_expansion_loss",
    "fluids.fittings.diffuser_conical_Crane",
    lambda inlet_diameter, outlet_diameter, angle: fittings.diffuser_conical_Crane(
        inlet_diameter, outlet_diameter, angle=angle
    ),
    draws={"inlet_diameter": [0.05, 0.3], "outlet_diameter": [0.31, 0.6], "angle": [5.0, 170.0]},
)
TABLE.add(
    "pipe_losses.conical_diffuser_loss",
    "fluids.fittings.diffuser_conical",
    lambda inlet_diameter, outlet_diameter, friction_factor, angle: fittings.diffuser_conical(
        inlet_diameter, outlet_diameter, fd=friction_factor, angle=angle
    ),
    draws={
        "inlet_diameter": [0.05, 0.3],
        "outlet_diameter": [0.31, 0.6],
        "friction_factor": [0.01, 0.04],
        "angle": [5.0, 110.0],
    },
)
TABLE.add(
    "pipe_losses.curved_diffuser_loss",
    "fluids.fittings.diffuser_curved",
    lambda inlet_diameter, outlet_diameter, length: fittings.diffuser_curved(inlet_diameter, outlet_diameter, length),
    draws={"inlet_diameter": [0.05, 0.3], "outlet_diameter": [0.31, 0.6], "length": [0.1, 1.0]},
)
TABLE.add(
    "pipe_losses.gate_valve_loss",
    "fluids.fittings.K_gate_valve_Crane",
    lambda seat_diameter, pipe_diameter, angle, friction_factor: fittings.K_gate_valve_Crane(
        seat_diameter, pipe_diameter, angle, friction_factor
    ),
    draws={
        "seat_diameter": [0.05, 0.15],
        "pipe_diameter": [0.16, 0.3],
        "angle": [10.0, 170.0],
        "friction_factor": [0.01, 0.03],
    },
)
TABLE.add(
    "pipe_losses.ball_valve_loss",
    "fluids.fittings.K_ball_valve_Crane",
    lambda seat_diameter, pipe_diameter, angle, friction_factor: fittings.K_ball_valve_Crane(
        seat_diameter, pipe_diameter, angle, friction_factor
    ),
    draws={
        "seat_diameter": [0.05, 0.15],
        "pipe_diameter": [0.16, 0.3],
        "angle": [10.0, 170.0],
        "friction_factor": [0.01, 0.03],
    },
)
TABLE.add(
    "pipe_losses.converging_branch_loss",
    "fluids.fittings.K_branch_converging_Crane",
    lambda run_diameter, branch_diameter, run_flow, branch_flow, angle: fittings.K_branch_converging_Crane(
        run_diameter, branch_diameter, run_flow, branch_flow, angle
    ),
    draws={
        "run_diameter": [0.1, 0.2],
        "branch_diameter": [0.05, 0.2],
        "run_flow": [0.001, 0.02],
        "branch_flow": [0.001, 0.02],
        "angle": [30.0, 90.0],
    },
)
TABLE.add(
    "pipe_losses.converging_run_loss",
    "fluids.fittings.K_run_converging_Crane",
    lambda run_flow, branch_flow: fittings.K_run_converging_Crane(0.1, 0.1, run_flow, branch_flow),
    draws={"run_flow": [0.001, 0.02], "branch_flow": [0.001, 0.02]},
)
TABLE.add(
    "pipe_losses.diverging_run_loss",
    "fluids.fittings.K_run_diverging_Crane",
    lambda run_diameter, branch_diameter, run_flow, branch_flow: fittings.K_run_diverging_Crane(
        run_diameter, branch_diameter, run_flow, branch_flow
    ),
    draws={
        "run_diameter": [0.1, 0.2],
        "branch_diameter": [0.05, 0.2],
        "run_flow": [0.001, 0.02],
        "branch_flow": [0.001, 0.02],
    },
)
TABLE.add(
    "pipe_losses.hooper_loss",
    "fluids.fittings.Hooper2K",
    lambda diameter, reynolds_number, first_constant, infinite_constant: fittings.Hooper2K(
        diameter, reynolds_number, K1=first_constant, Kinfty=infinite_constant
    ),
    draws={
        "diameter": [0.5, 12.0],
        "reynolds_number": [200.0, 9000.0],
        "first_constant": [200.0, 1500.0],
        "infinite_constant": [0.05, 2.0],
    },
)
TABLE.add(
    "pipe_losses.darby_loss",
    "fluids.fittings.Darby3K",
    lambda diameter, reynolds_number, first_constant, infinite_constant, third_constant: fittings.Darby3K(
        diameter, reynolds_number, K1=first_constant, Ki=infinite_constant, Kd=third_constant
    ),
    draws={
        "diameter": [0.5, 12.0],
        "reynolds_number": [200.0, 9000.0],
        "first_constant": [200.0, 1500.0],
        "infinite_constant": [0.05, 2.0],
        "third_constant": [1.0, 5.0],
    },
)
TABLE.add(
    "pipe_losses.loss_coefficient_of_kv",
    "fluids.fittings.Kv_to_K",
    lambda flow_coefficient, diameter: fittings.Kv_to_K(flow_coefficient, diameter),
    draws={"flow_coefficient": [1.0, 500.0], "diameter": [0.01, 0.2]},
)
TABLE.add(
    "pipe_losses.loss_coefficient_at_diameter",
    "fluids.fittings.change_K_basis",
    lambda loss_coefficient, first_diameter, second_diameter: fittings.change_K_basis(
        loss_coefficient, first_diameter, second_diameter
    ),
    draws={"loss_coefficient": [0.1, 20.0], "first_diameter": [0.05, 0.3], "second_diameter": [0.05, 0.3]},
)
TABLE.add(
    "pipe_losses.equivalent_length",
    "fluids.core.L_from_K",
    lambda loss_coefficient, diameter, friction_factor: core.L_from_K(loss_coefficient, diameter, friction_factor),
    draws={"loss_coefficient": [0.1, 20.0], "diameter": [0.05, 0.3], "friction_factor": [0.01, 0.04]},
)
