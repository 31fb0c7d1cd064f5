"""Particle technology, by fluids."""

from __future__ import annotations

import fluids
from fluids import drag, packed_bed
from oracle import OracleTable

TABLE = OracleTable("fluids", fluids.__version__)
TABLE.add(
    "particle_technology.rouse_drag_coefficient",
    "fluids.drag.Rouse",
    lambda reynolds_number: drag.Rouse(reynolds_number),
    draws={"reynolds_number": [0.05, 5000.0]},
)
TABLE.add(
    "particle_technology.engelund_hansen_drag_coefficient",
    "fluids.drag.Engelund_Hansen",
    lambda reynolds_number: drag.Engelund_Hansen(reynolds_number),
    draws={"reynolds_number": [0.05, 5000.0]},
)
TABLE.add(
    "particle_technology.clift_gauvin_drag_coefficient",
    "fluids.drag.Clift_Gauvin",
    lambda reynolds_number: drag.Clift_Gauvin(reynolds_number),
    draws={"reynolds_number": [0.05, 5000.0]},
)
TABLE.add(
    "particle_technology.graf_drag_coefficient",
    "fluids.drag.Graf",
    lambda reynolds_number: drag.Graf(reynolds_number),
    draws={"reynolds_number": [0.05, 5000.0]},
)
TABLE.add(
    "particle_technology.flemmer_banks_drag_coefficient",
    "fluids.drag.Flemmer_Banks",
    lambda reynolds_number: drag.Flemmer_Banks(reynolds_number),
    draws={"reynolds_number": [0.05, 5000.0]},
)
TABLE.add(
    "particle_technology.khan_richardson_drag_coefficient",
    "fluids.drag.Khan_Richardson",
    lambda reynolds_number: drag.Khan_Richardson(reynolds_number),
    draws={"reynolds_number": [0.05, 5000.0]},
)
TABLE.add(
    "particle_technology.swamee_ojha_drag_coefficient",
    "fluids.drag.Swamee_Ojha",
    lambda reynolds_number: drag.Swamee_Ojha(reynolds_number),
    draws={"reynolds_number": [0.05, 5000.0]},
)
TABLE.add(
    "particle_technology.haider_levenspiel_drag_coefficient",
    "fluids.drag.Haider_Levenspiel",
    lambda reynolds_number: drag.Haider_Levenspiel(reynolds_number),
    draws={"reynolds_number": [0.05, 5000.0]},
)
TABLE.add(
    "particle_technology.cheng_drag_coefficient",
    "fluids.drag.Cheng",
    lambda reynolds_number: drag.Cheng(reynolds_number),
    draws={"reynolds_number": [0.05, 5000.0]},
)
TABLE.add(
    "particle_technology.terfous_drag_coefficient",
    "fluids.drag.Terfous",
    lambda reynolds_number: drag.Terfous(reynolds_number),
    draws={"reynolds_number": [0.05, 5000.0]},
)
TABLE.add(
    "particle_technology.morrison_drag_coefficient",
    "fluids.drag.Morrison",
    lambda reynolds_number: drag.Morrison(reynolds_number),
    draws={"reynolds_number": [0.05, 5000.0]},
)
TABLE.add(
    "particle_technology.ergun_pressure_drop",
    "fluids.packed_bed.Ergun",
    lambda diameter, void_fraction, speed, density, viscosity, length: packed_bed.Ergun(
        diameter, void_fraction, speed, density, viscosity, length
    ),
    draws={
        "diameter": [0.0003, 0.02],
        "void_fraction": [0.3, 0.6],
        "speed": [0.001, 1.0],
        "density": [1.0, 1200.0],
        "viscosity": [2e-05, 0.005],
        "length": [0.1, 5.0],
    },
)
TABLE.add(
    "particle_technology.kuo_nydegger_pressure_drop",
    "fluids.packed_bed.Kuo_Nydegger",
    lambda diameter, void_fraction, speed, density, viscosity, length: packed_bed.Kuo_Nydegger(
        diameter, void_fraction, speed, density, viscosity, length
    ),
    draws={
        "diameter": [0.0003, 0.02],
        "void_fraction": [0.3, 0.6],
        "speed": [0.001, 1.0],
        "density": [1.0, 1200.0],
        "viscosity": [2e-05, 0.005],
        "length": [0.1, 5.0],
    },
)
TABLE.add(
    "particle_technology.jones_krier_pressure_drop",
    "fluids.packed_bed.Jones_Krier",
    lambda diameter, void_fraction, speed, density, viscosity, length: packed_bed.Jones_Krier(
        diameter, void_fraction, speed, density, viscosity, length
    ),
    draws={
        "diameter": [0.0003, 0.02],
        "void_fraction": [0.3, 0.6],
        "speed": [0.001, 1.0],
        "density": [1.0, 1200.0],
        "viscosity": [2e-05, 0.005],
        "length": [0.1, 5.0],
    },
)
TABLE.add(
    "particle_technology.carman_pressure_drop",
    "fluids.packed_bed.Carman",
    lambda diameter, void_fraction, speed, density, viscosity, length: packed_bed.Carman(
        diameter, void_fraction, speed, density, viscosity, length
    ),
    draws={
        "diameter": [0.0003, 0.02],
        "void_fraction": [0.3, 0.6],
        "speed": [0.001, 1.0],
        "density": [1.0, 1200.0],
        "viscosity": [2e-05, 0.005],
        "length": [0.1, 5.0],
    },
)
TABLE.add(
    "particle_technology.hicks_pressure_drop",
    "fluids.packed_bed.Hicks",
    lambda diameter, void_fraction, speed, density, viscosity, length: packed_bed.Hicks(
        diameter, void_fraction, speed, density, viscosity, length
    ),
    draws={
        "diameter": [0.0003, 0.02],
        "void_fraction": [0.3, 0.6],
        "speed": [0.001, 1.0],
        "density": [1.0, 1200.0],
        "viscosity": [2e-05, 0.005],
        "length": [0.1, 5.0],
    },
)
TABLE.add(
    "particle_technology.pebble_bed_pressure_drop",
    "fluids.packed_bed.KTA",
    lambda diameter, void_fraction, speed, density, viscosity, length: packed_bed.KTA(
        diameter, void_fraction, speed, density, viscosity, length
    ),
    draws={
        "diameter": [0.0003, 0.02],
        "void_fraction": [0.3, 0.6],
        "speed": [0.001, 1.0],
        "density": [1.0, 1200.0],
        "viscosity": [2e-05, 0.005],
        "length": [0.1, 5.0],
    },
)
TABLE.add(
    "particle_technology.erdim_pressure_drop",
    "fluids.packed_bed.Erdim_Akgiray_Demir",
    lambda diameter, void_fraction, speed, density, viscosity, length: packed_bed.Erdim_Akgiray_Demir(
        diameter, void_fraction, speed, density, viscosity, length
    ),
    draws={
        "diameter": [0.0003, 0.02],
        "void_fraction": [0.3, 0.6],
        "speed": [0.001, 1.0],
        "density": [1.0, 1200.0],
        "viscosity": [2e-05, 0.005],
        "length": [0.1, 5.0],
    },
)
TABLE.add(
    "particle_technology.tallmadge_pressure_drop",
    "fluids.packed_bed.Tallmadge",
    lambda diameter, void_fraction, speed, density, viscosity, length: packed_bed.Tallmadge(
        diameter, void_fraction, speed, density, viscosity, length
    ),
    draws={
        "diameter": [0.0003, 0.02],
        "void_fraction": [0.3, 0.6],
        "speed": [0.001, 1.0],
        "density": [1.0, 1200.0],
        "viscosity": [2e-05, 0.005],
        "length": [0.1, 5.0],
    },
)
TABLE.add(
    "particle_technology.idelchik_pressure_drop",
    "fluids.packed_bed.Idelchik",
    lambda diameter, void_fraction, speed, density, viscosity, length: packed_bed.Idelchik(
        diameter, void_fraction, speed, density, viscosity, length
    ),
    draws={
        "diameter": [0.0003, 0.02],
        "void_fraction": [0.3, 0.6],
        "speed": [0.001, 1.0],
        "density": [1.0, 1200.0],
        "viscosity": [2e-05, 0.005],
        "length": [0.1, 5.0],
    },
)
