"""Pictures of answers: bars for groups, a line over dates. The picture carries the hash of the answer it shows."""

from service_nb.cards.charts.draw import AnswerFigure, ChartKind, draw, draw_rows

__all__ = ["AnswerFigure", "ChartKind", "draw", "draw_rows"]
