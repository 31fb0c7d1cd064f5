"""`service-nb version`: what must agree for two installations to give the same answers."""

from __future__ import annotations

import argparse

from service_nb._version import __version__
from service_nb.cli.console import DONE, print_json
from service_nb.schema.card import CARD_MIME, CARD_VERSION

SUMMARY = "Print the versions of the client, the contract, the installed runtime and the cards."
EXAMPLES = """\
examples:
  service-nb version
  service-nb version --json
"""


def register(parser: argparse.ArgumentParser) -> None:
    """`version` has no options of its own."""


def run(arguments: argparse.Namespace) -> int:
    """Print the versions. Installations whose contract hashes agree give the same answers."""
    contract, bundle = _contract_hash(), _bundle()
    if arguments.json:
        card = {"version": CARD_VERSION, "mime": CARD_MIME}
        print_json({"version": __version__, "contract_hash": contract, "runtime": bundle, "card": card})
        return DONE
    told = "not installed" if bundle is None else f"{bundle['version']}, sha256 {bundle['sha256']}"
    print(f"service-nb {__version__}\ncontract   {contract}\nruntime    {told}\ncards      {CARD_VERSION}")
    return DONE


def _contract_hash() -> str:
    # Lazy: what reads a contract loads no sooner than it is asked for one.
    from service_nb.compute.contract import Contract  # noqa: PLC0415
    from service_nb.runtimes.base import packaged_contract  # noqa: PLC0415

    return Contract(packaged_contract()).hash


def _bundle() -> dict[str, str] | None:
    from service_nb.runtimes.provision import installed  # noqa: PLC0415  # lazy: as above

    found = installed()
    return None if found is None else {"version": found.bundle_version, "sha256": found.bundle_sha256}
