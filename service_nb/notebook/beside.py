"""What further classes of magics are made of: the client, the screen and the last error are those of the first."""

from __future__ import annotations

from typing import Any

from IPython.core.magic import Magics

from service_nb.errors import ServiceError
from service_nb.notebook.magics import ServiceMagics
from service_nb.notebook.screen import Screen


class BesideMagics(Magics):
    """Beside `ServiceMagics`, whose client, screen and results these use."""

    def __init__(self, shell: Any, session: ServiceMagics) -> None:
        super().__init__(shell)
        self._session = session

    @property
    def screen(self) -> Screen:
        """Where progress is shown."""
        return self._session.screen

    @property
    def last_error(self) -> ServiceError | None:
        """What `%service_last_error` shows."""
        return self._session.last_error

    @last_error.setter
    def last_error(self, error: ServiceError) -> None:
        self._session.last_error = error
