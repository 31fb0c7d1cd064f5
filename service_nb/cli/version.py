"""Print the versions of the client, the contract, the installed runtime and the cards.

examples:
  service-nb version
  service-nb version --json
"""

from __future__ import annotations

import argparse

from service_nb._version import __version__
from service_nb.cli.verb import Reply, Verb
from service_nb.compute.contract import Contract
from service_nb.runtimes.interface import map_packaged_contract
from service_nb.runtimes.provision import find_installed
from service_nb.schema.card import CARD_MIME, CARD_VERSION


def run(_arguments: argparse.Namespace) -> Reply:
    """List the versions. Installations whose contract hashes agree give the same answers."""
    # Lazy: no other verb waits for what reads a contract and a bundle.

    contract, found = Contract(map_packaged_contract()).hash, find_installed()
    bundle = None if found is None else {"version": found.bundle_version, "sha256": found.bundle_sha256}
    card = {"version": CARD_VERSION, "mime": CARD_MIME}
    runtime = "not installed" if bundle is None else f"{bundle['version']}, sha256 {bundle['sha256']}"
    return Reply(
        {"version": __version__, "contract_hash": contract, "runtime": bundle, "card": card},
        f"service-nb {__version__}\ncontract   {contract}\nruntime    {runtime}\ncards      {CARD_VERSION}",
    )


VERB = Verb(run=run)
