"""`service-nb login`: make this user's device key, once; or fetch the key of a deployment."""

from __future__ import annotations

import argparse
import json
import os
import sys

from service_nb.cli.console import DONE, print_json

SUMMARY = "Make the device key that local computation needs: once, free, offline."
EXAMPLES = """\
examples:
  service-nb login
  service-nb login --json
  service-nb login --deployment https://service.example

A machine that keeps nothing gets its key from the environment: SERVICE_DEVICE_KEY holds a PKCS8 PEM of an Ed25519 key,
or the base64 of a 32-byte seed. With --deployment a code is shown, which whoever runs the deployment approves; the key
is then kept for this user, and SERVICE_API_KEY need not be set.
"""
SAID = {
    "made": "Made a device key for you on this machine",
    "licensed": "Kept the device key, and renewed its licence",
    "kept": "You are logged in already, with the device key",
    "environment": "SERVICE_DEVICE_KEY gives the device key, and nothing was written",
}


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options of `login`."""
    parser.add_argument("--deployment", metavar="URL", help="get a key of this deployment, by a device code")
    parser.add_argument("--scopes", metavar="NAME,…", help="scopes of the deployment's key; default: the usual ones")


def run(arguments: argparse.Namespace) -> int:
    """Make the key, unless there is one, and say what was done."""
    if arguments.deployment is not None:
        return _enrol(arguments)
    from service_nb.client import device_key as device  # noqa: PLC0415  # lazy: no other verb waits for cryptography to load

    found = device.login()
    if arguments.json:
        print_json({"status": "ok", **found.to_dict()})
        return DONE
    print(f"{SAID[found.origin]}: {found.id}")
    for path, what in zip(found.to_dict()["files"], ("only you can read it", f"{found.tier} tier"), strict=False):
        print(f"  {path}  ({what})")
    print("Nothing was sent anywhere. Run `service-nb logout` to remove it.")
    return DONE


def _enrol(arguments: argparse.Namespace) -> int:
    from service_nb.deployment.address import (  # noqa: PLC0415  # lazy: HTTP
        CA,
        KEY,
        PLAIN,
        Address,
        check_url,
        store_key,
    )
    from service_nb.deployment.enrolment import request_key  # noqa: PLC0415
    from service_nb.deployment.http import DeploymentClient  # noqa: PLC0415
    from service_nb.deployment.messages import DeviceCodeAnswer  # noqa: PLC0415

    base = check_url(arguments.deployment, allows_plain=os.environ.get(PLAIN) == "1")

    def tell(codes: DeviceCodeAnswer) -> None:
        if arguments.json:  # a line of its own, before the document that ends the run
            told = {"status": "waiting", "user_code": codes.user_code, "expires_in": codes.expires_in}
            print(json.dumps(told), file=sys.stderr, flush=True)
            return
        print(f"The code of this machine is {codes.user_code}, for {codes.expires_in // 60} minutes.")
        print(f"The operator of the deployment approves it: service-nb serve approve {codes.user_code} --tenant NAME")
        print("Waiting …", flush=True)

    deployment = DeploymentClient(Address(base=base, ca=os.environ.get(CA) or None))
    try:
        scope = None if arguments.scopes is None else " ".join(arguments.scopes.split(","))
        store_key(base, request_key(deployment, tell, scope=scope))
    finally:
        deployment.close()
    if arguments.json:
        print_json({"status": "ok", "deployment": base, "in_force": not os.environ.get(KEY)})
        return DONE
    print(f"The key of {base} was stored; set SERVICE_DEPLOYMENT_URL={base} to use it.")
    if os.environ.get(KEY):
        print(f"{KEY} is set, and takes precedence.")
    return DONE
