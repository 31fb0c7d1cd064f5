"""The provenance card: one record from which every face (HTML, Markdown, text, our MIME type) is rendered.

A card is a JSON object::

    {"kind": "query", "version": 1,
     "canonical": {...}, "digests": {...}, "receipt": null, "view": {...}}

`canonical` holds the hashed texts as *strings*, because front ends rewrite JSON numbers on save; `digests` names what
they hash to; `view` is for display and never trusted. All numbers in `view["rows"]` are strings for the same reason.

What each kind holds, and how each digest is taken, is in `CARD_KINDS`, `DIGESTS` and `QUOTED` below. Of every card,
    view_hash = H("service:view:v1", canonical JSON of the view without its rows)
    rows_hash = H("service:rows:v1", canonical JSON of the view's rows), where the view has rows
with H(domain, text) = hex SHA-256 over domain, one NUL byte, UTF-8 text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, NamedTuple, NotRequired, TypeAlias, TypedDict

from service_nb.core.digest import (
    COMPUTATION_DOMAIN,
    DEFINITION_DOMAIN,
    ERROR_DOMAIN,
    INVOCATION_DOMAIN,
    PLAN_DOMAIN,
    PROVENANCE_DOMAIN,
    REFUSAL_DOMAIN,
    REPLAY_DOMAIN,
    RESULT_DOMAIN,
)
from service_nb.schema.primitives import CARRIED, Name
from service_nb.schema.query import Status
from service_nb.schema.reading_notes import ReadingNoteText

CARD_MIME = "application/vnd.service-nb.card.v1+json"
CARD_VERSION: Final = 1
CARD_FILE_BYTES = 1024**2  # of a card that stands alone
CARD_BYTES = 64 * 1024  # beyond it rows leave the card: hash, shape and first rows stay

CardKind = Literal["query", "clarification", "rejection", "error", "computation", "replay"]


class KindShape(NamedTuple):
    """The contents of one kind of card; all have `view_hash` too, and `rows_hash` if the view has rows."""

    texts: tuple[str, ...]  # that its `canonical` may hold
    digests: tuple[str, ...]  # in the order of their checks
    statuses: tuple[str, ...]  # that its view may show
    statement: str  # the last word of its predicate's type
    shown_from: tuple[str, ...]  # the texts from which everything is derived that its view shows, but for rows


class DigestRule(NamedTuple):
    """The input of a digest's SHA-256: a domain and NUL, another digest of the card, texts joined by NUL."""

    domain: str
    after: str
    texts: tuple[str, ...]


_REFUSAL = ("spec", "resolution")
CARD_KINDS: Mapping[CardKind, KindShape] = {
    "query": KindShape(
        ("plan", "result", "provenance"),
        ("plan_hash", "result_hash", "schema_revision", "provenance_hash"),
        ("ok",),
        "query",
        ("plan", "provenance"),
    ),
    "clarification": KindShape(_REFUSAL, ("refusal_hash",), ("needs_clarification",), "refusal", _REFUSAL),
    "rejection": KindShape(_REFUSAL, ("refusal_hash",), ("rejected",), "refusal", _REFUSAL),
    "error": KindShape(("error",), ("error_hash",), ("error",), "error", ("error",)),
    "computation": KindShape(
        ("identity", "arguments", "value", "definition", "provenance"),
        ("input_hash", "invocation_hash", "computation_hash", "contract_hash", "definition_hash", "provenance_hash"),
        ("ok",),
        "computation",
        ("identity", "definition", "provenance"),
    ),
    "replay": KindShape(("report",), ("replay_hash",), ("identical", "differs", "refused"), "replay", ("report",)),
}
DIGESTS: Mapping[str, DigestRule] = {
    "plan_hash": DigestRule(PLAN_DOMAIN, "", ("plan",)),
    "result_hash": DigestRule(RESULT_DOMAIN, "plan_hash", ("result",)),
    "refusal_hash": DigestRule(REFUSAL_DOMAIN, "", _REFUSAL),  # of the resolution without its `reason`, a sentence
    "error_hash": DigestRule(ERROR_DOMAIN, "", ("error",)),
    "input_hash": DigestRule("", "", ("arguments",)),
    "invocation_hash": DigestRule(INVOCATION_DOMAIN, "", ("identity",)),
    "computation_hash": DigestRule(COMPUTATION_DOMAIN, "invocation_hash", ("value",)),
    "definition_hash": DigestRule(DEFINITION_DOMAIN, "", ("definition",)),
    "provenance_hash": DigestRule(PROVENANCE_DOMAIN, "", ("provenance",)),
    "replay_hash": DigestRule(REPLAY_DOMAIN, "", ("report",)),
}
# Causes for which a check could not be made, that leave a verdict as it is: nothing that is shown depends on a text
# that is not kept (the check `shown` tells it if so); no signature and an unknown signer have verdicts of their own; a
# card is what it is, whatever was taken out of a notebook that is not sealed, repeated or moved.
UNDECIDING = frozenset(
    {
        *("text_not_kept", "rows_not_kept", "unsigned", "unknown_signer"),
        *("not_sealed", "card_repeated", "card_out_of_order"),
    }
)
# Versions whose faces may be headed by the names of columns, as faces were until heads said what each column is.
NAME_HEADS: Final = ("0.1.0",)
# A digest that stands in a text of the card, under its own name.
QUOTED: Mapping[str, str] = {"schema_revision": "plan", "contract_hash": "identity"}


