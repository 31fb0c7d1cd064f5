"""Connector descriptors, `{"type": "postgres", …}`: files and SQLite are read here, live sources by a deployment."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from service_nb.core.words import nearest, shown
from service_nb.errors import DeploymentRequiredError, InvalidIntentError, UnsupportedSourceError

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
LOCAL = ("sqlite", "file")
LIVE = (
    "postgres",
    "mysql",
    "mssql",
    "oracle",
    "snowflake",
    "bigquery",
    "clickhouse",
    "redshift",
    "spark",
    "trino",
    "s3",
    "gcs",
    "azure",
    "redis",
    "neo4j",
    "elasticsearch",
    "rest",
    "github_repo",
    "gitlab_repo",
    "bitbucket_repo",
    "local_repo",
    "repo_archive",
)
KEYS = (
    "type",
    "host",
    "port",
    "database",
    "user",
    "password",
    "connection_string",
    "table",
    "query",
    "path",
)

# Words in keys that are likely to be of secrets, whichever options a type has; and how a secret is referred to.
_SECRETS = re.compile(r"pass(?:word|phrase)?|secret|token|key|credential|connection_string|sas", re.IGNORECASE)
_REFERENCE = re.compile(r"(?:env|file|keyring):")


def literal_secrets(descriptor: Mapping[str, Any]) -> dict[str, str]:
    """Return what of a descriptor is likely to be a secret itself, and no reference to one."""
    return {
        key: value
        for key, value in descriptor.items()
        if isinstance(key, str) and isinstance(value, str) and _SECRETS.search(key) and not _REFERENCE.match(value)
    }


def is_descriptor(value: Any) -> bool:
    """Whether a value is meant as a connector's descriptor: an object with a type that there is."""
    if not isinstance(value, Mapping) or "provider" in value or "records" in value:
        return False
    kind = value.get("type")
    return isinstance(kind, str) and ALIASES.get(kind, kind) in (*LOCAL, *LIVE)


def is_live(descriptor: Any) -> bool:
    """Whether a descriptor is of a source that a deployment reaches; what it holds is for the deployment to judge.

    Raises
    ------
    InvalidIntentError [invalid_intent], UnsupportedSourceError [unsupported_source]
        As `connector_type`.
    """
    return is_kept(descriptor) or connector_type(descriptor, any_key=True) in LIVE


def is_kept(descriptor: Any) -> bool:
    """Whether a descriptor names a connector that the deployment keeps: `{"id": …, "table": …}`."""
    return isinstance(descriptor, Mapping) and "id" in descriptor


def connector_type(descriptor: Any, *, any_key: bool = False) -> str:
    """Return the type of a descriptor under its one spelling. Of `any_key`, further options may be there.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        The descriptor is no object, has no type, or a key that no connector knows.
    UnsupportedSourceError [unsupported_source]
        There is no connector of that type.
    """
    if not isinstance(descriptor, Mapping):
        raise InvalidIntentError(f"connector is {shown(descriptor)}; expected an object with a type.", path="connector")
    for key in () if any_key else descriptor:
        if key not in KEYS:
            close = nearest(key, KEYS) if isinstance(key, str) else []
            raise InvalidIntentError(
                f"A connector has no key {shown(key)}.", path="connector", met=shown(key), did_you_mean=close or None
            )
    given = descriptor.get("type")
    if not isinstance(given, str):
        raise InvalidIntentError(f"The connector's type is {shown(given)}; expected text.", path="connector.type")
    kind = ALIASES.get(given, given)
    if kind not in LOCAL and kind not in LIVE:
        close = nearest(given, (*LOCAL, *LIVE, *ALIASES))
        raise UnsupportedSourceError(
            f"There is no connector of type {shown(given)}.",
            hint=f"Did you mean {shown(close[0])}?" if close else f"There are {', '.join((*LOCAL, *LIVE))}.",
            met=shown(given),
            did_you_mean=close or None,
        )
    return kind


def no_deployment(kind: str | None) -> DeploymentRequiredError:
    """Return the error of a live source where there is no deployment."""
    what = "The source" if kind is None else f"A source of type {kind}"
    return DeploymentRequiredError(
        f"{what} is a live source: it needs a deployment, and none is configured.",
        hint="Set SERVICE_DEPLOYMENT_URL, or export the data to a file and connect that.",
        type=kind,
    )


def local_input(descriptor: Any) -> Any:
    """Return what a descriptor of a file or of SQLite stands for, as `detect.read` takes it.

    Raises
    ------
    DeploymentRequiredError [deployment_required]
        The descriptor is well-formed, and of a live source.
    InvalidIntentError [invalid_intent], UnsupportedSourceError [unsupported_source]
        As `connector_type`; or the path is missing.
    """
    kind = connector_type(descriptor)
    if kind in LIVE:
        raise no_deployment(kind)
    path = descriptor.get("path") or descriptor.get("database")
    if not isinstance(path, str):
        raise InvalidIntentError(
            f"The connector's path is {shown(path)}; expected text.", path="connector.path", met=shown(path)
        )
    if kind == "file":
        return path
    parts = {key: descriptor[key] for key in ("table", "query") if descriptor.get(key) is not None}
    return {"provider": "sqlite", "path": path, **parts}
