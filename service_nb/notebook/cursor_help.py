"""Inspection (Shift+Tab) inside our magics: a parameter's meaning, unit and domain; a column's type and values.

The kernel looks up the word under the cursor as Python. In a line of ours the word is a column, a parameter, a
capability or an option instead; everywhere else the kernel answers as before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from service_nb.errors import ServiceError

if TYPE_CHECKING:
    from service_nb.cards.blocks import Block
    from service_nb.notebook.completion import Cursor
    from service_nb.notebook.session import ServiceMagics

_LEFT = re.compile(r"(?:`(?:[^`]|``)*`?|[\w.$-])*$")
_RIGHT = re.compile(r"^(?:(?:[^`]|``)*`|[\w.]*)")
_GIVEN = re.compile(r"(\w+)\s*=\s*(?:\[[^\]]*|[^\s\[\]=]*)$")
_CALLED = re.compile(r"\s*(\w+\.\w+)")
_MOST_VALUES = 8


class CursorHelp:
    """The kernel's answer to an inspection, asked of our magics first."""

    def __init__(self, magics: ServiceMagics) -> None:
        self._magics = magics
        self._others: Any = None

    def register(self) -> None:
        """Answer in the kernel's place; where there is no kernel, nobody inspects."""
        kernel = getattr(self._magics.shell, "kernel", None)
        if kernel is not None and self._others is None:
            self._others = kernel.do_inspect
            kernel.do_inspect = self.answer

    def unregister(self) -> None:
        """Leave inspection to the kernel again."""
        kernel = getattr(self._magics.shell, "kernel", None)
        if kernel is not None and self._others is not None and kernel.__dict__.get("do_inspect") == self.answer:
            del kernel.do_inspect
        self._others = None

    def answer(self, code: str, cursor_pos: int, *args: Any, **options: Any) -> Any:
        """Answer an inspection request: for a place in our magics ourselves, else as the kernel does."""
        data = None
        # Whatever is wrong with a half-written line, the kernel can still answer.
        with suppress(Exception):
            data = inspect_cell(code, cursor_pos, self._magics)
        if data is not None:
            return {"status": "ok", "found": True, "data": data, "metadata": {}}
        return self._others(code, cursor_pos, *args, **options)


def inspect_cell(code: str, cursor: int, session: ServiceMagics) -> dict[str, Any] | None:
    """Describe what the cursor stands at, as a MIME bundle; None where it is none of ours."""
    from service_nb.cards.faces import write_bundle  # noqa: PLC0415  # lazy: loading the extension stays cheap
    from service_nb.notebook.completion import locate_cursor  # noqa: PLC0415  # lazy: as above

    found = locate_cursor(code[:cursor], code[cursor:], session.records)
    if found is None:
        return None
    blocks = list(_describe(found, session))
    return write_bundle(blocks)[0] if blocks else None


def _describe(cursor: Cursor, session: ServiceMagics) -> Iterable[Block]:
    word = _find_word(cursor)
    if word.startswith("--"):
        return _describe_flag(cursor, word)
    if session.connected is None and cursor.magic.name != "service_compute":
        return ()
    if cursor.magic.name in ("service_compute", "service_help"):
        return [*_describe_argument(cursor, word, session)]
    return [*_describe_name(word.strip("`").replace("``", "`"), session)]


def _find_word(cursor: Cursor) -> str:
    """Find the word around the cursor, whole: a name in backticks is one."""
    left, right = _LEFT.search(cursor.before), _RIGHT.search(cursor.after)
    before = left.group() if left else ""
    has_open_quote = before.count("`") % 2 == 1
    after = right.group() if right and (has_open_quote or "`" not in right.group()) else ""
    return (before + after).strip()


