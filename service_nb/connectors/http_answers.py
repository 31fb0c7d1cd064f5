"""What drivers that ask by `requests` are answered: of bounded size, by a deadline, from servers that are proven."""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from service_nb.connectors.addresses import check_peer
from service_nb.connectors.counting import MOST_BYTES, too_large
from service_nb.connectors.cursors import stopped

PIECE = 65_536


def bound(session: Any, until: float, title: str) -> None:
    """Have a session read bodies within a size and until a moment; replaces what it was told before."""

    def hook(response: Any, **_: Any) -> None:
        response.raw = _Body(response.raw, until, title)

    session.hooks["response"] = [hook]


def guarded(manager: Any) -> Any:
    """Have a manager of urllib3 send nothing to where clouds hand out credentials, whatever a name resolves to."""
    manager.pool_classes_by_scheme = {
        scheme: _guarded_pool(pool) for scheme, pool in manager.pool_classes_by_scheme.items()
    }
    return manager


@lru_cache
def _guarded_pool(pool: Any) -> Any:
    class Guarded(pool.ConnectionCls):  # type: ignore[misc]
        def _new_conn(self) -> Any:
            made = super()._new_conn()
            check_peer(made, self.host, self.port)
            return made

    return type(f"Guarded{pool.__name__}", (pool,), {"ConnectionCls": Guarded})


def proving(adapters: Any, trust: ssl.SSLContext) -> Any:
    """Return an adapter of `requests` for servers that prove who they are to this context, and to nothing else."""
    return _proving_class(adapters)(trust)


@lru_cache
def _proving_class(adapters: Any) -> Any:
    class Proving(adapters.HTTPAdapter):  # type: ignore[misc]
        def __init__(self, trust: ssl.SSLContext) -> None:
            self._trust = trust
            super().__init__()

        def init_poolmanager(self, *given: Any, **named: Any) -> Any:
            return super().init_poolmanager(*given, **named, ssl_context=self._trust)

        def cert_verify(self, connection: Any, *_: Any) -> None:
            """Leave alone what the context says: the library would add authorities of its own."""
            connection.cert_reqs = "CERT_REQUIRED"

    return Proving


class _Body:
    """The body of an answer, which counts what is read of it."""

    def __init__(self, raw: Any, until: float, title: str) -> None:
        self._raw, self._until, self._title = raw, until, title

    def __getattr__(self, name: str) -> Any:
        return getattr(self._raw, name)

    def stream(self, *_: Any, decode_content: bool = True) -> Iterator[bytes]:
        """Yield the body, inflated, until it is too much."""
        size = 0
        for piece in self._raw.stream(PIECE, decode_content=decode_content):
            size += len(piece)
            if size > MOST_BYTES or time.monotonic() > self._until:
                self._raw.close()
                raise too_large(self._title) if size > MOST_BYTES else stopped()
            yield piece
