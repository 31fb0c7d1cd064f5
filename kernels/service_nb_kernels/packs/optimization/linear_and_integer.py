"""Linear programs, transport and assignment: exact simplex and exact augmenting paths, so optima are proven."""

from flint import fmpq
from service_nb_kernels.certified.linalg import dot
from service_nb_kernels.certified.matrices import column, rational, rows
from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError, LimitError

MOST_PIVOTS = 5000


def pivot(table, basis, row, entering):
    """Make a column basic in a row."""
    lead = table[row][entering]
    table[row] = [x / lead for x in table[row]]
    for i, line in enumerate(table):
        if i != row and line[entering] != 0:
            factor = line[entering]
            table[i] = [x - factor * y for x, y in zip(line, table[row], strict=True)]
    basis[row] = entering


def optimize(table, basis, allowed):
    """Minimize the last row of a simplex table by Bland's rule, which cannot cycle; None if there is no bound."""
    for _ in range(MOST_PIVOTS):
        check_deadline()
        entering = next((j for j in range(allowed) if table[-1][j] < 0), None)
        if entering is None:
            return True
        ratios = [(line[-1] / line[entering], basis[i], i) for i, line in enumerate(table[:-1]) if line[entering] > 0]
        if not ratios:
            return False
        pivot(table, basis, min(ratios)[2], entering)
    raise LimitError(f"The simplex method needs more than {MOST_PIVOTS} steps.")


def standard_form(cost, matrix, right):
    """Return an optimal basic solution of: minimize cost x with matrix x = right and x >= 0, and its basis."""
    m, n = len(matrix), len(cost)
    lines = [([-x for x in row], -b) if b < 0 else (list(row), b) for row, b in zip(matrix, right, strict=True)]
    table = [row + [fmpq(int(i == j)) for j in range(m)] + [b] for i, (row, b) in enumerate(lines)]
    table.append([-sum((line[j] for line in table), fmpq(0)) for j in range(n)] + [fmpq(0)] * m)
    table[-1].append(-sum((line[-1] for line in table[:-1]), fmpq(0)))
    basis = list(range(n, n + m))
    optimize(table, basis, n)
    if table[-1][-1] != 0:
        raise DomainError("right", None, "constraints that some point fulfils: the program is infeasible")
    for i in range(m):  # artificial variables that are left in the basis are zero
        if basis[i] >= n:
            entering = next((j for j in range(n) if table[i][j] != 0), None)
            if entering is not None:
                pivot(table, basis, i, entering)
    table[-1] = [*cost, *[fmpq(0)] * m, fmpq(0)]
    for i, j in enumerate(basis):
        if j < n and table[-1][j] != 0:
            factor = table[-1][j]
            table[-1] = [x - factor * y for x, y in zip(table[-1], table[i], strict=True)]
    if not optimize(table, basis, n):
        raise DomainError("cost", None, "a program with a bound: the cost falls without end")
    solution = [fmpq(0)] * n
    for i, j in enumerate(basis):
        if j < n:
            solution[j] = table[i][-1]
    return solution


def inequality_form(cost, matrix, right):
    """Return the solution of: minimize cost x with matrix x <= right and x >= 0."""
    m = len(matrix)
    slack = [list(row) + [fmpq(int(i == j)) for j in range(m)] for i, row in enumerate(matrix)]
    return standard_form(list(cost) + [fmpq(0)] * m, slack, right)[: len(cost)]


@capability(
    "optimization.linear_program",
    tier="certified",
    source="chvatal1983, ch. 3; bland1977",
    params={
        "cost": P("float64[n]", about="cost of each variable"),
        "matrix": P("float64[m,n]", about="constraints, one a row"),
        "right": P("float64[m]", about="upper bound of each constraint"),
    },
    result=R(
        fields={
            "value": R("float64", about="least cost"),
            "solution": R("float64[n]", about="a corner where it is reached"),
        }
    ),
    limit={"m": 40, "n": 40},
    cases=[
        case(
            cost=[-5.0, -4.0, -3.0],
            matrix=[[2.0, 3.0, 1.0], [4.0, 1.0, 2.0], [3.0, 4.0, 2.0]],
            right=[5.0, 11.0, 8.0],
            result={"value": -13.0, "solution": [2.0, 0.0, 1.0]},
            origin="chvatal1983, ch. 2, first example",
        ),
        case(
            cost=[-3.0, -5.0],
            matrix=[[1.0, 0.0], [0.0, 2.0], [3.0, 2.0]],
            right=[4.0, 12.0, 18.0],
            result={"value": -36.0, "solution": [2.0, 6.0]},
            origin="hillier2015, ch. 3: Wyndor Glass",
        ),
        case(cost=[-1.0], matrix=[[-1.0]], right=[1.0], error="domain_error", origin="by hand: no bound"),
        case(cost=[1.0], matrix=[[1.0]], right=[-1.0], error="domain_error", origin="by hand: infeasible"),
    ],
)
def linear_program(cost, matrix, right):
    """Least cost of variables that are not negative under upper bounds on their combinations."""
    exact_cost = column(rational(cost))
    solution = inequality_form(exact_cost, rows(rational(matrix)), column(rational(right)))
    return {"value": dot(exact_cost, solution), "solution": solution}


