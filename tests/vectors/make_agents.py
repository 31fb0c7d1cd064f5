"""Write the questions that agents are scored by: what a person asks, what an agent sends, and the plan of an ask line.

    python -m tests.vectors.make_agents

Of each question the inputs that a scripted agent sends, one after the other: all but the last are refused, and the hash
of the last plan has to be that of the ask line, which is another form with another parser. No model takes part.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import service_nb

HERE = Path(__file__).parent / "agents"
DATA, QUESTIONS = HERE / "orders.csv", HERE / "questions.json"
Input = dict[str, Any]


def measure(aggregation: str | None = None, metric: str | None = None, **more: Any) -> Input:
    """Return an input with one measure."""
    given = {"source_name": "orders", "aggregation": aggregation, "metric": metric, **more}
    return {key: value for key, value in given.items() if value is not None}


def where(*conditions: tuple[Any, ...]) -> Input:
    """Return a filter of conditions: column, operator, and one value, a list of them, or none."""
    listed = []
    for column, op, *value in conditions:
        held = {} if not value else {"values": value[0]} if isinstance(value[0], list) else {"value": value[0]}
        listed.append({"column": column, "op": op, **held})
    return {"conditions": listed}


def by(unit: str) -> list[Input]:
    """Return the key of a period."""
    return [{"column": "day", "unit": unit}]


COUNT = {"aggregation": "count"}
SPLIT = [{"any": where(("region", "eq", "north"), ("region", "eq", "south"))["conditions"]}]
EITHER = [{"any": where(("returned", "eq", True), ("product", "eq", "desk"))["conditions"]}]
THREE = [{"aggregation": "sum", "metric": "quantity"}, {"aggregation": "min", "metric": "price"}]
MANY = {"conditions": [{"aggregation": "count", "op": "gt", "value": 4}]}
SOLD = {"conditions": [{"aggregation": "sum", "metric": "quantity", "op": "gte", "value": 15}]}


def count(*conditions: tuple[Any, ...], **more: Any) -> Input:
    """Return a count of the rows that meet conditions."""
    return measure("count", filter=where(*conditions), **more)


def units(*conditions: tuple[Any, ...], **more: Any) -> Input:
    """Return the sum of units, of the rows that meet conditions."""
    return measure("sum", "quantity", filter=where(*conditions) if conditions else None, **more)


# What a person asks, the ask line without its source, and what the agent sends.
TABLE: list[tuple[str, str, list[Input]]] = [
    ("How many orders are there?", "count", [measure("count")]),
    ("How many units were sold?", "sum quantity", [units()]),
    ("What is the average price?", "avg price", [measure("avg", "price")]),
    ("What is the mean price?", "avg price", [measure("mean", "price"), measure("avg", "price")]),
    ("What is the lowest price?", "min price", [measure("min", "price")]),
    ("What is the highest price?", "max price", [measure("max", "price")]),
    ("What is the median price?", "median price", [measure("median", "price")]),
    ("How many regions are there?", "count_distinct region", [measure("count_distinct", "region")]),
    ("How many products are there?", "count_distinct product", [measure("count_distinct", "product")]),
    ("How do prices spread?", "stddev price", [measure("stddev", "price")]),
    ("What is the variance of units?", "variance quantity", [measure("variance", "quantity")]),
    ("Below what are 90 % of prices?", "p90 price", [measure("percentile", "price", percent=90)]),
    ("The lower quartile of prices?", "percentile 25 of price", [measure("percentile", "price", percent="25")]),
    ("When was the first order?", "min day", [measure("min", "day")]),
    ("When was the last order?", "max day", [measure("max", "day")]),
    ("Units by region?", "sum quantity by region", [units(group_by=["region"])]),
    ("Orders by product?", "count by product", [measure("count", group_by=["product"])]),
    ("Average price by product?", "avg price by product", [measure("avg", "price", group_by=["product"])]),
    ("Units by region and product?", "sum quantity by region, product", [units(group_by=["region", "product"])]),
    ("Orders by month?", "count by month of day", [measure("count", group_by=by("month"))]),
    ("Units by quarter?", "sum quantity by quarter of day", [units(group_by=by("quarter"))]),
    ("Orders by year?", "count by year of day", [measure("count", group_by=by("year"))]),
    ("Orders by week?", "count by week of day", [measure("count", group_by=by("week"))]),
    (
        "How are prices distributed, in tens?",
        "count by price in bins of 10",
        [measure("count", group_by=[{"column": "price", "width": "10"}])],
    ),
    ("Orders from the north?", "count where region = 'north'", [count(("region", "eq", "north"))]),
    ("Orders not from the north?", "count where region != 'north'", [count(("region", "ne", "north"))]),
    ("Units above a price of 50?", "sum quantity where price > 50", [units(("price", "gt", 50))]),
    ("Units at 19.90 or less?", "sum quantity where price <= 19.90", [units(("price", "lte", 19.9))]),
    ("Orders of at least 5 units?", "count where quantity >= 5", [count(("quantity", "gte", 5))]),
    ("Orders of less than 2 units?", "count where quantity < 2", [count(("quantity", "lt", 2))]),
    (
        "Units in the north and south?",
        "sum quantity where region in ('north', 'south')",
        [units(("region", "in", ["north", "south"]))],
    ),
    (
        "Units elsewhere?",
        "sum quantity where region not in ('north', 'south')",
        [units(("region", "not_in", ["north", "south"]))],
    ),
    ("Prices from 20 to 100?", "count where price between 20 and 100", [count(("price", "between", [20, 100]))]),
    ("Orders without a region?", "count where region is null", [count(("region", "is_null"))]),
    ("Orders with a price?", "count where price is not null", [count(("price", "is_not_null"))]),
    ("Products with 'am'?", "count where product contains 'am'", [count(("product", "contains", "am"))]),
    (
        "Products that start with s?",
        "count by product where product starts with 's'",
        [count(("product", "starts_with", "s"), group_by=["product"])],
    ),
    ("How many were returned?", "count where returned = true", [count(("returned", "eq", True))]),
    (
        "Orders in 2023?",
        "count where day between 2023-01-01 and 2023-12-31",
        [count(("day", "between", ["2023-01-01", "2023-12-31"]))],
    ),
    ("Orders since 2024?", "count where day >= 2024-01-01", [count(("day", "gte", "2024-01-01"))]),
    (
        "Units of lamps in the north?",
        "sum quantity where product = 'lamp' and region = 'north'",
        [units(("product", "eq", "lamp"), ("region", "eq", "north"))],
    ),
    (
        "Orders that were returned or of desks?",
        "count where returned = true or product = 'desk'",
        [measure("count", filter={"conditions": EITHER})],
    ),
    (
        "From north or south, and above 50?",
        "count where (region = 'north' or region = 'south') and price > 50",
        [measure("count", filter={"conditions": [*SPLIT, *where(("price", "gt", 50))["conditions"]]})],
    ),
    ("The region with most units?", "sum quantity by region limit 1", [units(group_by=["region"], limit=1)]),
    (
        "The three products with fewest units?",
        "sum quantity by product order asc limit 3",
        [units(group_by=["product"], order="asc", limit=3)],
    ),
    (
        "Units by month, in order of time?",
        "sum quantity by month of day order by day_month asc",
        [units(group_by=by("month"), order_by="day_month", order="asc")],
    ),
    (
        "Regions with more than 4 orders?",
        "count by region having count > 4",
        [measure("count", group_by=["region"], having=MANY)],
    ),
    (
        "Products that sold at least 15 units?",
        "sum quantity by product having sum quantity >= 15",
        [units(group_by=["product"], having=SOLD)],
    ),
    ("Units, and the lowest price?", "sum quantity, min price", [measure(measures=THREE)]),
    ("The same by product?", "sum quantity, min price by product", [measure(measures=THREE, group_by=["product"])]),
    (
        "Orders and units by month?",
        "count, sum quantity by month of day",
        [measure(measures=[COUNT, THREE[0]], group_by=by("month"))],
    ),
    ("The sum of revenues?", "sum price", [measure("sum", "revenue"), measure("sum", "price")]),
    ("The sum of prises?", "sum price", [measure("sum", "prise"), measure("sum", "price")]),
    ("The sum of Price?", "sum price", [measure("sum", "Price")]),
    ("Units by one region?", "sum quantity by region", [units(group_by=["Region"])]),
    ("The price?", "max price", [measure(None, "price"), measure("max", "price")]),
    (
        "Orders by weekday?",
        "count by day of day",
        [measure("count", group_by=by("weekday")), measure("count", group_by=by("day"))],
    ),
    (
        "Orders like lamp?",
        "count where product contains 'lamp'",
        [count(("product", "like", "lamp")), count(("product", "contains", "lamp"))],
    ),
    (
        "The average of regions?",
        "avg quantity by region",
        [measure("avg", "region"), measure("avg", "quantity", group_by=["region"])],
    ),
    ("Units of the order?", "sum quantity", [units() | {"source_name": "order"}, units()]),
]


def write_line(line: str) -> str:
    """Write an ask line with its source, which stands before conditions and order."""
    for word in (" where ", " having ", " order ", " limit "):
        if word in line:
            head, _, tail = line.partition(word)
            return f"{head} from orders{word}{tail}"
    return f"{line} from orders"


def main() -> None:
    """Write the questions with the hashes of their ask lines."""
    service = service_nb.create_service(ledger="off")
    service.connect(DATA)
    entries = [
        {
            "question": question,
            "line": write_line(line),
            "inputs": inputs,
            "plan_hash": service.resolve(write_line(line))["plan_hash"],
        }
        for question, line, inputs in TABLE
    ]
    QUESTIONS.write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
