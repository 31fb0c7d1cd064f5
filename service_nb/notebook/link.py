"""The kernel's half of the link: one answer for each message, over any transport; and the lines that it writes.

A front end asks what there is, what a question resolves to, whether a call fits its capability, and for replays. It
never asks for a question or a computation to be run: those are cells, which a reader can see. What comes is believed
of nobody, and nothing is answered that the client's policy does not allow.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from service_nb._version import __version__
from service_nb.cards.formulas import write_formula
from service_nb.cards.page_blocks import ColumnLook, write_literal
from service_nb.compute.capability_index import MAX_LIMIT
from service_nb.compute.contract import format_signature, format_type, read_capability
from service_nb.core.words import clip, describe_value, find_nearest
from service_nb.errors import InvalidIntentError, ServiceError
from service_nb.notebook.body import read_question
from service_nb.notebook.link_message import (
    VERSION,
    Arguments,
    Count,
    LinkRequest,
    Name,
    Offset,
    Text,
    check_size,
    is_known_version,
    read_id,
    read_message,
)
from service_nb.notebook.question_magics import ASK, COMPUTE
from service_nb.query.ask_line import format_ask
from service_nb.query.spec import parse_spec, write_spec
from service_nb.schema.source import Bin, Frequent

if TYPE_CHECKING:
    from service_nb.client.live_sources import Offer
    from service_nb.client.service import Service

MOST_HITS = 100
WAIT_S = 2.0  # for a deployment to say what it has
LONGEST_VALUE = 100  # characters of a value that is named
LONGEST_MESSAGE = 4_000  # characters of an error's words


def answer_message(message: object, session: object) -> dict[str, object]:
    """Answer one message. Never raises, whatever the message is.

    Parameters
    ----------
    message : mapping
        ``{"service_nb": 1, "id": …, "method": …, "params": {…}}``
    session : ServiceMagics or Service
        Whose client is asked; magics also lend their notebook's variables to calls that name them.

    Returns
    -------
    dict
        ``{"service_nb": 1, "id": …}`` and either `result` or `error`, ``{"code": …, "message": …, "hint": …}``.
    """
    head = {"service_nb": VERSION, "id": read_id(message)}
    if not is_known_version(message):
        return {**head, "error": _describe_error("unknown_version", *_OTHER_VERSION)}
    try:
        return {**head, "result": _run_method(message, session)}
    except ServiceError as error:
        return {**head, "error": _describe_error(error.code, error.message, error.hint)}
    except KeyboardInterrupt:
        told = _describe_error("interrupted", "It was interrupted.", "Sources and session are intact.")
        return {**head, "error": told}
    except Exception as error:  # noqa: BLE001  # of what nobody expected only the kind is told: its words may be private
        return {**head, "error": _describe_error("internal", f"An unexpected {type(error).__name__}.", _REPORT)}


_OTHER_VERSION = (
    f"This kernel's service_nb {__version__} uses version {VERSION} of the protocol; the front end uses another.",
    "Install the same version of service_nb where JupyterLab runs and where the kernel runs.",
)
_REPORT = "This is a bug of service_nb. Run the same with a magic; %service_last_error --full then shows the traceback."


def _describe_error(code: str, message: str, hint: str | None) -> dict[str, str | None]:
    return {"code": code, "message": _clip(message), "hint": None if hint is None else _clip(hint)}


def _clip(words: str) -> str:
    """Cut words to a length that can be sent, and replace lone surrogates."""
    return words[:LONGEST_MESSAGE].encode("utf-8", "replace").decode()


def _run_method(message: object, session: Any) -> dict[str, object]:
    check_size(message)
    request = read_message("The message", message, LinkRequest)
    shape = METHODS.get(request.method)
    if shape is None:
        near = find_nearest(request.method, METHODS)
        raise InvalidIntentError(
            f"method is {describe_value(request.method)}; expected {', '.join(METHODS)}.",
            hint=f"Did you mean {near[0]!r}?" if near else None,
            path="method",
        )
    method = read_message("params", request.params, shape)
    client = session if callable(getattr(session, "ask", None)) else session.service
    shell = getattr(session, "shell", None)
    return method.answer(LinkAsker(client, {} if shell is None else shell.user_ns))


# --- the methods ------------------------------------------------------------------------------------------------------


class LinkAsker(NamedTuple):
    """A client, and the variables of the notebook that it is asked from."""

    client: Service
    variables: Mapping[str, object]


class LinkMethod(msgspec.Struct, forbid_unknown_fields=True):
    """A method of the link: its fields are the parameters that it takes."""

    def answer(self, asker: LinkAsker) -> dict[str, object]:
        """Answer it, as the asker's client may."""
        raise NotImplementedError


