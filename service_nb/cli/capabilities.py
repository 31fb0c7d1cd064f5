"""`service-nb capabilities`: the fields of the contract, the capabilities of one, or the page of one capability."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence

import service_nb
from service_nb.cards.capability import page
from service_nb.cli.console import DONE, print_blocks, print_json
from service_nb.core.words import nearest, shown
from service_nb.errors import UnsupportedOperationError

SUMMARY = "List the fields of the contract, the capabilities of a field, or show one capability."
EXAMPLES = """\
examples:
  service-nb capabilities
  service-nb capabilities finance
  service-nb capabilities finance.npv --json
"""


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options of `capabilities`."""
    parser.add_argument("name", metavar="NAME", nargs="?", help="a field, or a capability")


def run(arguments: argparse.Namespace) -> int:
    """Print what is there."""
    service = service_nb.create_service()
    if arguments.name is not None and "." in arguments.name:
        entry = service.capability(arguments.name)
        print_json(entry) if arguments.json else print_blocks(page(entry))
        return DONE
    names = service.capabilities()
    if arguments.name is None:
        _print_fields(names, as_json=arguments.json)
    else:
        _print_field(arguments.name, _summaries(service, arguments.name, names), as_json=arguments.json)
    return DONE


def _print_fields(names: Sequence[str], *, as_json: bool) -> None:
    counted = Counter(name.partition(".")[0] for name in names)
    if as_json:
        print_json(counted)
        return
    width = max(map(len, counted), default=0)
    print("\n".join(f"{field:<{width}}  {count:>4}" for field, count in sorted(counted.items())))
    print(f"\n{len(names):,} capabilities in {len(counted)} fields")


def _summaries(service: service_nb.Service, field: str, names: Sequence[str]) -> dict[str, str]:
    found = [name for name in names if name.startswith(f"{field}.")]
    if not found:
        near = nearest(field, {name.partition(".")[0] for name in names})
        raise UnsupportedOperationError(
            f"No field is called {shown(field)}.",
            hint=f"Did you mean {near[0]}?" if near else "`service-nb capabilities` lists them.",
            nearest_matches=near,
        )
    return {name: service.capability(name)["summary"] for name in found}


def _print_field(field: str, summaries: Mapping[str, str], *, as_json: bool) -> None:
    if as_json:
        print_json(summaries)
        return
    width = max(map(len, summaries))
    print("\n".join(f"{name:<{width}}  {summary}" for name, summary in summaries.items()))
    print(f"\n{len(summaries):,} capabilities of {field}")
