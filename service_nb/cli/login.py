"""Make the device key that local computation needs: once, free, offline.

examples:
  service-nb login
  service-nb login --json
  service-nb login --deployment https://service.example

A machine that keeps nothing gets its key from the environment: SERVICE_DEVICE_KEY holds a PKCS8 PEM of an Ed25519 key,
or the base64 of a 32-byte seed. With --deployment a code is shown, which whoever runs the deployment approves; the key
is then kept for this user, and SERVICE_API_KEY need not be set.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from contextlib import closing

from service_nb.cli.verb import Option, Reply, Verb
from service_nb.client import user_keys as device
from service_nb.deployment.address import CA, KEY, PLAIN, Address, check_url, store_key
from service_nb.deployment.enrolment import request_key
from service_nb.deployment.http import DeploymentClient
from service_nb.deployment.messages import DeviceCodeAnswer

_DONE = {
    "made": "Made a device key for you on this machine",
    "licensed": "Kept the device key, and renewed its licence",
    "kept": "You are logged in already, with the device key",
    "environment": "SERVICE_DEVICE_KEY gives the device key, and nothing was written",
}


def run(arguments: argparse.Namespace) -> Reply:
    """Make the key, unless there is one, and say what was done."""
    if arguments.deployment is not None:
        return _fetch_key(arguments)

    found = device.login()
    document = {"status": "ok", **found.to_dict()}
    files = zip(found.to_dict()["files"], ("only you can read it", f"{found.tier} tier"), strict=False)
    lines = [
        f"{_DONE[found.origin]}: {found.id}",
        *(f"  {path}  ({what})" for path, what in files),
        "Nothing was sent anywhere. Run `service-nb logout` to remove it.",
    ]
    return Reply(document, "\n".join(lines))


def _fetch_key(arguments: argparse.Namespace) -> Reply:
    base = check_url(arguments.deployment, allows_plain=os.environ.get(PLAIN) == "1")
    show_code = _print_waiting if arguments.json else _print_code
    scope = None if arguments.scopes is None else " ".join(arguments.scopes.split(","))
    with closing(DeploymentClient(Address(base=base, ca=os.environ.get(CA) or None))) as deployment:
        store_key(base, request_key(deployment, show_code, scope=scope))
    text = f"The key of {base} was stored; set SERVICE_DEPLOYMENT_URL={base} to use it."
    if os.environ.get(KEY):
        text += f"\n{KEY} is set, and takes precedence."
    return Reply({"status": "ok", "deployment": base, "in_force": not os.environ.get(KEY)}, text)


def _print_code(codes: DeviceCodeAnswer) -> None:
    print(f"The code of this machine is {codes.user_code}, for {codes.expires_in // 60} minutes.")
    print(f"The operator of the deployment approves it: service-nb serve approve {codes.user_code} --tenant NAME")
    print("Waiting …", flush=True)


def _print_waiting(codes: DeviceCodeAnswer) -> None:
    """Print the code as a line of JSON to stderr, before the document that ends the run."""
    waiting = {"status": "waiting", "user_code": codes.user_code, "expires_in": codes.expires_in}
    print(json.dumps(waiting), file=sys.stderr, flush=True)


VERB = Verb(
    run=run,
    options=(
        Option("--deployment URL", "get a key of this deployment, by a device code"),
        Option("--scopes NAME,…", "scopes of the deployment's key; default: the usual ones"),
    ),
)
