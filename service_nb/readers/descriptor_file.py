"""Descriptors in files, TOML or JSON: so that what a notebook says holds no secret, and not even an address."""

from __future__ import annotations

import os
import stat
import tomllib
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from service_nb.core.parse import parse_strict
from service_nb.core.words import shown
from service_nb.errors import (
    CanonicalJsonError,
    InvalidIntentError,
    LimitExceededError,
    SourceMalformedError,
    SourceNotFoundError,
    SourceUnreadableError,
)
from service_nb.readers.descriptor import literal_secrets

MOST_BYTES = 100_000


def descriptor_of(connector: Any) -> Any:
    """Return a descriptor as it is, or what the file holds that is named.

    A file that holds a secret itself, and that others may read, is read with a warning.

    Raises
    ------
    SourceNotFoundError [source_not_found], SourceUnreadableError [source_unreadable], SourceMalformedError
    [source_malformed], LimitExceededError [limit_exceeded], InvalidIntentError [invalid_intent]
    """
    if not isinstance(connector, str | os.PathLike):
        return connector
    path = Path(connector).expanduser()
    told = _parsed(path, _content(path))
    if not isinstance(told, Mapping) or not all(isinstance(value, str | int | bool) for value in told.values()):
        raise SourceMalformedError(
            f"{shown(path.name)} is not a descriptor: a descriptor maps keys to texts and numbers.",
            expected='type = "postgres", host = "…"',
        )
    return dict(told)


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise SourceUnreadableError(f"{shown(path.name)} is not a regular file.", expected="a file")
            content = stream.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise SourceNotFoundError(f"There is no file {shown(path.name)}.", met=path.name) from None
    except OSError as error:
        raise SourceUnreadableError(f"{shown(path.name)} cannot be read: {error.strerror}.") from None
    if len(content) > MOST_BYTES:
        raise LimitExceededError(
            f"{shown(path.name)} has more than {MOST_BYTES:,} bytes.", limit=MOST_BYTES, limit_name="descriptor_bytes"
        )
    return content


def _parsed(path: Path, content: bytes) -> Any:
    try:
        if path.suffix.casefold() == ".json":
            told = parse_strict(content, max_bytes=MOST_BYTES, max_depth=2)
        elif path.suffix.casefold() == ".toml":
            told = tomllib.loads(content.decode())
        else:
            raise InvalidIntentError(
                f"{shown(path.name)} does not have a descriptor's ending.", path="connector", expected=".toml or .json"
            )
    except (CanonicalJsonError, tomllib.TOMLDecodeError, UnicodeDecodeError):  # whose words may cite a secret
        raise SourceMalformedError(
            f"{shown(path.name)} is not valid {path.suffix[1:].upper()}.", expected=path.suffix[1:].upper()
        ) from None
    if isinstance(told, Mapping) and literal_secrets(told) and os.name == "posix" and path.stat().st_mode & 0o077:
        warnings.warn(
            f"{shown(path.name)} holds a secret, and others can read it: "
            "run chmod 600, or refer to the secret with env: or file:.",
            stacklevel=4,
        )
    return told
