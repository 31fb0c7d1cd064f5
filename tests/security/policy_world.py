"""A project with things that a policy denies, the ways in which a client may be asked of them, and what was found out.

`Ways` are everything public that a client under a policy answers. Each takes the client, the world and a denied thing,
which it puts wherever a name or a value may stand.
"""

from __future__ import annotations

import base64
import copy
import csv
import io
import json
import re
import sqlite3
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa

import service_nb
from service_nb.client.service import Service
from service_nb.core.canonical import write_canonical_text
from service_nb.core.canonical_vectors import digest_column
from service_nb.core.digest import compute_sha256_hex, hash_schema, identify_source
from service_nb.errors import ServiceError
from service_nb.evidence.documents import check_card
from service_nb.ledger.exports.formats import ExportMaterial, find_formats
from service_nb.notebook.completion import complete_cell
from service_nb.notebook.displays import ShownDict, compose_policy
from service_nb.notebook.extension import list_magics
from service_nb.notebook.link import answer_message
from service_nb.schema.source import Field

ALLOWED = ["region", "revenue", "day"]
HIDDEN_SOURCE = "payroll_2024"
POLICY: dict[str, Any] = {"allowed_sources": ["sales", "costs"], "allowed_fields": {"sales": ALLOWED}}
SEEN = [("north", 1.5, "2024-01-31"), ("south", 2.5, "2024-02-01"), ("north", 4.0, "2024-02-03")]
VISIBLE = (2, 6)  # of the owner's cards
MEAN = {"parameter": "values", "source": "sales", "field": "revenue"}


@dataclass(frozen=True)
class Secrets:
    """What is hidden: three columns of a source, and a source."""

    columns: Mapping[str, tuple[Any, ...]]
    people: tuple[tuple[str, float], ...]

    @property
    def words(self) -> list[str]:
        """Every name and every value that nothing may tell."""
        values = [str(value) for column in self.columns.values() for value in column]
        return [*self.columns, HIDDEN_SOURCE, "wage", "pay", *values, *(name for name, _ in self.people)]


ONE = Secrets(
    columns={
        "salary": (773311.25, 641872.5, 598123.75),
        "iban_number": ("DE8937040044", "FR1420041010", "GB2960161331"),
        "Salary Grade": ("top-earner-91", "mid-earner-52", "low-earner-17"),
    },
    people=(("Ottoline Zweig", 88123.5), ("Casimir Blau", 91456.25)),
)
# Of the same shape, and with nothing that is hidden in common.
OTHER = Secrets(
    columns={
        "bonus": (112233.5, 445566.75, 778899.25),
        "account_key": ("AT6119043002", "BE6853900754", "CH9300762011"),
        "Bonus Class": ("class-red-83", "class-sea-26", "class-sky-49"),
    },
    people=(("Leopold Anders", 70321.5), ("Wilhelmine Roth", 60987.25)),
)


