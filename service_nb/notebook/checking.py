"""`%service_check`: the last result beside a key file, and one word on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from service_nb.cards.blocks import Block, Status
from service_nb.cards.bundle import write_bundle
from service_nb.core.words import shown
from service_nb.errors import InvalidIntentError
from service_nb.evidence.answer_key import KEY_BYTES, KEY_SUFFIX, claims_of, exercise_name, is_right, parse_key
from service_nb.notebook.faces import Bundle, Shown
from service_nb.readers.files import read_bytes


class AnswerPage(Shown, dict[str, Any]):
    """Whether the last result is an accepted answer: `exercise`, and `status` right, wrong or not_asked.

    There is nothing else in it: what a wrong answer is wrong in would be a hint of the right one.
    """

    def _repr_mimebundle_(self, **_: Any) -> Bundle:
        return write_bundle(_blocks(self))


def check_answer(
    exercise: str, card: Mapping[str, Any] | None, *, key: str | None = None, folder: Path | None = None
) -> AnswerPage:
    """Compare a result with the key.

    Parameters
    ----------
    exercise : str
        The name that it has in the key.
    card : Mapping, optional
        The card of the last result of the session; None if nothing was asked or computed yet.
    key : str, optional
        The path of the key file; by default the one beside the notebook.
    folder : Path, optional
        Where the notebook is; the current folder unless told.

    Raises
    ------
    EvidenceError [evidence_invalid]
        The key does not hold, has no such exercise, or the card does not hold what is compared; the reason says which.
    InvalidIntentError [invalid_intent]
        None was named, and beside the notebook there is none, or more than one.
    SourceNotFoundError [source_not_found]
        The file that was named is not there.
    """
    path = Path(key).expanduser() if key is not None else find_key(folder or Path())
    read = parse_key(read_bytes(path, KEY_BYTES, "key_bytes")[0])
    claims: Sequence[str] = () if card is None else claims_of(card)
    right = is_right(read, exercise, claims)
    status = "not_asked" if card is None else "right" if right else "wrong"
    return AnswerPage(exercise=exercise_name(exercise), status=status)


def find_key(folder: Path) -> Path:
    """Return the one key file of a folder.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        There is none, or more than one.
    """
    found = sorted(path for path in folder.glob(f"*{KEY_SUFFIX}") if path.is_file())
    if len(found) == 1:
        return found[0]
    names = [shown(path.name) for path in found[:5]]
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


def _blocks(page: Mapping[str, Any]) -> list[Block]:
    exercise = page["exercise"]
    if page["status"] == "right":
        return [Status(tone="answered", label="Right", note=exercise)]
    if page["status"] == "wrong":
        return [Status(tone="rejected", label="Not right", note=exercise)]
    return [Status(tone="unclear", label="Nothing to check yet", note=f"{exercise}: ask or compute first")]
