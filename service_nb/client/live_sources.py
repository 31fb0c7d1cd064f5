"""Live sources: their descriptions, and the way to those of a deployment."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote

from service_nb.core.digest import hash_schema
from service_nb.core.secret import Secret
from service_nb.core.words import describe_value, make_visible
from service_nb.deployment.address import Address
from service_nb.deployment.waiting import AnswerCache, QuickCalls, SilentError
from service_nb.engines.engine import Engine
from service_nb.errors import (
    AnswerMismatchError,
    InvalidIntentError,
    LimitExceededError,
    ServiceError,
    SourceNotFoundError,
)
from service_nb.query.similar_names import find_similar_names
from service_nb.readers.descriptor import find_literal_secrets
from service_nb.schema.source import FIELD_TYPES, Content, Field, Limits, Reading

if TYPE_CHECKING:
    from service_nb.deployment.http import DeploymentClient
    from service_nb.deployment.messages import ConnectorAnswer, SourceAnswer
    from service_nb.runtimes.deployed import Remote

CONNECT_S = 60.0
LIST_S = 15.0
NAMED_S = 5.0  # that a question waits for a source that it names
MOST_NOTES = 100
_PHYSICAL = re.compile(
    r"int64|float64|decimal\((?:[1-9]|[12][0-9]|3[0-8]),(?:[0-9]|[12][0-9]|3[0-8])\)|string|boolean|date|datetime"
)
_DIGEST = re.compile(r"[0-9a-f]{64}")
_TYPES = {"int64": "number", "float64": "number", "decimal": "number"}


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveSource:
    """A live source that is ready for questions: its current columns, and the engine that reaches it.

    On a client `fields` are those that the key may see, and the schema's revision is theirs. `mark` tells it from all
    that had or will have its name, also from itself with other columns.
    """

    name: str
    fields: tuple[Field, ...]
    row_count: int
    content: Content
    engine: Engine
    notes: tuple[str, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
    reading: Reading = field(default_factory=Reading)  # the types that were declared, of columns that are seen here
    mark: str | None = None
    dataset: str | None = None  # what the deployment calls it; None: the same


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    """The sources of a deployment that are known now; `fault` says why the list may be incomplete."""

    sources: tuple[LiveSource, ...] = ()
    fault: ServiceError | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A source that can be connected by its name; columns are known only for sources of the deployment."""

    name: str
    place: Literal["service.toml", "deployment"]
    fields: tuple[Field, ...] = ()
    row_count: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unconnected:
    """The sources that are not connected, by name; `fault` says why those of a deployment may be incomplete."""

    sources: tuple[Offer, ...] = ()
    fault: ServiceError | None = None


def require_known(name: str, names: Sequence[str]) -> str:
    """Return a name that the deployment has, or raise `source_not_found` with similar ones."""
    if name in names:
        return name
    near = find_similar_names(name, names)
    raise SourceNotFoundError(
        f"Neither the project nor the deployment has a source named {describe_value(name)}.",
        hint=f"Did you mean {describe_value(near[0])}?"
        if near
        else "Pass the data to connect, and persist=True to save it.",
        met=name,
        did_you_mean=near or None,
    )


