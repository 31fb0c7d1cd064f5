"""Print how the cases end, or those of which the name holds a word: `python -m tests.rows.show [WORD]`."""

import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.rows.case import run
from tests.rows.cases import CASES

word = sys.argv[1] if len(sys.argv) > 1 else ""
counts: Counter[tuple[str, str]] = Counter()
for case in CASES:
    if word not in f"{case.kind} {case.id}":
        continue
    with tempfile.TemporaryDirectory() as folder:
        try:
            ending = run(case, Path(folder))
        except Exception as error:  # what is no error of the product is shown as what it is
            print("BROKEN", case.kind, "|", case.id, "|", type(error).__name__, str(error)[:300])
            continue
    counts[case.kind, ending.verdict] += 1
    if not ending.welcome or word:
        print(ending.verdict.upper(), case.kind, "|", case.id, "|", case.question, "|", ending.told[:400])
for (kind, verdict), count in sorted(counts.items()):
    print(f"{kind:12} {verdict:8} {count}")
