"""Quadratic programs, projections, isotonic fits and minima of polynomials, certified; larger programs pinned."""

import scipy.optimize
from flint import arb, fmpq, fmpq_mat, fmpq_poly
from service_nb_kernels.certified.linalg import dot
from service_nb_kernels.certified.matrices import column, rational, rows
from service_nb_kernels.certified.polynomials import exact_polynomial, real_roots
from service_nb_kernels.certified.polynomials import rational as exact_number
from service_nb_kernels.certified.rounding import check_deadline, check_growth
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError, Unseparated
from service_nb_kernels.numeric import np
from service_nb_kernels.packs.interpolation.through_points import newton_polynomial
from service_nb_kernels.packs.linalg.factorizations import inertia_of


def evaluated(polynomial, x):
    """Return a rational polynomial at a ball."""
    total = arb(0)
    for coefficient in reversed(polynomial.coeffs()):
        total = total * x + arb(coefficient)
    return total


def threshold(values, total):
    """Return the t for which the positive parts of values less t add up to a total."""
    descending, running = sorted(values, reverse=True), fmpq(0)
    found = None
    for k, value in enumerate(descending, 1):
        running += value
        if value - (running - total) / k > 0:
            found = (running - total) / k
    return found


def solve_kkt(quadratic, linear, matrix, right):
    """Return the solution of the conditions of Karush, Kuhn and Tucker under equations, and the multipliers."""
    n, m = len(linear), len(right)
    table = [list(row) + [matrix[i][j] for i in range(m)] for j, row in enumerate(quadratic)]
    table += [list(row) + [fmpq(0)] * m for row in matrix]
    try:
        found = column(fmpq_mat(table).solve(fmpq_mat([[-x] for x in linear] + [[x] for x in right])))
    except ZeroDivisionError:
        raise DomainError("matrix", None, "independent constraints that leave one minimum") from None
    return found[:n], found[n:]


@capability(
    "optimization.quadratic_minimum",
    tier="certified",
    source="boyd2004, sec. 9.1.1",
    params={
        "quadratic": P(
            "float64[n,n]", about="positive definite matrix Q of x^T Q x / 2", structure="positive_definite"
        ),
        "linear": P("float64[n]", about="vector c of c^T x"),
    },
    result=R(
        fields={"value": R("float64", about="least value"), "solution": R("float64[n]", about="where it is reached")}
    ),
    limit={"n": 60},
    version=2,
    cases=[
        case(
            quadratic=[[2.0, 0.0], [0.0, 4.0]],
            linear=[-2.0, -8.0],
            result={"value": -9.0, "solution": [1.0, 2.0]},
            origin="by hand",
        ),
        case(
            quadratic=[[2.0, 1.0], [1.0, 2.0]],
            linear=[1.0, -1.0],
            result={"value": -1.0, "solution": [-1.0, 1.0]},
            origin="by hand",
        ),
        case(quadratic=[[0.0, 1.0], [1.0, 0.0]], linear=[1.0, 1.0], error="domain_error", origin="by hand: a saddle"),
        case(
            quadratic=[[3.237524, -3.8036], [-3.8036, 10.4669]],
            linear=[1.5, 3.23],
            result={"value": -2.4249937745701247, "solution": [-1.441130078716422, -0.8322886783484874]},
            within=1e-14,
            origin="scipy 1.17.1, scipy.optimize.minimize: trust-exact",
        ),
    ],
)
def quadratic_minimum(quadratic, linear):
    """Least value of a convex quadratic function and where it is reached."""
    c = column(rational(linear))
    x = [-v for v in column(rational(quadratic).solve(rational(linear)))]
    return {"value": dot(c, x) / 2, "solution": x}


