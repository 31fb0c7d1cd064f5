"""Indexes of clusters of validclust."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version

import numpy as np
from oracle import OracleTable
from scipy.spatial.distance import cdist
from validclust import dunn

TABLE = OracleTable("validclust", version("validclust"))
TABLE.add("metrics.dunn_index", "validclust.dunn", lambda points, labels: dunn(cdist(points, points), np.array(labels)), draws={"points": (-9, 9), "labels": (0, 1), "n": (7, 10), "d": (2, 3)}, within=1e-11)
