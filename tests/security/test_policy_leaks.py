"""What a policy denies is neither read nor named, and whether it exists cannot be told.

One source has columns that the policy denies, another source is denied whole. Whatever a client says, in answers,
refusals, errors, lists, notes, cards and suggestions, holds neither their names nor their values; a question about a
denied name is answered as the same question about an invented one.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import reduce
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import service_nb
from service_nb.cards.faces import latex
from service_nb.client.service import Service
from service_nb.errors import PolicyDeniedError, SchemaRevisionMismatchError, ServiceError, SourceError
from service_nb.query.policy import Policy, parse_policy

ALLOWED = ["region", "revenue", "day"]
DENIED = ["salary", "iban_number", "Salary Grade"]
SECRETS = ["DE8937040044", "top-earner-91", "773311.25"]
ROWS = [
    {
        "region": "north",
        "revenue": 1.5,
        "day": "2024-01-31",
        "salary": 773311.25,
        "iban_number": SECRETS[0],
        "Salary Grade": SECRETS[1],
    },
    {"region": "south", "revenue": 2.5, "day": "2024-02-01", "salary": 1.0, "iban_number": "x", "Salary Grade": "y"},
]
POLICY = {"allowed_sources": ["sales", "costs"], "allowed_fields": {"sales": ALLOWED}}
HIDDEN_SOURCE = "payroll_2024"
# Of the same length and look as the denied, so that nothing but their existence could tell them apart.
INVENTED = {
    "salary": "salbry",
    "iban_number": "ibxn_number",
    "Salary Grade": "Salbry Grade",
    HIDDEN_SOURCE: "paysoll_2024",
}


@pytest.fixture
def clients(tmp_path: Path) -> Iterator[tuple[Service, Service]]:
    """A client that may see everything, and one of the same sources that may not."""
    wide = service_nb.create_service(project=tmp_path)
    wide.connect(ROWS, name="sales", aliases={"pay": "salary", "turnover": "revenue"}, types={"day": "date"})
    wide.connect([{"cost": 1.0}], name="costs")
    wide.connect([{"name": SECRETS[1], "wage": 5}], name=HIDDEN_SOURCE)
    yield wide, wide.narrow(POLICY)
    wide.close()


@pytest.fixture
def narrow(clients: tuple[Service, Service]) -> Service:
    return clients[1]


def said(call: Any) -> str:
    """All that a call says, whether it returns or raises: everything a card, a message or a traceback could show."""
    try:
        found = call()
    except ServiceError as error:
        chain = [error, error.__cause__, None if error.__suppress_context__ else error.__context__]
        return " ".join([json.dumps(error.to_dict()), *(str(one) for one in chain if one is not None)])
    card = json.dumps(found.card) if hasattr(found, "card") else ""
    shown = repr(found._repr_mimebundle_()) if hasattr(found, "_repr_mimebundle_") else ""
    return json.dumps(found, default=str) + card + shown


def no_secret(text: str, *but: str) -> None:
    for hidden in (*DENIED, *SECRETS, HIDDEN_SOURCE, "wage", "pay"):
        if hidden not in but:
            assert hidden not in text, hidden


# --- questions --------------------------------------------------------------------------------------------------------


def questions(name: str) -> dict[str, Any]:
    """A name in every slot where a column may stand."""
    condition = {"column": name, "op": "eq", "value": "x"}
    return {
        "metric": {"aggregation": "count", "metric": name, "source_name": "sales"},
        "metric to add": {"aggregation": "sum", "metric": name, "source_name": "sales"},
        "metric without aggregation": {"metric": name, "source_name": "sales"},
        "group_by": {"aggregation": "count", "group_by": name, "source_name": "sales"},
        "second group_by": {"aggregation": "count", "group_by": ["region", name], "source_name": "sales"},
        "filter": {"aggregation": "count", "filter": {"conditions": [condition]}, "source_name": "sales"},
        "null filter": {
            "aggregation": "count",
            "filter": {"conditions": [{"column": name, "op": "is_null"}]},
            "source_name": "sales",
        },
        "filter of another type": {
            "aggregation": "count",
            "filter": {"conditions": [{"column": name, "op": "gt", "value": 5}]},
            "source_name": "sales",
        },
        "time_filter": {
            "aggregation": "count",
            "filter": {"time_filter": {"column": name, "period": "this_year"}},
            "source_name": "sales",
        },
        "line": f"max `{name}` from sales",
        "source_name": {"aggregation": "count", "source_name": name},
        "line's source": f"count from `{name}`",
    }


@pytest.mark.parametrize("slot", questions(""))
@pytest.mark.parametrize("hidden", [*DENIED, HIDDEN_SOURCE, "SALARY", "salary-grade"])
def test_a_denied_name_is_rejected_like_one_that_does_not_exist(hidden: str, slot: str, narrow: Service) -> None:
    # Names that differ in case or separators only must not be matched to the denied column either.
    invented = INVENTED.get(hidden, "salbry" if hidden == "SALARY" else "salbry-grade")
    outcomes = []
    for name in (hidden, invented):
        outcome = narrow.ask(questions(name)[slot])
        assert outcome["status"] == "rejected"
        assert outcome["resolution"]["rejection_reason"].startswith("policy_denied_")
        text = said(lambda: outcome).replace(name, "NAME")  # noqa: B023  # called at once
        text = text.replace(repr(latex.escape(name))[1:-1], "NAME")  # as the face in LaTeX has it
        # The hash of a refusal covers the question, and so the name; the id is random.
        hashes = (outcome["refusal_hash"], outcome["refusal_hash"][:12], outcome.card["digests"]["view_hash"])
        outcomes.append(reduce(lambda told, each: told.replace(each, "HASH"), (*hashes, outcome["result_id"]), text))
        no_secret(outcomes[-1])
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("alias", ["pay", "PAY"])
def test_an_alias_of_a_denied_column_is_no_way_in(alias: str, clients: tuple[Service, Service]) -> None:
    wide, narrow = clients
    assert wide.ask(f"sum {alias} from sales")["status"] in ("ok", "needs_clarification", "rejected")
    assert wide.ask("sum pay from sales")["status"] == "ok"
    outcome = narrow.ask(f"sum {alias} from sales")
    assert outcome["resolution"]["rejection_reason"] == "policy_denied_field"
    assert narrow.ask("sum turnover from sales").rows == [{"revenue": 4.0, "count": 2}]


@pytest.mark.parametrize(
    "question",
    [
        "sum revenu from sales",
        "sum rev from sales",
        "count by s from sales",
        "sum salar from sales",
        "sum sal from sales",
        "sum iban from sales",
        "sum grade from sales",
        "count from payrol",
        "count from payroll",
        "count from sale",
        "count from nothing_like_it",
        "count",
        "sum from sales",
        {"metric": "revenue"},
        {"aggregation": "avg", "source_name": "sales"},
        {},
        "sum region from sales",
        "count from sales",
        "sum revenue by region from sales",
        "max day from sales where region is not null",
    ],
)
def test_nothing_said_names_what_is_denied(question: Any, narrow: Service) -> None:
    asked = question if isinstance(question, str) else json.dumps(question)
    no_secret(said(lambda: narrow.ask(question)), *(word for word in (*DENIED, "pay") if word in asked))
    no_secret(said(lambda: narrow.resolve(question)), *(word for word in (*DENIED, "pay") if word in asked))


# --- stored plans -----------------------------------------------------------------------------------------------------


def stored(wide: Service, question: str) -> dict[str, Any]:
    plan: dict[str, Any] = wide.resolve(question)["plan"]
    return plan


@pytest.mark.parametrize(
    ("question", "denied"),
    [
        ("sum salary from sales", "field"),
        ("count by iban_number from sales", "field"),
        ("count from sales where salary > 5", "field"),
        ("count from sales where salary is null", "field"),
        ("sum pay from sales", "field"),
        ("count `Salary Grade` from sales", "field"),
        (f"count from {HIDDEN_SOURCE}", "source"),
    ],
)
def test_a_stored_plan_of_what_is_denied_does_not_run(
    question: str, denied: str, clients: tuple[Service, Service]
) -> None:
    wide, narrow = clients
    plan = stored(wide, question)
    assert wide.query(plan)
    for run in (narrow.query, narrow.query_with_metadata):
        with pytest.raises(PolicyDeniedError) as caught:
            run(plan)
        assert caught.value.code == f"policy_denied_{denied}"
    checked = {check["check"]: check for check in narrow.verify(plan)["checks"]}
    assert checked["allowed"]["cause"] == f"policy_denied_{denied}"
    no_secret(json.dumps(checked), *DENIED, HIDDEN_SOURCE, "pay")  # the caller named it; no value
    assert not any(secret in json.dumps(checked) for secret in SECRETS)


def test_a_stored_plan_of_an_invented_column_is_denied_alike(clients: tuple[Service, Service]) -> None:
    wide, narrow = clients
    plan = stored(wide, "sum salary from sales")
    messages = []
    for name in ("salary", INVENTED["salary"]):
        with pytest.raises(PolicyDeniedError) as caught:
            narrow.query(plan | {"metric": name})
        messages.append(json.dumps(caught.value.to_dict()).replace(name, "NAME"))
    assert messages[0] == messages[1]


def test_a_plan_is_of_the_columns_that_its_maker_sees(clients: tuple[Service, Service]) -> None:
    wide, narrow = clients
    plans = [stored(client, "sum revenue by region from sales") for client in clients]
    assert narrow.query(plans[1]) == wide.query(plans[0])
    assert narrow.verify(plans[1])["valid"]
    for client, plan in ((narrow, plans[0]), (wide, plans[1])):
        with pytest.raises(SchemaRevisionMismatchError):
            client.query(plan)
    assert wide.narrow({"allowed_fields": {"sales": ALLOWED}}).query(plans[1]) == wide.query(plans[0])


def test_a_card_under_a_list_of_fields_replays_under_its_owners_client(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("team,hours,salary\ncore,38,61000\nweb,40,58000\n", encoding="utf-8")
    service = service_nb.create_service(project=tmp_path)
    service.connect(path)
    card = service.narrow({"allowed_fields": {"people": ["team", "hours"]}}).ask("sum hours by team").card
    assert card["view"]["source"]["content"]["fields"] == ["team", "hours"]
    assert service.replay(card)["status"] == "identical"
    assert service.narrow({"allowed_fields": {"people": ["hours", "team"]}}).replay(card)["status"] == "identical"
    fewer = service.narrow({"allowed_fields": {"people": ["hours"]}}).replay(card)
    assert (fewer["status"], fewer["cause"]) == ("refused", "policy_denied")
    path.write_text("team,hours,salary\ncore,39,61000\nweb,40,58000\n", encoding="utf-8")
    later = service_nb.create_service(project=tmp_path)
    later.connect(path)
    replay = later.replay(card)  # there is no digest of the data, so nobody is accused
    assert (replay["status"], replay["cause"]) == ("differs", "unknown")


# --- lists ------------------------------------------------------------------------------------------------------------


def test_lists_hold_only_what_is_allowed(narrow: Service) -> None:
    assert [source["name"] for source in narrow.sources()] == ["costs", "sales"]
    source = narrow.source("sales")
    assert source["fields"] == ALLOWED
    assert [field["name"] for field in source["typed_fields"]] == ALLOWED
    assert source["aliases"] == {"turnover": "revenue"}
    no_secret(said(lambda: narrow.source("sales")))
    no_secret(said(narrow.sources))
    for hidden in DENIED:
        assert narrow.values("sales", hidden) == narrow.values("sales", INVENTED[hidden]) == ()
    assert narrow.values(HIDDEN_SOURCE, "name") == narrow.values("paysoll_2024", "name") == ()
    assert narrow.values("sales", "region") == ("north", "south")


@pytest.mark.parametrize("name", [HIDDEN_SOURCE, INVENTED[HIDDEN_SOURCE]])
def test_a_denied_source_is_denied_whether_it_exists(name: str, narrow: Service) -> None:
    for call in (
        narrow.source,
        lambda source: narrow.connect([{"x": 1}], name=source),
        lambda s: narrow.connect(name=s),
    ):
        with pytest.raises(PolicyDeniedError) as caught:
            call(name)
        assert caught.value.code == "policy_denied_source"


def test_kept_sources_are_listed_only_if_they_are_allowed(clients: tuple[Service, Service], tmp_path: Path) -> None:
    wide, narrow = clients
    for name in ("costs_2023", "payroll_2023"):
        path = tmp_path / f"{name}.csv"
        path.write_text("a\n1\n", encoding="utf-8")
        wide.connect(path, persist=True)
    assert wide.stored_sources() == ["costs_2023", "payroll_2023"]
    assert narrow.stored_sources() == []


# --- connect ----------------------------------------------------------------------------------------------------------

HIDING = {"allowed_sources": ["sales"], "allowed_fields": {"sales": ALLOWED}}
BROKEN = {
    "a cell of a denied column": "region,revenue,day,salary\nnorth,1,2024-01-01,top-earner-91\n",
    "two denied columns of one name": "region,salary,salary\nnorth,1,2\n",
    "a ragged row": "region,salary\nnorth,1,top-earner-91\n",
    "an unclosed quote": 'region,salary\nnorth,"top-earner-91\n',
    "bytes that are no text": "region,salary\nnorth,top-earner-91\udcff\n",
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_an_error_of_reading_names_no_denied_column_and_no_value(text: str, tmp_path: Path) -> None:
    path = tmp_path / "sales.csv"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    wide = service_nb.create_service(project=tmp_path)
    narrow = service_nb.create_service(HIDING, project=tmp_path)
    types = {"salary": "number"} if text == BROKEN["a cell of a denied column"] else None
    with pytest.raises(SourceError):
        wide.connect(path, types=types)
    if types is None:
        with pytest.raises(SourceError) as caught:
            narrow.connect(path)
        assert caught.value.code == "source_malformed"
    no_secret(said(lambda: narrow.connect(path)), "pay")


def test_the_types_and_aliases_of_denied_columns_are_denied_whether_they_exist(tmp_path: Path) -> None:
    narrow = service_nb.create_service(HIDING, project=tmp_path)
    for options in ({"types": {"NAME": "string"}}, {"aliases": {"other": "NAME"}}):
        messages = []
        for name in ("salary", INVENTED["salary"]):
            with pytest.raises(PolicyDeniedError) as caught:
                narrow.connect(ROWS, name="sales", **json.loads(json.dumps(options).replace("NAME", name)))
            messages.append(json.dumps(caught.value.to_dict()).replace(name, "NAME"))
        assert messages[0] == messages[1]
    assert narrow.sources() == []


def test_an_alias_may_have_any_name_that_is_not_seen(tmp_path: Path) -> None:
    # To refuse it because a hidden column has that name would tell that the column exists.
    for name in ("salary", INVENTED["salary"]):
        narrow = service_nb.create_service(HIDING, project=tmp_path)
        narrow.connect(ROWS, name="sales", aliases={name: "revenue"})
        assert narrow.ask(f"sum {name}").rows == [{"revenue": 4.0, "count": 2}]


def test_notes_name_allowed_columns_alone(tmp_path: Path) -> None:
    table = pa.table(
        {
            "region": ["north"],
            "day": pa.array([0], pa.timestamp("us", "UTC")),
            "salary": pa.array([0], pa.timestamp("us", "UTC")),
            "iban_number": [[1, 2]],  # a list: left out, and so no field that could be looked for
        }
    )
    pq.write_table(table, tmp_path / "sales.parquet")
    hiding = {"allowed_sources": ["sales"], "allowed_fields": {"sales": ["region", "day"]}}
    wide = service_nb.create_service(project=tmp_path).connect(tmp_path / "sales.parquet")
    assert "salary" in " ".join(wide["notes"])
    assert "iban_number" in " ".join(wide["notes"])
    narrow = service_nb.create_service(hiding, project=tmp_path).connect(tmp_path / "sales.parquet")
    assert any("day" in note for note in narrow["notes"])
    no_secret(json.dumps(narrow))


def test_a_changed_file_tells_nothing_of_its_content(tmp_path: Path) -> None:
    path = tmp_path / "sales.csv"
    path.write_text("region,revenue,day\nnorth,1,2024-01-01\n", encoding="utf-8")
    narrow = service_nb.create_service(HIDING, project=tmp_path)
    narrow.connect(path)
    path.write_text('region,salary,salary\n"top-earner-91', encoding="utf-8")
    text = said(lambda: narrow.ask("sum revenue"))
    assert "source_changed" in text
    no_secret(text)


# --- what a name stands for -------------------------------------------------------------------------------------------


def refused(call: Any, code: str = "policy_denied_source") -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        call()
    assert caught.value.code == code
    return caught.value


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """A project with a file and a database that hold the same people."""
    (tmp_path / "people.csv").write_text("team,hours,salary\ncore,38,61000\n", encoding="utf-8")
    with closing(sqlite3.connect(tmp_path / "staff.db")) as made, made:
        made.executescript(
            "CREATE TABLE people (team, hours, salary); INSERT INTO people VALUES ('core', 38, 61000);"
            "CREATE TABLE costs (cost); INSERT INTO costs VALUES (1);"
        )
    return tmp_path


LISTED = {"allowed_fields": {"people": ["team", "hours"]}}


def test_a_file_is_not_shown_whole_under_a_name_that_no_list_restricts(people: Path) -> None:
    whole = people / "people.csv"
    for name in ("staff", "p", "People"):  # the file bears the name that is restricted
        refused(lambda name=name: service_nb.create_service(LISTED, project=people).connect(whole, name=name))
    (people / "team.csv").write_bytes(whole.read_bytes())
    service = service_nb.create_service(LISTED, project=people)
    service.connect(people / "team.csv", name="people")
    refused(lambda: service.connect(people / "team.csv"))
    refused(lambda: service.connect(people / ".." / people.name / "team.csv", name="other"))
    assert [source["name"] for source in service.sources()] == ["people"]
    again = service_nb.create_service(LISTED, project=people)
    again.connect(people / "team.csv")
    refused(lambda: again.connect(people / "team.csv", name="people"))


def test_two_names_with_one_list_are_one_thing(people: Path) -> None:
    lists = {"people": ["team", "hours"], "staff": ["hours", "team"]}
    service = service_nb.create_service({"allowed_fields": lists}, project=people)
    service.connect(people / "people.csv")
    service.connect(people / "people.csv", name="staff")
    assert service.source("staff")["fields"] == service.source("people")["fields"] == ["team", "hours"]


@pytest.mark.parametrize(
    "what",
    [
        {"table": "people"},
        {"query": "SELECT * FROM people"},
        {"query": 'SELECT salary AS hours FROM "PEOPLE"'},
        {"query": "WITH p AS (SELECT * FROM main.people) SELECT * FROM p"},
    ],
    ids=str,
)
def test_a_table_is_not_shown_whole_under_another_name(people: Path, what: dict[str, str]) -> None:
    service = service_nb.create_service(LISTED, project=people)
    database = {"provider": "sqlite", "path": people / "staff.db"}
    refused(lambda: service.connect({**database, **what}, name="other"))
    assert service.connect({**database, "table": "costs"})["fields"] == ["cost"]
    assert service.connect({**database, "table": "people"})["fields"] == ["team", "hours"]
    refused(lambda: service.connect({**database, "query": "SELECT 1 AS one"}, name="one"))  # it may read any table


def test_what_the_project_keeps_under_a_restricted_name_is_that_source(people: Path) -> None:
    (people / "team.csv").write_bytes((people / "people.csv").read_bytes())
    service_nb.create_service(project=people).connect(people / "team.csv", name="people", persist=True)
    refused(lambda: service_nb.create_service(LISTED, project=people).connect(people / "team.csv"))


def test_a_policy_that_shows_under_one_name_what_it_hides_under_another_is_refused(people: Path) -> None:
    wide = service_nb.create_service(project=people)
    wide.connect(people / "people.csv")
    wide.connect(people / "people.csv", name="p")
    refused(lambda: wide.narrow(LISTED), "invalid_intent")
    assert wide.narrow({**LISTED, "allowed_sources": ["people"]}).source("people")["fields"] == ["team", "hours"]


def test_a_list_for_a_source_that_is_not_there_warns_once(people: Path) -> None:
    service = service_nb.create_service({"allowed_fields": {"peple": ["team"]}}, project=people)
    service.connect(people / "people.csv")
    with pytest.warns(UserWarning, match="'peple'.*hides nothing of 'people'"):
        service.ask("count")
    service.ask("sum hours")


def test_a_listed_field_that_its_source_does_not_have_warns(people: Path) -> None:
    policy = {"allowed_fields": {"people": ["team", "huors"]}}
    with pytest.warns(UserWarning, match="'huors' of 'people'"):
        service_nb.create_service(policy, project=people).connect(people / "people.csv")
    wide = service_nb.create_service(project=people)
    wide.connect(people / "people.csv")
    with pytest.warns(UserWarning, match="'huors' of 'people'") as told:
        wide.narrow(policy)
    assert "salary" not in str([one.message for one in told])


def test_trying_a_connector_tells_no_denied_name(people: Path) -> None:
    (people / "people.csv").write_text("team,salary,salary\n", encoding="utf-8")
    database = {"type": "sqlite", "path": str(people / "staff.db")}
    listed = service_nb.create_service({"allowed_sources": ["people", "cost", "staff"], **LISTED}, project=people)
    for descriptor in (
        {"type": "file", "path": str(people / "people.csv")},
        {**database, "table": "cost"},
        {**database, "table": "people", "query": "SELECT"},
        {**database, "query": "SELECT nothing FROM people"},
    ):
        told = listed.test_connector(descriptor)
        assert not told["success"]
        assert "salary" not in told["message"]
        assert "costs" not in told["message"]
    assert not listed.narrow({}).test_connector({**database, "table": "people"})["success"]


# --- the policy itself ------------------------------------------------------------------------------------------------

NAMES = st.sampled_from(["sales", "costs", "payroll", "region", "salary"])
SETS = st.none() | st.sets(NAMES)
POLICIES = st.builds(
    lambda sources, fields, functions: {
        "allowed_sources": None if sources is None else sorted(sources),
        "allowed_fields": None if fields is None else {source: sorted(names) for source, names in fields.items()},
        "allowed_functions": "all-readonly" if functions is None else sorted(functions),
    },
    SETS,
    st.none() | st.dictionaries(NAMES, st.sets(NAMES)),
    SETS,
)
UNIVERSE = ["sales", "costs", "payroll", "region", "salary", "else"]


def allowed(policy: Policy) -> set[tuple[str, ...]]:
    """Everything that a policy allows, of a small universe."""
    functions = UNIVERSE if policy.functions is None else policy.functions
    return {
        *(("source", source) for source in UNIVERSE if policy.allows_source(source)),
        *(("field", s, f) for s in UNIVERSE for f in UNIVERSE if policy.allows_field(s, f)),
        *(("function", function) for function in functions),
    }


@given(POLICIES, POLICIES, POLICIES)
def test_narrowing_allows_what_both_allow_and_nothing_more(one: Any, other: Any, third: Any) -> None:
    first, second, last = map(parse_policy, (one, other, third))
    both = first.narrow(second)
    assert allowed(both) == allowed(first) & allowed(second)
    assert allowed(both.narrow(last)) <= allowed(both)
    assert allowed(second.narrow(first)) == allowed(both)
    assert both.narrow(both) == both
    assert parse_policy(json.loads(json.dumps(both.to_dict()))) == both


def test_no_client_can_be_made_wider(clients: tuple[Service, Service]) -> None:
    _, narrow = clients
    for wider in ({}, {"allowed_sources": None}, {"allowed_sources": [HIDDEN_SOURCE, "sales"]}, Policy()):
        again = narrow.narrow(wider)  # type: ignore[arg-type]
        assert again.ask(f"count from {HIDDEN_SOURCE}")["status"] == "rejected"
        assert again.ask("sum salary from sales")["status"] == "rejected"
    with pytest.raises(AttributeError):
        narrow.policy = Policy()  # type: ignore[misc]
    with pytest.raises((AttributeError, TypeError)):
        narrow.policy.fields["sales"] = frozenset(DENIED)  # type: ignore[index]
    with pytest.raises(AttributeError):
        narrow.policy.sources = None  # type: ignore[misc]


def test_what_the_caller_keeps_of_a_policy_changes_nothing(tmp_path: Path) -> None:
    fields = {"sales": list(ALLOWED)}
    raw: dict[str, Any] = {"allowed_sources": ["sales"], "allowed_fields": fields}
    made = Policy(sources=frozenset(["sales"]), fields=fields)  # type: ignore[arg-type]
    for policy in (raw, made):
        service = service_nb.create_service(policy, project=tmp_path)
        service.connect(ROWS, name="sales")
        fields["sales"].append("salary")
        raw["allowed_sources"].append(HIDDEN_SOURCE)
        raw["allowed_fields"] = None
        assert service.ask("sum salary")["status"] == "rejected"
        assert service.policy.to_dict()["allowed_fields"] == {"sales": sorted(ALLOWED)}
        fields["sales"].remove("salary")
        raw |= {"allowed_sources": ["sales"], "allowed_fields": fields}


MALFORMED = [
    *(5, "sales", [], ["sales"], True, object()),
    *({"allowed_source": []}, {"allowedsources": ["sales"]}, {"polcy": {}}, {5: []}),
    *({"allowed_sources": raw} for raw in ("sales", 5, True, {"sales": 1}, [5], [None], [["a"]], b"sales", object())),
    *(
        {"allowed_fields": raw}
        for raw in ("x", [], ["a"], 5, {"sales": "region"}, {"sales": None}, {"sales": [5]}, {5: []})
    ),
    *({"allowed_functions": raw} for raw in ("all", "readonly", 5, {"a": 1}, [5], "")),
]


@pytest.mark.parametrize("raw", MALFORMED)
def test_a_malformed_policy_is_refused_and_never_taken_for_none(raw: Any, narrow: Service) -> None:
    for make in (service_nb.create_service, narrow.narrow):
        with pytest.raises(ServiceError) as caught:
            make(raw)
        assert caught.value.code == "invalid_intent"


def test_the_names_of_other_languages_narrow_just_as_much(tmp_path: Path, narrow: Service) -> None:
    for policy in ({"allowedSources": []}, {"allowed_sources": []}):
        assert narrow.narrow(policy).ask("count from sales")["status"] == "rejected"
        made = service_nb.create_service({"policy": policy}, project=tmp_path)
        with pytest.raises(ServiceError) as caught:
            made.connect([{"a": 1}], name="sales")
        assert caught.value.code == "policy_denied_source"


def test_an_empty_list_allows_nothing(tmp_path: Path) -> None:
    service = service_nb.create_service({"allowed_sources": []}, project=tmp_path)
    with pytest.raises(PolicyDeniedError):
        service.connect(ROWS, name="sales")
    service = service_nb.create_service({"allowed_fields": {"sales": []}}, project=tmp_path)
    service.connect(ROWS, name="sales")
    assert service.source("sales")["fields"] == []
    assert service.ask("count").rows == [{"count": 2}]
    assert service.ask("sum revenue")["status"] == "rejected"


def test_a_source_that_the_lists_do_not_name_is_not_restricted(narrow: Service) -> None:
    assert narrow.ask("sum cost from costs").rows == [{"cost": 1.0, "count": 1}]
    assert narrow.ask("sum kost from costs")["status"] == "needs_clarification"