@capability(
    "optimization.quadratic_program_equality",
    tier="certified",
    source="nocedal2006, sec. 16.1",
    params={
        "quadratic": P(
            "float64[n,n]",
            about="symmetric matrix Q of x^T Q x / 2, positive definite where the constraints leave freedom",
            structure="symmetric",
        ),
        "linear": P("float64[n]", about="vector c of c^T x"),
        "matrix": P("float64[m,n]", about="constraints, one a row"),
        "right": P("float64[m]", about="right-hand sides"),
    },
    result=R(
        fields={
            "value": R("float64", about="least value"),
            "solution": R("float64[n]", about="where it is reached"),
            "multipliers": R(
                "float64[m]",
                about="Lagrange's multipliers, minus the rates at which the value rises with the right-hand sides",
            ),
        }
    ),
    limit={"n": 40, "m": 40},
    version=2,
    cases=[
        case(
            quadratic=[[2.0, 0.0], [0.0, 2.0]],
            linear=[0.0, 0.0],
            matrix=[[1.0, 1.0]],
            right=[1.0],
            result={"value": 0.5, "solution": [0.5, 0.5], "multipliers": [-1.0]},
            origin="by hand",
        ),
        case(
            quadratic=[[6.0, 2.0, 1.0], [2.0, 5.0, 2.0], [1.0, 2.0, 4.0]],
            linear=[-8.0, -3.0, -3.0],
            matrix=[[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]],
            right=[3.0, 0.0],
            result={"value": -3.5, "solution": [2.0, -1.0, 1.0], "multipliers": [-3.0, 2.0]},
            origin="nocedal2006, example 16.2 (there with the multipliers' sign reversed)",
        ),
    ],
)
def quadratic_program_equality(quadratic, linear, matrix, right):
    """Least value of a quadratic function under linear equations, with the multipliers."""
    q, a, c = rows(rational(quadratic)), rows(rational(matrix)), column(rational(linear))
    m, n = matrix.shape
    table = np.block([[quadratic, matrix.T], [matrix, np.zeros((m, m))]])
    if inertia_of(table) != (n, m, 0):
        raise DomainError("quadratic", None, "a matrix that is positive definite where the constraints leave freedom")
    x, multipliers = solve_kkt(q, c, a, column(rational(right)))
    curved = sum((xi * dot(row, x) for xi, row in zip(x, q, strict=True)), fmpq(0))
    return {"value": curved / 2 + dot(c, x), "solution": x, "multipliers": multipliers}


@capability(
    "optimization.least_squares_equality",
    tier="certified",
    source="lawson1995, ch. 20",
    params={
        "matrix": P("float64[m,n]", about="design matrix"),
        "right": P("float64[m]", about="observations"),
        "constraints": P("float64[k,n]", about="constraints, one a row"),
        "targets": P("float64[k]", about="right-hand sides of the constraints"),
    },
    result=R("float64[n]", about="coefficients"),
    limit={"m": 500, "n": 60, "k": 30},
    version=2,
    cases=[
        case(
            matrix=[[1.0, 0.0], [0.0, 1.0]],
            right=[1.0, 2.0],
            constraints=[[1.0, 1.0]],
            targets=[1.0],
            result=[0.0, 1.0],
            origin="by hand",
        ),
        case(
            matrix=[[1.0, 1.0], [1.0, 2.0], [1.0, 3.0]],
            right=[1.0, 2.0, 2.0],
            constraints=[[1.0, 0.0]],
            targets=[0.0],
            result=[0.0, 0.7857142857142857],
            origin="by hand: a line through the origin",
        ),
        case(
            matrix=[
                [2.29, 3.82, -2.61],
                [2.29, -2.97, 4.15],
                [-3.48, 1.59, -3.84],
                [4.34, -2.07, 3.99],
                [1.88, -3.41, 2.83],
            ],
            right=[-3.83, 4.45, 4.72, -1.16, -3.46],
            constraints=[[1.47, -2.3, 3.28]],
            targets=[-0.323],
            result=[-1.2200923175596923, 0.34908264556302715, 0.6931176193925945],
            within=1e-14,
            origin="scipy 1.17.1, scipy.linalg.lapack.dgglse",
        ),
    ],
)
def least_squares_equality(matrix, right, constraints, targets):
    """Coefficients with the least squares that fulfill linear equations exactly."""
    left, known = rational(matrix), rational(right)
    normal, linear = rows(left.transpose() * left), [-x for x in column(left.transpose() * known)]
    return solve_kkt(normal, linear, rows(rational(constraints)), column(rational(targets)))[0]


