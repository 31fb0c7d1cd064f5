"""The shapes of live sources: descriptors, kinds and connection strings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from service_nb.core.secret import Secret

Group = Literal[
    "relational", "warehouse", "engine", "object storage", "nosql, graph, search", "api and files", "repository"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Descriptor:
    """The address and credentials of a live source, validated, with the canonical spelling of its type.

    `options` holds what only some types have (`region`, `endpoint`, `warehouse`, …), as the type's `Kind.options`
    names it. `password`, `connection_string`, and the options that `Kind.secrets` names, are secrets.
    """

    type: str
    host: str | None = None
    port: int | None = None
    database: str | None = None
    user: str | None = None
    password: Secret | None = None
    connection_string: Secret | None = None
    path: str | None = None
    table: str | None = None
    query: str | None = None
    options: Mapping[str, str | Secret] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dsn:
    """The format of a connection string: ``scheme://user:password@host:port/first/second?option=value``.

    Parameters
    ----------
    form : str
        What it looks like, for whoever wrote something else.
    schemes : Mapping
        What it may begin with, each with the options that it stands for.
    host, suffix : str
        The key of what stands in the host's place, and what that may end with beyond it.
    path : tuple of str
        The keys of the parts of its path.
    options : tuple of str
        Those that it may have. `encoded`: those that hold the value of another, in base64.
    """

    form: str
    schemes: Mapping[str, Mapping[str, str]]
    host: str = "host"
    suffix: str = ""
    path: tuple[str, ...] = ("database",)
    options: tuple[str, ...] = ()
    encoded: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of live source, as data: its descriptor fields, its driver and its SQL dialect.

    Parameters
    ----------
    type : str
        The type string, under its one spelling.
    keys : tuple of str
        The specification's descriptor fields that mean something here; every other is refused.
    options : Mapping
        Fields beyond them, each with what it is, in words. `secrets` names those that are secrets.
    extra : str or None
        What to install: ``service-nb[<extra>]``; `driver` is the module that it brings.
    dialect : str or None
        The SQL that plans are pushed down in; None: bounded pages are extracted, and plans run in the local engine.
    dsn : Dsn or None
        How its connection string is read; None: it has none, or reads it by itself.
    """

    type: str
    title: str
    group: Group
    keys: tuple[str, ...]
    options: Mapping[str, str] = field(default_factory=dict)
    secrets: tuple[str, ...] = ()
    extra: str | None = None
    driver: str | None = None
    dialect: str | None = None
    port: int | None = None
    dsn: Dsn | None = None