Role: TypeAlias = Literal["key", "metric", "count"]


class Column(TypedDict):
    """A column of a shown table. `role` says what it is: a group key, the aggregate, or the count of rows.

    In a preview each column of the source is a key; in a profile its numbers of rows are counts, and `physical` is
    `counts` for distributions.
    """

    name: Name
    type: str  # a FieldType
    physical: str
    role: Role
    zone: NotRequired[Name]  # of instants, and of their periods: whose clocks show them


class Candidate(TypedDict):
    """A way to go on after an ambiguous question; `ask` is a ready-to-run ask line."""

    slot: str  # metric | group_by | filter | source_name | aggregation | percent | order | operator | unit | period
    name: str
    type: str
    ask: str


class QueryView(TypedDict):
    """The view of an answered question."""

    status: Literal["ok"]
    question: str  # in words: "Sum of arr_delay by carrier in flights"
    ask: str  # the ask line that means the same
    columns: list[Column]
    rows: list[list[str | None]]  # the first rows; exact text of every value, None for null
    row_count: int  # of the whole result; more than len(rows) when cut
    plan: list[str]  # the steps, in words
    source: dict[str, Any]  # name, source_id, schema_revision, row_count, content, reading
    decision_path: str
    method: str  # how the aggregate was computed and why it is exact
    engine: str  # "duckdb 2.0.0", "direct"
    query_id: str
    latency_ms: float
    notes: list[str]
    used_rows: NotRequired[int]  # that met the conditions, where it is known
    dropped: NotRequired[dict[str, int]]  # nulls that were left out, by column, where there are any
    reading_notes: NotRequired[list[ReadingNoteText]]  # what the reader decided of what was used, where there is any


class ComputationView(TypedDict):
    """The view of a computation."""

    status: Literal["ok"]
    call: str  # finance.npv
    question: str  # the call as people write it: finance.npv(rate=0.1, cashflows=budget.flow)
    summary: str
    columns: list[str]  # of `rows`: value, unit, about; name, value, unit; item, value; none for a matrix
    rows: list[list[str]]  # exact texts of the first values
    row_count: int
    value_type: str
    formula: str | None  # as it is computed
    latex: str | None
    citation: str
    tier: str
    grade: NotRequired[str]
    promise: str
    version: int  # of the capability
    bindings: list[dict[str, Any]]
    determinism: dict[str, Any]
    scope: str
    request_id: str
    latency_ms: float
    reading_notes: NotRequired[list[ReadingNoteText]]  # what the readers decided of what was used, where there is any


class RefusalView(TypedDict):
    """The view of a question that was not run."""

    status: Status  # never ok
    question: str
    ask: str
    reason: str  # one sentence
    rejection_reason: str | None  # the stable code of a rejection
    rule: str | None  # the rule that fired
    missing: list[str]
    did_you_mean: list[str]
    candidates: list[Candidate]


class ErrorView(TypedDict):
    """The view of an error: never a path, a secret or a value of a denied field."""

    status: Literal["error"]
    code: str
    message: str
    hint: str | None


class ReplayView(TypedDict):
    """The view of a replay: its rows are the first differences, each where it is, both texts, and how far apart."""

    status: Literal["identical", "differs", "refused"]
    subject: str  # where the card was
    result_id: str | None
    question: str
    cause: str | None
    message: str
    digest: str | None  # the name of the one that was compared
    expected: str | None
    met: str | None
    sources: list[dict[str, object]]
    changes: list[dict[str, object]]
    rows: list[list[str | int | None]]  # where, expected, met, ulps
    row_count: int  # of all differences


class Card(TypedDict):
    """The evidence of one outcome; a text may be missing from `canonical`, and its digest stays."""

    kind: CardKind
    version: Literal[1]
    canonical: dict[str, str]
    digests: dict[str, str]
    receipt: Annotated[dict[str, Any] | None, CARRIED]  # a `schema.entry.Receipt`
    view: Annotated[dict[str, Any], CARRIED]  # a QueryView, ComputationView, RefusalView, ErrorView or ReplayView


# --- faces ------------------------------------------------------------------------------------------------------------
# The last line of every face is `Card of service_nb 0.1.0`, visible and as text, because sanitisers and front ends
# leave nothing else alone; it stays if the card is removed. In HTML it is an element; LaTeX escapes the underscore.

FACE_MIMES = ("text/html", "text/markdown", "text/latex", "text/plain")

# A line or an element of its own; in the text of `[outcome, outcome]` a comma or a bracket follows.
_MARK = re.compile(r"Card of service\\?_nb ([0-9A-Za-z.+!-]{1,40})[ \t]*(?:[\n<\])},]|$)", re.ASCII)


def read_mark(data: Mapping[str, object]) -> str | None:
    """Read the version of service_nb from the mark of an output's faces; None if none has the mark."""
    for mime in FACE_MIMES:
        text = join_text_lines(data.get(mime)) or ""
        for found in _MARK.finditer(text):
            before = found.start()
            while before and text[before - 1] in " \t":
                before -= 1
            if before == 0 or text[before - 1] in "\n>":
                return found[1]
    return None


def join_text_lines(value: object) -> str | None:
    """Join a text of an output's data, which notebooks store whole or as a list of lines; None if it is no text."""
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return "".join(value)
    return value if isinstance(value, str) else None