@capability(
    "optimization.linear_program_equality",
    tier="certified",
    source="chvatal1983, ch. 8",
    params={
        "cost": P("float64[n]", about="cost of each variable"),
        "matrix": P("float64[m,n]", about="constraints, one a row"),
        "right": P("float64[m]", about="right-hand side of each constraint"),
    },
    result=R(
        fields={
            "value": R("float64", about="least cost"),
            "solution": R("float64[n]", about="a corner where it is reached"),
        }
    ),
    limit={"m": 30, "n": 60},
    cases=[
        case(
            cost=[1.0, 2.0, 0.0],
            matrix=[[1.0, 1.0, 1.0], [1.0, -1.0, 0.0]],
            right=[4.0, 1.0],
            result={"value": 1.0, "solution": [1.0, 0.0, 3.0]},
            origin="by hand",
        ),
        case(
            cost=[2.0, 3.0],
            matrix=[[1.0, 2.0]],
            right=[3.0],
            result={"value": 4.5, "solution": [0.0, 1.5]},
            origin="by hand",
        ),
        case(
            cost=[1.0, 1.0],
            matrix=[[1.0, 1.0], [1.0, 1.0]],
            right=[1.0, 2.0],
            error="domain_error",
            origin="by hand: a contradiction",
        ),
        case(
            cost=[6.1, 3.86, 5.75, 7.53, 2.48],
            matrix=[[1.35, 1.84, 8.67, 8.36, 2.21], [7.4, 6.21, 5.82, 8.93, 7.73]],
            right=[75.53, 111.65],
            result={"value": 59.98886812206755, "solution": [0.0, 0.0, 6.224514327814184, 0.0, 9.757222071425803]},
            within=1e-14,
            origin="scipy 1.17.1, scipy.optimize.linprog: highs, equalities",
        ),
    ],
)
def linear_program_equality(cost, matrix, right):
    """Least cost of variables that are not negative under linear equations."""
    exact_cost = column(rational(cost))
    solution = standard_form(exact_cost, rows(rational(matrix)), column(rational(right)))
    return {"value": dot(exact_cost, solution), "solution": solution}


@capability(
    "optimization.linear_program_dual",
    tier="certified",
    source="chvatal1983, ch. 5",
    params={
        "cost": P("float64[n]", about="cost of each variable"),
        "matrix": P("float64[m,n]", about="constraints, one a row"),
        "right": P("float64[m]", about="upper bound of each constraint"),
    },
    result=R(
        "float64[m]",
        about="shadow prices: change of the least cost per unit of each bound; at a degenerate corner one of several",
    ),
    limit={"m": 40, "n": 40},
    cases=[
        case(
            cost=[-3.0, -5.0],
            matrix=[[1.0, 0.0], [0.0, 2.0], [3.0, 2.0]],
            right=[4.0, 12.0, 18.0],
            result=[0.0, -1.5, -1.0],
            origin="hillier2015, ch. 3: Wyndor Glass",
        ),
        case(
            cost=[-5.0, -4.0, -3.0],
            matrix=[[2.0, 3.0, 1.0], [4.0, 1.0, 2.0], [3.0, 4.0, 2.0]],
            right=[5.0, 11.0, 8.0],
            result=[-1.0, 0.0, -1.0],
            origin="chvatal1983, ch. 5",
        ),
    ],
)
def linear_program_dual(cost, matrix, right):
    """Shadow prices of a linear program: how the least cost answers to each bound."""
    table = rows(rational(matrix.T))
    exact_cost, bounds = column(rational(cost)), column(rational(right))
    try:
        prices = inequality_form(bounds, [[-x for x in row] for row in table], exact_cost)
    except DomainError:
        inequality_form(exact_cost, rows(rational(matrix)), bounds)  # names what is wrong with the program itself
        raise
    return [-price for price in prices]


