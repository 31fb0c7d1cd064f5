"""Keys to exercises: what counts as the same answer, what a key file says, and what it keeps to itself."""

from __future__ import annotations

import json
from typing import Any

import pytest
from argon2.low_level import Type, hash_secret_raw

from service_nb.core.canonical import write_canonical_text
from service_nb.core.digest import (
    COMPUTATION_DOMAIN,
    INVOCATION_DOMAIN,
    PLAN_DOMAIN,
    RESULT_DOMAIN,
    compute_sha256_hex,
    digest,
)
from service_nb.errors import EvidenceError, LimitExceededError
from service_nb.evidence.answer_key import (
    AnswerKey,
    Cost,
    add_answers,
    is_right,
    list_claims,
    normalise_exercise_name,
    parse_key,
    write_key,
)

CHEAP = Cost(memory_kib=19 * 1024, iterations=2)  # the least that a key may cost
SALT, OTHER_SALT = bytes(range(16)), bytes(range(16, 32))
RIGHT, ALSO_RIGHT, WRONG = (digest("test", name) for name in ("right", "also right", "wrong"))


def computation(value: str = "2.5", arguments: str = "[[1,4]]", **changes: Any) -> dict[str, Any]:
    identity = {
        "args": json.loads(arguments),
        "contract_hash": "sha256:" + 64 * "0",
        "execution_scope": "linux-x64:local",
        "function": "mean",
        "kwargs": {},
        "module": "stats",
        "resolved_bindings": [],
        "seed": None,
        **changes,
    }
    text = write_canonical_text(identity)
    invocation = digest(INVOCATION_DOMAIN, text)
    return {
        "kind": "computation",
        "canonical": {"identity": text, "arguments": arguments, "value": value},
        "digests": {
            "invocation_hash": invocation,
            "computation_hash": digest(COMPUTATION_DOMAIN, invocation, value),
            "input_hash": compute_sha256_hex(arguments.encode()),
            "contract_hash": identity["contract_hash"],
        },
    }


def query(plan: str = '{"aggregation":"count"}', rows: str = '[{"count":2}]') -> dict[str, Any]:
    planned = digest(PLAN_DOMAIN, plan)
    digests = {"plan_hash": planned, "result_hash": digest(RESULT_DOMAIN, planned, rows), "schema_revision": 64 * "0"}
    return {"kind": "query", "canonical": {"plan": plan, "result": rows}, "digests": digests}


def key(**answers: list[str]) -> AnswerKey:
    made = AnswerKey(cost=CHEAP)
    for index, (name, claims) in enumerate(answers.items()):
        made = add_answers(made, name, claims, bytes([index]) * 16)
    return made


# --- what counts as the same answer -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes",
    [
        {"execution_scope": "macos-arm64:local"},
        {"contract_hash": "sha256:" + 64 * "1"},
        {"args": [], "kwargs": {"values": [1, 4]}},
        {"args": [], "resolved_bindings": [{"input_hash": 64 * "0"}]},
    ],
)
def test_the_platform_the_release_and_the_spelling_of_a_computation_make_no_other_answer(changes: Any) -> None:
    assert list_claims(computation(**changes))[0] == list_claims(computation())[0]
    assert list_claims(computation(**changes))[1] != list_claims(computation())[1]  # the computation_hash covers them


@pytest.mark.parametrize(
    "other",
    [
        computation(value="2.5000000000000004"),
        computation(arguments="[[1,4.5]]"),
        computation(function="median"),
        computation(module="robust"),
        computation(seed=7),
    ],
)
def test_another_value_other_data_another_call_or_seed_is_another_answer(other: Any) -> None:
    assert list_claims(other)[0] != list_claims(computation())[0]


def test_the_second_claim_of_a_computation_is_its_own_hash() -> None:
    card = computation()
    assert list_claims(card)[1:] == (card["digests"]["computation_hash"],)


def test_a_question_is_known_by_its_result_hash_and_a_refusal_by_its_own() -> None:
    assert list_claims(query()) == (query()["digests"]["result_hash"],)
    for kind in ("clarification", "rejection"):
        assert list_claims({"kind": kind, "canonical": {}, "digests": {"refusal_hash": RIGHT}}) == (RIGHT,)


def test_a_question_is_compared_though_its_rows_are_not_kept() -> None:
    bare = query()
    del bare["canonical"]["result"]
    assert list_claims(bare) == list_claims(query())


@pytest.mark.parametrize("kind", ["error", "replay", "made_up"])
def test_what_is_no_answer_is_refused(kind: str) -> None:
    with pytest.raises(EvidenceError) as caught:
        list_claims({"kind": kind, "canonical": {}, "digests": {}})
    assert caught.value.reason == "no_answer"


@pytest.mark.parametrize("text", ["identity", "value"])
def test_a_card_without_the_compared_texts_is_refused_rather_than_called_wrong(text: str) -> None:
    card = computation()
    del card["canonical"][text]
    with pytest.raises(EvidenceError) as caught:
        list_claims(card)
    assert caught.value.reason == "text_not_kept"


