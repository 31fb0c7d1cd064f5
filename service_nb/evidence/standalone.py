"""Check the evidence of service_nb alone: this file, Python's standard library, no network, nothing else.

    python standalone.py FILE... [--key BASE64]... [--contract sha256:HEX]... [--json]

FILE is a notebook, a card or a ledger document (JSON), or a `ledger.sqlite`. Exit code, of the worst that was found: 0
all verified, 1 something altered, 2 usage, 3 signed by a key that you did not give, 4 not signed, 5 not checkable here.

What a passed check proves
    `…_hash`      the text that a card holds is the one that was hashed
    `shown`       each leaf that a card shows follows from these texts, but for the author's words (AUTHORS_WORDS)
    `capability`  what was computed is in the contract that the card names, and arguments and value fit it
    `signature`   the owner of a key signed the statement; `signer`: it is a key that you gave with `--key`
    `statement`   the statement is about this very card
    `inclusion`   it is an entry of a ledger; `checkpoint`: of one whose state the same key has signed
    `contract`    the computation ran under definitions that you gave with `--contract`
    `root`        the ledger is complete up to its checkpoint: nothing in it was changed, dropped, added or moved
    `cell`        a card stands below the source that gave it, if its statement names one
    `cards`       a sealed notebook shows the cards that it was sealed with, in their order

A card counts where viewers show it: in a notebook of nbformat 4, in the data of outputs (OUTPUT_TYPES) of code cells.

What no check proves: that a number is right (replay it), that a clock was right, that a signer is honest, that a
checkpoint is the newest one, that a notebook without a seal never had one, and, without `--key`, who signed. Of a
database the entries, the texts and the newest checkpoint are read, and none of what was derived from them. What other
forms of an output (HTML, text) show beside a card is not compared here.

A verdict is `altered` if a check failed; `not_checkable` if one that decides could not be made; `consistent` if nobody
signed; `unaltered` if a key signed that you did not give; else `verified`. The file reads from documents down to bits;
the command is at its end.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import math
import operator
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from json.encoder import encode_basestring
from pathlib import Path
from typing import Any, Literal, NamedTuple, NoReturn

WIDGETS_MIME = "application/vnd.jupyter.widget-state+json"
SEAL_KEY, INDEX_TYPE = "service_nb", "urn:service-nb:index:v1"  # of a notebook's metadata, and what a seal signs
FACE = re.compile(r"(?:^|[\n>])[ \t]*Card of service\\?_nb [0-9A-Za-z.+!-]{1,40}[ \t]*(?:[\n<\])},]|$)", re.ASCII)
MAX_NOTE, KEY_BYTES, SIGNATURE_BYTES = 1_024, 32, 64
ORIGIN_PREFIX = "service-nb/"  # of a checkpoint, before the ledger's id
YOU = "you"  # the name of a reader's own key

# --- shapes, written by typescript/shapes.py from service_nb/schema: do not edit them here
# fmt: off
CARD_MIME, PAYLOAD_TYPE = "application/vnd.service-nb.card.v1+json", "application/vnd.in-toto+json"
CARD_BYTES, STATEMENT_BYTES, DOCUMENT_BYTES = 1048576, 262144, 33554432
MAX_DEPTH, MAX_DIGITS, MAX_INTEGER = 64, 400, 9007199254740991
# What cannot be checked without the verdict being open: nothing that is shown depends on a text that
# is not kept, or `shown` would say so; an unknown signer, or none, has a verdict of its own; a card
# is what it is, whatever was taken out of a notebook that is not sealed.
UNDECIDING = {
    "card_out_of_order", "card_repeated", "not_sealed", "rows_not_kept", "text_not_kept", "unknown_signer", "unsigned",
}
# A notebook that every viewer reads alike: its format, keys that readers of another format read, the
# kinds of cells, the one whose outputs are shown, and what is shown of each kind of output.
NOTEBOOK_FORMAT, OTHER_CELLS = 4, ("worksheets",)
CELL_TYPES, OUTPUT_CELL = ("code", "markdown", "raw"), "code"
OUTPUT_TYPES = {
    "display_data": "data",
    "execute_result": "data",
    "update_display_data": "data",
    "stream": "text",
    "error": "traceback",
}
# Of each kind of card: the texts that it may hold, the digests that it must hold, what its view may
# say, the last word of its predicate's type, the texts that give what it shows, but for rows.
KINDS: dict[str, tuple[Any, ...]] = {
    "query": (("plan", "result", "provenance"), ("plan_hash", "result_hash", "schema_revision", "provenance_hash"),
        ("ok",), "query", ("plan", "provenance")),
    "clarification": (("spec", "resolution"), ("refusal_hash",), ("needs_clarification",), "refusal",
        ("spec", "resolution")),
    "rejection": (("spec", "resolution"), ("refusal_hash",), ("rejected",), "refusal", ("spec", "resolution")),
    "error": (("error",), ("error_hash",), ("error",), "error", ("error",)),
    "computation": (("identity", "arguments", "value", "definition", "provenance"),
        ("input_hash", "invocation_hash", "computation_hash", "contract_hash", "definition_hash", "provenance_hash"),
        ("ok",), "computation", ("identity", "definition", "provenance")),
    "replay": (("report",), ("replay_hash",), ("identical", "differs", "refused"), "replay", ("report",)),
}
# What a digest is the SHA-256 of: a domain with a NUL, another digest of the card, texts with NUL.
HASHED: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "plan_hash": ("service:plan:v1\u0000", "", ("plan",)),
    "result_hash": ("service:result:v1\u0000", "plan_hash", ("result",)),
    "refusal_hash": ("service:refusal:v2\u0000", "", ("spec", "resolution")),
    "error_hash": ("service:error:v1\u0000", "", ("error",)),
    "input_hash": ("", "", ("arguments",)),
    "invocation_hash": ("service:invocation:v1\u0000", "", ("identity",)),
    "computation_hash": ("service:computation:v1\u0000", "invocation_hash", ("value",)),
    "definition_hash": ("service:definition:v1\u0000", "", ("definition",)),
    "provenance_hash": ("service:provenance:v1\u0000", "", ("provenance",)),
    "replay_hash": ("service:replay:v1\u0000", "", ("report",)),
}
# A digest that stands in a text of the card under its own name.
QUOTED = {
    "schema_revision": "plan",
    "contract_hash": "identity",
}
# Of each aggregation: noun, step, how its result is held (None: as the column), and its types.
AGGREGATIONS: dict[str, tuple[str, str, str | None, tuple[str, ...]]] = {
    "sum": ("Sum of", "Add the values of {of} exactly and round once; nulls are left out", None, ("number",)),
    "avg": ("Average of", "Divide the exact sum of {of} by its count of values, round once; nulls are left out",
        "float64", ("number",)),
    "count": ("Count of", "Count the values of {of} that are not null", "int64", ("number",)),
    "min": ("Smallest", "Take the smallest value of {of}; nulls are left out", None,
        ("number", "string", "date", "datetime")),
    "max": ("Largest", "Take the largest value of {of}; nulls are left out", None,
        ("number", "string", "date", "datetime")),
    "median": ("Median of",
        "Take the middle value of {of}, of an even count the mean of both, rounded once; nulls are left out", "float64",
        ("number",)),
    "count_distinct": ("Count of distinct", "Count the different values of {of} that are not null", "int64",
        ("number",)),
    "stddev": ("Standard deviation (sample, n-1) of",
        "Take the root of the exact sample variance (n-1) of {of}, round once; nulls are left out", "float64",
        ("number",)),
    "variance": ("Variance (sample, n-1) of",
        "Divide the exact squares of {of} around their mean by n-1, round once; nulls are left out", "float64",
        ("number",)),
    "percentile": ("Percentile {percent} of",
        "Take percentile {percent} of {of}, between two values linearly, rounded once; nulls are left out", "float64",
        ("number",)),
}
SHAPES: dict[str, Any] = {
    "Card": {"kind": ("is", "query", "clarification", "rejection", "error", "computation", "replay"),
        "version": ("is", 1), "canonical": ("map", "text"), "digests": ("map", "text"),
        "receipt": ("or", "object", "null"), "view": "object"},
    "Name": ("name",),
    "Percent": ("like", "(?:100|[1-9]?[0-9](?:\\.[0-9]{0,3}[1-9])?)"),
    "MeasureText": {
        "aggregation": ("is", "sum", "avg", "count", "min", "max", "median", "count_distinct", "stddev", "variance",
        "percentile"), "metric?": "Name", "percent?": "Percent"},
    "Width": ("like", "(?:[1-9][0-9]{0,14}(?:\\.[0-9]{0,13}[1-9])?|0\\.[0-9]{0,14}[1-9])"),
    "KeyText": {"column": "Name", "unit?": ("is", "day", "week", "month", "quarter", "year"), "width?": "Width",
        "zone?": "Name"},
    "AnyText": {"any": ("list", "ConditionText", 2, None)},
    "AllText": {"all": ("list", "ConditionText", 2, None)},
    "NullText": {"column": "Name", "op": ("is", "is_null", "is_not_null")},
    "ListText": {"column": "Name", "op": ("is", "in", "not_in"), "values": ["scalar"]},
    "RangeText": {"column": "Name", "op": ("is", "between"), "values": ("list", "scalar", 2, 2)},
    "ComparisonText": {"column": "Name", "op": ("is", "eq", "ne", "gt", "gte", "lt", "lte", "contains", "starts_with"),
        "value": "scalar"},
    "ConditionText": ("holding", "any", "AnyText",
        ("holding", "all", "AllText", ("by", "op", "NullText", "ListText", "RangeText", "ComparisonText"))),
    "PeriodText": {"column": "Name", "period": "text"},
    "FilterText": {"conditions?": ["ConditionText"], "time_filter?": "PeriodText"},
    "HavingAny": {"any": ("list", "HavingCondition", 2, None)},
    "HavingAll": {"all": ("list", "HavingCondition", 2, None)},
    "HavingNull": {
        "aggregation": ("is", "sum", "avg", "count", "min", "max", "median", "count_distinct", "stddev", "variance",
        "percentile"), "metric?": "Name", "percent?": "Percent", "op": ("is", "is_null", "is_not_null")},
    "HavingList": {
        "aggregation": ("is", "sum", "avg", "count", "min", "max", "median", "count_distinct", "stddev", "variance",
        "percentile"), "metric?": "Name", "percent?": "Percent", "op": ("is", "in", "not_in"), "values": ["scalar"]},
    "HavingRange": {
        "aggregation": ("is", "sum", "avg", "count", "min", "max", "median", "count_distinct", "stddev", "variance",
        "percentile"), "metric?": "Name", "percent?": "Percent", "op": ("is", "between"),
        "values": ("list", "scalar", 2, 2)},
    "HavingValue": {
        "aggregation": ("is", "sum", "avg", "count", "min", "max", "median", "count_distinct", "stddev", "variance",
        "percentile"), "metric?": "Name", "percent?": "Percent",
        "op": ("is", "eq", "ne", "gt", "gte", "lt", "lte", "contains", "starts_with"), "value": "scalar"},
    "HavingCondition": ("holding", "any", "HavingAny",
        ("holding", "all", "HavingAll", ("by", "op", "HavingNull", "HavingList", "HavingRange", "HavingValue"))),
    "HavingText": {"conditions": ("list", "HavingCondition", 1, None)},
    "Whole": ("whole",),
    "SpecText": {
        "aggregation?": ("is", "sum", "avg", "count", "min", "max", "median", "count_distinct", "stddev", "variance",
        "percentile"), "metric?": "Name", "percent?": "Percent", "measures?": ["MeasureText"],
        "group_by?": [("or", "Name", "KeyText")], "filter?": "FilterText", "having?": "HavingText", "order_by?": "Name",
        "order?": ("is", "asc", "desc"), "limit?": "Whole", "source_name?": "Name"},
    "Hash": ("like", "[0-9a-f]{64}"),
    "PlanFilterText": {"conditions": ["ConditionText"]},
    "PlanText": {"order": ("is", "asc", "desc"), "schema_revision": "Hash",
        "aggregation?": ("is", "sum", "avg", "count", "min", "max", "median", "count_distinct", "stddev", "variance",
        "percentile"), "metric?": "Name", "percent?": "Percent", "measures?": ["MeasureText"],
        "group_by?": [("or", "Name", "KeyText")], "order_by?": "Name", "filter?": "PlanFilterText",
        "having?": "HavingText", "limit?": "Whole"},
    "InspectionText": {"inspect": ("is", "preview", "profile"), "schema_revision": "Hash", "limit?": "Whole",
        "order?": ("is", "columns")},
    "Column": {"name": "Name", "type": "text", "physical": "text", "role": ("is", "key", "metric", "count"),
        "zone?": "Name"},
    "Input": {"name": "Name", "source_id": "text", "schema_revision": "Hash", "row_count": "Whole", "content": "object",
        "origin": ("or", "object", "null"), "reading": ("or", "object", "null")},
    "ReadingNoteText": {"kind": "Name", "columns": ["Name"], "facts?": ("map", "text")},
    "AnswerProvenance": {"columns": ["Column"], "decision_path": "text", "engine": "text", "method": "text",
        "notes": ("map", "text"), "row_count": "Whole", "shown_rows": "Whole", "sources": ("list", "Input", 1, 1),
        "used_rows?": "Whole", "dropped?": ("map", "Whole"), "reading_notes?": ["ReadingNoteText"]},
    "BoundColumns": {"source_name": "Name", "fields": ["Name"], "parameters": ["Name"], "input_hash": "Hash",
        "input_hashes?": ["Hash"], "schema_revision?": "any", "row_count?": "any", "dropped?": "any",
        "source_rows?": "Whole", "filter?": "any"},
    "RunProvenance": {"bindings": ["BoundColumns"], "determinism": "object", "sources": ["Input"],
        "reading_notes?": ["ReadingNoteText"]},
    "ResolvedBinding": {"input_hash": "Hash"},
    "CallIdentity": {"args": ["any"], "contract_hash": "text", "execution_scope": "text", "function": "Name",
        "kwargs": "object", "module": "Name", "resolved_bindings": [("or", "ResolvedBinding", "null")],
        "seed": ("or", "Whole", "null")},
    "ParameterEntry": {"name": "Name", "type": "text", "unit": "text", "about?": "text", "shape?": ["text"],
        "domain?": "any", "symbol?": "any", "min_size?": "any", "structure?": "text", "choices?": "any",
        "default?": "any"},
    "ValueType": {"type": "text", "unit": "text", "about?": "text", "name?": "text", "shape?": ["text"],
        "range?": "text"},
    "RecordType": {"type": ("is", "record"), "fields": ("map", "ValueType"), "about?": "text"},
    "CapabilityEntry": {"id": "Name", "module": "Name", "function": "Name", "summary": "Name", "source": "Name",
        "version": "Whole", "tier": ("is", "certified", "pinned", "seeded"), "grade?": "Name",
        "params": ["ParameterEntry"], "result": ("by", "type", "RecordType", "ValueType"), "formula?": "text",
        "latex?": "text", "call?": "text", "entry?": "text", "requires?": ["any"], "limits?": "object",
        "compares?": ["Name"]},
    "Definition": {"capability": "CapabilityEntry", "index": "Whole", "proof": ["Hash"], "size": "Whole"},
    "Bytes": ("base64", None),
    "SignatureBytes": ("base64", 64),
    "EnvelopeSignature": {"keyid": "text", "sig": "SignatureBytes"},
    "Envelope": {"payloadType": ("is", "application/vnd.in-toto+json"), "payload": "Bytes",
        "signatures": ("list", "EnvelopeSignature", 0, 1)},
    "PublicKey": ("base64", 32),
    "LogProof": {"index": "Whole", "size": "Whole", "proof": ["Hash"], "checkpoint": "text"},
    "Receipt": {"version": ("is", 1), "envelope": "Envelope", "public_key": "PublicKey", "log": "LogProof"},
    "SubjectDigest": {"sha256": "Hash"},
    "Subject": {"name": "text", "digest": "SubjectDigest"},
    "Statement": {"_type": ("is", "https://in-toto.io/Statement/v1"), "predicateType": "text", "subject": ["Subject"],
        "predicate": "object"},
    "Moment": ("like", ("[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:"
        "(?:[0-5][0-9]|60)(?:\\.[0-9]{1,9})?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])")),
    "Predicate": {"version": ("is", 1), "id": "text",
        "kind": ("is", "query", "clarification", "rejection", "error", "computation", "replay"), "time": "Moment",
        "tenant": ("or", "text", "null"), "digests": "object", "inputs": ["any"], "bindings": ["any"],
        "determinism": ("or", "object", "null"), "place": ("or", "object", "null"), "made_by": "object"},
    "IndexedCard": {"cell": ("or", "text", "null"), "kind": "text", "id": ("or", "text", "null"), "digest": "Hash"},
    "IndexPredicate": {"version": ("is", 1), "time": "Moment", "cards": ["IndexedCard"]},
    "NotebookSeal": {"version": ("is", 1), "envelope": "Envelope", "public_key": "PublicKey"},
    "LedgerId": ("like", "[0-9a-f]{32}"),
    "LedgerDocument": {"service_nb_ledger": ("is", 1), "ledger": "LedgerId", "entries": ["any"],
        "public_key": ("or", "PublicKey", "null"), "checkpoint": "text", "texts": ("map", "text")},
    "ContractHash": ("like", "sha256:[0-9a-f]{64}"),
}
# fmt: on
# --- end of the shapes


CheckStatus = Literal["passed", "failed", "not_checkable"]
VerdictStatus = Literal["verified", "unaltered", "consistent", "not_checkable", "altered"]


@dataclass(frozen=True, slots=True)
class Check:
    """One check. `cause` is the stable name of what failed, or of why it cannot be checked here; None if it passed."""

    name: str
    status: CheckStatus = "passed"
    cause: str | None = None
    message: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the check as JSON has it."""
        return {"check": self.name, "status": self.status, "cause": self.cause, "message": self.message}


