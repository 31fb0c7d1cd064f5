"""Notebooks and cards for the specs: real answers of a real client, signed as those of a user are, and forged ones."""

from __future__ import annotations

import copy
import decimal
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from service_nb import create_service
from service_nb.cards.faces import to_bundle
from service_nb.client.service import Service
from service_nb.core.digest import compute_sha256_hex
from service_nb.errors import ServiceError
from service_nb.schema.card import CARD_MIME, Card
from tests.simulators.evidence import query_card, sealed, signed, text

Json = dict[str, Any]

SALES_CSV = """region,product,year,revenue,units
north,anvil,2023,1.5,3
south,anvil,2024,0.1,1
south,rope,2024,0.2,2
east,rope,2024,,4
east,anvil,2023,1234.5,9007199254740993
"""
# What a front end that reads numbers as doubles, or text as something else, would lose.
ODD_ROWS: list[Json] = [
    {"group": "one", "float": 1.0, "whole": 12345678901234567890, "money": decimal.Decimal("0.10")},
    {"group": "minus nothing", "float": -0.0, "whole": -(2**63), "money": decimal.Decimal("-12345678901234567.89")},
    {"group": "e\u0301 \u00fc \u65e5\u672c \U0001f600", "float": 5e-324, "whole": 2**53 + 1, "money": None},
    {"group": "no number", "float": float("nan"), "whole": 7, "money": decimal.Decimal("1.00")},
    {"group": "large", "float": 1e300, "whole": 10**37, "money": decimal.Decimal("99999999999999999.99")},
]


@contextmanager
def client(folder: Path) -> Iterator[Service]:
    """A client with a ledger and the device key of the tests, which computes in this process."""
    service = create_service(runtime="in_process", project=folder, ledger=folder / "ledger")
    yield service
    service.close()


def card_of(run: Any) -> Card:
    """The card of an outcome, or of the error that came instead."""
    card: Card | None
    try:
        card = run().card
    except ServiceError as error:
        card = error.card
    assert card is not None
    return card


def odd_cards(folder: Path) -> list[Card]:
    """Signed cards whose values no JSON number of a browser holds, or holds another way."""
    with client(folder) as service:
        service.connect(ODD_ROWS, name="odd")
        asked = ("sum float by group", "max whole by group", "sum money by group", "sum whole", "min float", "count")
        cards = [service.ask(f"{each} from odd").card for each in asked]
        computed: Any = service.compute("finance.npv rate=0.0 cashflows=[1.0,-0.0,1e300]")
    forms: list[Any] = [1.0, -0.0, 5e-324, 0.1, 1e-7, 9007199254740991.0]  # larger ones are text in a view
    odd = copy.deepcopy(query_card())  # samples share their parts
    provenance = json.loads(odd["canonical"]["provenance"])
    provenance["sources"][0]["content"]["odd"] = odd["view"]["source"]["content"]["odd"] = forms
    texts = odd["canonical"] | {"provenance": text(provenance)}
    view = odd["view"] | {"latency_ms": 1.0}
    return [*cards, computed.card, *signed([sealed(odd | {"canonical": texts, "view": view})])]


def kinds(folder: Path) -> dict[str, Card]:
    """A signed card of every kind, and of the shapes of an answer."""
    path = folder / "sales.csv"
    path.write_text(SALES_CSV, encoding="utf-8")
    with client(folder) as service:
        service.connect(path, name="sales")
        answer: Any = service.ask("sum revenue by region from sales")
        computed: Any = service.compute("finance.npv rate=0.1 cashflows=[-1000,300,420]")
        return {
            "table": answer.card,
            "figure": service.ask("sum revenue from sales").card,
            "two keys": service.ask("max units by region, product from sales where year >= 2023").card,
            "many rows": service.ask("sum revenue by region, product, year from sales order desc limit 3").card,
            "hash only": service.ask("sum revenue by region from sales", rows="none").card,
            "clarification": card_of(lambda: service.ask("sum uni by region from sales")),
            "rejection": card_of(lambda: service.ask("sum region from sales")),
            "error": card_of(lambda: service.ask("sum revenue from nowhere")),
            "computation": computed.card,
            "failed computation": card_of(lambda: service.compute("finance.npv rate=-2 cashflows=[1,2]")),
            "replay": answer.replay().card,
        }


