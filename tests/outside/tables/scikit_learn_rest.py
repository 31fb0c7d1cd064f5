"""Scaling, neighbors and dimensions of scikit-learn."""

# fmt: off
from __future__ import annotations

import numpy as np
import sklearn
from oracle import OracleTable
from sklearn import metrics, neighbors, preprocessing

TABLE = OracleTable("scikit-learn", sklearn.__version__)
TABLE.add("embeddings.normalise", "sklearn.preprocessing.normalize", lambda vector: preprocessing.normalize([vector])[0], within=1e-11, near_zero=1e-15)
TABLE.add("embeddings.matryoshka_truncate", "sklearn.preprocessing.normalize", lambda vector, size: preprocessing.normalize([vector[:size]])[0], draws={"d": (4, 6), "size": (2, 4)}, within=1e-11, near_zero=1e-15)
TABLE.add("interpolation.inverse_distance", "sklearn.neighbors.KNeighborsRegressor", lambda positions, values, at, power: neighbors.KNeighborsRegressor(len(values), weights=lambda distances: distances ** -float(power)).fit(positions, values).predict([at])[0], draws={"m": (3, 5), "n": (2, 3), "power": (1, 3)}, within=1e-10, near_zero=1e-13)
TABLE.add("image_processing.image_mse", "sklearn.metrics.mean_squared_error", lambda image, reference: metrics.mean_squared_error(np.ravel(image), np.ravel(reference)), draws={"r": (2, 4), "c": (2, 4)}, within=1e-11)
TABLE.add("rag_retrieval.minmax_hybrid_scores", "sklearn.preprocessing.minmax_scale", lambda dense, sparse, weight: weight * preprocessing.minmax_scale(dense) + (1 - weight) * preprocessing.minmax_scale(sparse), draws={"weight": (0.05, 0.95), "n": (3, 5)}, within=1e-10, near_zero=1e-13, asked="of both, mixed")
