"""Serve a deployment as an ASGI application: each request is let in, worked on in a thread, and answered."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from service_nb.client.context import Cache
from service_nb.core.digest import compute_sha256, compute_sha256_hex
from service_nb.deployment.values import has_digest
from service_nb.errors import (
    DeploymentUnavailableError,
    EngineError,
    ForbiddenError,
    QueryInterruptedError,
    QueryTimeoutError,
    RateLimitedError,
    ServiceError,
    UnauthenticatedError,
)
from service_nb.server.admission import Asker
from service_nb.server.answers import (
    EncodedAnswer,
    HttpError,
    Pieces,
    build_no_such_route,
    build_overloaded,
    encode_answer,
    encode_error,
    encode_json,
)
from service_nb.server.keys import Caller
from service_nb.server.limits import Bucket, OwnLimits, SharedLimits
from service_nb.server.metrics import MEDIA_TYPE, Metrics, merge_metrics
from service_nb.server.openapi import build_document
from service_nb.server.requests import (
    AsgiMessage,
    Exchange,
    Gone,
    Receive,
    Send,
    check_head,
    parse_body,
    parse_query,
    read_body,
)
from service_nb.server.routes import ROUTES, Route, RouteCall
from service_nb.server.runs import GRACE_S, RequestRuns
from service_nb.server.tenants import Deployment

LOG = logging.getLogger("service_nb.server")
_TIMEOUT, _LESS = "The request was stopped at its timeout.", "Ask for less, or raise the timeout."
SLACK_S = 0.25  # an engine notices a deadline itself, and says so better
MOST_CALLERS = 10_000
T = TypeVar("T")
Work = Callable[[], EncodedAnswer | Pieces]


class Application:
    """A deployment as an ASGI application, which closes the deployment when it ends."""

    def __init__(self, deployment: Deployment, limits: SharedLimits | None = None) -> None:
        self._deployment = deployment
        self._config = config = deployment.config
        self._limits = OwnLimits(config) if limits is None else limits
        self._names = config.names
        self._runs = RequestRuns(config.limits.running)
        # By the hash of a key. It decides nothing: work begins with a look into the store in any case, in its own
        # thread, so that a revoked key does nothing from that moment on. What it saves is a second thread.
        self._callers: Cache[Caller | None] = Cache(MOST_CALLERS)
        self.metrics = Metrics(self._runs, self._limits)
        self.is_draining = False
        self._document = encode_json(build_document(), (b"cache-control", b"public, max-age=300"))
        self._routes: dict[str, dict[str, Route]] = defaultdict(dict)  # by path and method
        for route in ROUTES:
            self._routes[route.path][route.method] = route
        self._patterns = {path: next(iter(self._routes[path].values())).pattern for path in self._routes if "{" in path}

    async def __call__(self, scope: AsgiMessage, receive: Receive, send: Send) -> None:
        """Answer a request; see ASGI."""
        if scope["type"] == "lifespan":
            await self._run_lifespan(receive, send)
        else:
            await self.handle_request(Exchange(scope, receive, send))

    async def handle_request(self, exchange: Exchange) -> None:
        """Find the route, authenticate, read, admit, work, answer, log: every answer is as documented."""
        try:
            check_head(exchange, self._config.limits.header_bytes, self._names)
            route = self._find_route(exchange)
            if route.handle is None:
                await self._answer_directly(route, exchange)
                return
            self._check_accepting()
            await self._authenticate(route, exchange)
            exchange.deadline = time.monotonic() + exchange.headers.get_timeout(self._config.timeouts.request_s)
            work = await self._read_request(route, exchange)
            await self._admit_and_answer(route, exchange, work)
        except Gone:
            pass
        except asyncio.CancelledError:  # a second signal, or the last seconds after the first
            await self._answer_error(exchange, build_overloaded("The deployment shut down during this request."))
        except Exception as error:  # noqa: BLE001  # whatever it is, its caller gets an answer, and never a traceback
            await self._answer_error(exchange, error)
        finally:
            self._limits.give_back_bytes(exchange.asker, exchange.held)
            self.metrics.count_answer(exchange)
            exchange.log()

    async def drain(self, limit_s: float) -> None:
        """Take on nothing more; let what runs end, and when the time is over ask it to."""
        self.is_draining = True
        with suppress(TimeoutError):
            await asyncio.wait_for(self._runs.idle.wait(), limit_s)
            return
        self._runs.stop_all()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._runs.idle.wait(), GRACE_S)

    async def _check_rate(self, bucket: Bucket, name: str) -> None:
        wait_s = await self._limits.take_token(bucket, name)
        if wait_s:
            raise RateLimitedError("This key exceeds its rate limit.", hint="Wait.", retry_after_s=round(wait_s, 3))

    # --- the steps of a request -----------------------------------------------------------------------------------

    def _find_route(self, exchange: Exchange) -> Route:
        """Find the route of a path and a method."""
        path = exchange.scope["path"]
        if path in self._routes and path not in self._patterns:
            exchange.route = path
        else:
            for known, pattern in self._patterns.items():
                if (met := pattern.fullmatch(path)) is not None:
                    exchange.route, exchange.path = known, met.groupdict()
                    break
            else:
                raise build_no_such_route()
        routes = self._routes[exchange.route]
        found = routes.get("GET" if exchange.method == "HEAD" else exchange.method)
        if found is None:
            raise build_no_such_route(allowed=", ".join(routes))
        return found

    def _check_accepting(self) -> None:
        if self.is_draining:
            raise build_overloaded("The deployment is shutting down.")

    async def _authenticate(self, route: Route, exchange: Exchange) -> None:
        """Find the caller; check its rate, scope and tenant, or the rate of its address where no key is needed."""
        if route.scope is None:
            await self._check_rate("strangers", exchange.address)
            if route.gives_codes:
                await self._check_rate("codes", exchange.address)
            return
        bearer = exchange.headers.get_bearer()
        # Known from before is enough to come in; /metrics has no work, which begins with another look.
        caller = self._callers.get(_hash_bearer(bearer)) if route.handle is not None else None
        if caller is None:
            caller = await self._runs.run_aside(partial(self._deployment.authenticate, bearer))
            self._callers.put(_hash_bearer(bearer), caller)
        exchange.asker = Asker(caller.tenant, caller.key_id)
        await self._check_rate("keys", caller.key_id)
        _check_scope(route, caller)
        exchange.headers.check_tenant(caller.tenant)

    def _authenticate_again(self, route: Route, exchange: Exchange) -> Caller:
        """Authenticate the caller against the store once more: a key revoked meanwhile is refused."""
        bearer = exchange.headers.get_bearer()
        try:
            caller = self._deployment.authenticate(bearer)
        except UnauthenticatedError:
            self._callers.put(_hash_bearer(bearer), None)
            raise
        _check_scope(route, caller)
        return caller

    async def _read_request(self, route: Route, exchange: Exchange) -> Work:
        """Read a request, and return the function that does its work in a thread."""
        headers, config = exchange.headers, self._config
        key = headers.get_idempotency_key() if route.is_recorded else None
        query = parse_query(exchange.scope["query_string"], route)
        body = b""
        if route.takes:
            headers.check_body(route, config.limits.body_bytes)
            body = await read_body(exchange, route, config, self._limits)

        def work() -> EncodedAnswer | Pieces:
            caller = None if route.scope is None else self._authenticate_again(route, exchange)
            if not has_digest(headers.get("content-digest"), body):
                message = "The body does not match its digest: it changed in transit."
                raise DeploymentUnavailableError(message, reason="malformed")  # sent again, it may arrive
            call = RouteCall(
                deployment=self._deployment,
                caller=caller,
                path=exchange.path,
                query=query,
                measure_left=exchange.measure_left,
                seed=None
                if key is None or caller is None
                else "\0".join((caller.tenant, key, compute_sha256_hex(body))),
                known=headers.get("if-none-match") or "",
                address=exchange.address,
            )
            most = config.limits.body_bytes
            bodies = [parse_body(body, headers.get_media_type(), route, most)] if route.takes else []
            return encode_answer(route.run(call, *bodies))

        return work

    async def _admit_and_answer(self, route: Route, exchange: Exchange, work: Work) -> None:
        """Work on a request in its place, and answer it, while its client is there."""
        gone = asyncio.ensure_future(exchange.wait_gone())
        try:
            if not await self._limits.enter(exchange.asker, gone):
                raise Gone
            self._runs.begin(exchange)
            try:
                answer = await self._run_in_thread(exchange, work, gone)
                if isinstance(answer, EncodedAnswer):
                    await exchange.send(answer, route.status)
                else:
                    await self._send_pieces(route, exchange, answer, gone)
            finally:
                self._runs.end(exchange)
                self._limits.leave(exchange.asker)
        finally:
            gone.cancel()
        if route.is_recorded and exchange.status < 300:
            self.metrics.recorded.inc()

    async def _send_pieces(self, route: Route, exchange: Exchange, pieces: Pieces, gone: asyncio.Future[None]) -> None:
        take = partial(next, pieces, None)
        piece = await self._run_in_thread(exchange, take, gone)  # what fails at once is still an answer of its own
        await exchange.begin(route.status, [(b"content-type", route.media_type.encode())])
        while piece is not None:
            async with asyncio.timeout(exchange.measure_left() + SLACK_S):  # a client that does not read keeps no place
                await exchange.send_piece(piece, is_last=False)
            piece = await self._run_in_thread(exchange, take, gone)
        await exchange.send_piece(b"", is_last=True)

    async def _run_in_thread(self, exchange: Exchange, work: Callable[[], T], gone: asyncio.Future[None]) -> T:
        """Do some of the work in a thread, and have it stopped when nobody waits for it any more."""
        future = self._runs.work(exchange, work)
        ends: set[asyncio.Future[Any]] = {future, gone}
        await asyncio.wait(ends, timeout=exchange.measure_left() + SLACK_S, return_when=asyncio.FIRST_COMPLETED)
        if not future.done():
            self._runs.ask_to_stop(exchange, "gone" if gone.done() else "deadline")
            await asyncio.wait({future}, timeout=GRACE_S)
        if exchange.reason is not None:
            self.metrics.cancelled.labels(exchange.reason).inc()
        if not future.done():
            self.metrics.abandoned.inc()
            future.add_done_callback(_drop_error)
            raise Gone if gone.done() else QueryTimeoutError(_TIMEOUT, hint=_LESS)
        if gone.done():
            _drop_error(future)
            raise Gone
        try:
            return future.result()
        except QueryInterruptedError as error:  # by whom is known here
            if exchange.reason == "deadline":
                raise QueryTimeoutError(_TIMEOUT, hint=_LESS) from error
            if exchange.reason == "drain":
                raise build_overloaded("The deployment shut down during this request.") from error
            raise

    async def _answer_directly(self, route: Route, exchange: Exchange) -> None:
        """Answer without work: whether it lives, is ready, its metrics to who may have them, its document."""
        if route.path == "/healthz":
            await exchange.send(EncodedAnswer(body=b'{"status":"ok","checks":{}}'))
        elif route.path == "/readyz":
            checks = {"accepting": not self.is_draining} | await self._runs.run_aside(self._deployment.check_health)
            is_ready = all(checks.values())
            health = {"status": "ok" if is_ready else "unavailable", "checks": checks}
            later = () if is_ready else ((b"retry-after", b"1"),)
            await exchange.send(encode_json(health, *later), 200 if is_ready else 503)
        elif route.path == "/metrics":
            await self._authenticate(route, exchange)
            texts = await self._limits.gather_metrics(self.metrics.format())
            await exchange.send(EncodedAnswer(body=merge_metrics(texts), media_type=MEDIA_TYPE))
        else:
            await exchange.send(self._document)

    async def _answer_error(self, exchange: Exchange, error: Exception) -> None:
        """Answer with an error; an answer that has begun is cut off instead, which no client takes for a whole one."""
        if exchange.status:
            LOG.warning("request %s: its answer was cut off (%s)", exchange.request_id, type(error).__name__)
            return
        if isinstance(error, UnauthenticatedError):
            try:
                await self._check_rate("strangers", exchange.address)
            except RateLimitedError as limited:
                error = limited
        if not isinstance(error, HttpError | ServiceError):
            LOG.error("request %s failed", exchange.request_id, exc_info=error)
            hint = "Its log has more, under this request's id."
            error = EngineError("The deployment failed at this request.", hint=hint)  # its caller is told nothing more
        exchange.code = error.error.code if isinstance(error, HttpError) else error.code
        self.metrics.errors.labels(exchange.code).inc()
        await exchange.send(encode_error(error, exchange.request_id))

    async def _run_lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.shutdown":
                self._runs.stop_all()
                self._runs.close()
                await asyncio.to_thread(self._deployment.close)
            await send({"type": f"{message['type']}.complete"})
            if message["type"] == "lifespan.shutdown":
                return


def _hash_bearer(bearer: str) -> bytes:
    """Hash a key as callers are remembered by it: the key itself stays in no memory of ours."""
    return compute_sha256(bearer.encode())


def _check_scope(route: Route, caller: Caller) -> None:
    if route.scope not in caller.scopes:
        raise ForbiddenError(
            f"The key's scopes do not include {route.scope}.",
            hint="Ask the operator of the deployment.",
            scope=route.scope,
        )


def _drop_error(future: asyncio.Future[T]) -> None:
    """Drop an error that nobody waits for: it was recorded, if it is one of ours."""
    if not future.cancelled():
        future.exception()
