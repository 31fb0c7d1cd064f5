"""The application: requests are let in, worked on in threads, and answered: whatever happens, as it is documented."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, MutableMapping
from contextlib import suppress
from functools import partial
from typing import Any

import starlette.routing

from service_nb.core.digest import sha256_hex
from service_nb.deployment.values import has_digest
from service_nb.errors import (
    ForbiddenError,
    InvalidIntentError,
    QueryInterruptedError,
    QueryTimeoutError,
    ServiceError,
    UnauthenticatedError,
)
from service_nb.server import errors
from service_nb.server.answering import JSON, Content, Pieces, encoded
from service_nb.server.door import Door
from service_nb.server.exchange import Exchange, Send
from service_nb.server.handlers.call import Call
from service_nb.server.limits import Buckets, Held, address_group
from service_nb.server.metrics import MEDIA_TYPE, Metrics
from service_nb.server.names import Names
from service_nb.server.openapi import document
from service_nb.server.paths import At, Serve, nothing_there
from service_nb.server.places import Asker, Places, Shares
from service_nb.server.ports import Caller, Deployment, Pending
from service_nb.server.reading import Gone, Headers, Receive, parsed_body, query_of, whole_body
from service_nb.server.routes import ROUTES, Route
from service_nb.server.running import GRACE_S, Run, Runs

LOG = logging.getLogger("service_nb.server")
BODIES = 8  # of the largest kind, that are in memory at once
SLACK_S = 0.25  # an engine notices a deadline itself, and says so better
Scope = MutableMapping[str, Any]


class Application:
    """A deployment as an ASGI application."""

    def __init__(self, deployment: Deployment) -> None:
        bounds = deployment.bounds
        self._deployment = deployment
        self._bounds = bounds
        self._runs = Runs(bounds.running)
        shares = Shares()
        self._places = Places(bounds.running, bounds.queued, bounds.queue_wait_s, shares)
        self._held = Held(BODIES * bounds.body_bytes, shares)
        self._names = Names(bounds.names)
        self._door = Door()
        self._keys = Buckets(bounds.requests_per_s, bounds.burst)
        self._strangers = Buckets(bounds.attempts_per_s, bounds.attempts_per_s * 10)
        self._codes = Buckets(bounds.codes_per_s, bounds.codes_at_once)
        self.metrics = Metrics(self._runs, self._places)
        self.is_draining = False
        self._document = encoded(document())
        self._router = starlette.routing.Router(_paths(self), default=nothing_there, redirect_slashes=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; see ASGI."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        exchange = Exchange(scope, receive, send)
        scope["exchange"] = exchange
        try:
            self._check_head(exchange)
            await self._router(scope, receive, send)
        except Gone:
            pass
        except asyncio.CancelledError:  # a second signal, or the last seconds after the first
            await self._fail(exchange, errors.overloaded("The deployment shut down during this request."))
        except Exception as error:  # noqa: BLE001  # whatever it is, its caller gets an answer, and never a traceback
            await self._fail(exchange, error)
        finally:
            self.metrics.answered(exchange.route, exchange.method, exchange.status, exchange.seconds())
            exchange.log()

    def _check_head(self, exchange: Exchange) -> None:
        """Refuse a large head: what comes in one packet is parsed whole, for uvicorn bounds what is incomplete."""
        most, scope = self._bounds.header_bytes, exchange.scope
        if exchange.headers.size + len(scope["raw_path"]) + len(scope["query_string"]) > most:
            raise errors.large_head(most)
        self._names.check(exchange.headers)
        exchange.headers.check_framing()

    async def drain(self, limit_s: float) -> None:
        """Take on nothing more; let what runs end, and when the time is over ask it to."""
        self.is_draining = True
        with suppress(TimeoutError):
            await asyncio.wait_for(self._runs.idle.wait(), limit_s)
            return
        self._runs.stop_all()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._runs.idle.wait(), GRACE_S)

    # --- a request ----------------------------------------------------------------------------------------------

    async def serve(self, route: Route, exchange: Exchange) -> None:
        """Let a request in, and answer it."""
        if self.is_draining:
            raise errors.overloaded("The deployment is shutting down.")
        caller = await self._admitted(route, exchange)
        with self._held.lending(exchange.asker) as take:
            await self._serve(route, exchange, caller, take)

    async def _serve(
        self, route: Route, exchange: Exchange, caller: Caller | None, take: Callable[[int], None]
    ) -> None:
        headers = exchange.headers
        timeout_s = headers.timeout_s(self._bounds.timeout_s)
        key = headers.idempotency_key() if route.is_recorded else None
        query = query_of(exchange.scope["query_string"], route)
        body = b""
        if route.asked is not None:
            headers.check_body(route, self._bounds)
            body = await whole_body(exchange.receive, route, self._bounds, take)
            exchange.has_body_left = False

        run = Run(route.path, timeout_s)

        def work() -> Content | Pieces:
            still = None if caller is None else self._still(route, headers)
            if not has_digest(headers.get("content-digest"), body):
                raise errors.garbled()
            asked = None if route.asked is None else parsed_body(body, headers.media_type(), route, self._bounds)
            call = Call(
                deployment=self._deployment,
                caller=still,
                asked=asked,
                path=exchange.scope["path_params"],
                query=query,
                left_s=run.left_s,
                seed=None if key is None or caller is None else "\0".join((caller.tenant, key, sha256_hex(body))),
                known=headers.get("if-none-match") or "",
                address=_address(exchange),
            )
            return _content(route.handle(call), route)  # type: ignore[misc]  # those without are never served here

        try:
            await self._run(run, work, route, exchange)
        except UnauthenticatedError:
            if caller is not None:  # a key that was taken back
                self._slow_down_strangers(exchange)
            raise

    async def _admitted(self, route: Route, exchange: Exchange) -> Caller | None:
        """Return who asks: one that is known, is not too quick, and may. None where no key is wanted."""
        if route.scope is None:
            self._slow_down_strangers(exchange)
            if route.gives_codes:
                _take(self._codes, exchange)
            return None
        try:
            bearer = exchange.headers.bearer()
            # Known from before is enough to come in, for work begins with another look; /metrics has no such work.
            caller = self._door.known(bearer) if route.handle is not None else None
            if caller is None:
                caller = await self._runs.aside(partial(self._deployment.authenticate, bearer))
                self._door.remember(bearer, caller)
        except UnauthenticatedError:
            self._slow_down_strangers(exchange)
            raise
        exchange.asker = Asker(caller.tenant, caller.key_id)
        wait_s = self._keys.take(caller.key_id)
        if wait_s:
            raise errors.rate_limited(wait_s)
        _check_scope(route, caller)
        exchange.headers.check_tenant(caller.tenant)
        return caller

    def _still(self, route: Route, headers: Headers) -> Caller:
        """Return who asks, as the store has it at this moment; in a thread.

        A key that was taken back does nothing more from then on, however long its request has waited.
        """
        bearer = headers.bearer()
        try:
            caller = self._deployment.authenticate(bearer)
        except UnauthenticatedError:
            self._door.forget(bearer)
            raise
        _check_scope(route, caller)
        return caller

    def _slow_down_strangers(self, exchange: Exchange) -> None:
        _take(self._strangers, exchange)

    async def _run(self, run: Run, work: Callable[[], Content | Pieces], route: Route, exchange: Exchange) -> None:
        """Work on a request in its place, while its client is there."""
        gone = asyncio.ensure_future(_gone(exchange.receive))
        try:
            if not await self._places.enter(exchange.asker, gone):
                raise Gone
            self._runs.begin(run)
            try:
                answer = await self._done(run, work, gone)
                await self._send(exchange, route, run, answer, gone)
            finally:
                self._runs.end(run)
                self._places.leave(exchange.asker)
        finally:
            gone.cancel()
        if route.is_recorded and exchange.status < 300:
            self.metrics.recorded()

    async def _done(self, run: Run, work: Callable[[], Any], gone: asyncio.Future[None]) -> Any:
        """Do some of the work in a thread, and have it stopped when nobody waits for it any more."""
        future = self._runs.work(run, work)
        await asyncio.wait({future, gone}, timeout=run.left_s() + SLACK_S, return_when=asyncio.FIRST_COMPLETED)
        if not future.done():
            self._runs.ask_to_stop(run, "gone" if gone.done() else "deadline")
            await asyncio.wait({future}, timeout=GRACE_S)
        if run.reason is not None:
            self.metrics.cancelled(run.reason)
        if not future.done():
            self.metrics.abandoned()
            future.add_done_callback(_forget)
            raise Gone if gone.done() else _late()
        if gone.done():
            _forget(future)
            raise Gone
        try:
            return future.result()
        except QueryInterruptedError as error:  # by whom is known here
            if run.reason == "deadline":
                raise _late() from error
            if run.reason == "drain":
                raise errors.overloaded("The deployment shut down during this request.") from error
            raise

    async def _send(
        self, exchange: Exchange, route: Route, run: Run, answer: Content | Pieces, gone: asyncio.Future[None]
    ) -> None:
        if isinstance(answer, Content):
            await exchange.answer(answer.status or route.status, answer.body, answer.media_type, answer.headers)
            return
        piece = await self._done(run, answer.next, gone)  # what fails at once is still an answer of its own
        await exchange.begin(route.status, [(b"content-type", JSON)])
        while piece is not None:
            async with asyncio.timeout(run.left_s() + SLACK_S):  # a client that does not read keeps no place for ever
                await exchange.piece(piece, is_last=False)
            piece = await self._done(run, answer.next, gone)
        await exchange.piece(b"", is_last=True)

    # --- what the application answers itself -------------------------------------------------------------------------

    async def healthz(self, _: Route, exchange: Exchange) -> None:
        """Say that the process lives."""
        await exchange.answer(200, b'{"status":"ok","checks":{}}')

    async def readyz(self, _: Route, exchange: Exchange) -> None:
        """Say whether requests are taken."""
        checks = {"accepting": not self.is_draining} | await self._runs.aside(self._deployment.checks)
        is_ready = all(checks.values())
        told = {"status": "ok" if is_ready else "unavailable", "checks": checks}
        await exchange.answer(
            200 if is_ready else 503, encoded(told), headers=[] if is_ready else [(b"retry-after", b"1")]
        )

    async def figures(self, route: Route, exchange: Exchange) -> None:
        """Return the figures, to who may have them."""
        await self._admitted(route, exchange)
        await exchange.answer(200, self.metrics.text(), MEDIA_TYPE)

    async def openapi(self, _: Route, exchange: Exchange) -> None:
        """Return the document of all routes."""
        await exchange.answer(200, self._document, headers=[(b"cache-control", b"public, max-age=300")])

    # --- errors, life ------------------------------------------------------------------------------------------------

    async def _fail(self, exchange: Exchange, error: Exception) -> None:
        """Answer with an error; an answer that has begun is cut off instead, which no client takes for a whole one."""
        if exchange.status:
            LOG.warning("request %s: its answer was cut off (%s)", exchange.request_id, type(error).__name__)
            return
        status, headers = None, []
        if isinstance(error, errors.Refused):
            status, headers, told = error.status, error.headers, error.error
        elif isinstance(error, ServiceError):
            told = error
        else:
            LOG.error("request %s failed", exchange.request_id, exc_info=error)
            told = errors.unexpected()
        exchange.code = told.code
        self.metrics.failed(told.code)
        rfc_error = told.details.pop("rfc_error", None)
        body = errors.body_of(told, exchange.request_id, rfc_error)
        await exchange.answer(status or errors.status_of(told), body, headers=headers + errors.headers_of(told))

    async def _live(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.shutdown":
                self._runs.stop_all()
                self._runs.close()
                await asyncio.to_thread(self._deployment.close)
            await send({"type": f"{message['type']}.complete"})
            if message["type"] == "lifespan.shutdown":
                return


def application(deployment: Deployment) -> Application:
    """Return the ASGI application of a deployment; it closes the deployment when it ends."""
    return Application(deployment)


def _address(exchange: Exchange) -> str:
    """Return whence a request comes: of a trusted proxy's, what the proxy says."""
    client = exchange.scope.get("client")
    return address_group(client[0]) if client else ""


