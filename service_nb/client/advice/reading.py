"""The line that reads a file anew, in the form that its columns of text seem to have."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from service_nb.readers.dataset import FORM, READING
from service_nb.readers.text_forms import WORDS
from service_nb.schema.source import TypeReason

_SPELT = {sign: word for word, sign in WORDS.items() if sign in " '"}
_PLAIN_WORD = re.compile(r"[^\s'\"`#$]+")
_PLAIN_NAME = re.compile(r"[^\s,=()'\"`]+")


def merge_options(reasons: Sequence[TypeReason], reading: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options with which most columns have another type, beside those that were given; empty if none."""
    merged: dict[str, Any] = {}
    for reason in reasons:
        for key, value in reason.options.items():
            if key == "types":
                if all(map(_PLAIN_NAME.fullmatch, value)):
                    merged["types"] = {**merged.get("types", {}), **value}
            elif key == "nulls":
                merged["nulls"] = sorted({*merged.get("nulls", ()), *value})
            else:
                merged.setdefault(key, value)
    if not merged:
        return {}
    types = {**merged.get("types", {}), **reading.get("types", {})}
    nulls = sorted({*merged.get("nulls", ()), *reading.get("nulls", ())})
    both = {**reading, **merged, "types": types, "nulls": nulls}
    return {key: both[key] for key in READING if both.get(key)}


def write_magic(name: str, origin: object, options: Mapping[str, Any]) -> str | None:
    """Write the line of a notebook that reads a file with these options; None where no line can say them."""
    return write_line("%service_connect", name, origin, options, _quote_word)


def write_line(
    verb: str, name: str, origin: object, options: Mapping[str, Any], quote: Callable[[str], str]
) -> str | None:
    """Write the line with that verb, its words quoted as its reader takes them; None where no line can say them."""
    if not isinstance(origin, str | os.PathLike):
        return None
    words = [name, os.fsdecode(os.fspath(origin)), *write_options(options), "--replace"]
    return " ".join([verb, *map(quote, words)]) if all(word.isprintable() for word in words) else None


def write_options(options: Mapping[str, Any]) -> list[str]:
    """Write reading options as words of a line, in one order."""
    words: list[str] = []
    for key in READING:
        value = options.get(key)
        if value is None:
            continue
        words.append("--" + key.replace("_", "-"))
        if key == "types":
            words.append(",".join(f"{column}={kind}" for column, kind in value.items()))
        elif key == "nulls":
            words.append(",".join(value))
        elif value is not True:
            words.append(_write_sign(key, value))
    return words


def _write_sign(key: str, value: str) -> str:
    if key == "delimiter" and value == "\t":
        return "tab"
    return _SPELT.get(value, value) if key in FORM else value


def _quote_word(word: str) -> str:
    if _PLAIN_WORD.fullmatch(word):
        return word
    return '"' + word.replace('"', '""') + '"'
