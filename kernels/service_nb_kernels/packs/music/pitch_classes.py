"""Names of notes, keys, and sets of pitch classes."""

from __future__ import annotations

import re

from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError

SEMITONES = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}
NAMES = ("C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B")
FIFTHS = {"F": -1, "C": 0, "G": 1, "D": 2, "A": 3, "E": 4, "B": 5}
MODES = {"major": 0, "minor": -3, "dorian": -2, "phrygian": -4, "lydian": 1, "mixolydian": -1, "locrian": -5}
NOTE = re.compile(r"([A-G])(#{0,3}|b{0,3})(-?\d{1,2})")
TONIC = re.compile(r"([A-G])(#{0,3}|b{0,3})")
NOTES = {"notes": P("int[n]", domain="[-1000000, 1000000]", about="MIDI numbers or pitch classes", min_size=1)}


def count_accidentals(accidentals: str) -> int:
    """Count sharps, flats as negative."""
    return accidentals.count("#") - accidentals.count("b")


def pack_classes(notes: list[int]) -> list[int]:
    """Return the rotation of the pitch classes that spans least and lies closest to its first."""
    classes = sorted({note % 12 for note in notes})
    rotations = [classes[k:] + classes[:k] for k in range(len(classes))]
    return min(rotations, key=lambda each: (_measure(each)[-1], _measure(each), each[0]))


def _measure(classes: list[int]) -> list[int]:
    return [(each - classes[0]) % 12 for each in classes]


@capability(
    "music.note_number",
    tier="certified",
    source="midi1996",
    keywords=["note to midi", "scientific pitch notation", "key number"],
    params={"name": P("string", about="letter, sharps (#) or flats (b), octave, such as C#4 or Bb-1")},
    result=R("int", about="MIDI note number"),
    cases=[
        case(name="Gbb5", result=77, origin="librosa 0.11.0, librosa.note_to_midi"),
        case(name="C1", result=24, origin="librosa 0.11.0, librosa.note_to_midi"),
    ],
)
def note_number(name: str) -> int:
    """MIDI number of a note from its name, such as 60 for C4, middle C."""
    found = NOTE.fullmatch(name)
    if found is None:
        raise DomainError("name", name[:40], "a letter from A to G, sharps or flats, and an octave")
    letter, accidentals, octave = found.groups()
    return 12 * (int(octave) + 1) + SEMITONES[letter] + count_accidentals(accidentals)


@capability(
    "music.note_name",
    tier="certified",
    source="midi1996",
    keywords=["midi to note", "scientific pitch notation"],
    params={"note": P("int", domain="[-1000, 1000]", about="MIDI note number")},
    result=R("string", about="letter, a sharp (#) where it needs one, and octave"),
    cases=[
        case(note=111, result="D#8", origin="librosa 0.11.0, librosa.midi_to_note"),
        case(note=124, result="E9", origin="librosa 0.11.0, librosa.midi_to_note"),
    ],
)
def note_name(note: int) -> str:
    """Name of a MIDI note with its octave, spelled with sharps, such as C#4 for 61."""
    return f"{NAMES[note % 12]}{note // 12 - 1}"


@capability(
    "music.key_signature",
    tier="certified",
    source="read1969, ch. 9",
    keywords=["circle of fifths", "sharps and flats of a scale"],
    params={
        "tonic": P("string", about="letter and sharps (#) or flats (b), such as Eb"),
        "mode": P("string", choices=list(MODES), default="major", about="mode of the key"),
    },
    result=R("int", about="sharps, or flats as a negative number"),
    cases=[
        case(tonic="G#", mode="mixolydian", result=7, origin="music21 10.5.1, music21.key.pitchToSharps"),
        case(tonic="Fb", mode="major", result=-8, origin="music21 10.5.1, music21.key.pitchToSharps"),
    ],
)
def key_signature(tonic: str, mode: str) -> int:
    """Number of sharps in the signature of a key, negative for flats."""
    found = TONIC.fullmatch(tonic)
    if found is None:
        raise DomainError("tonic", tonic[:40], "a letter from A to G, and sharps or flats")
    letter, accidentals = found.groups()
    return FIFTHS[letter] + 7 * count_accidentals(accidentals) + MODES[mode]


@capability(
    "music.normal_order",
    tier="certified",
    source="forte1973, sec. 1.2",
    keywords=["normal form", "pitch-class set", "set theory", "chord"],
    params=NOTES,
    result=R("int[m]", about="pitch classes in normal order"),
    limit={"n": 100000},
    cases=[
        case(
            notes=[59, 83, 79, 55, 45, 71, 42, 56],
            result=[6, 7, 8, 9, 11],
            origin="music21 10.5.1, music21.chord.Chord.normalOrder",
        ),
        case(
            notes=[51, 64, 68, 57, 78, 60, 72, 55],
            result=[3, 4, 6, 7, 8, 9, 0],
            origin="music21 10.5.1, music21.chord.Chord.normalOrder",
        ),
    ],
)
def normal_order(notes: list[int]) -> list[int]:
    """Order of the pitch classes of a chord that spans least, packed to the left (normal order)."""
    return pack_classes(notes)


@capability(
    "music.prime_form",
    tier="certified",
    source="forte1973, sec. 1.2",
    keywords=["pitch-class set", "set class", "set theory", "chord"],
    params=NOTES,
    result=R("int[m]", about="pitch classes of the prime form, the first 0"),
    limit={"n": 100000},
    cases=[
        case(notes=[65], result=[0], origin="music21 10.5.1, music21.chord.Chord.primeForm"),
        case(
            notes=[51, 72, 61, 47, 55, 82, 42],
            result=[0, 1, 2, 3, 5, 8, 9],
            origin="music21 10.5.1, music21.chord.Chord.primeForm",
        ),
    ],
)
def prime_form(notes: list[int]) -> list[int]:
    """Prime form, after Forte, of the set of pitch classes of a chord: the same for transpositions and inversions."""
    forms = [_measure(pack_classes(each)) for each in (notes, [-note for note in notes])]
    return min(forms, key=lambda form: (form[-1], form))


@capability(
    "music.interval_vector",
    tier="certified",
    source="forte1973, sec. 1.5",
    keywords=["interval-class vector", "pitch-class set", "set theory"],
    params=NOTES,
    result=R("int[m]", about="pairs of pitch classes that are 1, 2, … 6 semitones apart"),
    limit={"n": 100000},
    cases=[
        case(
            notes=[77, 65, 80, 39, 52],
            result=[2, 1, 1, 1, 1, 0],
            origin="music21 10.5.1, music21.chord.Chord.intervalVector",
        ),
        case(notes=[83], result=[0, 0, 0, 0, 0, 0], origin="music21 10.5.1, music21.chord.Chord.intervalVector"),
    ],
)
def interval_vector(notes: list[int]) -> list[int]:
    """Number of intervals of each of the six interval classes in a chord (interval vector)."""
    classes = sorted({note % 12 for note in notes})
    found = [0] * 6
    for place, first in enumerate(classes):
        for second in classes[place + 1 :]:
            found[min(second - first, 12 - second + first) - 1] += 1
    return found
