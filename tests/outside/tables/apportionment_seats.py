"""Seats of apportionment."""

# fmt: off
from __future__ import annotations

from importlib.metadata import version

from apportionment.methods import compute
from oracle import OracleTable

TABLE = OracleTable("apportionment", version("apportionment"))
for _name, _method in (("dhondt", "dhondt"), ("sainte_lague", "saintelague"), ("modified_sainte_lague", "modified_saintelague"), ("largest_remainder", "hamilton"), ("huntington_hill", "huntington"), ("adams", "adams"), ("dean", "dean")):
    TABLE.add(f"game_theory.apportion_{_name}", "apportionment.methods.compute", lambda votes, seats, method=_method: [int(each) for each in compute(method, votes, seats, verbose=False)], draws={"votes": (100, 9999), "n": (3, 6), "seats": (3, 30)}, asked=_method)
