"""The drawing of charts, with matplotlib but without pyplot: no global state, no window, nothing shown twice."""

from __future__ import annotations

import base64
import io
import json
import math
import textwrap
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from service_nb.cards.charts.choose import (
    MOST_BARS,
    Chart,
    ChartMark,
    ChartRows,
    choose,
    choose_bars,
    choose_line,
    is_finite,
)
from service_nb.cards.heads import write_heads
from service_nb.core.words import clip, describe_value, make_visible, write_name
from service_nb.errors import InvalidIntentError
from service_nb.schema.card import Card, Column
from service_nb.schema.source import Value, write_exact_text

# No paper, and inks that read on white as on black: a picture stands in pages of every theme, which it cannot follow.
PAPER, INK, FAINT = "none", "#757575", "#767a80"
SERIES = ("#2f6fb3", "#c2622d", "#2e8b74", "#8a5aa8", "#77736b")  # as in chart.css
DPI = 144
WIDTH_IN = 7.2
TITLE_CELLS, TITLE_CHARS = 90, 76  # of the whole title, of a line
LABEL_CELLS = 32
ChartKind = Literal["bar", "line"]
_TICKS = 7
_MOST_MARKERS = 60
# Given, not taken from the user's settings; names are data, and `$` in them opens no formula.
_STYLE: Any = {
    "text.usetex": False,
    "text.parse_math": False,
    "axes.unicode_minus": True,
    "font.family": ["DejaVu Sans"],
    "font.size": 9.0,
}


class AnswerFigure(Figure):
    """A figure with alternative text, and the hash of its answer in the picture's metadata."""

    chart: Chart
    title: str
    result_hash: str

    @property
    def alt(self) -> str:
        """The alternative text of the picture."""
        return f"{self.title}. {self.chart.alt}"

    def to_png(self) -> bytes:
        """Encode the picture as PNG, with the hash of its answer under the key `service-nb:result_hash`."""
        told = {
            "Title": self.title,
            "Description": self.alt,
            "Software": "service_nb",
            "service-nb:result_hash": self.result_hash,
        }
        picture = io.BytesIO()
        with mpl.rc_context(_STYLE), warnings.catch_warnings():
            # A letter that the font lacks shows as a box; the exact text is on the card.
            warnings.filterwarnings("ignore", message="Glyph")
            self.savefig(picture, format="png", dpi=DPI, metadata=told, facecolor=PAPER)
        return picture.getvalue()

    def _repr_mimebundle_(self, **_: object) -> tuple[dict[str, object], dict[str, object]]:
        width, height = (int(inches * DPI / 2) for inches in self.get_size_inches())
        shown = {"alt": self.alt, "width": width, "height": height, "result_hash": self.result_hash}
        data: dict[str, object] = {"image/png": base64.b64encode(self.to_png()).decode("ascii"), "text/plain": self.alt}
        return data, {"image/png": shown}


def draw(
    card: Card,
    rows: Sequence[Mapping[str, Value]],
    *,
    kind: ChartKind | None = None,
    measure: str | None = None,
    top: int | None = None,
) -> AnswerFigure:
    """Draw an answer: the chart that its card has in JupyterLab, or bars where the card has none.

    Parameters
    ----------
    card : Card
        The answer's card: columns, question and hash.
    rows : list of dict
        All of its rows with native values.
    kind : {"bar", "line"}, optional
        Draw this kind, with dates and other counted keys in their own order; otherwise what suits the rows.
    measure : str, optional
        The column to draw; otherwise the first that is measured.
    top : int, optional
        Draw bars of so many rows, the first ones, at most 30.

    Raises
    ------
    InvalidIntentError
        There is nothing to draw: no rows, values that have no place on an axis, no line through these keys; or it is a
        preview or a profile.
    """
    columns = card["view"]["columns"]
    _require_measures(card, rows)
    values = [[row[column["name"]] for column in columns] for row in rows]
    question, result_hash = card["view"]["question"], card["digests"]["result_hash"]
    heads = write_heads(card)
    return draw_rows(columns, values, question, result_hash, kind=kind, measure=measure, top=top, heads=heads)


