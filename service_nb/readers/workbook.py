"""What an .xlsx file may hold before a library opens it: every member inflated and counted, no document type anywhere.

A zip directory can lie about sizes, so nothing is believed: bytes are counted as they come out. XML is looked at with
defusedxml up to its first element, the only place where a document type can stand.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import PurePosixPath
from xml.etree.ElementTree import ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import iterparse

from service_nb.core.words import shown
from service_nb.errors import LimitExceededError, SourceMalformedError
from service_nb.readers.files import BLOCK
from service_nb.schema.source import Limits

FREE_BYTES = 10 * 1024**2  # of a member, before its ratio counts: a small sheet of equal cells packs well
XML = (".xml", ".rels", ".vml")
OLE = bytes.fromhex("d0cf11e0a1b11ae1")


def check_container(data: bytes, limits: Limits) -> None:
    """Inflate all members of a workbook within the limits.

    Raises
    ------
    SourceMalformedError [source_malformed]
        No zip container, a broken or encrypted member, or XML with a document type.
    LimitExceededError [limit_exceeded]
        Too many members, or too much that comes out of them.
    """
    if data.startswith(OLE):
        raise SourceMalformedError(
            "The workbook is encrypted, or in the format before 2007.",
            hint="Save it as .xlsx without a password.",
            met="an OLE container",
            expected="a zip container",
        )
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as container:
            _check_members(container, limits)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError) as error:
        # RuntimeError: an encrypted member; NotImplementedError: a compression that nobody writes
        raise SourceMalformedError(
            "The workbook is not a valid ZIP file.", met=type(error).__name__, expected="an .xlsx file"
        ) from error


def _check_members(container: zipfile.ZipFile, limits: Limits) -> None:
    members = container.infolist()
    if len(members) > limits.members:
        raise _exceeded(f"{len(members):,} files in it", "members", limits.members, len(members))
    names = [member.filename.lower() for member in members]
    if len(set(names)) != len(names):
        raise SourceMalformedError("The workbook holds two files of the same name.", expected="an .xlsx file")
    total = 0
    for member in members:
        total = _inflate(container, member, total, limits)
        if PurePosixPath(member.filename.lower()).suffix in XML:
            _refuse_document_type(container, member)


def _inflate(container: zipfile.ZipFile, member: zipfile.ZipInfo, total: int, limits: Limits) -> int:
    size = 0
    most = max(FREE_BYTES, limits.inflate_ratio * max(member.compress_size, 1))
    with container.open(member) as stream:
        while block := stream.read(BLOCK):
            size += len(block)
            if total + size > limits.inflated_bytes:
                raise _exceeded("more inflated bytes", "inflated_bytes", limits.inflated_bytes, total + size)
            if size > most:
                ratio = size // max(member.compress_size, 1)
                raise _exceeded("a file that inflates too far", "inflate_ratio", limits.inflate_ratio, ratio)
    if size != member.file_size:
        raise zipfile.BadZipFile("a wrong stated size")
    return total + size


def _refuse_document_type(container: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
    name = shown(member.filename)
    try:
        with container.open(member) as stream:
            next(iter(iterparse(stream, events=("start",), forbid_dtd=True)), None)
    except DefusedXmlException as error:
        raise SourceMalformedError(
            f"{name} in the workbook declares a document type or entities, which no spreadsheet program writes.",
            met=type(error).__name__,
            expected="plain XML",
            member=member.filename[:100],
        ) from error
    except (ParseError, LookupError, ValueError) as error:
        raise SourceMalformedError(
            f"{name} in the workbook is not well-formed XML.", met=type(error).__name__, member=member.filename[:100]
        ) from error


def _exceeded(what: str, name: str, limit: int, value: int) -> LimitExceededError:
    return LimitExceededError(
        f"The workbook has {what} than the limit ({limit:,}).",
        hint=f"Raise Limits({name}=…) if you trust the workbook.",
        limit=limit,
        limit_name=name,
        value=value,
    )
