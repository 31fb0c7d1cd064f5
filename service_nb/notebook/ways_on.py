"""Ways on from an error or a refusal: magics that run as they stand, with the names of this notebook.

Every line is tried before it is shown: a question is resolved, a computation checked, a file looked for. What a policy
hides is in none of them, for all names come from the client. JupyterLab shows a button beside each line.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from service_nb.cards.page_blocks import write_example
from service_nb.client.call_advice import complete_computations
from service_nb.client.line_trial import can_compute, list_runnable_questions
from service_nb.client.question_advice import (
    find_unread_column,
    find_unread_order,
    guess_questions,
    list_near_values,
)
from service_nb.client.starting_lines import suggest_computation, suggest_questions
from service_nb.core.canonical import parse_strict
from service_nb.core.words import find_nearest, write_name
from service_nb.errors import ServiceError
from service_nb.notebook.connect_lines import list_connect_lines, repair_connect_line

if TYPE_CHECKING:
    from service_nb.client.service import Service
    from service_nb.notebook.magic import Magic
    from service_nb.notebook.session import ServiceMagics

MOST_LINES = 4
MOST_COLUMNS = 12  # that a refusal lists
_ALIKE = 0.8  # of a magic's name
_ASKING = ("service_ask", "service_explain")
_DROPPING = "--null-policy drop"  # what the hint of a column with nulls says
_CAPABILITY = re.compile(r"\b[a-z_]\w*\.[a-z_]\w*\b", re.ASCII)
_MAGIC = re.compile(r"(?P<sign>%%?|!)?(?P<name>[A-Za-z_]\w*)(?P<rest>(?:[ \t].*)?)", re.DOTALL)
_ROWS = re.compile(r"(?P<name>.*\S)\s+(?P<rows>\d{1,4})\s*")  # how people ask for a few rows
_DRAWN = ("plot", "chart", "graph", "draw", "bar")
_NOT_FOUND = re.compile(r"(?:Line|Cell) magic(?: function)? `%%?(?P<name>\w+)`? not found")


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
    def whole(self) -> str | None:
        """The line as it was typed, where it is one that can be typed again."""
        return f"{self.magic.magic} {self.line.strip()}".strip() if not self.cell else None


# --- errors -----------------------------------------------------------------------------------------------------------


def add_lines(met: Met) -> None:
    """Add to an error the lines that lead on from it; one that has them keeps them."""
    if met.error.lines:
        return
    # Advice must never hide the error that it is for, whatever a half-written line makes of it.
    with suppress(Exception):
        met.error.lines = list(_choose_lines(met))


def _choose_lines(met: Met) -> list[str]:
    ways = _WAYS.get(met.error.code)
    lines = [*(ways(met) if ways is not None else ()), *_repair_words(met), *_list_ways_of_magic(met)]
    runnable = [line for line in dict.fromkeys(lines) if is_runnable(line, met.session)]
    return runnable[:MOST_LINES] or ["%service_help"]


def is_runnable(line: str, session: ServiceMagics) -> bool:
    """Tell whether a line of ours would run: its words fit, and what it names is there."""
    if not line.startswith("%service_"):
        return line.startswith("%pip ")
    name, _, rest = line[1:].partition(" ")
    record = session.records.get(name)
    read = record.attempt(rest) if record is not None else None
    if record is None or read is None:
        return False
    with suppress(ServiceError):
        record.check_words(read, record.words)
        match name:
            case "service_ask" | "service_explain":
                asked = read.question.strip()
                return list_runnable_questions(asked, session.service, session.shell.user_ns)[:1] == [asked]
            case "service_compute":
                return can_compute(read.question.strip(), session.service, session.shell.user_ns)
            case "service_help":
                return not read.words or bool(session.service.capability(read.words[0].text))
            case "service_log":
                return bool(session.service.log(1))
            case _:
                return True
    return False


def _repair_words(met: Met) -> Iterator[str]:
    """Yield the line with the one word put right that the error names."""
    meant, word = met.error.details.get("did_you_mean"), met.error.details.get("met")
    if met.whole is None or not isinstance(word, str) or not word or not meant:
        return
    for each in meant if isinstance(meant, list) else [meant]:
        if met.line.count(word) == 1:
            yield met.whole.replace(word, str(each))


def _list_ways_of_magic(met: Met) -> Iterator[str]:
    """Yield what leads on from any error of a magic, with the names of the notebook."""
    name = met.magic.name
    if name == "service_connect":
        yield from list_connect_lines(met.session)
    elif name in _ASKING:
        yield from list_ways_to_ask(met.session, met.asked)
    elif name in ("service_compute", "service_help", "service_search"):
        yield from _list_capability_lines(met)
    elif name in ("service_sources", "service_refresh", "service_disconnect", "service_forget"):
        yield "%service_sources"
        yield from list_connect_lines(met.session)
    elif name in ("service_verify", "service_replay", "service_check", "service_log"):
        yield from _list_evidence_lines(met)


def list_ways_to_ask(session: ServiceMagics, asked: str = "") -> Iterator[str]:
    """Yield questions that can be answered; where nothing is connected, the lines that connect something."""
    client = session.service
    unread = find_unread_column(asked, client) if asked else None
    if unread is not None:
        yield unread.line
    questions = [*guess_questions(asked, client), *suggest_questions(client)] if asked else suggest_questions(client)
    yield from (f"%service_ask {question}" for question in questions)
    if not client.sources():
        yield from list_connect_lines(session, wanted=asked)


def _list_capability_lines(met: Met) -> Iterator[str]:
    unread = find_unread_column(met.asked, met.client) if met.magic.name == "service_compute" else None
    if unread is not None:
        yield unread.line
    if met.magic.name == "service_help":  # words about what a magic does
        magics = [f"service_{word}" for word in dict.fromkeys(re.findall(r"[a-z]+", met.asked.lower()))]
        yield from (f"%{name} --help" for name in magics if name in met.session.records)
    named = _CAPABILITY.search(met.asked)
    known = met.client.capabilities()
    word = named.group() if named else met.asked.split("(")[0].split(" ")[0]
    nearest = list(met.error.details.get("nearest_matches") or met.error.details.get("did_you_mean") or ())
    searched = word.rpartition(".")[2] if named else " ".join(re.findall(r"[A-Za-z]{2,}", met.asked)[:8])
    is_known = word in known
    hits = [hit["name"] for hit in met.client.search_capabilities(searched, 2)] if searched and not is_known else []
    for name in dict.fromkeys([*([word] if is_known else []), *nearest, *hits]):
        if name in known:
            if met.magic.name == "service_compute":
                yield from (f"%service_compute {each}" for each in complete_computations(met.asked, name, met.client))
                yield f"%service_compute {write_example(met.client.capability(name))}"
            yield f"%service_help {name}"
    words = " ".join(re.findall(r"[A-Za-z]{3,}", met.asked)[:4])
    if words and met.client.search_capabilities(words, 1):
        yield f"%service_search {words}"
    elif met.magic.name == "service_compute" and (example := suggest_computation(met.client)) is not None:
        yield f"%service_compute {example}"


def _list_evidence_lines(met: Met) -> Iterator[str]:
    if met.session.results and met.magic.name != "service_check":  # which needs a key
        yield f"%{met.magic.name}"
    yield from list_ways_to_ask(met.session)
    yield "%service_log"


# What leads on from an error, by its code. A code that is not here has the ways of its magic, and `%service_help`.
def _log_in(met: Met) -> Iterator[str]:
    yield "%service_login"
    if met.whole is not None:
        yield met.whole


def _look_for_source(met: Met) -> Iterator[str]:
    name = str(met.error.details.get("met") or "")
    known = [str(each["name"]) for each in met.client.sources()]
    stem = name.replace("\\", "/").rpartition("/")[2].partition(".")[0]  # of a file that was connected
    near = [stem] if stem in known else find_nearest(name, known, 1)
    if met.magic.name == "service_connect":
        yield from list_connect_lines(met.session, wanted=met.line)
    elif near and met.magic.name in ("service_sources", "service_preview", "service_profile"):
        yield f"%{met.magic.name} {write_name(near[0])}"
    elif name in {each.name for each in met.client.unconnected(wait=0.0).sources}:
        yield f"%service_connect {write_name(name)}"


def _repeat(met: Met) -> Iterator[str]:
    if met.whole is not None:
        yield met.whole


def _give_more_time(met: Met) -> Iterator[str]:
    if met.whole is not None and "--timeout" not in met.whole and met.magic.name in (*_ASKING, "service_compute"):
        yield f"{met.whole} --timeout 600"


def _give_seed(met: Met) -> Iterator[str]:
    if met.whole is not None:
        yield f"{met.whole} seed=1"


def _install_driver(met: Met) -> Iterator[str]:
    found = re.search(r"service-nb\[[\w,-]+\]", met.error.hint or "")
    if found is not None:
        yield f'%pip install "{found.group()}"'


def _repair_arguments(met: Met) -> Iterator[str]:
    if met.magic.name == "service_connect":
        mended = repair_connect_line(met.line, met.session.shell.user_ns)
        if mended is not None:
            yield mended
    elif met.magic.name == "service_preview" and (rows := _ROWS.fullmatch(met.line)) is not None:
        yield f"%service_preview {rows['name']} --rows {rows['rows']}"
    elif met.whole is not None and _DROPPING in (met.error.hint or ""):
        yield f"{met.whole} {_DROPPING}"


def _replace_source(met: Met) -> Iterator[str]:
    if met.magic.name == "service_connect" and met.whole is not None and "--replace" not in met.line:
        yield f"{met.whole} --replace"
    yield "%service_sources"


def _give_lines(*lines: str) -> Callable[[Met], Iterable[str]]:
    return lambda _met: lines


_WAYS: Mapping[str, Callable[[Met], Iterable[str]]] = {
    "invalid_intent": _repair_arguments,
    "login_required": _log_in,
    "source_not_found": _look_for_source,
    "source_already_registered": _replace_source,
    "source_changed": _replace_source,
    "source_unreadable": _look_for_source,
    "unsupported_source": _repair_arguments,
    "connector_failed": _repeat,
    "connector_not_found": _give_lines("%service_sources"),
    "seed_required": _give_seed,
    "timeout": _give_more_time,
    "interrupted": _repeat,
    "overloaded": _repeat,
    "rate_limited": _repeat,
    "deployment_unavailable": _give_lines("%service_doctor"),
    "runtime_provision_failed": _give_lines("%service_doctor"),
    "unsupported_platform": _give_lines("%service_doctor"),
    "compute_runtime_unavailable": _repeat,
    "driver_missing": _install_driver,
    "policy_denied_source": _give_lines("%service_policy", "%service_sources"),
    "policy_denied_field": _give_lines("%service_policy"),
    "policy_denied_function": _give_lines("%service_policy"),
    "result_not_found": _give_lines("%service_log"),
    "ledger_unavailable": _give_lines("%service_doctor"),
    "evidence_invalid": _give_lines("%service_log"),
    "engine_failed": _give_lines("%service_last_error --full", "%service_doctor"),
}


# --- refusals and empty answers ---------------------------------------------------------------------------------------


def list_lines_after_refusal(session: ServiceMagics, question: str, outcome: Mapping[str, Any]) -> list[str]:
    """List the ways on from a refusal that has no candidates of its own."""
    resolution = outcome["resolution"]
    if outcome["status"] == "ok" or resolution["candidates"]:
        return []
    lines: list[str] = []
    with suppress(ServiceError):
        if resolution["rejection_reason"] in ("no_source", "unknown_source"):
            lines = list(list_connect_lines(session, wanted=question))
        if resolution["rejection_reason"] != "no_source":
            ways = list_ways_to_ask(session, question)
            # Of a source with a similar name, questions come first; else the file that was never connected.
            lines = [*ways, *lines] if resolution["did_you_mean"] else [*lines, *ways]
    return [line for line in dict.fromkeys(lines) if is_runnable(line, session)][:MOST_LINES]


def explain_refusal(session: ServiceMagics, question: str, outcome: Mapping[str, Any]) -> str:
    """Say what a refusal does not: why the column is text, or which columns there are; empty where there is no more."""
    if outcome["status"] == "ok":
        return ""
    if outcome["resolution"]["rejection_reason"] != "type_mismatch":
        return list_columns_after_refusal(session, outcome)
    unread = find_unread_column(question, session.service)
    if unread is None:
        return ""
    return f"{write_name(unread.name)} was {unread.reason}. Read the file anew by the first line, then ask again."


def list_columns_after_refusal(session: ServiceMagics, outcome: Mapping[str, Any]) -> str:
    """List the columns that there are, where the question named one that there is not; else nothing."""
    if outcome["status"] == "ok" or outcome["resolution"]["rejection_reason"] != "unknown_field":
        return ""
    known = {str(each["name"]): each for each in session.service.sources()}
    asked = parse_strict(outcome.card["canonical"].get("spec", "{}")).get("source_name")  # type: ignore[attr-defined]
    source = known.get(str(asked)) if asked is not None else next(iter(known.values()), None)
    if source is None or (asked is None and len(known) != 1):
        return ""
    names = [str(each["name"]) for each in source["typed_fields"]]
    more = f" and {len(names) - MOST_COLUMNS:,} more" if len(names) > MOST_COLUMNS else ""
    return f"{write_name(str(source['name']))} has {', '.join(map(write_name, names[:MOST_COLUMNS]))}{more}."


def find_empty_advice(session: ServiceMagics, outcome: Mapping[str, Any]) -> tuple[str, list[str]] | None:
    """Find why an answer has no value: no row meets its conditions, or all values are null; and what leads on."""
    plan = outcome["resolution"].get("plan") or {}
    rows = outcome["data"]["result"] if outcome["status"] == "ok" else []
    if outcome["status"] != "ok" or "aggregation" not in plan or (plan.get("group_by") and rows):
        return None
    conditions = (plan.get("filter") or {}).get("conditions") or []
    if rows and rows[0].get("count") != 0:
        return _explain_null(plan, rows[0])
    if not conditions:
        return None
    source = str(plan["source_name"])
    plain = [each for each in conditions if "column" in each]
    near = list_near_values(plain, source, session.service)
    if not near:
        looks = _list_looks(plain, source, session)
        return (
            f"No row of {write_name(source)} meets {'the condition' if len(conditions) == 1 else 'all conditions'}.",
            looks,
        )
    line, said = str(outcome["resolution"].get("ask") or outcome.card["view"]["ask"]), []  # type: ignore[attr-defined]
    for column, value, known in near:
        line = line.replace(_quote(value), _quote(known))
        said.append(f"No row has {write_name(column)} = {_quote(value)}; there is {_quote(known)}.")
    lines = [f"%service_ask {each}" for each in list_runnable_questions(line, session.service, session.shell.user_ns)]
    return " ".join(said), lines


def find_order_advice(session: ServiceMagics, outcome: Mapping[str, Any]) -> tuple[str, list[str]] | None:
    """Find that an answer went by the order of texts in a column whose file can be read as numbers or dates."""
    plan = outcome["resolution"].get("plan") or {}
    unread = find_unread_order(plan, session.service) if outcome["status"] == "ok" and plan else None
    if unread is None:
        return None
    says = (
        f"This answer compares {write_name(unread.name)} letter by letter. The column was {unread.reason}. "
        "Read the file anew, then ask again."
    )
    return says, [unread.line]


def _explain_null(plan: Mapping[str, Any], row: Mapping[str, Any]) -> tuple[str, list[str]] | None:
    """Say that all values are null, where a question of one measure has no value though rows meet its conditions."""
    metric = plan.get("metric")
    if metric is None or row.get(metric, 0) is not None or not isinstance(row.get("count"), int):
        return None
    few = "the row that counts" if row["count"] == 1 else f"all {row['count']:,} rows that count"
    return f"There is no value: {write_name(metric)} is null in {few}.", []


def _list_looks(conditions: Sequence[Mapping[str, Any]], source: str, session: ServiceMagics) -> list[str]:
    """List questions that show which values the columns of conditions have."""
    kinds = {str(each["name"]): each["type"] for each in session.service.source(source)["typed_fields"]}
    lines: list[str] = []
    for column in dict.fromkeys(str(each["column"]) for each in conditions):
        name, place = write_name(column), write_name(source)
        is_ordered = kinds.get(column) in ("number", "date", "datetime")
        lines.append(f"min {name}, max {name} from {place}" if is_ordered else f"count by {name} from {place} limit 20")
    tried = (list_runnable_questions(line, session.service, session.shell.user_ns)[:1] for line in lines[:MOST_LINES])
    return [f"%service_ask {line}" for found in tried for line in found]


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


# --- magics that are none ---------------------------------------------------------------------------------------------


def list_lines_after_unknown_magic(session: ServiceMagics, error: BaseException, cell: str) -> list[str]:
    """List what a magic that nobody has may have meant; none for one that is not like ours."""
    found = _NOT_FOUND.search(str(error))
    name = found["name"] if found else ""
    near = _find_near_magic(name, session)
    if near is None:
        return []
    typed = re.search(rf"%%?{re.escape(name)}(?P<rest>[^\n]*)(?P<body>(?:\n.*)?)", cell, re.DOTALL)
    rest = typed["rest"].strip() if typed else ""
    lines = [f"%{near} {rest}".strip()]
    if typed and typed["body"].strip() and session.records[near].takes_cell:
        lines = [f"%{near} {typed['body'].strip()}"] if "\n" not in typed["body"].strip() else []
    met = Met(error=ServiceError(""), session=session, magic=session.records[near], line=rest)
    ways = [*lines, *_repair_arguments(met), *_list_ways_of_magic(met), "%service_help"]
    if name.removeprefix("service").strip("_").lower() in _DRAWN:
        ways = [f"{way} --chart" if way.startswith("%service_ask ") and " by " in way else way for way in ways]
    return [line for line in dict.fromkeys(ways) if is_runnable(line, session)][:MOST_LINES]


_MEANT = {
    "load": "service_connect", "read": "service_connect", "open": "service_connect", "import": "service_connect",
    "csv": "service_connect", "query": "service_ask", "sql": "service_ask", "question": "service_ask",
    "sum": "service_ask", "count": "service_ask", "calc": "service_compute", "calculate": "service_compute",
    "run": "service_compute", "find": "service_search", "list": "service_sources", "tables": "service_sources",
    "data": "service_sources", "check_all": "service_verify", "plot": "service_ask", "chart": "service_ask",
    "graph": "service_ask", "show": "service_preview", "head": "service_preview", "describe": "service_profile",
    "summary": "service_profile", "info": "service_profile",
    "export": "service_log", "save": "service_log", "download": "service_log", "history": "service_log",
}  # fmt: skip


def _find_near_magic(name: str, session: ServiceMagics) -> str | None:
    if not name:
        return None
    bare = name.removeprefix("service").strip("_").lower()
    short = {known.removeprefix("service_"): known for known in session.records}
    if name.startswith("service") and not bare:
        return "service_help"
    if bare in short:
        return short[bare]
    if name.startswith("service") and bare in _MEANT:
        return _MEANT[bare]
    near = difflib.get_close_matches(name, session.records, n=1, cutoff=_ALIKE)
    if near or not name.startswith("service"):
        return near[0] if near else None  # another extension's
    near = find_nearest(bare, short, 1)
    return short[near[0]] if near else "service_help"
