"""What it costs to guess at an answer key: through our own code, and as fast as an attacker could without it."""

from __future__ import annotations

from argon2.low_level import Type, hash_secret_raw

from benchmarks.measure import Row, best_beside
from service_nb.evidence.answer_key import AnswerKey, Cost, add_answers, is_right

SALT = bytes(16)


def main() -> list[Row]:
    key = add_answers(AnswerKey(), "mean", ["0" * 64], SALT)
    ours, theirs = best_beside(lambda: is_right(key, "mean", ["1" * 64]), attack)
    # Fewer than five a second: a lesson's whole answer space of a thousand questions takes minutes, a million days.
    return [
        Row(
            "guesses at an answer key, per core",
            f"{1 / ours:.2f}/s",
            f"argon2-cffi {1 / theirs:.2f}/s",
            ours / theirs,
            "<= 10/s",
            1 / min(ours, theirs) <= 10,
        )
    ]


def attack() -> bytes:
    cost = Cost()
    return hash_secret_raw(
        secret=b"a guess",
        salt=SALT,
        time_cost=cost.iterations,
        memory_cost=cost.memory_kib,
        parallelism=1,
        hash_len=32,
        type=Type.ID,
    )
