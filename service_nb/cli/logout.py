"""Remove the device key and its licence; signatures made with it stay valid.

examples:
  service-nb logout
  service-nb logout --json
  service-nb logout --deployment https://service.example
"""

from __future__ import annotations

import argparse
import os

from service_nb.cli.verb import Option, Reply, Verb
from service_nb.client import user_keys as device
from service_nb.deployment.address import check_url, delete_stored_key


def run(arguments: argparse.Namespace) -> Reply:
    """Remove what is there, whatever state it is in, and say so."""
    if arguments.deployment is not None:
        return _forget_key(arguments)

    removed = device.logout()
    is_injected = bool(os.environ.get(device.INJECTED))
    text = f"Removed {' and '.join(removed)}. Signatures made with it stay valid." if removed else "There was no key."
    if is_injected:
        text += f"\n{device.INJECTED} still gives one."
    return Reply({"status": "ok", "removed": removed, "injected": is_injected}, text)


def _forget_key(arguments: argparse.Namespace) -> Reply:
    base = check_url(arguments.deployment, allows_plain=True)  # nothing is sent
    was_there = delete_stored_key(base)
    revoke = "Removed. The operator of the deployment can revoke the key: service-nb serve key revoke ID"
    document = {"status": "ok", "deployment": base, "removed": was_there}
    return Reply(document, revoke if was_there else "There was no key.")


VERB = Verb(run=run, options=(Option("--deployment URL", "remove the stored key of this deployment instead"),))
