"""Make a case smaller while its clients still disagree in the same way."""

from __future__ import annotations

import base64
import copy
import csv
import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from conformance.run import Case, Disagreement

Run = Callable[[Case], list[Disagreement]]
MOST_RUNS = 400


def shrink(found: Disagreement, run: Run) -> Disagreement:
    """Return the smallest case that was found: requests, rows, columns, options and parts of specs are left out."""
    best, left = found, MOST_RUNS
    best = replace(best, case=replace(best.case, requests=best.case.requests[: best.at + 1]))
    while True:
        for smaller in list_smaller(best.case):
            left -= 1
            again = next((each for each in run(smaller) if each.signature == found.signature), None)
            if again is not None:
                best = replace(again, case=replace(again.case, requests=again.case.requests[: again.at + 1]))
                break
            if left <= 0:
                return best
        else:
            return best


def list_smaller(case: Case) -> Iterator[Case]:
    """Yield cases with something left out, those that leave out most first."""
    requests = case.requests
    for at in range(len(requests) - 2, 0, -1):
        yield replace(case, requests=(*requests[:at], *requests[at + 1 :]))
    for at, request in enumerate(requests):
        for smaller in list_smaller_requests(request):
            yield replace(case, requests=(*requests[:at], smaller, *requests[at + 1 :]))


def list_smaller_requests(request: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield requests with less data, and with fewer members."""
    given = dict(request)
    if "data" in given and (text := _decode(given["data"])) is not None:
        yield {key: value for key, value in given.items() if key != "data"} | {"text": text}
    if isinstance(given.get("text"), str):
        yield from ({**given, "text": text} for text in list_smaller_texts(given["text"]))
    for key in ("rows", "options", "policy", "question", "variables", "change", "call"):
        if key in given:
            yield from ({**given, key: each} for each in list_smaller_values(given[key]))
            if key in ("options", "policy", "variables", "change"):
                yield {name: value for name, value in given.items() if name != key}
    if isinstance(given.get("line"), str):
        words = given["line"].split(" ")
        yield from ({**given, "line": " ".join(each)} for each in list_parts(words) if each)
        yield from ({**given, "line": "".join(each)} for each in list_parts(list(given["line"])) if each)


def _decode(data: str) -> str | None:
    try:
        text = base64.b64decode(data).decode()
    except UnicodeDecodeError:
        return None
    return text if text.encode("utf-16", "surrogatepass") else None


def list_smaller_texts(text: str) -> Iterator[str]:
    """Yield texts with fewer lines, then with fewer columns, then with fewer characters."""
    lines = text.splitlines(keepends=True)
    if len(lines) > 1:
        yield from ("".join(each) for each in list_parts(lines))
    sign = next((sign for sign in ",;\t|" if sign in text[:1_000]), None)
    if sign is not None:
        yield from _list_without_columns(text, sign)
    if len(text) <= 200:
        yield from ("".join(each) for each in list_parts(list(text)))


def _list_without_columns(text: str, sign: str) -> Iterator[str]:
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=sign, strict=True))
    except csv.Error:
        return
    for column in range(len(rows[0]) if rows else 0):
        written = io.StringIO()
        writer = csv.writer(written, delimiter=sign, lineterminator="\n")
        writer.writerows([cell for at, cell in enumerate(row) if at != column] for row in rows)
        if len(written.getvalue()) < len(text):
            yield written.getvalue()


def list_parts(items: list[Any]) -> Iterator[list[Any]]:
    """Yield the list without a half, a quarter … and without each item."""
    size = len(items) // 2
    while size >= 1:
        for start in range(0, len(items), size):
            yield items[:start] + items[start + size :]
        size //= 2


def list_smaller_values(value: Any) -> Iterator[Any]:
    """Yield values with a member or an item left out, at every depth, and shorter texts."""
    if isinstance(value, dict):
        for key in value:
            yield {name: each for name, each in value.items() if name != key}
        for key, each in value.items():
            yield from ({**value, key: smaller} for smaller in list_smaller_values(each))
    elif isinstance(value, list):
        yield from list_parts(value)
        for at, each in enumerate(value):
            for smaller in list_smaller_values(each):
                yield [*copy.copy(value[:at]), smaller, *value[at + 1 :]]
    elif isinstance(value, str) and len(value) > 1:
        yield value[: len(value) // 2]
        yield value[:-1]
        yield value[1:]