@dataclass(frozen=True)
class World:
    """A project, its owner's client, and what came out of the owner's questions."""

    folder: Path
    secrets: Secrets
    wide: Service
    cards: tuple[Mapping[str, Any], ...]
    ids: tuple[str, ...]

    @property
    def visible(self) -> list[Mapping[str, Any]]:
        """The owner's cards of what the policy allows."""
        return [self.cards[number] for number in VISIBLE]

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows of the source, hidden columns and all."""
        names = [*ALLOWED, *self.secrets.columns]
        return [
            dict(zip(names, (*seen, *hidden), strict=True))
            for seen, hidden in zip(SEEN, zip(*self.secrets.columns.values(), strict=True), strict=True)
        ]


def world(folder: Path, secrets: Secrets, ledger: str | None = None) -> World:
    """Make a project and ask of it what only its owner may."""
    folder.mkdir(parents=True, exist_ok=True)
    made = World(
        folder,
        secrets,
        service_nb.create_service(project=folder, runtime="in_process", ledger=ledger or folder / ".service"),
        (),
        (),
    )
    write(folder / "sales.csv", made.rows)
    write(folder / f"{HIDDEN_SOURCE}.csv", [{"name": name, "wage": wage} for name, wage in secrets.people])
    with closing(sqlite3.connect(folder / "hr.db")) as database, database:
        names = ", ".join(f'"{name}"' for name in made.rows[0])
        marks = ", ".join("?" * len(made.rows[0]))
        for table in ("sales", HIDDEN_SOURCE):
            database.execute(f"CREATE TABLE {table} ({names})")
            database.executemany(f"INSERT INTO {table} VALUES ({marks})", [tuple(row.values()) for row in made.rows])
    hidden = list(secrets.columns)
    wide = made.wide
    wide.connect(folder / "sales.csv", aliases={"pay": hidden[0], "turnover": "revenue"})
    wide.connect([{"cost": 1.0}], name="costs")
    wide.connect(folder / f"{HIDDEN_SOURCE}.csv", persist=True)
    outcomes = [
        wide.ask(f"sum {hidden[0]} by region from sales"),
        wide.ask(f"count by {hidden[1]} from sales"),
        wide.ask("sum revenue by region from sales"),
        wide.ask(f"count by name from {HIDDEN_SOURCE}"),
        wide.ask(f"sum {hidden[1]} from sales"),
        wide.compute("stats.mean", bindings=[{**MEAN, "field": hidden[0]}]),
        wide.compute("stats.mean", bindings=[MEAN]),
    ]
    ids = tuple(
        outcome.card["view"].get("query_id") or outcome.card["view"].get("request_id") or "" for outcome in outcomes
    )
    return World(folder, secrets, wide, tuple(outcome.card for outcome in outcomes), ids)


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write rows as CSV."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    path.write_text(text.getvalue(), encoding="utf-8")


def owned(made: World, folder: Path, ledger: str | None = None) -> Service:
    """Return a client that was made with the policy, and connects by itself."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sales.csv").write_bytes((made.folder / "sales.csv").read_bytes())
    client = service_nb.create_service(
        POLICY, project=folder, runtime="in_process", ledger=ledger or folder / ".service"
    )
    client.connect(folder / "sales.csv", aliases={"turnover": "revenue"}, persist=True)
    client.connect([{"cost": 1.0}], name="costs")
    return client


# --- what could be confirmed ------------------------------------------------------------------------------------------


def confirmable(made: World) -> dict[str, str]:
    """Return digests over what is hidden, by what they are of: whoever guesses it right can compute them."""
    rows, hidden = made.rows, list(made.secrets.columns)
    types = {"region": "string", "revenue": "number", "day": "date"}
    found: dict[str, str] = {}
    whole = {
        name: compute_sha256_hex((made.folder / name).read_bytes()) for name in ("sales.csv", f"{HIDDEN_SOURCE}.csv")
    }
    found |= {f"content of {name}": digest for name, digest in whole.items()}
    names = [*ALLOWED, *hidden]
    for size in range(1, len(names) + 1):
        for some in combinations(names, size):
            if not set(some) & set(hidden):
                continue
            kinds = [types.get(name, "number" if type(rows[0][name]) is float else "string") for name in some]
            fields = [Field(name=n, type=kind, physical=_PHYSICAL[kind]) for n, kind in zip(some, kinds, strict=True)]  # type: ignore[arg-type]
            found[f"schema of {some}"] = hash_schema(fields)
            for content in (whole["sales.csv"], "live", "hidden"):
                found[f"id of {some}, {content[:6]}"] = identify_source("sales", fields, content, {})
            values = service_nb.create_service(project=made.folder, ledger="off")
            table = pa.table({name: [row[name] for row in rows] for name in some})
            found[f"values of {some}"] = str(values.connect(table, name="v")["content"]["sha256"])
            values.close()
    for name in hidden:
        column = [row[name] for row in rows]
        found[f"column {name}"] = digest_column(column)
        for value in column:
            found[f"value {value}"] = compute_sha256_hex(str(value).encode())
            found[f"value {value} in JSON"] = compute_sha256_hex(write_canonical_text(value).encode())
    for number, card in enumerate(made.cards):
        if number not in VISIBLE:  # those have digests in common with what may be asked
            kept = {key: text for key, text in card["digests"].items() if key not in _SHARED}
            found |= {f"{key} of card {number}": text for key, text in kept.items()}
    source = made.cards[2]["view"]["source"]
    found |= {"the wide id": source["source_id"], "the wide schema": source["schema_revision"]}
    return found


