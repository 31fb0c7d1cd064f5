"""Amazon S3, and what speaks its protocol: objects are copied and read as files.

Keys and tokens come from the descriptor alone: a deployment lends nobody what its own machine may do.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

from service_nb.connectors.extraction import key_error, read_flag, read_secret
from service_nb.connectors.objects import OPTIONS, ObjectStore, build_connector
from service_nb.connectors.options import read_option
from service_nb.core.words import describe_value
from service_nb.schema.connector import Descriptor, Kind

KIND = Kind(
    type="s3",
    title="S3",
    group="object storage",
    keys=("database", "table", "user", "password"),
    options={
        "region": "of the bucket; by default us-east-1",
        "endpoint": "https://host of what is not Amazon's own; buckets are in its path",
        "anonymous": "true: a public bucket, read without a key",
        "session_token": "of temporary keys",
        **OPTIONS,
    },
    secrets=("session_token",),
    extra="s3",
    driver="obstore",
)
BUCKET = re.compile(r"[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]")
REGION = re.compile(r"[a-z0-9-]{1,40}")


def _find_endpoint(descriptor: Descriptor) -> str:
    return read_option(descriptor, "endpoint") or f"https://s3.{_read_region(descriptor)}.amazonaws.com"


def _read_region(descriptor: Descriptor) -> str:
    region = read_option(descriptor, "region") or "us-east-1"
    if not REGION.fullmatch(region):
        raise key_error("region", describe_value(region), "the name of a region")
    return region


def _open_store(stores: Any, bucket: str, descriptor: Descriptor, settings: Mapping[str, object]) -> object:
    region, endpoint = _read_region(descriptor), _find_endpoint(descriptor)
    if "AWS_ENDPOINT_URL_S3" in os.environ:  # which goes before an endpoint that is not said twice
        settings = {**settings, "aws_endpoint_url_s3": endpoint}
    # Each of these is said, for what is not said is taken from the environment of the deployment.
    return stores.S3Store(
        bucket,
        region=region,
        endpoint=endpoint,
        virtual_hosted_style_request=False,
        **_access(descriptor),
        **settings,
    )


def _access(descriptor: Descriptor) -> dict[str, object]:
    if read_flag(descriptor, "anonymous"):
        return {"skip_signature": True}
    if descriptor.user is None or descriptor.password is None:
        raise key_error("user", "missing", "an access key, with its secret as password; or anonymous: true")
    token = read_secret(descriptor, "session_token")
    key = {
        "access_key_id": descriptor.user,
        "secret_access_key": descriptor.password.reveal(),
        "token": token.reveal() if token else None,
        "expires_at": None,
    }
    return {"skip_signature": False, "credential_provider": lambda: key}


CONNECTOR = build_connector(ObjectStore(kind=KIND, bucket=BUCKET, find_endpoint=_find_endpoint, open_store=_open_store))
