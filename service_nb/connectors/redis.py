"""Redis: keys of a pattern and their values, read by SCAN and by commands that only read.

Redis holds texts. They become numbers, dates and booleans by the rules for delimited text, which read every value.
"""

from __future__ import annotations

import asyncio
import re
import ssl
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from service_nb.connectors.base import Connector, import_driver
from service_nb.connectors.extraction import (
    CELL_BYTES,
    Tally,
    answer_error,
    deadline_error,
    key_error,
    lost_error,
    read_flag,
    read_whole,
    require_key,
    run_work,
    size_limit_error,
    source_error,
    translate_faults,
)
from service_nb.connectors.options import CA, build_trust, certificate_error, is_certificate_error, read_option
from service_nb.core.words import describe_value, find_nearest
from service_nb.errors import ConnectorError, SourceMalformedError
from service_nb.readers.dataset import Dataset, ReadOptions
from service_nb.readers.json_records import build_dataset, flatten, parse_exact
from service_nb.readers.python_rows import build_text_dataset
from service_nb.schema.connector import Descriptor, Dsn, Kind
from service_nb.schema.source import DEFAULT_LIMITS, Limits


def build_counting_connection(library: Any, trust: ssl.SSLContext | None, limits: Limits) -> object:
    """Build the driver's kind of connection, which reads as much as fits into memory and no more."""

    class Counting(library.Connection if trust is None else library.SSLConnection):  # type: ignore[misc]
        def __init__(self, **settings: object) -> None:
            super().__init__(**settings)
            if trust is not None:  # the driver's own trusts the system's authorities beside the ones it is told
                self.ssl_context.context = trust

        async def _connect(self) -> None:
            await super()._connect()
            self._reader: Any = _CountingReader(self._reader, limits)

    return Counting


class _CountingReader:
    """A stream that counts what is asked of it before it is there: a server may announce any length."""

    def __init__(self, stream: asyncio.StreamReader, limits: Limits) -> None:
        self._stream, self._left, self._most = stream, limits.memory_bytes, limits.memory_bytes
        self.at_eof = stream.at_eof
        self._buffer = stream._buffer  # type: ignore[attr-defined]  # noqa: SLF001  # the driver looks whether it is empty

    def _count(self, size: int) -> None:
        self._left -= size + CELL_BYTES
        if size < 0 or self._left < 0:
            raise size_limit_error("memory_bytes", self._most, self._most - self._left, "Redis sends more bytes")

    async def readexactly(self, size: int) -> bytes:
        self._count(size)
        return await self._stream.readexactly(size)

    async def readline(self) -> bytes:
        self._count(0)
        return await self._stream.readline()


KIND = Kind(
    type="redis",
    title="Redis",
    group="nosql, graph, search",
    keys=("host", "port", "user", "password", "connection_string", "database", "table", "query"),
    options={
        "pattern": "of the keys, as SCAN takes it; by default *",
        "tls": "true: the connection is encrypted, and the server's certificate is checked",
        "ca": CA,
        "max_keys": "the most keys that are read, from 1 to 10000000; by default 1000000; more is an error",
    },
    extra="redis",
    driver="redis",
    port=6379,
    dsn=Dsn(form="redis://user:password@host:6379/0, or rediss://…", schemes={"redis": {}, "rediss": {"tls": "true"}}),
)
# What is ever sent after the handshake. KEYS is not among it: it holds up the server for everyone.
READS = frozenset(("SCAN", "STRLEN", "GET", "HLEN", "HGETALL", "ZCARD", "ZSCAN", "SCARD", "SSCAN", "LLEN", "LRANGE"))


class KeyKind(NamedTuple):
    """A kind of keys: its name in SCAN, the command that measures a value, and the columns that are always there."""

    type: str
    measure: str
    columns: tuple[str, ...]


TABLES = {
    "strings": KeyKind("string", "STRLEN", ("key", "value")),
    "hashes": KeyKind("hash", "HLEN", ("key",)),
    "json": KeyKind("string", "STRLEN", ("key",)),
    "zsets": KeyKind("zset", "ZCARD", ("key", "member", "score")),
    "sets": KeyKind("set", "SCARD", ("key", "member")),
    "lists": KeyKind("list", "LLEN", ("key", "position", "value")),
}
DRIVER = "redis.asyncio"
_UNKNOWN_USER = ("WRONGPASS", "NOAUTH")
PAGE = 1_000
AT_ONCE = 200  # keys whose values are asked for in one round trip
MOST_KEYS = 10_000_000
MOST_EMPTY = 1_000_000  # pages of SCAN in all, which may be empty
SILENCE_S = 30.0