def _require_measures(card: Card, rows: Sequence[Mapping[str, Value]]) -> None:
    """Refuse a preview, whose columns are all keys, and a profile, whose rows hold distributions of their own."""
    columns = card["view"]["columns"]
    is_profile = any(column["physical"] == "counts" for column in columns)
    if not is_profile and any(column["role"] != "key" for column in columns):
        return
    names = [str(row["column"]) for row in rows] if is_profile else [column["name"] for column in columns]
    line = f"count by {write_name((names or ['COLUMN'])[0])} from {write_name(card['view']['source']['name'])}"
    kind = "profile" if is_profile else "preview"
    raise InvalidIntentError(
        f"A {kind} is not drawn: it measures nothing by group.",
        hint=f"Draw the answer to a question: service.ask({json.dumps(line, ensure_ascii=False)}).plot()",
        met=kind,
        expected="the answer to a question",
    )


def draw_rows(
    columns: Sequence[Column],
    rows: Sequence[Sequence[Value]],
    question: str,
    result_hash: str,
    *,
    kind: ChartKind | None = None,
    measure: str | None = None,
    top: int | None = None,
    heads: Sequence[str] = (),
) -> AnswerFigure:
    """Draw rows as `draw` does, under a question, with a hash in the picture's metadata; `heads` name the columns."""
    if top is not None and (type(top) is not int or not 1 <= top <= MOST_BARS):
        raise InvalidIntentError(f"top is {top!r}.", met=str(top), expected=f"a whole number from 1 to {MOST_BARS}")
    if kind not in (None, "bar", "line"):
        raise InvalidIntentError(
            f"kind is {describe_value(kind)}, which is no kind of chart.",
            hint='Kinds are "bar" and "line".',
            met=str(kind),
            expected="bar or line",
        )
    drawn = _list_drawn(columns, measure)
    exact = [[write_exact_text(row[at]) for at in drawn] for row in rows]
    shown = [heads[at] for at in drawn] if heads else ()
    chart = _choose_kind(ChartRows([columns[at] for at in drawn], exact, len(rows), shown), kind, top)
    if chart is None or not any(_compute_place(mark) is not None for mark in chart.marks):
        raise InvalidIntentError(
            "The answer has nothing to draw.",
            hint="A picture needs rows whose value is a finite number.",
            expected="numbers",
        )
    return _build_figure(chart, clip(make_visible(question), TITLE_CELLS), result_hash)


def _list_drawn(columns: Sequence[Column], measure: str | None) -> list[int]:
    """List the places of the columns to draw: all of them, or the keys and one measure."""
    if measure is None:
        return [*range(len(columns))]
    measured = [column["name"] for column in columns if column["role"] != "key"]
    if measure not in measured:
        raise InvalidIntentError(
            f"The answer has no measure {describe_value(measure)}.",
            hint=f"It has {', '.join(measured)}.",
            met=str(measure),
            expected="a measured column",
        )
    return [at for at, column in enumerate(columns) if column["role"] == "key" or column["name"] == measure]


def _choose_kind(source: ChartRows, kind: ChartKind | None, top: int | None) -> Chart | None:
    if kind == "line":
        chart = choose_line(source) if top is None else None
        if chart is None:
            raise InvalidIntentError(
                "These rows make no line.",
                hint="A line needs dates, periods or counted numbers as its key, once each, and takes no `top`. "
                'Use kind="bar".',
                met="line",
            )
        return chart
    chart = choose(source) if top is None else None
    if kind == "bar" and (chart is None or chart.kind != "bars"):
        return choose_bars(source, top or MOST_BARS, is_in_order=top is None)
    return chart or choose_bars(source, top or MOST_BARS)


def _build_figure(chart: Chart, title: str, result_hash: str) -> AnswerFigure:
    with mpl.rc_context(_STYLE):
        lines = len(chart.marks) + sum(group.label is not None for group in chart.groups)
        height = max(1.6, 0.9 + 0.27 * lines) if chart.kind == "bars" else 3.4
        figure = AnswerFigure(figsize=(WIDTH_IN, height), facecolor=PAPER, layout="constrained")
        figure.chart, figure.title, figure.result_hash = chart, title, result_hash
        axes = figure.add_subplot(facecolor=PAPER)
        if chart.kind == "bars":
            _draw_bars(axes, chart)
        else:
            _draw_lines(axes, chart)
        _label_axes(axes, chart, title)
    return figure


