"""A notebook of many cards, as a ledger signs them; and the same outputs without the cards."""

from __future__ import annotations

import base64
import itertools
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import service_nb
from service_nb.cards.faces import to_bundle
from service_nb.schema.card import CARD_MIME, Card

DEVICE_KEY = "SERVICE_DEVICE_KEY"
REGIONS = ("north", "south", "east", "west")
RECORDS = [{"region": REGIONS[n % 4], "product": f"product {n % 25}", "revenue": 100.1 * n} for n in range(400)]
Notebook = dict[str, Any]


def two_notebooks(count: int, ledger: Path) -> tuple[Notebook, Notebook]:
    """Return a notebook of signed cards, and the same without: what is left is HTML, Markdown and text."""
    with a_device_key():
        bundles = [to_bundle(card)[0] for card in itertools.islice(cards(ledger), count)]
    plain = [{mime: content for mime, content in bundle.items() if mime != CARD_MIME} for bundle in bundles]
    return notebook(bundles), notebook(plain)


@contextmanager
def a_device_key() -> Iterator[None]:
    """Have the ledger sign by a key that nobody has seen."""
    before = os.environ.get(DEVICE_KEY)
    os.environ[DEVICE_KEY] = base64.b64encode(secrets.token_bytes(32)).decode()
    try:
        yield
    finally:
        os.environ.pop(DEVICE_KEY) if before is None else os.environ.update({DEVICE_KEY: before})


def cards(ledger: Path) -> Iterator[Card]:
    """Return cards of several kinds in turns, no two of them equal."""
    service = service_nb.create_service(ledger=ledger, runtime="in_process")
    service.connect({"records": RECORDS}, name="sales")
    for number in itertools.count(1):
        for make in KINDS:
            yield make(service, number)


def table(service: service_nb.Service, number: int) -> Card:
    """A question by group: a table of 25 rows."""
    return service.ask(f"sum revenue by product from sales where revenue >= {number}").card


def figure(service: service_nb.Service, number: int) -> Card:
    """A question with one number as its answer."""
    return service.ask(f"avg revenue from sales where revenue >= {number}").card


def computation(service: service_nb.Service, number: int) -> Card:
    """A computation, with its formula."""
    spec = {"module": "finance", "function": "npv", "args": [0.1, [-1000.0, 300.0 + number, 420, 560]]}
    (computed,) = service.compute_many([spec])
    return computed.card


def clarification(service: service_nb.Service, number: int) -> Card:
    """A question about a column that is not there."""
    return service.ask(f"sum revenu by region from sales where revenue >= {number}").card


def rejection(service: service_nb.Service, number: int) -> Card:
    """A question that means nothing: text is not added."""
    return service.ask(f"sum product by region from sales where revenue >= {number}").card


def replay(service: service_nb.Service, number: int) -> Card:
    """A small table, run again."""
    replayed: Any = service.ask(f"count by region from sales where revenue >= {number}").replay()
    card: Card = replayed.card
    return card


KINDS: tuple[Callable[[service_nb.Service, int], Card], ...] = (
    table,
    figure,
    computation,
    clarification,
    rejection,
    replay,
)


def notebook(outputs: list[dict[str, Any]]) -> Notebook:
    """Return a notebook with a cell for each output, as a saved one is."""
    cells = [
        {
            "cell_type": "code",
            "id": f"cell-{number}",
            "metadata": {},
            "execution_count": number,
            "source": ["%service_ask sum revenue by region from sales"],
            "outputs": [{"output_type": "display_data", "metadata": {}, "data": data}],
        }
        for number, data in enumerate(outputs, 1)
    ]
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