@dataclass(frozen=True, slots=True)
class Verdict:
    """The checks of one thing, in the order in which they were made. `subject` names it for people."""

    subject: str
    checks: tuple[Check, ...]

    @property
    def status(self) -> VerdictStatus:
        """Say what the checks come to, in one of five words."""
        if any(check.status == "failed" for check in self.checks):
            return "altered"
        open_causes = {check.cause for check in self.checks if check.status == "not_checkable"}
        if open_causes - UNDECIDING:
            return "not_checkable"
        if "unsigned" in open_causes:
            return "consistent"
        return "unaltered" if "unknown_signer" in open_causes else "verified"

    @property
    def causes(self) -> tuple[str, ...]:
        """List the causes of the failed checks."""
        return tuple(check.cause or "" for check in self.checks if check.status == "failed")

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as JSON has it."""
        return {"subject": self.subject, "status": self.status, "checks": [check.to_dict() for check in self.checks]}

    def __bool__(self) -> NoReturn:
        raise TypeError("a verdict has no truth value: compare its status with 'verified'")


class Fault(Exception):  # noqa: N818  a finding, no error of this program
    """A check that does not pass: a cause, a message, and `not_checkable` if it cannot be decided here."""

    def __init__(self, cause: str, message: str, status: CheckStatus = "failed") -> None:
        super().__init__(message)
        self.cause, self.message, self.status = cause, message, status


SignatureTest = Callable[[bytes, bytes, bytes], bool]  # of a key, a message and a signature


class Anchors(NamedTuple):
    """The trust anchors of a reader: keys (a mapping names their owners), contracts, and the signature test."""

    keys: Collection[str] = ()
    contracts: Collection[str] = ()
    is_signature: SignatureTest | None = None  # None: `verify_ed25519`


def _require(holds: object, cause: str, message: str, status: CheckStatus = "failed") -> None:
    if not holds:
        raise Fault(cause, message, status)


def _run_check(name: str, test: Callable[..., object], *arguments: object) -> Check:
    """Run a check: its test returns the message, or raises the `Fault` for which it did not pass."""
    try:
        told = test(*arguments)
    except Fault as fault:
        return Check(name, fault.status, fault.cause, fault.message)
    return Check(name, message=told if isinstance(told, str) else "")


# --- the form of a value ----------------------------------------------------------------------------------------------
# A shape is a word of SHAPES or of WORDS; {key: shape}, an object with exactly these keys, but for `key?`; [shape], a
# list; a rule with its arguments, (rule, ...); or a test.


def _fits(value: Any, shape: Any) -> bool:
    if isinstance(shape, str):
        return WORDS[shape](value) if shape in WORDS else _fits(value, SHAPES[shape])
    if isinstance(shape, list):
        return isinstance(value, list) and all(_fits(item, shape[0]) for item in value)
    if isinstance(shape, tuple):
        return RULES[shape[0]](value, *shape[1:])
    if isinstance(shape, dict):
        return isinstance(value, dict) and _has_members(value, shape)
    return bool(shape(value))


def _require_form(value: object, shape: object, cause: str, what: str) -> None:
    if not _fits(value, shape):
        raise Fault(cause, f"The {what} is malformed: {_describe_misfit(value, shape, 'it')}.")


def _describe_misfit(value: object, shape: Any, place: str) -> str:
    """Describe the first place where a value does not have a shape."""
    while isinstance(shape, str) and shape not in WORDS:
        shape = SHAPES[shape]
    if isinstance(shape, dict):
        if not isinstance(value, dict) or value.keys() != shape.keys():
            return f"{place} is no object of exactly {', '.join(sorted(shape))}"
        key = next(key for key in shape if not _fits(value[key], shape[key]))
        return _describe_misfit(value[key], shape[key], key if place == "it" else f"{place}.{key}")
    item = shape[0] if isinstance(shape, list) else shape[1] if shape[0] == "list" else None
    if item is not None and isinstance(value, list):
        for at, each in enumerate(value):
            if not _fits(each, item):
                return _describe_misfit(each, item, f"{place}[{at}]")
    return f"{place} has another type or form"


def _has_members(value: dict[str, object], shape: dict[str, object]) -> bool:
    met = 0
    for name, each in shape.items():
        key = name.removesuffix("?")
        if key in value:
            met += 1
            if not _fits(value[key], each):
                return False
        elif key is name:
            return False
    return met == len(value)


def _is_by(value: object, tag: str, *words: str) -> bool:
    met = value.get(tag) if isinstance(value, dict) else None
    return _fits(value, next((word for word in words if _fits(met, SHAPES[word][tag])), words[-1]))


def is_whole(value: Any) -> bool:
    """Tell whether a JSON number is whole, from 0 to 2**53 - 1; 1.0 is, too: other readers cannot tell it from 1."""
    return type(value) in (int, float) and 0 <= value <= MAX_INTEGER and value == int(value)


def _is_base64(value: object, size: int | None = None) -> bool:
    return isinstance(value, str) and decode_base64(value, size) is not None


WORDS: dict[str, Callable[[Any], bool]] = {
    "any": lambda _: True,
    "text": lambda value: isinstance(value, str),
    "object": lambda value: isinstance(value, dict),
    "null": lambda value: value is None,
    "scalar": lambda value: isinstance(value, str | int | float),
}
RULES: dict[str, Callable[..., bool]] = {
    "by": _is_by,
    "holding": lambda value, key, word, other: _fits(
        value, word if isinstance(value, dict) and key in value else other
    ),
    "or": lambda value, *shapes: any(_fits(value, shape) for shape in shapes),
    "is": lambda value, *choices: not isinstance(value, bool | dict | list) and value in choices,
    "list": lambda value, shape, least, most: _fits(value, [shape]) and least <= len(value) <= (most or MAX_INTEGER),
    "map": lambda value, shape: isinstance(value, dict) and _fits([*value.values()], [shape]),
    "name": lambda value: isinstance(value, str) and value != "",
    "like": lambda value, pattern: isinstance(value, str) and re.fullmatch(pattern, value, re.ASCII) is not None,
    "base64": _is_base64,
    "whole": is_whole,
}


# --- documents --------------------------------------------------------------------------------------------------------


def check_document(content: bytes, anchors: Anchors = Anchors()) -> list[Verdict]:  # noqa: B008  immutable
    """Return a verdict for each card, seal or ledger in the bytes of a document."""
    try:
        document = parse_json(content)
    except Fault as fault:
        return [_build_refused_verdict("document", fault)]
    return check_parsed(document, len(content), anchors) + _leave_faces_open(document)


def check_parsed(document: Any, size: int, anchors: Anchors) -> list[Verdict]:
    """Return the verdicts of a document that was read from so many bytes, other forms of outputs left out."""
    try:
        marks = document.keys() & {"nbformat", "kind", "service_nb_ledger"} if isinstance(document, dict) else ()
        _require(marks, "unknown_document", "It is no notebook, no card and no ledger document.")
        if "nbformat" in marks:
            return list(_check_notebook(document, anchors))
    except Fault as fault:
        return [_build_refused_verdict("document", fault)]
    if "kind" not in marks:
        return [Verdict("ledger", tuple(_check_ledger(document, anchors)))]
    if size > CARD_BYTES:
        message = f"The card has {size} bytes, more than the {CARD_BYTES} allowed."
        return [_build_refused_verdict("card", Fault("too_large", message))]
    return [Verdict("card", tuple(check_card(document, anchors)))]


def _build_refused_verdict(subject: str, fault: Fault) -> Verdict:
    return Verdict(subject, (Check("form", fault.status, fault.cause, fault.message),))


def _leave_faces_open(document: Any) -> list[Verdict]:
    """List an undecided verdict if outputs have other forms beside a card, which this program cannot compare."""
    try:
        outputs = find_outputs(document) if isinstance(document, dict) and "nbformat" in document else []
    except Fault:
        return []  # which the verdict of the document says
    count = sum(output.is_shown and CARD_MIME in output.data and len(output.data) > 1 for output in outputs)
    told = f"{count} outputs show their card in other forms too; `service-nb verify` compares them"
    return [Verdict("faces", (Check("faces", "not_checkable", "faces_not_compared", told),))] if count else []


class Output(NamedTuple):
    """An output and its data. `subject` names its place; `cell` is the cell that it stands below, None in a widget.

    Of some outputs viewers do not show the data (`is_shown`): a stream, or one below a cell of text.
    """

    subject: str
    cell: Mapping[str, Any] | None
    data: Mapping[str, Any]
    is_shown: bool

    @property
    def card(self) -> Any:
        """The content under the card's MIME type, not checked."""
        return self.data[CARD_MIME]

    @property
    def cell_id(self) -> str | None:
        """The id of the cell, if it has one."""
        cell_id = None if self.cell is None else self.cell.get("id")
        return cell_id if isinstance(cell_id, str) else None


def find_outputs(book: Mapping[str, Any]) -> list[Output]:
    """Return the outputs of a parsed notebook in the order of its cells, then those of its widgets."""
    version, other = book.get("nbformat"), [key for key in OTHER_CELLS if key in book]
    told = "The notebook is of another nbformat than 4." if not other else f"The notebook has {other[0]} too."
    is_alike = is_whole(version) and version == NOTEBOOK_FORMAT and not other
    _require(is_alike, "notebook_form", told, "not_checkable")
    bad, cells, metadata = "malformed_notebook", book.get("cells"), book.get("metadata", {})
    is_book = isinstance(cells, list) and isinstance(metadata, dict)
    _require(is_book, bad, "The notebook has no list of cells, or its metadata is no object.")
    found = []
    for at, cell in enumerate(cells or (), 1):
        outputs = cell.get("outputs", []) if isinstance(cell, dict) else None
        _require(isinstance(outputs, list), bad, f"Cell {at} is no object, or its outputs are no list.")
        for number, output in enumerate(outputs or (), 1):
            data = output.get("data", {}) if isinstance(output, dict) else None
            _require(isinstance(data, dict), bad, f"Cell {at}: output {number} is no object, or its data is none.")
            is_shown = cell.get("cell_type") == OUTPUT_CELL and _has_shown_data(output)
            found.append(Output(f"cell {at}, output {number}", cell, data or {}, is_shown))
    return found + _find_in_widgets(metadata)


def _has_shown_data(output: dict[str, Any]) -> bool:
    return any(output.get("output_type") == kind for kind, shown in OUTPUT_TYPES.items() if shown == "data")


def _find_in_widgets(metadata: dict[str, object]) -> list[Output]:
    """List the outputs of widgets, such as `interact`, in the order of the widgets' ids as UTF-16.

    What has another shape there is shown by no front end, and is passed over.
    """
    held: Any = metadata
    for key in ("widgets", WIDGETS_MIME, "state"):
        held = held.get(key) if isinstance(held, dict) else None
    models = held if isinstance(held, dict) else {}
    states = (models[key] for key in sorted(models, key=lambda each: each.encode("utf-16-be", "surrogatepass")))
    inner = (model.get("state") if isinstance(model, dict) else None for model in states)
    listed = (state.get("outputs") if isinstance(state, dict) else None for state in inner)
    return [
        Output(f"widget {at}, output {number}", None, output["data"], _has_shown_data(output))
        for at, outputs in enumerate((each for each in listed if isinstance(each, list) and each), 1)
        for number, output in enumerate(outputs, 1)
        if isinstance(output, dict) and isinstance(output.get("data"), dict)
    ]


def _check_notebook(book: Any, anchors: Anchors) -> Iterator[Verdict]:
    outputs, metadata = find_outputs(book), book.get("metadata", {})
    cards: list[object] = []
    met: dict[str, tuple[int, str]] = {}
    for output in outputs:
        if CARD_MIME in output.data and output.is_shown:
            checks = [*check_card(output.card, anchors)]
            passed = {check.name for check in checks if check.status == "passed"}
            if "form" in passed:
                checks += _check_cell(output, book["cells"], is_stated="statement" in passed)
            if "form" in passed and SEAL_KEY not in metadata:
                checks.append(_check_order(output, met, is_logged="checkpoint" in passed))
            cards.append(output.card)
            yield Verdict(output.subject, tuple(checks))
        elif CARD_MIME in output.data:
            yield _build_refused_verdict(output.subject, NOT_SHOWN)
        elif output.is_shown and _is_face(output.data):
            message = "The output shows a card, and holds none."
            yield Verdict(output.subject, (Check("faces", "failed", "card_missing", message),))
    yield from _check_rest(book, {id(output.data) for output in outputs})
    if SEAL_KEY in metadata:
        yield Verdict("index", tuple(_check_seal(metadata[SEAL_KEY], cards, anchors)))


