"""What is at a path: a route for each of its methods, and what is told where there is none."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from starlette.convertors import Convertor, register_url_convertor

from service_nb.server import errors
from service_nb.server.exchange import Exchange, Send
from service_nb.server.reading import Receive
from service_nb.server.routes import Route

Scope = MutableMapping[str, Any]
Serve = Callable[[Route, Exchange], Awaitable[None]]


class At:
    """What is at one path: a route for each of its methods."""

    def __init__(self, routes: list[Route], serve: Callable[[Route], Serve]) -> None:
        self._routes = {route.method: (route, serve(route)) for route in routes}
        self._allowed = ", ".join(self._routes)

    async def __call__(self, scope: Scope, _receive: Receive, _send: Send) -> None:
        """Serve the route of a request's method."""
        exchange: Exchange = scope["exchange"]
        found = self._routes.get("GET" if exchange.method == "HEAD" else exchange.method)  # type: ignore[call-overload]
        exchange.route = next(iter(self._routes.values()))[0].path
        if found is None:
            raise errors.no_such_route(path_exists=True, allowed=self._allowed)
        route, serve = found
        await serve(route, exchange)


class AnyText(Convertor[str]):
    """A name of a source in a path: it may hold slashes, and of what else there is nothing is a name, line ends too."""

    regex = r"[\s\S]*"

    def convert(self, value: str) -> str:
        """Return it as it is."""
        return value

    def to_string(self, value: str) -> str:
        """Return it as it is."""
        return value


register_url_convertor("any", AnyText())


async def nothing_there(_scope: Scope, _receive: Receive, _send: Send) -> None:
    """Say that there is nothing."""
    raise errors.no_such_route()
