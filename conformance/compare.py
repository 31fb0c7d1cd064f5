"""What differs between two answers, and which differences are expected: `expected.toml` has each with its reason."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

EXPECTED = Path(__file__).with_name("expected.toml")
WORDS = re.compile(r"(^|\.)(message|hint|reason|details\..*)$")  # members that hold sentences, and the facts in them
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d")  # when a question with a relative period was asked


@dataclass(frozen=True, slots=True)
class Difference:
    """A member of an answer in which two clients disagree."""

    verb: str
    path: str
    first: object
    second: object

    @property
    def is_of_words(self) -> bool:
        """Tell whether it is one of sentences: what happened is the same."""
        return WORDS.search(self.path) is not None

    def describe(self) -> str:
        """Describe it on two lines."""
        return f"  {self.verb}: {self.path}\n    {_shorten(self.first)}\n    {_shorten(self.second)}"


def _shorten(value: object, longest: int = 300) -> str:
    text = "(absent)" if value is ABSENT else json.dumps(value, ensure_ascii=True)
    return text if len(text) <= longest else f"{text[:longest]}…"


class _Absent:
    """Stands for a member that is not there."""


ABSENT = _Absent()


def list_differences(verb: str, first: object, second: object, path: str = "") -> Iterator[Difference]:
    """Yield what differs between two answers of one request, with its path: `resolution.candidates.0.ask`."""
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        for key in sorted({*first, *second}):
            inside = f"{path}.{key}" if path else key
            yield from list_differences(verb, first.get(key, ABSENT), second.get(key, ABSENT), inside)
    elif isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        for at, (one, other) in enumerate(zip(first, second, strict=True)):
            yield from list_differences(verb, one, other, f"{path}.{at}" if path else str(at))
    elif type(first) is not type(second) or _mask(first) != _mask(second):
        yield Difference(verb, path, first, second)


def _mask(value: object) -> object:
    return MOMENT.sub("<moment>", value) if isinstance(value, str) else value


@dataclass(frozen=True, slots=True)
class Expected:
    """A difference that has a reason. It must still occur: its `case` shows it."""

    name: str
    reason: str
    verbs: tuple[str, ...]
    paths: tuple[str, ...]
    case: tuple[Mapping[str, Any], ...]
    without: re.Pattern[str] | None  # what both clients agree about but for these words
    request: re.Pattern[str]
    first: re.Pattern[str]
    second: re.Pattern[str]

    def covers(self, request: Mapping[str, Any], found: Difference) -> bool:
        """Tell whether a difference of a request is of this kind."""
        return (
            found.verb in self.verbs
            and any(fnmatchcase(found.path, path) for path in self.paths)
            and self.request.search(json.dumps(request)) is not None
            and self._covers_values(found)
        )

    def _covers_values(self, found: Difference) -> bool:
        first, second = (_shorten(each, 10_000) for each in (found.first, found.second))
        if self.without is not None and self.without.sub("", first) != self.without.sub("", second):
            return False
        return self.first.search(first) is not None and self.second.search(second) is not None


def read_expected(path: Path = EXPECTED) -> list[Expected]:
    """Read the differences that are expected.

    `paths` are patterns of members that may differ, `first` and `second` of what the two clients say there, `request`
    one of the request; `without` is what the two texts differ in.
    """
    listed = tomllib.loads(path.read_text(encoding="utf-8")).get("difference", [])
    return [
        Expected(
            name=each["name"],
            reason=each["reason"],
            verbs=tuple(each["verbs"]),
            paths=tuple(each["paths"]),
            case=tuple(json.loads(line) for line in each["case"].splitlines() if line.strip()),
            without=re.compile(each["without"]) if "without" in each else None,
            **{key: re.compile(each.get(key, "")) for key in ("request", "first", "second")},
        )
        for each in listed
    ]
