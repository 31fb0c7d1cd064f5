"""Run a capability, and print its value with its evidence.

the computation:
  MODULE.FUNCTION PARAMETER=VALUE … [seed=N] [where CONDITION and|or …]
  or as a card prints it, MODULE.FUNCTION(PARAMETER=VALUE, …)
  A value is a number, 'text', a list such as [-1000, 300], or a column: file.field, the file without its ending.

examples:
  service-nb compute "finance.npv rate=0.1 cashflows=[-1000, 300, 420, 560, 680]"
  service-nb compute "stats.median values=sales.revenue where year = 2024" --file sales.csv
  service-nb compute "stats.median values=sales.revenue" --file sales.csv --over region
  service-nb compute "simulation.random_walk steps=100 probability=0.5 seed=7" --json

It runs in the managed runtime, which needs `service-nb login` once and is installed at the first computation.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import Any

import service_nb
from service_nb.cards.card_blocks import compose_face
from service_nb.cards.faces.text import write_text
from service_nb.cli.console import ProgressBar, measure_terminal
from service_nb.cli.reading import READING, connect_source, describe_lines, refuse_unused
from service_nb.cli.verb import IN_PROCESS, Option, Reply, Verb
from service_nb.client.advice.offers import advising
from service_nb.client.compute_line import parse_compute_line

_NULL_POLICIES = ("refuse", "drop")
TOLD_MS = 5_000  # from which on what the runtime took to be there is told: it was installed


def run(arguments: argparse.Namespace) -> Reply:
    """Connect the files, compute, reply with the cards."""
    line = " ".join(arguments.computation)
    if arguments.nulls in _NULL_POLICIES and arguments.null_policy is None:  # as in a notebook's older lines
        arguments.null_policy, arguments.nulls = arguments.nulls, None
    with ProgressBar() as progress:
        service = service_nb.create_service(runtime="in_process" if arguments.in_process else None, progress=progress)
        if not arguments.file:
            refuse_unused(arguments, "it applies to --file, and none is given")
        for path in arguments.file:
            connect_source(service, path, arguments)
        with service.record_errors(), advising(line, service, describe_lines(arguments, arguments.file), computes=True):
            spec = parse_compute_line(line, null_policy=arguments.null_policy)
        for name in _find_stored(service, spec):
            service.connect(name=name)
        computed = service.compute(spec, over=arguments.over, timeout=arguments.timeout)
    computations: list[service_nb.Computation] = [computed] if arguments.over is None else computed
    if computations and computations[0].setup_ms >= TOLD_MS:
        print(f"Installed and started the runtime in {computations[0].setup_ms / 1_000:.1f} s.", file=sys.stderr)
    return Reply(
        computed, "\n\n".join(write_text(compose_face(each.card), measure_terminal()) for each in computations)
    )


def _find_stored(service: service_nb.Service, spec: Mapping[str, Any]) -> list[str]:
    """Find the sources that are bound, are no file, and that the project or the deployment has."""
    wanted = dict.fromkeys(binding.get("source") for binding in spec.get("bindings", ()))
    missing = set(wanted) - {source["name"] for source in service.sources()}
    known = {*service.stored_sources(), *service.live_sources()} if missing else set()
    return [name for name in wanted if name in missing and name in known]


VERB = Verb(
    run=run,
    options=(
        Option("computation COMPUTATION", "a compute line, quoted or not", nargs="+"),
        Option(
            "--file FILE",
            "a file whose columns are bound; may be repeated. Sources of service.toml or the deployment need none",
            action="append",
            default=[],
        ),
        Option("--null-policy", "what to do with nulls in a bound column", choices=_NULL_POLICIES),
        Option("--over COLUMN", "compute once for each value of a column of the bound source"),
        Option("--timeout SECONDS", "stop the computation after this time", type=float),
        IN_PROCESS,
        *READING,
    ),
)
