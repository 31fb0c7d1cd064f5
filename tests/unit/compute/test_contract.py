"""The contract's reader and the search over it."""

from __future__ import annotations

import json
import random
from difflib import get_close_matches
from pathlib import Path

import pytest
import service_nb_kernels

from service_nb.compute.capability_index import MOST_MATCHES, SYNONYMS, Index
from service_nb.compute.contract import Contract, format_signature, list_units
from service_nb.errors import ComputeRuntimeUnavailableError
from service_nb.runtimes.interface import map_packaged_contract
from tests.simulators.compute import ENTRIES, HASH, contract, entry, scalar
from tests.simulators.steps import steps


def anything(_: str) -> bool:
    return True


def names(index: Index, query: str, limit: int = 5) -> list[str]:
    return [hit["name"] for hit in index.search(query, limit, anything)]


@pytest.fixture(scope="module")
def packaged() -> Index:
    return Index(Contract(map_packaged_contract()))


# --- reading ----------------------------------------------------------------------------------------------------------


def test_a_contract_is_read_line_by_line() -> None:
    read = Contract(contract())
    assert read.hash == HASH
    assert list(read) == [each["id"] for each in ENTRIES]
    assert len(read) == len(ENTRIES)
    assert [read.read_entry(name) for name in read] == ENTRIES
    assert "finance.npv" in read
    assert "finance.nvp" not in read


def test_the_packaged_contract_is_the_json_that_it_is() -> None:
    content = map_packaged_contract()[:]
    read, whole = Contract(content), json.loads(content)
    assert read.hash == whole["contract_hash"]
    assert {name: read.read_entry(name) for name in read} == whole["capabilities"]
    for name, capability in read.items():
        assert capability.id == name == f"{capability.module}.{capability.function}"
        assert len(set(capability.names)) == len(capability.names)
        assert format_signature(capability).startswith(f"{name}(")
        assert set(capability.names) <= list_units(capability).keys()


def test_a_contract_without_capabilities_is_one() -> None:
    assert list(Contract(contract([]))) == []


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"\n", b"{}", b"[]", b"null\nx\n}}", b'{"contract_version":1}', b"\xff\xfe", b"\0" * 100),
        contract()[: len(contract()) // 2][:40],
        contract().replace(b'"contract_version": 1', b'"contract_version": 2'),
        contract().replace(b"contract_hash", b"hash"),
        contract().replace(b'"runtime"', b'"runtimes"'),
    ],
)
def test_what_is_no_contract_is_refused(content: bytes) -> None:
    with pytest.raises(ComputeRuntimeUnavailableError):
        Contract(content)


@pytest.mark.parametrize("content", [None, b"", b"{}"])
def test_an_installation_without_its_contract_says_so(
    content: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "contract.json"
    if content is not None:
        path.write_bytes(content)
    monkeypatch.setattr(service_nb_kernels, "_CONTRACT", path)
    with pytest.raises(ComputeRuntimeUnavailableError, match="Reinstall service-nb"):
        Contract(map_packaged_contract())


def test_signatures_and_units_are_what_people_read() -> None:
    read = Contract(contract())
    assert format_signature(read["finance.npv"]) == "finance.npv(rate: float64, cashflows: float64[n]) -> float64"
    assert format_signature(read["linalg.trace"]) == "linalg.trace(matrix: float64[n,n]) -> float64"
    assert format_signature(read["stats.extent"]) == "stats.extent(values: float64[n]) -> {high: float64, low: float64}"
    assert list_units(read["finance.npv"]) == {"rate": "1", "cashflows": "money", "result": "money"}
    assert list_units(read["stats.extent"]) == {"values": "m", "result.low": "m", "result.high": "m"}


# --- searching --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        *(("finance.npv", "finance.npv"), ("npv", "finance.npv"), ("net present value", "finance.npv")),
        *(("average", "stats.mean"), ("sample mean", "stats.mean"), ("arithm", "stats.mean")),
        *(("covarience", "stats.covariance"), ("dependence", "stats.covariance"), ("COVARIANCE", "stats.covariance")),
        *(("diagonl", "linalg.trace"), ("flags", "logic.every"), ("draws uniform", "simulation.draw")),
    ],
)
def test_words_beginnings_spellings_and_synonyms_are_found(query: str, expected: str) -> None:
    assert names(Index(Contract(contract())), query)[0] == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("internal rate of return", "finance.irr"),
        ("black scholes call", "option_pricing.black_scholes_call"),
        ("npv", "finance.npv"),
        ("acos", "elementary.acos"),
    ],
)
def test_the_packaged_contract_is_found_by_what_people_say(packaged: Index, query: str, expected: str) -> None:
    assert expected in names(packaged, query)


