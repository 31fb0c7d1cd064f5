"""Ways on from an error, a refusal or an empty answer in a notebook: a line that means what was typed, or a page.

Lines of one kind stand under one heading: "Did you mean" (the same, rightly written), a question (they differ in what
it asks), "Look at" (pages that say more; they answer nothing). A line that just failed is never among them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from service_nb.client.advice.notations import find_page
from service_nb.client.advice.offers import MEANT, MOST_LINES, READ_AGAIN, Face, find_offer, fold_value
from service_nb.client.advice.trial import can_ask, can_compute
from service_nb.compute.foreign_names import find_absent, find_counterpart
from service_nb.core.words import find_slip, write_name
from service_nb.errors import ServiceError
from service_nb.notebook.connect_lines import list_connect_lines, list_near_files, repair_connect_line
from service_nb.query.condition_groups import list_form_leaves
from service_nb.query.similar_names import fold_name

if TYPE_CHECKING:
    from service_nb.client.service import Service
    from service_nb.notebook.magic import Magic
    from service_nb.notebook.session import ServiceMagics

PAGES, CONNECT = "Look at", "Connect a source first"
_DROPPING = "--null-policy drop"  # what the hint of a column with nulls says
_NAME = re.compile(r"[A-Za-z_][\w.]*", re.ASCII)
_ROWS = re.compile(r"(?P<name>.*\S)\s+(?P<rows>\d{1,4})\s*")  # how people ask for a few rows
_NOT_FOUND = re.compile(r"(?:Line|Cell) magic(?: function)? `%%?(?P<name>\w+)`? not found")
_SOURCE_PAGES = ("%service_preview {}", "%service_profile {}")


class Ways(NamedTuple):
    """Lines of one kind, and what they are."""

    heading: str = PAGES
    lines: tuple[str, ...] = ()
    says: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Met:
    """An error, and the magic whose line it ended."""

    error: ServiceError
    session: ServiceMagics
    magic: Magic
    line: str  # behind the magic
    cell: str | None = None

    @property
    def client(self) -> Service:
        """The client of the notebook."""
        return self.session.service

    @property
    def asked(self) -> str:
        """The question or computation: that on the line, or in the cell below it."""
        read = self.magic.attempt(self.line)
        on_line = read.question.strip() if read is not None else self.line
        return on_line or (self.cell or "").strip()

    @property
    def whole(self) -> str:
        """The line as it was typed, where it is one that can be typed again."""
        return f"{self.magic.magic} {self.line.strip()}".strip() if not self.cell else ""


def add_lines(met: Met) -> None:
    """Add to an error the lines that lead on from it; one that has them keeps them."""
    if met.error.lines:
        return
    with suppress(Exception):  # advice must never hide the error that it is for
        ways = find_ways(met)
        met.error.heading, met.error.lines = ways.heading, list(ways.lines)


def find_ways(met: Met) -> Ways:
    """Find the lines that lead on from an error: what was meant, what is asked, or pages."""
    for heading, lines in _list_ways(met):
        fit = tuple(line for line in dict.fromkeys(lines) if line != met.whole and is_runnable(line, met.session))
        if fit:
            return Ways(heading, fit[:MOST_LINES])
    return Ways(PAGES, ("%service_help",))


def _list_ways(met: Met) -> Iterator[tuple[str, Iterable[str]]]:
    yield MEANT, _list_repaired(met)
    code, name = met.error.code, met.magic.name
    if name in ("service_ask", "service_explain"):
        yield from _list_asked_pages(met)
    if met.whole and _DROPPING in (met.error.hint or ""):
        yield "Leave out what has no value?", [f"{met.whole} {_DROPPING}"]
    if name == "service_connect" and code in ("source_already_registered", "source_changed"):
        yield "Replace what has that name?", [f"{met.whole} --replace"]
    encodings = met.error.details.get("encodings") or ()
    if name == "service_connect" and met.whole and encodings:
        yield "Which encoding is it?", [f"{met.whole} --encoding {each}" for each in encodings]
    if name == "service_connect" and code in ("source_not_found", "source_unreadable"):
        near = [*list_near_files(met.line)]
        yield MEANT if len(near) == 1 else "Which file is it?", near
    if name == "service_connect" and not met.line.strip():
        yield "Which file or frame?", list_connect_lines(met.session)
    if code in _PAGES:
        yield PAGES, _PAGES[code]
    if not met.client.sources() and name in ("service_ask", "service_explain", "service_preview", "service_profile"):
        yield CONNECT, list_connect_lines(met.session, wanted=met.asked)
    yield PAGES, list_pages(met.magic.name, met.asked, met.session, str(met.error.details.get("capability", "")))


def _list_asked_pages(met: Met) -> Iterator[tuple[str, Iterable[str]]]:
    """Yield the page that a line of another tool asks for: `orders.head(10)`; which source, if none has its name."""
    page, typed = find_page(met.asked)
    sources = [str(each["name"]) for each in met.client.sources()]
    named = [each for each in sources if fold_name(each) == fold_name(typed)]
    if page and (named or not typed):
        yield MEANT, [f"%{page.format(*map(write_name, named[:1]))}"]
    elif page and len(sources) <= MOST_LINES:
        yield f"Which source is `{typed}`?", [f"%{page.format(write_name(each))}" for each in sources]


# The pages about an error, by its code.
_PAGES: Mapping[str, tuple[str, ...]] = {
    "login_required": ("%service_login",),
    "source_changed": ("%service_sources",),
    "connector_not_found": ("%service_sources",),
    "policy_denied_source": ("%service_policy", "%service_sources"),
    "policy_denied_field": ("%service_policy",),
    "policy_denied_function": ("%service_policy",),
    "result_not_found": ("%service_log",),
    "evidence_invalid": ("%service_log",),
    "engine_failed": ("%service_last_error --full", "%service_doctor"),
    **dict.fromkeys(
        ("deployment_unavailable", "runtime_provision_failed", "unsupported_platform", "ledger_unavailable",
         "compute_runtime_unavailable"),
        ("%service_doctor",),
    ),
}  # fmt: skip


def list_pages(magic: str, asked: str, session: ServiceMagics, capability: str = "") -> Iterator[str]:
    """Yield the pages that say more about what a line names: its capability, its source, what a search finds.

    `capability` is the one that the line was read as, arguments included; without it the name alone says which.
    """
    client = session.service
    if magic in ("service_compute", "service_help", "service_search"):
        known = client.capabilities()
        named = next((each for each in (capability, *_NAME.findall(asked)) if each in known), None)
        counterpart = find_counterpart(asked) if named is None else None
        if named or counterpart:
            yield f"%service_help {named or (counterpart.capability if counterpart else '')}"
        absent = find_absent(asked)
        yield from (f"%service_help {each}" for each in (absent.nearest if absent else ()))
        words = " ".join(re.findall(r"[^\W\d]{3,}", asked)[:4])
        if words and named is None and client.search_capabilities(words, 1):
            yield f"%service_search {words}"
        return
    if magic in ("service_verify", "service_replay", "service_check", "service_log"):
        yield from ("%service_log", f"%{magic} --help")
        return
    names = [str(each["name"]) for each in client.sources()]
    meant = [name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", asked, re.IGNORECASE)]
    for name in meant or (names if len(names) == 1 else []):
        yield from (page.format(write_name(name)) for page in _SOURCE_PAGES)
    yield f"%{magic} --help" if magic not in ("service_ask", "service_explain") else "%service_sources"


def is_runnable(line: str, session: ServiceMagics) -> bool:
    """Tell whether a line of ours would run: its words fit, and what it names is there."""
    if not line.startswith("%service_"):
        return line.startswith("%pip ")
    name, _, rest = line[1:].partition(" ")
    record = session.records.get(name)
    read = record.attempt(rest) if record is not None else None
    if record is None or read is None:
        return False
    if rest.strip() == "--help":
        return True
    with suppress(ServiceError):
        record.check_words(read, record.words)
        match name:
            case "service_ask" | "service_explain":
                return can_ask(read.question.strip(), session.service, session.shell.user_ns)
            case "service_compute":
                return can_compute(read.question.strip(), session.service, session.shell.user_ns)
            case "service_help":
                return not read.words or bool(session.service.capability(read.words[0].text))
            case "service_log":
                return bool(session.service.log(1))
            case _:
                return True
    return False


def _list_repaired(met: Met) -> Iterator[str]:
    """Yield the line with what is wrong put right: one letter of a word, the order of the words of a connection."""
    meant, word = met.error.details.get("did_you_mean"), met.error.details.get("met")
    if isinstance(word, str) and meant and met.line.count(word) == 1:
        near = find_slip(word, meant if isinstance(meant, list) else [str(meant)])
        if near is not None:
            yield met.whole.replace(word, near)
    if isinstance(word, str) and met.error.code == "source_not_found" and met.magic.name != "service_connect":
        near = find_slip(word, [str(each["name"]) for each in met.client.sources()])
        if near is not None:
            yield f"{met.magic.magic} {met.line.replace(word, near, 1)}"
    if met.magic.name == "service_help":
        near = find_slip(met.line.strip(), met.client.capabilities())
        if near is not None:
            yield f"%service_help {near}"
    if met.magic.name == "service_connect":
        mended = repair_connect_line(met.line, met.session.shell.user_ns)
        if mended is not None:
            yield mended
    elif met.magic.name == "service_preview" and (rows := _ROWS.fullmatch(met.line)) is not None:
        yield f"%service_preview {rows['name']} --rows {rows['rows']}"
    if met.error.code == "driver_missing":
        found = re.search(r"service-nb\[[\w,-]+\]", met.error.hint or "")
        if found is not None:
            yield f'%pip install "{found.group()}"'


# --- refusals and empty answers ---------------------------------------------------------------------------------------


def find_ways_after(session: ServiceMagics, question: str, outcome: Mapping[str, Any]) -> Ways:
    """Find what leads on from a refusal without candidates, or from an answer without a row."""
    resolution = outcome["resolution"]
    if outcome["status"] == "ok":
        return _find_empty_ways(session, outcome)
    if resolution["candidates"]:
        return Ways()
    if resolution["rejection_reason"] == "unknown_field":  # `by year`, where it is a period
        offer = find_offer(
            question, session.service, Face(ask="%service_ask {}".format, compute=_write_call), computes=False
        )
        if offer.lines:
            return Ways(offer.heading, tuple(offer.lines))
    connect = (outcome.get("details") or {}).get("connect")
    if connect is not None:
        return Ways(READ_AGAIN, (str(connect),))
    if resolution["rejection_reason"] in ("no_source", "unknown_source"):
        lines = [each for each in list_connect_lines(session, wanted=question) if is_runnable(each, session)]
        if lines:
            return Ways(CONNECT, tuple(lines[:MOST_LINES]))
    pages = [line for line in list_pages("service_ask", question, session) if is_runnable(line, session)]
    return Ways(PAGES, tuple(pages[:MOST_LINES]))


def _find_empty_ways(session: ServiceMagics, outcome: Mapping[str, Any]) -> Ways:
    """Say why an answer has no value: no row meets its conditions, or all values are null."""
    plan, rows = outcome["resolution"].get("plan") or {}, outcome["data"]["result"]
    if "aggregation" not in plan or (plan.get("group_by") and rows):
        return Ways()
    source, metric = write_name(str(plan["source_name"])), plan.get("metric")
    if rows and rows[0].get("count") != 0:
        if metric is None or rows[0].get(metric, 0) is not None or not isinstance(rows[0].get("count"), int):
            return Ways()
        few = "the row that counts" if rows[0]["count"] == 1 else f"all {rows[0]['count']:,} rows that count"
        return Ways(says=f"There is no value: {write_name(metric)} is null in {few}.")
    leaves = [each for each in list_form_leaves((plan.get("filter") or {}).get("conditions") or ()) if "column" in each]
    if not leaves:
        return Ways()
    line = str(outcome["resolution"].get("ask") or outcome.card["view"]["ask"])  # type: ignore[attr-defined]
    for leaf in leaves:
        for near in _list_near_values(leaf, str(plan["source_name"]), session.service):
            changed = line.replace(_quote(str(leaf["value"])), _quote(near))
            if can_ask(changed, session.service, session.shell.user_ns):
                says = f"No row has {write_name(leaf['column'])} = {_quote(str(leaf['value']))}."
                return Ways(f"Which {leaf['column']} is {leaf['value']}?", (f"%service_ask {changed}",), says)
    says = f"No row of {source} meets {'the condition' if len(leaves) == 1 else 'all conditions'}."
    return Ways(PAGES, (f"%service_profile {source}",), says)


def _list_near_values(leaf: Mapping[str, Any], source: str, client: Service) -> list[str]:
    """List the one value of a column that a condition's text is but for case, accents or one letter."""
    value = leaf.get("value")
    if not isinstance(value, str) or leaf["op"] != "eq":
        return []
    known = {fold_value(each): each for each in client.values(source, str(leaf["column"]))}
    near = fold_value(value) if fold_value(value) in known else find_slip(fold_value(value), known)
    return [known[near]] if near is not None and known[near] != value else []


