"""The magic of exercises, which compares the answer of this cell, or of the one that ran before it, with a key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from service_nb.cards.blocks import Block, Table, Title, build_heads
from service_nb.cards.faces import Bundle
from service_nb.core.words import describe_value
from service_nb.errors import InvalidIntentError
from service_nb.notebook.displays import ShownDict
from service_nb.notebook.magic import Arguments, Flag, Magic, Words
from service_nb.notebook.session import Attempts, ServiceMagics

if TYPE_CHECKING:
    from service_nb.evidence.answer_key import AnswerKey

_WORDS = {"right": "Right", "wrong": "Not right", "not_asked": "No answer yet"}


class AnswerCheck(ShownDict):
    """The outcome of a check of one exercise; its output's metadata says the same to whoever counts attempts."""

    def _repr_mimebundle_(self, **_: object) -> Bundle:
        from service_nb.evidence.worksheet import CHECK_METADATA  # noqa: PLC0415  # lazy: it loads cryptography

        data, metadata = super()._repr_mimebundle_()
        return data, {**metadata, CHECK_METADATA: dict(self)}


def run_check(session: ServiceMagics, arguments: Arguments) -> object:
    """Compare an answer with an answer key, which does not hold the answer.

    %service_check EXERCISE
    %service_check EXERCISE $variable
    %service_check, all exercises of the key and how they stand

    The answer is the last result of this cell or of the cell that ran just before it, or the one in the variable. The
    key is the *.servicekey.json beside the notebook, or what --key names.

    %service_check median_delay
    %service_check slope $answer --key answers.servicekey.json
    %service_check
    """
    from service_nb.client.results import get_result_id  # noqa: PLC0415  # lazy: loading the extension loads no Arrow
    from service_nb.evidence.answer_key import normalise_exercise_name  # noqa: PLC0415  # lazy: it loads cryptography

    key = read_key(arguments.get_text("--key"), Path.cwd())
    if not arguments.words:
        return ShownDict(_list_statuses(key, session.attempts), compose_score)
    exercise = normalise_exercise_name(arguments.words[0].text)
    result = _find_answer(session, arguments, exercise)
    checked = check_answer(key, exercise, None if result is None else result.card)
    session.attempts.add(exercise, None if result is None else get_result_id(result), checked["status"])
    return AnswerCheck({**checked, "attempts": session.attempts.count(exercise)}, compose_answer_check)


def _find_answer(session: ServiceMagics, arguments: Arguments, exercise: str) -> Any:
    """Find the result that the line means; None where the cell of the answer made none."""
    from service_nb.client.results import get_result_id  # noqa: PLC0415  # lazy: as above

    if len(arguments.words) == 1:
        latest = session.results[-1] if session.results else None
        is_fresh = session.shell.execution_count - session.answered_at <= 1
        is_known = latest is not None and session.attempts.has(exercise, get_result_id(latest))
        return latest if is_fresh or is_known else None
    word = arguments.words[1]
    value = arguments.find_variable(word.raw.removeprefix("$"))
    if not isinstance(getattr(value, "card", None), dict):
        raise InvalidIntentError(
            f"{word.raw} is not a result.",
            hint=f"Keep one with `x = %service_ask …`, then run %service_check {exercise} $x.",
            met=type(value).__name__,
            expected="the result of a question or a computation",
        )
    return value


def check_answer(key: AnswerKey, exercise: str, card: Mapping[str, object] | None) -> dict[str, str]:
    """Compare a result with a key: right, wrong or not asked; a wrong answer gets no details.

    Raises
    ------
    EvidenceError [evidence_invalid]
        The key has no such exercise, or the card does not hold what is compared; the reason says which.
    """
    from service_nb.evidence.answer_key import is_right, list_claims, normalise_exercise_name  # noqa: PLC0415  # lazy: as above

    claims: Sequence[str] = () if card is None else list_claims(card)
    is_accepted = is_right(key, exercise, claims)
    status = "not_asked" if card is None else "right" if is_accepted else "wrong"
    return {"exercise": normalise_exercise_name(exercise), "status": status}


def read_key(path: str | None, folder: Path) -> AnswerKey:
    """Read the key file that is named, or the one in the folder of the notebook.

    Raises
    ------
    EvidenceError [evidence_invalid]
        It is malformed; the reason says how.
    InvalidIntentError [invalid_intent]
        None was named, and beside the notebook there is none, or more than one.
    SourceNotFoundError [source_not_found]
        The file that was named is not there.
    """
    from service_nb.evidence.answer_key import KEY_BYTES, parse_key  # noqa: PLC0415
    from service_nb.readers.source_files import read_bytes  # noqa: PLC0415  # lazy: as above

    chosen = Path(path).expanduser() if path is not None else find_key(folder)
    return parse_key(read_bytes(chosen, KEY_BYTES, "key_bytes")[0])


def find_key(folder: Path) -> Path:
    """Find the one key file of a folder.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        There is none, or more than one.
    """
    from service_nb.evidence.answer_key import KEY_SUFFIX  # noqa: PLC0415  # lazy: as above

    found = sorted(path for path in folder.glob(f"*{KEY_SUFFIX}") if path.is_file())
    if len(found) == 1:
        return found[0]
    names = [describe_value(path.name) for path in found[:5]]
    raise InvalidIntentError(
        f"Beside the notebook there are {len(found)} key files."
        if found
        else "There is no key file beside the notebook.",
        hint=f"Choose one with --key: {', '.join(names)}."
        if found
        else f"Put *{KEY_SUFFIX} there, or give one with --key.",
        met=len(found),
        expected=1,
    )


def _list_statuses(key: AnswerKey, attempts: Attempts) -> dict[str, object]:
    exercises = [
        {"exercise": name, "status": attempts.statuses.get(name, "not_asked"), "attempts": attempts.count(name)}
        for name in key.names
    ]
    return {"right": sum(each["status"] == "right" for each in exercises), "exercises": exercises}


# --- pages ------------------------------------------------------------------------------------------------------------


def compose_answer_check(page: Mapping[str, Any]) -> list[Block]:
    """Compose the outcome of a check: right, not right, or no answer yet; more would be a hint."""
    exercise, attempts, status = page["exercise"], page["attempts"], page["status"]
    word = _WORDS[status]
    if status == "not_asked":
        return [Title(word, f"{exercise}: run the cell of your answer, then this one")]
    note = f"{exercise} · attempt {attempts}" if attempts > 1 else exercise
    return [Title(word, note, "answered" if status == "right" else "rejected")]


def compose_score(page: Mapping[str, Any]) -> Iterator[Block]:
    """Compose the state of all exercises in this session."""
    exercises = page["exercises"]
    yield Title(f"{page['right']} of {len(exercises)} right", "in this session")
    rows = tuple((each["exercise"], _WORDS[each["status"]], str(each["attempts"])) for each in exercises)
    yield Table(build_heads("exercise", "", "attempts", whole=("exercise",)), rows, "")


CHECK = Magic(
    "%service_check",
    run_check,
    flags=(Flag("--key", "the answer key", "FILE"),),
    words=Words(0, 2, "the name of an exercise, and a variable that holds its answer"),
)
