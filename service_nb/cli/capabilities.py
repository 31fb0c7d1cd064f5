"""List the fields of the contract, the capabilities of a field, or show one capability.

examples:
  service-nb capabilities
  service-nb capabilities finance
  service-nb capabilities finance.npv --json
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence

import service_nb
from service_nb.cards.page_blocks import compose_capability
from service_nb.cli.console import align_columns, write_for_shell
from service_nb.cli.verb import Option, Reply, Verb
from service_nb.core.words import describe_value, find_nearest
from service_nb.errors import UnsupportedOperationError


def run(arguments: argparse.Namespace) -> Reply:
    """List the fields, list one field, or show one capability."""
    service, name = service_nb.create_service(), arguments.name
    if name is not None and "." in name:
        entry = service.capability(name)
        return Reply(entry, write_for_shell(compose_capability(entry)))
    names = service.capabilities()
    if name is None:
        return _list_fields(names)
    return _list_field(service, name, names)


def _list_fields(names: Sequence[str]) -> Reply:
    counted = Counter(name.partition(".")[0] for name in names)
    lines = align_columns([(field, f"{count:>4}") for field, count in sorted(counted.items())])
    return Reply(counted, "\n".join([*lines, f"\n{len(names):,} capabilities in {len(counted)} fields"]))


def _list_field(service: service_nb.Service, field: str, names: Sequence[str]) -> Reply:
    found = [name for name in names if name.startswith(f"{field}.")]
    if not found:
        near = find_nearest(field, {name.partition(".")[0] for name in names})
        raise UnsupportedOperationError(
            f"No field is called {describe_value(field)}.",
            hint=f"Did you mean {near[0]}?" if near else "`service-nb capabilities` lists them.",
            nearest_matches=near,
        )
    summaries = {name: service.capability(name)["summary"] for name in found}
    lines = align_columns(list(summaries.items()))
    return Reply(summaries, "\n".join([*lines, f"\n{len(summaries):,} capabilities of {field}"]))


VERB = Verb(run=run, options=(Option("name NAME", "a field, or a capability", nargs="?"),))
