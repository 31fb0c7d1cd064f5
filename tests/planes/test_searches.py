"""The search of capabilities finds what people look for in everyday words."""

from __future__ import annotations

import pytest

import service_nb
from service_nb.cards.faces import write_bundle
from service_nb.cards.page_blocks import compose_hits
from service_nb.errors import UnsupportedOperationError
from tests.tools.searches import list_searches, measure_searches

SERVICE = service_nb.create_service(ledger="off")


def search(query: str) -> list[str]:
    return [str(hit["name"]) for hit in SERVICE.search_capabilities(query, limit=10)]


@pytest.mark.parametrize("part", [1, 2])
def test_everyday_words_find_the_answer_first_or_among_ten(part: int) -> None:
    first, ten = measure_searches(search, part)
    assert first >= 0.80
    assert ten >= 0.97


def test_each_answer_is_a_capability() -> None:
    known = {name for _, answers in list_searches() for name in answers}
    assert known == {name for name in known if search(name)[0] == name}


@pytest.mark.parametrize("name", ["mean", "median", "mode", "std", "variance", "geometric mean", "Geometric_Mean"])
def test_the_name_of_a_function_finds_the_one_without_a_field_first(name: str) -> None:
    assert search(name)[0] == f"stats.{name.lower().replace(' ', '_')}"


@pytest.mark.parametrize(
    ("query", "name"), [("Snell's law", "optics.snell_refraction_angle"), ("√", None), ("how", None)]
)
def test_words_that_tell_nothing_find_nothing(query: str, name: str | None) -> None:
    assert search(query)[:1] == ([name] if name else [])


def test_a_forward_formula_comes_before_its_inverses() -> None:
    assert search("debye length")[0].endswith(".debye_length")
    assert search("density from debye length")[0] == "plasma.density_from_debye_length"


@pytest.mark.parametrize(
    ("query", "name", "match"),
    [
        ("np.std", "stats.std_population", "counterpart"),
        ("scipy.stats.norm.cdf", "distributions.normal_cdf", "counterpart"),
        ("RMSE", "metrics.root_mean_squared_error", "counterpart"),
        ("=STDEV.S(", "stats.std", "counterpart"),
        ("NPV", "finance.npv", "name"),
        ("standart deviation", "stats.std", "counterpart"),
        ("medain", "stats.median", "name"),
        ("\u00e9cart-type", "stats.std", "counterpart"),
        ("Standardabweichung", "stats.std", "counterpart"),
        ("Standartabweichung", "stats.std", "counterpart"),
        ("desviaci\u00f3n est\u00e1ndar", "stats.std", "counterpart"),
        ("moyenne", "stats.mean", "counterpart"),
        ("Mittelwert", "stats.mean", "counterpart"),
        ("scarto quadratico medio", "stats.std", "counterpart"),
        ("desvio padr\u00e3o", "stats.std", "counterpart"),
        ("logistic regression", "elementary.logistic", "nearest"),
        ("tukey hsd", "hypothesis.anova", "nearest"),
        ("ohm's law", "electrical.joule_power", "nearest"),
        ("relu", "elementary.softplus", "nearest"),
        ("net present value", "finance.npv", "counterpart"),
    ],
)
def test_a_query_finds_what_it_names_and_says_how(query: str, name: str, match: str) -> None:
    hit = SERVICE.search_capabilities(query, 1)[0]
    assert (hit["name"], hit["match"]) == (name, match)
    assert hit["note"] or match == "name"


def test_a_note_says_the_difference_in_the_same_breath() -> None:
    notes = {query: SERVICE.search_capabilities(query, 1)[0]["note"] for query in ("np.std", "NPV", "tukey hsd")}
    assert "divides by n" in notes["np.std"]
    assert "discounts the first flow too" in notes["NPV"]
    assert "is not here" in notes["tukey hsd"]


def test_a_bare_name_of_two_meanings_tells_both() -> None:
    hits = SERVICE.search_capabilities("var", 2)
    assert {hit["name"] for hit in hits} == {"stats.variance", "stats.variance_population"}
    assert all(hit["note"] for hit in hits)


# What is no computation of the contract, and shares a word with some.
OTHER_THINGS = (
    *("weather tomorrow", "football results", "send an email", "read a csv file", "plot a chart", "capital of france"),
    *(
        "translate german to english",
        "best restaurant in town",
        "time in tokyo",
        "convert pdf to word",
        "chess opening",
    ),
    *("guitar chords for beginners", "bitcoin price today", "sql join two tables", "git rebase", "sort a list"),
    *("lottery numbers", "movie tickets", "love letter", "cheap flights", "write a poem", "meeting notes", "blue car"),
    *("who is the president", "parse json file", "hello world", "image segmentation", "groupby sum"),
)


def test_what_matches_by_chance_is_weak_and_what_people_look_for_is_not() -> None:
    other = [SERVICE.search_capabilities(query, 1) for query in OTHER_THINGS]
    assert sum(not hits or hits[0]["match"] == "weak" for hits in other) >= 0.9 * len(other)
    found = [SERVICE.search_capabilities(query, 1)[0]["match"] for query, _ in list_searches()]
    assert found.count("weak") <= 0.03 * len(found)


def test_an_unknown_name_leads_to_what_it_means() -> None:
    hints = {}
    for name in ("stats.standard_deviation", "np.std", "finance.pmt", "stats.mena", "foo.bar"):
        with pytest.raises(UnsupportedOperationError) as raised:
            SERVICE.capability(name)
        hints[name] = str(raised.value.hint)
    assert "stats.std:" in hints["stats.standard_deviation"]
    assert "stats.std_population" in hints["np.std"]
    assert "finance.loan_payment" in hints["finance.pmt"]
    assert "stats.mean" in hints["stats.mena"]
    assert "Did you mean" not in hints["foo.bar"]


def test_a_page_of_hits_says_what_is_not_there_and_what_matches_by_chance() -> None:
    faces = {}
    for query in ("np.std", "logistic regression", "sort a list"):
        faces[query], _ = write_bundle(compose_hits(SERVICE.search_capabilities(query), query))
    assert "divides by n" in faces["np.std"]["text/plain"]
    assert "np_chart" not in faces["np.std"]["text/plain"]
    assert "is not here" in faces["logistic regression"]["text/plain"]
    assert "Nothing matches well" in faces["sort a list"]["text/plain"]
