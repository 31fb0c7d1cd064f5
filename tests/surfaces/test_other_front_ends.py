"""Front ends that know neither our MIME type nor rich dicts show the HTML face of every value."""

from __future__ import annotations

import pytest

import service_nb
from service_nb.cards.faces import FacedValue
from tests.surfaces.conftest import Session


@pytest.mark.parametrize(
    "line",
    [
        "%service_connect other rows",
        "%service_ask sum revenue by region from sales",
        "%service_ask sum revenues by region from sales",
        "%service_compute stats.mean values=[1, 2]",
        "%service_compute stats.median values=sales.revenue where revenue is not null --over region",
        "%service_search mean",
        "%service_policy",
    ],
)
def test_marimo_shows_the_html_face_of_what_a_line_returns(session: Session, line: str) -> None:
    # marimo asks `_display_` before it shows a dict as a tree, and of what that returns `_mime_`.
    value = session.run(line)
    assert isinstance(value, FacedValue)
    assert value._display_()._mime_() == ("text/html", value._repr_mimebundle_()[0]["text/html"])


def test_a_replay_is_shown_there_too() -> None:
    service = service_nb.create_service(ledger="off")
    service.connect([{"x": 1}], name="sales")
    replayed = service.ask("sum x from sales").replay()
    assert isinstance(replayed, FacedValue)
    assert "text/html" in replayed._display_()._mime_()
