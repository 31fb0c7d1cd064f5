"""Answer keys of exercises: files that check an answer and do not reveal it.

::

    {"exercises": {"median": {"answers": ["<64 hex digits>", …], "salt": "<32 hex digits>"}},
     "kdf": {"iterations": 5, "lanes": 1, "memory_kib": 65536, "name": "argon2id"},
     "service_nb_key": 1}

as canonical JSON. An answer is Argon2id over "service:answer-key:v1" NUL exercise NUL claim, salted for each exercise;
the accepted answers of one stand in the order of their hashes, which tells nothing. A claim is a digest that stands for
a result:

===========================  =====================================================================================
query                        result_hash: the plan and its rows, without the name of the source
computation                  H("service:answer:v1", canonical JSON of function, input_hash, module, seed and value)
clarification, rejection     refusal_hash
===========================  =====================================================================================

`computation_hash` covers the platform and the contract as well, so that one right answer has another on a Mac, and
another after an update. What an exercise asks for is the call, its arguments and its value; that is hashed here, from
the card's canonical texts. `input_hash` is of the arguments in the order of the parameters, so it is the same whether
they were named or not, and whatever their source is called.

Salts come in as arguments: nothing here draws one. A key file is hostile input, so the cost that it may ask for is
bounded, and so is its size.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.constant_time import bytes_eq
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

from service_nb.core.canonical import parse_strict, write_canonical_text
from service_nb.core.digest import digest
from service_nb.core.words import describe_value, find_nearest
from service_nb.errors import CanonicalJsonError, DriverMissingError, EvidenceError, LimitExceededError

KEY_SUFFIX = ".servicekey.json"
KEY_BYTES = 256 * 1024
SALT_BYTES = 16

_VERSION = 1
_KDF = "argon2id"
_HASH_BYTES = 32
_EXERCISES, _ANSWERS = 1_000, 64  # at most, in a file and for one exercise
# What a file may ask for. Below, an answer would be found too fast; above, a file could hold up who reads it.
_MEMORY_KIB, _ITERATIONS = range(19 * 1024, 64 * 1024 + 1), range(2, 17)
_ANSWER_DOMAIN, _KEY_DOMAIN = "service:answer:v1", "service:answer-key:v1"
_NAME = re.compile(r"\w[\w.-]{0,63}")
_HEX = re.compile(r"[0-9a-f]*")
_COMPARED = ("function", "module", "seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """The cost of one guess: by default about 0.3 s of one core, and 64 MB."""

    memory_kib: int = 64 * 1024
    iterations: int = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Exercise:
    """The hashes of the accepted answers to one exercise, sorted."""

    salt: bytes
    answers: tuple[bytes, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerKey:
    """The content of a key file."""

    cost: Cost = field(default_factory=Cost)
    exercises: Mapping[str, Exercise] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """The names of the exercises."""
        return sorted(self.exercises)


# --- what stands for a result -----------------------------------------------------------------------------------------


def list_claims(card: Mapping[str, Any]) -> tuple[str, ...]:
    """List the digests that stand for the result of a well-formed card; keys are made from the first.

    Of a computation the second is its `computation_hash`, for keys that were made from such a hash alone.

    Raises
    ------
    EvidenceError [evidence_invalid]
        The card is of a kind that answers nothing (reason `no_answer`), lacks a text (`text_not_kept`), or its identity
        is none (`malformed_card`).
    """
    kind, digests = card["kind"], card["digests"]
    if kind == "query":
        return (digests["result_hash"],)
    if kind in ("clarification", "rejection"):
        return (digests["refusal_hash"],)
    if kind != "computation":
        _refuse(
            f"A card of the kind {describe_value(kind)} does not hold an answer.",
            "no_answer",
            "Take one of a question or a computation.",
        )
    return _hash_call(card["canonical"], digests["input_hash"]), digests["computation_hash"]


def _hash_call(texts: Mapping[str, str], input_hash: str) -> str:
    for name in ("identity", "value"):
        if name not in texts:
            hint = "Take a result whose texts fit into its card: long arrays as columns, and a shorter value."
            _refuse(f"The card does not hold the computation's {name}.", "text_not_kept", hint)
    identity = parse_strict(texts["identity"])
    if not isinstance(identity, dict) or not identity.keys() >= set(_COMPARED):
        _refuse("The card's identity names no call.", "malformed_card", "Verify the card before it is used.")
    call = {name: identity[name] for name in _COMPARED}
    return digest(_ANSWER_DOMAIN, write_canonical_text({**call, "input_hash": input_hash, "value": texts["value"]}))


# --- making and asking ------------------------------------------------------------------------------------------------


def add_answers(key: AnswerKey, name: str, claims: Iterable[str], salt: bytes) -> AnswerKey:
    """Return the key with accepted answers added to an exercise, which is made if it is new.

    Parameters
    ----------
    claims : iterable of str
        The first digest of `list_claims`, or a `result_hash` or `computation_hash` as it stands in a card.
    salt : bytes
        `SALT_BYTES` random bytes for a new exercise; one that is there keeps its own.

    Raises
    ------
    EvidenceError [evidence_invalid]
        The name is none (reason `malformed_name`).
    LimitExceededError [limit_exceeded]
        More exercises or answers than a key file holds.
    """
    name, claims = normalise_exercise_name(name), set(claims)
    former = key.exercises.get(name, Exercise(salt=salt, answers=()))
    _require_at_most(_ANSWERS, len(claims), "answers")
    _require_at_most(_EXERCISES, len(key.exercises.keys() | {name}), "exercises")
    hashes = {_hash_claim(claim, name, former.salt, key.cost) for claim in claims}
    answers = tuple(sorted(hashes.union(former.answers)))
    _require_at_most(_ANSWERS, len(answers), "answers")
    return replace(key, exercises={**key.exercises, name: replace(former, answers=answers)})


def is_right(key: AnswerKey, name: str, claims: Sequence[str]) -> bool:
    """Tell whether one of the digests is an accepted answer to an exercise; each test costs as much as the key says.

    Raises
    ------
    EvidenceError [evidence_invalid]
        The key has no such exercise (reason `unknown_exercise`).
    """
    exercise = key.exercises.get(normalise_exercise_name(name))
    if exercise is None:
        near = find_nearest(name, key.names, 1)
        _refuse(
            f"The key has no exercise {describe_value(name)}.",
            "unknown_exercise",
            f"Did you mean {near[0]}?" if near else f"It has {', '.join(key.names[:20]) or 'none'}.",
        )
    hashes = [_hash_claim(claim, normalise_exercise_name(name), exercise.salt, key.cost) for claim in claims]
    # All are compared, and each to its end: how long it takes says nothing of which one was near.
    return sum(bytes_eq(answer, met) for answer in exercise.answers for met in hashes) > 0


def normalise_exercise_name(text: str) -> str:
    """Return the name of an exercise as keys hold it: letters, digits, and after the first also `.`, `-` and `_`.

    Raises
    ------
    EvidenceError [evidence_invalid]
        It is none (reason `malformed_name`).
    """
    name = unicodedata.normalize("NFC", text[:256])
    if not _NAME.fullmatch(name):
        _refuse(
            f"{describe_value(text)} is not a valid name of an exercise.",
            "malformed_name",
            "It has 1 to 64 letters and digits, and between them . - and _.",
        )
    return name


def _require_at_most(limit: int, met: int, what: str) -> None:
    if met > limit:
        raise LimitExceededError(f"A key holds at most {limit:,} {what}.", limit=limit, value=met)


def _hash_claim(claim: str, name: str, salt: bytes, cost: Cost) -> bytes:
    message = f"{_KEY_DOMAIN}\0{name}\0{claim}".encode()
    try:
        slow = Argon2id(salt=salt, length=_HASH_BYTES, iterations=cost.iterations, lanes=1, memory_cost=cost.memory_kib)
    except UnsupportedAlgorithm as error:  # cryptography that was built upon an OpenSSL before 3.2
        raise DriverMissingError(
            "The library cryptography was built without Argon2id here.", hint="pip install --upgrade cryptography"
        ) from error
    return slow.derive(message)


# --- the file ---------------------------------------------------------------------------------------------------------


def write_key(key: AnswerKey) -> str:
    """Write the content of a key file."""
    kdf = {"name": _KDF, "memory_kib": key.cost.memory_kib, "iterations": key.cost.iterations, "lanes": 1}
    exercises = {
        name: {"salt": exercise.salt.hex(), "answers": [answer.hex() for answer in exercise.answers]}
        for name, exercise in key.exercises.items()
    }
    return write_canonical_text({"service_nb_key": _VERSION, "kdf": kdf, "exercises": exercises}) + "\n"


def parse_key(content: bytes) -> AnswerKey:
    """Read the content of a key file.

    Raises
    ------
    EvidenceError [evidence_invalid]
        Reasons `too_large`, `malformed_json`, `malformed_key`, `unknown_version`, `unknown_kdf`, `cost_out_of_bounds`.
    """
    document = _read_document(content)
    if document["service_nb_key"] != _VERSION or type(document["service_nb_key"]) is not int:
        _refuse("The key is of another version.", "unknown_version", "Update service_nb.")
    exercises = document["exercises"]
    if not isinstance(exercises, dict) or len(exercises) > _EXERCISES:
        _refuse_malformed(f"exercises are an object of at most {_EXERCISES:,}")
    cost = _read_cost(document["kdf"])
    read = {name: _read_exercise(name, exercise) for name, exercise in exercises.items()}
    if len({exercise.salt for exercise in read.values()}) != len(read):
        _refuse_malformed("two exercises have the same salt")
    return AnswerKey(cost=cost, exercises=read)


def _read_document(content: bytes) -> dict[str, object]:
    try:
        document = parse_strict(content, max_bytes=KEY_BYTES, max_depth=4)
    except LimitExceededError as error:
        _refuse(f"The key file is too large: {error.message}", "too_large", "The file is not a key file of service-nb.")
    except CanonicalJsonError as error:
        _refuse(f"The key file is no JSON: {error.message}", "malformed_json", "Get a new copy from its author.")
    if not isinstance(document, dict) or document.keys() != {"service_nb_key", "kdf", "exercises"}:
        _refuse_malformed("it does not hold exactly service_nb_key, kdf and exercises")
    return document


def _read_cost(kdf: object) -> Cost:
    if not isinstance(kdf, dict) or not isinstance(kdf.get("name"), str):
        _refuse_malformed("kdf does not name how answers are hashed")
    if kdf["name"] != _KDF:
        _refuse(f"The key's answers are hashed by {describe_value(kdf['name'])}.", "unknown_kdf", f"Known is {_KDF}.")
    if kdf.keys() != {"name", "memory_kib", "iterations", "lanes"} or any(
        type(kdf[name]) is not int for name in ("memory_kib", "iterations", "lanes")
    ):
        _refuse_malformed("kdf does not hold exactly name, memory_kib, iterations and lanes, whole numbers")
    if kdf["lanes"] != 1 or kdf["memory_kib"] not in _MEMORY_KIB or kdf["iterations"] not in _ITERATIONS:
        _refuse(
            "The hashing parameters of the key are outside the allowed range.",
            "cost_out_of_bounds",
            f"Allowed are {_MEMORY_KIB[0]:,} to {_MEMORY_KIB[-1]:,} KiB, {_ITERATIONS[0]} to {_ITERATIONS[-1]} "
            "iterations and one lane.",
        )
    return Cost(memory_kib=kdf["memory_kib"], iterations=kdf["iterations"])


def _read_exercise(name: str, exercise: object) -> Exercise:
    if not _NAME.fullmatch(name) or unicodedata.normalize("NFC", name) != name:
        _refuse_malformed(f"{describe_value(name)} is not a valid name of an exercise")
    if not isinstance(exercise, dict) or exercise.keys() != {"salt", "answers"}:
        _refuse_malformed(f"{name} does not hold exactly salt and answers")
    answers = exercise["answers"]
    if not isinstance(answers, list) or not 1 <= len(answers) <= _ANSWERS:
        _refuse_malformed(f"{name} does not have 1 to {_ANSWERS} answers")
    read = [_decode_hex(answer, _HASH_BYTES, name) for answer in answers]
    if any(first >= second for first, second in itertools.pairwise(read)):
        _refuse_malformed(f"the answers of {name} are not in the order of their hashes, each once")
    return Exercise(salt=_decode_hex(exercise["salt"], SALT_BYTES, name), answers=tuple(read))


def _decode_hex(text: object, count: int, name: str) -> bytes:
    if not isinstance(text, str) or len(text) != 2 * count or not _HEX.fullmatch(text):
        _refuse_malformed(f"{name} holds something else than {2 * count} hex digits")
    return bytes.fromhex(text)


def _refuse_malformed(what: str) -> NoReturn:
    _refuse(f"The key file is malformed: {what}.", "malformed_key", "Get a new copy from its author.")


def _refuse(message: str, reason: str, hint: str) -> NoReturn:
    raise EvidenceError(message, reason=reason, hint=hint) from None