@capability(
    "optimization.nonnegative_least_squares",
    tier="certified",
    source="lawson1995, ch. 23",
    params={
        "matrix": P("float64[m,n]", about="design matrix; of dependent columns the solution is one of several"),
        "right": P("float64[m]", about="observations"),
    },
    result=R("float64[n]", about="coefficients that are not negative"),
    limit={"m": 500, "n": 40},
    version=2,
    cases=[
        case(
            matrix=[[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]],
            right=[2.0, 1.0, 1.0],
            result=[1.5, 1.0],
            origin="by hand",
        ),
        case(
            matrix=[[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]],
            right=[-1.0, -1.0, 1.0],
            result=[0.0, 1.0],
            origin="by hand",
        ),
        case(
            matrix=[[1.0, 2.0, 0.5], [0.3, 1.0, 2.0], [2.0, 0.1, 1.0], [1.0, 1.0, 1.0]],
            right=[1.0, -2.0, 3.0, 0.5],
            result=[1.1330049261083743, 0.0, 0.0],
            origin="exact fractions: the other two gradients are positive at it",
        ),
        case(
            matrix=[[2.86, -2.16], [-4.79, 2.48]],
            right=[0.164, 1.65],
            result=[0.0, 0.34557692307692295],
            within=1e-14,
            origin="scipy 1.17.1, scipy.optimize.nnls",
        ),
    ],
)
def nonnegative_least_squares(matrix, right):
    """Coefficients that are not negative with the least squares, by the exact method of Lawson and Hanson."""
    left, known = rational(matrix), rational(right)
    normal, target = rows(left.transpose() * left), column(left.transpose() * known)
    n = len(target)
    x, active = [fmpq(0)] * n, []
    while True:
        check_deadline()
        slope = [t - dot(row, x) for t, row in zip(target, normal, strict=True)]
        entering = max(
            (j for j in range(n) if j not in active and slope[j] > 0), key=lambda j: (slope[j], -j), default=None
        )
        if entering is None:
            return x
        active = sorted([*active, entering])
        while True:
            found = restricted(normal, target, active)
            if min(found) > 0:
                break
            ratios = [x[j] / (x[j] - v) for j, v in zip(active, found, strict=True) if v <= 0]
            step = min(ratios)
            for j, v in zip(active, found, strict=True):
                x[j] += step * (v - x[j])
            active = [j for j in active if x[j] > 0]
        x = [fmpq(0)] * n
        for j, v in zip(active, found, strict=True):
            x[j] = v


def restricted(normal, target, active):
    """Return the least-squares solution with only some of the columns."""
    try:
        return column(
            fmpq_mat([[normal[i][j] for j in active] for i in active]).solve(fmpq_mat([[target[i]] for i in active]))
        )
    except ZeroDivisionError:
        raise DomainError("matrix", None, "independent columns") from None


@capability(
    "optimization.simplex_projection",
    tier="certified",
    source="duchi2008, fig. 1",
    params={
        "vector": P("float64[n]", about="point"),
        "total": P("float64", about="sum of the result", domain="(0, inf)"),
    },
    result=R("float64[n]", about="nearest point"),
    limit={"n": 20000},
    cases=[
        case(
            vector=[0.5, 0.5, 1.0],
            total=1.0,
            result=[0.16666666666666666, 0.16666666666666666, 0.6666666666666666],
            origin="by hand: less 1/3 each",
        ),
        case(vector=[3.0, 0.0], total=1.0, result=[1.0, 0.0], origin="by hand"),
        case(
            vector=[-1.41, 1.25, -0.786],
            total=2.33,
            result=[0.0, 2.1830000000000003, 0.14699999999999996],
            within=1e-14,
            origin="optax 0.2.8, optax.projections.projection_simplex",
        ),
    ],
)
def simplex_projection(vector, total):
    """Nearest point with components that are not negative and add up to a total."""
    values = column(rational(vector))
    level = threshold(values, exact_number(total))
    return [max(value - level, fmpq(0)) for value in values]


