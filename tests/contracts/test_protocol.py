"""The generated messages of the runtime's protocol say what `runtime.proto` says: a stale file fails here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import service_nb_kernels
from google.protobuf.descriptor import Descriptor, FieldDescriptor, ServiceDescriptor
from service_nb_kernels.runtime import front, runtime_pb2

from service_nb.runtimes import connection

FOLDER = Path(service_nb_kernels.__file__).parent / "runtime"
PROTO = re.sub(r"//[^\n]*", "", (FOLDER / "runtime.proto").read_text(encoding="utf-8"))
STUB = (FOLDER / "runtime_pb2.pyi").read_text(encoding="utf-8")
FILE = runtime_pb2.DESCRIPTOR
TYPES = {
    number: name.removeprefix("TYPE_").lower() for name, number in vars(FieldDescriptor).items() if "TYPE_" in name[:5]
}

BLOCK = re.compile(r"\b(message|service)\s+(\w+)\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
FIELD = re.compile(r"(?:(repeated|optional)\s+)?(map<\w+,\s*\w+>|\w+)\s+(\w+)\s*=\s*(\d+)\s*;")
METHOD = re.compile(r"rpc\s+(\w+)\s*\(\s*(stream\s+)?(\w+)\s*\)\s*returns\s*\(\s*(stream\s+)?(\w+)\s*\)\s*;")
ONEOF = re.compile(r"oneof\s+(\w+)\s*\{([^{}]*)\}")

Field = tuple[str, str, int, str]  # label, type, number, and the group of which only one is set


def blocks(kind: str) -> dict[str, str]:
    return {name: body for kind_, name, body in BLOCK.findall(PROTO) if kind_ == kind}


def written(body: str) -> dict[str, Field]:
    """The fields of a message as the text has them."""
    groups = {name: group for group, inside in ONEOF.findall(body) for _, _, name, _ in FIELD.findall(inside)}
    return {
        name: (label, type_.replace(" ", ""), int(number), groups.get(name, ""))
        for label, type_, name, number in FIELD.findall(body)
    }


def generated(message: Descriptor) -> dict[str, Field]:
    """The fields of a message as the generated file has them."""
    return {field.name: (_label(field), _type(field), field.number, _group(field)) for field in message.fields}


def _entry(field: FieldDescriptor) -> Descriptor | None:
    """The message of the entries of a map; None for other fields."""
    message = field.message_type
    return message if message is not None and message.GetOptions().map_entry else None


def _label(field: FieldDescriptor) -> str:
    if _entry(field) is not None:
        return ""
    if field.is_repeated:
        return "repeated"
    is_optional = field.containing_oneof is not None and field.containing_oneof.name == f"_{field.name}"
    return "optional" if is_optional else ""


def _type(field: FieldDescriptor) -> str:
    entry = _entry(field)
    if entry is not None:
        key, value = entry.fields
        return f"map<{_type(key)},{_type(value)}>"
    return field.message_type.name if field.message_type is not None else TYPES[field.type]


def _group(field: FieldDescriptor) -> str:
    return "" if field.containing_oneof is None or _label(field) else field.containing_oneof.name


def methods(service: ServiceDescriptor) -> Iterator[tuple[Any, ...]]:
    for method in service.methods:
        given = ("stream" if method.client_streaming else "", method.input_type.name)
        yield (method.name, *given, "stream" if method.server_streaming else "", method.output_type.name)


def test_the_text_is_read_whole() -> None:
    left = FIELD.sub("", METHOD.sub("", ONEOF.sub(lambda found: found[2], BLOCK.sub(lambda found: found[3], PROTO))))
    assert re.sub(r"\s+", " ", left).strip() == 'syntax = "proto3"; package service_nb.runtime.v1;'
    assert len(blocks("message")) >= 10


def test_every_message_has_the_same_fields_numbers_and_types() -> None:
    assert {name: written(body) for name, body in blocks("message").items()} == {
        name: generated(message) for name, message in FILE.message_types_by_name.items()
    }


def test_every_method_takes_and_returns_the_same() -> None:
    in_text = {
        name: [tuple(part.strip() for part in found) for found in METHOD.findall(body)]
        for name, body in blocks("service").items()
    }
    assert in_text == {name: list(methods(service)) for name, service in FILE.services_by_name.items()}


def test_package_and_syntax_are_the_same() -> None:
    assert f"package {FILE.package};" in PROTO
    assert not FILE.dependencies
    assert all(field.has_presence == bool(_group(field) or _label(field) == "optional" or field.message_type)
               for message in FILE.message_types_by_name.values()
               for field in message.fields if not field.is_repeated)  # fmt: skip


def test_both_ends_call_the_service_by_its_name() -> None:
    [service] = FILE.services_by_name.values()
    assert service.full_name == front.SERVICE == connection.SERVICE.strip("/")


def test_the_stub_has_every_field_and_no_other() -> None:
    classes = re.split(r"^class ", STUB, flags=re.MULTILINE)[1:]
    told = {
        part.partition("(")[0]: set(re.findall(r'"(\w+)"', part.partition("__slots__")[2].partition(")")[0]))
        for part in classes
    }
    assert told == {
        name: {field.name for field in message.fields} for name, message in FILE.message_types_by_name.items()
    }


def test_numbers_are_given_once_and_without_gaps() -> None:
    for name, body in blocks("message").items():
        numbers = sorted(number for _, _, number, _ in written(body).values())
        assert numbers == list(range(1, len(numbers) + 1)), name
