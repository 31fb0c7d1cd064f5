"""The magics that ask and compute: ask, explain, compute, search, help."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from service_nb.cards.page_blocks import compose_capability, compose_hits
from service_nb.client.advice.offers import Face, advising
from service_nb.errors import InvalidIntentError
from service_nb.notebook.body import read_computation, read_question, recognise_form, split_calls
from service_nb.notebook.completion import offer_capability, offer_computation, offer_question
from service_nb.notebook.displays import ShownDict, ShownList, compose_explanation, compose_plan_check
from service_nb.notebook.magic import DIGITS, Arguments, Flag, Magic, Words
from service_nb.notebook.session import ServiceMagics
from service_nb.query.variables import list_variables, unbound_variable_error

if TYPE_CHECKING:
    from service_nb.cards.charts import ChartKind
    from service_nb.client.results import QueryOutcome
    from service_nb.client.service import Service

MOST_HITS = 100
_OF_IPYTHON = ("In", "Out")  # lists that every notebook has, which nobody means
_QUESTION_MARK = re.compile(r"\s*\?+\s*$")  # at the end of a question, as people write it
TOLD_MS = 5_000  # from which on what the runtime took to be there is told: it was installed


def run_ask(session: ServiceMagics, arguments: Arguments) -> object:
    """Ask a question about a source. Shows a card with the exact answer, or the reason why it was not run.

    %service_ask AGGREGATION [METRIC], … [by KEY, …] [from SOURCE] [where …] [order [by COLUMN] asc|desc] [limit N]
    %%service_ask [options], with the question in the cell: the same line, or the spec as YAML or JSON

    A key is a column, `month of COLUMN` (day, week, month, quarter, year) or `COLUMN in bins of 10`.
    `$year` in a condition is the value of the notebook's variable `year`; `in $years` takes a list.
    In a cell, a text that opens with { is JSON, one whose first line is `key: …` is YAML, and every other is a
    line. A semicolon at the end hides the card; the value is still returned.

    %service_ask avg arr_delay by carrier from flights where month = 7 order asc limit 5
    delays = %service_ask count by origin from flights where dep_delay > 60 --rows none
    %%service_ask --as late --chart
    metric: arr_delay
    aggregation: avg
    group_by: [origin]
    source_name: flights
    """
    draws = "--chart" in arguments.options
    if draws and (arguments.get_text("--rows") or session.rows) == "none":
        raise InvalidIntentError(
            "--chart would show the values that --rows none leaves out of the notebook.",
            hint="Use one of them; `--rows all` includes the values.",
            met="--chart",
        )
    outcome = ask_question(session, session.service, arguments)
    _attach_ways_on(ASK, session, arguments, outcome)
    if draws and outcome["status"] == "ok":
        kind = cast("ChartKind | None", arguments.get_text("--chart"))
        session.screen.attach(outcome.plot(kind=kind)._repr_mimebundle_())
    return outcome


def _attach_ways_on(magic: Magic, session: ServiceMagics, arguments: Arguments, outcome: QueryOutcome) -> None:
    """Show below a card what leads on from it: from a refusal without candidates, or an answer without a row."""
    if not session.screen.will_show(magic.name):
        return
    from service_nb.notebook import ways_on  # noqa: PLC0415  # lazy: as above
    from service_nb.notebook.run_lines import build_lines_bundle  # noqa: PLC0415  # lazy: most questions are answered

    asked = _read_text(magic, arguments)
    ways = ways_on.find_ways_after(session, asked, outcome)
    says = ways.says or ways_on.list_columns_after_refusal(session, outcome)
    if ways.lines or says:
        session.screen.attach(build_lines_bundle(ways.lines, title=ways.heading if ways.lines else "", says=says))


def ask_question(session: ServiceMagics, service: Service, arguments: Arguments) -> QueryOutcome:
    """Ask a client the question of a line or a cell, and remember the outcome's card."""
    spec, variables = _read_question(ASK, arguments, service)
    timeout = _read_timeout(arguments) or session.timeout
    rows, digits = arguments.get_text("--rows") or session.rows, arguments.read_digits(session.digits)
    outcome = service.ask(spec, variables=variables, rows=rows, shown_rows=session.display_rows, timeout=timeout)
    outcome.digits = digits
    session.keep_results([outcome])
    return outcome


def run_explain(session: ServiceMagics, arguments: Arguments) -> object:
    """Show the plan of a question without running it, or why it would be refused.

    %service_explain QUESTION, as in %service_ask
    %%service_explain, with the question in the cell
    %service_explain $plan, to check a stored plan

    %service_explain sum distance by carrier from flights
    %service_explain avg delay from flights
    %service_explain $plan
    """
    if arguments.cell is None and len(arguments.words) == 1 and arguments.words[0].raw.startswith("$"):
        plan = cast("Mapping[str, object]", arguments.find_variable(arguments.words[0].raw[1:]))
        return ShownDict(session.service.verify(plan), compose_plan_check)
    spec, variables = _read_question(EXPLAIN, arguments, session.service)
    return ShownDict(session.service.resolve(spec, variables=variables), compose_explanation)


def run_compute(session: ServiceMagics, arguments: Arguments) -> object:
    """Run a capability. Shows a card with the value, the formula, its source and the hashes.

    %service_compute MODULE.FUNCTION PARAMETER=VALUE … [seed=N] [where …]
    %%service_compute [options], with the computation in the cell: the same line, several, or the spec as YAML or JSON

    A value is a number, 'text', a list such as [-1000, 300], a column SOURCE.FIELD, a variable $NAME, or a column of an
    answer or a frame, $NAME.COLUMN. In a cell each line that begins with a capability is a computation of its own.
    `where` selects the rows of all columns, in the words of %service_ask; SOURCE.FIELD[CONDITION] those of one alone.

    %service_compute finance.npv rate=0.1 cashflows=[-1000, 300, 420, 560, 680]
    late = %service_compute stats.median values=flights.arr_delay where month = 7 --null-policy drop
    %service_compute hypothesis.t_test_welch first=trial.score[arm = 'A'] second=trial.score[arm = 'B']
    %%service_compute --as price
    option_pricing.black_scholes_call
    spot=42 strike=40 time=0.5 rate=0.1 volatility=0.2
    """
    return make_computation(session, session.service, arguments)


def make_computation(session: ServiceMagics, service: Service, arguments: Arguments) -> Any:
    """Have a client make the computation of a line or a cell, and remember the cards."""
    texts = split_calls(_read_text(COMPUTE, arguments))
    specs = []
    for text in texts:
        with service.record_errors(), advising(text, service, FACE, computes=True, variables=arguments.scope):
            drops = arguments.get_text("--null-policy")
            specs.append(read_computation(text, arguments.scope, service.capability, null_policy=drops))
    over, timeout = arguments.get_text("--over"), _read_timeout(arguments) or session.timeout
    digits = arguments.read_digits(session.digits)
    if over is not None and len(specs) > 1:
        raise InvalidIntentError(
            f"--over repeats one call, and the cell has {len(specs)}.", hint="Put each call in a cell of its own."
        )
    if len(specs) == 1:
        with advising(texts[0], service, FACE, computes=True, variables=arguments.scope):
            computed = service.compute(specs[0], timeout=timeout, over=over)
    else:
        computed = service.compute_many(specs, timeout=timeout)
    computations = computed if isinstance(computed, list) else [computed]
    if computations and computations[0].setup_ms >= TOLD_MS:
        print(f"Installed and started the runtime in {computations[0].setup_ms / 1_000:.1f} s.")  # noqa: T201
    for each in computations:
        each.digits = digits
    session.keep_results(computations)
    return computed


def run_search(session: ServiceMagics, arguments: Arguments) -> object:
    """Search capabilities by words, beginnings of words or another library's name; small misspellings are tolerated.

    %service_search WORDS

    %service_search net present value
    %service_search student quantile --limit 3
    %service_search np.std
    """
    query = " ".join(word.text for word in arguments.words)
    if not query:
        raise InvalidIntentError(
            "%service_search needs words to search for.", hint=f"For example: {SEARCH.examples[0]}"
        )
    hits = session.service.search_capabilities(query, limit=arguments.read_limit(10, MOST_HITS))
    return ShownList(hits, compose_hits, query)


def run_help(session: ServiceMagics, arguments: Arguments) -> object:
    """Show where to begin, or a capability: parameters, units, domains, formula, source, cases, a line that runs.

    %service_help, what is connected and what to ask of it
    %service_help MODULE.FUNCTION

    %service_help
    %service_help finance.npv
    page = %service_help special.gamma
    """
    if not arguments.words:
        from service_nb.notebook.start_page import build_start_page  # noqa: PLC0415  # lazy: the client loads with it

        return build_start_page(session)
    return ShownDict(session.service.capability(arguments.words[0].text), compose_capability)


def _read_question(
    magic: Magic, arguments: Arguments, service: Service
) -> tuple[dict[str, object], Mapping[str, object]]:
    """Read the question from the line, or from the cell below it, and the notebook's variables that it names."""
    text = _read_text(magic, arguments)
    with service.record_errors(), advising(text, service, FACE, variables=arguments.scope):
        spec = _add_source(read_question(text), arguments.get_text("--from"))
        return spec, _find_variables(spec, arguments.scope)


def _find_variables(spec: Mapping[str, object], scope: Mapping[str, object]) -> Mapping[str, object]:
    """Find the variables of the notebook that a question names, and no others."""
    names = list_variables(spec)
    told = {name: value for name, value in scope.items() if not name.startswith("_") and name not in _OF_IPYTHON}
    missing = next((name for name in names if name not in told), None)
    if missing is not None:
        raise unbound_variable_error(missing, told)
    return {name: told[name] for name in names}


def _read_text(magic: Magic, arguments: Arguments) -> str:
    """Read the text of a question or a computation: on the line, or in the cell below it, and never in both."""
    on_line, below = arguments.question.strip(), (arguments.cell or "").strip()
    if on_line and below:
        raise InvalidIntentError(
            f"%{magic.magic} has text on its first line and in the cell.",
            hint="Write options on the first line, and everything else below it.",
            met=on_line,
        )
    if not on_line and not below:
        raise InvalidIntentError(f"{magic.magic} needs a {'computation' if magic is COMPUTE else 'question'}.")
    text = arguments.question if on_line else arguments.cell or ""
    if recognise_form(text) != "line":
        return text
    text = text.rstrip()[:-1] if below.endswith(";") else text
    return _QUESTION_MARK.sub("", text)


def _add_source(spec: dict[str, object], source: str | None) -> dict[str, object]:
    named = spec.get("source_name")
    if source is None or named == source:
        return spec
    if named is not None:
        raise InvalidIntentError(
            f"The question names the source {named!r}, and --from {source!r}.", hint="Name one source.", met=source
        )
    return {**spec, "source_name": source}


def _read_timeout(arguments: Arguments) -> float | None:
    text = arguments.get_text("--timeout")
    if text is None:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise InvalidIntentError(f"--timeout is {text!r}.", met=text, expected="seconds above 0")
    return seconds


def _write_computation(line: str, over: str | None) -> str:
    quoted = over if over is None or over.isidentifier() else f"'{over}'"
    return f"{COMPUTE.magic} {line}" + (f" --over {quoted}" if over is not None else "")


_FROM = Flag("--from", "the source, if the question names none", "SOURCE")
ASK = Magic(
    "%service_ask",
    run_ask,
    flags=(
        _FROM,
        Flag("--rows", "none: the card holds no values", "WHICH", choices=("all", "none")),
        Flag("--chart", "draw a chart below the card: what suits the rows, or this kind", choices=("bar", "line")),
        DIGITS,
        Flag("--timeout", "stop after this time", "SECONDS"),
    ),
    words=None,
    label="Asking",
    offers=offer_question,
    takes_cell=True,
)
EXPLAIN = Magic("%service_explain", run_explain, flags=(_FROM,), words=None, offers=offer_question, takes_cell=True)
COMPUTE = Magic(
    "%service_compute",
    run_compute,
    flags=(
        Flag(
            "--null-policy",
            "what to do with nulls in a bound column",
            "POLICY",
            choices=("refuse", "drop"),
            also="--nulls",
        ),
        Flag("--over", "compute once for each value of a column of the bound source", "COLUMN"),
        DIGITS,
        Flag("--timeout", "stop the computation after this time", "SECONDS"),
    ),
    words=None,
    label="Computing",
    offers=offer_computation,
    takes_cell=True,
)
SEARCH = Magic(
    "%service_search", run_search, flags=(Flag("--limit", "how many to show; 10 by default", "N"),), words=None
)
HELP_PAGE = Magic("%service_help", run_help, words=Words(0, 1, "the name of one capability"), offers=offer_capability)
FACE = Face(
    ask=lambda line: f"{ASK.magic} {line}",
    compute=_write_computation,
)