@capability(
    "optimization.l1_ball_projection",
    tier="certified",
    source="duchi2008, fig. 2",
    params={
        "vector": P("float64[n]", about="point"),
        "radius": P("float64", about="largest sum of absolute values", domain="(0, inf)"),
    },
    result=R("float64[n]", about="nearest point"),
    limit={"n": 20000},
    cases=[
        case(vector=[3.0, -1.0], radius=2.0, result=[2.0, 0.0], origin="by hand"),
        case(vector=[2.0, -2.0], radius=2.0, result=[1.0, -1.0], origin="by hand"),
        case(vector=[0.5, -0.5], radius=2.0, result=[0.5, -0.5], origin="by hand: inside"),
        case(
            vector=[-4.19, 3.05, 2.47],
            radius=2.51,
            result=[-1.7900000000000005, 0.65, 0.07000000000000049],
            within=1e-13,
            origin="optax 0.2.8, optax.projections.projection_l1_ball",
        ),
    ],
)
def l1_ball_projection(vector, radius):
    """Nearest point with a bounded sum of absolute values."""
    values, bound = column(rational(vector)), exact_number(radius)
    sizes = [abs(value) for value in values]
    if sum(sizes, fmpq(0)) <= bound:
        return values
    level = threshold(sizes, bound)
    return [max(size - level, fmpq(0)) * (1 if value > 0 else -1) for size, value in zip(sizes, values, strict=True)]


@capability(
    "optimization.soft_threshold",
    tier="certified",
    source="boyd2004, sec. 6.3.2",
    params={
        "vector": P("float64[n]", about="point"),
        "penalty": P("float64", about="penalty on the absolute values", domain="[0, inf)"),
    },
    result=R("float64[n]", about="minimizer"),
    limit={"n": 100000},
    cases=[
        case(vector=[3.0, -0.5, -2.0], penalty=1.0, result=[2.0, 0.0, -1.0], origin="by hand"),
        case(vector=[0.25], penalty=0.125, result=[0.125], origin="by hand"),
        case(
            vector=[1.75, -0.948],
            penalty=2.52,
            result=[0.0, -0.0],
            within=1e-14,
            origin="pywavelets 1.9.0, pywt.threshold: soft",
        ),
    ],
)
def soft_threshold(vector, penalty):
    """Minimizer of half the squared distance to a point plus a penalty on absolute values."""
    level = exact_number(penalty)
    return [max(abs(v) - level, fmpq(0)) * (1 if v > 0 else -1) for v in column(rational(vector))]


@capability(
    "optimization.water_filling",
    tier="certified",
    source="cover2006, sec. 9.4",
    params={
        "noise": P("float64[n]", about="noise power of each channel, in the unit of the power", domain="[0, inf)"),
        "power": P("float64", about="total power", domain="(0, inf)"),
    },
    result=R(
        fields={"level": R("float64", about="water level"), "powers": R("float64[n]", about="power of each channel")}
    ),
    limit={"n": 20000},
    cases=[
        case(noise=[1.0, 2.0, 5.0], power=3.0, result={"level": 3.0, "powers": [2.0, 1.0, 0.0]}, origin="by hand"),
        case(noise=[0.5, 0.5], power=1.0, result={"level": 1.0, "powers": [0.5, 0.5]}, origin="by hand"),
        case(
            noise=[3.25, 3.89, 4.16, 2.27, 2.84, 1.66],
            power=8.23,
            result={
                "level": 4.383333333333333,
                "powers": [
                    1.1333333333333326,
                    0.49333333333333235,
                    0.2233333333333326,
                    2.113333333333333,
                    1.5433333333333326,
                    2.7233333333333327,
                ],
            },
            within=1e-14,
            origin="optax 0.2.8, optax.projections.projection_simplex: of the noises with the other sign",
        ),
    ],
)
def water_filling(noise, power):
    """Powers of parallel Gaussian channels that carry most together."""
    values = column(rational(noise))
    level = -threshold([-value for value in values], exact_number(power))
    return {"level": level, "powers": [max(level - value, fmpq(0)) for value in values]}


