"""Lots for a known demand that changes from period to period."""

from service_nb_kernels.certified.matrices import column, rational
from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.declare import P, R, capability, case


@capability(
    "logistics.wagner_whitin",
    tier="certified",
    source="wagner1958",
    params={
        "demands": P("float64[n]", domain="[0, inf)", about="demand of each period", symbol="d", min_size=1),
        "order_cost": P(unit="money", domain="[0, inf)", about="fixed cost of an order", symbol="K"),
        "holding_cost": P(unit="money", domain="[0, inf)", about="cost of a unit left when a period ends", symbol="h"),
    },
    result=R(
        fields={
            "quantities": R("float64[n]", about="lot ordered in each period", range="[0, inf)"),
            "cost": R(unit="money", about="least cost of orders and stock", range="[0, inf)"),
        }
    ),
    limit={"n": 1000},
    keywords=["dynamic lot sizing", "lot-size plan", "MRP", "Wagner-Whitin"],
    cases=[
        case(
            demands=[51.4, 111.0, 77.1, 123.0, 127.0],
            order_cost=86.0,
            holding_cost=0.224,
            result={"quantities": [239.5, 0.0, 0.0, 250.0, 0.0], "cost": 259.8528},
            within=1e-12,
            origin="stockpyl 1.0.2, stockpyl.wagner_whitin.wagner_whitin",
        ),
        case(
            demands=[168.0, 55.6, 50.7, 199.0, 96.7, 168.0, 97.9],
            order_cost=401.0,
            holding_cost=0.471,
            result={"quantities": [274.3, 0.0, 0.0, 561.6, 0.0, 0.0, 0.0], "cost": 1218.0814},
            within=1e-12,
            origin="stockpyl 1.0.2, stockpyl.wagner_whitin.wagner_whitin",
        ),
    ],
)
def wagner_whitin(demands, order_cost, holding_cost):
    """Cheapest plan of lots for demands that are known and differ by period, by Wagner and Whitin."""
    need, (fixed, holding) = column(rational(demands)), column(rational([order_cost, holding_cost]))
    n = len(need)
    best, upto = [0] * (n + 1), [n] * n
    for start in range(n - 1, -1, -1):
        check_deadline()
        stock, least = 0, None if need[start] else best[start + 1]
        upto[start] = start + 1
        for end in range(start + 1, n + 1):
            stock += (end - 1 - start) * need[end - 1]
            cost = fixed + holding * stock + best[end]
            if least is None or cost <= least:
                least, upto[start] = cost, end
        best[start] = least
    quantities, start = [0] * n, 0
    while start < n:
        quantities[start] = sum(need[start : upto[start]])
        start = upto[start]
    return {"quantities": quantities, "cost": best[0]}
