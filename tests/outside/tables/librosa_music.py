"""Notes, tunings, tempos and weightings of sound by librosa."""

from __future__ import annotations

from importlib.metadata import version

import librosa
from oracle import OracleTable

TABLE = OracleTable("librosa", version("librosa"))


def divide_equally(base: float, step: int, divisions: int, period: float) -> float:
    """Return the frequency of a step of an equal division of the octave."""
    assert period == 2
    return float(librosa.cqt_frequencies(step + 1, fmin=base, bins_per_octave=divisions)[step])


TABLE.add(
    "music.note_frequency",
    "librosa.midi_to_hz",
    lambda note, concert_pitch: librosa.midi_to_hz(note),
    draws={"note": [0.0, 127.0], "concert_pitch": [440.0]},
)
TABLE.add(
    "music.equal_division_frequency",
    "librosa.cqt_frequencies",
    divide_equally,
    draws={"base": [20.0, 900.0], "step": [0, 70], "divisions": [5, 53], "period": [2.0]},
)
TABLE.add(
    "music.pythagorean_ratio",
    "librosa.pythagorean_intervals",
    lambda fifths: librosa.pythagorean_intervals(bins_per_octave=fifths + 1, sort=False)[fifths],
    draws={"fifths": [0, 60]},
)
TABLE.add(
    "music.tempo_of_lag",
    "librosa.tempo_frequencies",
    lambda lag, hop, sample_rate: librosa.tempo_frequencies(lag + 1, hop_length=hop, sr=sample_rate)[lag],
    draws={"lag": [1, 400], "hop": [64, 2048], "sample_rate": [8000.0, 96000.0]},
)
LETTERS = [
    f"{letter}{sign}{octave}" for letter in "CDEFGAB" for sign in ("", "#", "b", "##", "bb") for octave in range(-1, 10)
]
TABLE.add("music.note_number", "librosa.note_to_midi", librosa.note_to_midi, draws={"name": LETTERS})
TABLE.add(
    "music.note_name",
    "librosa.midi_to_note",
    lambda note: librosa.midi_to_note(note, unicode=False),
    draws={"note": [0, 127]},
)

TABLE.add("acoustics.slaney_mel", "librosa.hz_to_mel", librosa.hz_to_mel, draws={"frequency": [20.0, 12000.0]})
for _letter, _function in (
    ("a", librosa.A_weighting),
    ("b", librosa.B_weighting),
    ("c", librosa.C_weighting),
    ("d", librosa.D_weighting),
):
    TABLE.add(
        f"acoustics.{_letter}_weighting",
        f"librosa.{_letter.upper()}_weighting",
        lambda frequency, weigh=_function: weigh(frequency, min_db=None),
        draws={"frequency": [20.0, 16000.0]},
        near_zero=1e-12,
    )
