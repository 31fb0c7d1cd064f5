"""What a case is, and the ways in which it can end: right, refused, noted, silent; or broken."""

import datetime
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from service_nb import create_service
from service_nb.errors import ServiceError

Row = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """One input, one question or call, and its right answer, computed without the product."""

    id: str
    kind: str
    source: Callable[[Path], Any]  # a path, a frame, rows; it gets a folder of its own
    question: Any  # a line or a spec; of a computation a line, or the arguments of compute
    want: Any  # rows in their order, as dicts of the columns that matter; of a computation the value; None: no right value
    options: Row = field(default_factory=dict)
    refusal: bool = False  # a refusal is as good as the right value
    note: str = ""  # a pattern; another value is good where the connection and the card both say it
    card_note: str = ""  # the same of what the options of connect said already, or the question: the card alone
    ordered: bool = True
    computes: bool = False


@dataclass(frozen=True)
class Ending:
    verdict: str  # right, refused, noted, silent; broken, where it ends in an exception that is none of the product's
    welcome: bool
    told: str


def run(case: Case, folder: Path) -> Ending:
    with create_service(runtime="in_process") as service:
        try:
            source = service.connect(case.source(folder), name="s", **case.options)
            outcome = _put(service, case)
        except ServiceError as error:
            return Ending("refused", case.refusal, f"{error.code}: {error}")
        except Exception as error:  # an exception without a reason for people is no refusal
            return Ending("broken", False, f"connect or ask: {error!r}")
        if outcome["status"] != "ok":
            resolution = outcome["resolution"]
            return Ending("refused", case.refusal, f"{resolution['rejection_reason']}: {resolution['reason']}")
        try:
            met = outcome.value if case.computes else outcome.rows
        except Exception as error:
            return Ending("broken", False, f"rows: {error!r}; result: {outcome['data']['result']}")
        if is_right(met, case):
            return Ending("right", True, "")
        page = _print(outcome)
        told = f"answered {met!r}, right is {case.want!r}; notes: {source['notes']}"
        if case.card_note and re.search(case.card_note, page, re.IGNORECASE):
            return Ending("noted", True, told)
        if case.note and all(re.search(case.note, text, re.IGNORECASE) for text in (" ".join(source["notes"]), page)):
            return Ending("noted", True, told)
        return Ending("silent", False, told)


def is_right(met: Any, case: Case) -> bool:
    if case.want is None:
        return False
    if case.computes:
        return _is_near(met, case.want)
    rows = [
        [_plain(row.get(name, "no such column")) for name in want] for row, want in zip(met, case.want, strict=False)
    ]
    if not case.ordered and case.want:
        rows = [[_plain(row.get(name, "no such column")) for name in case.want[0]] for row in met]
        return sorted(map(repr, rows)) == sorted(repr([_plain(value) for value in want.values()]) for want in case.want)
    wanted = [[_plain(value) for value in want.values()] for want in case.want]
    return len(met) == len(case.want) and repr(rows) == repr(wanted)


def _put(service: Any, case: Case) -> Any:
    if not case.computes:
        return service.ask(case.question)
    if isinstance(case.question, str):
        return service.compute(case.question)
    return service.compute(case.question[0], **case.question[1])


TELLING = ("source", "notes", "reading", "columns")


def _print(outcome: Any) -> str:
    """What a card says about its value, on one line: the verdict, its notes and the heads of its columns.

    The plan and the method are left out: they say of every answer the same, such as that nulls are left out.
    """
    bundle = outcome._repr_mimebundle_()
    text = (bundle[0] if isinstance(bundle, tuple) else bundle)["text/plain"]
    told, section = [], TELLING[0]
    for line in text[text.index("●") :].splitlines():
        begun = re.match(r" {2}(\w+) {2,}", line)
        section = begun[1] if begun else section
        if section in TELLING:
            told.append(line)
    heads = [f"{column['name']} {column.get('zone', '')}" for column in getattr(outcome, "columns", [])]
    return " ".join(" ".join([*told, *heads]).split())


def _plain(value: Any) -> Any:
    """Equal numbers, and equal instants, in one form; truth is no number and a text is no number."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, float, Decimal, Fraction)):
        if value != value:
            return "the number NaN"
        if value in (math.inf, -math.inf):
            return f"the number {'-' if value < 0 else ''}infinity"
        return Fraction(value)
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.UTC).replace(tzinfo=None) if value.tzinfo else value
    return value


def _is_near(met: Any, want: Any) -> bool:
    if isinstance(want, dict):
        return isinstance(met, dict) and all(name in met and _is_near(met[name], value) for name, value in want.items())
    if isinstance(want, (list, tuple)):
        return len(met) == len(want) and all(map(_is_near, met, want))
    if isinstance(want, Fraction):
        return Fraction(met) == want
    return math.isclose(float(met), float(want), rel_tol=1e-9, abs_tol=1e-12)


def as_csv(header: str, *lines: str) -> Callable[[Path], Path]:
    return as_file("s.csv", "\n".join([header, *lines]) + "\n")


def as_file(name: str, text: str | bytes) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        path = folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"'


def literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def always(value: Any) -> Callable[[Path], Any]:
    return lambda folder: value
