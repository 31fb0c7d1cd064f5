"""Both languages read what the grammar refused as the same question, ask the same, or stop at the same word."""

from __future__ import annotations

import json
from pathlib import Path

import service_nb_kernels

from service_nb.client.advice.question import read_question
from service_nb.client.advice.scan import Known, NotUnderstoodError
from service_nb.compute.contract import Contract
from service_nb.query.ask_line import format_ask
from tests.tools.node import built, node

SCRIPT = Path(__file__).parents[1] / "tools" / "question_readings.mjs"
COLUMNS = {
    "Row ID": "number",
    "Region": "string",
    "Customer Segment": "string",
    "Sales": "number",
    "Profit": "number",
    "Quantity": "number",
    "Order Date": "date",
    "Ship Date": "date",
    "is_late": "boolean",
    "survey": "string",
}
SOURCES = ["orders", "surveys"]
LINES = """
total sales by region
average Sales and Profit by region
how many regions
how many different regions
how many rows by region
how many flights by region from orders
how many flights by region
how many late
number of is_late
distinct average Sales
count distinct Region
sum Sales where "Region" = 'North'
sum 'Sales' by 'Region'
sum Sales by "North"
sum Sales order by
sum Sales by Region order by desc
sum Sales by Region order by count desc
sum Sales by Region order by sum Sales
SELECT Region, COUNT(*) AS n FROM orders GROUP BY Region HAVING COUNT(*) > 10 ORDER BY n DESC LIMIT 3
select Region, count(*) from orders group by Region order by count(*)
select Region, sum(Sales) as a, avg(Profit) as b from orders group by Region order by b
sum Sales by Region order by Sales
sum Sales by Region sort by total descending
sum Sales where Region in North, South
sum Sales where Region in (North, South)
sum Sales where Region in ['North', 'South']
sum Sales where Region not in (North)
sum Sales where (Region = North or Region = South) and Sales > 10
sum Sales where Sales > 10 and (Region = North or Region = South)
sum Sales where (Region = North) and (Sales > 10) by Region
sum Sales where not (Region = North)
sum Sales where not (Region = North or Region = South)
sum Sales where not Region = North
sum Sales where Region not contains Nor
sum Sales where Region starts with N
sum Sales where Sales between 1 and 5
sum Sales where Sales not between 1 and 5
sum Sales where Region is not null
sum Sales having sum(Sales) > 3
sum Sales by Region having count(*) > 3
top 3 Region by Sales
top 3 Region by sum Sales
bottom 2 region by total profit
top North by Sales
top 3 of Region
sum of the first 10 Sales
average of the top 10 Sales
orders.groupby('Region')['Sales'].sum().head(3)
sum Sales by Region order desc first 3
latest Sales by Region
latest Order Date by Region
biggest Region
biggest Sales by Region
SELECT DISTINCT Region FROM orders
select distinct Region from orders limit 2
distinct Region by survey
unique(orders$Region)
coldest Sales
mad(Sales)
quartile(Sales, 3)
stdevp(Sales)
np.std(orders.Sales)
limt 3 sum Sales by Region
=SUMIFS(Sales;Region;"Nor*")
Sales by Region
p90 of Sales
90th percentile of Sales
percentile 90% of Sales
quantile(Sales, 0.9)
percentile 12,5 of Sales
count where Sales > 1k
count where Sales > $1,500.50
count where Sales > 1,500
count where Sales > 5%
count where Sales > €5%
count where Order Date = 03/04/2024
count where Order Date >= 31.12.2024
sum Sales last year
sum Sales in last quarter by region
sum Sales where order date during last month and Region = North
sum Sales where order date in last month or Region = North
sum Sales this year last month
sum Sales in 2024
sum Sales by month
monthly Sales
sum Sales by month of order date
sum Sales by year(Order Date)
sum Sales by Sales in bins of 10
Summe Sales wo Region = Süd
sum Sales where Region = Nort
cuont by Region
sum Salse by Rgeion
sum orders
sum survey from orders
count from surveys
sum Sales by surveys
select Region, sum(Sales) as total from orders group by Region order by total desc limit 3
SELECT PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY Sales) FROM orders
df['Sales'].mean()
orders[orders['Sales'] > 100]['Profit'].sum()
orders.query("Sales > 100")['Profit'].mean()
orders.groupby('Region').agg({'Sales': ['mean', 'max'], 'Profit': 'sum'})
orders.groupby(['Region', 'Customer Segment']).agg(m=('Sales', 'mean'))
orders.groupby('Region')['Sales'].agg(['mean', 'median']).reset_index()
orders.pivot_table(values='Sales', index='Region', columns='Customer Segment', aggfunc='sum')
orders.pivot_table(values='Sales', index='Region', aggfunc='sum', margins=True)
orders['Region'].value_counts()
aggregate(Sales ~ Region + `Customer Segment`, data = orders, FUN = median)
tapply(orders$Sales, orders$Region, mean)
orders %>% group_by(Region) %>% summarise(m = mean(Sales, na.rm = TRUE), n = n())
orders |> filter(Region == "North") |> summarize(max(Sales))
orders %>% count(Region)
orders %>% mutate(x = Sales * 2)
=SUMIFS(Sales;Region;"North";Profit;">100")
=COUNTIF(Region,"North")
=AVERAGEIF(Region;"West";Sales)
=SUM(Sales)
sum Sales; drop table orders
"sum Sales by Region"
sum Sales ~ Region
why did Sales fall
""".strip().splitlines()


def read(line: str, known: Known) -> list[str]:
    try:
        reading = read_question(line, known)
    except NotUnderstoodError as error:
        return ["?", str(error)]
    keys = {"aggregation", "measures"}
    return [reading.asks, *(format_ask(spec) if keys & {*spec} else " ".join(sorted(spec)) for spec in reading.specs)]


def test_both_languages_read_lines_alike() -> None:
    built()
    modules = {name.partition(".")[0] for name in Contract(service_nb_kernels.map_contract())}
    known = Known(columns=COLUMNS, sources=SOURCES, modules=modules)
    asked = json.dumps({"columns": COLUMNS, "sources": SOURCES, "lines": LINES}).encode()
    others = json.loads(node(SCRIPT, stdin=asked))
    ours = [read(line, known) for line in LINES]
    assert [(line, one, other) for line, one, other in zip(LINES, ours, others, strict=True) if one != other] == []
    assert sum(each[0] != "?" for each in ours) > 50
