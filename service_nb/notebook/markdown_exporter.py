"""The exporter of `jupyter nbconvert --to service-nb-markdown`: Markdown in which cards are tables, not HTML."""

from __future__ import annotations

from nbconvert.exporters import MarkdownExporter
from traitlets.config import Config

_PRIORITY = [
    "text/markdown",
    "image/svg+xml",
    "image/png",
    "image/jpeg",
    "text/html",
    "text/latex",
    "text/plain",
]


class CardMarkdownExporter(MarkdownExporter):
    """nbconvert's Markdown, with the Markdown face of an output before its HTML."""

    export_from_notebook = "Markdown with cards as tables"

    @property
    def default_config(self) -> Config:
        """The configuration, which a user's own comes before."""
        made = Config(super().default_config)
        made.merge(Config({"NbConvertBase": {"display_data_priority": list(_PRIORITY)}}))
        return made
