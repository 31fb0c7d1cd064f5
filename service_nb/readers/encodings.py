"""Propose encodings of a text that is not UTF-8: those that its bytes allow, in which words look like words."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

KNOWN = ("cp1252", "mac_roman", "cp1250", "cp1251", "shift_jis", "gb18030")
_READ = 200_000  # bytes that are looked at
_SHOWN = 24  # characters of the word that is shown
_LEGACY = 1.0  # points that a rarer encoding has to be better by: each could be any
_MOST = 2
_SIGNS = "\u2019\u2013\u2014\u2026\u00bb\u201d\u201c\u20ac\u2122\u00ae\u00b0"  # that may stand behind a letter


def propose_encodings(data: bytes) -> list[tuple[str, str]]:
    """Propose at most two encodings, the likelier first, each with the first word that it reads differently.

    Parameters
    ----------
    data : bytes
        A text that is not UTF-8.

    Returns
    -------
    list of tuple
        Names as Python and `connect` take them, and words as they would be read; empty if none fits.
    """
    head = data[:_READ].rpartition(b"\n")[0] or data[:_READ]
    found: list[tuple[float, str, str]] = []
    for place, name in enumerate(KNOWN):
        try:
            text = head.decode(name)
        except UnicodeDecodeError:
            continue
        found.append((_count_faults(text) + place * _LEGACY / len(KNOWN), name, _find_word(text)))
    found.sort()
    likely = [each for each in found if each[0] < found[0][0] + _LEGACY]
    return [(name, word) for _, name, word in likely[:_MOST]]


def _count_faults(text: str) -> float:
    """Count what hardly stands in a word: a capital behind a small letter, a sign, a control character."""
    faults = 0.0
    for before, char in pairwise(text):
        if char.isascii():
            continue
        kind = unicodedata.category(char)
        if kind == "Cc":
            faults += 4
        elif (before.isalpha() and (kind == "Lu" and before.islower())) or (
            before.isalpha() and kind[0] in "SPN" and char not in _SIGNS
        ):
            faults += 2
        elif kind == "Lo" or unicodedata.name(char, "").startswith("CYRILLIC"):
            faults += 0.2 if not before.isascii() else 0.6  # words of such a script are whole in it
    return faults


def _find_word(text: str) -> str:
    word = next((each for each in text.replace(";", " ").replace(",", " ").split() if not each.isascii()), "")
    return word[:_SHOWN]