_PHYSICAL = {"string": "string", "number": "float64", "date": "date"}
_SHARED = ("contract_hash", "definition_hash")


# --- what is said -----------------------------------------------------------------------------------------------------


def said(call: Callable[[], Any]) -> str:
    """All that a call says, whether it returns, raises or warns: everything that could be shown or kept."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            found: Any = call()
        except ServiceError as error:
            chain = [error, error.__cause__, None if error.__suppress_context__ else error.__context__]
            card = "" if error.card is None else json.dumps(error.card)
            found = [
                error.to_dict(),
                card,
                *(str(one) for one in chain if one is not None),
                error.__dict__.get("__notes__"),
            ]
        text = "".join(_parts(found)) + " ".join(str(one.message) for one in told)
    return text + "".join(map(_decoded, re.findall(r"[A-Za-z0-9+/]{60,}={0,2}", text)))


def _decoded(text: str) -> str:
    """What base64 holds, if it is a statement."""
    told = base64.b64decode(text[: len(text) // 4 * 4]).decode("latin-1")
    return told if told.startswith('{"_type"') else ""


def _parts(found: Any) -> Iterator[str]:
    yield json.dumps(found, default=_plain)
    for each in found if isinstance(found, list | tuple) else [found]:
        card = getattr(each, "card", None)
        if card is not None:
            yield json.dumps(card, default=str)
        if hasattr(each, "_repr_mimebundle_"):
            yield repr(each._repr_mimebundle_())
        if hasattr(each, "explain"):
            yield repr(each.explain())


def _plain(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def found_out(text: str, made: World, asked: str, digests: Mapping[str, str]) -> list[str]:
    """Return which secrets a text tells, beside what was asked: that is only said back."""
    plain = text.replace("\\", "")
    bare = re.sub(rf"(?<!\w){re.escape(asked)}(?!\w)", "", plain)
    words = [word for word in made.secrets.words if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", bare)]
    lower = plain.lower()
    return words + [what for what, digest in digests.items() if digest.removeprefix("sha256:")[:12] in lower]


# --- ways -------------------------------------------------------------------------------------------------------------

Way = Callable[[Service, World, str], Any]


def _line(template: str) -> Way:
    return lambda client, _made, thing: client.ask(template.replace("@", f"`{thing}`"))


def _plan(change: Callable[[dict[str, Any], str], dict[str, Any]]) -> Way:
    def way(client: Service, _made: World, thing: str) -> Any:
        plan = change(copy.deepcopy(client.resolve("sum revenue by region from sales")["plan"]), thing)
        return [said(lambda: client.verify(plan)), said(lambda: client.run(plan)), said(lambda: client.columns(plan))]

    return way


def _bound(**changes: Any) -> Way:
    def way(client: Service, _made: World, thing: str) -> Any:
        filled = json.loads(json.dumps(MEAN | changes).replace("@", thing))
        filled = {key: value for key, value in filled.items() if value is not None}
        return client.compute("stats.mean", bindings=[filled])

    return way


def forged(card: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
    """Return an unsigned card whose view's source says something else."""
    made: dict[str, Any] = copy.deepcopy(dict(card))
    made.pop("receipt", None)
    made["view"]["source"] |= changes
    return made


def _replayed(origin: Callable[[World, str], dict[str, Any]]) -> Way:
    """Replay a card of one's own whose provenance names another file, table, query or reading."""

    def way(client: Service, made: World, thing: str) -> Any:
        card = copy.deepcopy(dict(client.ask("sum revenue by region from sales").card))
        card.pop("receipt", None)
        provenance = json.loads(card["canonical"].get("provenance", "{}"))
        for each in provenance.get("sources", []):
            each |= {"origin": origin(made, thing)}
        card["canonical"]["provenance"] = write_canonical_text(provenance)
        return [client.replay(card, unverified=True), client.replay([card], changed_sources=True, unverified=True)]

    return way


