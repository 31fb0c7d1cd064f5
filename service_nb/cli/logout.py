"""`service-nb logout`: remove the device key and its licence; or the kept key of a deployment."""

from __future__ import annotations

import argparse
import os

from service_nb.cli.console import DONE, print_json

SUMMARY = "Remove the device key and its licence; signatures made with it stay valid."
EXAMPLES = """\
examples:
  service-nb logout
  service-nb logout --json
  service-nb logout --deployment https://service.example
"""


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options of `logout`."""
    parser.add_argument("--deployment", metavar="URL", help="remove the stored key of this deployment instead")


def run(arguments: argparse.Namespace) -> int:
    """Remove what is there, whatever state it is in, and say so."""
    if arguments.deployment is not None:
        return _forget(arguments)
    from service_nb.client import device_key as device  # noqa: PLC0415  # lazy: no other verb waits for cryptography to load

    removed = device.logout()
    is_injected = bool(os.environ.get(device.INJECTED))
    if arguments.json:
        print_json({"status": "ok", "removed": removed, "injected": is_injected})
        return DONE
    print(f"Removed {' and '.join(removed)}. Signatures made with it stay valid." if removed else "There was no key.")
    if is_injected:
        print(f"{device.INJECTED} still gives one.")
    return DONE


def _forget(arguments: argparse.Namespace) -> int:
    from service_nb.deployment.address import check_url, delete_stored_key  # noqa: PLC0415

    base = check_url(arguments.deployment, allows_plain=True)  # nothing is sent
    was_there = delete_stored_key(base)
    if arguments.json:
        print_json({"status": "ok", "deployment": base, "removed": was_there})
    elif was_there:
        print("Removed. The operator of the deployment can revoke the key: service-nb serve key revoke ID")
    else:
        print("There was no key.")
    return DONE
