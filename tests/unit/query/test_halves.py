"""Long decimals in two halves, as several databases are sent them: computed by DuckDB, which means the same."""

from __future__ import annotations

from decimal import Decimal

import duckdb
import pytest
from sqlglot import exp

from service_nb.query.spelling import Spelling
from service_nb.schema.source import Field

NINES = "9" * 38


@pytest.mark.parametrize("scale", [0, 1, 18, 19, 20, 37, 38])
@pytest.mark.parametrize("units", [0, 1, 10**18, 10**19, 10**37, int(NINES), int(NINES) - 1])
@pytest.mark.parametrize("sign", [1, -1])
def test_both_halves_are_the_number(units: int, scale: int, sign: int) -> None:
    value = Decimal((int(sign < 0), tuple(map(int, str(units))), -scale))
    number = exp.cast(exp.Literal.string(format(value, "f")), exp.DataType.build(f"decimal(38,{scale})"))
    parts = Spelling().split(Field(name="n", type="number", physical=f"decimal(38,{scale})"), number)
    texts = ", ".join(part.sql(dialect="duckdb") for _, part in parts).replace("SUBSTR(", "SUBSTRING(")
    found = duckdb.execute(f"SELECT {texts}").fetchone()  # of our own making
    assert found is not None
    assert sum(weight * int(part) for (weight, _), part in zip(parts, found, strict=True)) == sign * units
