"""Lattices, elastic tensors and equations of state of pymatgen."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from oracle import OracleTable
from pymatgen.analysis import eos
from pymatgen.analysis.elasticity.elastic import ElasticTensor
from pymatgen.core import Lattice, Structure

TABLE = OracleTable("pymatgen", version("pymatgen"))
EDGES = {"a": (3, 12), "b": (3, 12), "c": (3, 12)}
CELL = {**EDGES, "alpha": (75, 110), "beta": (75, 110), "gamma": (75, 110)}
INDICES = {"h": (1, 5), "k": (-4, 4), "l": (-4, 4)}


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(f"crystallography.{capability}", f"pymatgen.{function}", compute, **{"within": 1e-11, **more})


def _find_reciprocal(*cell: float) -> dict[str, float]:
    found = Lattice.from_parameters(*cell).reciprocal_lattice_crystallographic
    return {name: getattr(found, name) for name in ("a", "b", "c", "alpha", "beta", "gamma")}


_add("cell_volume", "core.Lattice.volume", lambda *cell: Lattice.from_parameters(*cell).volume, draws=CELL)
_add("reciprocal_cell", "core.Lattice.reciprocal_lattice_crystallographic", _find_reciprocal, draws=CELL)
_add(
    "triclinic_spacing",
    "core.Lattice.d_hkl",
    lambda h, k, l, *cell: Lattice.from_parameters(*cell).d_hkl((h, k, l)),
    draws=CELL | INDICES,
)
for _name, _edges in [
    ("monoclinic", lambda a, b, c, beta: Lattice.monoclinic(a, b, c, beta)),
    ("orthorhombic", Lattice.orthorhombic),
    ("tetragonal", Lattice.tetragonal),
    ("hexagonal", Lattice.hexagonal),
    ("rhombohedral", Lattice.rhombohedral),
    ("cubic", Lattice.cubic),
]:
    _add(
        f"{_name}_spacing",
        "core.Lattice.d_hkl",
        lambda h, k, l, *cell, _make=_edges: _make(*cell).d_hkl((h, k, l)),
        asked=f"of core.Lattice.{_name}",
        draws=CELL | INDICES,
    )
_add(
    "fractional_distance",
    "core.Lattice.norm",
    lambda u, v, w, *cell: Lattice.from_parameters(*cell).norm([u, v, w])[0],
    draws=CELL | {"u": (-1, 1), "v": (-1, 1), "w": (-1, 1)},
)


def _find_density(units: int, molar_mass: float, volume: float) -> float | None:
    elements = {63.546: "Cu", 28.0855: "Si", 55.845: "Fe", 107.8682: "Ag"}
    lattice = Lattice.cubic(10 * volume ** (1 / 3))
    structure = Structure(lattice, [elements[molar_mass]] * units, [[i / units] * 3 for i in range(units)])
    return 1000 * float(structure.density)


_add(
    "crystal_density",
    "core.Structure.density",
    _find_density,
    within=1e-8,
    draws={"units": (1, 8), "molar_mass": [63.546, 28.0855, 55.845, 107.8682], "volume": (0.02, 0.5)},
)


def _make_tensor(c11: float, c12: float, c44: float) -> ElasticTensor:
    rows = [[c11 if i == j else c12 for j in range(3)] + [0.0] * 3 for i in range(3)]
    return ElasticTensor.from_voigt(rows + [[0.0] * 3 + [c44 if i == j else 0.0 for j in range(3)] for i in range(3)])


CONSTANTS = {"c11": (100, 300), "c12": (20, 90), "c44": (20, 120)}
for _name, _property in [
    ("cubic_shear_modulus_voigt", "g_voigt"),
    ("cubic_shear_modulus_reuss", "g_reuss"),
    ("cubic_shear_modulus_hill", "g_vrh"),
    ("cubic_universal_anisotropy", "universal_anisotropy"),
]:
    _add(
        _name,
        f"analysis.elasticity.elastic.ElasticTensor.{_property}",
        lambda c11, c12, c44, _name=_property: getattr(_make_tensor(c11, c12, c44), _name),
        draws=CONSTANTS,
        near_zero=1e-10,
    )
_add(
    "cubic_bulk_modulus",
    "analysis.elasticity.elastic.ElasticTensor.k_vrh",
    lambda c11, c12: _make_tensor(c11, c12, 50.0).k_vrh,
    draws=CONSTANTS,
)


def _make_isotropic(bulk: float, shear: float) -> ElasticTensor:
    return _make_tensor(bulk + 4 * shear / 3, bulk - 2 * shear / 3, shear)


def _make_solid(density: float, element: str = "Cu") -> Structure:
    """Make a crystal with one atom in its cell that has this density, in kg/m^3."""
    one = Structure(Lattice.cubic(4.0), [element], [[0, 0, 0]])
    return Structure(Lattice.cubic(4.0 * (1000 * float(one.density) / density) ** (1 / 3)), [element], [[0, 0, 0]])


MODULI = {"bulk": (60, 200), "shear": (20, 90), "density": (2000, 9000)}
_add(
    "young_modulus_from_moduli",
    "analysis.elasticity.elastic.ElasticTensor.y_mod",
    lambda bulk, shear: _make_isotropic(bulk, shear).y_mod / 1e9,
    draws=MODULI,
)
_add(
    "poisson_ratio_from_moduli",
    "analysis.elasticity.elastic.ElasticTensor.homogeneous_poisson",
    lambda bulk, shear: _make_isotropic(bulk, shear).homogeneous_poisson,
    draws=MODULI,
    near_zero=1e-12,
)
_add(
    "longitudinal_sound_speed",
    "analysis.elasticity.elastic.ElasticTensor.long_v",
    lambda bulk, shear, density: _make_isotropic(bulk, shear).long_v(_make_solid(density)),
    draws=MODULI,
    within=1e-7,
)
_add(
    "transverse_sound_speed",
    "analysis.elasticity.elastic.ElasticTensor.trans_v",
    lambda shear, density: _make_isotropic(100.0, shear).trans_v(_make_solid(density)),
    draws=MODULI,
    within=1e-7,
)


def _make_sounding(longitudinal: float, transverse: float, number_density: float) -> tuple[ElasticTensor, Structure]:
    """Make a tensor and a crystal that have these speeds of sound, and so many atoms in a nm^3."""
    solid = Structure(Lattice.cubic(10 * number_density ** (-1 / 3)), ["Cu"], [[0, 0, 0]])
    shear = 1000 * float(solid.density) * transverse**2 / 1e9
    bulk = 1000 * float(solid.density) * longitudinal**2 / 1e9 - 4 * shear / 3
    return _make_isotropic(bulk, shear), solid


SOUNDS = {"longitudinal": (4000, 8000), "transverse": (1500, 3000), "number_density": (20, 120)}
for _name, _method in [
    ("debye_temperature_from_sound", "debye_temperature"),
    ("cahill_minimum_conductivity", "cahill_thermalcond"),
]:

    def _sound(*given: float, _method: str = _method) -> float:
        tensor, solid = _make_sounding(*given)
        return getattr(tensor, _method)(solid)

    _add(
        _name,
        f"analysis.elasticity.elastic.ElasticTensor.{_method}",
        _sound,
        draws=SOUNDS,
        within=1e-7,
    )


def _clarke(young_modulus: float, density: float, atom_mass: float) -> float:
    # One of a third of its bulk modulus in shear has Young's modulus 0.9 of it.
    elements = {63.546: "Cu", 55.845: "Fe", 107.8682: "Ag", 26.9815385: "Al"}
    tensor = _make_isotropic(young_modulus / 0.9, young_modulus / 2.7)
    return tensor.clarke_thermalcond(_make_solid(density, elements[atom_mass]))


_add(
    "clarke_minimum_conductivity",
    "analysis.elasticity.elastic.ElasticTensor.clarke_thermalcond",
    _clarke,
    draws={"young_modulus": (50, 400), "density": (2000, 9000), "atom_mass": [63.546, 55.845, 107.8682, 26.9815385]},
    within=1e-7,
)

COMPRESSED = {
    "volume": (0.03, 0.05), "equilibrium_energy": (-9, -1), "bulk_modulus": (200, 2000), "derivative": (2.5, 6.5),
    "equilibrium_volume": (0.035, 0.045),
}  # fmt: skip
for _name, _class in [
    ("murnaghan_energy", eos.Murnaghan),
    ("birch_murnaghan_energy", eos.BirchMurnaghan),
    ("vinet_energy", eos.Vinet),
    ("poirier_tarantola_energy", eos.PourierTarantola),
]:
    _add(
        _name,
        f"analysis.eos.{_class.__name__}",
        lambda volume, *params, _of=_class: _of([1.0], [1.0])._func(volume, params),
        draws=COMPRESSED,
    )
