"""The provenance card: one record from which every face (HTML, Markdown, text, our MIME type) is rendered.

A card is a JSON object::

    {"kind": "query", "version": 1,
     "canonical": {...}, "digests": {...}, "receipt": null, "view": {...}}

`canonical` holds the hashed texts as *strings*, because front ends rewrite JSON numbers on save; `digests` names what
they hash to; `view` is for display and never trusted. All numbers in `view["rows"]` are strings for the same reason.

==============  ==================================  ===========================================
kind            canonical                           digests
==============  ==================================  ===========================================
query           plan, result                        plan_hash, result_hash, schema_revision
clarification   spec, resolution                    refusal_hash
rejection       spec, resolution                    refusal_hash
error           error                               error_hash
computation     identity, arguments, value          invocation_hash, computation_hash, input_hash, contract_hash
replay          report                              replay_hash
all of them                                         view_hash, rows_hash (where the view has rows)
==============  ==================================  ===========================================

plan_hash    = H("service:plan:v1",    plan)
result_hash  = H("service:result:v1",  plan_hash ++ result)
refusal_hash = H("service:refusal:v1", spec ++ NUL ++ resolution)
error_hash   = H("service:error:v1",   error)
invocation_hash  = H("service:invocation:v1",  identity)
computation_hash = H("service:computation:v1", invocation_hash ++ value)
input_hash       = hex SHA-256 over arguments alone
replay_hash      = H("service:replay:v1",      report)
view_hash        = H("service:view:v1",        canonical JSON of the view without its rows)
rows_hash        = H("service:rows:v1",        canonical JSON of the view's rows)
with H(domain, text) = hex SHA-256 over domain, one NUL byte, UTF-8 text.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict

from service_nb.schema.query import Status

CARD_MIME = "application/vnd.service-nb.card.v1+json"
CARD_VERSION = 1
CARD_BYTES = 64 * 1024  # beyond it rows leave the card: hash, shape and first rows stay

CardKind = Literal["query", "clarification", "rejection", "error", "computation", "replay"]


class Column(TypedDict):
    """A column of a shown table. `role` says what it is: a group key, the aggregate, or the count of rows."""

    name: str
    type: str  # a FieldType
    physical: str
    role: Literal["key", "metric", "count"]


class Candidate(TypedDict):
    """A way to go on after an ambiguous question; `ask` is a ready-to-run ask line."""

    slot: str  # metric | group_by | filter | source_name | aggregation
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
    promise: str
    version: int  # of the capability
    bindings: list[dict[str, Any]]
    determinism: dict[str, Any]
    scope: str
    request_id: str
    latency_ms: float


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
    sources: list[dict[str, Any]]
    changes: list[dict[str, Any]]
    rows: list[list[str | int | None]]  # where, expected, met, ulps
    row_count: int  # of all differences


class Card(TypedDict):
    """See the module's docstring."""

    kind: CardKind
    version: int
    canonical: dict[str, str]
    digests: dict[str, str]
    receipt: dict[str, Any] | None  # a `records.entry.Receipt`
    view: dict[str, Any]
