"""The bibliography: parts that a program can check are checked, and a source has one key."""

from __future__ import annotations

from pathlib import Path

import pytest
from service_nb_kernels import bibliography
from service_nb_kernels.bibliography import Publication, is_isbn

BOOK = (
    '[white2016]\nauthor = "F. M. White"\ntitle = "Fluid Mechanics"\nedition = "8th ed."\npublisher = "McGraw-Hill"\n'
)


def faults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, **files: str) -> list[str]:
    for field, text in files.items():
        folder = tmp_path if field == "common" else tmp_path / field
        folder.mkdir(exist_ok=True)
        (folder / bibliography.FILE).write_text(text, encoding="utf-8")
    monkeypatch.setattr(bibliography, "PACKS", tmp_path)
    return list(bibliography.find_faults())


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("year = 2016", ""),
        ('year = 2016\nisbn = "978-0-07-339827-3"', ""),
        ('year = 2016\ndoi = "10.1007/978-3-540-70529-1"', ""),
        ('year = 2016\nisbn = "978-0-07-339827-4"', "no ISBN"),
        ('year = 2016\nisbn = "0073398270"', "no ISBN"),
        ('year = 2016\ndoi = "https://doi.org/10.1007/x"', "form of a doi"),
        ('year = 2016\narxiv = "arXiv:2106.09685"', "form of a arxiv"),
        ('year = 2016\nurl = "http://example.org"', "form of a url"),
        ("year = 2116", "not from 1600"),
        ('year = "2016"', "a year is a number"),
        ('isbn = "9780073398273"', "year missing"),
        ('year = 2016\nplace = "New York"', "unknown parts"),
    ],
)
def test_a_part_that_cannot_be_is_named(line: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = faults(tmp_path, monkeypatch, fluids=f"{BOOK}{line}\n")
    assert [text for text in found if said and said in text] or not (found or said)


def test_a_source_has_one_key_and_one_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = f"{BOOK}year = 2016\n", BOOK.replace("white2016", "fmwhite").replace("F. M. White", "Frank M. White")
    found = faults(tmp_path, monkeypatch, common=one, fluids=one, pumps=f"{other}year = 2016\n")
    assert [text for text in found if "white2016 stands in" in text]
    assert [text for text in found if "fmwhite is the same source as white2016" in text]


def test_all_that_is_wrong_with_a_file_is_told_and_none_of_it_stops_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = faults(tmp_path, monkeypatch, a="[unclosed", b="name = 3\n", c=f"{BOOK}year = 1\n")
    assert [text.partition(":")[0] for text in found] == [f"{folder}/bibliography.toml" for folder in "abc"]


@pytest.mark.parametrize("text", ["0-306-40615-2", "978-0-306-40615-7", "080442957X"])
def test_check_digits_of_printed_isbns(text: str) -> None:
    """The examples of the ISBN Users' Manual and of ISO 2108."""
    assert is_isbn(text)
    assert not is_isbn(text[:-1] + ("1" if text[-1] != "1" else "2"))


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (
            {"publisher": "McGraw-Hill", "edition": "8th ed."},
            "F. M. White, Fluid Mechanics, 8th ed., McGraw-Hill, 2016",
        ),
        (
            {"journal": "J. Fluids", "volume": "3", "issue": "2", "pages": "1-9"},
            "F. M. White, Fluid Mechanics, J. Fluids 3(2) (2016) 1-9",
        ),
        ({"venue": "ICML 2016", "arxiv": "1607.06450"}, "F. M. White, Fluid Mechanics, ICML 2016, arXiv:1607.06450"),
        ({"arxiv": "1607.06450"}, "F. M. White, Fluid Mechanics, arXiv:1607.06450 (2016)"),
        ({"standard": "RFC 9999"}, "F. M. White, Fluid Mechanics, RFC 9999, 2016"),
    ],
)
def test_a_citation_is_written_as_its_kind_is(parts: dict[str, str], text: str) -> None:
    assert Publication(key="k", author="F. M. White", title="Fluid Mechanics", year=2016, **parts).text == text


def test_a_standard_begins_with_its_number_where_its_body_is_the_author() -> None:
    made = Publication(key="k", author="ISO", title="Rolling bearings", year=2007, standard="ISO 281:2007")
    assert made.text == "ISO 281:2007, Rolling bearings"