@pytest.mark.parametrize("identity", ["[]", "1", "null", "{}", '{"module":"stats","function":"mean"}'])
def test_an_identity_that_names_no_call_is_refused(identity: str) -> None:
    card = computation()
    card["canonical"]["identity"] = identity
    with pytest.raises(EvidenceError) as caught:
        list_claims(card)
    assert caught.value.reason == "malformed_card"


# --- asking -----------------------------------------------------------------------------------------------------------


def test_the_right_answer_is_right_and_every_other_is_not() -> None:
    made = key(mean=[RIGHT])
    assert is_right(made, "mean", [RIGHT])
    assert is_right(made, "mean", [WRONG, RIGHT])
    assert not is_right(made, "mean", [WRONG])
    assert not is_right(made, "mean", [RIGHT.upper()])
    assert not is_right(made, "mean", [])


def test_every_accepted_answer_is_right() -> None:
    made = key(mean=[RIGHT, ALSO_RIGHT])
    assert is_right(made, "mean", [RIGHT])
    assert is_right(made, "mean", [ALSO_RIGHT])
    assert not is_right(made, "mean", [WRONG])


def test_the_answer_to_one_exercise_is_none_to_another() -> None:
    made = key(mean=[RIGHT], median=[ALSO_RIGHT])
    assert not is_right(made, "median", [RIGHT])


def test_an_answer_is_bound_to_its_exercise_beside_its_salt() -> None:
    made = key(mean=[RIGHT])
    moved = AnswerKey(cost=CHEAP, exercises={"median": made.exercises["mean"]})
    assert not is_right(moved, "median", [RIGHT])


def test_an_unknown_exercise_is_refused_and_the_nearest_name_told() -> None:
    with pytest.raises(EvidenceError) as caught:
        is_right(key(median=[RIGHT]), "mediann", [RIGHT])
    assert caught.value.reason == "unknown_exercise"
    assert "median" in (caught.value.hint or "")


# --- the file ---------------------------------------------------------------------------------------------------------


def test_the_hashes_are_those_of_another_implementation_of_argon2id() -> None:
    made = add_answers(AnswerKey(), "mean", [RIGHT], SALT)
    expected = hash_secret_raw(
        secret=f"service:answer-key:v1\0mean\0{RIGHT}".encode(),
        salt=SALT,
        time_cost=5,
        memory_cost=65_536,
        parallelism=1,
        hash_len=32,
        type=Type.ID,
    )
    assert made.exercises["mean"].answers == (expected,)


def test_a_key_is_read_as_it_was_written() -> None:
    made = key(mean=[RIGHT, ALSO_RIGHT], Übung_2=[WRONG])
    text = write_key(made)
    assert text == write_canonical_text(json.loads(text)) + "\n"
    assert parse_key(text.encode()) == made
    assert write_key(parse_key(text.encode())) == text


def test_the_order_in_which_answers_were_given_leaves_no_trace() -> None:
    claims = [digest("test", str(index)) for index in range(4)]
    assert write_key(key(mean=claims)) == write_key(key(mean=claims[::-1]))
    one_by_one = key()
    for claim in claims[::-1]:
        one_by_one = add_answers(one_by_one, "mean", [claim], bytes(16))
    assert write_key(one_by_one) == write_key(key(mean=claims))


def test_an_answer_that_is_added_keeps_the_salt_and_what_was_right_before() -> None:
    made = add_answers(key(mean=[RIGHT]), "mean", [ALSO_RIGHT], OTHER_SALT)
    assert made.exercises["mean"].salt == bytes(16)
    assert is_right(made, "mean", [RIGHT])
    assert is_right(made, "mean", [ALSO_RIGHT])


def test_equal_answers_to_two_exercises_look_different() -> None:
    made = key(mean=[RIGHT], median=[RIGHT])
    assert made.exercises["mean"].answers != made.exercises["median"].answers


def test_nothing_of_an_answer_is_in_the_file() -> None:
    card = computation(value="1234.5")
    text = write_key(key(mean=list(list_claims(card))))
    for told in ("1234.5", "stats", "computation", *list_claims(card), *card["digests"].values()):
        assert told not in text
    assert json.loads(text)["exercises"]["mean"].keys() == {"salt", "answers"}


@pytest.mark.parametrize("name", ["", " ", "a b", "-x", ".x", "a/b", "a\nb", "a\u202eb", "x" * 65, "a=b", "café\u0000"])
def test_a_name_that_could_mislead_is_refused(name: str) -> None:
    with pytest.raises(EvidenceError) as caught:
        normalise_exercise_name(name)
    assert caught.value.reason == "malformed_name"


def test_a_name_is_the_same_however_its_accents_are_typed() -> None:
    assert is_right(add_answers(key(), "caf\u00e9", [RIGHT], SALT), "cafe\u0301", [RIGHT])


def test_a_key_holds_so_many_answers_and_no_more() -> None:
    with pytest.raises(LimitExceededError):
        key(mean=[digest("test", str(index)) for index in range(65)])
