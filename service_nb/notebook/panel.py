"""Opening the panel: which client it asks, and what is said where it cannot be opened.

The widget itself is in `panel_widget`, which needs anywidget; what its messages may do is in `panel_desk`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from service_nb.errors import DriverMissingError
from service_nb.notebook.panel_desk import Desk
from service_nb.notebook.session import magics

if TYPE_CHECKING:
    from service_nb.client.service import Service
    from service_nb.notebook.panel_widget import Panel


def panel(client: Service | None = None) -> Panel:
    """Open the panel: forms that build a question or a computation, and run it.

    Parameters
    ----------
    client : Service, optional
        Who is asked, and whose policy holds. Without one, the client that this notebook's magics ask.

    Returns
    -------
    Panel
        A widget, which shows itself as the last value of a cell. What it runs becomes a card below it.

    Raises
    ------
    DriverMissingError [driver_missing]
        anywidget is not installed, or this is a checkout in which the panel was not built.
    InvalidIntentError [invalid_intent]
        The extension is not loaded in this session.
    """
    desk = Desk(magics(), client)
    opened: Panel = _widget()(desk)
    return opened


def _widget() -> Any:
    try:
        from service_nb.notebook.panel_widget import Panel  # noqa: PLC0415  # optional, and anywidget takes its time
    except ImportError as error:
        raise DriverMissingError(
            "The panel needs anywidget, which is not installed.", hint='pip install "service-nb[ui]"'
        ) from error
    return Panel