def _take(buckets: Buckets, exchange: Exchange) -> None:
    wait_s = buckets.take(_address(exchange))
    if wait_s:
        raise errors.rate_limited(wait_s)


def _check_scope(route: Route, caller: Caller) -> None:
    if route.scope not in caller.scopes:
        raise ForbiddenError(
            f"The key's scopes do not include {route.scope}.",
            hint="Ask the operator of the deployment.",
            scope=route.scope,
        )


def _paths(application: Application) -> list[starlette.routing.Route]:
    own: dict[str, Serve] = {
        "/healthz": application.healthz,
        "/readyz": application.readyz,
        "/metrics": application.figures,
        "/openapi.json": application.openapi,
    }
    by_path: dict[str, list[Route]] = defaultdict(list)
    for route in ROUTES:
        by_path[route.path].append(route)
    return [
        starlette.routing.Route(
            path.replace("{name}", "{name:any}"), At(routes, lambda route: own.get(route.path, application.serve))
        )
        for path, routes in by_path.items()
    ]


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass  # of a body that nobody wants


def _content(answer: Any, route: Route) -> Content | Pieces:
    if isinstance(answer, Pieces):
        return answer
    if isinstance(answer, Content):
        return answer.digested()
    if isinstance(answer, Pending):
        error = InvalidIntentError("The device has no key yet.", reason=answer.reason, rfc_error=answer.reason)
        raise errors.Refused(error, 400)  # as RFC 8628 wants it
    return Content(body=b"" if answer is None else encoded(answer), status=route.status).digested()


def _late() -> QueryTimeoutError:
    return QueryTimeoutError("The request was stopped at its timeout.", hint="Ask for less, or raise the timeout.")


def _forget(future: asyncio.Future[Any]) -> None:
    """Take note of an error that nobody waits for: it was recorded, if it is one of ours."""
    if not future.cancelled():
        future.exception()