def _exported(client: Service, _made: World, thing: str) -> Any:
    cards = [client.ask("sum revenue by region from sales").card, client.compute("stats.mean", bindings=[MEAN]).card]
    refused = client.ask(f"sum `{thing}` from sales").card
    told = []
    for form in find_formats().values():
        for card in (*cards, refused):
            material = ExportMaterial(cards=[card], time="2026-11-21T13:22:52Z")
            told.append(said(lambda form=form, material=material: _flat(form.write(material))))
    return told


def _flat(exported: Any) -> list[str]:
    files = exported.values() if isinstance(exported, Mapping) else [exported]
    return [data.decode("latin-1") for data in files]


def _completed(text: str) -> Way:
    def way(client: Service, _made: World, thing: str) -> Any:
        records = {each.name: each for each in list_magics()}
        shell = SimpleNamespace(user_ns={})
        magics: Any = SimpleNamespace(connected=client, service=client, shell=shell, records=records)
        prefixes = [text.replace("@", thing[:length]) for length in (0, 1, 3)]
        told = [complete_cell(prefix, "", magics) for prefix in prefixes]
        return [(offer.text, offer.kind) for fragment, offers in told for offer in offers]

    return way


def _linked(method: str, **params: Any) -> Way:
    def way(client: Service, _made: World, thing: str) -> Any:
        filled = json.loads(json.dumps(params).replace("@", thing))
        return answer_message({"service_nb": 1, "id": 1, "method": method, "params": filled}, client)

    return way


def _recalled(client: Service, made: World, thing: str) -> Any:
    asked = [*made.ids, thing]
    got = [said(lambda each=each: client.get_result(each)) for each in asked]
    return [*got, *(said(lambda each=each: client.replay(each)) for each in asked), said(lambda: client.log(1_000))]


def _connected(client: Service, made: World, thing: str) -> Any:
    """Connect under any name, of anything; an owner's client is asked under denied names, a narrowed one under all."""
    whole, database = made.folder / "sales.csv", {"provider": "sqlite", "path": made.folder / "hr.db"}
    renamed = {**database, "query": f'SELECT region, day, "{next(iter(made.secrets.columns))}" AS revenue FROM sales'}
    tries = [
        lambda: client.connect(whole, name=thing),
        lambda: client.connect(whole, name="sales", types={thing: "string"}),
        lambda: client.connect(whole, name="sales", aliases={"x": thing}),
        lambda: client.connect({**database, "table": thing}, name="sale"),
        lambda: client.connect(renamed, name=thing),
        lambda: client.connect(name=thing),
        lambda: client.test_connector({"type": "sqlite", "path": str(made.folder / "hr.db"), "table": thing}),
        lambda: client.disconnect(thing),
        lambda: client.forget(thing),
        lambda: client.refresh(thing),
    ]
    return [said(each) for each in tries]


