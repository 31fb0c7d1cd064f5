"""`python -m tests.matrix`: every capability below every setting, printed and kept in build/matrix.{txt,json}.

--sample      some of the certified ones, all of the others; without emulators
a word        only the settings whose names have it, emulators too: `--sample arm64`
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tests.matrix import jobs
from tests.matrix.report import Compared, compare, to_json, to_text
from tests.matrix.run import ROOT, evaluate
from tests.matrix.settings import EMULATED, NATIVE, REFERENCE, Setting, machine


def matrix(settings: Sequence[Setting], chosen: Sequence[jobs.Job]) -> list[Compared]:
    """Return each setting beside the reference, which is run first."""
    reference = evaluate(REFERENCE, chosen)
    rows = [compare(reference, reference, chosen)]
    for setting in settings:
        rows.append(compare(reference, evaluate(setting, chosen), chosen))
        print(f"{setting.name}: {len(rows[-1].moved)} moved", file=sys.stderr, flush=True)
    return rows


def main(arguments: Sequence[str]) -> int:
    is_sample = "--sample" in arguments
    words = [word for word in arguments if not word.startswith("--")]
    settings = NATIVE if is_sample and not words else NATIVE + EMULATED
    chosen = [setting for setting in settings if not words or any(word in setting.name for word in words)]
    rows = matrix(chosen, jobs.sample() if is_sample else jobs.every())
    folder = ROOT / "build"
    folder.mkdir(exist_ok=True)
    (folder / "matrix.json").write_text(to_json(rows, machine()), encoding="utf-8")
    text = to_text(rows, machine())
    (folder / "matrix.txt").write_text(text, encoding="utf-8")
    print(text, end="")
    return 1 if any(row.contradictions for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
