"""A stand-in for SQL Server: TDS 7.4 over DuckDB, with T-SQL as SQLGlot translates it.

It proves what the driver sends and how it reads: logins, batches, calls with parameters, transactions, cancelling, and
the types of columns. It proves nothing of T-SQL itself, nor of SQL Server's arithmetic.
"""

from __future__ import annotations

import ctypes
import datetime
import platform
import re
import select
import socket
import struct
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import duckdb

from tests.engines.written import Stand, for_duckdb
from tests.servers.debian import unpacked

BATCH, RPC, ATTENTION, TRANSACTION, LOGIN, PRELOGIN, ANSWER = 0x01, 0x03, 0x06, 0x0E, 0x10, 0x12, 0x04
SP_EXECUTESQL, SP_PREPEXEC, SP_UNPREPARE = 10, 13, 15
VERSION = "16.0.1000.6"
EPOCH = datetime.date(1, 1, 1).toordinal()
COLLATION = bytes.fromhex("0904d00034")
PASSWORD = "p};w{ord"


@dataclass
class TdsServer:
    """Where it listens, the database behind, and what it was asked."""

    port: int
    stand: Stand
    host: str = "127.0.0.1"
    user: str = "reader"
    password: str = PASSWORD
    asked: list[str] = field(default_factory=list)
    rolled_back: int = 0


def load_library() -> None:
    """Load the one system library that the driver needs, where it is not installed."""
    with suppress(OSError):
        ctypes.CDLL("libltdl.so.7", ctypes.RTLD_GLOBAL)
        return
    path = unpacked("odbc") / "usr" / "lib" / f"{platform.machine()}-linux-gnu" / "libltdl.so.7"
    ctypes.CDLL(str(path), ctypes.RTLD_GLOBAL)  # found by its name from then on


@contextmanager
def tds(stand: Stand) -> Iterator[TdsServer]:
    """Run one over a database for the block."""
    load_library()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = TdsServer(listener.getsockname()[1], stand)
        accepting = threading.Thread(target=_accept, args=(listener, server), daemon=True)
        accepting.start()
        yield server
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        accepting.join(5)


def _accept(listener: socket.socket, server: TdsServer) -> None:
    while True:
        try:
            client, _ = listener.accept()
        except OSError:
            return
        threading.Thread(target=_Session(client, server).serve, daemon=True).start()


