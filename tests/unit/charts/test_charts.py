"""Pictures of answers. Metadata is read back by the specification of PNG, not by the library that wrote it."""

from __future__ import annotations

import datetime
import struct
import zlib
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service_nb.charts import draw
from service_nb.errors import InvalidIntentError

HASH = "ab" * 32


def column(name: str, role: str, type_: str) -> dict[str, str]:
    return {"name": name, "role": role, "type": type_, "physical": type_}


def card(*columns: dict[str, str], question: str = "Sum of revenue by region in sales") -> Any:
    return {"view": {"columns": list(columns), "question": question}, "digests": {"result_hash": HASH}}


REGION, DAY, REVENUE, COUNT = (
    column("region", "key", "string"),
    column("day", "key", "date"),
    column("revenue", "metric", "number"),
    column("count", "count", "number"),
)


def text_chunks(png: bytes) -> dict[str, str]:
    """Read the texts of a PNG (W3C Portable Network Graphics, sections 5 and 11.3.3) and check every checksum."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    place, texts = 8, {}
    while place < len(png):
        (length,), kind = struct.unpack(">I", png[place : place + 4]), png[place + 4 : place + 8]
        data = png[place + 8 : place + 8 + length]
        assert struct.unpack(">I", png[place + 8 + length : place + 12 + length]) == (zlib.crc32(kind + data),)
        if kind == b"tEXt":
            key, _, value = data.partition(b"\0")
            texts[key.decode("latin-1")] = value.decode("latin-1")
        if kind == b"iTXt":
            key, _, rest = data.partition(b"\0")
            texts[key.decode("latin-1")] = rest[2:].split(b"\0", 2)[2].decode("utf-8")
        place += 12 + length
    return texts


def test_groups_are_bars_in_the_order_of_the_answer() -> None:
    rows = [{"region": "south", "revenue": 3.5, "count": 2}, {"region": None, "revenue": 1.0, "count": 1}]
    figure = draw(card(REGION, REVENUE, COUNT), rows)
    (axes,) = figure.axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["south", "null"]
    assert [bar.get_width() for bar in axes.patches] == [3.5, 1.0]
    assert axes.yaxis_inverted()
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("revenue", "region")


def test_dates_are_a_line_in_their_own_order() -> None:
    days = [datetime.date(2013, 1, day) for day in (3, 1, 2)]
    rows = [{"day": day, "revenue": float(day.day)} for day in days]
    (axes,) = draw(card(DAY, REVENUE), rows).axes
    (line,) = axes.lines
    assert list(line.get_ydata()) == [1.0, 2.0, 3.0]


def test_a_picture_carries_the_hash_and_words_for_who_cannot_see_it() -> None:
    figure = draw(card(REGION, REVENUE), [{"region": "Größe €", "revenue": Decimal("3.25")}])
    texts = text_chunks(figure.to_png())
    assert texts["service-nb:result_hash"] == HASH
    assert "Größe € 3.25" in texts["Description"]
    data, metadata = figure._repr_mimebundle_()
    assert data["text/plain"] == metadata["image/png"]["alt"] == texts["Description"]
    assert metadata["image/png"]["result_hash"] == HASH


def test_many_groups_are_cut_and_the_picture_says_so() -> None:
    rows = [{"region": f"r{i}", "revenue": float(i)} for i in range(100)]
    figure = draw(card(REGION, REVENUE), rows)
    assert len(figure.axes[0].patches) == 30
    assert figure.chart.note == "30 of 100 groups shown"
    assert len(draw(card(REGION, REVENUE), rows, top=3).axes[0].patches) == 3


def test_an_answer_without_groups_is_one_bar() -> None:
    assert [bar.get_width() for bar in draw(card(COUNT), [{"count": 7}]).axes[0].patches] == [7]


def test_rows_without_a_place_on_an_axis_are_left_out_and_counted() -> None:
    values = [None, float("nan"), float("inf"), 10**400, 1e308, 2.0]
    rows = [{"region": str(i), "revenue": value} for i, value in enumerate(values)]
    figure = draw(card(REGION, REVENUE), rows)
    assert [bar.get_width() for bar in figure.axes[0].patches] == [2.0]
    assert figure.chart.note == "1 of 6 groups shown"


@pytest.mark.parametrize("rows", [[], [{"region": "a", "revenue": None}], [{"region": "a", "revenue": "text"}]])
def test_nothing_to_draw_is_an_error(rows: list[dict[str, Any]]) -> None:
    with pytest.raises(InvalidIntentError):
        draw(card(REGION, REVENUE), rows)


@pytest.mark.parametrize("top", [0, -1, 31, 2.5, True, "3"])
def test_top_is_a_small_whole_number(top: Any) -> None:
    with pytest.raises(InvalidIntentError):
        draw(card(REGION, REVENUE), [{"region": "a", "revenue": 1.0}], top=top)


def test_dollars_open_no_formula() -> None:
    figure = draw(
        card(column("$x_{a}$", "key", "string"), REVENUE, question=r"$\frac{1}{0}$ $\unknown$"),
        [{"$x_{a}$": r"$\frac{$ 5$", "revenue": 1.0}],
    )
    assert text_chunks(figure.to_png())["Title"] == r"$\frac{1}{0}$ $\unknown$"
    assert figure.axes[0].get_yticklabels()[0].get_text() == r"$\frac{$ 5$"


@settings(max_examples=25)
@given(st.text(max_size=40), st.text(min_size=1, max_size=40), st.floats() | st.integers() | st.none())
def test_no_name_and_no_value_breaks_a_picture(label: str, name: str, value: float | None) -> None:
    rows = [{name: label, "v": value}, {name: None, "v": 1}]
    shown = draw(card(column(name, "key", "string"), column("v", "metric", "number"), question=label), rows)
    assert text_chunks(shown.to_png())["service-nb:result_hash"] == HASH
