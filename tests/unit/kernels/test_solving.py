"""Formulas solved for a parameter: what they accept is what the formula can give, and the solution is in its domain."""

import math
import random

import pytest
from service_nb_kernels.bibliography import Publication
from service_nb_kernels.domain import parse_domain
from service_nb_kernels.errors import DomainError, PackError
from service_nb_kernels.execute import Executor
from service_nb_kernels.formula.parse import parse
from service_nb_kernels.formula.ranges import of_domain, range_of
from service_nb_kernels.reader import declared, solved

SOURCES = {"book": Publication(key="book", author="A. Author", title="A Book", year=2000, publisher="Press")}


def solving(formula, unknown, params, *, requires=(), sample, inverse="Solves it for the parameter."):
    """The capability of a formula of plain numbers solved for one of them, with the executor that runs it."""
    entry = {
        "summary": "A formula that is solved for one of its parameters.",
        "source": "book",
        "formula": formula,
        "params": {name: {"domain": domain, "about": name} for name, domain in params.items()},
        "result": {"about": "value", "name": "value"},
        "requires": list(requires),
        "cases": [{**sample, "origin": "by hand"}],
    }
    made = solved(declared("field.base", entry, SOURCES, {}, "test"), unknown, inverse)
    return made, Executor({made.id: made})


def known_domain(formula, params):
    unknown = next(iter(params))
    made, _ = solving(formula, unknown, params, sample={**dict.fromkeys(params, 0.5), "result": 0.5})
    return made.params[-1].domain


def test_what_a_formula_cannot_give_is_refused_by_the_formula_that_is_solved():
    positive = dict.fromkeys("ab", "(0, inf)")
    assert known_domain("a * b", positive) == "(0, inf)"
    assert known_domain("a**2 / b", {"a": "(-inf, inf)", "b": "(0, inf)"}) == "[0, inf)"
    assert known_domain("exp(-a)", {"a": "[0, inf)"}) == "(0, 1]"
    assert known_domain("1 + 2 / a", {"a": "(0, 2]"}) == "[2, inf)"
    assert known_domain("a - b", positive) == "(-inf, inf)"
    made, run = solving("a * b", "a", positive, sample={"a": 2.0, "b": 3.0, "result": 6.0})
    assert run.execute(made.id, [3.0, 6.0]) == 2.0
    with pytest.raises(DomainError):
        run.execute(made.id, [3.0, -6.0])


def test_an_unknown_that_occurs_twice_is_solved_for_by_a_formula_of_its_own():
    params, sample = {"a": "(0, inf)", "b": "(0, inf)"}, {"a": 2.0, "b": 6.0, "result": 1.5}
    inverse = {"summary": "First of two.", "formula": "value * b / (b - value)", "requires": ["value < b"]}
    made, run = solving("a * b / (a + b)", "a", params, sample=sample, inverse=inverse)
    assert (made.id, made.requires) == ("field.a_from_base", ("value < b",))
    assert run.execute(made.id, [6.0, 1.5]) == 2.0
    with pytest.raises(DomainError):
        run.execute(made.id, [6.0, 7.0])
    with pytest.raises(PackError, match="unknown keys"):
        solving("a * b", "a", params, sample=sample, inverse=inverse | {"cases": []})


def test_a_condition_that_names_the_unknown_holds_for_the_solution():
    params = {"payment": "(0, inf)", "rate": "(-inf, inf)", "growth": "(-inf, inf)"}
    sample = {"payment": 5.0, "rate": 0.1, "growth": 0.05, "result": 100.0}
    made, run = solving("payment / (rate - growth)", "growth", params, requires=["growth < rate"], sample=sample)
    assert run.execute(made.id, [5.0, 0.1, 100.0]) == 0.05
    with pytest.raises(DomainError):
        run.execute(made.id, [5.0, 0.1, -100.0])


def test_a_condition_whose_words_only_contain_the_unknown_is_kept():
    params = {"n": "(0, inf)", "minor": "(0, inf)", "major": "(0, inf)"}
    sample = {"n": 2.0, "minor": 1.0, "major": 3.0, "result": 4.0}
    made, run = solving("n * (major - minor)", "n", params, requires=["minor < major"], sample=sample)
    assert run.execute(made.id, [1.0, 3.0, 4.0]) == 2.0
    with pytest.raises(DomainError):
        run.execute(made.id, [3.0, 1.0, 4.0])


def test_a_solution_outside_of_its_domain_is_refused_and_a_closed_end_belongs():
    params = {"efficiency": "(0, 1]", "limit": "(0, inf)"}
    sample = {"efficiency": 0.5, "limit": 4.0, "result": 2.0}
    made, run = solving("efficiency * limit", "efficiency", params, sample=sample)
    assert run.execute(made.id, [3.0, 3.0]) == 1.0
    for beyond in (math.nextafter(3.0, 4.0), 3.00015, 4.0):
        with pytest.raises(DomainError, match="the result efficiency"):
            run.execute(made.id, [3.0, beyond])
    params = {"time": "[0, inf)", "rate": "(0, inf)", "start": "(0, inf)"}
    sample = {"time": 1.0, "rate": 1.0, "start": 1.0, "result": 0.36787944117144233}
    made, run = solving("start * exp(-rate * time)", "time", params, sample=sample)
    assert run.execute(made.id, [1.0, 2.0, 2.0]) == 0.0
    with pytest.raises(DomainError):
        run.execute(made.id, [1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    "formula",
    [
        "a * b - a / b",
        "-(a + b)**3 * b",
        "a**2 - b**2",
        "(a + 1)**(1 / 3) / (b + 2)**1.5",
        "exp(a) - expm1(b)",
        "sqrt(abs(a)) / cosh(b)",
        "log(1 + a**2) * tanh(b)",
        "atan(a) + acos(b / 4)",
        "1 / (1 + exp(-a)) / (2 + sin(b))",
        "a if a > b else b**2",
    ],
)
def test_a_range_holds_every_value_of_a_formula(formula):
    tree = parse(formula)
    draw = random.Random(formula)
    ends = {"a": ("(-1, 3)", -1.0, 3.0), "b": ("[-0.5, 2]", -0.5, 2.0)}
    found = range_of(tree, {name: of_domain(parse_domain(text)) for name, (text, _, _) in ends.items()})
    functions = {name: getattr(math, name) for name in dir(math) if not name.startswith("_")} | {"abs": abs}
    for _ in range(300):
        at = {name: draw.uniform(low, high) for name, (_, low, high) in ends.items()}
        value = eval(formula, {"__builtins__": {}}, functions | at)  # one of the literals above
        assert found.low - 1e-9 <= value <= found.high + 1e-9
