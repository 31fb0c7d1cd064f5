"""Bedside formulas of medcalc-bench, which rounds to three decimals."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version
from typing import Any

from medcalc import (
    anion_gap,
    bmi_calculator,
    bsa_calculator,
    ckd_epi_2021_creatinine,
    creatinine_clearance,
    homa_ir,
    ldl_calculated,
    mean_arterial_pressure,
    qt_calculator_bazett,
    qt_calculator_fredericia,
)
from oracle import OracleTable

TABLE = OracleTable("medcalc-bench", version("medcalc-bench"))
DRAWS = {"sodium": (130, 150), "chloride": (95, 110), "bicarbonate": (18, 30), "weight": (45, 120), "age": [30, 45, 61, 72], "creatinine": (0.5, 3), "glucose": (4, 12), "insulin": [4.5, 9.0, 13.5, 18.0, 27.0],
         "total": (150, 300), "hdl": (30, 80), "triglycerides": (60, 300), "systolic": (100, 180), "diastolic": (60, 100), "qt": (300, 480), "rr": (0.5, 1.5)}  # fmt: skip


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(f"medicine.{capability}", f"medcalc.{function}", compute, **{"within": 3e-5, "draws": DRAWS, **more})


def _size(drawn: dict[str, Any]) -> dict[str, Any]:
    """A weight at which the area has three decimals."""
    return drawn | {"weight": round(drawn["weight"] ** 2 * 3600 / drawn["height"], 9)}


def _clear(age: float, weight: float, creatinine: float) -> float:
    """The clearance of a man whose weight is below what is usual at his height, which is taken as it is."""
    asked = {"age": (age, "years"), "weight": (weight, "kg"), "height": (9.0, "m"), "creatinine": (creatinine, "mg/dL"), "sex": "Male"}
    return creatinine_clearance.generate_cockcroft_gault_explanation(asked)["Answer"]


_add("anion_gap", "anion_gap.compute_anion_gap_explanation", lambda sodium, chloride, bicarbonate: anion_gap.compute_anion_gap_explanation({"sodium": (sodium, "mEq/L"), "chloride": (chloride, "mEq/L"), "bicarbonate": (bicarbonate, "mEq/L")})["Answer"], near_zero=1e-9)
_add("body_mass_index", "bmi_calculator.bmi_calculator_explanation", lambda weight, height: bmi_calculator.bmi_calculator_explanation({"weight": (weight, "kg"), "height": (height, "m")})["Answer"], draws=DRAWS | {"height": [1.25, 2.0, 2.5]})
_add("body_surface_mosteller", "bsa_calculator.bsa_calculator_explaination", lambda height, weight: bsa_calculator.bsa_calculator_explaination({"weight": (weight, "kg"), "height": (height, "cm")})["Answer"], prepare=_size, draws=DRAWS | {"height": [144.0, 150.0, 160.0, 180.0], "weight": (1.2, 2.3)})
_add("egfr_ckd_epi_2021", "ckd_epi_2021_creatinine.ckd_epi_2021", lambda creatinine, age, female: ckd_epi_2021_creatinine.ckd_epi_2021({"creatinine": (creatinine, "mg/dL"), "age": (age, "years"), "sex": "Female" if female else "Male"}))
_add("creatinine_clearance", "creatinine_clearance.generate_cockcroft_gault_explanation", _clear, asked="of an underweight man")
_add("homa_ir", "homa_ir.compute_homa_ir_explanation", lambda glucose, insulin: homa_ir.compute_homa_ir_explanation({"glucose": (glucose * 18, "mg/dL"), "insulin": (insulin, "µIU/mL")})["Answer"], asked="glucose in mg/dL, 18 to a mmol/L")
_add("ldl_friedewald", "ldl_calculated.compute_ldl_explanation", lambda total, hdl, triglycerides: ldl_calculated.compute_ldl_explanation({"total_cholestrol": (total, "mg/dL"), "hdl_cholestrol": (hdl, "mg/dL"), "triglycerides": (triglycerides, "mg/dL")})["Answer"])
_add("mean_arterial_pressure", "mean_arterial_pressure.mean_arterial_pressure_explanation", lambda systolic, diastolic: mean_arterial_pressure.mean_arterial_pressure_explanation({"sys_bp": (systolic, "mm hg"), "dia_bp": (diastolic, "mm hg")})["Answer"])
_add("qt_bazett", "qt_calculator_bazett.bazett_calculator_explanation", lambda qt, rr: qt_calculator_bazett.bazett_calculator_explanation({"heart_rate": (60 / rr, "bpm"), "qt_interval": (qt, "msec")})["Answer"], asked="heart rate of 60 over the interval")
_add("qt_fridericia", "qt_calculator_fredericia.fredericia_calculator_explanation", lambda qt, rr: qt_calculator_fredericia.fredericia_calculator_explanation({"heart_rate": (60 / rr, "bpm"), "qt_interval": (qt, "msec")})["Answer"], asked="heart rate of 60 over the interval")