NOT_SHOWN = Fault("card_not_shown", "A card stands here, where no viewer shows it.")


def _check_rest(book: dict[str, Any], outputs: Collection[int]) -> Iterator[Verdict]:
    """Yield what is wrong with the rest of a notebook: cards outside of its outputs, kinds of cells or of outputs.

    Widgets of other front ends have shapes of their own, and what they hold is nobody's fault.
    """
    for at, cell in enumerate(book["cells"], 1):
        if _holds_card(cell, outputs):
            yield _build_refused_verdict(f"cell {at}", NOT_SHOWN)
    metadata = {key: value for key, value in book.get("metadata", {}).items() if key != "widgets"}
    odd = [at for at, cell in enumerate(book["cells"], 1) if not _is_known_cell(cell)]
    if _holds_card(book | {"cells": [], "metadata": metadata}, outputs):
        yield _build_refused_verdict("notebook", NOT_SHOWN)
    elif odd:
        told = f"Cell {odd[0]}, or an output of it, is of a kind that viewers do not know."
        yield _build_refused_verdict("notebook", Fault("notebook_form", told, "not_checkable"))


def _holds_card(value: object, outputs: Collection[int]) -> bool:
    """Tell whether a card stands in a value, but for the data of outputs."""
    if isinstance(value, list):
        return any(_holds_card(each, outputs) for each in value)
    if not isinstance(value, dict):
        return False
    card = value.get(CARD_MIME)  # or how a card is shown, in the metadata of its output
    if isinstance(card, dict) and "digests" in card and id(value) not in outputs:
        return True
    return any(_holds_card(each, outputs) for key, each in value.items() if key != CARD_MIME)


def _is_known_cell(cell: dict[str, Any]) -> bool:
    kinds = [output.get("output_type") for output in cell.get("outputs", ())]
    return cell.get("cell_type") in CELL_TYPES and all(kind in [*OUTPUT_TYPES] for kind in kinds)


def _check_cell(output: Output, cells: Sequence[Mapping[str, Any]], *, is_stated: bool) -> Iterator[Check]:
    """Yield the check of the cell that a card stands below: it has the source that the card's statement names."""
    if output.cell is None:
        told = "A widget holds the card: its layout and the viewer decide whether it is shown."
        yield Check("cell", "not_checkable", "in_widget", told)
    elif is_stated:
        place = open_outcome(open_receipt(output.card["receipt"]).sealed.payload)["predicate"]["place"] or {}
        if isinstance(place.get("source"), str):
            yield _run_check("cell", _require_source, place, output, cells)


def _require_source(place: Mapping[str, Any], output: Output, cells: Sequence[Mapping[str, Any]]) -> None:
    if _hash_source(output.cell or {}) == place["source"]:
        return
    sources = {at: _hash_source(cell) for at, cell in enumerate(cells, 1) if cell.get("cell_type") == OUTPUT_CELL}
    other = next((at for at, source in sources.items() if source == place["source"]), None)
    if other is not None and (output.cell_id is None or output.cell_id != place.get("cell")):
        raise Fault("card_of_another_cell", f"The source of cell {other} gave this result.", "not_checkable")
    raise Fault("cell_edited", "The cell does not have the source that gave this result.", "not_checkable")


def _hash_source(cell: Mapping[str, Any]) -> str | None:
    source = _join_lines(cell.get("source"))
    return None if source is None else _hash(source).hex()


def _check_order(output: Output, met: dict[str, tuple[int, str]], *, is_logged: bool) -> Check:
    """Build the check of a card's place among the others, where none is sealed: what can be seen of it is named.

    `met` has of each ledger its newest entry so far and where that stands, and of each card where it stood first.
    """
    cause, told = "not_sealed", "No seal holds the cards of this notebook."
    if is_logged:
        receipt = open_receipt(output.card["receipt"])
        ledger, entry = open_checkpoint(receipt.checkpoint).checkpoint.origin, (receipt.index, output.subject)
        newest, above = met.setdefault(ledger, entry)
        met[ledger] = entry if entry[0] > newest else (newest, above)
        if entry[0] < newest:
            cause, told = "card_out_of_order", f"It was recorded before {above}."
    _, first = met.setdefault(compute_card_digest(output.card) or "", (0, output.subject))
    if first != output.subject:
        cause, told = "card_repeated", f"It repeats {first}."
    return Check("cards", "not_checkable", cause, told)


def _is_face(data: Mapping[str, Any]) -> bool:
    """Tell whether an output is marked as another form of a card: `Card of service_nb 0.1.0`."""
    texts = (_join_lines(data.get(kind)) for kind in ("text/html", "text/markdown", "text/latex", "text/plain"))
    return any(FACE.search(text or "") for text in texts)


def _join_lines(value: object) -> str | None:
    """Join a text that notebooks keep whole or as a list of lines; None if it is no text."""
    lines: list[Any] = value if isinstance(value, list) else [value]
    return "".join(lines) if all(isinstance(line, str) for line in lines) else None


def _check_seal(seal: object, cards: Sequence[object], anchors: Anchors) -> Iterator[Check]:
    """Yield the checks of the signed list of a notebook's cards."""
    try:
        sealed, key, listed = _open_seal(seal)
    except Fault as fault:
        yield Check("form", "failed", "index_malformed", fault.message)
        return
    yield Check("form")
    yield (signed := _run_check("signature", _require_signed, sealed, key, anchors, "this index"))
    if signed.status == "passed":
        yield _run_check("signer", _require_trusted, [key], anchors)
        yield _run_check("cards", _require_cards, listed, [compute_card_digest(card) for card in cards])


def _open_seal(seal: Any) -> tuple[Sealed, bytes, list[dict[str, Any]]]:
    bad = "index_malformed"
    _require_form(seal, "NotebookSeal", bad, "index")
    sealed = open_envelope(seal["envelope"])
    _require(sealed.signature, bad, "The index is malformed: it is not signed.")
    statement = _open_statement(sealed.payload, bad)
    _require(statement["predicateType"] == INDEX_TYPE, bad, "The index is malformed: its statement is of another type.")
    _require_form(statement["predicate"], "IndexPredicate", bad, "predicate of the index")
    listed: list[dict[str, Any]] = statement["predicate"]["cards"]
    is_it = statement["subject"] == {"cards": _hash(write_canonical(listed)).hex()}
    _require(is_it, bad, "The index is malformed: its subject is not the list of cards that it holds.")
    return sealed, _decode_raw(seal["public_key"]), listed


def _require_cards(listed: list[dict[str, Any]], met: list[str | None]) -> None:
    sealed = [card["digest"] for card in listed]
    told = f"{len(sealed)} cards were sealed, and {len(met)} are here."
    _require(len(met) >= len(sealed), "card_missing", f"{told}{_name_missing(listed, met)}")
    _require(len(met) <= len(sealed), "card_added", told)
    if sorted(sealed) != sorted(digest or "" for digest in met):
        at = next(at for at, (left, right) in enumerate(zip(sealed, met, strict=True), 1) if left != right)
        raise Fault("card_replaced", f"A card is not one that was sealed; the first that differs is card {at}.")
    _require(met == sealed, "card_moved", "The cards are those that were sealed, in another order.")


def _name_missing(listed: list[dict[str, Any]], met: list[str | None]) -> str:
    """Name the first sealed card that is not here, as the index names it: its number, kind, id and cell."""
    left = Counter(met)
    for number, card in enumerate(listed, 1):
        if not left[card["digest"]]:
            named = " ".join(card[name] for name in ("kind", "id") if card[name])
            place = f", below the cell {card['cell']}." if card["cell"] else "."
            return f" Not here is card {number}: {named}{place}"
        left[card["digest"]] -= 1
    return ""


def compute_card_digest(card: object) -> str | None:
    """Return the digest under which a seal lists a card; None if it has no digests, and so cannot be listed."""
    digests = card.get("digests") if isinstance(card, dict) else None
    is_listed = isinstance(digests, dict) and all(isinstance(each, str) for each in digests.values())
    return _hash(write_canonical(digests)).hex() if is_listed else None


# --- cards ------------------------------------------------------------------------------------------------------------


class CardCheck(NamedTuple):
    """A check of a card. `test` takes the card, its opened receipt and the anchors; it raises `Fault`, or says more."""

    name: str
    test: Callable[[dict[str, Any], Any, Anchors], object]
    kinds: Collection[str] = tuple(KINDS)
    needs_receipt: bool = False


def check_card(card: Any, anchors: Anchors = Anchors()) -> Iterator[Check]:  # noqa: B008  immutable
    """Yield the checks of a parsed card: `form`, its digests, then CARD_CHECKS."""
    yield (form := _run_check("form", require_card, card))
    if form.status != "passed":
        return
    yield from (_run_check(name, _require_digest, name, card) for name in _list_digest_names(card))
    receipt: OpenedReceipt | None = None
    for name, test, kinds, needs_receipt in CARD_CHECKS:
        if card["kind"] not in kinds or (needs_receipt and receipt is None):
            continue
        yield (made := _run_check(name, test, card, receipt, anchors))
        if name == "signature" and made.status == "passed":
            receipt = open_receipt(card["receipt"])


def require_card(card: Any) -> None:
    """Require that a parsed value has the form of a card.

    The causes are tried in this order: numbers and depth, the keys and the types of `version` and `kind`, their values,
    then everything else.
    """
    bad = "malformed_card"
    _require_json(card)
    _require_form(card, dict.fromkeys(SHAPES["Card"], "any") | {"version": "Whole", "kind": "text"}, bad, "card")
    _require(card["version"] == 1, "unknown_version", f"The card is of version {card['version']}; known here is 1.")
    _require(card["kind"] in KINDS, "unknown_kind", f"The card is of a kind that is none of {', '.join(KINDS)}.")
    _require_form(card, "Card", bad, "card")
    has_rows = isinstance(card["view"].get("rows", []), list)
    _require(has_rows, bad, "The card is malformed: the rows of its view are no list.")
    digests = {name: "ContractHash" if name == "contract_hash" else "Hash" for name in _list_digest_names(card)}
    _require_form(card["digests"], digests, bad, "list of the card's digests")
    texts = KINDS[card["kind"]][0]
    told = f"The card is malformed: its canonical texts are not among {', '.join(sorted(texts))}."
    _require(card["canonical"].keys() <= set(texts), bad, told)


def _require_json(value: Any, depth: int = 0) -> None:
    """Hold a value to what every reader and writer of JSON keeps as it is, also one that was never JSON."""
    kind = type(value)
    if kind is str:
        _require(value.isascii() or not _HALF.search(value), "malformed_json", "A text holds half of a surrogate pair.")
    elif kind is int:
        told = "An integer is beyond 2**53 - 1, and other readers would round it."
        _require(abs(value) <= MAX_INTEGER, "unsafe_number", told)
    elif kind is dict or kind is list:
        _require(depth < MAX_DEPTH, "too_deep", f"Objects and lists are nested deeper than {MAX_DEPTH}.")
        for key in value if kind is dict else ():
            _require_json(key if isinstance(key, str) else object())
        for item in value.values() if kind is dict else value:
            _require_json(item, depth + 1)
    elif kind is float:
        _require(math.isfinite(value), "unsafe_number", "A number is not finite.")
    elif kind is not bool and value is not None:
        raise Fault("malformed_json", f"A value is of type {kind.__name__}, which JSON does not have.")


def _list_digest_names(card: dict[str, Any]) -> list[str]:
    return [*KINDS[card["kind"]][1], "view_hash", *(["rows_hash"] if "rows" in card["view"] else [])]


OBJECTS = ("plan_hash", "invocation_hash", "refusal_hash")  # no other text can be a plan, an identity, a resolution


def _require_digest(name: str, card: dict[str, Any]) -> None:
    texts, digests, view, met = card["canonical"], card["digests"], card["view"], None
    domain, chained, hashed = HASHED.get(name, ("", "", (QUOTED[name],) if name in QUOTED else ()))
    missing = [text for text in hashed if text not in texts]
    _require(not missing, "text_not_kept", f"The card does not hold its {''.join(missing[:1])}.", "not_checkable")
    if name == "view_hash":
        met = _hash("service:view:v1\0" + write_canonical({key: view[key] for key in view if key != "rows"})).hex()
    elif name == "rows_hash":
        met = _hash("service:rows:v1\0" + write_canonical(view["rows"])).hex()
        is_kept = view["rows"] or met == digests[name]
        _require(is_kept, "rows_not_kept", "The rows were taken out of the card; their hash is left.", "not_checkable")
    elif name in QUOTED:
        met = (read_object(texts[hashed[0]]) or {}).get(name)
    elif name in OBJECTS and read_object(texts[hashed[-1]]) is None:
        raise Fault(f"{name}_mismatch", "The text is no object in strict JSON.")
    elif name == "refusal_hash":
        resolution = read_object(texts["resolution"]) or {}
        if write_canonical(resolution) == texts["resolution"]:
            codes = write_canonical({key: resolution[key] for key in resolution if key != "reason"})
            met = _hash(f"{domain}{texts['spec']}\0{codes}").hex()
        older = _hash(f"service:refusal:v1\0{texts['spec']}\0{texts['resolution']}").hex()
        _require(older != digests[name], "older_form", "An earlier version hashed its sentence too.", "not_checkable")
    else:
        met = _hash(domain + digests.get(chained, "") + "\0".join([texts[each] for each in hashed])).hex()
    if met != digests[name]:
        stated, given = _shorten(digests[name]), _shorten(met if isinstance(met, str) else "none")
        raise Fault(f"{name}_mismatch", f"Recorded {stated}, found different content ({given}).")


def _shorten(digest: str) -> str:
    digest = digest.removeprefix("sha256:")
    return f"{digest[:12]}…" if len(digest) > 12 else digest


@lru_cache(maxsize=8)  # several checks of a card read the same texts, one after the other
def read_text(text: str) -> Any:
    """Return the value of a hashed text; None if it is not strict JSON."""
    try:
        return parse_json(text.encode())
    except Fault:
        return None


def read_object(text: str) -> dict[str, Any] | None:
    """Return the object that a text is in strict JSON; None if it is something else."""
    found = read_text(text)
    return found if isinstance(found, dict) else None


def _require_kind(card: dict[str, Any], *_: object) -> None:
    kind, view = card["kind"], card["view"]
    due, status = KINDS[kind][2], view.get("status")
    is_due = isinstance(status, str) and status in due
    _require(is_due, "kind_contradicted", f"The view of a {kind} does not show {' or '.join(sorted(due))}.")
    count = view.get("row_count")
    is_counted = kind != "query" or (is_whole(count) and count >= len(view.get("rows", ())))
    _require(is_counted, "kind_contradicted", "The view shows more rows than it counts.")


