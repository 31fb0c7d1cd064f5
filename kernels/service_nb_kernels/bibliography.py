"""The bibliography: each source that packs cite, as a table whose parts a program checks.

A field's sources stand in `packs/<field>/bibliography.toml`, those that several fields cite in
`packs/bibliography.toml`: any field may cite any of them by its key, and each source has one key. A source is confirmed
where it was met in a text at hand, which `confirmed` names; what was written from memory has no such line, and its page
says so.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

PACKS = Path(__file__).parent / "packs"
FILE = "bibliography.toml"
KEY = re.compile(r"[a-z][a-z0-9]*")
FIRST_YEAR, LAST_YEAR = 1600, 2030
DOI = re.compile(r"10\.\d{4,9}/[!-~]+")
ARXIV = re.compile(r"\d{4}\.\d{4,5}|[a-z-]+/\d{7}")
URL = re.compile(r"https://[!-~]+")
NEEDED = ("author", "title", "year")
HOMES = frozenset({"publisher", "journal", "venue", "standard", "arxiv", "url"})  # one of them at least


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """One source: a book, an article, a standard, a report or a table."""

    key: str
    author: str
    title: str
    year: int
    edition: str = ""
    publisher: str = ""
    journal: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    venue: str = ""  # a conference or a collection
    standard: str = ""  # the number that its body gives it: ISO 7730:2005
    doi: str = ""
    isbn: str = ""
    arxiv: str = ""
    url: str = ""
    confirmed: str = ""  # the text at hand in which the source was met

    @property
    def text(self) -> str:
        """The citation, as cards and pages show it."""
        body = self.standard.partition(" ")[0]
        if self.standard and self.author == body:
            parts = [self.standard, self.title, self.edition]
        else:
            parts = [self.author, self.title, self.edition, self.standard]
        if self.journal:
            year = f"({self.year})" if self.volume or not self.issue else f"({self.issue} {self.year})"
            volume = f"{self.volume}({self.issue})" if self.volume and self.issue else self.volume
            article = " ".join(filter(None, (self.journal, volume, year, self.pages)))
            return ", ".join(filter(None, (*parts, article, self.arxiv and f"arXiv:{self.arxiv}")))
        if self.arxiv and not self.venue:
            return ", ".join(filter(None, (*parts, f"arXiv:{self.arxiv} ({self.year})")))
        parts += [self.venue, "" if self.publisher == self.author else self.publisher]
        said = f"{self.standard} {self.venue}"
        year = "" if str(self.year) in said else str(self.year)
        return ", ".join(filter(None, (*parts, year, self.pages, self.arxiv and f"arXiv:{self.arxiv}")))

    @property
    def links(self) -> list[str]:
        """Where the source is found, as Markdown: DOI, ISBN, address."""
        doi = self.doi or (f"10.48550/arXiv.{self.arxiv}" if self.arxiv else "")
        found = [f"[doi:{doi}](https://doi.org/{doi})"] if doi else []
        return [*found, *([f"ISBN {self.isbn}"] if self.isbn else []), *([f"<{self.url}>"] if self.url else [])]


PARTS = frozenset(part.name for part in fields(Publication)) - {"key"}


@cache
def read_publications() -> Mapping[str, Publication]:
    """Return all sources of all fields by their keys; what is wrong with them is told by `find_faults`."""
    found: dict[str, Publication] = {}
    for path in list_files():
        for key, table in _read_tables(path).items():
            if not list(_find_part_faults(key, table)):
                found.setdefault(key, Publication(key=key, **table))
    return found


def list_files() -> list[Path]:
    """List the files of the bibliography, the common one first."""
    return [path for path in (PACKS / FILE, *sorted(PACKS.glob(f"*/{FILE}"))) if path.is_file()]


def find_faults() -> Iterator[str]:
    """Find what is wrong in the bibliography: parts that cannot be, and sources that have two keys."""
    met: dict[str, str] = {}
    sames: dict[str, str] = {}
    for path in list_files():
        where = path.relative_to(PACKS).as_posix()
        try:
            tables = tomllib.loads(path.read_text(encoding="utf-8"))
        except tomllib.TOMLDecodeError as error:
            yield f"{where}: {error}"
            continue
        for key, table in tables.items():
            faults = list(_find_part_faults(key, table))
            yield from (f"{where}: {key}: {fault}" for fault in faults)
            if key in met:
                yield f"{where}: {key} stands in {met[key]} as well: a source has one key and one place"
                continue
            met[key] = where
            for mark in () if faults else _list_marks(Publication(key=key, **table)):
                other = sames.setdefault(mark, key)
                if other != key:
                    yield f"{where}: {key} is the same source as {other} ({mark})"


def find_uncited(cited: Iterable[str]) -> Iterator[str]:
    """Find the sources that nobody cites."""
    idle = read_publications().keys() - set(cited)
    return (f"{FILE}: {key} is cited by no capability: remove it" for key in sorted(idle))


def _read_tables(path: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError:
        return {}


def _list_marks(source: Publication) -> Iterator[str]:
    """List what two sources cannot share: numbers, and the words of author, title, year and edition."""
    yield from (f"{name} {mark}" for name in ("doi", "isbn", "arxiv", "standard") if (mark := getattr(source, name)))
    plain = unicodedata.normalize("NFKD", f"{source.author.split(',')[0].split()[-1]} {source.title}".casefold())
    yield " ".join([*re.findall(r"[a-z0-9]+", plain), str(source.year), source.edition])


def _find_part_faults(key: str, table: Any) -> Iterator[str]:
    if not KEY.fullmatch(key):
        yield "a key is small letters and digits, such as white2016"
    if not isinstance(table, Mapping):
        yield f"a source is a table with {', '.join(NEEDED)}"
        return
    if table.keys() - PARTS:
        yield f"unknown parts {sorted(table.keys() - PARTS)}; known are {', '.join(sorted(PARTS))}"
    wrong = [name for name in table.keys() & PARTS if not isinstance(table[name], int if name == "year" else str)]
    if wrong:
        yield f"{', '.join(wrong)}: a year is a number, everything else is text"
        return
    missing = [name for name in NEEDED if not table.get(name)]
    if missing:
        yield f"{', '.join(missing)} missing"
    elif not FIRST_YEAR <= table["year"] <= LAST_YEAR:
        yield f"the year {table['year']} is not from {FIRST_YEAR} to {LAST_YEAR}"
    if not table.keys() & HOMES:
        yield f"where it appeared is missing: one of {', '.join(sorted(HOMES))}"
    forms = {"doi": DOI, "arxiv": ARXIV, "url": URL}
    for name, form in forms.items():
        if name in table and not form.fullmatch(table[name]):
            yield f"{table[name]!r} has not the form of a {name}"
    if "isbn" in table and not is_isbn(table["isbn"]):
        yield f"{table['isbn']!r} is no ISBN: 10 or 13 digits with a right check digit"


def is_isbn(text: str) -> bool:
    """Whether a text is an ISBN of 10 or 13 digits, hyphens apart, with the check digit that belongs to it."""
    digits = text.replace("-", "")
    if re.fullmatch(r"\d{9}[\dX]", digits):
        values = [10 if digit == "X" else int(digit) for digit in digits]
        return sum(weight * value for weight, value in zip(range(10, 0, -1), values, strict=True)) % 11 == 0
    if re.fullmatch(r"97[89]\d{10}", digits):
        return sum(int(digit) * (3 if at % 2 else 1) for at, digit in enumerate(digits)) % 10 == 0
    return False
