"""Matrix equations, Schur complements and stationary shares, solved exactly."""

from flint import fmpq, fmpq_mat
from service_nb_kernels.certified.matrices import column, rational, rows, singular
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError


@capability(
    "linalg.schur_complement",
    tier="certified",
    source="horn2013, eq. 0.8.5.1",
    params={
        "a": P("float64[m,m]", about="upper left block"),
        "b": P("float64[m,n]", about="upper right block"),
        "c": P("float64[n,m]", about="lower left block"),
        "d": P("float64[n,n]", about="lower right block, with an inverse"),
    },
    result=R("float64[m,m]", about="Schur complement of d"),
    limit={"m": 20, "n": 20},
    cases=[
        case(
            a=[[4.0]],
            b=[[1.0, 2.0]],
            c=[[1.0], [2.0]],
            d=[[2.0, 0.0], [0.0, 5.0]],
            result=[[2.7]],
            origin="sympy 1.14.0, exact fractions",
        ),
        case(
            a=[[1.0, 0.5], [0.5, 2.0]],
            b=[[0.1], [0.2]],
            c=[[0.3, 0.4]],
            d=[[0.7]],
            result=[[0.9571428571428572, 0.44285714285714284], [0.41428571428571426, 1.8857142857142857]],
            origin="sympy 1.14.0, exact fractions",
        ),
    ],
)
def schur_complement(a, b, c, d):
    """Schur complement of the lower right block of a matrix in blocks."""
    try:
        return rows(rational(a) - rational(b) * rational(d).solve(rational(c)))
    except ZeroDivisionError:
        raise singular("d") from None


@capability(
    "linalg.sylvester_solve",
    tier="certified",
    source="golub2013, sec. 7.6.3",
    params={
        "a": P("float64[m,m]", about="left matrix"),
        "b": P("float64[n,n]", about="right matrix"),
        "c": P("float64[m,n]", about="right-hand side"),
    },
    result=R("float64[m,n]", about="solution of A X + X B = C"),
    limit={"m": 12, "n": 12},
    cases=[
        case(
            a=[[1.0, 2.0], [0.0, 3.0]],
            b=[[1.0]],
            c=[[1.0], [2.0]],
            result=[[0.0], [0.5]],
            origin="sympy 1.14.0, exact fractions",
        ),
        case(
            a=[[0.5, 0.1], [0.2, 0.3]],
            b=[[0.7, 0.0], [0.1, 0.9]],
            c=[[1.0, 2.0], [3.0, 4.0]],
            result=[[0.5176638758423524, 1.2048192771084336], [2.583214212783337, 3.1325301204819276]],
            origin="sympy 1.14.0, exact fractions",
        ),
        case(a=[[1.0]], b=[[-1.0]], c=[[1.0]], error="domain_error", origin="by hand: common eigenvalue of A and -B"),
    ],
)
def sylvester_solve(a, b, c):
    """Solution X of Sylvester's equation A X + X B = C."""
    left, right = rows(rational(a)), rows(rational(b))
    m, n = len(left), len(right)
    pairs = [(i, j) for i in range(m) for j in range(n)]
    system = fmpq_mat(
        [[(left[i][k] if j == l else 0) + (right[l][j] if i == k else 0) for k, l in pairs] for i, j in pairs]
    )
    try:
        found = column(system.solve(fmpq_mat([[x] for row in rows(rational(c)) for x in row])))
    except ZeroDivisionError:
        raise DomainError("a and b", None, "matrices where no eigenvalue of A is one of -B") from None
    return [found[i * n : (i + 1) * n] for i in range(m)]


@capability(
    "linalg.discrete_lyapunov_solve",
    tier="certified",
    source="golub2013, sec. 7.6.3",
    params={
        "a": P("float64[n,n]", about="transition matrix"),
        "q": P("float64[n,n]", about="driving covariance"),
    },
    result=R("float64[n,n]", about="stationary covariance X = A X A^T + Q"),
    limit={"n": 7},
    cases=[
        case(a=[[0.5]], q=[[1.0]], result=[[1.3333333333333333]], origin="sympy 1.14.0, exact fractions"),
        case(
            a=[[0.5, 0.1], [0.2, 0.3]],
            q=[[1.0, 0.25], [0.25, 2.0]],
            result=[[1.4389923895015908, 0.5589664737422465], [0.5589664737422465, 2.3347644751968497]],
            origin="sympy 1.14.0, exact fractions",
        ),
    ],
)
def discrete_lyapunov_solve(a, q):
    """Stationary covariance of a linear recursion: the solution X of X = A X A^T + Q."""
    table, size = rows(rational(a)), len(a)
    pairs = [(i, j) for i in range(size) for j in range(size)]
    system = fmpq_mat([[int(i == k and j == l) - table[i][k] * table[j][l] for k, l in pairs] for i, j in pairs])
    try:
        found = column(system.solve(fmpq_mat([[x] for row in rows(rational(q)) for x in row])))
    except ZeroDivisionError:
        raise DomainError("a", None, "a matrix where no product of two eigenvalues is one") from None
    return [found[i * size : (i + 1) * size] for i in range(size)]


@capability(
    "linalg.stationary_distribution",
    tier="certified",
    source="strang2016, sec. 10.3",
    params={
        "transition": P("float64[n,n]", about="probabilities from a row's state to a column's", domain="[0, 1]"),
    },
    result=R("float64[n]", about="long-run shares"),
    limit={"n": 60},
    cases=[
        case(transition=[[0.5, 0.5], [0.25, 0.75]], result=[0.3333333333333333, 0.6666666666666666], origin="by hand"),
        case(
            transition=[[0.0, 1.0, 0.0], [0.5, 0.0, 0.5], [0.0, 1.0, 0.0]], result=[0.25, 0.5, 0.25], origin="by hand"
        ),
        case(transition=[[1.0, 0.0], [0.0, 1.0]], error="domain_error", origin="by hand: two recurrent classes"),
        case(transition=[[0.5, 0.25], [0.25, 0.75]], error="domain_error", origin="by hand: a row does not sum to one"),
    ],
)
def stationary_distribution(transition):
    """Long-run shares of the states of a Markov chain; the rows sum to one to within rounding."""
    table, size = rows(rational(transition)), len(transition)
    if any(abs(sum(row, fmpq(0)) - 1) > fmpq(size, 2**50) for row in table):
        raise DomainError("transition", None, "rows that sum to one")
    table = [[x / sum(row, fmpq(0)) for x in row] for row in table]
    equations = [[table[i][j] - int(i == j) for i in range(size)] for j in range(size - 1)] + [[fmpq(1)] * size]
    try:
        return column(fmpq_mat(equations).solve(fmpq_mat([[int(i == size - 1)] for i in range(size)])))
    except ZeroDivisionError:
        raise DomainError("transition", None, "a chain with one recurrent class") from None