def _require_contract(card: dict[str, Any], _: object, anchors: Anchors) -> None:
    stated = card["digests"]["contract_hash"]
    _require(anchors.contracts, "no_known_contracts", "No contract was given to compare with.", "not_checkable")
    told = f"It was computed under the contract {_shorten(stated)}."
    _require(stated in anchors.contracts, "contract_unknown", told, "not_checkable")


# --- what a card shows: each leaf of its view is derived from the hashed texts, or is the author's word ---------------

NO_ROWS = hashlib.sha256(b"service:rows:v1\0[]").hexdigest()
AUTHORS_WORDS = {"latency_ms", "query_id", "request_id"}  # an id is compared with the statement, where there is one
MOST_SHOWN, MOST_LISTED, MOST_ITEMS, MOST_CHARS = 20, 10, 8, 60
PHYSICAL = {"int64": "number", "float64": "number"} | {k: k for k in ("string", "boolean", "date", "datetime")}
OPERATOR_SIGNS = {"eq": ("=", "="), "ne": ("≠", "!="), "gt": (">", ">"), "gte": ("≥", ">="), "lt": ("<", "<")} | {
    "lte": ("≤", "<="), "contains": ("contains", "contains"), "starts_with": ("starts with", "starts with")
}  # fmt: skip
KEYWORDS = {
    "by", "from", "where", "order", "limit", "asc", "desc", "and", "or", "not", "in", "between", "is", "null",
    "contains", "starts_with", "during", "true", "false",
}  # fmt: skip
CERTIFIED = (
    "The value is proven to be the correctly rounded result of the formula for exactly these arguments: the same on "
    "every machine."
)
PINNED = "The value has the same bits wherever the pinned runtime runs"
UNPINNED = "This run was not inside the pinned runtime: the last digits may depend on libraries and processor."


def _require_shown(card: dict[str, Any], *_: object) -> None:
    """Require that every leaf of a card's view follows from its texts."""
    derive, view, texts = SHOWN[card["kind"]], card["view"], card["canonical"]
    missing = [name for name in KINDS[card["kind"]][4] if name not in texts]
    _require(not missing, "shown_not_kept", f"the card does not hold its {', '.join(missing)}", "not_checkable")
    told = {name: read_text(text) for name, text in texts.items()}
    due, is_whole = derive(told, card)
    is_emptied = view.get("rows") == [] and card["digests"]["rows_hash"] != NO_ROWS  # which says that there were some
    for name in sorted(view.keys() | due.keys()):
        if name in AUTHORS_WORDS & due.keys() & view.keys():
            _require(_fits(view[name], ("or", "scalar", "null")), "shown_differs", f"{name} is no text and no number")
        elif name not in due or name not in view:
            raise Fault("shown_differs", f"{name} is {'not recorded' if name in view else 'not shown'}")
        elif name != "rows" or (is_whole and not is_emptied):
            _require_same(name, view[name], due[name])
    kept, total = len(view.get("rows", ())), view.get("row_count")
    is_part = isinstance(total, int) and total > kept
    met = f"{kept:,} of {total:,} rows kept" if is_part else "the card does not hold what its rows show"
    _require(is_whole or not kept, "shown_not_kept", met, "not_checkable")


def _require_same(path: str, shown: object, recorded: object) -> None:
    if not _is_same(shown, recorded):
        raise Fault("shown_differs", _describe_difference(path, shown, recorded))


def _describe_difference(path: str, shown: object, recorded: object) -> str:
    """Describe the first leaf that differs: its path, the shown value and the recorded one."""
    if isinstance(shown, dict) and isinstance(recorded, dict):
        for key in sorted(shown.keys() | recorded.keys()):
            if key not in shown or key not in recorded or not _is_same(shown[key], recorded[key]):
                return _describe_difference(f"{path}.{key}", shown.get(key), recorded.get(key))
    if isinstance(shown, list) and isinstance(recorded, list):
        for at in range(max(len(shown), len(recorded))):
            ours, theirs = shown[at : at + 1], recorded[at : at + 1]
            if not _is_same(ours, theirs):
                return _describe_difference(f"{path}[{at}]", *(ours or [None]), *(theirs or [None]))
    return f"{path}: shown {_shorten_json(shown)}, recorded {_shorten_json(recorded)}"


def _shorten_json(value: object) -> str:
    text = write_canonical(value)
    return text if len(text) <= 80 else f"{text[:79]}…"


def _is_same(left: object, right: object) -> bool:
    """Tell whether two JSON values are the same; 1 and 1.0 are, 1 and true are not."""
    if isinstance(left, str) or left is None:
        return bool(left == right)
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_is_same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_is_same, left, right))
    return (type(left) is type(right) or (_is_number(left) and _is_number(right))) and bool(left == right)


def _require_shape(value: object, shape: object, what: str) -> Any:
    _require(_fits(value, shape), "shown_differs", f"its {what} has another form")
    return value


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_NULLARY, _LISTS = ("is_null", "is_not_null"), ("in", "not_in", "between")


