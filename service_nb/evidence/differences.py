"""Compare two canonical texts of a result, value by value, and find what changed between then and now.

Texts are read number by number as they are written: no value passes through a float that could round it. The causes of
replays that differ or are refused are found by comparing the grounds of a result.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Context, Decimal, InvalidOperation
from types import MappingProxyType
from typing import Any

from service_nb.core.canonical import MAX_DIGITS, parse_strict, write_canonical_text
from service_nb.errors import CanonicalJsonError, LimitExceededError
from service_nb.schema.reports import Change, Comparison, Difference

MOST_DIFFERENCES = 20  # that are told; the rest is counted
MOST_BYTES = 256 * 1024**2  # of one text
SHOWN_CHARS = 400  # of one value that differs

# The scalar type of every value, or the types by column or field; None where it is not known.
Types = Mapping[str, str] | str | None
Path = tuple[str | int, ...]

_SIGN, _MAGNITUDE = 1 << 63, (1 << 63) - 1
_NONFINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


_ABSENT = object()


class _Number(str):
    """A number of a JSON text, as it is written there."""

    __slots__ = ()


def count_ulps(one: float, other: float) -> int | None:
    """Count the steps between neighbouring doubles from one value to the other; None if only one of them is NaN.

    The doubles are counted in their order, so the way may cross zero (whose two signs are one value) and may end at an
    infinity, the neighbour of the largest double. Two NaN are no step apart.
    """
    if math.isnan(one) or math.isnan(other):
        return 0 if math.isnan(one) and math.isnan(other) else None
    return abs(_rank_double(one) - _rank_double(other))


def _rank_double(value: float) -> int:
    bits: int = struct.unpack("<Q", struct.pack("<d", value))[0]
    return -(bits & _MAGNITUDE) if bits & _SIGN else bits


def compare(expected: str, met: str, types: Types = None, keys: Sequence[str] = ()) -> Comparison:
    """Compare two canonical JSON texts.

    Parameters
    ----------
    expected, met : str
        The stored text and the new one.
    types : mapping or str, optional
        float64, int64, int, decimal(p,s), string … of every value, or by column or field. Where it is not known,
        numbers with a point or an exponent are taken for float64.
    keys : sequence of str
        Columns that name a row. Rows are then held against the row of the same name, wherever it stands.
    """
    walk = _Walk(types)
    before, after = _read_json(expected), _read_json(met)
    if before is _ABSENT or after is _ABSENT:
        walk.note((), expected, met, _clip_text)
    elif keys and _has_named_rows(before, keys) and _has_named_rows(after, keys):
        walk.compare_rows(before, after, keys)
    else:
        walk.compare_trees((), before, after)
    return Comparison(
        values=walk.values,
        differing=walk.differing,
        differences=tuple(walk.differences),
        largest_ulps=walk.largest_ulps,
    )


def _read_json(text: str) -> Any:
    """Read a JSON text, its numbers as written; `_ABSENT` if it is no JSON or beyond the limits."""
    try:
        parse_strict(text, max_bytes=MOST_BYTES)
    except (CanonicalJsonError, LimitExceededError):
        return _ABSENT
    return json.loads(text, parse_int=_Number, parse_float=_Number)


def _has_named_rows(rows: object, keys: Sequence[str]) -> bool:
    if not isinstance(rows, list) or not all(isinstance(row, dict) and row.keys() >= set(keys) for row in rows):
        return False
    return len({_name_row(row, keys) for row in rows}) == len(rows)


def _name_row(row: Mapping[str, object], keys: Sequence[str]) -> tuple[str, ...]:
    return tuple(_write_json(row[key]) for key in keys)


class _Walk:
    """A walk through two values at once, which gathers the differences."""

    def __init__(self, types: Types) -> None:
        self._types = types
        self.values = self.differing = 0
        self.differences: list[Difference] = []
        self.largest_ulps: int | None = None

    def compare_rows(self, before: list[Any], after: list[Any], keys: Sequence[str]) -> None:
        """Compare rows by name, then the order of the rows that both sides have."""
        places = {_name_row(row, keys): (index, row) for index, row in enumerate(after)}
        common: list[tuple[int, tuple[str, ...]]] = []
        for index, row in enumerate(before):
            name = _name_row(row, keys)
            at, there = places.pop(name, (-1, None))
            if there is None:
                self._add_missing(index, name, keys, row, None)
                continue
            common.append((at, name))
            told = _describe_row(index, name, keys)
            for column in dict.fromkeys((*row, *there)):
                if column not in keys:
                    self.compare_trees((index, column), row.get(column), there.get(column), f"{told}, {column}")
        for name, (index, row) in places.items():
            self._add_missing(index, name, keys, None, row)
        self._order(common)

    def _order(self, common: Sequence[tuple[int, tuple[str, ...]]]) -> None:
        """Add a difference if common rows changed their order; `common` has their new places in the old order."""
        for (at, name), (now, other) in zip(common, sorted(common), strict=True):
            if at != now:
                where = "order of the rows"
                self._add(Difference(path=(), where=where, expected=_format_name(name), met=_format_name(other)))
                return

    def _add_missing(
        self, index: int, name: tuple[str, ...], keys: Sequence[str], before: object, after: object
    ) -> None:
        self.values += 1
        where = _describe_row(index, name, keys)
        self._add(Difference(path=(index,), where=where, expected=_format_value(before), met=_format_value(after)))

    def compare_trees(self, path: Path, before: object, after: object, where: str | None = None) -> None:
        """Compare two values of any shape."""
        if isinstance(before, dict) and isinstance(after, dict):
            for key in dict.fromkeys((*before, *after)):
                self._compare_child((*path, key), before.get(key, _ABSENT), after.get(key, _ABSENT))
        elif isinstance(before, list) and isinstance(after, list):
            for index in range(max(len(before), len(after))):
                one = before[index] if index < len(before) else _ABSENT
                other = after[index] if index < len(after) else _ABSENT
                self._compare_child((*path, index), one, other)
        else:
            self.values += 1
            if type(before) is not type(after) or before != after:
                self._add_leaf(path, before, after, where)

    def _compare_child(self, path: Path, before: object, after: object) -> None:
        if before is _ABSENT or after is _ABSENT:
            self.values += 1
            self.note(
                path, before, after, lambda value: None if value is _ABSENT else _format_value(value, is_absent=False)
            )
        else:
            self.compare_trees(path, before, after)

    def note(self, path: Path, before: object, after: object, told: Callable[[Any], str | None]) -> None:
        """Add a difference of which nothing can be measured."""
        self._add(Difference(path=path, where=_describe_place(path), expected=told(before), met=told(after)))

    def _add_leaf(self, path: Path, before: object, after: object, where: str | None) -> None:
        kind = self._find_kind(path)
        ulps, by = _measure_difference(before, after, kind)
        difference = Difference(
            path=path,
            where=where or _describe_place(path),
            expected=_format_exact(before, kind),
            met=_format_exact(after, kind),
            ulps=ulps,
            by=by,
        )
        self._add(difference)

    def _find_kind(self, path: Path) -> str | None:
        if self._types is None or isinstance(self._types, str):
            return self._types
        return next(
            (self._types[step] for step in reversed(path) if isinstance(step, str) and step in self._types), None
        )

    def _add(self, difference: Difference) -> None:
        self.differing += 1
        if difference.ulps is not None:
            self.largest_ulps = max(difference.ulps, self.largest_ulps or 0)
        if len(self.differences) < MOST_DIFFERENCES:
            self.differences.append(difference)


def _measure_difference(before: object, after: object, kind: str | None) -> tuple[int | None, str | None]:
    """Return the distance in ulps of two doubles, or the exact difference of two other numbers."""
    one, other = _read_number(before, kind), _read_number(after, kind)
    if isinstance(one, float) and isinstance(other, float):
        return count_ulps(one, other), None
    if one is None or other is None or isinstance(one, float) or isinstance(other, float):
        return None, None
    if isinstance(one, int) and isinstance(other, int):
        return None, f"{other - one:+d}"
    digits = len(str(before)) + len(str(after)) + 2
    return None, f"{Context(prec=digits).subtract(Decimal(other), Decimal(one)):+f}"


def _read_number(value: object, kind: str | None) -> int | float | Decimal | None:
    """Read a value as a number of its type; None if it is none."""
    if not isinstance(value, str) or len(value) > MAX_DIGITS or (kind is None and not isinstance(value, _Number)):
        return None
    whole = value.removeprefix("-").isdecimal() and value.isascii()
    try:
        if kind == "float64" or (kind is None and not whole):
            return _NONFINITE[value] if value in _NONFINITE else float(value) if isinstance(value, _Number) else None
        if kind in (None, "int", "int64"):
            return int(value) if whole else None
        if kind.startswith("decimal"):
            number = Decimal(value)
            return number if number.is_finite() else None
    except (ValueError, InvalidOperation):
        pass  # it is text after all
    return None


def _format_exact(value: object, kind: str | None) -> str:
    """Format a value exactly: a number without the quotes that JSON needs for some."""
    return _clip_text(str(value)) if _read_number(value, kind) is not None else _clip_text(_write_json(value))


def _format_value(value: object, *, is_absent: bool = True) -> str | None:
    return None if value is None and is_absent else _clip_text(_write_json(value))


def _clip_text(text: str) -> str:
    return text if len(text) <= SHOWN_CHARS else f"{text[: SHOWN_CHARS - 1]}…"


def _write_json(value: object) -> str:
    """Return the JSON of a value that `_read_json` gave."""
    if isinstance(value, _Number):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{write_canonical_text(key)}:{_write_json(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_write_json, value)) + "]"
    return write_canonical_text(value)


def _describe_row(index: int, name: tuple[str, ...], keys: Sequence[str]) -> str:
    told = ", ".join(f"{key} {_clip_text(value)}" for key, value in zip(keys, name, strict=True))
    return f"row {index + 1} ({told})"


def _format_name(name: tuple[str, ...]) -> str:
    return _clip_text(", ".join(name)) + " first"


def _describe_place(path: Path) -> str:
    """Describe the place of a value, counting as cards do: rows of a table from 1, items of an array from 0."""
    match path:
        case ():
            return "the value"
        case (int(row), str(column)):
            return f"row {row + 1}, {column}"
        case (int(), *_):
            return "item " + ", ".join(map(str, path))
    head, *rest = path
    return f"{head}{''.join(f'[{step}]' if isinstance(step, int) else f'.{step}' for step in rest)}"


# What of a determinism envelope tells one set of pins from another; only the pinned tier depends on it.
_PROFILE = ("profile", "platform", "architecture", "pinning")
_RUNTIME = ("runtime_bundle_version", "runtime_bundle_sha256", "kernel_build", "precision_mode", "thread_count")

# The likeliest cause first: values follow from the data, then from what is computed, then from where.
DIFFERS: Mapping[str, str] = MappingProxyType(
    {
        "source_content_changed": "The source has another content than it had.",
        "schema_changed": "The source has another schema than it had.",
        "reading_changed": "The source has the content that it had, and was read with other options or types.",
        "zone_rules_changed": "It is by periods of a time zone, whose rules are of another release of the tz database.",
        "reading_not_recorded": "How the source was read is not recorded, and values may depend on it: the texts that"
        " stand for null, declared types, the delimiter, the encoding or the sheet.",
        "live_source": "It was made from a live source: the data may have changed since.",
        "capability_version_changed": "The capability has another version: what it computes was changed on purpose.",
        "tier_pinned_other_profile": "The value is pinned to a platform and profile, and this is another.",
        "runtime_changed": "Another runtime computed it.",
        "contract_changed": "The contract of capabilities is another.",
        "result_tampered": "The stored result does not have its own hash: it was altered.",
        "view_contradicted": "The result is the same, and the card shows another one: what it shows was altered.",
        "unknown": "Nothing that is recorded explains the difference.",
    }
)
REFUSED: Mapping[str, str] = MappingProxyType(
    {
        "source_missing": "A source was not found again.",
        "source_content_mismatch": "A source was found, with another content than the result was made from.",
        "schema_revision_mismatch": "A source was found, with another schema than the result was made for.",
        "source_reading_mismatch": "A source was found with that content, and was read in another way, as far as is"
        " recorded how it was read: connect it with the options that it had.",
        "policy_denied": "The policy of this client does not allow it.",
        "text_not_kept": "What was asked is kept as a hash only, so it cannot be asked again.",
        "not_replayable": "There is nothing to run again.",
        "evidence_invalid": "The card does not verify, so what it asks for is not run.",
        "runtime_unavailable": "No runtime can run the computation here.",
        "login_required": "Computations in the managed runtime need a login.",
        "unsupported_operation": "The contract that is installed has no such capability.",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """The grounds of a result. `sources` has the digest of the content and the schema's revision by name.

    `readings` has by name how a source was read, as canonical JSON, or None where that is not recorded, and its
    `source_id`, which is empty where that is not. `scope` is where a computation ran, `linux-x64:deployment`.
    """

    sources: Mapping[str, tuple[str | None, str | None]] = field(default_factory=dict)
    readings: Mapping[str, tuple[str | None, str]] = field(default_factory=dict)
    contract_hash: str | None = None
    determinism: Mapping[str, Any] | None = None
    service_nb: str | None = None
    scope: str | None = None

    @property
    def knows_readings(self) -> bool:
        """Tell whether the reading of every source is recorded."""
        return all(reading is not None for reading, _ in self.readings.values())


def find_changes(then: Ground, now: Ground) -> tuple[Change, ...]:
    """Find everything that changed, the likeliest cause first; what either side does not know is left out."""
    found = [
        *_iter_source_changes(then, now),
        *_iter_reading_changes(then, now),
        *_iter_envelope_changes(then.determinism or {}, now.determinism or {}),
    ]
    found += _iter_change("contract_changed", "contract", then.contract_hash, now.contract_hash)
    found += _iter_change("runtime_changed", "service_nb", then.service_nb, now.service_nb)
    found += _iter_change("runtime_changed", "execution scope", then.scope, now.scope)
    ranks = list(DIFFERS)
    return tuple(sorted(found, key=lambda change: ranks.index(change.cause)))


def _iter_source_changes(then: Ground, now: Ground) -> Iterator[Change]:
    for name, (content, schema) in then.sources.items():
        met_content, met_schema = now.sources.get(name, (None, None))
        yield from _iter_change("source_content_changed", f"content of {name}", content, met_content)
        yield from _iter_change("schema_changed", f"schema of {name}", schema, met_schema)


def _iter_reading_changes(then: Ground, now: Ground) -> Iterator[Change]:
    for name, (reading, identity) in then.readings.items():
        met_reading, met_identity = now.readings.get(name, (None, ""))
        if identity == met_identity:  # which covers the reading, also one that is not recorded
            continue
        stood, stands = then.sources.get(name), now.sources.get(name)
        is_other_reading = reading is not None and reading != met_reading
        if is_other_reading:
            yield from _iter_change("reading_changed", f"reading of {name}", reading, met_reading)
        if not (identity and met_identity):
            continue
        if stood != stands and (stood is None or stands is None or None in (stood[0], stands[0])):
            # Of a live source there is no digest to compare.
            yield Change(
                cause="source_content_changed", what=f"identity of {name}", expected=identity, met=met_identity
            )
        elif stood == stands and not is_other_reading:
            what = f"identity of {name}, which covers how its values are held"
            yield Change(cause="reading_changed", what=what, expected=identity, met=met_identity)


def _iter_envelope_changes(then: Mapping[str, object], now: Mapping[str, object]) -> Iterator[Change]:
    yield from _iter_change(
        "capability_version_changed", "version of the capability", *_find_both_values(then, now, "capability_version")
    )
    profile = "tier_pinned_other_profile" if "pinned" in (then.get("tier"), now.get("tier")) else "runtime_changed"
    for key in _PROFILE:
        yield from _iter_change(profile, key, *_find_both_values(then, now, key))
    for key in _RUNTIME:
        yield from _iter_change("runtime_changed", key.replace("_", " "), *_find_both_values(then, now, key))
    libraries, met = then.get("libraries"), now.get("libraries")
    if isinstance(libraries, Mapping) and isinstance(met, Mapping):
        for name in sorted({*libraries, *met}):
            yield from _iter_change("runtime_changed", name, libraries.get(name, "none"), met.get(name, "none"))


def _find_both_values(then: Mapping[str, object], now: Mapping[str, object], key: str) -> tuple[str | None, str | None]:
    """Return both values of a key as text; two None if either side lacks it."""
    one, other = then.get(key), now.get(key)
    return (None, None) if one is None or other is None else (str(one), str(other))


def _iter_change(cause: str, what: str, expected: object, met: object) -> Iterator[Change]:
    if expected is not None and met is not None and expected != met:
        yield Change(cause=cause, what=what, expected=str(expected), met=str(met))


def find_cause(
    found: tuple[Change, ...], *, tier: str | None, is_trusted: bool, knows_readings: bool = True
) -> tuple[str, str]:
    """Find the likeliest cause of a difference: its name, and a sentence or two.

    Nobody is said to have altered a result: whatever is not recorded may explain a difference as well.

    Parameters
    ----------
    found : tuple of Change
        What `find_changes` found.
    tier : str or None
        Of a computation; None for a question, whose answer is exact.
    is_trusted : bool
        Whether a trusted key signed the stored result.
    knows_readings : bool
        Whether it is recorded how each source was read.
    """
    cause = found[0].cause if found else "unknown"
    if not knows_readings and cause in ("runtime_changed", "contract_changed", "unknown"):
        return "reading_not_recorded", DIFFERS["reading_not_recorded"]
    sentence = DIFFERS[cause]
    if cause == "unknown" and is_trusted:
        sentence += " A trusted key signed the stored result, so one of the two runs was wrong: report it."
    elif cause == "unknown":
        sentence += " No trusted key signed the stored result: it may have been altered and hashed again."
    elif cause == "runtime_changed" and tier != "pinned":
        kept = "An exact answer" if tier is None else f"A {tier} value"
        sentence += (
            f" {kept} does not depend on it, so one of the two runs was wrong, or the stored result was altered."
        )
    if found:
        sentence += f" {_format_change(found[0])}"
    return cause, sentence


def _format_change(change: Change) -> str:
    expected, met = (_shorten_digest(text or "") for text in (change.expected, change.met))
    return f"{change.what[0].upper()}{change.what[1:]}: {expected} then, {met} now."


def _shorten_digest(text: str) -> str:
    text = text.removeprefix("sha256:")
    return text[:12] if len(text) == 64 else text
