"""How programs are started that tests did not write."""

from __future__ import annotations

from pathlib import Path

WITHOUT_IRIS = Path(__file__).parent / "without_iris"  # on the path of programs that import jsonschema, see there
