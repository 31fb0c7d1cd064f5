"""Impurity of the root of scikit-learn's trees."""

# fmt: off
from __future__ import annotations

import numpy as np
import sklearn
from oracle import OracleTable
from sklearn.tree import DecisionTreeClassifier

TABLE = OracleTable("scikit-learn", sklearn.__version__)


def _root(counts: list[int]) -> float:
    labels = np.repeat(np.arange(len(counts)), counts)
    return float(DecisionTreeClassifier(max_depth=1).fit(np.arange(len(labels))[:, None], labels).tree_.impurity[0])


TABLE.add("ml.gini_impurity", "sklearn.tree.DecisionTreeClassifier", _root, asked="impurity of the root", draws={"counts": (1, 40), "n": (2, 5), "k": (2, 5)}, within=1e-12)