def _describe_flag(cursor: Cursor, word: str) -> Iterator[Block]:
    from service_nb.cards.blocks import Sentence, Title  # noqa: PLC0415  # lazy: as above

    for flag in cursor.magic.all_flags:
        if flag.name == word:
            yield Title(flag.shown, f"option of {cursor.magic.magic}")
            yield Sentence(flag.about, "message")


def _describe_argument(cursor: Cursor, word: str, session: ServiceMagics) -> Iterator[Block]:
    from service_nb.cards.page_blocks import compose_capability  # noqa: PLC0415  # lazy: as above

    called = _CALLED.match(cursor.before + cursor.after)
    if called is None:
        return
    with suppress(ServiceError):
        entry = session.service.capability(called[1])
        parts = {part["name"]: part for part in entry["params"]}
        source, _, column = word.partition(".")
        given = _GIVEN.search(cursor.before)
        if word == called[1]:
            yield from compose_capability(entry)
        elif word.rstrip("=") in parts:
            yield from _describe_parameter(parts[word.rstrip("=")], called[1])
        elif column and source.strip("`") in {each["name"] for each in session.service.sources()}:
            yield from _describe_name(column.strip("`"), session, source.strip("`"))
        elif given is not None and given[1] in parts:
            yield from _describe_parameter(parts[given[1]], called[1])
        else:
            yield from compose_capability(entry)


def _describe_parameter(part: Mapping[str, Any], capability: str) -> Iterator[Block]:
    from service_nb.cards.blocks import Fact, Facts, Sentence, Title  # noqa: PLC0415  # lazy: as above

    yield Title(part["name"], f"parameter of {capability}")
    if part.get("about"):
        yield Sentence(part["about"], "message")
    unit = part.get("unit", "1")
    facts = [Fact.from_texts("type", "list of numbers" if part.get("shape") else part["type"])]
    facts += [Fact.from_texts("unit", unit)] if unit not in ("1", "") else []
    if part.get("choices"):
        facts.append(Fact.from_texts("one of", ", ".join(map(str, part["choices"]))))
    elif part.get("domain", "(-inf, inf)") != "(-inf, inf)":
        facts.append(Fact.from_texts("domain", part["domain"]))
    if part.get("structure"):
        facts.append(Fact.from_texts("structure", part["structure"].replace("_", " ")))
    yield Facts(tuple(facts), is_answer=True)


def _describe_name(name: str, session: ServiceMagics, source: str | None = None) -> Iterator[Block]:
    """Describe an aggregation, a source or a column, in every source that has one of that name."""
    from service_nb.cards.blocks import Fact, Facts, Sentence, Title  # noqa: PLC0415  # lazy: as above
    from service_nb.cards.page_blocks import compose_source  # noqa: PLC0415  # lazy: as above
    from service_nb.query.aggregations import RECORDS  # noqa: PLC0415  # lazy: as above
    from service_nb.query.similar_names import fold_name  # noqa: PLC0415  # lazy: as above

    client = session.service
    record = RECORDS.get(name.lower())
    if record is not None and source is None:
        yield Title(name.lower(), "aggregation")
        yield Sentence(f"Of columns of type {' or '.join(record.accepts)}.", "message")
        return
    for each in client.sources():
        if source is None and each["name"] == name:
            yield from compose_source(each)
            return
    for each in client.sources():
        fields = [field for field in each["typed_fields"] if fold_name(field["name"]) == fold_name(name)]
        if source not in (None, each["name"]) or not fields:
            continue
        field = fields[0]
        yield Title(field["name"], f"column of {each['name']}")
        facts = [Fact.from_texts("type", f"{field['type']}, held as {field['physical']}")]
        values = client.values(each["name"], field["name"])
        if values:
            more = f" and {len(values) - _MOST_VALUES:,} more" if len(values) > _MOST_VALUES else ""
            facts.append(Fact.from_texts("values", ", ".join(values[:_MOST_VALUES]) + more))
        yield Facts((*facts, Fact.from_texts("rows", f"{each['row_count']:,}")), is_answer=True)
