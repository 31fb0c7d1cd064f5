"""Give agents exact answers over the Model Context Protocol: list sources, ask, explain; read-only.

Without --http it speaks on standard input and output, as most programs start it. Without files it serves the sources
that the project keeps (`service-nb connect`) and those of the deployment. Needs: pip install "service-nb[mcp]"

examples:
  service-nb mcp sales.csv orders.parquet
  service-nb mcp --project report
  service-nb mcp sales.csv --policy policy.json
  service-nb mcp sales.csv --compute
  service-nb mcp sales.csv --http --port 8811

policy.json:
  {"allowed_sources": ["sales"], "allowed_fields": {"sales": ["region", "revenue"]}}
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import service_nb
from service_nb.cli.reading import READING, connect_source, read_policy
from service_nb.cli.verb import IN_PROCESS, PROJECT, Option, Reply, Verb
from service_nb.errors import DriverMissingError, InvalidIntentError

if TYPE_CHECKING:
    from service_nb.agents import AgentTools

PORT = 8811


def run(arguments: argparse.Namespace) -> Reply:
    """Connect the sources and serve until the host ends it."""
    if arguments.port is not None and not 0 <= arguments.port <= 65_535:
        raise InvalidIntentError(
            f"--port is {arguments.port}.", path="port", met=str(arguments.port), expected="0 … 65535"
        )
    try:
        from service_nb.agents import mcp_server  # noqa: PLC0415  # optional, and no other verb needs it
    except ImportError as error:
        hint = 'pip install "service-nb[mcp]"'
        raise DriverMissingError(f"{error.name} is not installed.", hint=hint) from None
    with _open_service(arguments) as service:
        tools = _build_tools(service, arguments)
        if not arguments.http:
            mcp_server.serve_stdio(tools)
            return Reply()
        port = PORT if arguments.port is None else arguments.port
        try:
            bound = mcp_server.bind_port(port)
        except OSError as error:
            raise InvalidIntentError(
                f"Port {port} cannot be used: {error.strerror}.",
                hint="Choose another: --port 0 takes any.",
                path="port",
            ) from None
        address = f"http://{mcp_server.HOST}:{bound.getsockname()[1]}{mcp_server.PATH}"
        if arguments.json:
            print(json.dumps({"status": "serving", "address": address}), flush=True)
        else:
            print(f"service_nb serves tools for agents at {address}; press Ctrl-C to stop.", flush=True)
        mcp_server.serve_http(tools, bound)
    return Reply()


def _open_service(arguments: argparse.Namespace) -> service_nb.Service:
    policy = None if arguments.policy is None else read_policy(arguments.policy)
    told = {} if arguments.timeout is None else {"timeout": arguments.timeout}
    runtime: Literal["in_process"] | None = "in_process" if arguments.in_process else None
    return service_nb.create_service(policy=policy, project=arguments.project, runtime=runtime, **told)


def _build_tools(service: service_nb.Service, arguments: argparse.Namespace) -> AgentTools:
    from service_nb.agents import create_tools  # noqa: PLC0415  # as above
    from service_nb.agents.card_app import has_card_app  # noqa: PLC0415

    for file in arguments.files:
        connect_source(service, file, arguments)
    if not arguments.files:
        for name in service.stored_sources():
            service.connect(name=name)
    if not service.sources() and not service.live_sources():
        print("No source is connected: name a file, or a project that keeps some (--project).", file=sys.stderr)
    if not has_card_app():
        print(
            "Hosts show no cards: their page is not built. In a checkout, run: python typescript/build.py",
            file=sys.stderr,
        )
    return create_tools(service, compute=arguments.compute)


VERB = Verb(
    run=run,
    options=(
        Option("files FILE", "files, or names of stored or live sources", nargs="*"),
        Option("--policy FILE", "JSON: allowed_sources, _fields, _functions; nothing else is named", type=Path),
        Option("--compute", "add tools that search and run certified computations"),
        Option("--http", "serve HTTP on this machine instead of standard input and output"),
        Option("--port N", f"the port of --http; 0: any; default: {PORT}", type=int),
        Option("--timeout SECONDS", "stop a question after this time", type=float),
        PROJECT,
        IN_PROCESS,
        *READING,
    ),
)
