"""Check what a tenant's descriptors reach: types, hosts, folders and secrets that the configuration allows."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

from service_nb.connectors import catalog
from service_nb.connectors.addresses import allow_hosts, may_be_named
from service_nb.core.secret import Secret
from service_nb.errors import ForbiddenError, InvalidIntentError
from service_nb.schema.connector import Descriptor
from service_nb.server.config import Config
from service_nb.server.secrets import References, fill_patterns

_SHOWN = ("host", "port", "database", "path", "table")
_NO_HOST = frozenset("@/\\?#'\"<> ")
_ENDS = re.compile(r"[\s/?#]")  # what ends the part of a URL that may hold a password


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """The limits on what the connectors of one tenant reach."""

    config: Config
    tenant: str

    def parse(self, given: Mapping[str, object]) -> Descriptor:
        """Return a descriptor with its secrets wrapped, provided that its type is allowed.

        Raises
        ------
        InvalidIntentError [invalid_intent], UnsupportedSourceError [unsupported_source], LimitExceededError
        [limit_exceeded]
            As `catalog.parse_descriptor`; also where a password stands in a field that is not kept from being shown.
        ForbiddenError [forbidden]
            The configuration has no such type.
        """
        host = given.get("host")
        if isinstance(host, str) and _NO_HOST & set(host):  # before anything repeats it in a message
            raise InvalidIntentError(
                "The connector's host is not valid; expected a name or an address alone.",
                hint="User, password and port have keys of their own; sockets of this machine are not connected to.",
                path="connector.host",
            )
        descriptor = catalog.parse_descriptor(given)
        self._check_type(descriptor.type)
        for key, text in _list_texts(descriptor):
            if _holds_password(text):
                raise InvalidIntentError(
                    f"The connector's {key} must not hold a password.",
                    hint="Give it as `password`, or all of the address as `connection_string`.",
                    path=f"connector.{key}",
                )
        return descriptor

    def resolve(self, descriptor: Descriptor) -> Descriptor:
        """Return the descriptor as a driver takes it: secrets in place of references, paths as they really are.

        A connection string, which may be such a reference, is taken apart before hosts and paths are looked at.

        Raises
        ------
        SecretUnavailableError [secret_unavailable], DriverMissingError [driver_missing]
            A reference leads nowhere.
        ForbiddenError [forbidden]
            Type, host or path are not among what the configuration allows: it may allow less than when this was kept.
        """
        self._check_type(descriptor.type)
        folder = Path(self.config.folder)
        references = References(patterns=self.config.secrets.references, tenant=self.tenant, folder=folder)

        def resolve_secret(key: str, value: Secret | None) -> Secret | None:
            return None if value is None else references.resolve(value, key)

        made = replace(
            descriptor,
            password=resolve_secret("password", descriptor.password),
            connection_string=resolve_secret("connection_string", descriptor.connection_string),
            options={
                key: references.resolve(value, key) if isinstance(value, Secret) else value
                for key, value in descriptor.options.items()
            },
        )
        made = catalog.expand_descriptor(made)
        self._check_hosts(made)
        certificates = made.options.get("ca")
        if isinstance(certificates, str):
            made = replace(made, options={**made.options, "ca": self._check_path(certificates)})
        if not catalog.find_connector(made.type).reads_files:
            return made
        path = self._check_path(made.path or made.database or "")
        return replace(made, path=path) if made.path else replace(made, database=path)

    def allow_private_hosts(self) -> AbstractContextManager[None]:
        """Let declared addresses lead to the private hosts that the configuration names."""
        return allow_hosts(self.config.connectors.private_hosts)

    def _check_type(self, type_: str) -> None:
        types = self.config.connectors.types
        if type_ not in types and (types or type_ not in catalog.TYPES):  # of other distributions only what is named
            raise ForbiddenError(f"This deployment does not connect to sources of type {type_}.")

    def _check_hosts(self, descriptor: Descriptor) -> None:
        section, connector = self.config.connectors, catalog.find_connector(descriptor.type)
        own = connector.own_hosts
        for host in connector.find_hosts(descriptor):
            is_allowed = not section.hosts or _is_allowed(host, section.hosts)
            named = _is_named(host, descriptor.port, section.private_hosts)
            is_own = own is None or host.lower().endswith(own) or named
            if not (is_allowed and is_own and (named or _is_open(host))):
                raise ForbiddenError(
                    "This deployment does not connect to that host.",
                    hint="connectors.hosts and connectors.private_hosts in deployment.toml list the allowed hosts.",
                )

    def _check_path(self, text: str) -> str:
        """Resolve links first, so that what is checked is what is opened."""
        allowed = [
            self.config.resolve_path(each) for each in fill_patterns(self.config.connectors.folders, self.tenant)
        ]
        met = Path(os.path.realpath(self.config.resolve_path(text)))
        if not text or not any(met.is_relative_to(os.path.realpath(folder)) for folder in allowed):
            raise ForbiddenError(
                "That path is not in a folder that this deployment may read.",
                hint="connectors.folders in deployment.toml lists them.",
            )
        return str(met)


def describe_public(descriptor: Descriptor) -> dict[str, object]:
    """Describe a descriptor without secrets, accounts, and what a URL has after its path."""
    told = {key: getattr(descriptor, key) for key in _SHOWN} | {
        key: value.partition("?")[0] for key, value in descriptor.options.items() if isinstance(value, str)
    }
    return {"type": descriptor.type} | {key: value for key, value in told.items() if value is not None}


def _list_texts(descriptor: Descriptor) -> Iterator[tuple[str, str]]:
    """List the texts of a descriptor that are neither secrets nor a query."""
    for key in ("host", "database", "user", "path", "table"):
        if isinstance(getattr(descriptor, key), str):
            yield key, getattr(descriptor, key)
    for key, value in descriptor.options.items():
        if isinstance(value, str):
            yield key, value


def _holds_password(text: str) -> bool:
    """Tell whether a text contains `scheme://user:password@`, in one pass however many colons it has."""
    for before in text.split("@")[:-1]:
        account = _ENDS.split(before)[-1]
        address = before.removesuffix(account)
        colons = account[:-1].count(":")
        if colons > 1 or (colons and address.endswith("/") and address.rstrip("/").endswith(":")):
            return True
    return False


def _is_open(host: str) -> bool:
    """Tell whether every tenant may name a host.

    Not a socket of this machine, which knows the server's own user; nor an address at which clouds hand out
    credentials, however its digits are written.
    """
    try:
        return may_be_named(host)
    except InvalidIntentError:
        return False


def _is_allowed(host: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(host.lower(), pattern.lower()) for pattern in patterns)


def _is_named(host: str, port: int | None, allowed: Sequence[str]) -> bool:
    """Tell whether the configuration allows a host by name, or by name and port."""
    return bool({host.lower(), f"{host.lower()}:{port}"} & {each.strip().lower() for each in allowed})
