"""`service-nb serve`: run a deployment, and look after it."""

from __future__ import annotations

import argparse
import json
import logging
import sys
from pathlib import Path

from service_nb._version import __version__
from service_nb.cli import serving
from service_nb.cli.console import DONE, FAILED
from service_nb.errors import DriverMissingError, InvalidIntentError

SUMMARY = "Run a private deployment: live sources, computations and their evidence, over HTTP."
EXAMPLES = "examples:\n  service-nb serve --config deployment.toml\n" + serving.EXAMPLES
PLAIN_HOSTS = ("127.0.0.1", "::1", "localhost")
LOG_FORMAT = "%(asctime)s %(levelname)s %(name)s %(message)s"


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options of `serve`, and its actions."""
    parser.add_argument(
        "--config", metavar="FILE", type=Path, default=None, help=f"{serving.CONFIG} in this folder by default"
    )
    parser.add_argument("--host", metavar="HOST", help="the address to listen at, instead of the configuration's")
    parser.add_argument("--port", metavar="PORT", type=int, help="the port, instead of the configuration's; 0: any")
    parser.add_argument("--quiet", action="store_true", help="do not log requests")
    serving.register(parser.add_subparsers(title="actions", metavar="ACTION", required=False))


def run(arguments: argparse.Namespace) -> int:
    """Do the action, or serve until a signal comes."""
    act = getattr(arguments, "act", None)
    if act is not None:
        code: int = act(arguments)
        return code
    return _serve(arguments)


def _serve(arguments: argparse.Namespace) -> int:
    try:
        from service_nb.server.serving import bind, serve  # noqa: PLC0415  # optional, and no other verb needs it
    except ImportError as error:
        hint = 'pip install "service-nb[server]"'
        raise DriverMissingError(f"{error.name} is not installed.", hint=hint) from None
    from service_nb.server.config import read_config  # noqa: PLC0415
    from service_nb.server.tenants import Deployment  # noqa: PLC0415

    config = read_config(arguments.config or Path(serving.CONFIG))
    host, port = config.address
    host = arguments.host or host
    port = port if arguments.port is None else arguments.port
    if not 0 <= port <= 65_535:
        raise InvalidIntentError(f"--port is {port}.", path="port", met=str(port), expected="0 … 65535")
    _log(quiet=arguments.quiet, as_json=arguments.json)
    bound = bind(host, port)
    try:
        deployment = Deployment(config)
        ended = serve(
            deployment,
            bound,
            trusted=config.server.trusted_proxies,
            ready=lambda address: _say(arguments, address, host),
        )
    finally:
        bound.close()
    return DONE if ended else FAILED


def _say(arguments: argparse.Namespace, address: str, host: str) -> None:
    """Say where it listens, once it does."""
    if arguments.json:
        print(json.dumps({"status": "serving", "address": address, "version": __version__}), flush=True)
        return
    print(
        f"service_nb {__version__} serves {address} (SERVICE_DEPLOYMENT_URL={address}); press Ctrl-C to stop.",
        flush=True,
    )
    if host not in PLAIN_HOSTS:
        print("This port is not encrypted: put a TLS proxy in front of it.", file=sys.stderr, flush=True)


def _log(*, quiet: bool, as_json: bool) -> None:
    """Write the log to the standard error: what goes wrong, and a line for each request."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter(LOG_FORMAT))
    for name in ("service_nb", "uvicorn"):
        logger = logging.getLogger(name)
        logger.addHandler(handler)
        logger.setLevel(logging.WARNING)
        logger.propagate = False
    logging.getLogger("uvicorn").setLevel(logging.ERROR)  # its warnings are of what strangers send
    access = logging.getLogger("service_nb.access")
    access.setLevel(logging.WARNING if quiet else logging.INFO)
    if as_json:
        lines = logging.StreamHandler()
        lines.setFormatter(logging.Formatter("%(message)s"))
        access.addHandler(lines)
        access.propagate = False
