"""Google Cloud Storage: objects are copied and read as files, by its XML interface.

The key of a service account comes from the descriptor alone: a deployment lends nobody what its own machine may do.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from service_nb.connectors.extraction import key_error, read_flag
from service_nb.connectors.objects import OPTIONS, ObjectStore, build_connector
from service_nb.connectors.options import read_option
from service_nb.core.canonical import parse_strict
from service_nb.errors import CanonicalJsonError, LimitExceededError
from service_nb.schema.connector import Descriptor, Kind

KIND = Kind(
    type="gcs",
    title="Google Cloud Storage",
    group="object storage",
    keys=("database", "table", "password"),
    options={
        "endpoint": "https://host of what is not Google's own",
        "anonymous": "true: a public bucket, read without a key",
        **OPTIONS,
    },
    extra="gcs",
    driver="obstore",
)
TOKENS = ("accounts.google.com", "oauth2.googleapis.com", "www.googleapis.com")
HOME = "https://storage.googleapis.com"
BUCKET = re.compile(r"[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]")
# Of a key, what signing needs; a file could also name servers to send tokens to.
KEY = ("type", "project_id", "private_key_id", "private_key", "client_email", "client_id")


def _find_endpoint(descriptor: Descriptor) -> str:
    return read_option(descriptor, "endpoint") or HOME


def _open_store(stores: Any, bucket: str, descriptor: Descriptor, settings: Mapping[str, object]) -> object:
    # Each of these is said, for what is not said is taken from the environment of the deployment.
    return stores.GCSStore(
        bucket,
        base_url=_find_endpoint(descriptor),
        **_access(descriptor),
        **settings,
    )


def _access(descriptor: Descriptor) -> dict[str, object]:
    if read_flag(descriptor, "anonymous"):
        return {"skip_signature": True}
    if descriptor.password is None:
        raise key_error("password", "missing", "the JSON text of a service account's key; or anonymous: true")
    try:
        key = parse_strict(descriptor.password.reveal(), max_bytes=100_000, max_depth=2)
    except (CanonicalJsonError, LimitExceededError):
        key = None
    if not isinstance(key, dict) or not all(isinstance(key.get(name), str) for name in ("private_key", "client_email")):
        raise key_error("password", "no such key", "the JSON text of a service account's key") from None
    kept = {name: key[name] for name in KEY if isinstance(key.get(name), str)}
    return {"skip_signature": False, "service_account_key": json.dumps(kept)}


CONNECTOR = build_connector(
    ObjectStore(kind=KIND, bucket=BUCKET, find_endpoint=_find_endpoint, open_store=_open_store, token_hosts=TOKENS)
)
