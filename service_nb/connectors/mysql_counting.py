"""The connection and cursor of MySQL's driver, which count what they read before it is read."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from service_nb.connectors.counting import ENOUGH_BYTES, MOST_BYTES, too_large

PACKET_BYTES = 64  # what a packet costs beside what is in it
COLUMN_BYTES = 8_192  # what one costs that may describe a column: no more than some thousand are held


@lru_cache
def counting(driver: Any, cursors: Any, title: str) -> tuple[type[Any], type[Any]]:
    """Return the driver's kinds of connection and cursor: a statement's head, or one fetch, is of bounded size.

    The driver gathers packets, of which a server may announce any number of any length, before it looks at them.
    """

    class Counting(driver.Connection):  # type: ignore[misc]
        left, each = MOST_BYTES, COLUMN_BYTES

        def query(self, sql: Any, unbuffered: bool = False) -> Any:
            self.left, self.each = MOST_BYTES, COLUMN_BYTES
            try:
                return super().query(sql, unbuffered)
            finally:
                self.left, self.each = MOST_BYTES, PACKET_BYTES

        def _read_bytes(self, num_bytes: int) -> Any:
            self.left -= num_bytes + self.each
            if self.left < 0:
                self._force_close()
                raise too_large(title)
            return super()._read_bytes(num_bytes)

        def _force_close(self) -> None:
            if self._result is not None:  # or the rest of it would be read when it is collected
                self._result.unbuffered_active = False
            super()._force_close()

    class Weighing(cursors.SSCursor):  # type: ignore[misc]
        def fetchmany(self, size: int | None = None) -> list[Any]:
            connection = self._get_db()
            connection.left = MOST_BYTES
            rows: list[Any] = []
            while len(rows) < (size or 1) and connection.left > MOST_BYTES - ENOUGH_BYTES:
                row = self.fetchone()
                if row is None:
                    break
                rows.append(row)
            return rows

        def close(self) -> None:
            if self.connection is not None:  # what is left unread is read, and thrown away
                self.connection.left = MOST_BYTES
            super().close()

        __del__ = close

    return Counting, Weighing
