"""How one plan is written in each database's SQL: the few nodes in which engines differ, and nothing else."""

from __future__ import annotations


class Spelling:
    """DuckDB's; other databases say in a subclass what they write differently."""

    dialect = "duckdb"