WAYS: dict[str, Way] = {
    "metric": _line("sum @ from sales"),
    "max": _line("max @ from sales"),
    "count": _line("count @ from sales"),
    "group": _line("count by @ from sales"),
    "second group": _line("sum revenue by region, @ from sales"),
    "condition": _line("count from sales where @ = 'x'"),
    "condition in brackets": _line("count from sales where region = 'x' or (@ = 'x' and revenue > 0)"),
    "condition of a number": _line("count from sales where @ > 5"),
    "null": _line("count from sales where @ is null"),
    "period": _line("count from sales where @ during this_year"),
    "source": _line("count from @"),
    "value": _line("count from sales where region = @"),
    "two faults": _line("sum revenu by @ from sales"),
    "resolve": lambda client, _, thing: client.resolve(f"sum `{thing}` from sales"),
    "unresolved": lambda client, _, thing: [
        client.ask({"metric": thing}),
        client.ask({"group_by": thing}),
        client.ask({}),
    ],
    "plan's metric": _plan(lambda plan, thing: plan | {"metric": thing}),
    "plan's group": _plan(lambda plan, thing: plan | {"group_by": [thing]}),
    "plan's source": _plan(lambda plan, thing: plan | {"source_name": thing}),
    "plan's condition": _plan(
        lambda plan, thing: plan | {"filter": {"conditions": [{"column": thing, "op": "is_null"}]}}
    ),
    "plan's condition in a group": _plan(
        lambda plan, thing: (
            plan | {"filter": {"conditions": [{"any": [{"column": c, "op": "is_null"} for c in ("region", thing)]}]}}
        )
    ),
    "plan's hashes": _plan(lambda plan, thing: plan | {"plan_hash": thing, "schema_revision": thing}),
    "binding": _bound(field="@"),
    "binding's condition": _bound(filter={"conditions": [{"column": "@", "op": "eq", "value": 1}]}),
    "binding's source": _bound(source="@"),
    "bindings by row": lambda client, _, thing: client.compute(
        "stats.pearson_correlation",
        bindings=[{"parameters": ["x", "y"], "fields": ["revenue", thing], "source": "sales", "alignment": "rowwise"}],
    ),
    "over": lambda client, _, thing: client.compute("stats.mean", bindings=[MEAN], over=thing),
    "compute line": lambda client, _, thing: client.compute(f"stats.mean values=sales.{thing}"),
    "description": lambda client, _, thing: [
        client.sources(),
        client.source("sales"),
        said(lambda: client.source(thing)),
    ],
    "values": lambda client, _, thing: [client.values("sales", thing), client.values(thing, "name")],
    "what is kept": lambda client, _, thing: [
        client.stored_sources(),
        client.live_sources(),
        client.unconnected(wait=1.0),
    ],
    "narrow": lambda client, _, thing: [
        client.narrow({"allowed_fields": {"sales": [thing, "revenue"]}}).sources(),
        said(lambda: client.narrow({"allowed_sources": [thing]}).ask(f"count from `{thing}`")),
    ],
    "policy": lambda client, _, thing: ShownDict(client.policy.to_dict(), compose_policy),
    "an answer": lambda client, _, thing: [
        client.ask("sum revenue by region from sales"),
        client.compute("stats.mean", bindings=[MEAN]),
    ],
    "verified": lambda client, _, thing: check_card(client.ask("avg turnover from sales").card),
    "recalled": _recalled,
    "connecting": _connected,
    "exports": _exported,
    "replay of one's own": lambda client, _, thing: [
        client.replay(client.ask("sum revenue by region from sales").card),
        client.ask(f"max `{thing}` from sales").replay(),
    ],
    "replay of the owner's": lambda client, made, thing: [
        said(lambda card=card: _unasked(client.replay(card, unverified=True), card)) for card in made.visible
    ],
    "origin with a query": _replayed(
        lambda made, thing: {
            "file": "hr.db",
            "provider": "sqlite",
            "query": f'SELECT region, day, "{thing}" AS revenue FROM sales',
        }
    ),
    "origin with a table": _replayed(lambda made, thing: {"file": "hr.db", "provider": "sqlite", "table": thing}),
    "origin with a file": _replayed(lambda made, thing: {"file": f"{HIDDEN_SOURCE}.csv"}),
    "completed metric": _completed("%service_ask sum @"),
    "completed group": _completed("%service_ask sum revenue by @"),
    "completed condition": _completed("%service_ask count from sales where @"),
    "completed value": _completed("%service_ask count from sales where region = '@"),
    "completed source": _completed("%service_ask count from @"),
    "completed compute": _completed("%service_compute stats.mean values=sales.@"),
    "completed connect": _completed("%service_connect @"),
    "completed forget": _completed("%service_forget @"),
    "linked sources": _linked("sources"),
    "linked values": _linked("values", source="sales", field="@"),
    "linked question": _linked("check_ask", spec={"aggregation": "sum", "metric": "@", "source_name": "sales"}),
    "linked call": _linked("check_call", name="stats.mean", arguments={"values": "sales.@"}),
    "linked replay": _linked("replay", id="@"),
}


def _unasked(outcome: Any, card: Mapping[str, Any]) -> str:
    """Return what a replay says beside what the card that was handed in says: its digests, its question, its names."""
    text = json.dumps(outcome, default=str) + json.dumps(outcome.card, default=str)
    given = json.dumps(card)
    for word in {*re.findall(r"[0-9a-f]{12,64}", given)}:
        text = text.replace(word, "")
    return text
