"""Pitch classes, keys, tempos and lengths of notes by music21."""

from __future__ import annotations

from importlib.metadata import version

from music21 import chord, duration, key, pitch, tempo
from oracle import OracleTable

TABLE = OracleTable("music21", version("music21"))
CHORD = {"notes": [36, 84], "n": [1, 8]}


def find_pitch(frequency: float) -> pitch.Pitch:
    """Return the pitch of a frequency."""
    found = pitch.Pitch()
    found.frequency = frequency
    return found


def dot(length: float, dots: int) -> float:
    """Return the length of a note with its dots."""
    found = duration.Duration(length)
    found.dots = dots
    return float(found.quarterLength)


TABLE.add(
    "music.nearest_note",
    "music21.pitch.Pitch.midi",
    lambda frequency, concert_pitch: find_pitch(frequency).midi,
    draws={"frequency": [20.0, 4000.0], "concert_pitch": [440.0]},
)
TABLE.add(
    "music.octave_of_note",
    "music21.pitch.Pitch.octave",
    lambda note: pitch.Pitch(ps=note).octave,
    draws={"note": [0, 127]},
)
TABLE.add(
    "music.pitch_class",
    "music21.pitch.Pitch.pitchClass",
    lambda note: pitch.Pitch(ps=note).pitchClass,
    draws={"note": [0, 127]},
)
TABLE.add(
    "music.interval_class",
    "music21.chord.Chord.intervalVector",
    lambda first, second: (
        (*chord.Chord([first, second]).intervalVector, 1).index(1) + 1 if (second - first) % 12 else 0
    ),
    draws={"first": [36, 84], "second": [36, 84]},
)
TABLE.add(
    "music.note_duration",
    "music21.tempo.MetronomeMark.durationToSeconds",
    lambda quarters, tempo_: tempo.MetronomeMark(number=tempo_).durationToSeconds(quarters),
    draws={"quarters": [0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0], "tempo": [40.0, 220.0]},
)
TABLE.add(
    "music.tempo_of_beat_unit",
    "music21.tempo.convertTempoByReferent",
    tempo.convertTempoByReferent,
    draws={
        "tempo": [40.0, 220.0],
        "beat": [0.25, 0.5, 1.0, 1.5, 2.0, 3.0],
        "other_beat": [0.25, 0.5, 1.0, 1.5, 2.0, 3.0],
    },
)
TABLE.add(
    "music.dotted_length",
    "music21.duration.Duration.quarterLength",
    dot,
    draws={"length": [0.125, 0.25, 0.5, 1.0, 2.0, 4.0], "dots": [0, 4]},
)
TABLE.add(
    "music.tuplet_length",
    "music21.duration.Tuplet.tupletMultiplier",
    lambda length, actual, normal: length * float(duration.Tuplet(actual, normal).tupletMultiplier()),
    draws={"length": [0.25, 4.0], "actual": [2, 13], "normal": [2, 8]},
)
TONICS = [letter + sign for letter in "CDEFGAB" for sign in ("", "#", "b")]
TABLE.add(
    "music.key_signature",
    "music21.key.pitchToSharps",
    lambda tonic, mode: key.pitchToSharps(tonic.replace("b", "-"), mode),
    draws={"tonic": TONICS},
)
TABLE.add(
    "music.normal_order", "music21.chord.Chord.normalOrder", lambda notes: chord.Chord(notes).normalOrder, draws=CHORD
)
TABLE.add("music.prime_form", "music21.chord.Chord.primeForm", lambda notes: chord.Chord(notes).primeForm, draws=CHORD)
TABLE.add(
    "music.interval_vector",
    "music21.chord.Chord.intervalVector",
    lambda notes: chord.Chord(notes).intervalVector,
    draws=CHORD,
)
