"""Computations in the notebook, as a user types them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pandas
import pytest

from service_nb.errors import (
    DomainError,
    InvalidIntentError,
    PolicyDeniedError,
    SeedRequiredError,
    SourceNotFoundError,
    UnsupportedOperationError,
)
from service_nb.schema.card import CARD_MIME
from tests.surfaces.conftest import Session

NPV = "finance.npv rate=0.1 cashflows=[-1000, 300, 420, 560, 680]"
VALUE = 505.0201488969332  # exact fractions of Python, rounded once


@pytest.fixture(autouse=True)
def provisional() -> Iterator[None]:
    """IPython calls its completer provisional, in a warning at every call."""
    with warnings.catch_warnings():
        from IPython.core.completer import ProvisionalCompleterWarning

        warnings.simplefilter("ignore", ProvisionalCompleterWarning)
        yield


@pytest.mark.parametrize(
    "cell",
    [
        f"%service_compute {NPV}",
        f"%%service_compute\n{NPV}",
        "%%service_compute\nfinance.npv\n  rate = 0.1\n  cashflows = [-1000, 300, 420,\n 560, 680]",
        "%%service_compute\nmodule: finance\nfunction: npv\nargs: [0.1, [-1000, 300, 420, 560, 680]]",
        '%%service_compute\n{"module": "finance", "function": "npv", "args": [0.1, [-1000, 300, 420, 560, 680]]}',
    ],
)
def test_every_form_gives_the_same_value(session: Session, cell: str) -> None:
    found: Any = session.run(cell)
    assert found["value"] == VALUE
    assert found["determinism"]["input_hash"] == "aadddd29e6a8cc682c934233448531039e4f4777ad508d164734a0095c4e10f1"


def test_value_is_bound_by_as_and_by_assignment_and_silenced(session: Session) -> None:
    assert session.run(f"x = %service_compute {NPV}") is None
    assert session.run(f"%service_compute {NPV} --as y;") is None
    assert session["x"]["value"] == session["y"]["value"] == VALUE  # type: ignore[index]


def test_card_comes_in_every_face(session: Session) -> None:
    found: Any = session.run(f"%service_compute {NPV}")
    bundle, _ = found._repr_mimebundle_()
    assert {CARD_MIME, "text/html", "text/markdown", "text/plain"} <= bundle.keys()
    assert bundle[CARD_MIME]["digests"]["computation_hash"] == found["computation_hash"]
    for face in ("text/html", "text/markdown", "text/plain"):
        assert str(VALUE) in bundle[face]
        assert "certified" in bundle[face]
        assert "∑" in bundle[face]


def test_columns_are_bound_filtered_and_their_nulls_named(session: Session) -> None:
    mean: Any = session.run("%service_compute stats.mean values=sales.revenue where region = 'south'")
    assert mean["value"] == (0.1 + 0.2) / 2
    with_nulls = session.error("%service_compute stats.mean values=sales.revenue")
    assert isinstance(with_nulls, InvalidIntentError)
    dropped: Any = session.run("%service_compute stats.mean values=sales.revenue --nulls drop")
    assert dropped["provenance"]["bindings"][0]["dropped"] == 1
    assert dropped["value"] == 0.6  # (1.5 + 0.1 + 0.2) / 3 in exact fractions, rounded once


def test_each_computation_over_a_column_is_shown_by_its_card(session: Session) -> None:
    line = "%service_compute stats.mean values=sales.revenue --over region where revenue > 0"
    found: Any = session.run(line)
    assert sorted(each["value"] for each in found) == [(0.1 + 0.2) / 2, 1.5]
    outputs, _ = session.outputs(line)
    shown = [output.data[CARD_MIME] for output in outputs]
    assert [card["canonical"]["value"] for card in shown] == [each.card["canonical"]["value"] for each in found]
    told = [next(line for line in output.data["text/plain"].split("\n") if "where" in line) for output in outputs]
    assert sorted(line.partition("region = ")[2].split('"')[1] for line in told) == ["north", "south"]
    session.run(f"x = {line}")
    again, _ = session.outputs("x")
    assert [CARD_MIME in output.data for output in again] == [True, True]


def test_a_list_of_computations_shows_no_value_without_its_card(session: Session) -> None:
    found: Any = session.run("%service_compute stats.mean values=sales.revenue --over region where revenue > 0")
    for face in found._repr_mimebundle_()[0].values():
        assert "2 computations" in face
        assert "0.15" not in face


def test_many_computations_show_the_first_cards_and_how_many_there_are(session: Session) -> None:
    session.shell.user_ns["many"] = [{"n": n, "v": float(n)} for n in range(25)]
    session.run("%service_connect many $many")
    outputs, _ = session.outputs("%service_compute stats.mean values=many.v --over n")
    assert [CARD_MIME in output.data for output in outputs] == [True] * 20 + [False]
    assert "First 20 of 25 computations" in outputs[-1].data["text/plain"]


def test_variables_become_literals(session: Session) -> None:
    session.shell.user_ns["flows"] = pandas.Series([-1000, 300, 420, 560, 680])
    session.shell.user_ns["r"] = 0.1
    found: Any = session.run("%service_compute finance.npv rate=$r cashflows=$flows")
    assert found["value"] == VALUE
    missing = session.error("%service_compute finance.npv rate=$rr cashflows=$flows")
    assert isinstance(missing, InvalidIntentError)
    assert missing.details["did_you_mean"] == ["r"] or missing.details["met"] == "$rr"


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("finance.npw rate=0.1", UnsupportedOperationError),
        ("finance.npv rate=0.1", InvalidIntentError),
        ("finance.npv rate='a' cashflows=[1]", InvalidIntentError),
        ("finance.npv rate=-2 cashflows=[1]", DomainError),
        ("finance.npv rate=0.1 cashflows=nowhere.x", SourceNotFoundError),
        ("simulation.random_walk steps=10 probability=0.5", SeedRequiredError),
        ("", InvalidIntentError),
    ],
)
def test_errors_are_typed_and_one_line_and_end_in_lines_that_run(
    session: Session, line: str, error: type[Exception]
) -> None:
    raised: Any = session.error(f"%service_compute {line}")
    assert isinstance(raised, error)
    told, *more = "\n".join(raised._render_traceback_()).split(f"\n  {raised.heading}")
    assert 1 <= len(told.split("\n")) <= 2
    assert len(more) == 1
    assert all(way.startswith("%service_") for way in raised.lines)


def test_policy_hides_what_it_denies(session: Session) -> None:
    session.run("from service_nb import notebook, create_service")
    session.run("notebook.use(create_service(policy={'allowed_functions': ['stats.*']}))")
    denied = session.error(f"%service_compute {NPV}")
    assert isinstance(denied, PolicyDeniedError)
    hits: Any = session.run("%service_search net present value")
    assert all(hit["name"].startswith("stats.") for hit in hits)
    assert "finance." not in session.complete("%service_compute ")


def test_search_shows_ranked_hits_and_help_the_whole_page(session: Session) -> None:
    hits: Any = session.run("%service_search net present value --limit 5")
    assert hits[0]["name"] == "finance.npv"
    assert "finance.npv" in hits._repr_mimebundle_()[0]["text/plain"]
    page: Any = session.run("%service_help finance.npv")
    text = page._repr_mimebundle_()[0]["text/plain"]
    assert page["id"] == "finance.npv"
    assert all(said in text for said in ("cashflows", "float64[n]", "certified", "%service_compute finance.npv"))
    assert isinstance(session.error("%service_help finance.npw"), UnsupportedOperationError)


@pytest.mark.parametrize("form", ["%service_compute {}", "x = %service_compute {}", "%%service_compute\n{}"])
@pytest.mark.parametrize(
    ("typed", "offer"),
    [
        ("", "finance."),
        ("fin", "finance."),
        ("finance.np", "finance.npv"),
        ("finance.npv ", "rate="),
        ("finance.npv rate=0.1 ca", "cashflows="),
        ("finance.npv rate=0.1 cashflows=", "sales.revenue"),
        ("finance.npv rate=0.1 cashflows=sales.rev", "sales.revenue"),
        ("finance.npv rate=0.1 cashflows=sales.revenue wh", "where"),
        ("finance.npv rate=0.1 cashflows=sales.revenue where ", "region"),
        ("finance.npv rate=0.1 cashflows=sales.revenue where region = ", "'north'"),
        ("simulation.random_walk see", "seed="),
    ],
)
def test_computations_are_completed(session: Session, form: str, typed: str, offer: str) -> None:
    assert offer in session.complete(form.format(typed))


def test_what_was_given_is_not_offered_again_and_text_columns_fit_no_number(session: Session) -> None:
    assert "rate=" not in session.complete("%service_compute finance.npv rate=0.1 ")
    assert "sales.region" not in session.complete("%service_compute finance.npv cashflows=")
    assert "seed=" not in session.complete("%service_compute finance.npv ")


def test_help_names_what_completes(session: Session) -> None:
    assert "finance.npv" in session.complete("%service_help finance.n")
    assert "--limit" in session.complete("%service_search --l")
