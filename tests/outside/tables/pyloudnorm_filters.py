"""Second-order filters of pyloudnorm, after Bristow-Johnson."""
# fmt: off  # a row compares one capability

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from oracle import OracleTable
from pyloudnorm import IIRfilter

TABLE = OracleTable("pyloudnorm", version("pyloudnorm"))


def _filter(kind: str) -> Any:
    def compute(frequency: float, sample_rate: float, quality: float, gain_db: float = 0.0) -> dict[str, float]:
        made = IIRfilter(gain_db, quality, frequency, sample_rate, kind)
        return dict(zip(("b0", "b1", "b2", "a1", "a2"), [float(each) for each in (*made.b, *made.a[1:])], strict=True))

    return compute


for _name, _kind in {"lowpass": "low_pass", "highpass": "high_pass", "notch": "notch", "peaking": "peaking"}.items():
    TABLE.add(
        f"signal_processing.biquad_{_name}",
        "pyloudnorm.IIRfilter",
        _filter(_kind),
        asked=_kind,
        within=1e-9,
        near_zero=1e-14,
        draws={
            "frequency": (100, 9000),
            "sample_rate": [44100.0, 48000.0, 96000.0],
            "quality": (0.3, 5),
            "gain_db": (-12, 12),
        },
    )
