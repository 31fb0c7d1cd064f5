"""The drawing, with matplotlib but without pyplot: no global state, no window, nothing shown twice."""

from __future__ import annotations

import base64
import io
import textwrap
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import matplotlib.dates
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from service_nb.charts.choose import Chart, choose
from service_nb.records.card import Card

# Dark ink on paper of its own, in every theme: a picture is also printed and pasted, where no theme follows it.
PAPER, INK, FAINT, FILL = "#ffffff", "#1f2328", "#6b7280", "#3b6ea5"
DPI = 144
WIDTH_IN = 7.2
TITLE_CHARS = 76  # a line
# Given, not taken from the user's settings; names are data, and `$` in them opens no formula.
_STYLE: Any = {
    "text.usetex": False,
    "text.parse_math": False,
    "axes.unicode_minus": True,
    "font.family": ["DejaVu Sans"],
    "font.size": 9.0,
}


class AnswerFigure(Figure):
    """A figure that knows what it shows: alternative text, and the hash of the answer in the picture's metadata."""

    chart: Chart

    def to_png(self) -> bytes:
        """The picture, with the hash of its answer under the key `service-nb:result_hash`."""
        told = {
            "Title": self.chart.title,
            "Description": self.chart.alt,
            "Software": "service_nb",
            "service-nb:result_hash": self.chart.result_hash,
        }
        picture = io.BytesIO()
        with mpl.rc_context(_STYLE), warnings.catch_warnings():
            # A letter that the font lacks shows as a box; the exact text is on the card.
            warnings.filterwarnings("ignore", message="Glyph")
            self.savefig(picture, format="png", dpi=DPI, metadata=told, facecolor=PAPER)
        return picture.getvalue()

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        width, height = (int(inches * DPI / 2) for inches in self.get_size_inches())
        shown = {"alt": self.chart.alt, "width": width, "height": height, "result_hash": self.chart.result_hash}
        data = {"image/png": base64.b64encode(self.to_png()).decode("ascii"), "text/plain": self.chart.alt}
        return data, {"image/png": shown}


def draw(card: Card, rows: Sequence[Mapping[str, Any]], **options: Any) -> AnswerFigure:
    """Draw an answer.

    Parameters
    ----------
    card : Card
        The answer's card: columns, question and hash.
    rows : list of dict
        All of its rows with native values.
    options : Any
        `top`, the number of bars at most (30).
    """
    chart = choose(card, rows, **options)
    with mpl.rc_context(_STYLE):
        bars = len(chart.marks.values) if chart.marks.kind == "bars" else 0
        height = max(1.6, 0.9 + 0.27 * bars) if bars else 3.4
        figure = AnswerFigure(figsize=(WIDTH_IN, height), facecolor=PAPER, layout="constrained")
        figure.chart = chart
        axes = figure.add_subplot(facecolor=PAPER)
        _draw_bars(axes, chart) if bars else _draw_line(axes, chart)
        _dress(axes, chart)
    return figure


def _draw_bars(axes: Axes, chart: Chart) -> None:
    # Horizontal, so that names of any length are read without turning the head. The first group is on top.
    marks = chart.marks
    places = range(len(marks.values))
    drawn = axes.barh(places, marks.values, color=FILL, height=0.72)
    axes.set_yticks(places, [str(key) for key in marks.keys])
    axes.invert_yaxis()
    axes.bar_label(drawn, labels=list(marks.labels), padding=4, color=INK, fontsize=8)
    axes.margins(x=0.14, y=0.02)
    axes.set_xlabel(chart.value_title, color=FAINT)
    axes.set_ylabel(marks.key_title, color=FAINT)
    axes.axvline(0, color=FAINT, linewidth=0.8)
    axes.xaxis.set_major_formatter(FuncFormatter(_tick))
    axes.grid(axis="x", color=FAINT, alpha=0.2, linewidth=0.6)


def _draw_line(axes: Axes, chart: Chart) -> None:
    marks = chart.marks
    instants: Any = list(marks.keys)
    axes.plot(
        instants, marks.values, color=FILL, linewidth=1.6, marker="o" if len(instants) <= 60 else "", markersize=3
    )
    dates: Any = matplotlib.dates
    locator = dates.AutoDateLocator()
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator))
    axes.yaxis.set_major_formatter(FuncFormatter(_tick))
    axes.set_xlabel(marks.key_title, color=FAINT)
    axes.set_ylabel(chart.value_title, color=FAINT)
    axes.grid(axis="y", color=FAINT, alpha=0.2, linewidth=0.6)


def _dress(axes: Axes, chart: Chart) -> None:
    # Folded here: matplotlib's own wrapping reads formulas in spite of `text.parse_math`.
    axes.set_title("\n".join(textwrap.wrap(chart.title, TITLE_CHARS)), loc="left", color=INK, fontsize=10)
    if chart.note:
        axes.annotate(
            chart.note,
            (1, 0),
            (0, -30),
            "axes fraction",
            "offset points",
            ha="right",
            va="top",
            color=FAINT,
            fontsize=8,
        )
    axes.tick_params(colors=INK, length=0)
    axes.set_axisbelow(True)
    for side in axes.spines.values():
        side.set_visible(False)


def _tick(value: float, _position: int | None = None) -> str:
    return f"{value:,.10g}" if 1e-4 <= abs(value) < 1e12 or value == 0 else f"{value:.3g}"
