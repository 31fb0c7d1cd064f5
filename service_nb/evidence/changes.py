"""The causes of replays that differ or are refused: compare the grounds of a result, then and now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from service_nb.schema.replay import Change

# What of a determinism envelope tells one set of pins from another; only the pinned tier depends on it.
_PROFILE = ("profile", "platform", "architecture", "pinning")
_RUNTIME = ("runtime_bundle_version", "runtime_bundle_sha256", "kernel_build", "precision_mode", "thread_count")

# The likeliest cause first: values follow from the data, then from what is computed, then from where.
DIFFERS: Mapping[str, str] = MappingProxyType(
    {
        "source_content_changed": "The source has another content than it had.",
        "schema_changed": "The source has another schema than it had.",
        "reading_changed": "The source has the content that it had, and was read with other options or types.",
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
        sentence += " No trusted key vouches for the stored result: it may have been altered and hashed again."
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
