"""Descriptors and addresses that were given as data: refused before anything of them is kept, for they hold secrets.

What is refused, wherever it comes from (a dict, rows, a frame, a file):

- one object whose `type` is that of a connector, with a key that connectors have;
- one object with a key of secrets beside one of places or accounts, or with a connection string, or with an address
  that holds a password;
- the same inside of another object or list, and as JSON in a text;
- a list in which each object has a connector's type and a secret.

Columns as lists, ``{"host": ["db1"], "password": ["x"]}``, are taken at their word: nobody writes a descriptor so.

`tests/security/test_descriptors_as_data.py` holds all of it, and that the tables of keys have those of every connector.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

import pyarrow as pa
import pyarrow.parquet as pq

from service_nb.core.canonical import parse_strict
from service_nb.core.words import split_words
from service_nb.errors import CanonicalJsonError, LimitExceededError, UnsupportedSourceError
from service_nb.readers.dataset import Dataset
from service_nb.readers.descriptor import ALIASES, KEYS, LIVE, LOCAL

MOST_ROWS = 100  # of a table that may be a list of descriptors
MOST_DEPTH = 6
MOST_JSON = 100_000  # characters of a text that may be a descriptor
MOST_PARTS = 10_000  # of one value that are looked at

# Keys, without case and signs: all keys and options of all kinds of connectors.
_SECRET_KEYS = frozenset(
    split_words("""
    password passwd pwd passphrase secret clientsecret token accesstoken authtoken sessiontoken sastoken bearertoken
    apikey accesskey secretkey secretaccesskey accountkey privatekey privatekeypassphrase credentials credential
    awssecretaccesskey
""")
)
_STRING_KEYS = frozenset(split_words("connectionstring connstring connstr dsn databaseurl jdbcurl"))
_PLACE_KEYS = frozenset(
    split_words("""
    host hostname server port user username database db dbname endpoint url uri accountname bucket container warehouse
    servicename httppath repository awsaccesskeyid
""")
)
_OPTION_KEYS = frozenset(
    split_words("""
    sslmode ca encrypt trustservercertificate protocol location maximumbytesbilled secure verify usessl scheme anonymous
    format pattern tls maxkeys members maxrows cacertificate method headers pagination pageparam firstpage offsetparam
    sizeparam cursorparam cursor maxpages flatten ref emails maxcommits maxbytes records sheet delimiter encoding nulls
    size id name account region project schema role catalog sid decimal thousands dateformat percent trim currency
