"""An output of a cell that is filled again and again: below the panel, and below the controls of a question.

A front end finds the output by an id that it forgets when the notebook is closed. So the output carries the id in its
metadata, by which our extension finds it in a notebook that was opened again. Other front ends show what was there
before, which has to be said: a page that opens the notebook again asks its widgets for their state.
"""

from __future__ import annotations

import uuid
from typing import Any

from service_nb.cards.faces import Bundle

METADATA = "service_nb"
# Front ends that have our extension choose this before the widget, which a notebook that is opened later does not have.
PANEL_MIME = "application/vnd.service-nb.panel.v1+json"


def build_text_bundle(words: str) -> dict[str, object]:
    """Build the faces of words that stand in the place of a widget or of its card."""
    return {"text/plain": words, "text/html": f"<div>{words}</div>"}


class Slot:
    """The place of an output; `is_reopened` tells whether a page may show it that cannot fill it any more."""

    def __init__(self, shell: Any) -> None:
        self.id = uuid.uuid4().hex
        self.is_reopened = False
        self._shell = shell

    def publish(self, bundle: Bundle, *, update: bool) -> None:
        """Show a bundle: in a new output of the cell that runs, or in the one that is there."""
        data, metadata = bundle
        self._shell.display_pub.publish(
            data=data,
            metadata={**metadata, METADATA: {"slot": self.id}},
            transient={"display_id": self.id},
            update=update,
        )

    def show(self, bundle: Bundle) -> None:
        """Show a bundle in a new output, which every page that sees it can fill."""
        self.is_reopened = False
        self.publish(bundle, update=False)

    def note_state_request(self, widget: Any, key: object) -> None:
        """Note that a page asked for the whole state of a widget: at first it is sent without being asked for."""
        if key is None and getattr(widget, "comm", None) is not None:
            self.is_reopened = True