# A search takes milliseconds, and there are thousands of capabilities: here each so-many-th is searched.
EACH = pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.slow)])


@EACH
def test_every_capability_is_the_first_that_its_own_name_finds(packaged: Index, step: int) -> None:
    known = list(Contract(map_packaged_contract()))[::step]
    assert len(known) > 2_000 / step
    assert [name for name in known if names(packaged, name, 1) != [name]] == []


@EACH
def test_the_name_of_a_function_finds_a_capability_of_that_name_first(packaged: Index, step: int) -> None:
    functions = sorted({name.partition(".")[2] for name in Contract(map_packaged_contract())})[::step]
    first = {function: names(packaged, function, 1) for function in functions}
    assert {function: found for function, found in first.items() if found[0].partition(".")[2] != function} == {}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        *(
            ("mean", "stats.mean"),
            ("median", "stats.median"),
            ("stats.mean", "stats.mean"),
            ("stats mean", "stats.mean"),
        ),
        *(("MEDIAN ", "stats.median"), ("root mean-square", "stats.root_mean_square"), ("average", "stats.mean")),
    ],
)
def test_a_name_in_another_spelling_and_a_synonym_of_one_find_it_first(
    packaged: Index, query: str, expected: str
) -> None:
    assert names(packaged, query)[0] == expected


def test_a_name_that_is_denied_is_not_found_by_its_name(packaged: Index) -> None:
    found = packaged.search("stats.mean", 10, lambda name: name != "stats.mean")
    assert found
    assert all(hit["name"] != "stats.mean" for hit in found)


def test_scores_fall_from_the_first_hit_to_the_last(packaged: Index) -> None:
    scores = [hit["score"] for hit in packaged.search("mean", 50, anything)]
    assert scores == sorted(scores, reverse=True)


def test_a_hit_has_everything_that_a_call_needs() -> None:
    (hit,) = Index(Contract(contract())).search("npv", 1, anything)
    assert list(hit) == [
        *("name", "module", "function", "summary", "signature"),
        *("tier", "grade", "units", "entry", "score", "match", "note"),
    ]
    assert (hit["module"], hit["function"]) == ("finance", "npv")
    assert hit["entry"] == next(each for each in ENTRIES if each["id"] == "finance.npv")
    assert hit["score"] > 0


def test_every_synonym_leads_somewhere_that_is_a_word() -> None:
    assert all(word == word.lower() and meanings for word, meanings in SYNONYMS.items())


@pytest.mark.parametrize("query", ["", " ", "the of", "zzzzqqq", "?!", "名前", "a" * 1_000])
def test_a_query_without_known_words_finds_nothing(query: str) -> None:
    assert names(Index(Contract(contract())), query) == []


def test_only_what_is_allowed_is_found() -> None:
    index = Index(Contract(contract()))
    found = index.search("sample", 10, lambda name: name == "stats.extent")
    assert [hit["name"] for hit in found] == ["stats.extent"]
    assert index.find_nearest_names("stats.meen", lambda name: name.startswith("numbers.")) == []


def test_names_that_are_spelt_alike_are_those_that_a_comparison_with_all_finds(packaged: Index) -> None:
    known = list(Contract(map_packaged_contract()))
    one = random.Random(11).choice(known)
    for name in ("stats.meen", "é" * 120, one[:-1], one[::-1]):
        same = [each for each in known if each.partition(".")[2] == name.partition(".")[2]]
        spelt = get_close_matches(name[:100], known, n=MOST_MATCHES, cutoff=0.7)
        expected = list(dict.fromkeys([*same, *spelt]))[:MOST_MATCHES]
        assert packaged.find_nearest_names(name, anything)[: len(expected)] == expected


def test_thousands_are_loaded_and_searched_in_few_steps() -> None:
    draw = random.Random(7)
    words = [f"{draw.choice('bcdfg')}{draw.choice('aeiou')}{at}x".replace("1", "y") for at in range(4_000)]
    entries = [
        entry(f"field{at % 60}.name{at}", " ".join(draw.choices(words, k=12)) + " value of a rate.", [scalar("x")])
        for at in range(6_000)
    ]
    content = contract(sorted(entries, key=lambda each: each["id"]))

    index = Index(Contract(content))
    assert steps(lambda: Contract(content)) < 75_000  # four an entry; 0.02 s on a quiet machine
    assert (
        steps(lambda: index.search("value of a rate", 10, anything)) < 60_000
    )  # three an entry; 0.003 s on a quiet machine
    assert names(index, "field7.name67", 1) == ["field7.name67"]
    assert steps(lambda: index.search("field7.name67", 10, anything)) < 60_000