""")
)
_TYPES = frozenset((*LOCAL, *LIVE, *ALIASES))
_ADDRESS = re.compile(r"\s*(?:jdbc:)?([A-Za-z][A-Za-z0-9+.\-]+):/+", re.ASCII)
_PASSWORD_IN_ADDRESS = re.compile(r"\s*(?:jdbc:)?[A-Za-z][A-Za-z0-9+.\-]+:/+[^/?#\s]*:[^/?#\s]*@", re.ASCII)
_PASSWORD_IN_STRING = re.compile(
    r"(?:^|[;,\s?&])(?:password|passwd|pwd|accountkey|sharedaccess(?:key|signature)|secret|token|sig|api_?key)\s*=",
    re.IGNORECASE | re.ASCII,
)
_JSON = re.compile(r'\s*(?:\{\s*["}]|\[\s*[\[{"])')
_ORACLE = re.compile(r"\s*[\w$#]+/[^/@\s]+@[^/\s]", re.ASCII)  # user/password@host
_BY_SCHEME = {
    **{type_: type_ for type_ in LIVE},
    **ALIASES,
    **dict.fromkeys(("az", "abfs", "abfss", "wasbs"), "azure"),
    **dict.fromkeys(("bolt", "neo4j+s", "bolt+s"), "neo4j"),
    "mariadb": "mysql",
    "sqlserver": "mssql",
    "sc": "spark",
    "s3a": "s3",
    "gs": "gcs",
    "rediss": "redis",
}


def refuse_descriptor(source: object) -> None:
    """Raise if rows or an object in memory are a descriptor. Raises `unsupported_source`."""
    if isinstance(source, Mapping) and "provider" in source:
        if source["provider"] != "sqlite":
            type_ = _find_type(source["provider"])
            if type_ is not None or _find_descriptor_type(source) is not None:
                _refuse(type_)
        return
    if isinstance(source, Mapping) and "records" in source and not _is_descriptor(source):
        source = source["records"]
    elif isinstance(source, Mapping) and source and all(isinstance(values, list) for values in source.values()):
        # Columns: of values nothing is said, but an object among them is none.
        for values in source.values():
            if len(values) == 1 and _is_nested(values[0]):
                _refuse_rows(values)
        return
    if isinstance(source, Mapping):
        _refuse_rows([source])
    elif isinstance(source, Sequence) and not isinstance(source, str | bytes | bytearray):
        _refuse_rows(source)


def refuse_read(dataset: Dataset) -> None:
    """Raise if what was read of a file or a frame is a descriptor, or a list of such. Raises `unsupported_source`."""
    if not 1 <= dataset.row_count <= MOST_ROWS:
        return
    if dataset.table is not None:
        _refuse_rows(dataset.table.to_pylist())
        return
    try:
        rows = [row for file in dataset.parquet or () for row in pq.ParquetFile(file).read().to_pylist()]
    except (pa.ArrowException, OSError, OverflowError, ValueError):
        return  # whatever is wrong with it, a question says so
    _refuse_rows(rows)


def is_json(text: str) -> bool:
    """Tell whether a text passed as a path is a JSON object or list; a glob may begin with a bracket too."""
    return _JSON.match(text) is not None


def refuse_address(text: str, *, ends_well: bool) -> None:
    """Raise if a path is an address, or a connection string with a password. No part of it is told.

    `ends_well` says that it has the ending of a file of data, as `data/report@2024.csv` has.

    Raises `unsupported_source`.
    """
    address = _ADDRESS.match(text)
    if address is not None:
        _refuse_scheme(address[1].lower(), text)
    if _PASSWORD_IN_STRING.search(text) or (not ends_well and _ORACLE.match(text)):
        raise UnsupportedSourceError(
            "A connection string is not a path to a file; nothing of it was stored.",
            hint='Keep it in a variable: connector={"type": …, "connection_string": "env:NAME", "table": …}.',
            met="a connection string",
            expected="connector=…",
        )


def _refuse_scheme(scheme: str, text: str) -> NoReturn:
    type_ = _BY_SCHEME.get(scheme) or _BY_SCHEME.get(scheme.partition("+")[0])
    stored, expected = "nothing of it was stored", "a path"
    if scheme in ("http", "https"):
        address = "…" if re.search(r"[@?#\s]", text) else text.strip()
        message, expected = "An address on the web is not a file: connecting fetches nothing from a network.", "a file"
        hint = f"Download it, and connect the file: curl -LO {address}. A deployment reads it with"
        hint += ' connector={"type": "rest", "url": …}.'
    elif scheme == "file":
        message, hint = "A file: address is not a path.", "Leave `file://` away."
    elif type_ is None:
        message = f"An address is not a path to a file; {stored}."
        hint = "Connect a file, or what a deployment reaches: connector={…}."
    else:
        key = '"connection_string": "env:NAME"' if type_ not in ("s3", "gcs") else '"database": "bucket"'
        message, expected = f"An address of {type_} is not a path to a file; {stored}.", "connector=…"
        hint = f'Pass it as connector={{"type": "{type_}", {key}, "table": …}}.'
    raise UnsupportedSourceError(message, hint=hint, met="an address", expected=expected)


def _refuse_rows(rows: Sequence[Any]) -> None:
    if len(rows) == 1:
        found = _find_descriptor_type(rows[0])
        if found is not None:
            _refuse(found or None)
    elif 1 < len(rows) <= MOST_ROWS and all(isinstance(row, Mapping) and _has_type_and_secret(row) for row in rows):
        _refuse(_find_type(rows[0].get("type")))


def _refuse(type_: str | None) -> NoReturn:
    what = "a connector's descriptor" if type_ is None else f"the descriptor of a connector of type {type_}"
    raise UnsupportedSourceError(
        f"This looks like {what}, not data; nothing of it was stored.",
        hint=f'Pass it as connector={{"type": "{type_ or "postgres"}", …}}, or as the file that holds it:'
        ' connector="shop.toml". If it is data, give it as columns: {"host": ["db1"], …}.',
        met="a descriptor",
        expected="connector=…",
    )


def _find_descriptor_type(value: object) -> str | None:
    """Return the type of the descriptor that a value is or holds, "" if it tells none, None if there is none."""
    objects = list(_iter_objects(value, MOST_DEPTH))
    for each in objects:
        if _is_descriptor(each):
            return _find_type(each.get("type")) or ""
    pairs = [
        (_normalise_key(key), value)
        for each in objects
        for key, value in each.items()
        if isinstance(value, str | bytes)
    ]
    keys = {key for key, text in pairs if text}
    is_told = bool(keys & _SECRET_KEYS) and any(_normalise_key(key) in _PLACE_KEYS for each in objects for key in each)
    is_string = bool(keys & _STRING_KEYS)
    has_password = any(isinstance(text, str) and _PASSWORD_IN_ADDRESS.match(text) for _, text in pairs)
    return "" if is_told or is_string or has_password else None


def _iter_objects(value: object, depth: int) -> Iterator[Mapping[object, object]]:
    """Yield an object and those inside of it, in lists and in texts of JSON too."""
    if isinstance(value, str):
        value = _parse_json(value)
    if depth == 0:
        return
    if isinstance(value, Mapping):
        yield value
        for inner in list(value.values())[:MOST_PARTS]:
            yield from _iter_objects(inner, depth - 1)
    elif isinstance(value, list | tuple) and len(value) <= MOST_ROWS:
        for inner in value:
            yield from _iter_objects(inner, depth - 1)


def _parse_json(text: str) -> object:
    if text.lstrip()[:1] not in ("{", "[") or len(text) > MOST_JSON:
        return None
    try:
        return parse_strict(text, max_bytes=4 * MOST_JSON)
    except (CanonicalJsonError, LimitExceededError, UnicodeError):
        return None


def _is_nested(value: object) -> bool:
    return isinstance(value, Mapping) or (isinstance(value, str) and value.lstrip()[:1] == "{")


def _is_descriptor(value: Mapping[object, object]) -> bool:
    """Tell whether an object has a connector's type, and nothing else or a key that connectors have."""
    if _find_type(value.get("type")) is None:
        return False
    others = {_normalise_key(key) for key in value if key != "type"}
    known = {_normalise_key(key) for key in KEYS} | _SECRET_KEYS | _STRING_KEYS | _PLACE_KEYS | _OPTION_KEYS
    return not others or bool(others & known)


def _has_type_and_secret(row: Mapping[object, object]) -> bool:
    keys = {_normalise_key(key) for key, value in row.items() if isinstance(value, str) and value}
    return _find_type(row.get("type")) is not None and bool(keys & (_SECRET_KEYS | _STRING_KEYS))


def _find_type(value: object) -> str | None:
    """Return the type that a text names, whatever its case and signs."""
    if not isinstance(value, str):
        return None
    name = re.sub(r"[\s\-]+", "_", value.strip().lower())[:100]
    return ALIASES.get(name, name) if name in _TYPES else None


def _normalise_key(key: object) -> str:
    return re.sub(r"[^a-z0-9]", "", str(key)[:100].lower())
