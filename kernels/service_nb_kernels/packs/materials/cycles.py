"""Cycles in a history of loads."""

from itertools import pairwise

from flint import fmpq

from service_nb_kernels.certified.matrices import column, rational
from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.declare import P, R, capability, case


@capability(
    "materials.rainflow_cycles",
    tier="certified",
    source="astme1049, sec. 5.4.4",
    params={"values": P("float64[n]", unit="?u", about="stress or load in order of time", symbol="x", min_size=2)},
    result=R(
        fields={
            "ranges": R("float64[k]", unit="?u", about="range of each cycle, in the order in which they close"),
            "means": R("float64[k]", unit="?u", about="mean of each cycle"),
            "counts": R("float64[k]", about="1 for a cycle, 0.5 for a half cycle", range="[0.5, 1]"),
        }
    ),
    limit={"n": 100_000},
    keywords=["fatigue", "cycle counting", "ASTM E1049", "load spectrum"],
    cases=[
        case(
            values=[-2.0, 1.0, -3.0, 5.0, -1.0, 3.0, -4.0, 4.0, -2.0],
            result={
                "ranges": [3.0, 4.0, 4.0, 8.0, 9.0, 8.0, 6.0],
                "means": [-0.5, -1.0, 1.0, 1.0, 0.5, 0.0, 1.0],
                "counts": [0.5, 0.5, 1.0, 0.5, 0.5, 0.5, 0.5],
            },
            within=1e-14,
            origin="rainflow 3.2.0, rainflow.extract_cycles",
        ),
        case(
            values=[2.21, 4.35, 5.31, 7.96, 4.32, 7.6, -8.48, -0.619, 7.98, 2.68, 7.22, -6.96, -0.557, -4.56],
            result={
                "ranges": [
                    3.2799999999999994,
                    5.75,
                    16.44,
                    4.539999999999999,
                    16.46,
                    14.940000000000001,
                    6.403,
                    4.002999999999999,
                ],
                "means": [5.96, 5.085, -0.26000000000000023, 4.95, -0.25, 0.5100000000000002, -3.7585, -2.5585],
                "counts": [1.0, 0.5, 0.5, 1.0, 0.5, 0.5, 0.5, 0.5],
            },
            within=1e-14,
            origin="rainflow 3.2.0, rainflow.extract_cycles",
        ),
    ],
)
def rainflow_cycles(values):
    """Rainflow count of a load history: range, mean and number of its cycles and half cycles (ASTM E1049)."""
    turns, open_turns, cycles = [], [], []
    for value in column(rational(values)):
        if turns and value == turns[-1]:
            continue
        if len(turns) > 1 and (turns[-1] > turns[-2]) == (value > turns[-1]):
            turns[-1] = value  # it goes on in the same direction
        else:
            turns.append(value)
    for turn in turns:
        check_deadline()
        open_turns.append(turn)
        while len(open_turns) > 2 and abs(open_turns[-1] - open_turns[-2]) >= abs(open_turns[-2] - open_turns[-3]):
            start, end = open_turns[-3:-1]
            is_first = len(open_turns) == 3
            cycles.append((start, end, 1 if is_first else 2))
            del open_turns[-3 : -2 if is_first else -1]
    cycles += [(start, end, 1) for start, end in pairwise(open_turns)]
    return {
        "ranges": [abs(end - start) for start, end, _ in cycles],
        "means": [(start + end) / 2 for start, end, _ in cycles],
        "counts": [fmpq(halves, 2) for _, _, halves in cycles],
    }
