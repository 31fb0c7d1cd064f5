"""Write the vectors of evidence: `python -m tests.vectors.make_evidence`, from the repository's root.

Every expected verdict is written by hand beside its document, in `evidence_cards.py` and its siblings; nothing here
calls the code that the vectors are for.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping

from tests.vectors import (
    evidence_cards,
    evidence_documents,
    evidence_forgeries,
    evidence_outputs,
    evidence_places,
    evidence_receipts,
)
from tests.vectors.evidence_cases import Cases
from tests.vectors.evidence_maker import FOLDER

FILES: Mapping[str, Callable[[], Cases]] = {
    "cards": evidence_cards.cases,
    "forms": evidence_cards.form_cases,
    "forgeries": evidence_forgeries.cases,
    "receipts": evidence_receipts.cases,
    "notebooks": evidence_documents.cases,
    "outputs": evidence_outputs.cases,
    "places": evidence_places.cases,
    "ledgers": evidence_documents.ledger_cases,
}


def main() -> None:
    for name, cases in FILES.items():
        made = list(cases())
        names = Counter(case["name"] for case in made)
        assert max(names.values()) == 1, names.most_common(3)
        lines = ",\n".join(json.dumps(case, ensure_ascii=True) for case in made)
        (FOLDER / f"{name}.json").write_text(f'{{"cases": [\n{lines}\n]}}\n', encoding="utf-8")
        print(f"{name}.json: {len(made)} cases")


if __name__ == "__main__":
    main()
