"""Keys to exercises: no hostile file is read, and neither a key nor a verdict hints at an answer."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from service_nb.core.canonical import write_canonical_text
from service_nb.core.digest import digest
from service_nb.errors import EvidenceError, ServiceError
from service_nb.evidence.answer_key import AnswerKey, Cost, add_answers, is_right, parse_key, write_key
from service_nb.notebook.exercise_magics import AnswerCheck, check_answer, compose_answer_check, read_key
from tests.security.conftest import snapshot

CHEAP = Cost(memory_kib=19 * 1024, iterations=2)
RIGHT = digest("test", "right")
KEY = add_answers(
    add_answers(AnswerKey(cost=CHEAP), "mean", [RIGHT, digest("test", "too")], bytes(16)), "sum", [RIGHT], b"s" * 16
)
GOOD: dict[str, Any] = json.loads(write_key(KEY))
MEAN = GOOD["exercises"]["mean"]

Refused = Callable[[bytes, str], EvidenceError]


def cut(*path: str) -> bytes:
    """The good key without what a path names."""
    return _changed(path, lambda parent, name: parent.pop(name))


def put(value: Any, *path: str) -> bytes:
    """The good key with another value where a path leads."""
    return _changed(path, lambda parent, name: parent.__setitem__(name, value))


def check_by_key(name: str, card: Mapping[str, object] | None, *, key: str | None = None, folder: Path = Path()) -> Any:
    return check_answer(read_key(key, folder), name, card)


def _changed(path: tuple[str, ...], change: Callable[[Any, str], Any]) -> bytes:
    document = json.loads(write_key(KEY))
    parent = document
    for name in path[:-1]:
        parent = parent[name]
    change(parent, path[-1])
    return json.dumps(document).encode()


@pytest.fixture
def refused(tmp_path: Path, record_property: Callable[[str, object], None]) -> Refused:
    """Ask a key in the folder of a notebook; fails if it is read, crashes or leaves a trace."""

    def check(content: bytes, reason: str) -> EvidenceError:
        (tmp_path / "lesson.servicekey.json").write_bytes(content)
        before = snapshot(tmp_path)
        with pytest.raises(EvidenceError) as caught:
            check_by_key("mean", None, folder=tmp_path)
        error = caught.value
        assert error.reason == reason, error.to_dict()
        assert str(tmp_path) not in str(error.to_dict())
        assert snapshot(tmp_path) == before
        record_property("bad_inputs", 1)
        return error

    return check


def test_the_key_that_the_others_are_made_from_is_read(tmp_path: Path) -> None:
    assert parse_key(json.dumps(GOOD).encode()) == KEY


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\xef\xbb\xbf{}",
        write_key(KEY).encode("utf-16"),
        write_key(KEY).encode()[:-3],
        write_key(KEY).encode() + b"{}",
        b'{"service_nb_key":1,"service_nb_key":1}',
        b'{"service_nb_key":NaN}',
        b'{"service_nb_key":1e999}',
        b'{"service_nb_key":"\\ud800"}',
        b"\xff" * 64,
        b"\0" * 64,
    ],
)
def test_what_is_no_json_is_refused(content: bytes, refused: Refused) -> None:
    refused(content, "malformed_json")


@pytest.mark.parametrize(
    "content",
    [
        b" " * (256 * 1024) + write_key(KEY).encode(),
        b"[" * 10_000,
        b'{"a":' * 65 + b"1" + b"}" * 65,
        b'{"service_nb_key":' + b"1" * 100_000 + b"}",
    ],
)
def test_what_is_too_large_or_too_deep_is_refused_before_it_is_read(
    content: bytes, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    (tmp_path / "lesson.servicekey.json").write_bytes(content)
    with pytest.raises(ServiceError) as caught:
        check_by_key("mean", None, folder=tmp_path)
    assert caught.value.code in ("limit_exceeded", "evidence_invalid")
    assert caught.value.details.get("reason", "too_large") == "too_large"
    record_property("bad_inputs", 1)


@pytest.mark.parametrize("content", [b"[]", b"1", b"null", b'"key"', b"{}", b"[[]]", b"true"])
def test_what_is_no_object_of_the_three_parts_is_refused(content: bytes, refused: Refused) -> None:
    refused(content, "malformed_key")


@pytest.mark.parametrize(
    "path",
    [
        ("service_nb_key",),
        ("kdf",),
        ("exercises",),
        ("kdf", "memory_kib"),
        ("kdf", "iterations"),
        ("kdf", "lanes"),
        ("kdf", "name"),
        ("exercises", "mean", "salt"),
        ("exercises", "mean", "answers"),
    ],
)
def test_a_key_with_a_part_missing_another_or_one_too_many_is_refused(path: tuple[str, ...], refused: Refused) -> None:
    refused(cut(*path), "malformed_key")
    refused(put(1, *path[:-1], "more"), "malformed_key")


@pytest.mark.parametrize("value", [None, True, 1.5, "1", [], {}, -1, 2**70, "x" * 1000, [1], {"a": 1}])
@pytest.mark.parametrize(
    "path", [("exercises", "mean"), ("exercises", "mean", "salt"), ("exercises", "mean", "answers"), ("kdf",)]
)
def test_a_part_of_another_type_is_refused(path: tuple[str, ...], value: Any, refused: Refused) -> None:
    refused(put(value, *path), "malformed_key")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("exercises",), []),
        (("exercises",), {f"e{index}": MEAN for index in range(1_001)}),
        (("exercises",), {"mean": MEAN, "other": MEAN}),  # one salt for both
        (("exercises",), {"a b": MEAN}),
        (("exercises",), {"": MEAN}),
        (("exercises",), {"../mean": MEAN}),
        (("exercises",), {"me\u202ean": MEAN}),
        (("exercises",), {"mean\n": MEAN}),
        (("exercises",), {"cafe\u0301": MEAN}),
        (("exercises", "mean", "salt"), ""),
        (("exercises", "mean", "salt"), "0" * 31),
        (("exercises", "mean", "salt"), "G" * 32),
        (("exercises", "mean", "salt"), "A" * 32),
        (("exercises", "mean", "salt"), "\u0660" * 32),
        (("exercises", "mean", "answers"), [MEAN["answers"][0][:-1]]),
        (("exercises", "mean", "answers"), [MEAN["answers"][0].upper()]),
        (("exercises", "mean", "answers"), [*MEAN["answers"], 1]),
        (("exercises", "mean", "answers"), MEAN["answers"][::-1]),
        (("exercises", "mean", "answers"), MEAN["answers"][:1] * 2),
        (("exercises", "mean", "answers"), [f"{index:064x}" for index in range(65)]),
    ],
)
def test_exercises_that_no_key_of_ours_has_are_refused(path: tuple[str, ...], value: Any, refused: Refused) -> None:
    refused(put(value, *path), "malformed_key")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("memory_kib", 65_537),
        ("memory_kib", 2**31),
        ("memory_kib", 2**70),
        ("memory_kib", 19_455),
        ("memory_kib", 0),
        ("memory_kib", -1),
        ("iterations", 17),
        ("iterations", 2**31),
        ("iterations", 1),
        ("iterations", 0),
        ("lanes", 0),
        ("lanes", 2),
        ("lanes", 2**24),
    ],
)
def test_a_key_that_asks_for_too_much_work_or_too_little_is_refused(name: str, value: int, refused: Refused) -> None:
    refused(put(value, "kdf", name), "cost_out_of_bounds")


@pytest.mark.parametrize("value", [True, 1.0, 1.5, "1", None, [1]])
@pytest.mark.parametrize("name", ["memory_kib", "iterations", "lanes"])
def test_a_cost_that_is_no_whole_number_is_refused(name: str, value: Any, refused: Refused) -> None:
    refused(put(value, "kdf", name), "malformed_key")


@pytest.mark.parametrize("name", ["", "sha256", "scrypt", "ARGON2ID", "argon2id\0", "plain"])
def test_another_way_of_hashing_is_refused(name: str, refused: Refused) -> None:
    refused(put(name, "kdf", "name"), "unknown_kdf")


@pytest.mark.parametrize("version", [0, 2, -1, True, 1.0, "1", None, [1]])
def test_another_version_is_refused(version: Any, refused: Refused) -> None:
    refused(put(version, "service_nb_key"), "unknown_version")


def test_no_byte_of_a_key_can_be_changed_into_a_crash(record_property: Callable[[str, object], None]) -> None:
    content = write_key(KEY).encode()
    refused = 0
    for place in range(len(content)):
        for byte in (0, 0x22, 0x30, 0x66, 0x7B, 0x80, 0xFF, content[place] ^ 1):
            changed = content[:place] + bytes([byte]) + content[place + 1 :]
            try:
                read = parse_key(changed)
            except EvidenceError:
                refused += 1
            else:  # other digits of a salt, of an answer or of the cost, or a letter of a name
                assert read == KEY or len(read.exercises) == 2
                assert all(len(exercise.salt) == 16 for exercise in read.exercises.values())
    assert refused > 2_000
    record_property("bad_inputs", refused)


def test_a_pipe_is_no_key_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "lesson.servicekey.json")
    with pytest.raises(ServiceError) as caught:
        check_by_key("mean", None, folder=tmp_path)
    assert caught.value.code == "invalid_intent"  # there is no key file beside the notebook
    with pytest.raises(ServiceError) as caught:
        check_by_key("mean", None, key=str(tmp_path / "lesson.servicekey.json"))
    assert caught.value.code == "source_unreadable"


# --- no hint ----------------------------------------------------------------------------------------------------------


def query_card(result_hash: str) -> dict[str, Any]:
    return {"kind": "query", "canonical": {}, "digests": {"result_hash": result_hash}}


def test_every_wrong_answer_gets_the_same_words(tmp_path: Path) -> None:
    (tmp_path / "lesson.servicekey.json").write_text(write_key(KEY), encoding="utf-8")
    near = RIGHT[:-1] + ("0" if RIGHT[-1] != "0" else "1")
    wrong = [
        query_card(near),
        query_card("0" * 64),
        {"kind": "rejection", "canonical": {}, "digests": {"refusal_hash": near}},
        {
            "kind": "computation",
            "canonical": {"identity": '{"function":"mean","module":"stats","seed":null}', "value": "1"},
            "digests": {"input_hash": "0" * 64, "computation_hash": near},
        },
    ]
    checked = [check_by_key("mean", card, folder=tmp_path) for card in wrong]
    assert all(each == {"exercise": "mean", "status": "wrong"} for each in checked)
    pages = [AnswerCheck({**each, "attempts": 1}, compose_answer_check) for each in checked]
    assert len({json.dumps(page._repr_mimebundle_()) for page in pages}) == 1
    assert check_by_key("mean", query_card(RIGHT), folder=tmp_path)["status"] == "right"


def test_a_key_does_not_tell_what_kind_of_answer_is_right() -> None:
    """What answers a question and what answers a computation are digests alike, and hash to texts alike."""
    shapes = set()
    for claim in (RIGHT, digest("service:result:v1", "rows"), digest("service:answer:v1", "value")):
        made = add_answers(AnswerKey(cost=CHEAP), "mean", [claim], bytes(16))
        shapes.add(write_canonical_text(_shape(json.loads(write_key(made)))))
    assert len(shapes) == 1


def _shape(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _shape(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_shape(item) for item in value]
    return len(value) if isinstance(value, str) else value


def test_the_hashes_of_a_published_key_open_nothing_else() -> None:
    """A hash of the file, the salt, or their digests are no answers themselves."""
    exercise = KEY.exercises["mean"]
    told = [exercise.salt.hex(), *(answer.hex() for answer in exercise.answers)]
    assert not is_right(KEY, "mean", [*told, *(digest("service:answer-key:v1", text) for text in told)])
