"""Write the vectors of rounding for reading: `python -m tests.vectors.make_digits`, from the repository's root.

The rounded texts are recomputed with `decimal` in tests/unit/cards/test_digits.py; here they are what Python writes.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from service_nb.cards.digits import Digits, choose_digits, round_number

FILE = Path(__file__).parent / "digits.json"
ASKED: tuple[Digits, ...] = (None, "exact", 1, 4, 17)
COLUMNS: list[list[str | None]] = [
    ["21.920704845814978", "0.3642908567314615", "-6.915204678362573", None],
    ["10844.460000000001", "3.5"],
    ["10844.46", "3.50", "0.00"],
    ["10844.4625", "3.5"],
    ["0.123456", "12345.654321"],
    ["0.123456", "12345.6543210"],
    ["2257174", "336776", "0"],
    ["2257174", "0.5555555555555556"],
    ["0.00012345678", "123456.789"],
    ["0.000000123456789", "0.00000000987654321"],
    ["0.1", "0.30000000000000004"],
    ["0.5", "1.5", "2.5", "0.05", "-0.5"],
    ["9.9999999999", "99.99999999", "-9.99999999999"],
    ["999999.99999", "0.99999999"],
    ["1e+22", "1.2345678901234567e+300", "5e-324", "2.5"],
    ["1.7976931348623157E308"],
    ["NaN", "Infinity", "-Infinity", "1.23456789012"],
    ["-0.0", "0.0", "-0.00000000001"],
    ["0.0000000000005", "5.000000000000001"],
    ["007.1234567890", "000"],
    ["123456789012345678901234567890.123456789", "0.1"],
    ["9" * 400 + ".5", "1." + "9" * 400],
    ["", "text", "1,5", "+1.23456789", "1.", ".5", "٣.١٤١٥٩٢٦٥", "1.23456789\n"],
    [None, None],
    [],
]


def list_cases() -> Iterator[dict[str, Any]]:
    """Yield each column with the texts that are shown of it, by what was asked for."""
    for column in [*COLUMNS, *_draw_columns()]:
        for asked in ASKED:
            rule = choose_digits(column, asked)
            shown = [None if text is None else round_number(text, rule) for text in column]
            yield {"column": column, "digits": asked, "places": rule.places, "shown": shown}


def _draw_columns() -> Iterator[list[str | None]]:
    source = random.Random(16)
    for _ in range(60):
        scale, places = source.randrange(0, 12), source.randrange(0, 18)
        yield [_draw_number(source, scale, places) for _ in range(source.randrange(1, 6))]


def _draw_number(source: random.Random, scale: int, places: int) -> str:
    whole = str(source.randrange(10**scale))
    fraction = "".join(source.choice("0123456789" + "5" * 5 + "9" * 5) for _ in range(source.choice((places, 3))))
    return source.choice(("", "-")) + whole + ("." + fraction if fraction else "")


def main() -> None:
    lines = ",\n".join(json.dumps(case, ensure_ascii=True) for case in list_cases())
    FILE.write_text(f'{{"cases": [\n{lines}\n]}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