@capability(
    "optimization.polynomial_minimum",
    tier="certified",
    source="nocedal2006, sec. 2.1",
    params={
        "coefficients": P("float64[n]", about="coefficients from the constant up", min_size=2),
        "low": P("float64", about="lower end"),
        "high": P("float64", about="upper end"),
    },
    result=R(
        fields={
            "value": R("float64", about="least value"),
            "argument": R("float64", about="the lowest point where it is reached"),
        }
    ),
    limit={"n": 40},
    requires=["low < high"],
    cases=[
        case(
            coefficients=[0.0, -4.0, 1.0], low=0.0, high=5.0, result={"value": -4.0, "argument": 2.0}, origin="by hand"
        ),
        case(
            coefficients=[0.0, -3.0, 0.0, 1.0],
            low=-1.5,
            high=3.0,
            result={"value": -2.0, "argument": 1.0},
            origin="by hand",
        ),
        case(
            coefficients=[0.0, -2.0, 0.0, 1.0],
            low=0.0,
            high=3.0,
            result={"value": -1.0886621079036347, "argument": 0.816496580927726},
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            coefficients=[0.0, 0.0, -1.0, 0.0, 1.0],
            low=-2.0,
            high=2.0,
            result={"value": -0.25, "argument": -0.7071067811865476},
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            coefficients=[1.0, -2.0, 1.0], low=1.0, high=3.0, result={"value": 0.0, "argument": 1.0}, origin="by hand"
        ),
        case(coefficients=[0.0, 1.0], low=-1.0, high=3.0, result={"value": -1.0, "argument": -1.0}, origin="by hand"),
        case(
            coefficients=[-0.509, -2.68, 2.03, -2.74],
            low=0.0,
            high=0.9,
            result={"value": -3.274160000000001, "argument": 0.9},
            within=1e-14,
            origin="scipy 1.17.1, scipy.interpolate.PPoly.roots: least of the ends and the roots of the derivative",
        ),
    ],
)
def polynomial_minimum(coefficients, low, high):
    """Least value of a polynomial on an interval and where it is reached: no valley is missed."""
    polynomial = exact_polynomial(coefficients)
    ends = exact_number(low), exact_number(high)
    slope = polynomial.derivative()
    for end in ends:
        while slope != 0 and slope(end) == 0:
            slope = slope / fmpq_poly([-end, 1])  # the ends are candidates anyway
    inner = [x for x, _ in real_roots(slope) if inside(x, *ends)] if slope.degree() > 0 else []
    levels = critical_values(polynomial) if inner else fmpq_poly([1])
    best = polynomial(ends[0]), ends[0]
    for x in [*inner, ends[1]]:
        value = polynomial(x) if isinstance(x, fmpq) else evaluated(polynomial, x)
        if below(value, best[0], levels):
            best = value, x
    return {"value": best[0], "argument": best[1]}


def inside(x, low, high):
    """Return whether a root lies between two points that are no roots."""
    if bool(arb(x) > arb(low)) and bool(arb(x) < arb(high)):
        return True
    if bool(arb(x) < arb(low)) or bool(arb(x) > arb(high)):
        return False
    raise Unseparated


