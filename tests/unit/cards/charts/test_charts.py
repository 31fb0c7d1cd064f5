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
from matplotlib.colors import to_rgb
from matplotlib.text import Text

from service_nb.cards.charts import draw
from service_nb.errors import InvalidIntentError

HASH = "ab" * 32


def column(name: str, role: str, type_: str) -> dict[str, str]:
    return {"name": name, "role": role, "type": type_, "physical": type_}


def card(*columns: dict[str, str], question: str = "Sum of revenue by region in sales") -> Any:
    view = {"columns": list(columns), "question": question}
    return {"canonical": {}, "view": view, "digests": {"result_hash": HASH}}


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
    assert [label.get_text() for label in axes.get_yticklabels()] == ["south", "—"]
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
    assert texts["Description"].endswith("Bar chart: revenue by region. 1 values; all of them 3.25.")
    assert texts["Description"].startswith("Sum of revenue by region in sales. ")
    data, metadata = figure._repr_mimebundle_()
    assert data["text/plain"] == metadata["image/png"]["alt"] == texts["Description"]
    assert metadata["image/png"]["result_hash"] == HASH


def test_many_groups_are_cut_and_the_picture_says_so() -> None:
    rows = [{"region": f"r{i}", "revenue": float(i)} for i in range(100)]
    figure = draw(card(REGION, REVENUE), rows)
    assert len(figure.axes[0].patches) == 30
    assert figure.axes[0].get_title(loc="left").endswith("\n30 of 100 rows")
    assert "30 of 100 rows" in figure.alt
    three = draw(card(REGION, REVENUE), rows, top=3)
    assert len(three.axes[0].patches) == 3
    assert three.axes[0].get_title(loc="left").endswith("\n3 of 100 rows")


def test_an_answer_without_groups_is_one_bar() -> None:
    assert [bar.get_width() for bar in draw(card(COUNT), [{"count": 7}]).axes[0].patches] == [7]


def test_rows_without_a_place_on_an_axis_are_named_and_have_no_bar() -> None:
    values = [None, float("nan"), float("inf"), 10**400, 1e308, 2.0]
    rows = [{"region": str(i), "revenue": value} for i, value in enumerate(values)]
    figure = draw(card(REGION, REVENUE), rows)
    (axes,) = figure.axes
    assert [bar.get_width() for bar in axes.patches] == [0.0, 0.0, 0.0, 0.0, 0.0, 2.0]
    assert [text.get_text() for text in axes.texts][:3] == ["—", "NaN", "Infinity"]
    assert "4 without a value" not in figure.alt
    assert "3 without a value" in figure.alt


def test_a_value_that_is_missing_is_a_gap_in_a_line() -> None:
    days = [datetime.date(2013, 1, day) for day in range(1, 6)]
    rows = [{"day": day, "revenue": None if day.day == 3 else float(day.day)} for day in days]
    (line,) = draw(card(DAY, REVENUE), rows).axes[0].lines
    assert [value == value for value in line.get_ydata()] == [True, True, False, True, True]


def test_a_second_key_makes_a_line_each_with_its_name() -> None:
    days = [datetime.date(2013, 1, day) for day in (1, 2, 3)]
    rows = [{"region": name, "day": day, "revenue": float(day.day)} for day in days for name in ("north", "south")]
    (axes,) = draw(card(REGION, DAY, REVENUE), rows).axes
    assert [line.get_label() for line in axes.lines] == ["north", "south"]
    assert axes.get_legend() is not None


def test_a_tick_names_its_mark_exactly() -> None:
    days = [datetime.date(2013, 1, 1) + datetime.timedelta(days=each) for each in range(100)]
    (axes,) = draw(card(DAY, REVENUE), [{"day": day, "revenue": 1.0} for day in days]).axes
    labels = [label.get_text() for label in axes.get_xticklabels()]
    assert (labels[0], labels[-1], len(labels)) == ("2013-01-01", "2013-04-10", 7)


@pytest.mark.parametrize("rows", [[], [{"region": "a", "revenue": None}], [{"region": "a", "revenue": "text"}]])
def test_nothing_to_draw_is_an_error(rows: list[dict[str, Any]]) -> None:
    with pytest.raises(InvalidIntentError):
        draw(card(REGION, REVENUE), rows)


@pytest.mark.parametrize("top", [0, -1, 31, 2.5, True, "3"])
def test_top_is_a_small_whole_number(top: Any) -> None:
    with pytest.raises(InvalidIntentError):
        draw(card(REGION, REVENUE), [{"region": "a", "revenue": 1.0}], top=top)


def test_the_kind_is_chosen_and_dates_stand_in_their_own_order() -> None:
    days = [datetime.date(2013, 1, day) for day in (3, 1, 2)]
    rows = [{"day": day, "revenue": float(day.day)} for day in days]
    bars = draw(card(DAY, REVENUE), rows, kind="bar")
    assert [bar.get_width() for bar in bars.axes[0].patches] == [1.0, 2.0, 3.0]
    assert [label.get_text() for label in bars.axes[0].get_yticklabels()] == ["2013-01-01", "2013-01-02", "2013-01-03"]
    (line,) = draw(card(DAY, REVENUE), rows[:2], kind="line").axes[0].lines
    assert list(line.get_ydata()) == [1.0, 3.0]


def test_one_of_several_measures_is_drawn() -> None:
    price = column("avg_price", "metric", "number")
    rows = [{"region": "a", "revenue": 1.0, "avg_price": 7.5}, {"region": "b", "revenue": 2.0, "avg_price": 8.5}]
    shown = draw(card(REGION, REVENUE, price), rows, measure="avg_price")
    assert [bar.get_width() for bar in shown.axes[0].patches] == [7.5, 8.5]
    assert shown.axes[0].get_xlabel() == "avg_price"


@pytest.mark.parametrize(
    "options", [{"kind": "line"}, {"kind": "pie"}, {"measure": "region"}, {"measure": "secret"}, {"measure": ["a"]}]
)
def test_what_cannot_be_drawn_so_is_refused(options: Any) -> None:
    rows = [{"region": name, "revenue": 1.0} for name in ("a", "b", "c")]
    with pytest.raises(InvalidIntentError):
        draw(card(REGION, REVENUE), rows, **options)


@pytest.mark.parametrize("page", [0.0, 0x11 / 255, 1.0])
def test_a_picture_reads_on_light_and_dark_pages(page: float) -> None:
    def shine(colour: Any) -> float:  # the relative luminance of WCAG 2.2
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(colour)]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    def contrast(colour: Any) -> float:
        bright, dim = sorted((shine(colour), shine((page,) * 3)), reverse=True)
        return (bright + 0.05) / (dim + 0.05)

    figure = draw(card(REGION, REVENUE), [{"region": "a", "revenue": 1.0}, {"region": "b", "revenue": 2.0}])
    (axes,) = figure.axes
    assert figure.get_facecolor()[3] == axes.get_facecolor()[3] == 0
    texts = [text for text in figure.findobj(Text) if text.get_text()]
    assert min(contrast(text.get_color()) for text in texts) >= 4
    assert min(contrast(bar.get_facecolor()[:3]) for bar in axes.patches) >= 3


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