def notebook(cards: Iterable[Mapping[str, Any]], *, note: str = "# Cards") -> Json:
    """A notebook that was run and saved: a cell of prose, then one cell for each card, with all of its faces."""
    cells: list[Json] = [{"cell_type": "markdown", "id": "prose", "metadata": {}, "source": note}]
    for number, card in enumerate(cards):
        data, metadata = bundle(card)
        output = {"output_type": "execute_result", "execution_count": number, "metadata": metadata, "data": data}
        cells.append(
            {
                "cell_type": "code",
                "id": f"card-{number}",
                "metadata": {},
                "source": f"# {card['kind']} {number}",
                "execution_count": number,
                "outputs": [output],
            }
        )
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": kernel, "cells": cells}


def states(folder: Path) -> Json:
    """A notebook with a card in each state that a reader must tell apart; the cells say which."""
    path = folder / "sales.csv"
    path.write_text(SALES_CSV, encoding="utf-8")
    named = ("own", "edited", "forged face", "one form too many", "card taken out", "altered", "unsigned", "unknown")
    said: list[str] = []

    def where() -> Any:
        return {
            "notebook": "states.ipynb",
            "cell": f"card-{len(said)}",
            "source": compute_sha256_hex(said[-1].encode()),
        }

    cards: list[Json] = []
    with closing(
        create_service(runtime="in_process", project=folder, ledger=folder / "ledger", where=where)
    ) as service:
        service.connect(path, name="sales")
        for name in named:
            said.append(f"# {name}")
            cards.append(copy.deepcopy(dict(service.ask("sum revenue by region from sales").card)))
    cards[named.index("altered")]["view"]["rows"][0][1] = "9999999.99"
    cards[named.index("unsigned")]["receipt"] = None
    cards[named.index("unknown")] = query_card_of_a_stranger()
    document = notebook(cards)
    cells = document["cells"][1:]
    for cell, source in zip(cells, said, strict=True):
        cell["source"] = source
    for number, cell in enumerate(cells, 1):
        cell["id"] = f"card-{number}"
    cells[named.index("edited")]["source"] += " and more"
    data = [cell["outputs"][0]["data"] for cell in cells]
    data[named.index("forged face")]["text/html"] = data[0]["text/html"].replace("1,234.5", "9,234.5")
    data[named.index("one form too many")]["application/json"] = {"revenue": 9999999.99}
    del data[named.index("card taken out")][CARD_MIME]
    return document


def query_card_of_a_stranger() -> Json:
    """A genuine card that somebody has signed whom nobody here knows."""
    (card,) = signed([query_card()])
    return card


def with_panel(document: Json) -> Json:
    """The same with a panel at its end, whose kernel has gone."""
    data = {
        "application/vnd.service-nb.panel.v1+json": {"version": 1},
        "application/vnd.jupyter.widget-view+json": {"model_id": "0" * 32, "version_major": 2, "version_minor": 1},
        "text/html": "<div>Panel: run this cell to use it</div>",
        "text/plain": "Panel: run this cell to use it",
    }
    cell: Json = {
        "cell_type": "code",
        "id": "panel",
        "metadata": {},
        "source": "%service_panel",
        "execution_count": None,
        "outputs": [{"output_type": "display_data", "metadata": {}, "data": data}],
    }
    return {**document, "cells": [*document["cells"], cell]}


def bundle(card: Mapping[str, Any]) -> tuple[Json, Json]:
    """A card with its faces; one that cannot be composed stands alone, as a forger would write it."""
    try:
        return to_bundle(card)  # type: ignore[arg-type]
    except (LookupError, TypeError, ValueError, AttributeError):
        return {CARD_MIME: dict(card), "text/plain": "a card"}, {}


def write(path: Path, document: Any) -> Path:
    """Write a document as Jupyter writes it."""
    path.write_text(json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return path
