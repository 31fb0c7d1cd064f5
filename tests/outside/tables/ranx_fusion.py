"""Fusion of ranked lists of ranx."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version
from typing import Any

from oracle import OracleTable
from ranx import Run, fuse

TABLE = OracleTable("ranx", version("ranx"))


def _merge(lists: list[dict[str, float]], method: str, **params: Any) -> float:
    runs = [Run({"q": found}, name=str(at)) for at, found in enumerate(lists)]
    return float(fuse(runs, norm=None, method=method, params=params or None).run["q"]["d"])


def _rank(rank: int) -> dict[str, float]:
    return {f"o{at}": 100.0 - at for at in range(1, rank)} | {"d": 100.0 - rank}


TABLE.add("rag_retrieval.reciprocal_rank_fusion", "ranx.fuse", lambda ranks, constant: _merge([_rank(rank) for rank in ranks], "rrf", k=int(constant)), draws={"ranks": (1, 9), "constant": [10.0, 30.0, 60.0], "n": (2, 4)}, within=1e-10, asked="rrf")
TABLE.add("rag_retrieval.comb_mnz", "ranx.fuse", lambda scores: _merge([{"o": 0.5} | ({"d": score} if score else {}) for score in scores], "mnz"), draws={"scores": [0.0, 0.25, 0.4, 0.83, 0.6, 1.0], "n": (2, 4)}, within=1e-10, asked="mnz")
