"""Check connector descriptors, `{"type": "postgres", …}`, and read those that are kept in TOML or JSON files."""

from __future__ import annotations

import os
import re
import tomllib
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from service_nb.core.canonical import parse_strict
from service_nb.core.plugins import find_plugins
from service_nb.core.words import describe_value, find_nearest, split_words
from service_nb.errors import (
    CanonicalJsonError,
    DeploymentRequiredError,
    InvalidIntentError,
    SourceMalformedError,
    UnsupportedSourceError,
)
from service_nb.readers.dataset import option_error
from service_nb.readers.source_files import read_bytes

# Other spellings of a type, replaced before anything else looks at it.
ALIASES = {
    "postgresql": "postgres",
    "click_house": "clickhouse",
    "redis_cache": "redis",
    "elastic": "elasticsearch",
    "rest_api": "rest",
    "file_upload": "file",
    "github": "github_repo",
    "github_repository": "github_repo",
    "gitlab": "gitlab_repo",
    "gitlab_repository": "gitlab_repo",
    "bitbucket": "bitbucket_repo",
    "bitbucket_repository": "bitbucket_repo",
    "local_repository": "local_repo",
    "archive_repository": "repo_archive",
}
PLUGINS = "service_nb.connectors"  # the entry points of connectors of other distributions
LOCAL = ("sqlite", "file")
LIVE = split_words("""
    postgres mysql mssql oracle snowflake bigquery clickhouse redshift spark trino s3 gcs azure redis neo4j
    elasticsearch rest github_repo gitlab_repo bitbucket_repo local_repo repo_archive
""")
KEYS = split_words("type host port database user password connection_string table query path")
MOST_BYTES = 100_000  # of a file that holds a descriptor

# Words in keys that are likely to be of secrets, whichever options a type has; and how a secret is referred to.
_SECRETS = re.compile(r"pass(?:word|phrase)?|secret|token|key|credential|connection_string|sas", re.IGNORECASE)
_REFERENCE = re.compile(r"(?:env|file|keyring):")


def _is_type(name: str) -> bool:
    return name in LOCAL or name in LIVE or name in find_plugins(PLUGINS)


def find_literal_secrets(descriptor: Mapping[str, object]) -> dict[str, str]:
    """Find the values of a descriptor that are likely to be secrets themselves, not references to secrets."""
    return {
        key: value
        for key, value in descriptor.items()
        if isinstance(key, str) and isinstance(value, str) and _SECRETS.search(key) and not _REFERENCE.match(value)
    }


def is_descriptor(value: object) -> bool:
    """Tell whether a value is meant as a connector's descriptor: an object with a known type."""
    if not isinstance(value, Mapping) or "provider" in value or "records" in value:
        return False
    kind = value.get("type")
    return isinstance(kind, str) and _is_type(ALIASES.get(kind, kind))


def is_live(descriptor: object) -> bool:
    """Tell whether a descriptor's source needs a deployment, which then checks the rest of the descriptor.

    Raises `invalid_intent`, `unsupported_source`.
    """
    return is_kept(descriptor) or find_type(descriptor, any_key=True) not in LOCAL


def is_kept(descriptor: object) -> bool:
    """Tell whether a descriptor names a connector that the deployment keeps: `{"id": …, "table": …}`."""
    return isinstance(descriptor, Mapping) and "id" in descriptor


def find_type(descriptor: object, *, any_key: bool = False) -> str:
    """Return the type of a descriptor under its one spelling. Of `any_key`, further options may be there.

    Raises `invalid_intent`, `unsupported_source`.
    """
    if not isinstance(descriptor, Mapping):
        raise option_error("connector", descriptor, "an object with a type")
    for key in () if any_key else descriptor:
        if key not in KEYS:
            close = find_nearest(key, KEYS) if isinstance(key, str) else []
            met = describe_value(key)
            raise InvalidIntentError(
                f"A connector has no key {met}.", path="connector", met=met, did_you_mean=close or None
            )
    given = descriptor.get("type")
    if not isinstance(given, str):
        raise option_error("connector.type", given, "text")
    kind = ALIASES.get(given, given)
    if not _is_type(kind):
        close = find_nearest(given, (*LOCAL, *LIVE, *ALIASES))
        raise UnsupportedSourceError(
            f"There is no connector of type {describe_value(given)}.",
            hint=f"Did you mean {describe_value(close[0])}?" if close else f"There are {', '.join((*LOCAL, *LIVE))}.",
            met=describe_value(given),
            did_you_mean=close or None,
        )
    return kind


def deployment_error(kind: str | None) -> DeploymentRequiredError:
    """Return the error of a live source where there is no deployment."""
    what = "The source" if kind is None else f"A source of type {kind}"
    return DeploymentRequiredError(
        f"{what} is a live source: it needs a deployment, and none is configured.",
        hint="Set SERVICE_DEPLOYMENT_URL, or export the data to a file and connect that.",
        type=kind,
    )


def build_input(descriptor: Any) -> Any:
    """Resolve a descriptor of a file or of SQLite to the source that `detect.read` takes.

    Raises `deployment_required`, `invalid_intent`, `unsupported_source`.
    """
    kind = find_type(descriptor)
    if kind not in LOCAL:
        raise deployment_error(kind)
    path = descriptor.get("path") or descriptor.get("database")
    if not isinstance(path, str):
        raise option_error("connector.path", path, "text")
    if kind == "file":
        return path
    parts = {key: descriptor[key] for key in ("table", "query") if descriptor.get(key) is not None}
    return {"provider": "sqlite", "path": path, **parts}


def read_descriptor(connector: object) -> Any:
    """Return a descriptor as it is, or what the file holds that is named.

    A file that holds a secret itself, and that others may read, is read with a warning.

    Raises `source_not_found`, `source_unreadable`, `source_malformed`, `limit_exceeded`, `invalid_intent`.
    """
    if not isinstance(connector, str | os.PathLike):
        return connector
    content, stamp = read_bytes(connector, MOST_BYTES, "descriptor_bytes")
    path = Path(stamp.path)
    found = _parse(Path(connector), content)
    if not isinstance(found, Mapping) or not all(isinstance(value, str | int | bool) for value in found.values()):
        raise SourceMalformedError(
            f"{describe_value(path.name)} is not a descriptor: a descriptor maps keys to texts and numbers.",
            expected='type = "postgres", host = "…"',
        )
    if find_literal_secrets(found) and os.name == "posix" and path.stat().st_mode & 0o077:
        warnings.warn(
            f"{describe_value(path.name)} holds a secret, and others can read it: "
            "run chmod 600, or refer to the secret with env: or file:.",
            stacklevel=3,
        )
    return dict(found)


def _parse(path: Path, content: bytes) -> object:
    suffix = path.suffix.casefold()
    if suffix not in (".json", ".toml"):
        raise option_error("connector", path.name, "a file that ends in .toml or .json")
    try:
        if suffix == ".json":
            return parse_strict(content, max_bytes=MOST_BYTES, max_depth=2)
        return tomllib.loads(content.decode())
    except (CanonicalJsonError, tomllib.TOMLDecodeError, UnicodeDecodeError):  # whose words may cite a secret
        form = suffix[1:].upper()
        raise SourceMalformedError(f"{describe_value(path.name)} is not valid {form}.", expected=form) from None
