"""Write the rules of the time zones that both clients have, from the tz database as `tzdata` on PyPI carries it.

    python -m tests.tools.make_zones

then `make schema`, which writes them for TypeScript. Decision 0035 says why they are a part of the package. Of each
zone `zones.json` has one text: its offsets from UTC in seconds; the transitions, each as the time since the one before
(the first since 1970) in base 36, in quarters of an hour or, behind `~`, in seconds; for each the place of the offset
that holds from then on, a digit of base 36; and the rule that holds after the last: two offsets and, for each, month,
week, weekday and second at which it begins on the clock of before. Parts of one kind stand together, for a page loads
it compressed.
"""

from __future__ import annotations

import importlib
import importlib.resources
import json
import re
import struct
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from service_nb.core import zones

FILE = Path(zones.__file__).with_name("zones.json")
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_NAME = r"(?:[A-Za-z]{3,}|<[^>]+>)"
_CLOCK = r"([+-]?\d+(?::\d+){0,2})"
_RULE = re.compile(
    rf"{_NAME}{_CLOCK}(?:{_NAME}{_CLOCK}?,M(\d+)\.(\d)\.(\d)(?:/{_CLOCK})?,M(\d+)\.(\d)\.(\d)(?:/{_CLOCK})?)?"
)
_QUARTER = 900  # seconds
_LEAST = -(2**59)  # the beginning of time, where a file says that a zone is not known before


def write_base_36(number: int) -> str:
    """Write a whole number with the digits that `int(text, 36)` and `parseInt(text, 36)` read."""
    digits, rest = "", abs(number)
    while rest:
        rest, digit = divmod(rest, 36)
        digits = _DIGITS[digit] + digits
    return f"{'-' if number < 0 else ''}{digits or '0'}"


def write_time(seconds: int) -> str:
    """Write the time between two transitions."""
    quarters, rest = divmod(seconds, _QUARTER)
    return f"~{write_base_36(seconds)}" if rest else write_base_36(quarters)


def read_clock(text: str | None, default: int = 0) -> int:
    """Read hours, minutes and seconds, with one sign for all of them."""
    if text is None:
        return default
    parts = [int(part) for part in text.lstrip("+-").split(":")]
    seconds = sum(part * unit for part, unit in zip(parts, (3600, 60, 1), strict=False))
    return -seconds if text.startswith("-") else seconds


def read_file(data: bytes) -> tuple[list[tuple[int | None, int]], str]:
    """Read the 64-bit part of a TZif file (RFC 8536): transitions with their offsets, and the rule after them."""
    isut, isstd, leap, times, types, chars = struct.unpack(">6l", data[20:44])
    start = 44 + times * 5 + types * 6 + chars + leap * 8 + isstd + isut
    assert data[start : start + 4] == b"TZif"
    isut, isstd, leap, times, types, chars = struct.unpack(">6l", data[start + 20 : start + 44])
    at = start + 44
    moments = struct.unpack(f">{times}q", data[at : at + 8 * times])
    kinds = data[at + 8 * times : at + 9 * times]
    at += 9 * times
    offsets = [struct.unpack(">lbb", data[at + 6 * n : at + 6 * n + 6])[0] for n in range(types)]
    end = at + 6 * types + chars + leap * 12 + isstd + isut
    found: list[tuple[int | None, int]] = [(None, offsets[0])]
    for moment, kind in zip(moments, kinds, strict=True):
        if moment <= _LEAST:
            found = [(None, offsets[kind])]
        elif offsets[kind] != found[-1][1] or moment == moments[-1]:  # from the last one on the rule holds
            found.append((moment, offsets[kind]))
    return found, data[end:].decode().strip("\n")


def write_zone(data: bytes) -> str:
    """Write the text of a zone."""
    (before, *moments), footer = read_file(data)
    offsets = list(dict.fromkeys([before[1], *(offset for _, offset in moments)]))
    rule = _RULE.fullmatch(footer)
    assert rule is not None, footer
    standard = -read_clock(rule[1])
    starts = [moment for moment, _ in moments if moment is not None]
    times = [write_time(moment - last) for last, moment in pairwise([0, *starts])]
    places = [write_base_36(offsets.index(offset)) for _, offset in moments]
    assert len(times) == len(places) == len("".join(places))
    parts = [" ".join(map(str, offsets)), " ".join(times), "".join(places)]
    if rule[3] is None:
        assert standard == ([before, *moments])[-1][1], footer
        return ";".join([*parts, ""])
    summer = standard + 3600 if rule[2] is None else -read_clock(rule[2])
    begins = [*map(int, rule.group(3, 4, 5)), read_clock(rule[6], 7200)]
    ends = [*map(int, rule.group(7, 8, 9)), read_clock(rule[10], 7200)]
    return ";".join([*parts, " ".join(map(str, [standard, summer, *begins, *ends]))])


def list_zones() -> Iterator[tuple[str, str]]:
    """List the names that stand for a place or for a fixed distance from UTC, each with its text."""
    root = importlib.resources.files("tzdata")
    for name in sorted((root / "zones").read_text(encoding="utf-8").split()):
        if name != "Factory":
            yield name, write_zone((root / "zoneinfo").joinpath(*name.split("/")).read_bytes())


def main() -> None:
    """Write the file."""
    texts = dict(list_zones())
    rules = list(dict.fromkeys(texts.values()))
    table = {
        "version": importlib.import_module("tzdata").IANA_VERSION,
        "rules": rules,
        "zones": {name: rules.index(text) for name, text in texts.items()},
    }
    FILE.write_text(json.dumps(table, indent=0, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