@dataclass(frozen=True, slots=True)
class _KeyRequest:
    table: str
    pattern: str
    most: int


def extract(descriptor: Descriptor, options: ReadOptions, deadline: float) -> Dataset:
    """Read the keys of one kind: `strings`, `hashes`, `json`, `zsets`, `sets` or `lists`."""
    asked, limits = _parse_request(descriptor), options.limits
    records, gone = run_work(KIND, _read_keys(import_driver(KIND, DRIVER), descriptor, asked, limits), deadline)
    notes = ["Redis was read page by page: changes made while it was read may be missing."]
    notes += [f"{gone:,} keys were gone, or of another kind, before their values were read."] if gone else []
    if asked.table == "json":
        return build_dataset([flatten(record, limits) for record in records], options, notes, ["key"])
    return build_text_dataset(records, TABLES[asked.table].columns, options, notes)


def probe(descriptor: Descriptor, deadline: float) -> str:
    """Say that Redis answers, and lets this user look for keys."""
    if descriptor.table is not None or descriptor.query is not None:
        _parse_request(descriptor)
    run_work(KIND, _read_keys(import_driver(KIND, DRIVER), descriptor, None, DEFAULT_LIMITS), deadline)
    return "Redis answers."


async def _read_keys(
    library: Any, descriptor: Descriptor, asked: _KeyRequest | None, limits: Limits
) -> tuple[list[dict[str, object]], int]:
    """Return a record for each row, in the order of the keys, and how many keys vanished; asked for nothing, none."""
    with translate_faults(_translate):
        async with _open_client(library, descriptor, limits) as client:
            reading = _KeyReading(client, asked or _KeyRequest("strings", "*", 1), limits)
            if asked is None:
                await anext(reading.iter_scan_pages("SCAN", (), ("COUNT", 1)))
                return [], 0
            return await reading.read_rows(), reading.gone


def _parse_request(descriptor: Descriptor) -> _KeyRequest:
    line = descriptor.query if descriptor.query is not None else require_key(descriptor, "table", " or ".join(TABLES))
    table, _, pattern = line.strip().partition(" ")
    if table not in TABLES:
        close = find_nearest(table, tuple(TABLES))
        raise key_error("table", describe_value(table), " or ".join(TABLES) + (f" ({close[0]}?)" if close else ""))
    if pattern and descriptor.query is None:
        raise key_error("table", describe_value(line), "a kind of keys; with a pattern it is a query")
    most = read_whole(descriptor, "max_keys", 1_000_000, MOST_KEYS)
    return _KeyRequest(table, pattern.strip() or read_option(descriptor, "pattern") or "*", most)


@asynccontextmanager
async def _open_client(library: Any, descriptor: Descriptor, limits: Limits) -> AsyncIterator[Any]:
    database = descriptor.database or "0"
    if not (database.isascii() and database.isdecimal() and len(database) < 6):
        raise key_error("database", describe_value(database), "a number, such as 0")
    pool = library.ConnectionPool(
        connection_class=build_counting_connection(library, _find_trust(descriptor), limits),
        host=require_key(descriptor, "host", "a host"),
        port=descriptor.port or KIND.port,
        db=int(database),
        username=descriptor.user,
        password=descriptor.password.reveal() if descriptor.password is not None else None,
        protocol=2,
        socket_timeout=SILENCE_S,
        socket_connect_timeout=SILENCE_S,
        driver_info=None,
    )
    client = library.Redis(connection_pool=pool)
    client.response_callbacks.clear()  # answers as they come: to make a dict of a hash is to lose what is there twice
    try:
        yield client
    finally:
        await client.aclose()
        await pool.disconnect()


def _find_trust(descriptor: Descriptor) -> ssl.SSLContext | None:
    ca = read_option(descriptor, "ca")
    if read_flag(descriptor, "tls"):
        return build_trust(ca)
    if ca is not None:
        raise key_error("ca", "of use only with tls", "tls: true beside it")
    return None