class DeployedSources:
    """The live sources of a client: those of its deployment.

    Parameters
    ----------
    address : Address
        The deployment, and the key to it.
    tenant : str, optional
        For whom.
    limits : Limits
        Of what it may answer.
    """

    def __init__(self, address: Address, *, tenant: str | None, limits: Limits) -> None:
        self.address = address
        self._tenant = tenant
        self._limits = limits
        self._lock = threading.Lock()
        self._made: DeploymentClient | None = None
        self._listed = AnswerCache(self._fetch_list)
        self._soon: QuickCalls[LiveSource] = QuickCalls()

    @property
    def deployment(self) -> DeploymentClient:
        """The connection, made at the first call: a session of files alone loads no HTTP."""
        with self._lock:
            if self._made is None:
                from service_nb.deployment.http import DeploymentClient  # noqa: PLC0415  # as above

                self._made = DeploymentClient(self.address, tenant=self._tenant)
            return self._made

    def build_runtime(self, contract: Any) -> Remote:
        """Build the runtime of the deployment; `contract` returns the contract of this side."""
        from service_nb.runtimes.deployed import Remote  # noqa: PLC0415  # as above

        return Remote(self.deployment, contract)

    # --- sources ------------------------------------------------------------------------------------------------------

    def connect(
        self, name: str, connector: Mapping[str, object], *, types: Mapping[str, str], aliases: Mapping[str, str]
    ) -> LiveSource:
        """Have the deployment make a source; the same descriptor, or ``{"id": …}``, gives the same source."""
        body: dict[str, object] = {"name": name, **_describe_origin(connector)}
        body |= {key: dict(said) for key, said in (("types", types), ("aliases", aliases)) if said}
        from service_nb.deployment.messages import SourceAnswer  # noqa: PLC0415  # lazy: as above

        hidden = list_secrets(connector)
        answer = self.deployment.post("/v1/sources", body, SourceAnswer, timeout_s=CONNECT_S, hidden=hidden)
        self._listed.forget()
        return self._build_source(name, answer)

    def open(self, name: str, wait_s: float = CONNECT_S) -> LiveSource:
        """Return a source that the deployment has, or raise `source_not_found`."""
        from service_nb.deployment.messages import SourceAnswer  # noqa: PLC0415  # lazy: as above

        answer = self.deployment.get(f"/v1/sources/{_quote_segment(name)}", SourceAnswer, timeout_s=wait_s)
        self._soon.note_answer()
        return self._build_source(name, answer)

    def open_named(self, name: str) -> LiveSource:
        """Open a source that a question names, as `open` does, but wait a few seconds at most."""
        try:
            return self._soon.call(NAMED_S, lambda: self.open(name, NAMED_S))
        except SilentError as silent:
            from service_nb.deployment.faults import build_unavailable  # noqa: PLC0415  # lazy: as above

            when = f"does not answer within {NAMED_S:g} s" if silent.is_new else "did not answer the previous call"
            raise build_unavailable(
                "timed_out",
                f"{describe_value(name)} is not connected, and the deployment at {self.address.host} {when}.",
                passes=True,
                hint=f"Retry in {silent.left_s:.0f} s, or use `connect(name=…)`, which retries now and waits longer.",
                met=name,
            ) from None

    def refresh(self, name: str) -> LiveSource:
        """Have the deployment describe a source as it is now."""
        from service_nb.deployment.messages import SourceAnswer  # noqa: PLC0415  # lazy: as above

        answer = self.deployment.post(f"/v1/sources/{_quote_segment(name)}", None, SourceAnswer, timeout_s=CONNECT_S)
        self._listed.forget()
        return self._build_source(name, answer)

    def forget(self, name: str) -> None:
        """Have the deployment forget a source, or raise `source_not_found`."""
        self.deployment.delete(f"/v1/sources/{_quote_segment(name)}", timeout_s=LIST_S)
        self._listed.forget()

    def list_names(self) -> list[str]:
        """List the names of the deployment's sources, sorted."""
        return sorted({source.name for source in self._listed.fetch()})

    def list_offered(self, wait_s: float) -> Offered:
        """List the sources of the deployment that are known within `wait_s`; never raises."""
        told, fault = self._listed.wait(wait_s)
        if told is None and fault is None:
            fault = _build_late_error()  # nothing is known, which is not the same as that there is nothing
        return Offered(sources=tuple(self._list_readable(told or [])), fault=fault)

    def _fetch_list(self) -> list[SourceAnswer]:
        from service_nb.deployment.messages import SourcesAnswer  # noqa: PLC0415  # lazy: as above

        return self.deployment.get("/v1/sources", SourcesAnswer, timeout_s=LIST_S).sources

    def _list_readable(self, answers: Sequence[SourceAnswer]) -> Iterator[LiveSource]:
        """Yield the readable sources; an unreadable one is refused with its reason when somebody connects it."""
        for answer in answers:
            with suppress(ServiceError):
                yield self._build_source(answer.name, answer)

    def _build_source(self, name: str, answer: SourceAnswer) -> LiveSource:
        from service_nb.engines.remote_source import RemoteEngine  # noqa: PLC0415  # lazy: as above

        fields = self._build_fields(answer)
        if answer.name != name:
            raise _build_mismatch_error(f"describes {describe_value(answer.name)}, and not {describe_value(name)}")
        if answer.schema_revision != hash_schema(fields):
            raise _build_mismatch_error("describes other columns than those of its schema_revision")
        engine = RemoteEngine(
            self.deployment,
            name,
            fields,
            answer.schema_revision,
            engine=answer.engine or "deployment",
            limits=self._limits,
            mark=answer.mark,
        )
        return LiveSource(
            name=name,
            fields=fields,
            row_count=answer.row_count,
            content=_build_content(answer),
            engine=engine,
            notes=tuple(make_visible(note[:1_000]) for note in answer.notes[:MOST_NOTES]),
            aliases=dict(answer.aliases),
            reading=_build_reading(answer),
            dataset=name,
            mark=answer.mark,
        )

    def _build_fields(self, answer: SourceAnswer) -> tuple[Field, ...]:
        if len(answer.typed_fields) > self._limits.columns:
            raise LimitExceededError(
                f"The source has {len(answer.typed_fields):,} columns; at most {self._limits.columns:,} are read.",
                limit=self._limits.columns,
                value=len(answer.typed_fields),
            )
        fields = tuple(
            Field(name=each.name, type=each.type, physical=each.physical, zone=each.zone or None)
            for each in answer.typed_fields
        )
        names = [field.name for field in fields]
        if names != answer.fields or len(set(names)) != len(names) or not all(map(_is_field, fields)):
            raise _build_mismatch_error("describes columns that no source has")
        return fields

    # --- connectors --------------------------------------------------------------------------------------------------

    def test(self, connector: Mapping[str, object], deadline_s: float) -> dict[str, object]:
        """Have the deployment try a connector: ``{"success": …, "message": …}``, by the deadline."""
        from service_nb.deployment.messages import TestAnswer  # noqa: PLC0415  # lazy: as above

        hidden = list_secrets(connector)
        answer = self.deployment.post(
            "/v1/connectors/test", {"descriptor": dict(connector)}, TestAnswer, timeout_s=deadline_s, hidden=hidden
        )
        told: dict[str, Any] = {"success": answer.success, "message": make_visible(answer.message[:2_000])}
        return told if answer.code is None else {**told, "code": make_visible(answer.code[:64])}

    def create(self, connector: Mapping[str, object], name: str | None) -> dict[str, object]:
        """Have the deployment keep a connector without a table or query, and return its description."""
        from service_nb.deployment.messages import ConnectorAnswer  # noqa: PLC0415  # lazy: as above

        body = {"descriptor": dict(connector), **({} if name is None else {"name": name})}
        hidden = list_secrets(connector)
        answer = self.deployment.post("/v1/connectors", body, ConnectorAnswer, timeout_s=CONNECT_S, hidden=hidden)
        return _describe_connector(answer)

    def list_connectors(self) -> list[dict[str, object]]:
        """List the connectors that the deployment keeps, by age, without their secrets."""
        from service_nb.deployment.messages import ConnectorsAnswer  # noqa: PLC0415  # lazy: as above

        return list(
            map(
                _describe_connector,
                self.deployment.get("/v1/connectors", ConnectorsAnswer, timeout_s=LIST_S).connectors,
            )
        )

    def forget_connector(self, connector_id: str) -> None:
        """Have the deployment forget a connector with its secrets; `forbidden` while sources use it."""
        self.deployment.delete(f"/v1/connectors/{_quote_segment(connector_id)}", timeout_s=LIST_S)

    def close(self) -> None:
        """Close the connections; the next call opens others."""
        self._listed.close()
        with self._lock:
            made = self._made
        if made is not None:
            made.close()


