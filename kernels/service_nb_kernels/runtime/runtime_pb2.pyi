from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Nothing(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Piece(_message.Message):
    __slots__ = ("content",)
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    content: bytes
    def __init__(self, content: _Optional[bytes] = ...) -> None: ...

class Request(_message.Message):
    __slots__ = ("calls", "timeout_s")
    CALLS_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_S_FIELD_NUMBER: _ClassVar[int]
    calls: _containers.RepeatedCompositeFieldContainer[Call]
    timeout_s: float
    def __init__(self, calls: _Optional[_Iterable[_Union[Call, _Mapping]]] = ..., timeout_s: _Optional[float] = ...) -> None: ...

class Call(_message.Message):
    __slots__ = ("capability", "arguments", "seed")
    CAPABILITY_FIELD_NUMBER: _ClassVar[int]
    ARGUMENTS_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    capability: str
    arguments: _containers.RepeatedCompositeFieldContainer[Value]
    seed: str
    def __init__(self, capability: _Optional[str] = ..., arguments: _Optional[_Iterable[_Union[Value, _Mapping]]] = ..., seed: _Optional[str] = ...) -> None: ...

class Reply(_message.Message):
    __slots__ = ("values", "fault", "instance")
    VALUES_FIELD_NUMBER: _ClassVar[int]
    FAULT_FIELD_NUMBER: _ClassVar[int]
    INSTANCE_FIELD_NUMBER: _ClassVar[int]
    values: _containers.RepeatedCompositeFieldContainer[Value]
    fault: Fault
    instance: str
    def __init__(self, values: _Optional[_Iterable[_Union[Value, _Mapping]]] = ..., fault: _Optional[_Union[Fault, _Mapping]] = ..., instance: _Optional[str] = ...) -> None: ...

class Value(_message.Message):
    __slots__ = ("float64", "int64", "integer", "truth", "text", "floats", "list", "record")
    FLOAT64_FIELD_NUMBER: _ClassVar[int]
    INT64_FIELD_NUMBER: _ClassVar[int]
    INTEGER_FIELD_NUMBER: _ClassVar[int]
    TRUTH_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    FLOATS_FIELD_NUMBER: _ClassVar[int]
    LIST_FIELD_NUMBER: _ClassVar[int]
    RECORD_FIELD_NUMBER: _ClassVar[int]
    float64: float
    int64: int
    integer: str
    truth: bool
    text: str
    floats: Floats
    list: List
    record: Record
    def __init__(self, float64: _Optional[float] = ..., int64: _Optional[int] = ..., integer: _Optional[str] = ..., truth: _Optional[bool] = ..., text: _Optional[str] = ..., floats: _Optional[_Union[Floats, _Mapping]] = ..., list: _Optional[_Union[List, _Mapping]] = ..., record: _Optional[_Union[Record, _Mapping]] = ...) -> None: ...

class Floats(_message.Message):
    __slots__ = ("shape", "content", "is_array", "is_apart")
    SHAPE_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    IS_ARRAY_FIELD_NUMBER: _ClassVar[int]
    IS_APART_FIELD_NUMBER: _ClassVar[int]
    shape: _containers.RepeatedScalarFieldContainer[int]
    content: bytes
    is_array: bool
    is_apart: bool
    def __init__(self, shape: _Optional[_Iterable[int]] = ..., content: _Optional[bytes] = ..., is_array: _Optional[bool] = ..., is_apart: _Optional[bool] = ...) -> None: ...

class List(_message.Message):
    __slots__ = ("items",)
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[Value]
    def __init__(self, items: _Optional[_Iterable[_Union[Value, _Mapping]]] = ...) -> None: ...

class Record(_message.Message):
    __slots__ = ("names", "values")
    NAMES_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    names: _containers.RepeatedScalarFieldContainer[str]
    values: _containers.RepeatedCompositeFieldContainer[Value]
    def __init__(self, names: _Optional[_Iterable[str]] = ..., values: _Optional[_Iterable[_Union[Value, _Mapping]]] = ...) -> None: ...

class Fault(_message.Message):
    __slots__ = ("code", "message", "details")
    class DetailsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    CODE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    DETAILS_FIELD_NUMBER: _ClassVar[int]
    code: str
    message: str
    details: _containers.ScalarMap[str, str]
    def __init__(self, code: _Optional[str] = ..., message: _Optional[str] = ..., details: _Optional[_Mapping[str, str]] = ...) -> None: ...

class Description(_message.Message):
    __slots__ = ("instance", "contract_hash", "bundle_version", "bundle_sha256", "kernel_build", "platform", "architecture", "profile", "libraries", "pid", "modules", "memory_bytes", "idle_s")
    class LibrariesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    INSTANCE_FIELD_NUMBER: _ClassVar[int]
    CONTRACT_HASH_FIELD_NUMBER: _ClassVar[int]
    BUNDLE_VERSION_FIELD_NUMBER: _ClassVar[int]
    BUNDLE_SHA256_FIELD_NUMBER: _ClassVar[int]
    KERNEL_BUILD_FIELD_NUMBER: _ClassVar[int]
    PLATFORM_FIELD_NUMBER: _ClassVar[int]
    ARCHITECTURE_FIELD_NUMBER: _ClassVar[int]
    PROFILE_FIELD_NUMBER: _ClassVar[int]
    LIBRARIES_FIELD_NUMBER: _ClassVar[int]
    PID_FIELD_NUMBER: _ClassVar[int]
    MODULES_FIELD_NUMBER: _ClassVar[int]
    MEMORY_BYTES_FIELD_NUMBER: _ClassVar[int]
    IDLE_S_FIELD_NUMBER: _ClassVar[int]
    instance: str
    contract_hash: str
    bundle_version: str
    bundle_sha256: str
    kernel_build: str
    platform: str
    architecture: str
    profile: str
    libraries: _containers.ScalarMap[str, str]
    pid: int
    modules: _containers.RepeatedScalarFieldContainer[str]
    memory_bytes: int
    idle_s: float
    def __init__(self, instance: _Optional[str] = ..., contract_hash: _Optional[str] = ..., bundle_version: _Optional[str] = ..., bundle_sha256: _Optional[str] = ..., kernel_build: _Optional[str] = ..., platform: _Optional[str] = ..., architecture: _Optional[str] = ..., profile: _Optional[str] = ..., libraries: _Optional[_Mapping[str, str]] = ..., pid: _Optional[int] = ..., modules: _Optional[_Iterable[str]] = ..., memory_bytes: _Optional[int] = ..., idle_s: _Optional[float] = ...) -> None: ...
