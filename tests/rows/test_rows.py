"""Silent wrong rows: each case of the corpus ends in the right value, a refusal, or a value with a note; none in silence."""

from collections import Counter

import pytest

from tests.rows.case import Case, Ending, run
from tests.rows.cases import CASES


@pytest.fixture(scope="module")
def endings(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Case, Ending]]:
    return [(case, run(case, tmp_path_factory.mktemp("case"))) for case in CASES]


def test_the_corpus_is_large_and_each_case_has_a_name_of_its_own() -> None:
    assert len(CASES) >= 300
    assert [name for name, count in Counter(case.id for case in CASES).items() if count > 1] == []


def test_no_wrong_row_is_silent(endings: list[tuple[Case, Ending]]) -> None:
    counts = Counter(ending.verdict for _, ending in endings)
    print({verdict: counts[verdict] for verdict in ("right", "refused", "noted", "silent", "broken")})
    assert _list(endings, "silent") == []


def test_each_refusal_has_a_reason(endings: list[tuple[Case, Ending]]) -> None:
    assert _list(endings, "broken") == []


def test_what_has_a_right_answer_is_answered(endings: list[tuple[Case, Ending]]) -> None:
    assert _list(endings, "refused") == []


def _list(endings: list[tuple[Case, Ending]], verdict: str) -> list[str]:
    return [
        f"{case.kind} {case.id}: {ending.told}"
        for case, ending in endings
        if ending.verdict == verdict and not ending.welcome
    ]