def list_secrets(connector: Mapping[str, object]) -> tuple[Secret, ...]:
    """List the literal secrets of a descriptor, so that errors can hide them."""
    return tuple(map(Secret, find_literal_secrets(connector).values()))


def _describe_origin(connector: Mapping[str, object]) -> dict[str, object]:
    """Describe the origin of a source: a whole descriptor, or a stored connector with a table or a query."""
    if "id" not in connector:
        return {"descriptor": dict(connector)}
    given = {key: connector[key] for key in connector if key in ("table", "query")}
    if not isinstance(connector["id"], str) or len(given) != 1 or set(connector) - {"id", "type", "table", "query"}:
        raise InvalidIntentError(
            "A stored connector takes its id and either a table or a query.",
            path="connector",
            expected='{"id": …, "table": …}',
        )
    return {"connector_id": connector["id"], **given}


def _describe_connector(answer: ConnectorAnswer) -> dict[str, object]:
    told = {"id": answer.id, "type": answer.type, "name": answer.name, "created": answer.created}
    return {key: value for key, value in told.items() if value is not None} | {"descriptor": dict(answer.descriptor)}


def _quote_segment(name: str) -> str:
    """Quote a name as one segment of a path; a name of dots would mean the folder above."""
    return quote(name, safe="").replace(".", "%2E") if name.strip(".") == "" else quote(name, safe="")


def _build_content(answer: SourceAnswer) -> Content:
    """Build the content record: a digest for pages that were read once, none for a database."""
    sha256 = answer.content.sha256
    if answer.content.algorithm == "sha256-arrow" and sha256 is not None and _DIGEST.fullmatch(sha256):
        return Content(algorithm="sha256-arrow", sha256=sha256, size=answer.row_count)
    return Content(algorithm="live", sha256=None, size=answer.row_count)


def _build_reading(answer: SourceAnswer) -> Reading:
    """Build the reading: the declared types of the columns that are visible."""
    told = {} if answer.reading is None else answer.reading.types
    types = {name: told[name] for name in sorted(told) if name in answer.fields}
    return Reading(types=types) if types else Reading()


def _is_field(field: Field) -> bool:
    return (
        bool(field.name)
        and field.type in FIELD_TYPES
        and _PHYSICAL.fullmatch(field.physical) is not None
        and _TYPES.get(field.physical.partition("(")[0], field.physical) == field.type
    )


def _build_late_error() -> ServiceError:
    from service_nb.deployment.faults import build_unavailable  # noqa: PLC0415  # lazy: as above

    return build_unavailable(
        "timed_out", "The deployment has not answered yet.", passes=True, hint="Its sources appear when it answers."
    )


def _build_mismatch_error(what: str) -> ServiceError:
    return AnswerMismatchError(f"The deployment's answer {what}.", hint="Nothing was registered. Connect it again.")
