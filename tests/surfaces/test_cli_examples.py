"""The examples in the help of each verb are commands that it takes."""

from __future__ import annotations

import re
import shlex
from argparse import Namespace
from collections.abc import Iterator

import pytest

from service_nb.cli.main import build_parser, find_files, load_verb
from service_nb.cli.verb import Verb
from service_nb.client.compute_line import parse_compute_line
from service_nb.compute.call import Signature, parse_call
from service_nb.compute.contract import Contract
from service_nb.query.ask_line import parse_ask
from service_nb.runtimes.interface import map_packaged_contract

PARSER = build_parser()


def examples(verb: Verb) -> list[Namespace]:
    """What the command understands of each example, without what a shell does with its output or a remark behind it."""
    lines = re.findall(r"^  service-nb (.*)$", verb.help, re.MULTILINE)
    return [PARSER.parse_args(shlex.split(re.split(r" [>|] |  +\(", line)[0])) for line in lines]


def runs(verb: Verb) -> Iterator[object]:
    """What the verb runs, and what its actions run."""
    yield verb.run
    for action in verb.actions:
        yield from runs(action)


@pytest.mark.parametrize("verb", [load_verb(name) for name in find_files()], ids=lambda verb: verb.name)
def test_each_example_of_a_verb_is_one_that_it_takes(verb: Verb) -> None:
    assert examples(verb)
    assert {taken.run for taken in examples(verb)} <= set(runs(verb))


def test_each_question_in_the_help_is_one() -> None:
    assert all(parse_ask(" ".join(taken.question)) for taken in examples(load_verb("ask")))


def test_each_computation_in_the_help_is_a_call_that_its_capability_takes() -> None:
    calls = [parse_call(parse_compute_line(" ".join(taken.computation))) for taken in examples(load_verb("compute"))]
    contract = Contract(map_packaged_contract())
    assert calls
    for call in calls:
        Signature(contract[call.capability_id]).check(call)