def critical_values(polynomial):
    """Return the polynomial whose roots are all values at critical points: a resultant, found by interpolation."""
    slope, size = polynomial.derivative(), polynomial.degree()
    samples = []
    for y in range(size):
        samples.append((fmpq(y), slope.resultant(polynomial - y)))
        check_growth(samples[-1][1])
    return newton_polynomial(*map(list, zip(*samples, strict=True)))


def below(value, other, levels):
    """Return whether a value is smaller; two that cannot be told apart are equal if they are one critical value."""
    if bool(arb(value) < arb(other)):
        return True
    if bool(arb(value) >= arb(other)):
        return False
    if any(isinstance(x, fmpq) and levels(x) != 0 for x in (value, other)):
        raise Unseparated
    roots = [arb(root) for root, _ in real_roots(levels)]
    near = [[k for k, root in enumerate(roots) if root.overlaps(arb(x))] for x in (value, other)]
    if len(near[0]) == len(near[1]) == 1 and near[0] == near[1]:
        return False
    raise Unseparated


@capability(
    "optimization.linear_program_large",
    tier="pinned",
    source="boyd2004, sec. 4.3",
    params={
        "cost": P("float64[n]", about="cost of each variable"),
        "matrix": P("float64[m,n]", about="constraints, one a row"),
        "right": P("float64[m]", about="upper bound of each constraint"),
    },
    result=R(
        fields={"value": R("float64", about="least cost"), "solution": R("float64[n]", about="where it is reached")}
    ),
    limit={"m": 500, "n": 1000},
    cases=[
        case(
            cost=[-3.0, -5.0],
            matrix=[[1.0, 0.0], [0.0, 2.0], [3.0, 2.0]],
            right=[4.0, 12.0, 18.0],
            result={"value": -36.0, "solution": [2.0, 6.0]},
            within=1e-10,
            origin="hillier2015, ch. 3: Wyndor Glass",
        ),
        case(
            cost=[1.0],
            matrix=[[-1.0]],
            right=[-2.0],
            result={"value": 2.0, "solution": [2.0]},
            within=1e-10,
            origin="by hand: the least x of 2 or more",
        ),
        case(cost=[1.0], matrix=[[1.0]], right=[-1.0], error="domain_error", origin="by hand: infeasible"),
    ],
)
def linear_program_large(cost, matrix, right):
    """Least cost of many variables that are not negative under upper bounds, by HiGHS."""
    found = scipy.optimize.linprog(cost, A_ub=matrix, b_ub=right, method="highs")
    if not found.success:
        raise DomainError("matrix", None, "a program that has a solution and a bound")
    return {"value": float(found.fun), "solution": found.x}


@capability(
    "optimization.assignment_large",
    tier="pinned",
    source="nocedal2006, ch. 13",
    params={
        "costs": P("float64[m,n]", about="cost of each task for each worker, workers in rows"),
    },
    result=R(
        fields={
            "value": R("float64", about="least total cost"),
            "workers": R("int[k]", about="workers with a task, from 0"),
            "tasks": R("int[k]", about="their tasks, from 0"),
        }
    ),
    limit={"m": 1000, "n": 1000},
    cases=[
        case(
            costs=[[4.0, 1.0, 3.0], [2.0, 0.0, 5.0], [3.0, 2.0, 2.0]],
            result={"value": 5.0, "workers": [0, 1, 2], "tasks": [1, 0, 2]},
            origin="scipy 1.17.1, scipy.optimize.linear_sum_assignment: example of the documentation",
        ),
        case(
            costs=[[1.0, 2.0], [3.0, 5.0]], result={"value": 5.0, "workers": [0, 1], "tasks": [1, 0]}, origin="by hand"
        ),
    ],
)
def assignment_large(costs):
    """Cheapest assignment of tasks to many workers, in doubles; the numbers may differ."""
    workers, tasks = scipy.optimize.linear_sum_assignment(costs)
    return {"value": float(costs[workers, tasks].sum()), "workers": workers, "tasks": tasks}