def _write_call(line: str, over: str | None) -> str:
    return f"%service_compute {line}" + (f" --over {over}" if over is not None else "")


def list_columns_after_refusal(session: ServiceMagics, outcome: Mapping[str, Any]) -> str:
    """List the columns that there are, where the question named one that there is not; else nothing."""
    if outcome["status"] == "ok" or outcome["resolution"]["rejection_reason"] != "unknown_field":
        return ""
    sources = session.service.sources()
    named = re.match(r"(?P<source>.+?) has no column ", outcome["resolution"].get("reason") or "")
    source = next((each for each in sources if named is not None and each["name"] == named["source"]), None)
    if source is None:
        return ""
    names = [write_name(str(each["name"])) for each in source["typed_fields"]]
    more = f" and {len(names) - _MOST_COLUMNS:,} more" if len(names) > _MOST_COLUMNS else ""
    return f"{write_name(str(source['name']))} has {', '.join(names[:_MOST_COLUMNS])}{more}."


_MOST_COLUMNS = 12  # that a refusal lists


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


# --- magics that are none ---------------------------------------------------------------------------------------------

_MEANT: Mapping[str, tuple[str, ...]] = {
    "service_connect": ("load", "read", "open", "import", "csv", "upload"),
    "service_ask": ("query", "sql", "question"),
    "service_compute": ("calc", "calculate", "run"),
    "service_search": ("find",),
    "service_sources": ("list", "tables", "data", "datasets"),
    "service_preview": ("show", "head", "view"),
    "service_profile": ("describe", "summary", "info"),
    "service_log": ("history",),
    "service_disconnect": ("delete", "remove", "drop", "forget", "close", "unload", "detach"),
}
_LOOKED_AT = ("service_disconnect",)  # which other words than these may mean, so that it is no correction
_TOLD: Mapping[tuple[str, ...], str] = {
    ("export", "save", "download", "csv_export", "to_csv"): "An outcome writes its rows: outcome.to_csv('rows.csv').",
    (
        "plot",
        "chart",
        "graph",
        "draw",
        "bar",
    ): "A question draws with --chart: %service_ask … --chart, or outcome.plot().",
}