class _KeyReading:
    """The keys of one kind, and their values."""

    def __init__(self, client: Any, asked: _KeyRequest, limits: Limits) -> None:
        self._client, self._asked, self._limits = client, asked, limits
        self._tally = Tally(limits)
        self.gone = 0

    async def read_rows(self) -> list[dict[str, object]]:
        """Return a record for each row, in the order of the keys."""
        keys = await self._list_keys()
        rows: list[dict[str, object]] = []
        for start in range(0, len(keys), AT_ONCE):
            rows += await self._read_values(keys[start : start + AT_ONCE])
            self._tally.count_cells(sum(map(len, rows[len(rows) - AT_ONCE :])))
        return rows

    async def _list_keys(self) -> list[bytes]:
        found: dict[bytes, None] = {}
        words = ("SCAN", "MATCH", self._asked.pattern, "COUNT", PAGE, "TYPE", TABLES[self._asked.table].type)
        async for page in self.iter_scan_pages(words[0], (), words[1:]):
            self._tally.count_bytes(sum(map(len, page)))
            found.update(dict.fromkeys(page))
            if len(found) > self._asked.most:
                raise size_limit_error("max_keys", self._asked.most, len(found), "There are more keys")
        return sorted(found)

    async def iter_scan_pages(
        self, command: str, key: Sequence[bytes], words: Sequence[object]
    ) -> AsyncIterator[list[bytes]]:
        """All pages of a cursor. A server that never comes to its end is left when it said so too often."""
        cursor = b"0"
        while True:
            self._tally.count_page(MOST_EMPTY)
            (answer,) = await self._ask([(command, *key, cursor, *words)])
            match answer:
                case [bytes() as cursor, list() as page] if cursor.isdigit() and _has_only_texts(page):
                    yield page
                case _:
                    raise answer_error(KIND, f"a malformed answer to {command}")
            if cursor == b"0":
                return

    async def _ask(self, commands: Sequence[tuple[object, ...]]) -> list[object]:
        """Send commands in one round trip; each is on the list of those that only read."""
        pipeline = self._client.pipeline(transaction=False)
        for command in commands:
            if command[0] not in READS:
                raise AssertionError(f"{command[0]} is not a read-only command")
            pipeline.execute_command(*command)
        return [_check_answer(answer) for answer in await pipeline.execute(raise_on_error=False)]

    async def _read_values(self, keys: Sequence[bytes]) -> list[dict[str, object]]:
        names = [_decode(key, "A key") for key in keys]
        sizes = await self._measure_values(keys)
        match self._asked.table:
            case "strings" | "json":
                answers = await self._ask([("GET", key) for key in keys])
                found = [(name, value) for name, value in zip(names, answers, strict=True) if value is not None]
                self.gone += len(names) - len(found)
                return [self._build_string_row(name, value) for name, value in found]
            case "hashes":
                answers = await self._ask([("HGETALL", key) for key in keys])
                self.gone += sum(not answer for answer in answers)
                return [
                    self._build_hash_row(name, answer) for name, answer in zip(names, answers, strict=True) if answer
                ]
        rows: list[dict[str, object]] = []
        for key, name, size in zip(keys, names, sizes, strict=True):
            self.gone += not size
            rows += [{"key": name, **row} for row in await self._read_members(key, size)] if size else []
        return rows

    async def _measure_values(self, keys: Sequence[bytes]) -> list[int]:
        """Read the sizes of the values before any of them is requested."""
        answers = await self._ask([(TABLES[self._asked.table].measure, key) for key in keys])
        sizes = [answer if isinstance(answer, int) else 0 for answer in answers]
        largest = max(sizes, default=0)
        limits = {
            "hashes": self._limits.columns,
            "strings": 4 * self._limits.cell_chars,
            "json": self._limits.json_bytes,
        }
        limit = limits.get(self._asked.table, self._limits.cells // 3)
        if largest > limit:
            raise size_limit_error("size", limit, largest, f"A value has the size {largest:,}")
        return sizes

    def _build_string_row(self, name: str, value: object) -> dict[str, object]:
        if not isinstance(value, bytes):
            raise answer_error(KIND, "a value that is not text")
        self._tally.count_bytes(len(value))
        if self._asked.table == "strings":
            return {"key": name, "value": _decode(value, f"The value of {describe_value(name)}")}
        document = parse_exact(value, self._limits)
        if not isinstance(document, Mapping) or "key" in document:
            raise SourceMalformedError(
                f"The value of {describe_value(name)} is {describe_value(document)}; expected a JSON object"
                " without a field key.",
                key=describe_value(name),
            )
        return {"key": name, **document}

    def _build_hash_row(self, name: str, answer: object) -> dict[str, object]:
        if not isinstance(answer, list) or len(answer) % 2 or not _has_only_texts(answer):
            raise answer_error(KIND, "a malformed hash")
        self._tally.count_bytes(sum(map(len, answer)))
        texts = [_decode(value, f"The hash {describe_value(name)}") for value in answer]
        fields = dict(zip(texts[::2], texts[1::2], strict=True))
        if "key" in fields:
            raise SourceMalformedError(
                f"The hash {describe_value(name)} has a field key, the name of the column of Redis keys.",
                key=describe_value(name),
            )
        return {"key": name, **fields}

    async def _read_members(self, key: bytes, size: int) -> list[dict[str, object]]:
        if self._asked.table == "lists":
            return await self._read_list(key, size)
        pairs = self._asked.table == "zsets"
        found: dict[bytes, object] = {}
        async for page in self.iter_scan_pages("ZSCAN" if pairs else "SSCAN", (key,), ("COUNT", PAGE)):
            self._tally.count_bytes(sum(map(len, page)))
            if pairs and len(page) % 2:
                raise answer_error(KIND, "a member without a score")
            found.update(zip(page[::2], map(_parse_score, page[1::2]), strict=True) if pairs else dict.fromkeys(page))
            if len(found) > max(2 * size, size + PAGE):
                raise answer_error(KIND, "more members than there are")
        texts = {_decode(member, "A member"): score for member, score in sorted(found.items())}
        return [{"member": text, "score": score} if pairs else {"member": text} for text, score in texts.items()]

    async def _read_list(self, key: bytes, size: int) -> list[dict[str, object]]:
        rows: list[dict[str, object]] = []
        for start in range(0, size, PAGE):
            (page,) = await self._ask([("LRANGE", key, start, start + PAGE - 1)])
            if not isinstance(page, list) or not _has_only_texts(page) or len(page) > PAGE:
                raise answer_error(KIND, "a malformed list")
            self._tally.count_bytes(sum(map(len, page)))
            rows += [{"position": start + at, "value": _decode(value, "An element")} for at, value in enumerate(page)]
        return rows


def _check_answer(answer: object) -> object:
    """One answer; the refusal of a single key, which is of another kind by now, counts as none."""
    if not isinstance(answer, Exception):
        return answer
    if str(answer).startswith("WRONGTYPE"):
        return None
    raise answer


def _has_only_texts(values: Sequence[object]) -> bool:
    return all(type(value) is bytes for value in values)


def _decode(value: bytes, what: str) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError as error:
        raise SourceMalformedError(f"{what} is not UTF-8.", expected="UTF-8") from error


def _parse_score(text: bytes) -> float:
    if not re.fullmatch(rb"[-+]?(?:inf|\d+(?:\.\d*)?(?:e[-+]?\d+)?)", text, re.IGNORECASE):
        raise answer_error(KIND, "a score that is not a number")
    return float(text)


def _translate(error: Exception) -> ConnectorError:
    names = {kind.__name__ for kind in type(error).__mro__}
    text, is_broken = str(error), isinstance(error, OSError) or "ConnectionError" in names
    if names & {"AuthenticationError", "AuthenticationWrongNumberOfArgsError"} or text.startswith(_UNKNOWN_USER):
        return source_error(KIND, "does not accept the user and password", "login_refused")
    if is_broken and is_certificate_error(error):
        return certificate_error(KIND)
    if "NoPermissionError" in names or "NOPERM" in text:
        hint = "It needs +scan, the commands that read its kind of keys, and ~ for the pattern."
        return source_error(KIND, "does not allow this user to read these keys", "not_allowed", hint)
    if isinstance(error, TimeoutError) or "TimeoutError" in names:
        return deadline_error(KIND)
    if "ResponseError" in names:
        return source_error(KIND, "refuses the command", "misconfigured")
    if not is_broken or names & {"InvalidResponse", "ProtocolError"}:
        return answer_error(KIND, "not the protocol of Redis")
    return lost_error(KIND, is_lost="closed" in text.lower())


CONNECTOR = Connector(kind=KIND, reads_files=False, extract=extract, probe=probe)
