"""A package index of a few wheels on this machine, and build services: sound ones, and those that fail half-way."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Respond = Callable[[BaseHTTPRequestHandler], None]


class Served:
    """A server that runs: its address, what it was asked for, and when a client that was left waiting went away."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.asked: list[str] = []
        self.is_waited_for = threading.Event()
        self.was_left = threading.Event()

    def environment(self) -> dict[str, str]:
        """What makes pip ask this index and no other, and once."""
        return {
            "PIP_CONFIG_FILE": "/dev/null",
            "PIP_INDEX_URL": f"{self.address}/simple",
            "PIP_EXTRA_INDEX_URL": "",
            "PIP_FIND_LINKS": "",
            "PIP_RETRIES": "0",
            "PIP_NO_CACHE_DIR": "1",
            "PIP_DEFAULT_TIMEOUT": "20",
        }


@contextmanager
def serving(respond: Callable[[Served, BaseHTTPRequestHandler], None]) -> Iterator[Served]:
    """Serve as `respond` does, until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            served.asked.append(self.path)
            respond(served, self)

        do_POST = do_GET  # noqa: N815  # as the standard library calls it

        def log_message(self, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        served = Served(f"http://127.0.0.1:{server.server_address[1]}")
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield served
        finally:
            server.shutdown()
            thread.join()


def send(handler: BaseHTTPRequestHandler, content: bytes, *, code: int = 200, **more: str) -> None:
    """Answer with this content."""
    handler.send_response(code)
    for name, value in {"Content-Type": "text/html", "Content-Length": str(len(content)), **more}.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(content)


def send_part(handler: BaseHTTPRequestHandler, content: bytes) -> None:
    """Promise all of it, send half, and hang up."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/octet-stream")
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content[: len(content) // 2])
    handler.wfile.flush()
    handler.close_connection = True


def hang(served: Served, handler: BaseHTTPRequestHandler) -> None:
    """Say nothing until the client goes away."""
    served.is_waited_for.set()
    handler.connection.settimeout(60)
    if handler.connection.recv(1) == b"":
        served.was_left.set()
    handler.close_connection = True


def index(
    wheels: Mapping[str, bytes], file: Callable[[Served, BaseHTTPRequestHandler, bytes], None] | None = None
) -> Callable[[Served, BaseHTTPRequestHandler], None]:
    """An index of wheels by file name; `file` sends one of them in another way than whole."""

    def respond(served: Served, handler: BaseHTTPRequestHandler) -> None:
        parts = handler.path.strip("/").split("/")
        if parts[0] == "simple" and len(parts) == 2:
            names = [name for name in wheels if name.startswith(f"{parts[1]}-")]
            links = "".join(f'<a href="/files/{name}">{name}</a>' for name in names)
            send(handler, f"<!DOCTYPE html><html><body>{links}</body></html>".encode(), code=200 if names else 404)
        elif parts[0] == "files" and parts[1] in wheels:
            if file is None:
                send(handler, wheels[parts[1]])
            else:
                file(served, handler, wheels[parts[1]])
        else:
            send(handler, b"", code=404)

    return respond