def find_ways_after_unknown_magic(session: ServiceMagics, error: BaseException, cell: str) -> Ways:
    """Find what a magic that nobody has may have meant; nothing for one that is not like ours."""
    found = _NOT_FOUND.search(str(error))
    name = found["name"] if found else ""
    bare = name.removeprefix("service").strip("_").lower()
    short = {known.removeprefix("service_"): known for known in session.records}
    says = next((told for words, told in _TOLD.items() if bare in words), "") if name.startswith("service") else ""
    typed = re.search(rf"%%?{re.escape(name)}(?P<rest>[^\n]*)(?P<body>(?:\n.*)?)", cell, re.DOTALL)
    rest = " ".join(part.strip() for part in typed.groups() if part.strip()) if typed else ""
    if says:
        drawn = f"%service_ask {rest} --chart"
        is_drawn = "--chart" in says and " by " in rest and can_ask(rest, session.service, session.shell.user_ns)
        return Ways(MEANT, (drawn,), says) if is_drawn else Ways(PAGES, ("%service_ask --help",), says)
    meant = next((magic for magic, words in _MEANT.items() if bare in words), None) if name != bare else None
    slip = find_slip(name, session.records) or find_slip(bare, short)
    near = meant or (bare in short and short[bare]) or short.get(slip or "", slip if slip in session.records else None)
    if not near:
        return Ways(PAGES, ("%service_help",)) if name.startswith("service") else Ways()
    line = f"%{near} {rest}".strip()
    if "\n" not in rest and is_runnable(line, session):
        return Ways(PAGES if near in _LOOKED_AT and near == meant else MEANT, (line,))
    if near in ("service_ask", "service_compute"):
        face = Face(ask="%service_ask {}".format, compute=_write_call)
        offer = find_offer(rest, session.service, face, computes=near == "service_compute")
        if offer.lines:
            return Ways(offer.heading, tuple(offer.lines), offer.says)
    return Ways(PAGES, (f"%{near} --help",))
