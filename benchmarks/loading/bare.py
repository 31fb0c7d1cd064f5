"""A route that does nothing, served as a deployment is.

``python -m benchmarks.loading.bare`` prints its port.
"""

from __future__ import annotations

import asyncio
import contextlib

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from service_nb.server.serving import KEEP_ALIVE_S, bind_socket, build_protocol


async def _bare(request: Request) -> JSONResponse:
    await request.json()
    return JSONResponse({"status": "ok"})


def bare_app() -> Starlette:
    """Return an application whose one route reads JSON and answers that all is well."""
    return Starlette(routes=[Route("/", _bare, methods=["POST"])])


def main() -> None:
    """Serve on a free port, and print it."""
    bound = bind_socket("127.0.0.1", 0)
    config = uvicorn.Config(
        bare_app(),
        http=build_protocol(2_000),
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE_S,
    )
    print(bound.getsockname()[1], flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(uvicorn.Server(config).serve([bound]))


if __name__ == "__main__":
    main()
