"""Note documents whose rows are around the rows that are meant: a list within an object, objects by key, pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from service_nb.schema.reading_notes import ReadingNote

MOST_LEVELS = 4  # of objects that are looked into
MOST_MEMBERS = 1_000  # of them in all
# What services write beside the list of a page: words of a page, of which there is one, and of any answer.
PAGE_WORDS = (
    *("page", "pages", "page_number", "page_no", "page_size", "per_page", "total_pages", "page_count", "page_info"),
    *("offset", "skip", "next", "next_page", "next_url", "next_link", "previous", "prev", "prev_page", "cursor"),
    *("next_cursor", "next_page_token", "next_token", "has_more", "has_next", "is_last", "paging", "pagination"),
)
ANSWER_WORDS = (
    *("limit", "start", "count", "total", "total_count", "total_results", "size", "first", "last", "links", "_links"),
    *("meta", "metadata", "status", "code", "message", "ok", "success", "error", "errors", "request_id", "took"),
    *("timestamp", "version", "kind", "etag", "self", "url", "href", "object"),
)
_PAGE, _ANSWER = (frozenset(word.replace("_", "") for word in words) for words in (PAGE_WORDS, ANSWER_WORDS))


def find_envelope(rows: Sequence[Mapping[Any, object]]) -> list[ReadingNote]:
    """Note lists of objects, or objects by key, that a single row holds, and pages: they are likely to be the rows."""
    if len(rows) != 1:
        return _find_pages(rows)
    [row] = rows
    lists = [
        ReadingNote("envelope", (str(name),), {"count": str(count)})
        for name, value in row.items()
        if (count := _count_objects(value))
    ]
    return lists or _list_inside(row) or _find_keyed(row)


def _count_objects(value: object) -> int:
    """Count the members of a list of nothing but objects; 0 of anything else."""
    if not isinstance(value, list | tuple) or not all(isinstance(each, Mapping) for each in value):
        return 0
    return len(value)


def _list_inside(row: Mapping[Any, object]) -> list[ReadingNote]:
    """List notes on lists of objects within objects of a row, the next level first: the longest of each column."""
    level = _list_objects((), row)
    left = MOST_MEMBERS
    for _ in range(MOST_LEVELS):
        found: dict[str, tuple[int, tuple[str, ...]]] = {}
        for path, members in level:
            left -= len(members)
            if left < 0:
                break
            for name, value in members.items():
                count = _count_objects(value)
                if count > found.get(path[0], (0, ()))[0]:
                    found[path[0]] = (count, (*path, str(name)))
        if found or left < 0:
            return [
                ReadingNote("envelope", (column,), {"count": str(count), "inside": ".".join(path)})
                for column, (count, path) in found.items()
            ]
        level = [each for path, members in level for each in _list_objects(path, members)]
    return []


def _list_objects(
    path: tuple[str, ...], row: Mapping[Any, object]
) -> list[tuple[tuple[str, ...], Mapping[Any, object]]]:
    return [((*path, str(name)), value) for name, value in row.items() if isinstance(value, Mapping)]


def _find_keyed(row: Mapping[Any, object]) -> list[ReadingNote]:
    """Note that all members of a row, or of one of its objects, are objects of the same fields."""
    if _is_keyed(row):
        return [ReadingNote("keyed", (), {"count": str(len(row))})]
    return [
        ReadingNote("keyed", (str(name),), {"count": str(len(value))})
        for name, value in row.items()
        if isinstance(value, Mapping) and _is_keyed(value)
    ]


def _is_keyed(value: Mapping[Any, object]) -> bool:
    """Tell whether these are two objects or more that have at least half of all their fields in common."""
    if len(value) < 2 or not all(isinstance(each, Mapping) and each for each in value.values()):
        return False
    names = [{*map(str, each)} for each in value.values() if isinstance(each, Mapping)]
    return 2 * len(set.intersection(*names)) >= len(set.union(*names))


def _find_pages(rows: Sequence[Mapping[Any, object]]) -> list[ReadingNote]:
    """Note a list of objects in each row, beside what services write on a page and nothing else."""
    if not rows:
        return []
    name = _find_page_list(rows[0])
    if name is None:
        return []
    count = 0
    for row in rows:
        if _find_page_list(row) != name:
            return []
        count += _count_objects(row[name])
    return [ReadingNote("pages", (str(name),), {"count": str(count)})]


def _find_page_list(row: object) -> Any:
    """Find the name of the one list of objects of a page; None of another row."""
    if not isinstance(row, Mapping) or len(row) < 2:
        return None
    lists = [name for name, value in row.items() if _count_objects(value)]
    words = {str(name).replace("_", "").lower() for name in row if name not in lists}
    is_page = len(lists) == 1 and not words.isdisjoint(_PAGE) and words <= _PAGE | _ANSWER
    return lists[0] if is_page else None