def _derive_query(told: dict[str, Any], card: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    if isinstance(told["plan"], dict) and "inspect" in told["plan"]:
        return _derive_inspection(told)
    plan = _require_shape(told["plan"], "PlanText", "plan")
    how = _require_shape(told["provenance"], "AnswerProvenance", "provenance")
    (source,) = how["sources"]
    _require_keys_of_plan(plan)
    names = _list_result_columns(plan)
    _require([each["name"] for each in how["columns"]] == names, "shown_differs", f"columns: the plan gives {names}")
    _require_columns(plan, how["columns"])
    _require(source["schema_revision"] == plan["schema_revision"], "shown_differs", "the source has another schema")
    rows = []
    if "result" in told:
        rows = _require_shape(told["result"], ["object"], "result")
        _require_result(plan, how, rows)
    _require_used_rows(plan, how, rows if "result" in told else None)
    words = {
        "question": _describe_plan(plan, source["name"]),
        "ask": _derive_ask_line(plan, source["name"], card["view"].get("ask")),
        "plan": _list_steps(plan, source),
    }
    return _derive_answer(how, rows, words), "result" in told


def _derive_ask_line(plan: dict[str, Any], source_name: str, shown: object) -> str:
    """Format the ask line of a plan: without the order by the first measure, which a question has by itself.

    Of a first key that is a period or a bin, and no limit, the default is the order of the keys, so the line says so.
    Older cards, of a time when it was not, leave it out there, too.
    """
    spec = plan | {"source_name": source_name}
    short = _format_ask_line({key: value for key, value in spec.items() if key != "order"})
    if plan["order"] != "desc" or "order_by" in plan:
        return _format_ask_line(spec)
    keys = plan.get("group_by", ())
    is_series = bool(keys) and not isinstance(keys[0], str) and "limit" not in plan
    return _format_ask_line(spec) if is_series and shown != short else short


def _derive_answer(how: dict[str, Any], rows: list[dict[str, Any]], words: dict[str, Any]) -> dict[str, Any]:
    (source,), names = how["sources"], [each["name"] for each in how["columns"]]
    due = {key: how[key] for key in ("columns", "decision_path", "engine", "method", "row_count")}
    due |= {key: how[key] for key in ("used_rows", "dropped", "reading_notes") if key in how}
    return (
        due
        | words
        | {
            "status": "ok",
            "source": {key: value for key, value in source.items() if key != "origin"},
            "notes": [f"{name}: {text}" for name, text in sorted(how["notes"].items())],
            "rows": [[_format_exact(row[name]) for name in names] for row in rows[: int(how["shown_rows"])]],
            "query_id": None,
            "latency_ms": None,
        }
    )


def _list_result_columns(plan: dict[str, Any]) -> list[str]:
    names, several = _name_keys(plan), "measures" in plan
    for each in _list_measures(plan):
        if "metric" in each:
            name = _name_measure(each)
            names.append(_find_free_name(names, name if several else each["metric"], name))
    return [*names, _find_free_name(names, "count", "row_count")]


def _name_measure(measure: dict[str, str]) -> str:
    short = f"p{measure['percent'].replace('.', '_')}" if "percent" in measure else measure["aggregation"]
    return f"{short}_{measure['metric']}"


def _require_keys_of_plan(plan: dict[str, Any]) -> None:
    """Hold the plan to its form: one aggregation or several measures, and of a computed key a unit or a width."""
    several = plan.get("measures")
    is_one = several is None and "aggregation" in plan
    is_several = several is not None and len(several) > 1 and not {"aggregation", "metric", "percent"} & plan.keys()
    _require(is_one or is_several, "shown_differs", "the plan has one aggregation, or several measures")
    for each in _list_measures(plan):
        is_asked = "metric" in each or each["aggregation"] == "count"
        _require(is_asked, "shown_differs", "the plan names no metric")
        is_due = "{percent}" in AGGREGATIONS[each["aggregation"]][0]
        _require(("percent" in each) == is_due, "shown_differs", "percentiles have a percent, and nothing else has")
    keys = [key for key in plan.get("group_by", ()) if not isinstance(key, str)]
    is_key = all(("unit" in key) != ("width" in key) and ("unit" in key or "zone" not in key) for key in keys)
    _require(is_key, "shown_differs", "the plan has a group key of neither a unit nor a width")
    _require_having(plan)
    is_ordered = plan.get("order_by", _list_result_columns(plan)[-1]) in _list_result_columns(plan)
    _require(is_ordered, "shown_differs", "the plan orders by no column of its result")


def _require_having(plan: dict[str, Any]) -> None:
    """Hold conditions on measures to those that the plan asks for, and to groups; the rows are always counted."""
    asked = [_read_measure(each) for each in _list_measures(plan)]
    compared = [_read_measure(each) for each in _list_leaves(plan.get("having", {}).get("conditions", ()))]
    is_asked = all(each in (*asked, {"aggregation": "count"}) for each in compared)
    _require(is_asked, "shown_differs", "the plan has a condition on what it does not ask for")
    is_grouped = bool(plan.get("group_by")) or not compared
    _require(is_grouped, "shown_differs", "the plan has conditions on groups, and no groups")


def _read_measure(form: dict[str, Any]) -> dict[str, Any]:
    return {key: form[key] for key in ("aggregation", "metric", "percent") if key in form}


def _list_leaves(trees: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    found = []
    for tree in trees:
        joiner = _find_joiner(tree)
        found += [tree] if joiner is None else _list_leaves(tree[joiner])
    return found


def _list_measures(plan: dict[str, Any]) -> list[dict[str, str]]:
    listed: list[dict[str, str]] = plan.get("measures") or [plan]
    return listed


def _name_keys(plan: dict[str, Any]) -> list[str]:
    keys = plan.get("group_by", ())
    taken, names = {key for key in keys if isinstance(key, str)}, []
    for key in keys:
        name = key
        if not isinstance(key, str):
            name = f"{key['column']}_{key.get('unit', 'bin')}"
            name = _find_free_name([*taken], name, name)
        taken.add(name)
        names.append(name)
    return names


def _find_free_name(taken: Sequence[str], first: str, second: str) -> str:
    name = first if first not in taken else second
    while name in taken:
        name += "_"
    return name


def _require_columns(plan: dict[str, Any], columns: list[dict[str, str]]) -> None:
    """Hold the columns of a result to the plan: what each is for, and the types that follow from the aggregation."""
    keys = plan.get("group_by", ())
    metrics = [each["aggregation"] for each in _list_measures(plan) if "metric" in each]
    roles = ["key"] * len(keys) + ["metric"] * len(metrics) + ["count"]
    for column, role, key, aggregation in zip(
        columns, roles, [*keys, *[None] * (len(metrics) + 1)], [*[None] * len(keys), *metrics, "count"], strict=True
    ):
        is_decimal = re.fullmatch(r"decimal\([0-9]{1,2},[0-9]{1,2}\)", column["physical"], re.ASCII)
        type_ = "number" if is_decimal else PHYSICAL.get(column["physical"])
        is_right = column["role"] == role and column["type"] == type_
        if isinstance(key, dict):
            is_right = is_right and type_ == ("date" if "unit" in key else "number")
        if aggregation is not None:
            _, _, held, types = AGGREGATIONS[aggregation]
            is_right = is_right and type_ in types and held in (None, column["physical"])
        is_period = isinstance(key, dict) and "unit" in key
        of_zones = [None, "UTC"] if is_period or type_ == "datetime" else [None]  # of instants, which no plan tells
        if isinstance(key, dict) and "zone" in key:
            of_zones = [key["zone"]]
        is_right = is_right and column.get("zone") in of_zones
        what = "its role, its type or its zone"
        _require(is_right, "shown_differs", f"column {column['name']}: {what} is not that of the plan")


def _require_result(plan: dict[str, Any], how: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    """Hold the rows of a result to the plan: their number, their columns and types, their order, no key twice."""
    columns, limit = how["columns"], plan.get("limit", len(rows))
    names = {each["name"] for each in columns}
    _require_same("row_count", how["row_count"], len(rows))
    is_within = len(rows) <= limit and (plan.get("group_by") or len(rows) == 1)
    _require(is_within, "shown_differs", "the plan gives fewer rows")
    is_row = all(row.keys() == names for row in rows)
    _require(is_row, "shown_differs", "a row of the result does not have the columns of the plan")
    ranks, width, place = [], len(plan.get("group_by", ())), _find_order_place(plan)
    for row in rows:
        cells = [_rank(row[each["name"]], each["physical"]) for each in columns]
        ranks.append((cells[place], cells[:width]))
    is_desc = plan["order"] == "desc"
    for (left, first), (right, second) in pairwise(ranks):
        is_before = left[0] < right[0] or (left[0] == right[0] == 0 and (left > right if is_desc else left < right))
        is_tie = left == right and first < second
        _require(is_before or is_tie, "shown_differs", "the rows of the result are not in the order of the plan")
    keys_met = {repr(keys) for _, keys in ranks}
    _require(len(keys_met) == len(rows), "shown_differs", "the result has two rows of one group")
    is_kept = _build_group_test("all", plan.get("having", {}).get("conditions", ()), plan, columns)
    _require(
        all(map(is_kept, rows)), "shown_differs", "a row of the result does not meet the plan's conditions on groups"
    )


GroupTest = Callable[[dict[str, Any]], bool]


def _build_group_test(
    joiner: str, trees: Sequence[dict[str, Any]], plan: dict[str, Any], columns: list[dict[str, str]]
) -> GroupTest:
    """Build the test of conditions on groups, which a row of the result meets or not."""
    tests = []
    for tree in trees:
        inner = _find_joiner(tree)
        if inner is None:
            tests.append(_build_test(tree, plan, columns))
        else:
            tests.append(_build_group_test(inner, tree[inner], plan, columns))
    meets = all if joiner == "all" else any
    return lambda row: meets(test(row) for test in tests)


def _build_test(condition: dict[str, Any], plan: dict[str, Any], columns: list[dict[str, str]]) -> GroupTest:
    """Build the test of a condition on one measure: a null meets `is_null` alone, and NaN equals nothing."""
    metrics = [_read_measure(each) for each in _list_measures(plan) if "metric" in each]
    column = columns[-1]
    if "metric" in condition:
        column = columns[len(plan.get("group_by", ())) + metrics.index(_read_measure(condition))]
    name, physical, op = column["name"], column["physical"], condition["op"]
    if op in _NULLARY:
        return lambda row: (row[name] is None) == (op == "is_null")
    is_fitting = column["type"] == "string" or op not in _TEXT_TESTS
    _require(is_fitting, "shown_differs", f"a condition on groups does not fit {name}")
    listed = condition["values"] if op in _LISTS else [condition["value"]]
    operands = [_read_operand(value, physical) for value in listed]

    def is_met(row: dict[str, Any]) -> bool:
        rank, value = _rank(row[name], physical)
        if rank:
            return rank == 1 and op in ("ne", "not_in")
        if op == "between":
            return bool(operands[0] <= value <= operands[1])
        if op in _LISTS:
            return (value in operands) is (op == "in")
        return bool(_TESTS[op](value, operands[0]))

    return is_met


_TEXT_TESTS: Mapping[str, Callable[[Any, Any], bool]] = {"contains": operator.contains, "starts_with": str.startswith}
_TESTS: Mapping[str, Callable[[Any, Any], bool]] = {
    "eq": operator.eq, "ne": operator.ne, "gt": operator.gt, "gte": operator.ge, "lt": operator.lt, "lte": operator.le,
    **_TEXT_TESTS,
}  # fmt: skip


def _read_operand(value: Any, physical: str) -> Any:
    """Read what values of a result are compared with: doubles with a number, others with a text or a whole number."""
    if _is_number(value):
        is_whole_number = abs(value) <= MAX_INTEGER and value == int(value)
        is_fitting = physical == "float64" or (PHYSICAL.get(physical, "number") == "number" and is_whole_number)
        _require(is_fitting, "shown_differs", "a condition on groups compares with another type")
        return Fraction(value)
    is_read = isinstance(value, str) and physical != "float64"
    _require(is_read, "shown_differs", "a condition on groups compares with another type")
    return _rank(value, physical)[1]


def _require_used_rows(plan: dict[str, Any], how: dict[str, Any], rows: list[dict[str, Any]] | None) -> None:
    """Hold the numbers of rows that were used, and of nulls left out, to the plan, its source and its result."""
    used, dropped, (source,) = how.get("used_rows", 0), how.get("dropped", {}), how["sources"]
    is_within = used <= source["row_count"] or source["content"].get("algorithm") == "live"
    if rows is not None and "used_rows" in how:
        counted = sum(_rank(row[how["columns"][-1]["name"]], "int64")[1] for row in rows)
        is_within = is_within and (counted <= used if "limit" in plan or "having" in plan else counted == used)
    _require(is_within, "shown_differs", "it counts other rows than the result")
    metrics = {each.get("metric") for each in _list_measures(plan)}
    is_null_count = all(name in metrics and 0 < count <= used for name, count in dropped.items())
    _require(is_null_count, "shown_differs", "it leaves out nulls of no measured column, or too many")


def _find_order_place(plan: dict[str, Any]) -> int:
    """Find the column that a result is ordered by: the one that is named, or that of the first measure."""
    names = _list_result_columns(plan)
    if "order_by" in plan:
        return names.index(plan["order_by"])
    return len(plan.get("group_by", ())) if "metric" in _list_measures(plan)[0] else -1


def _rank(value: Any, physical: str) -> tuple[int, Any]:
    """Build the sort key of a result's value: numbers exactly, then NaN, then null; text by code point."""
    if value is None:
        return 2, 0
    if physical == "boolean":
        _require(isinstance(value, bool), "shown_differs", "a value of the result is not of its column's type")
        return 0, value
    if physical not in ("int64", "float64") and not physical.startswith("decimal"):
        _require(isinstance(value, str), "shown_differs", "a value of the result is not of its column's type")
        return 0, value
    if physical == "float64" and value in ("NaN", "Infinity", "-Infinity"):
        return (1, 0) if value == "NaN" else (0, float(value))
    is_digits = isinstance(value, str) and re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", value, re.ASCII) is not None
    is_int = physical == "int64" and type(value) is int
    is_number = _is_number(value) if physical == "float64" else is_digits or is_int
    _require(is_number, "shown_differs", "a value of the result is not of its column's type")
    return 0, Fraction(value)


def _format_exact(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return write_canonical(value)


# --- what shows a source: its first rows, or what its columns hold ----------------------------------------------------

PROFILE_COLUMNS = (
    *((name, "string", "string", "key") for name in ("column", "type", "physical")),
    *((name, "number", "int64", "count") for name in ("rows", "nulls", "distinct")),
    *((name, "string", "string", "key") for name in ("minimum", "maximum")),
    ("distribution", "string", "counts", "key"),
)
PROFILE_STEPS = (
    "Count the nulls and the different values of each column, and find its extremes",
    "Count the values in bins between round numbers or dates; of text and truth the most frequent values",
)


def _derive_inspection(told: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    plan = _require_shape(told["plan"], "InspectionText", "plan")
    how = _require_shape(told["provenance"], "AnswerProvenance", "provenance")
    (source,), columns, is_preview = how["sources"], how["columns"], plan["inspect"] == "preview"
    _require(is_preview == ("limit" in plan), "shown_differs", "the plan limits rows that it does not show")
    is_live = source["content"].get("algorithm") == "live"
    _require((is_preview and is_live) == ("order" in plan), "shown_differs", "the plan has not the order of its source")
    _require(source["schema_revision"] == plan["schema_revision"], "shown_differs", "the source has another schema")
    _require(not {"used_rows", "dropped"} & how.keys(), "shown_differs", "it counts rows of a question")
    fields = columns
    for column in columns if is_preview else ():
        is_decimal = re.fullmatch(r"decimal\([0-9]{1,2},[0-9]{1,2}\)", column["physical"], re.ASCII)
        is_right = column["type"] == ("number" if is_decimal else PHYSICAL.get(column["physical"]))
        _require(
            is_right and column["role"] == "key", "shown_differs", f"column {column['name']}: its type or its role"
        )
    rows = []
    if "result" in told:
        rows = _require_shape(told["result"], ["object"], "result")
        fields = _require_inspected(plan, how, rows)
    if not is_preview:
        due = [dict(zip(("name", "type", "physical", "role"), each, strict=True)) for each in PROFILE_COLUMNS]
        _require_same("columns", columns, due)
    if is_preview or "result" in told:
        schema = write_canonical([{"name": each["name"], "type": each["type"]} for each in fields])
        is_schema = _hash("service:schema:v1\0" + schema).hex() == plan["schema_revision"]
        _require(is_schema, "shown_differs", "the columns are not those of the schema")
    name = source["name"]
    size = "" if is_live else f"{int(source['row_count']):,} rows, "
    steps = [f"Read {name} ({size}schema {plan['schema_revision'][:12]})"]
    line = f"%service_{plan['inspect']} {_format_ask_name(name)}"
    if is_preview:
        limit = int(plan["limit"])
        order = "in ascending order of all columns, nulls last" if "order" in plan else "in the order of the source"
        steps.append(f"Keep the first {limit:,} rows {order}")
        words = {"question": f"First {limit:,} rows of {name}", "ask": f"{line} --rows {limit}", "plan": steps}
    else:
        steps.append("Count the nulls and the different values of each column, and find its extremes")
        steps.append(
            "Count the values in bins between round numbers or dates; of text and truth the most frequent values"
        )
        words = {"question": f"Profile of {name}", "ask": line, "plan": steps}
    return _derive_answer(how, rows, words), "result" in told


def _require_inspected(plan: dict[str, Any], how: dict[str, Any], rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Hold the rows of an inspection to its plan and its source, a live one of which changes; return its columns."""
    columns, source = how["columns"], how["sources"][0]
    total, is_live = int(source["row_count"]), source["content"].get("algorithm") == "live"
    names = {each["name"] for each in columns}
    _require_same("row_count", how["row_count"], len(rows))
    _require(all(row.keys() == names for row in rows), "shown_differs", "a row does not have the columns of the plan")
    ranks = [[_rank(row[each["name"]], each["physical"]) for each in columns] for row in rows]
    if plan["inspect"] == "preview":
        most = int(plan["limit"])
        is_due = len(rows) <= most if is_live else len(rows) == min(most, total)
        _require(is_due, "shown_differs", "the plan gives another number of rows")
        is_ordered = "order" not in plan or all(first <= second for first, second in pairwise(ranks))
        _require(is_ordered, "shown_differs", "the rows of the result are not in the order of the plan")
        return [*columns]
    total = rows[0]["rows"] if is_live and rows else total
    for row in rows:
        _require(_is_counted(row, total), "shown_differs", f"column {row['column']}: its counts are not of its rows")
    return [{"name": row["column"], "type": row["type"]} for row in rows]


def _is_counted(row: dict[str, Any], total: int) -> bool:
    """Tell whether the counts of a profiled column fit the rows: its bins, or its frequent values, are some of them."""
    counts = read_text(row["distribution"] or "")
    is_list = isinstance(counts, list) and all(isinstance(each, list) and len(each) in (2, 3) for each in counts)
    if not is_list or not all(is_whole(row[key]) for key in ("rows", "nulls", "distinct")) or row["rows"] != total:
        return False
    if not all(is_whole(each[-1]) and all(isinstance(text, str) for text in each[:-1]) for each in counts):
        return False
    return bool(row["nulls"] + max(row["distinct"], sum(each[-1] for each in counts)) <= total)


# --- questions in words -----------------------------------------------------------------------------------------------


def _describe_plan(plan: dict[str, Any], source: str) -> str:
    told = [f"{_fill_in(each, 0)} {each.get('metric', 'rows')}" for each in _list_measures(plan)]
    words = ", ".join([told[0], *(each[0].lower() + each[1:] for each in told[1:])])
    if plan.get("group_by"):
        words += f" by {', '.join(_describe_key(key, str) for key in plan['group_by'])}"
    words += f" in {source}{_format_filter(plan)}"
    words += f" having {_describe_conditions(plan['having']['conditions'])}" if "having" in plan else ""
    return words + (f", first {int(plan['limit']):,}" if "limit" in plan else "")


def _fill_in(measure: dict[str, str], which: int) -> str:
    """Return the noun or the step of an aggregation with the percent in it."""
    return str(AGGREGATIONS[measure["aggregation"]][which]).replace("{percent}", measure.get("percent", ""))


def _describe_key(key: Any, write: Callable[[str], str]) -> str:
    if isinstance(key, str):
        return write(key)
    column = write(key["column"])
    if "unit" not in key:
        return f"{column} in bins of {key['width']}"
    return f"{key['unit']} of {column}" + (f" in {_format_zone(key['zone'])}" if "zone" in key else "")


def _format_zone(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z]+(/[A-Za-z0-9_+-]+)+", name) else _format_ask_name(name)


def _format_filter(plan: dict[str, Any]) -> str:
    conditions = plan.get("filter", {}).get("conditions", ())
    return f" where {_describe_conditions(conditions)}" if conditions else ""


def _describe_conditions(trees: Sequence[dict[str, Any]]) -> str:
    """Describe what holds of a row or a group: one condition or group, or several joined by and, groups in brackets."""
    joiner = _find_joiner(trees[0]) if len(trees) == 1 else None
    return _join_words(joiner, trees[0][joiner]) if joiner else _join_words("all", trees)


def _join_words(joiner: str, trees: Sequence[dict[str, Any]]) -> str:
    inside = []
    for tree in trees:
        inner = _find_joiner(tree)
        inside.append(f"({_join_words(inner, tree[inner])})" if inner else _describe_condition(tree))
    return _JOINERS[joiner].join(inside)


_JOINERS = {"all": " and ", "any": " or "}


def _find_joiner(tree: dict[str, Any]) -> str | None:
    return next((joiner for joiner in _JOINERS if joiner in tree), None)


def _list_steps(plan: dict[str, Any], source: dict[str, Any]) -> list[str]:
    is_live = source["content"].get("algorithm") == "live"
    size = "" if is_live else f"{int(source['row_count']):,} rows, "
    steps = [f"Read {source['name']} ({size}schema {plan['schema_revision'][:12]})"]
    if _format_filter(plan):
        steps.append("Keep the rows" + _format_filter(plan))
    groups = ", ".join(_describe_key(key, str) for key in plan.get("group_by", ()))
    each = " of each group" if groups else ""
    steps += [f"Group by {groups}"] if groups else []
    for measure in _list_measures(plan):
        metric, step = measure.get("metric"), _fill_in(measure, 1)
        steps.append(f"Count the rows{each}" if metric is None else step.replace("{of}", f"{metric}{each}"))
    if "having" in plan:
        steps.append(f"Keep the groups where {_describe_conditions(plan['having']['conditions'])}")
    if groups:
        direction = "descending" if plan["order"] == "desc" else "ascending"
        named = _list_result_columns(plan)[_find_order_place(plan)]
        key = plan.get("order_by") or (named if "measures" in plan else plan.get("metric", "count"))
        others = ", ".join(each for each in _name_keys(plan) if each != plan.get("order_by"))
        steps.append(f"Order by {key} {direction}, nulls last" + (f", ties by {others} ascending" if others else ""))
    return steps + ([f"Keep the first {int(plan['limit']):,} rows"] if "limit" in plan else [])


def _describe_condition(condition: dict[str, Any]) -> str:
    column, op = _write_left(condition, str), condition["op"]
    if op in _NULLARY:
        return f"{column} is {'not ' if op == 'is_not_null' else ''}null"
    if op in _LISTS:
        values = [*map(_format_ask_value, condition["values"])]
        if op == "between":
            return f"{column} is between {values[0]} and {values[1]}"
        more = f", … {len(values) - MOST_LISTED} more" if len(values) > MOST_LISTED else ""
        return f"{column} is {'one' if op == 'in' else 'none'} of {', '.join(values[:MOST_LISTED])}{more}"
    return f"{column} {OPERATOR_SIGNS[op][0]} {_format_ask_value(condition['value'])}"


def _format_ask_line(spec: dict[str, Any]) -> str:
    """Format the ask line of a recorded spec or plan."""
    filter_ = spec.get("filter", {})
    trees = filter_.get("conditions", ())
    is_alone = len(trees) == 1 and "time_filter" not in filter_
    conditions = [_format_ask_tree(tree, needs_brackets=not is_alone) for tree in trees]
    if "time_filter" in filter_:
        period = filter_["time_filter"]
        conditions.append(f"{_format_ask_name(period['column'])} during {period['period']}")
    kept = spec.get("having", {}).get("conditions", ())
    having = [_format_ask_tree(tree, needs_brackets=len(kept) > 1) for tree in kept]
    groups = ", ".join(_describe_key(key, _format_ask_name) for key in spec.get("group_by", ()))
    order = [f"by {_format_ask_name(spec['order_by'])}"] if "order_by" in spec else []
    order += [spec["order"]] if "order" in spec else []
    parts = [
        ", ".join(map(_format_ask_measure, _list_measures(spec))),
        f"by {groups}" if groups else "",
        f"from {_format_ask_name(spec['source_name'])}" if "source_name" in spec else "",
        f"where {' and '.join(conditions)}" if conditions else "",
        f"having {' and '.join(having)}" if having else "",
        " ".join(["order", *order]) if order else "",
        f"limit {int(spec['limit'])}" if "limit" in spec else "",
    ]
    return " ".join(part for part in parts if part)


def _write_left(condition: dict[str, Any], write: Callable[[str], str]) -> str:
    """Write what a condition is about: a column, or a measure."""
    return write(condition["column"]) if "column" in condition else _format_measure(condition, write)


def _format_ask_measure(measure: dict[str, str]) -> str:
    return _format_measure(measure, _format_ask_name)


def _format_measure(measure: dict[str, str], write: Callable[[str], str]) -> str:
    words = measure.get("aggregation", "<aggregation>")
    words += f" {measure['percent']} of" if "percent" in measure else ""
    return f"{words} {write(measure['metric'])}" if "metric" in measure else words


def _format_ask_tree(tree: dict[str, Any], *, needs_brackets: bool) -> str:
    joiner = _find_joiner(tree)
    if joiner is None:
        return _format_ask_condition(tree)
    text = _JOINERS[joiner].join(_format_ask_tree(part, needs_brackets=joiner == "all") for part in tree[joiner])
    return f"({text})" if needs_brackets and joiner == "any" else text


def _format_ask_condition(condition: dict[str, Any]) -> str:
    column, op = _write_left(condition, _format_ask_name), condition["op"]
    if op in _NULLARY:
        return f"{column} {op.replace('_', ' ')}"
    if op == "between":
        return f"{column} between {' and '.join(map(_format_ask_value, condition['values']))}"
    if op in _LISTS:
        return f"{column} {op.replace('_', ' ')} ({', '.join(map(_format_ask_value, condition['values']))})"
    value = condition["value"]
    if op in ("contains", "starts_with"):  # text stands there quoted, also if it looks like a date
        return f"{column} {OPERATOR_SIGNS[op][1]} {_quote_text(_format_exact(value) or '')}"
    return f"{column} {OPERATOR_SIGNS[op][1]} {_format_ask_value(value)}"


def _format_ask_name(name: str) -> str:
    is_plain = re.fullmatch(r"[^\W\d]\w*", name) and name.lower() not in KEYWORDS
    return name if is_plain else "`" + name.replace("`", "``") + "`"


def _format_ask_value(value: object) -> str:
    date = r"[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9:.]+(Z|[+-][0-9]{2}:[0-9]{2})?)?"
    if isinstance(value, str):
        return value if re.fullmatch(date, value) else _quote_text(value)
    return write_canonical(value)


def _quote_text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


# --- computations -----------------------------------------------------------------------------------------------------


def _derive_computation(told: dict[str, Any], card: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    entry = _require_shape(told["definition"], "Definition", "definition")["capability"]
    identity = _require_identity(told["identity"], "shown_differs")
    run = _require_shape(told["provenance"], "RunProvenance", "provenance")
    _require_run(entry, identity, run, card["digests"])
    result, is_whole = entry["result"], "value" in told
    if is_whole:
        _require(_is_value(told["value"], result), "shown_differs", "the value is not of the type of the result")
    value = told.get("value")
    due = {
        "status": "ok",
        "call": entry["id"],
        "question": _format_call(entry, identity, run["bindings"]),
        **{key: entry[key] for key in ("summary", "tier", "version")},
        **{key: entry[key] for key in ("grade",) if key in entry},
        **{key: run[key] for key in ("reading_notes",) if key in run},
        **{key: entry.get(key) for key in ("formula", "latex")},
        "citation": entry["source"],
        "columns": _list_value_columns(result),
        "rows": _list_value_rows(value, result) if is_whole else [],
        "row_count": len(value) if isinstance(value, list | dict) else 1,
        "value_type": _format_type(result),
        "promise": _describe_promise(entry["tier"], run["determinism"]),
        "bindings": run["bindings"],
        "determinism": run["determinism"],
        "scope": identity["execution_scope"],
        "request_id": None,
        "latency_ms": None,
    }
    return due if is_whole else due | {"row_count": card["view"].get("row_count")}, is_whole


def _require_run(entry: dict[str, Any], identity: dict[str, Any], run: dict[str, Any], digests: dict[str, str]) -> None:
    """Require that the record of a run fits the call."""
    stated = {"input_hash": digests["input_hash"], "tier": entry["tier"], "capability_version": entry["version"]}
    for name, value in stated.items():
        _require_same(f"determinism.{name}", run["determinism"].get(name), value)
    bindings = run["bindings"]
    given = [pair for each in bindings for pair in _list_inputs(each)]
    _require(len(dict(given)) == len(given), "shown_differs", "its bindings give a parameter twice")
    _require_same("bindings", dict(given), _read_bound(entry, identity))
    sources = {each["name"]: each["schema_revision"] for each in run["sources"]}
    read = {each["source_name"]: each.get("schema_revision") for each in bindings}
    is_read = len(sources) == len(run["sources"]) and sources == read
    _require(is_read, "shown_differs", "its sources are not those it read")
    sizes = {each["name"]: each["row_count"] for each in run["sources"]}
    counted = {each["source_name"]: each["source_rows"] for each in bindings if "source_rows" in each}
    _require(counted.items() <= sizes.items(), "shown_differs", "it counts other rows than its sources have")


def _list_inputs(binding: dict[str, Any]) -> list[tuple[str, str]]:
    """List the parameters that a binding gives, each with the hash of its column."""
    names, hashes = binding["parameters"], binding.get("input_hashes", [binding["input_hash"]])
    is_whole = len(names) == len(binding["fields"]) == len(hashes)
    _require(is_whole, "shown_differs", "a binding has not a column and a hash for each parameter")
    return list(zip(names, hashes, strict=True))


def _read_bound(entry: dict[str, Any], identity: dict[str, Any]) -> dict[str, str]:
    """Read which parameters are bound: those that are no literals, in their order; null stands for one that is not."""
    names = [each["name"] for each in entry["params"][len(identity["args"]) :]]
    free = [name for name in names if name not in identity["kwargs"]]
    pairs = zip(free, identity["resolved_bindings"], strict=False)
    return {name: each["input_hash"] for name, each in pairs if each is not None}


def _require_identity(identity: Any, cause: str) -> Any:
    """Require the identity of a call; one that earlier versions wrote is not compared with anything."""
    resolved = identity.get("resolved_bindings") if isinstance(identity, dict) else None
    is_older = isinstance(resolved, list) and any(isinstance(each, dict) and "source_name" in each for each in resolved)
    _require(not is_older, "older_form", "An earlier version wrote its identity.", "not_checkable")
    _require(_fits(identity, "CallIdentity"), cause, "its identity has another form")
    return identity


def _format_call(entry: dict[str, Any], identity: dict[str, Any], bindings: list[dict[str, Any]]) -> str:
    names = [each["name"] for each in entry["params"]]
    said = {name: _format_literal(value) for name, value in zip(names, identity["args"], strict=False)}
    said |= {name: _format_literal(value) for name, value in identity["kwargs"].items()}
    for binding in bindings:
        filtered = " (filtered)" if binding.get("filter") else ""
        for name, field in zip(binding["parameters"], binding["fields"], strict=False):
            said[name] = f"{_format_ask_name(binding['source_name'])}.{_format_ask_name(field)}{filtered}"
    parts = [f"{name}={said.get(name, '')}" for name in names]
    parts += [] if identity["seed"] is None else [f"seed={write_canonical(identity['seed'])}"]
    return f"{entry['id']}({', '.join(parts)})"


def _format_literal(value: object) -> str:
    if isinstance(value, list):
        is_short = len(value) <= MOST_ITEMS
        items = ", ".join(map(_format_literal, value if is_short else value[:3]))
        return f"[{items}]" if is_short else f"[{items}, … {len(value):,} items]"
    text = write_canonical(value)
    return text if len(text) <= MOST_CHARS else f"{text[:MOST_SHOWN]}…{text[-MOST_SHOWN:]}"


def _describe_promise(tier: str, determinism: dict[str, object]) -> str:
    if tier == "certified":
        return CERTIFIED
    promise = f"{PINNED} with this seed." if tier == "seeded" else f"{PINNED}."
    return promise if determinism.get("pinning") == "pinned" else f"{promise} {UNPINNED}"


def _list_value_columns(result: dict[str, Any]) -> list[str]:
    if result["type"] == "record":
        return ["name", "value", "unit"]
    if result["type"].endswith("[][]"):
        return []
    return ["item", "value"] if result["type"].endswith("[]") else ["value", "unit", "about"]


def _list_value_rows(value: object, result: dict[str, Any]) -> list[list[str]]:
    if isinstance(value, dict):
        return [[name, _format_value(value[name]), each["unit"]] for name, each in _sort_by_name(result["fields"])]
    if not isinstance(value, list):
        return [[_format_value(value), result["unit"], result.get("about", "")]]
    if result["type"].endswith("[][]"):
        return [[_format_value(item) for item in row[:MOST_SHOWN]] for row in value[:MOST_SHOWN]]
    return [[str(at), _format_value(item)] for at, item in enumerate(value[:MOST_SHOWN])]


def _sort_by_name(fields: dict[str, object]) -> list[tuple[str, Any]]:
    return sorted(fields.items(), key=lambda item: item[0].encode("utf-16-be"))


def _format_value(value: object) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(_format_value, value[:MOST_SHOWN])) + (", …]" if len(value) > MOST_SHOWN else "]")
    return value if isinstance(value, str) else write_canonical(value)


def _format_type(result: dict[str, Any]) -> str:
    if result["type"] == "record":
        return "{" + ", ".join(f"{name}: {_format_type(each)}" for name, each in _sort_by_name(result["fields"])) + "}"
    shape = result.get("shape")
    return f"{result['type'].replace('[]', '')}[{','.join(shape)}]" if shape else str(result["type"])


def _require_capability(card: dict[str, Any], *_: object) -> None:
    """Hold a call to the contract that it names: the capability is in it, and the arguments and the value fit it."""
    texts, unknown = card["canonical"], "capability_not_in_contract"
    missing = [name for name in ("definition", "identity") if name not in texts]
    _require(not missing, "text_not_kept", f"the card does not hold its {', '.join(missing)}", "not_checkable")
    definition, identity = read_text(texts["definition"]), read_text(texts["identity"])
    _require(_fits(definition, "Definition"), unknown, "its definition has another form")
    _require_identity(identity, "call_misfit")
    entry, size = definition["capability"], int(definition["size"])
    proof = map(bytes.fromhex, definition["proof"])
    root = compute_proven_root(_hash_leaf(write_canonical(entry).encode()), int(definition["index"]), size, proof)
    is_member = root is not None and f"sha256:{root.hex()}" == card["digests"]["contract_hash"]
    _require(is_member, unknown, f"the contract that the card names has no such {entry['id'][:80]}")
    called = (identity["module"], identity["function"], f"{identity['module']}.{identity['function']}")
    is_called = called == (entry["module"], entry["function"], entry["id"])
    _require(is_called, "call_misfit", "it defines another capability")
    given = _require_arguments(entry, identity)
    if "arguments" in texts:
        places = {each["name"]: at for at, each in enumerate(entry["params"])}
        passed = read_text(texts["arguments"])
        is_list = isinstance(passed, list) and len(passed) == len(entry["params"])
        is_same = is_list and all(_is_same(passed[places[name]], value) for name, value in given)
        _require(is_same, "call_misfit", "the arguments are not the literals of the call")
    if "value" in texts:
        _require(_is_value(read_text(texts["value"]), entry["result"]), "call_misfit", "the value is of another type")


def _require_arguments(entry: dict[str, Any], identity: dict[str, Any]) -> list[tuple[str, Any]]:
    """Hold the arguments of a call to its capability, and return the literals among them by parameter."""
    types = {each["name"]: each["type"] for each in entry["params"]}
    given = list(zip(types, identity["args"], strict=False)) + list(identity["kwargs"].items())
    bound = _read_bound(entry, identity)
    names = [*(name for name, _ in given), *bound]
    places = len(identity["args"]) + len(identity["resolved_bindings"])
    is_once = (
        places <= len(types)
        and len(bound) == len(identity["resolved_bindings"])
        and sorted(map(str, names)) == sorted(types)
    )
    _require(is_once, "call_misfit", f"it takes each of {', '.join(types)} exactly once")
    for name, value in given:
        _require(_is_of_type(value, types[name]), "call_misfit", f"{name} is no {types[name]}")
    is_seeded = identity["seed"] is not None
    _require(is_seeded == (entry["tier"] == "seeded"), "call_misfit", "a seed is for simulations alone")
    return given


def _is_value(value: Any, result: dict[str, Any]) -> bool:
    if result["type"] != "record":
        return _is_of_type(value, result["type"], is_result=True)
    fields = result["fields"]
    has_keys = isinstance(value, dict) and value.keys() == fields.keys()
    return has_keys and all(_is_of_type(value[name], each["type"], is_result=True) for name, each in fields.items())


def _is_of_type(value: object, type_: str, *, is_result: bool = False) -> bool:
    """Tell whether a JSON value has a type of the contract; long whole numbers are texts of their digits."""
    if type_.endswith("[]"):
        return isinstance(value, list) and all(_is_of_type(item, type_[:-2], is_result=is_result) for item in value)
    if type_ == "float64":
        return _is_number(value) or (is_result and value in ("NaN", "Infinity", "-Infinity"))
    if type_ == "int":
        is_digits = isinstance(value, str) and re.fullmatch("-?[0-9]+", value, re.ASCII) is not None
        return is_digits or (type(value) is int and abs(value) <= MAX_INTEGER)
    return type(value) is {"bool": bool, "string": str}.get(type_)


# --- refusals, errors, replays ----------------------------------------------------------------------------------------

_REFUSED = ("reason", "rejection_reason", "rule", "missing", "did_you_mean", "candidates")


def _derive_refusal(told: dict[str, object], card: dict[str, object]) -> tuple[dict[str, Any], bool]:
    line = _format_ask_line(_require_shape(told["spec"], "SpecText", "spec"))
    resolution = _require_shape(told["resolution"], "object", "resolution")
    status = "needs_clarification" if card["kind"] == "clarification" else "rejected"
    return {"status": status, "question": line, "ask": line} | {key: resolution.get(key) for key in _REFUSED}, True


def _derive_error(told: dict[str, object], _: dict[str, object]) -> tuple[dict[str, Any], bool]:
    error = _require_shape(told["error"], "object", "error")
    return {"status": "error"} | {key: error.get(key) for key in ("code", "message", "hint")}, True


def _derive_replay(told: dict[str, object], _: dict[str, object]) -> tuple[dict[str, Any], bool]:
    report = _require_shape(told["report"], "object", "report")
    keys = "status subject result_id question cause message digest expected met sources changes"
    compared = report.get("comparison")
    compared = {"differences": [], "differing": 0} if compared is None else compared
    is_compared = isinstance(compared, dict) and _fits(compared.get("differences"), ["object"])
    _require(is_compared, "shown_differs", "its report has another form")
    rows = [[each.get(key) for key in ("where", "expected", "met", "ulps")] for each in compared["differences"]]
    return {key: report.get(key) for key in keys.split()} | {"rows": rows, "row_count": compared.get("differing")}, True


# How what a card of a kind shows is derived from its texts.
SHOWN: dict[str, Callable[..., tuple[dict[str, Any], bool]]] = {
    "query": _derive_query,
    "computation": _derive_computation,
    "clarification": _derive_refusal,
    "rejection": _derive_refusal,
    "error": _derive_error,
    "replay": _derive_replay,
}


# --- receipts ---------------------------------------------------------------------------------------------------------


class Sealed(NamedTuple):
    """An envelope as it was read: of the right form, its signature not checked. Both are None if it is not signed."""

    payload: bytes
    keyid: str | None
    signature: bytes | None


@dataclass(frozen=True, slots=True)
class OpenedReceipt:
    """A receipt as it was read: of the right form, nothing of it checked."""

    sealed: Sealed
    key: bytes
    index: int
    size: int
    proof: tuple[bytes, ...]
    checkpoint: str


def open_envelope(envelope: Any, bad: str = "receipt_malformed") -> Sealed:
    """Read an envelope with one signature or none; the signature is not checked."""
    _require_form(envelope, "Envelope", bad, "envelope")
    payload = _decode_raw(envelope["payload"])
    for one in envelope["signatures"]:
        return Sealed(payload, one["keyid"], _decode_raw(one["sig"]))
    return Sealed(payload, None, None)


def open_receipt(receipt: Any) -> OpenedReceipt:
    """Read the receipt of a card; nothing but its form is checked."""
    _require_form(receipt, "Receipt", "receipt_malformed", "receipt")
    sealed, log = open_envelope(receipt["envelope"]), receipt["log"]
    _require(sealed.signature, "receipt_malformed", "The receipt is malformed: its envelope is not signed.")
    proof = tuple(map(bytes.fromhex, log["proof"]))
    key = _decode_raw(receipt["public_key"])
    return OpenedReceipt(sealed, key, int(log["index"]), int(log["size"]), proof, log["checkpoint"])


def encode_pae(payload_type: str, payload: bytes) -> bytes:
    """Return DSSE's pre-authentication encoding, the bytes that are signed."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def _require_signature(card: dict[str, object], _: object, anchors: Anchors) -> None:
    told = "The card has no receipt, so no key confirms it."
    _require(card["receipt"] is not None, "unsigned", told, "not_checkable")
    receipt = open_receipt(card["receipt"])
    _require_signed(receipt.sealed, receipt.key, anchors, "this statement")


def _require_signed(sealed: Sealed, key: bytes, anchors: Anchors, what: str) -> None:
    """Require that the key has signed the payload and its type as they stand, under its own id."""
    is_signed = is_signed_by(sealed, key, anchors.is_signature)
    _require(is_signed, "signature_invalid", f"Device {compute_key_id(key)} has not signed {what}.")


def is_signed_by(sealed: Sealed, key: bytes, is_signature: SignatureTest | None = None) -> bool:
    """Tell whether a key signed an envelope, under its own id."""
    if sealed.signature is None or sealed.keyid != compute_key_id(key):
        return False
    return (is_signature or verify_ed25519)(key, encode_pae(PAYLOAD_TYPE, sealed.payload), sealed.signature)


def _require_trusted(signers: Sequence[bytes], anchors: Anchors) -> str:
    """Require that the keys of valid signatures are trusted, and name their owners."""
    keys, named = anchors.keys, []
    for signer in dict.fromkeys(signers):
        text, id_ = encode_base64(signer), f"key {compute_key_id(signer)[:8]}…"
        _require(text in keys, "unknown_signer", f"signed by an unknown {id_}", "not_checkable")
        name = keys[text] if isinstance(keys, Mapping) else ""
        named.append(YOU if name == YOU else f"{name}, {id_}" if name else id_)
    return f"signed by {' and '.join(named)}"


def _open_statement(payload: bytes, bad: str) -> dict[str, Any]:
    """Read an in-toto statement, its subjects as `{name: sha256}`."""
    try:
        statement = parse_json(payload, STATEMENT_BYTES)
    except Fault as fault:
        raise Fault(bad, f"The statement cannot be read: {fault.message}") from fault
    _require_form(statement, "Statement", bad, "statement")
    subjects = {each["name"]: each["digest"]["sha256"] for each in statement["subject"]}
    _require(len(subjects) == len(statement["subject"]), bad, "The statement is malformed: two subjects share a name.")
    return {**statement, "subject": subjects}


def open_outcome(payload: bytes, bad: str = "statement_malformed") -> dict[str, Any]:
    """Read the statement of an outcome, its subjects as `{name: sha256}`."""
    statement = _open_statement(payload, bad)
    predicate = statement["predicate"]
    _require_form(predicate, "Predicate", bad, "predicate of the statement")
    due = f"urn:service-nb:{KINDS[predicate['kind']][3]}:v1" if predicate["kind"] in KINDS else None
    is_due = statement["predicateType"] == due
    _require(is_due, bad, "The statement is malformed: the type of the predicate is not that of its kind.")
    return statement


def _require_statement(card: dict[str, Any], receipt: OpenedReceipt, _: Anchors) -> None:
    """Hold a statement to the kind, the digests, the texts and the provenance of a card."""
    another, view, statement = "receipt_of_another_card", card["view"], open_outcome(receipt.sealed.payload)
    predicate, subjects = statement["predicate"], statement["subject"]
    told = f"The receipt is of a {predicate['kind']}, the card is a {card['kind']}."
    _require(predicate["kind"] == card["kind"], another, told)
    _require(predicate["digests"] == card["digests"], another, "The receipt states other digests than the card.")
    for name, text in card["canonical"].items():
        is_it = subjects.get(name) == _hash(text).hex()
        _require(is_it, another, f"The {name} of the card is not the one that the receipt is of.")
    for name in AUTHORS_WORDS & {"query_id", "request_id"} & view.keys():
        _require(view[name] == predicate["id"], another, f"{name} is not the id of the statement")
    if "provenance" in KINDS[card["kind"]][0] and "provenance" not in card["canonical"]:
        return
    # A refusal, an error and a replay have no provenance: no bindings, no run, and their inputs are the author's word.
    told_here = read_text(card["canonical"].get("provenance", "{}"))
    _require(isinstance(told_here, dict), another, "its provenance is no object")
    if "sources" in told_here:  # null in a statement is what was too long for it
        is_same = _is_stated(predicate["inputs"], told_here["sources"], ("origin", "reading"))
        _require(is_same, another, "it states other inputs")
    is_same = _is_stated(predicate["bindings"], told_here.get("bindings", []), ("filter",))
    _require(is_same, another, "it states other bindings")
    _require(_is_same(predicate["determinism"], told_here.get("determinism")), another, "it states another run")


def _is_stated(stated: Any, recorded: Any, left_out: Sequence[str]) -> bool:
    if not _fits([stated, recorded], [["object"]]) or len(stated) != len(recorded):
        return False
    pairs = zip(stated, recorded, strict=True)
    return all(
        any(_is_same(each, full | dict.fromkeys(left_out[:n])) for n in range(len(left_out) + 1))
        for each, full in pairs
    )


def _require_included(_: dict[str, object], receipt: OpenedReceipt, __: Anchors) -> None:
    bad, stated = "inclusion_invalid", open_checkpoint(receipt.checkpoint).checkpoint
    told = f"The proof is for {receipt.size} entries, the checkpoint for {stated.size}."
    _require(receipt.size == stated.size, bad, told)
    root = compute_proven_root(_hash_leaf(receipt.sealed.payload), receipt.index, receipt.size, receipt.proof)
    message = f"The proof of entry {receipt.index} does not lead to the root of the checkpoint."
    _require(root == stated.root, bad, message)


# All checks of a card after its digests, in their order.
CARD_CHECKS = (
    CardCheck("kind", _require_kind),
    CardCheck("shown", _require_shown),
    CardCheck("capability", _require_capability, kinds=("computation",)),
    CardCheck("signature", _require_signature),
    CardCheck("signer", lambda _, receipt, anchors: _require_trusted([receipt.key], anchors), needs_receipt=True),
    CardCheck("statement", _require_statement, needs_receipt=True),
    CardCheck("inclusion", _require_included, needs_receipt=True),
    CardCheck(
        "checkpoint",
        lambda _, receipt, anchors: verify_checkpoint(receipt.checkpoint, receipt.key, anchors.is_signature),
        needs_receipt=True,
    ),
    CardCheck("contract", _require_contract, kinds=("computation",)),
)


# --- checkpoints: what a ledger is at one moment, as a C2SP signed note -----------------------------------------------


class Checkpoint(NamedTuple):
    """A ledger at one moment: `service-nb/` and its id, how many entries it has, the root of its tree."""

    origin: str
    size: int
    root: bytes

    @property
    def text(self) -> str:
        """The three lines that are signed."""
        return f"{self.origin}\n{self.size}\n{encode_base64(self.root)}\n"


class Note(NamedTuple):
    """A checkpoint as it was read, and its signature, of which nothing has been checked; None where it has none."""

    checkpoint: Checkpoint
    key_name: str | None
    key_hash: bytes | None
    signature: bytes | None


_SIGNED = r"(service-nb/[0-9a-f]{32})\n(0|[1-9][0-9]{0,15})\n([^\n]*)\n"
_NOTE = re.compile(_SIGNED + r"\n(?:— (service-nb/device/[0-9a-f]{16}) ([^\n]*)\n)?")


def open_checkpoint(text: str, bad: str = "checkpoint_malformed") -> Note:
    """Read a checkpoint of exactly this form: one text for each, at most one signature, no extension lines.

    ::

        service-nb/3f0c…        the origin, which names the ledger by 32 hex digits
        1024                    entries, decimal, at most 2**53 - 1
        CsUYapGG…=              the root, base64 of 32 bytes
                                an empty line; what stands above it is signed
        — service-nb/device/0123456789abcdef Az3grl…=

    The last line names the key and gives the base64 of `hash_key` and of the signature; without a key it is missing.
    """
    _require(len(text) <= MAX_NOTE, bad, f"The checkpoint is malformed: it has more than {MAX_NOTE} characters.")
    found = _NOTE.fullmatch(text)
    origin, size, root, name, signature = found.groups() if found else ("", "-1", "", None, "")
    is_note = 0 <= int(size) <= MAX_INTEGER and _is_base64(root, 32) and (name is None or _is_base64(signature, 68))
    told = "expected origin, size, root, an empty line, and one line for the signature or none"
    _require(is_note, bad, f"The checkpoint is malformed: {told}.")
    parts = (None, None) if name is None else (_decode_raw(signature)[:4], _decode_raw(signature)[4:])
    return Note(Checkpoint(origin, int(size), _decode_raw(root)), name, *parts)


def verify_checkpoint(text: str, key: bytes, is_signature: SignatureTest | None = None) -> Checkpoint:
    """Read a checkpoint that a key has signed."""
    bad, told = "checkpoint_invalid", "The checkpoint does not hold: "
    note, name = open_checkpoint(text, bad), f"service-nb/device/{compute_key_id(key)}"
    _require(note.signature is not None, bad, f"{told}it has no signature.")
    is_named = note.key_name == name and note.key_hash == hash_key(name, key)
    _require(is_named, bad, f"{told}it is signed under the name of another key.")
    holds = (is_signature or verify_ed25519)(key, note.checkpoint.text.encode(), note.signature or b"")
    _require(holds, bad, f"{told}the key has not signed it as it stands.")
    return note.checkpoint


def hash_key(name: str, key: bytes) -> bytes:
    """Return the four bytes by which a signed note refers to an Ed25519 key."""
    return _hash(name.encode() + b"\n\x01" + key)[:4]


# --- ledgers ----------------------------------------------------------------------------------------------------------


def _check_ledger(document: dict[str, Any], anchors: Anchors, ring: Collection[bytes] = ()) -> Iterator[Check]:
    """Yield the checks of a ledger; `ring` has the keys of a database, which may hold more than one."""
    yield (form := _run_check("form", _require_ledger, document))
    if form.status != "passed":
        return
    key = _decode_raw(document["public_key"]) if document["public_key"] else None
    by_id = {compute_key_id(each): each for each in (*ring, *([key] if key else []))}
    statements: list[dict[str, Any]] = []
    payloads: list[bytes] = []
    signers: dict[str, bytes] = {}
    for at, entry in enumerate(document["entries"]):
        try:
            sealed = open_envelope(entry, "entry_malformed")
            statements.append(open_outcome(sealed.payload, "entry_malformed"))
            if sealed.keyid is not None:
                _require_signed(sealed, by_id.get(sealed.keyid, b""), anchors, "it")
                signers[sealed.keyid] = by_id[sealed.keyid]
        except Fault as fault:
            told = fault.message if fault.cause == "entry_malformed" else "the key of the ledger has not signed it."
            yield Check("entry", "failed", fault.cause, f"Entry {at}: {told}")
            return
        payloads.append(sealed.payload)
    unsigned = sum(not entry["signatures"] for entry in document["entries"])
    message = f"{unsigned} entries are not signed."
    yield _run_check("entry", _require, not unsigned, "unsigned", message, "not_checkable")
    ids = {statement["predicate"]["id"] for statement in statements}
    yield _run_check("order", _require, len(ids) == len(statements), "duplicate_id", "Two entries have the same id.")
    known = {digest for each in statements for digest in each["subject"].values()}
    yield _run_check("texts", _require_texts, document["texts"], known)
    yield _run_check("root", _require_root, document, payloads)
    if key is None:
        told = "The ledger names no key, so no key confirms it."
        yield from (Check(name, "not_checkable", "unsigned", told) for name in ("signer", "checkpoint"))
    else:
        yield _run_check("signer", _require_trusted, [key, *signers.values()], anchors)
        yield _run_check("checkpoint", verify_checkpoint, document["checkpoint"], key, anchors.is_signature)


def _require_ledger(document: dict[str, object]) -> None:
    bad, version = "malformed_ledger", document["service_nb_ledger"]
    _require_json(document)
    keys = dict.fromkeys(SHAPES["LedgerDocument"], "any") | {"service_nb_ledger": "Whole"}
    _require_form(document, keys, bad, "ledger document")
    _require(version == 1, "unknown_version", f"The ledger document is of version {version}; known here is 1.")
    _require_form(document, "LedgerDocument", bad, "ledger document")


def _require_texts(texts: dict[str, str], known: Collection[str]) -> None:
    for name, text in texts.items():
        is_it = _hash(text).hex() == name
        _require(is_it, "text_mismatch", f"The text that is kept as {name[:12]}… has another SHA-256.")
    unknown = len(texts.keys() - set(known))
    _require(not unknown, "text_unknown", f"{unknown} texts belong to no entry.")


def _require_root(document: dict[str, Any], payloads: Sequence[bytes]) -> None:
    bad, stated = "root_mismatch", open_checkpoint(document["checkpoint"]).checkpoint
    _require(stated.origin == ORIGIN_PREFIX + document["ledger"], bad, "The checkpoint is of another ledger.")
    size = len(payloads)
    _require(stated.size == size, bad, f"The checkpoint is for {stated.size} entries, and {size} are here.")
    is_root = compute_tree_root([*map(_hash_leaf, payloads)]) == stated.root
    _require(is_root, bad, "The entries do not give the root that the checkpoint states.")


# --- Merkle trees (RFC 6962) ------------------------------------------------------------------------------------------


def compute_tree_root(level: list[bytes]) -> bytes:
    """Return the root over hashes of leaves, level by level; a last one without a partner goes up as it is."""
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=False)
        level = [_hash(b"\x01" + left + right) for left, right in pairs] + level[len(level) & ~1 :]
    return level[0] if level else _hash(b"")


def compute_proven_root(leaf: bytes, index: int, size: int, proof: Iterable[bytes]) -> bytes | None:
    """Return the root to which an inclusion proof leads (RFC 9162, 2.1.3.2); None if it is none for this place."""
    here, last, root = index, size - 1, leaf
    for sibling in proof:
        if last <= 0:
            return None
        if here & 1 or here == last:
            root = _hash(b"\x01" + sibling + root)
            while not here & 1 and here:
                here, last = here >> 1, last >> 1
        else:
            root = _hash(b"\x01" + root + sibling)
        here, last = here >> 1, last >> 1
    return root if last == 0 and 0 <= index < size else None


# --- Ed25519 (RFC 8032): a point is X, Y, Z, T with x = X/Z, y = Y/Z, xy = T/Z ----------------------------------------

_Point = tuple[int, int, int, int]
P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
ZERO = (0, 1, 1, 0)


def _add_points(left: _Point, right: _Point) -> _Point:
    (x1, y1, z1, t1), (x2, y2, z2, t2) = left, right
    a, b, c, d = (y1 - x1) * (y2 - x2) % P, (y1 + x1) * (y2 + x2) % P, 2 * D * t1 * t2 % P, 2 * z1 * z2
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def _compute_double(point: _Point) -> _Point:
    x, y, z, _ = point
    g, h, e = x * x - y * y, x * x + y * y, -2 * x * y
    f = 2 * z * z + g
    return e * f % P, g * h % P, f * g % P, e * h % P


def _decode_point(encoded: bytes) -> _Point | None:
    y, sign = int.from_bytes(encoded, "little") & (1 << 255) - 1, encoded[31] >> 7
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * pow(2, (P - 1) // 4, P) % P
    if y >= P or x * x % P != square or x == 0:  # of the points with x = 0, both of small order, none may be met
        return None
    x = x if x & 1 == sign else P - x
    return x, y, 1, x * y % P


def _encode_point(point: _Point) -> bytes:
    x, y, z, _ = point
    inverse = pow(z, -1, P)
    return (y * inverse % P | (x * inverse % P & 1) << 255).to_bytes(32, "little")


BASE = _decode_point((4 * pow(5, -1, P) % P).to_bytes(32, "little")) or ZERO
# The y of the points of small order: of order 8 (two have y, and two -y), and of order 1, 2 and 4.
_ORDER_8 = int.from_bytes(bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "little")
_SMALL_ORDER = {0, 1, P - 1, _ORDER_8, P - _ORDER_8}


def verify_ed25519(key: bytes, message: bytes, signature: bytes, equation: SignatureTest | None = None) -> bool:
    """Tell whether a signature holds, so strictly that every implementation comes to the same verdict.

    RFC 8032 leaves room for taste, and libraries use it. Here the y of a key is below p, and the key is of no small
    order; S is below L; and the bytes of R are the encoding of [S]B - [h]A: the equation without the cofactor.
    `equation` computes the last of these, where somebody has something faster than this file.
    """
    y = int.from_bytes(key, "little") & (1 << 255) - 1
    if len(key) != 32 or len(signature) != 64 or int.from_bytes(signature[32:], "little") >= L:
        return False
    return y < P and y not in _SMALL_ORDER and (equation or _check_equation)(key, message, signature)


def _check_equation(key: bytes, message: bytes, signature: bytes) -> bool:
    point, r, s = _decode_point(key), signature[:32], int.from_bytes(signature[32:], "little")
    if point is None:
        return False
    k = int.from_bytes(hashlib.sha512(r + key + message).digest(), "little") % L
    minus = (P - point[0], point[1], 1, P - point[3])
    summands, total = (ZERO, BASE, minus, _add_points(BASE, minus)), ZERO
    for bit in range(252, -1, -1):  # S*B - k*A in one go: double, then add what both scalars ask for at this bit
        which = (s >> bit & 1) + 2 * (k >> bit & 1)
        total = _add_points(_compute_double(total), summands[which]) if which else _compute_double(total)
    return _encode_point(total) == r


# --- JSON that has one meaning, its canonical form (RFC 8785), encodings ----------------------------------------------


def parse_json(content: bytes, most_bytes: int = DOCUMENT_BYTES) -> Any:
    """Return the value of JSON that every reader understands alike; integers stay exact, however large.

    Of several faults the first of this order is named: size, encoding, half of a surrogate pair, depth; then syntax,
    keys and numbers as they come.
    """
    too_large = f"The JSON document has {len(content)} bytes, more than the {most_bytes} allowed."
    _require(len(content) <= most_bytes, "too_large", too_large)
    try:
        text = content.decode()
        _require(text[:1] != "\ufeff", "malformed_json", "The JSON starts with a byte order mark.")
        is_paired = "\\u" not in text or not any(match[1] for match in _ESCAPE.finditer(text))
        _require(is_paired, "malformed_json", "A string holds half of a surrogate pair, which is not a character.")
        _require(_count_depth(text) <= MAX_DEPTH, "too_deep", f"The JSON is nested deeper than {MAX_DEPTH}.")
        return _DECODER.decode(text)
    except UnicodeDecodeError as error:
        raise Fault("malformed_json", f"The JSON is not UTF-8 at byte {error.start + 1}.") from None
    except json.JSONDecodeError as error:
        place = f"Line {error.lineno}, column {error.colno}"
        raise Fault("malformed_json", f"{place}: The JSON is malformed ({error.msg}).") from None


_HALF = re.compile("[\ud800-\udfff]")
# Takes escapes one by one, so that an escaped backslash never starts one; the group holds a surrogate without partner.
_ESCAPE = re.compile(r"\\(?:u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|(u[dD][89a-fA-F]\w\w)|.)", re.DOTALL)


def _read_number(token: str) -> float:
    if len(token) > MAX_DIGITS:
        raise Fault("unsafe_number", f"A number has more than {MAX_DIGITS} characters.")
    value = int(token) if token.lstrip("-").isdigit() else float(token)
    if value in (math.inf, -math.inf):
        raise Fault("unsafe_number", f"The number {token[:20]} is beyond the range of float64.")
    return value


def _refuse_constant(token: str) -> NoReturn:
    raise Fault("malformed_json", f"{token} is not JSON.")


def _read_object(pairs: list[tuple[str, object]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        (key, _), *_ = Counter(key for key, _ in pairs).most_common(1)
        raise Fault("malformed_json", f"An object holds the same key twice: {key[:60]!r}.")
    return value


_DECODER = json.JSONDecoder(
    object_pairs_hook=_read_object, parse_int=_read_number, parse_float=_read_number, parse_constant=_refuse_constant
)


def _count_depth(text: str) -> int:
    depth, deepest = 0, 0
    if text.count("[") + text.count("{") > MAX_DEPTH:
        for mark in re.findall(r"[\[\]{}]", re.sub(r'"(?:[^"\\]++|\\.)*+"?', "", text, flags=re.DOTALL)):
            depth += 1 if mark in "[{" else -1
            deepest = max(depth, deepest)
    return deepest


def write_canonical(value: Any) -> str:
    """Return the canonical JSON of a parsed value."""
    if isinstance(value, str):
        return encode_basestring(value)
    if isinstance(value, dict):
        is_ascii = all(map(str.isascii, value))
        names = sorted(value) if is_ascii else sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join([f"{encode_basestring(name)}:{write_canonical(value[name])}" for name in names]) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(write_canonical, value)) + "]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return write_number(value)


def write_number(value: float) -> str:
    """Return a number as ECMAScript writes it."""
    if type(value) is int and abs(value) <= MAX_INTEGER:
        return str(value)
    mantissa, _, exponent = repr(abs(float(value))).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits, sign = (whole + fraction).lstrip("0"), "-" if value < 0 else ""
    point = len(digits) - len(fraction) + int(exponent or 0)  # how many digits stand before the decimal point
    digits = digits.rstrip("0")
    if not digits:
        return "0"
    if 0 < point <= 21:
        return sign + digits[:point].ljust(point, "0") + ("." + digits[point:] if digits[point:] else "")
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    return f"{sign}{digits[0]}{'.' + digits[1:] if digits[1:] else ''}e{point - 1:+d}"


def _hash(data: str | bytes) -> bytes:
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).digest()


def _hash_leaf(entry: bytes) -> bytes:
    return _hash(b"\0" + entry)


@lru_cache(maxsize=64)
def compute_key_id(key: bytes) -> str:
    """Return the id of a key: the first 16 hex digits of its fingerprint."""
    return compute_fingerprint(key)[:16]


def compute_fingerprint(key: bytes) -> str:
    """Return the SHA-256 of a key's SubjectPublicKeyInfo in DER, 64 hex digits."""
    return _hash(bytes.fromhex("302a300506032b6570032100") + key).hex()


_decode_raw = base64.b64decode


def encode_base64(data: bytes) -> str:
    """Return the base64 of bytes."""
    return base64.b64encode(data).decode()


def decode_base64(text: str, size: int | None = None) -> bytes | None:
    """Return the bytes that a base64 text stands for; None if it is not the one text for `size` bytes."""
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        return None
    return data if encode_base64(data) == text and size in (None, len(data)) else None


# --- the command ------------------------------------------------------------------------------------------------------


def _check_file(path: Path, anchors: Anchors) -> list[Verdict]:
    with path.open("rb") as file:
        content = file.read(DOCUMENT_BYTES + 1)
    if not content.startswith(b"SQLite format 3\0"):
        return check_document(content, anchors)
    import sqlite3  # noqa: PLC0415  only where there is a database

    try:
        document, ring = _read_database(path, sqlite3.connect)
        return [Verdict("ledger", tuple(_check_ledger(document, anchors, ring)))]
    except (sqlite3.Error, AttributeError, LookupError, TypeError, ValueError) as error:
        return [_build_refused_verdict("ledger", Fault("not_a_ledger", str(error)))]


def _choose_address(path: Path, folder: str) -> str:
    """Choose what to open so that nothing is made beside a database: a copy where a log is beside it."""
    import shutil  # noqa: PLC0415  as below

    log = path.with_name(f"{path.name}-wal")
    if not log.exists():
        return f"{path.resolve().as_uri()}?mode=ro&immutable=1"
    copy = Path(folder, path.name)
    for _ in range(5):  # until nobody writes meanwhile
        before = [(each.stat().st_size, each.stat().st_mtime_ns) for each in (path, log)]
        shutil.copyfile(path, copy)
        shutil.copyfile(log, copy.with_name(log.name))
        if before == [(each.stat().st_size, each.stat().st_mtime_ns) for each in (path, log)]:
            return f"{copy.resolve().as_uri()}?mode=rw"
    raise ValueError("it is being written; try again")


def _read_database(path: Path, connect: Callable[..., Any]) -> tuple[dict[str, Any], list[bytes]]:
    """Read the database of a ledger: as a ledger document, and all its keys."""
    import tempfile  # noqa: PLC0415  only where there is a database

    with tempfile.TemporaryDirectory() as folder, closing(connect(_choose_address(path, folder), uri=True)) as database:
        database.execute("PRAGMA trusted_schema = OFF")
        database.execute("BEGIN")
        if database.execute("SELECT 1 FROM sqlite_master WHERE type NOT IN ('table', 'index')").fetchone():
            raise ValueError("it has views or triggers")
        ((ledger,),) = database.execute("SELECT id FROM ledger").fetchall()
        ring = dict(database.execute("SELECT id, public_key FROM keys").fetchall())
        rows = database.execute("SELECT payload, key, signature FROM entries ORDER BY number").fetchall()
        newest, note = database.execute("SELECT key, note FROM checkpoints ORDER BY size DESC LIMIT 1").fetchone()
        texts = {sha256.hex(): content for sha256, content in database.execute("SELECT sha256, content FROM texts")}
    for name, content in texts.items():
        blob = path.parent / "blobs" / "sha256" / name[:2] / name
        kept = content if content is not None else blob.read_bytes() if blob.is_file() else b""
        texts[name] = kept.decode()
    entries = [
        {"payloadType": PAYLOAD_TYPE, "payload": encode_base64(payload), "signatures": []}
        | ({} if signature is None else {"signatures": [{"keyid": key, "sig": encode_base64(signature)}]})
        for payload, key, signature in rows
    ]
    public_key = None if newest is None else encode_base64(ring[newest])
    document = {"service_nb_ledger": 1, "ledger": ledger, "entries": entries, "public_key": public_key}
    return document | {"checkpoint": note, "texts": texts}, list(ring.values())


# From the worst to the best.
CODES = {"altered": 1, "not_checkable": 5, "consistent": 4, "unaltered": 3, "verified": 0}


def main(arguments: Sequence[str] | None = None) -> int:
    """Check files and say what was found."""
    parser = argparse.ArgumentParser(description="Check the evidence of service_nb.", allow_abbrev=False)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a notebook, a card or a ledger")
    parser.add_argument("--key", action="append", default=[], metavar="BASE64", help="a public key that you trust")
    parser.add_argument("--contract", action="append", default=[], metavar="sha256:HEX", help="that you know")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(arguments)
    if not _fits(options.key, ["PublicKey"]):
        parser.error("--key takes a public key, the base64 of 32 bytes")
    if not _fits(options.contract, ["ContractHash"]):
        parser.error("--contract takes sha256: and 64 hex digits")
    found, anchors = [], Anchors(options.key, options.contract)
    for path in options.files:
        try:
            found += [{"file": path.name, **each.to_dict()} for each in _check_file(path, anchors)]
        except OSError as error:
            parser.error(f"{path.name} cannot be read: {error.strerror}")
    told = json.dumps(found, indent=1) if options.json else "\n".join(map(_print, found)) or "nothing to check"
    sys.stdout.write(f"{told}\n")
    met = {each["status"] for each in found}
    return next((CODES[status] for status in CODES if status in met), 0)


def _print(verdict: dict[str, Any]) -> str:
    lines = [f"{verdict['file']}, {verdict['subject']}: {verdict['status']}"]
    for name, status, cause, message in (check.values() for check in verdict["checks"]):
        lines += [f"  {status:13} {name:17} {cause or ''} {message[:300]}".rstrip()]
    # What a document says may hold characters that command a terminal.
    return "\n".join(re.sub("[^ -~]", "?", line) for line in lines)


if __name__ == "__main__":
    sys.exit(main())