class _Hello(LinkMethod):
    def answer(self, asker: LinkAsker) -> dict[str, object]:
        return {
            "version": VERSION,
            "made_by": f"service_nb {__version__}",
            "contract_hash": asker.client.contract_hash,
            "capabilities": len(asker.client.capabilities()),
            "project": asker.client.project.resolve().name,
        }


class _Sources(LinkMethod):
    def answer(self, asker: LinkAsker) -> dict[str, object]:
        told = asker.client.unconnected(wait=WAIT_S)
        pages = [*map(describe_source, asker.client.sources()), *map(describe_offer, told.sources)]
        return {"sources": pages} | ({} if told.fault is None else {"fault": _clip(told.fault.message)})


class _Values(LinkMethod):
    source: Name
    field: Name

    def answer(self, asker: LinkAsker) -> dict[str, object]:
        return {"values": list(asker.client.values(self.source, self.field))}


class _Look(LinkMethod):
    source: Name

    def answer(self, asker: LinkAsker) -> dict[str, object]:
        """Tell what is known of the columns of a source, as its policy allows."""
        look = asker.client.look(self.source)
        return {"columns": [_describe_column(name, each) for name, each in look.columns.items()]}


class _Search(LinkMethod):
    query: Text
    limit: Count

    def answer(self, asker: LinkAsker) -> dict[str, object]:
        """List what a search finds, and how many there are in all; without words, the first capabilities by name."""
        limit = min(self.limit, MOST_HITS)
        if not self.query.strip():
            names = asker.client.capabilities()
            hits = [_describe_hit(asker.client.capability(name)) for name in names[:limit]]
            return {"hits": hits, "count": len(names)}
        found = asker.client.search_capabilities(self.query, MAX_LIMIT)
        keys = ("name", "signature", "tier", "grade")
        hits = [
            {**{key: hit[key] for key in keys}, "summary": f"{hit['note']} {hit['summary']}".strip()}
            for hit in found[:limit]
        ]
        return {"hits": hits, "count": len(found)}


class _Capability(LinkMethod):
    name: Name

    def answer(self, asker: LinkAsker) -> dict[str, object]:
        return describe_capability(asker.client.capability(self.name))


class _CheckAsk(LinkMethod):
    spec: dict[str, Any]

    def answer(self, asker: LinkAsker) -> dict[str, object]:
        told = asker.client.resolve(self.spec)
        return {
            "status": told["status"],
            "line": write_ask_line(self.spec),
            "plan": list(told.get("steps", ())),
            "reason": told["reason"],
            "candidates": [{key: str(each[key]) for key in ("slot", "name", "ask")} for each in told["candidates"]],
        }


class _CheckCall(LinkMethod):
    name: Name
    arguments: Arguments

    def answer(self, asker: LinkAsker) -> dict[str, object]:
        from service_nb.notebook.link_calls import check_call  # noqa: PLC0415  # it writes lines with what is here

        return check_call(asker.client, asker.variables, self.name, self.arguments)


class _Replay(LinkMethod):
    id: Name
    card: dict[str, Any] | None = None

    def answer(self, asker: LinkAsker) -> dict[str, object]:
        with closing(asker.client.replaying()) as replaying:
            if self.card is None:
                outcome = replaying.replay_result(self.id)
            else:
                outcome = replaying.replay_shown(self.id, self.card)
        return {key: outcome[key] for key in ("status", "message", "cause")}


class _ReadResult(LinkMethod):
    id: Name
    form: Literal["text", "parquet"]
    at: Offset

    def answer(self, asker: LinkAsker) -> dict[str, object]:
        from service_nb.notebook.link_results import read_part  # noqa: PLC0415  # as for a call

        return read_part(asker.client, self.id, self.form, self.at)


METHODS: Mapping[str, type[LinkMethod]] = {
    "hello": _Hello,
    "sources": _Sources,
    "values": _Values,
    "look": _Look,
    "search": _Search,
    "capability": _Capability,
    "check_ask": _CheckAsk,
    "check_call": _CheckCall,
    "replay": _Replay,
    "read_result": _ReadResult,
}


# --- sources and capabilities -----------------------------------------------------------------------------------------


def describe_source(source: Mapping[str, Any]) -> dict[str, object]:
    """Describe a source with its fields. `provider` is what was read: files, or values that a session had in memory."""
    named: dict[str, list[str]] = {}
    for alias, target in source["aliases"].items():
        named.setdefault(target, []).append(alias)
    return {
        "name": source["name"],
        "source_id": source["source_id"],
        "schema_revision": source["schema_revision"],
        "row_count": source["row_count"],
        "provider": source["content"]["algorithm"].removeprefix("sha256-").replace("arrow", "values"),
        "fields": [
            _describe_field(field["name"], field["type"], field["physical"], named.get(field["name"], ()))
            for field in source["typed_fields"]
        ],
    }


