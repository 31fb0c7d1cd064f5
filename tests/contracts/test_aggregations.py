"""Whatever speaks of aggregations knows all of them: who forgot one is named here."""

from __future__ import annotations

from pathlib import Path

import pytest

from service_nb.engines import canary
from service_nb.query.aggregations import RECORDS
from service_nb.query.aggregations.aggregation import Measure, normalise_zero
from service_nb.query.spelling import Spelling
from tests.engines import adversarial, fuzzing
from tests.engines.written import QUESTIONS
from typescript import shapes

ROOT = Path(__file__).parents[2]


def test_typescript_and_the_verifier_that_stands_alone_have_the_words_of_every_aggregation() -> None:
    stale = [path.name for path, text in shapes.write_outputs() if path.read_text(encoding="utf-8") != text]
    assert stale == [], "run `make schema`"


@pytest.mark.parametrize("name", RECORDS)
def test_an_aggregation_is_named_after_its_module_and_has_words(name: str) -> None:
    record = RECORDS[name]
    assert record.name == name
    assert "{of}" in record.step
    finished = record.measure in (Measure.TOTAL, Measure.MIDDLES, Measure.SQUARES)
    assert (record.finish is not normalise_zero) == finished
    assert record.help.endswith(".")


def test_no_two_aggregations_have_one_synonym() -> None:
    words = [word for record in RECORDS.values() for word in (record.name, *record.synonyms)]
    assert len(set(words)) == len(words)


@pytest.mark.parametrize("name", RECORDS)
def test_an_aggregation_is_compared_across_engines(name: str) -> None:
    fields = canary._build_fields(Spelling())
    assert name in {plan.aggregation for plan in canary._iter_plans(fields)}, "canary"
    assert name in {spec["aggregation"] for spec in QUESTIONS.values()}, "golden SQL"
    assert name in {plan.aggregation for plan in adversarial.plans(adversarial.core(), 100)}, "adversarial tables"
    assert name in {plan.aggregation for plan in fuzzing.plans("sqlite", 1, 100)}, "random tables"


@pytest.mark.parametrize("name", RECORDS)
def test_an_aggregation_is_in_the_handbook(name: str) -> None:
    handbook = ROOT / "docs" / "handbook"
    assert f"`{name}`" in (handbook / "asking.md").read_text(encoding="utf-8")
    assert f"`{name}`" in (handbook / "exactness.md").read_text(encoding="utf-8")