class _Session:
    def __init__(self, client: socket.socket, server: TdsServer) -> None:
        self.client, self.server = client, server
        self.connection = server.stand.connection.cursor()

    def serve(self) -> None:
        with self.client, suppress(OSError, EOFError):
            while True:
                kind, body = self._message()
                self._send(self._answer(kind, body))

    def _answer(self, kind: int, body: bytes) -> bytes:
        if kind == PRELOGIN:
            return _prelogin()
        if kind == LOGIN:
            return self._login(body)
        if kind == TRANSACTION:
            return self._transaction(body)
        if kind == BATCH:
            return self._batch(_utf16(_without_headers(body)))
        if kind == RPC:
            return self._called(_without_headers(body))
        return _done(status=0x20)

    # --- what is asked ----------------------------------------------------------------------------------------------

    def _login(self, body: bytes) -> bytes:
        user, hidden = _login_text(body, 40), _login_bytes(body, 44)
        plain = bytes(((byte ^ 0xA5) >> 4 | (byte ^ 0xA5) << 4) & 0xFF for byte in hidden).decode("utf-16-le")
        if (user, plain) != (self.server.user, self.server.password):
            return _error(18456, 14, "Login failed for user.") + _done(status=2)
        name = "Microsoft SQL Server".encode("utf-16-le")
        told = b"\x01" + bytes.fromhex("74000004") + bytes([len(name) // 2]) + name + bytes([16, 0, 3, 232])
        database = _changed(1, "tests", "master")
        return database + _changed(4, "4096", "4096") + b"\xad" + struct.pack("<H", len(told)) + told + _done()

    def _transaction(self, body: bytes) -> bytes:
        (kind,) = struct.unpack_from("<H", _without_headers(body))
        mark = bytes(range(1, 9))
        if kind == 5:
            return b"\xe3" + struct.pack("<H", 11) + b"\x08\x08" + mark + b"\x00" + _done()
        self.server.rolled_back += kind == 8
        return b"\xe3" + struct.pack("<H", 11) + (b"\x0a" if kind == 8 else b"\x09") + b"\x00\x08" + mark + _done()

    def _batch(self, text: str) -> bytes:
        if not text.lstrip().upper().startswith(("SELECT", "WITH", "INSERT", "DROP", "DELETE", "CREATE")):
            self.server.rolled_back += "ROLLBACK" in text.upper()
            return _done()
        answer, failed = self._result(text, [])
        return answer + _done(status=0x22 if failed == "stopped" else 2 if failed else 0x10)

    def _called(self, body: bytes) -> bytes:
        reader = _Reader(body)
        length = reader.unpack("<H")
        procedure = reader.unpack("<H") if length == 0xFFFF else reader.take(2 * length).decode("utf-16-le")
        reader.unpack("<H")
        given = []
        while reader.left:
            given.append(reader.parameter())
        if procedure == SP_UNPREPARE:
            return b"\x79" + struct.pack("<i", 0) + _done(token=0xFE)
        text, values = (given[2], given[3:]) if procedure == SP_PREPEXEC else (given[0], given[2:])
        answer, failed = self._result(re.sub(r"@P\d+", "?", str(text)), values)
        answer += _done(token=0xFF, status=0x11 if not failed else 3)
        if procedure == SP_PREPEXEC:
            handle = b"\xac" + struct.pack("<H", 0) + b"\x00\x01" + struct.pack("<IH", 0, 0) + b"\x26\x04\x04"
            answer += b"\x79" + struct.pack("<i", 0) + handle + struct.pack("<i", 1)
        return answer + _done(token=0xFE, status=0x20 if failed == "stopped" else 2 if failed else 0)

    def _result(self, text: str, values: list[Any]) -> tuple[bytes, str]:
        """Rows as the protocol has them, or an error and a word for it; an attention ends what runs."""
        self.server.asked.append(text)
        if "SERVERPROPERTY" in text:
            text = f"SELECT '{VERSION}' AS v"
        outcome: list[Any] = []
        worker = threading.Thread(target=self._execute, args=(text, values, outcome), daemon=True)
        worker.start()
        stopped = False
        while worker.is_alive():
            ready, _, _ = select.select([self.client], [], [], 0.02)
            if ready and not stopped:
                kind, _ = self._message()
                stopped = kind == ATTENTION
                self.connection.interrupt()
            worker.join(0.02)
        if stopped:
            return b"", "stopped"
        if isinstance(outcome[0], Exception):
            return _translated(outcome[0]), "failed"
        columns, rows = outcome[0]
        return _metadata(columns) + b"".join(_row(columns, row) for row in rows), ""

    def _execute(self, text: str, values: list[Any], outcome: list[Any]) -> None:
        try:
            found = self.connection.execute(for_duckdb("mssql", text), values)
            outcome.append(([(one[0], str(one[1])) for one in found.description], found.fetchall()))
        except Exception as error:  # noqa: BLE001  # told to the client as the protocol tells it
            outcome.append(error)

    # --- packets ----------------------------------------------------------------------------------------------------

    def _message(self) -> tuple[int, bytes]:
        body = bytearray()
        while True:
            kind, status, length = struct.unpack(">BBH", self._exactly(8)[:4])
            body += self._exactly(length - 8)
            if status & 1:
                return kind, bytes(body)

    def _send(self, data: bytes, size: int = 4088) -> None:
        for start in range(0, max(len(data), 1), size):
            part = data[start : start + size]
            last = start + size >= len(data)
            self.client.sendall(struct.pack(">BBHHBB", ANSWER, last, len(part) + 8, 0, 1, 0) + part)

    def _exactly(self, count: int) -> bytes:
        parts = bytearray()
        while len(parts) < count:
            part = self.client.recv(count - len(parts))
            if not part:
                raise EOFError
            parts += part
        return bytes(parts)


# --- tokens ---------------------------------------------------------------------------------------------------------


def _prelogin() -> bytes:
    options = [(0, bytes([16, 0, 3, 232, 0, 0])), (1, b"\x02"), (2, b"\x00"), (3, b""), (4, b"\x00")]
    place = 5 * len(options) + 1
    head, data = b"", b""
    for token, value in options:
        head += struct.pack(">BHH", token, place + len(data), len(value))
        data += value
    return head + b"\xff" + data


def _changed(kind: int, new: str, old: str) -> bytes:
    texts = b"".join(bytes([len(text)]) + text.encode("utf-16-le") for text in (new, old))
    return b"\xe3" + struct.pack("<HB", len(texts) + 1, kind) + texts


def _done(token: int = 0xFD, status: int = 0, count: int = 0) -> bytes:
    return struct.pack("<BHHQ", token, status, 0xC1, count)


def _error(number: int, level: int, text: str) -> bytes:
    message = text.encode("utf-16-le")
    body = struct.pack("<iBBH", number, 1, level, len(text)) + message + b"\x00\x00" + struct.pack("<I", 1)
    return b"\xaa" + struct.pack("<H", len(body)) + body


def _translated(error: Exception) -> bytes:
    if isinstance(error, duckdb.CatalogException):
        return _error(208, 16, "Invalid object name.")
    if isinstance(error, duckdb.BinderException):
        return _error(207, 16, "Invalid column name.")
    return _error(8115, 16, "Arithmetic overflow error.")


def _metadata(columns: list[tuple[str, str]]) -> bytes:
    parts = [b"\x81", struct.pack("<H", len(columns))]
    for name, kind in columns:
        parts += [struct.pack("<IH", 0, 1), _type(kind), bytes([len(name)]), name.encode("utf-16-le")]
    return b"".join(parts)


def _type(kind: str) -> bytes:
    if kind.startswith("DECIMAL"):
        precision, scale = map(int, re.findall(r"\d+", kind))
        return bytes([0x6A, 17, precision, scale])
    if kind in ("HUGEINT", "UHUGEINT"):
        return bytes([0x6A, 17, 38, 0])
    return {
        "BIGINT": b"\x26\x08",
        "INTEGER": b"\x26\x04",
        "SMALLINT": b"\x26\x02",
        "BOOLEAN": b"\x68\x01",
        "DOUBLE": b"\x6d\x08",
        "FLOAT": b"\x6d\x04",
        "DATE": b"\x28",
        "TIMESTAMP": b"\x2a\x06",
        "TIMESTAMP_NS": b"\x2a\x07",
        "TIME": b"\x29\x06",
        "BLOB": b"\xa5" + struct.pack("<H", 8000),
        "UUID": b"\x24\x10",
    }.get(kind, b"\xe7" + struct.pack("<H", 8000) + COLLATION)


def _row(columns: list[tuple[str, str]], row: tuple[Any, ...]) -> bytes:
    return b"\xd1" + b"".join(_cell(kind, value) for (_, kind), value in zip(columns, row, strict=True))


def _cell(kind: str, value: Any) -> bytes:
    if kind in ("VARCHAR", "BLOB") or not _known(kind):
        if value is None:
            return b"\xff\xff"
        data = value if kind == "BLOB" else str(value).encode("utf-16-le")
        return struct.pack("<H", len(data)) + data
    data = b"" if value is None else _data(kind, value)
    return bytes([len(data)]) + data


def _known(kind: str) -> bool:
    return _type(kind)[0] != 0xE7


def _data(kind: str, value: Any) -> bytes:
    if kind.startswith("DECIMAL") or kind.endswith("HUGEINT"):
        scale = int(re.findall(r"\d+", kind)[1]) if kind.startswith("DECIMAL") else 0
        units = int(Decimal(value).scaleb(scale)) if abs(value) < 10**20 else _units(value, scale)
        return bytes([units >= 0]) + abs(units).to_bytes(16, "little")
    if isinstance(value, uuid.UUID):
        return value.bytes_le
    if isinstance(value, bool):
        return bytes([value])
    if isinstance(value, int):
        return value.to_bytes({"BIGINT": 8, "INTEGER": 4, "SMALLINT": 2}[kind], "little", signed=True)
    if isinstance(value, float):
        return struct.pack("<d" if kind == "DOUBLE" else "<f", value)
    day = (value.toordinal() - EPOCH).to_bytes(3, "little")
    if not isinstance(value, datetime.datetime):
        return day
    passed = value - datetime.datetime.combine(value.date(), datetime.time())
    ticks = passed // datetime.timedelta(microseconds=1) * (10 if kind == "TIMESTAMP_NS" else 1)
    return ticks.to_bytes(5, "little") + day


def _units(value: Any, scale: int) -> int:
    sign, digits, exponent = Decimal(value).as_tuple()
    whole = int("".join(map(str, digits))) * 10 ** (scale + int(exponent))
    return -whole if sign else whole


# --- what the client sends ------------------------------------------------------------------------------------------


def _utf16(data: bytes) -> str:
    return data.decode("utf-16-le")


def _without_headers(body: bytes) -> bytes:
    (length,) = struct.unpack_from("<I", body)
    return body[length:]


def _login_bytes(body: bytes, at: int) -> bytes:
    start, length = struct.unpack_from("<HH", body, at)
    return body[start : start + 2 * length]


def _login_text(body: bytes, at: int) -> str:
    return _login_bytes(body, at).decode("utf-16-le")


class _Reader:
    """Reads the parameters of a call."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    @property
    def left(self) -> int:
        return len(self.data) - self.at

    def take(self, count: int) -> bytes:
        self.at += count
        return self.data[self.at - count : self.at]

    def unpack(self, form: str) -> int:
        (value,) = struct.unpack(form, self.take(struct.calcsize(form)))
        return int(value)

    def parameter(self) -> Any:
        self.take(2 * self.unpack("<B"))
        self.unpack("<B")
        kind = self.unpack("<B")
        if kind in (0x26, 0x68, 0x6D):
            self.unpack("<B")
            return _number(kind, self.take(self.unpack("<B")))
        if kind in (0x6A, 0x6C):
            self.unpack("<B")
            _, scale = self.unpack("<B"), self.unpack("<B")
            data = self.take(self.unpack("<B"))
            units = int.from_bytes(data[1:], "little") * (1 if data[:1] == b"\x01" else -1)
            return Decimal((int(units < 0), tuple(map(int, str(abs(units)))), -scale)) if data else None
        if kind in (0x28, 0x29, 0x2A):
            scale = 0 if kind == 0x28 else self.unpack("<B")
            return _moment(self.take(self.unpack("<B")), scale)
        return self._text(kind)

    def _text(self, kind: int) -> Any:
        long = self.unpack("<H") == 0xFFFF
        if kind in (0xE7, 0xEF, 0xA7, 0xAF):
            self.take(5)
        if not long:
            length = self.unpack("<H")
            data = None if length == 0xFFFF else self.take(length)
        else:
            data = b"" if self.unpack("<Q") != 0xFFFFFFFFFFFFFFFF else None
            while data is not None and (length := self.unpack("<I")):
                data += self.take(length)
        if data is None or kind == 0xA5:
            return data
        return data.decode("utf-16-le" if kind in (0xE7, 0xEF) else "latin-1")


def _number(kind: int, data: bytes) -> Any:
    if not data:
        return None
    if kind == 0x6D:
        return struct.unpack("<d" if len(data) == 8 else "<f", data)[0]
    value = int.from_bytes(data, "little", signed=len(data) > 1)
    return bool(value) if kind == 0x68 else value


def _moment(data: bytes, scale: int) -> Any:
    if not data:
        return None
    day = datetime.date.fromordinal(int.from_bytes(data[-3:], "little") + EPOCH)
    if len(data) == 3:
        return day
    ticks = int.from_bytes(data[:-3], "little") * 10 ** (7 - scale)
    return datetime.datetime.combine(day, datetime.time()) + datetime.timedelta(microseconds=ticks // 10)
