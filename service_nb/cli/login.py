"""`service-nb login`: make this user's device key, once."""

from __future__ import annotations

import argparse

from service_nb.cli.console import DONE, print_json

SUMMARY = "Make the device key that opens local computation: once, free, and nothing is sent anywhere."
EXAMPLES = """\
examples:
  service-nb login
  service-nb login --json

A machine that keeps nothing gets its key from the environment: SERVICE_DEVICE_KEY holds a PKCS8 PEM of an Ed25519 key,
or the base64 of a 32-byte seed.
"""
SAID = {
    "made": "Made a device key for you on this machine",
    "licensed": "Kept the device key, and made its licence anew",
    "kept": "You are logged in already, with the device key",
    "environment": "SERVICE_DEVICE_KEY gives the device key, and nothing was written",
}


def register(parser: argparse.ArgumentParser) -> None:
    """`login` has no options of its own."""


def run(arguments: argparse.Namespace) -> int:
    """Make the key, unless there is one, and say what was done."""
    from service_nb import device  # noqa: PLC0415  # lazy: no other verb waits for cryptography to load

    found = device.login()
    if arguments.json:
        print_json({"status": "ok", **found.to_dict()})
        return DONE
    print(f"{SAID[found.origin]}: {found.id}")
    for path, what in zip(found.to_dict()["files"], ("only you can read it", f"{found.tier} tier"), strict=False):
        print(f"  {path}  ({what})")
    print("Nothing was sent anywhere. `service-nb logout` removes it.")
    return DONE