def describe_offer(offer: Offer) -> dict[str, object]:
    """Describe a source that is not connected; of one that only `service.toml` keeps no column is known."""
    return {
        "name": offer.name,
        "source_id": "",
        "schema_revision": "",
        "row_count": offer.row_count or 0,
        "provider": offer.place,
        "connected": False,
        "fields": [_describe_field(field.name, field.type, field.physical) for field in offer.fields],
    }


def _describe_field(name: str, type: str, physical: str, aliases: Iterable[str] = ()) -> dict[str, object]:  # noqa: A002
    # No source declares a column that can hold no null.
    return {"name": name, "type": type, "physical": physical, "nullable": True, "aliases": sorted(aliases)}


def _describe_column(name: str, look: ColumnLook) -> dict[str, object]:
    """Describe a column: its bins have an end, its frequent values none; long texts are cut."""
    counts = None if look.counts is None else [_describe_count(each) for each in look.counts]
    ends = {key: None if text is None else clip(text, LONGEST_VALUE) for key, text in _list_ends(look)}
    return {"name": name, "nulls": look.nulls, "distinct": look.distinct, **ends, "counts": counts}


def _list_ends(look: ColumnLook) -> Iterable[tuple[str, str | None]]:
    return (("minimum", look.minimum), ("maximum", look.maximum))


def _describe_count(count: Bin | Frequent) -> dict[str, object]:
    below = count.high if isinstance(count, Bin) else None
    first = count.low if isinstance(count, Bin) else clip(count.value, LONGEST_VALUE)
    return {"value": first, "below": below, "rows": count.rows}


def describe_capability(entry: Mapping[str, Any]) -> dict[str, object]:
    """Describe a capability, with what a form of its arguments needs."""
    result, examples = entry["result"], _find_examples(entry)
    return {
        **_describe_hit(entry),
        "source": entry["source"],
        "params": [_describe_parameter(table, examples.get(table["name"])) for table in entry["params"]],
        "result": {"type": format_type(result), "unit": _join_units(result), "about": result.get("about", "")},
        "formula": entry.get("formula") or write_formula("", entry.get("latex", "")) or None,
        "latex": entry.get("latex"),
        "needs_seed": entry["tier"] == "seeded",
    }


def _describe_hit(entry: Mapping[str, object]) -> dict[str, str]:
    capability = read_capability(entry)
    return {
        "name": capability.id,
        "summary": capability.summary,
        "signature": format_signature(capability),
        "tier": capability.tier,
        "grade": capability.grade,
    }


def _describe_parameter(table: Mapping[str, Any], example: Any) -> dict[str, object]:
    return {
        "name": table["name"],
        "type": table["type"],
        "unit": table.get("unit", "1"),
        "domain": table.get("domain"),
        "about": table.get("about", ""),
        "symbol": write_formula("", table.get("symbol") or "") or None,
        "shape": [str(size) for size in table.get("shape", ())],
        "choices": [str(choice) for choice in table.get("choices", ())],
        "example": None if example is None else write_literal(example),
        **({"default": write_literal(table["default"])} if "default" in table else {}),
    }


def _find_examples(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Find the arguments of the first case that has a value."""
    for case in entry.get("cases", ()):
        if "result" in case:
            arguments: Mapping[str, Any] = case["arguments"]
            return arguments
    return {}


def _join_units(result: Mapping[str, Any]) -> str:
    if result["type"] != "record":
        return str(result.get("unit", "1"))
    return ", ".join(f"{name}: {field.get('unit', '1')}" for name, field in result["fields"].items())


# --- lines ------------------------------------------------------------------------------------------------------------

_BREAKS = ("\n", "\r", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029")


def write_ask_line(spec: Mapping[str, object]) -> str:
    """Write the magic that asks a question: one line where a line can say it, else a cell of JSON."""
    wanted = write_spec(parse_spec(spec))
    line = format_ask(wanted)
    if _fits_line(line) and _is_read_as(line, wanted):
        return f"{ASK.magic} {line}"
    return f"%{ASK.magic}\n{json.dumps(wanted, ensure_ascii=False, indent=2, default=str)}"


def write_compute_line(name: str, arguments: Mapping[str, str]) -> str:
    """Write the magic that makes a call, whose arguments are texts of a compute line."""
    line = " ".join([name, *(f"{parameter}={text}" for parameter, text in arguments.items())])
    return f"{COMPUTE.magic} {line}" if _fits_line(line) else f"%{COMPUTE.magic}\n{line}"


def _fits_line(line: str) -> bool:
    return not any(mark in line for mark in _BREAKS) and not line.endswith((";", "?"))


def _is_read_as(line: str, wanted: Mapping[str, object]) -> bool:
    """Tell whether the magic reads the line, after it takes the options out, as the same question."""
    try:
        return write_spec(parse_spec(read_question(ASK.read(line).question))) == wanted
    except ServiceError:
        return False
