"""Azure Blob Storage: blobs are copied and read as files.

Keys and tokens come from the descriptor alone: a deployment lends nobody what its own machine may do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from service_nb.connectors.extraction import key_error, read_flag, read_secret, require_key
from service_nb.connectors.objects import OPTIONS, ObjectStore, build_connector
from service_nb.connectors.options import read_option
from service_nb.core.secret import Secret
from service_nb.core.words import describe_value, split_words
from service_nb.schema.connector import Descriptor, Kind

KIND = Kind(
    type="azure",
    title="Azure Blob Storage",
    group="object storage",
    keys=("database", "table", "user", "password", "connection_string"),
    options={
        "endpoint": "https://host of what is not Azure's own, with the account in its path where it belongs",
        "anonymous": "true: a public container, read without a key",
        "sas_token": "a shared access signature, instead of the account's key",
        **OPTIONS,
    },
    secrets=("sas_token",),
    extra="azure",
    driver="obstore",
)
ACCOUNT = re.compile(r"[a-z0-9]{3,24}")
BUCKET = re.compile(r"\$root|\$web|[a-z0-9](?:-?[a-z0-9]){2,62}")
PARTS = split_words("AccountName AccountKey SharedAccessSignature BlobEndpoint EndpointSuffix DefaultEndpointsProtocol")


def _find_endpoint(descriptor: Descriptor) -> str:
    return read_option(descriptor, "endpoint") or f"https://{_read_account(descriptor)}.blob.core.windows.net"


def _read_account(descriptor: Descriptor) -> str:
    account = require_key(descriptor, "user", "the name of a storage account")
    if not ACCOUNT.fullmatch(account):
        raise key_error("user", describe_value(account), "the name of a storage account")
    return account


def expand_parts(descriptor: Descriptor) -> Descriptor:
    """Return the descriptor with what its connection string says in the keys that mean the same.

    Raises `invalid_intent`.
    """
    if descriptor.connection_string is None:
        return descriptor
    parts = _parse_parts(descriptor.connection_string.reveal())
    suffix = parts.get("EndpointSuffix", "core.windows.net")
    endpoint = parts.get("BlobEndpoint")
    if endpoint is None and suffix != "core.windows.net":
        endpoint = f"{parts.get('DefaultEndpointsProtocol', 'https')}://{parts.get('AccountName')}.blob.{suffix}"
    found: dict[str, str | Secret] = {} if endpoint is None else {"endpoint": endpoint}
    if "SharedAccessSignature" in parts:
        found["sas_token"] = Secret(parts["SharedAccessSignature"])
    key = parts.get("AccountKey")
    return Descriptor(
        type=descriptor.type,
        database=descriptor.database,
        table=descriptor.table,
        user=descriptor.user or parts.get("AccountName"),
        password=descriptor.password or (Secret(key) if key else None),
        options={**found, **descriptor.options},
    )


def _parse_parts(text: str) -> dict[str, str]:
    pairs = [part.partition("=") for part in text.split(";") if part.strip()]
    parts = {name.strip(): value.strip() for name, _, value in pairs}
    if not parts or not ({"AccountName", "BlobEndpoint"} & set(parts)):
        raise key_error("connection_string", "no such text", "AccountName=…;AccountKey=… as Azure shows it")
    return {name: value for name, value in parts.items() if name in PARTS}


def _open_store(stores: Any, bucket: str, descriptor: Descriptor, settings: Mapping[str, object]) -> object:
    # Each of these is said, for what is not said is taken from the environment of the deployment.
    return stores.AzureStore(
        bucket,
        account_name=_read_account(descriptor),
        endpoint=_find_endpoint(descriptor),
        use_emulator=False,
        use_fabric_endpoint=False,
        use_azure_cli=False,
        **_access(descriptor),
        **settings,
    )


def _access(descriptor: Descriptor) -> dict[str, object]:
    if read_flag(descriptor, "anonymous"):
        return {"skip_signature": True}
    token = read_secret(descriptor, "sas_token")
    if token is not None:
        credential = {"sas_token": token.reveal().removeprefix("?"), "expires_at": None}
    elif descriptor.password is not None:
        credential = {"access_key": descriptor.password.reveal(), "expires_at": None}
    else:
        raise key_error("password", "missing", "the account's key; or sas_token; or anonymous: true")
    return {"skip_signature": False, "credential_provider": lambda: credential}


CONNECTOR = build_connector(
    ObjectStore(kind=KIND, bucket=BUCKET, find_endpoint=_find_endpoint, open_store=_open_store, expand=expand_parts)
)
