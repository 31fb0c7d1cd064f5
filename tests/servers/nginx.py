"""A real nginx, of Debian's packages, with the configuration that the project ships."""

from __future__ import annotations

import contextlib
import socket
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.servers.certificates import Certificates
from tests.servers.debian import libraries, unpacked
from tests.servers.process import folder_of_a_server, free_port, give, running

SHIPPED = Path(__file__).parents[2] / "deploy" / "nginx.conf"
# What every nginx has around it: here below a folder of its own, and without a daemon.
AROUND = """
daemon off;
worker_processes 1;
pid {folder}/pid;
error_log stderr warn;
events {{ worker_connections 256; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/shipped.conf;
}}
"""


@contextmanager
def nginx(upstream: int, made: Certificates) -> Iterator[int]:
    """Run nginx before a port of 127.0.0.1, and yield the port at which it speaks TLS as `localhost`."""
    root, port = unpacked("nginx"), free_port()
    with folder_of_a_server("snbng") as folder:
        (folder / "shipped.conf").write_text(_placed(port, upstream, made))
        (folder / "nginx.conf").write_text(AROUND.format(folder=folder))
        give(folder)
        command = [str(root / "usr/sbin/nginx"), "-p", f"{folder}/", "-c", f"{folder}/nginx.conf", "-e", "stderr"]
        with running(command, lambda: _speaks(port, made), folder / "log", environment=libraries(root)):
            yield port


def _placed(port: int, upstream: int, made: Certificates) -> str:
    """The shipped text, with this test's ports, name and certificate in place of the example's."""
    text = SHIPPED.read_text(encoding="utf-8")
    places: Mapping[str, str] = {
        "server 127.0.0.1:8765;": f"server 127.0.0.1:{upstream};",
        "listen 443 ssl;": f"listen 127.0.0.1:{port} ssl;",
        "listen [::]:443 ssl;": f"listen [::1]:{port} ssl;",
        "server_name data.example.org;": "server_name localhost;",
        "/etc/ssl/data.example.org.pem": str(made.server),
        "/etc/ssl/data.example.org.key": str(made.key),
    }
    for shipped, here in places.items():
        assert text.count(shipped) == 1, shipped
        text = text.replace(shipped, here)
    return text


def _speaks(port: int, made: Certificates) -> bool:
    context = ssl.create_default_context(cafile=made.authority)
    with (
        contextlib.suppress(OSError),
        socket.create_connection(("127.0.0.1", port), 5) as plain,
        context.wrap_socket(plain, server_hostname="localhost"),
    ):
        return True
    return False