def _draw_bars(axes: Axes, chart: Chart) -> None:
    # Horizontal, so that names of any length are read without turning the head. The first group is on top.
    names: list[str] = []
    headings = []
    for group in chart.groups:
        if group.label is not None:
            headings.append(len(names))
            names.append(group.label)
        places = range(len(names), len(names) + len(group.marks))
        values = [_compute_place(mark) or 0.0 for mark in group.marks]
        drawn = axes.barh(places, values, color=SERIES[0], height=0.72)
        axes.bar_label(
            drawn, labels=[clip(mark.shown, LABEL_CELLS) for mark in group.marks], padding=4, color=INK, fontsize=8
        )
        names += [mark.label for mark in group.marks]
    axes.set_yticks(range(len(names)), [clip(name, LABEL_CELLS) for name in names])
    for at in headings:
        axes.get_yticklabels()[at].set_fontweight("bold")
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.margins(x=0.14)
    axes.set_xlabel(chart.metric, color=FAINT)
    axes.set_ylabel(chart.key, color=FAINT)
    axes.axvline(0, color=FAINT, linewidth=0.8)
    axes.xaxis.set_major_formatter(FuncFormatter(_format_tick))
    axes.grid(axis="x", color=FAINT, alpha=0.2, linewidth=0.6)


def _draw_lines(axes: Axes, chart: Chart) -> None:
    for group, colour in zip(chart.groups, SERIES, strict=False):
        # A value that is missing is a gap: a line through it would show what is not there.
        values = [math.nan if (value := _compute_place(mark)) is None else value for mark in group.marks]
        marker = "o" if len(values) <= _MOST_MARKERS else ""
        places = [mark.place or 0 for mark in group.marks]
        axes.plot(places, values, color=colour, linewidth=1.6, marker=marker, markersize=3, label=group.label)
    if len(chart.groups) > 1:
        axes.legend(frameon=False, fontsize=8, labelcolor=INK)
    ticks = _choose_ticks(chart)
    axes.set_xticks([mark.place or 0 for mark in ticks], [clip(mark.label, LABEL_CELLS) for mark in ticks])
    axes.yaxis.set_major_formatter(FuncFormatter(_format_tick))
    axes.set_xlabel(chart.key, color=FAINT)
    axes.set_ylabel(chart.metric, color=FAINT)
    axes.grid(axis="y", color=FAINT, alpha=0.2, linewidth=0.6)


def _choose_ticks(chart: Chart) -> list[ChartMark]:
    """Choose the marks whose names label the axis: the first, the last, and some between."""
    by_place = {mark.place or 0: mark for mark in reversed(chart.marks)}
    places = sorted(by_place)
    count = min(_TICKS, len(places))
    return [by_place[places[round(at * (len(places) - 1) / (count - 1))]] for at in range(count)]


def _label_axes(axes: Axes, chart: Chart, title: str) -> None:
    # Folded here: matplotlib's own wrapping reads formulas in spite of `text.parse_math`.
    lines = [*textwrap.wrap(title, TITLE_CHARS), *([chart.heading] if chart.heading else [])]
    axes.set_title("\n".join(lines), loc="left", color=INK, fontsize=10)
    axes.tick_params(colors=INK, length=0)
    axes.set_axisbelow(True)
    for side in axes.spines.values():
        side.set_visible(False)


def _compute_place(mark: ChartMark) -> float | None:
    """Compute the place of a value on an axis, as the nearest float; None where it has none."""
    if not is_finite(mark.exact):
        return None
    number = float(mark.exact or "")
    return number if math.isfinite(number) and abs(number) < 1e300 else None


def _format_tick(value: float, _position: int | None = None) -> str:
    return f"{value:,.10g}" if 1e-4 <= abs(value) < 1e12 or value == 0 else f"{value:.3g}"
