"""The geometric mean of sensitivity and specificity of imbalanced-learn."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version

from imblearn.metrics import geometric_mean_score
from oracle import OracleTable

TABLE = OracleTable("imbalanced-learn", version("imbalanced-learn"))
TABLE.add("metrics.geometric_mean_score", "imblearn.metrics.geometric_mean_score", lambda tp, fp, fn, tn: geometric_mean_score([1] * (tp + fn) + [0] * (fp + tn), [1] * tp + [0] * fn + [1] * fp + [0] * tn), draws=dict.fromkeys(("tp", "fp", "fn", "tn"), (1, 40)), within=1e-12)