@capability(
    "optimization.transportation",
    tier="certified",
    version=3,
    source="chvatal1983, ch. 20",
    params={
        "costs": P("float64[m,n]", about="cost of a unit from each source to each sink"),
        "supply": P("float64[m]", about="amounts at the sources", domain="[0, inf)"),
        "demand": P(
            "float64[n]", about="amounts for the sinks, of the same total; a rounded one is scaled", domain="[0, inf)"
        ),
    },
    result=R(
        fields={"value": R("float64", about="least total cost"), "plan": R("float64[m,n]", about="amounts to carry")}
    ),
    limit={"m": 20, "n": 20},
    cases=[
        case(
            costs=[[2.0, 3.0], [4.0, 1.0]],
            supply=[5.0, 5.0],
            demand=[4.0, 6.0],
            result={"value": 16.0, "plan": [[4.0, 1.0], [0.0, 5.0]]},
            origin="by hand",
        ),
        case(
            costs=[[8.0, 6.0, 10.0], [9.0, 12.0, 13.0], [14.0, 9.0, 16.0]],
            supply=[35.0, 50.0, 40.0],
            demand=[45.0, 50.0, 30.0],
            result={"value": 1140.0, "plan": [[0.0, 10.0, 25.0], [45.0, 0.0, 5.0], [0.0, 40.0, 0.0]]},
            origin="scipy 1.17.1, scipy.optimize.linprog",
        ),
        case(costs=[[1.0]], supply=[1.0], demand=[2.0], error="domain_error", origin="by hand"),
        case(
            costs=[[1.0, 2.0]],
            supply=[0.3],
            demand=[0.1, 0.2],
            result={"value": 0.5, "plan": [[0.1, 0.2]]},
            within=1e-15,
            origin="by hand: 0.1 and 0.2 make 0.3 to within rounding",
        ),
    ],
)
def transportation(costs, supply, demand):
    """Cheapest plan that carries all supplies to all demands."""
    m, n = costs.shape
    given, wanted = column(rational(supply)), column(rational(demand))
    total, asked = sum(given, fmpq(0)), sum(wanted, fmpq(0))
    if abs(total - asked) * 2**50 > total * (m + n):
        raise DomainError("demand", None, "as much demand as supply")
    right = given + ([x * total / asked for x in wanted] if asked else wanted)
    pairs = [(i, j) for i in range(m) for j in range(n)]
    matrix = [[fmpq(int(i == k)) for i, _ in pairs] for k in range(m)]
    matrix += [[fmpq(int(j == k)) for _, j in pairs] for k in range(n)]
    cost = [x for row in rows(rational(costs)) for x in row]
    solution = standard_form(cost, matrix, right)
    return {"value": dot(cost, solution), "plan": [solution[i * n : (i + 1) * n] for i in range(m)]}


@capability(
    "optimization.assignment",
    tier="certified",
    source="kuhn1955",
    params={
        "costs": P("float64[n,n]", about="cost of each task for each worker, workers in rows"),
    },
    result=R(
        fields={
            "value": R("float64", about="least total cost"),
            "tasks": R("int[n]", about="task of each worker, from 0"),
        }
    ),
    limit={"n": 100},
    cases=[
        case(
            costs=[[4.0, 1.0, 3.0], [2.0, 0.0, 5.0], [3.0, 2.0, 2.0]],
            result={"value": 5.0, "tasks": [1, 0, 2]},
            origin="scipy 1.17.1, scipy.optimize.linear_sum_assignment: example of the documentation",
        ),
        case(costs=[[1.0, 2.0], [3.0, 5.0]], result={"value": 5.0, "tasks": [1, 0]}, origin="by hand"),
    ],
)
def assignment(costs):
    """Cheapest one-to-one assignment of tasks to workers, by exact shortest augmenting paths."""
    if costs.shape[0] != costs.shape[1]:
        raise DomainError("costs", None, "as many workers as tasks")
    table = rows(rational(costs))
    tasks = hungarian(table)
    return {"value": sum((table[i][j] for i, j in enumerate(tasks)), fmpq(0)), "tasks": tasks}


def hungarian(table):
    """Return the task of each worker; potentials keep the reduced costs from being negative."""
    n = len(table)
    up, down = [fmpq(0)] * (n + 1), [fmpq(0)] * (n + 1)
    worker = [0] * (n + 1)  # of each task; the task 0 is where a path starts
    for i in range(1, n + 1):
        check_deadline()
        worker[0], at = i, 0
        least, before, used = [None] * (n + 1), [0] * (n + 1), [False] * (n + 1)
        while worker[at]:
            used[at] = True
            current, delta, follow = worker[at], None, 0
            for j in range(1, n + 1):
                if used[j]:
                    continue
                reduced = table[current - 1][j - 1] - up[current] - down[j]
                if least[j] is None or reduced < least[j]:
                    least[j], before[j] = reduced, at
                if delta is None or least[j] < delta:
                    delta, follow = least[j], j
            for j in range(n + 1):
                if used[j]:
                    up[worker[j]] += delta
                    down[j] -= delta
                elif least[j] is not None:
                    least[j] -= delta
            at = follow
        while at:
            worker[at], at = worker[before[at]], before[at]
    tasks = [0] * n
    for j in range(1, n + 1):
        tasks[worker[j] - 1] = j - 1
    return tasks
