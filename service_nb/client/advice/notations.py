"""Notations of other tools, written in the words of a question or as a call: pandas, R, SQL, formulas of a spreadsheet.

The table `notations.json` holds, in order, patterns with named groups and what they are in plain words. `@Q` and the
like stand for its parts; a group that did not take part is empty. Both languages read it, so a pattern is written in
what they share: no class of blanks within a class, a backreference only to a group before it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal, Inexact, localcontext
from functools import cache
from pathlib import Path
from typing import Any

MOST_TIMES = 20  # that one pattern is applied to a line: once for each of the measures of a list
# A line with more blanks in a row is left as it is: patterns that meet blanks several times take long over them.
BLANKS = r"\s{41}"
_BLANKS = re.compile(BLANKS)
_PART = re.compile(r"@(?P<part>[A-Z])")
_GROUP = re.compile(r"\{(?P<group>\w+)\}")


@cache
def _read_table() -> Mapping[str, Any]:
    table: Mapping[str, Any] = json.loads(Path(__file__).with_name("notations.json").read_text(encoding="utf-8"))
    return table


def list_notations(kind: str) -> Sequence[tuple[str, str]]:
    """List the patterns of a kind of line, with their parts written out, and what is written for each."""
    parts = _read_table()["parts"]
    rows = _read_table()[kind]
    return [(_PART.sub(lambda met: f"(?:{parts[met['part']]})", typed), written) for typed, written in rows]


@cache
def _compile(kind: str) -> Sequence[tuple[re.Pattern[str], str]]:
    return [(re.compile(typed, re.IGNORECASE), written) for typed, written in list_notations(kind)]


def _expand(found: re.Match[str], written: str) -> str:
    return _GROUP.sub(lambda met: found[met["group"]] or "", written)


def translate_notation(text: str, kind: str) -> str:
    """Write the notations that a line has in plain words: of a `question`, or of a `computation`."""
    if _BLANKS.search(text) is not None:
        return text
    for pattern, written in (*_compile("both"), *_compile(kind)):
        for _ in range(MOST_TIMES):
            before, text = text, pattern.sub(lambda met, written=written: _expand(met, written), text)  # type: ignore[misc]
            if text == before:
                break
    return text


def find_page(text: str) -> tuple[str, str]:
    """Find the page that a line of another tool asks for, with `{}` for its source, and that source; or nothing."""
    bare = text.strip().removesuffix(";").strip()
    for pattern, written in _compile("page"):
        found = pattern.fullmatch(bare)
        if found is not None:
            groups = found.groupdict()
            source = next((named for key, named in groups.items() if key != "rows" and named), "")
            line = re.sub(r"(?:\{(?:source|frame|table)\})+", "{}", written)
            return line.replace("{rows}", groups.get("rows") or ""), source.strip("`")
    return "", ""


def join_units(text: str) -> str:
    """Join a number and the unit behind a blank: `h=20 m`."""
    units = _read_table()["units"]
    known = sorted({*units, *(unit for each in units.values() for unit in each)}, key=len, reverse=True)
    spelt = "|".join(map(re.escape, known))
    return re.sub(rf"(=\s*[-+]?\d+(?:\.\d+)?)\s+({spelt})(?![\w/^*(])(?!\s*[=:])", r"\1\2", text)


def convert_unit(number: str, unit: str, ours: str) -> str | None:
    """Turn a number of one unit into one of another without rounding; None for units that are not in the table.

    >>> convert_unit("90", "km/h", "m/s")
    '25'
    """
    factor = _read_table()["units"].get(ours, {}).get(unit)
    if factor is None:
        return None
    times, _, divided = factor.partition("/")
    with localcontext() as context:
        context.traps[Inexact] = True
        try:
            turned = Decimal(number) * Decimal(times) / Decimal(divided or 1)
        except Inexact:
            return None
    return f"{turned.normalize():f}" if turned else "0"
