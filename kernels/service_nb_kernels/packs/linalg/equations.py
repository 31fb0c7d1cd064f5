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
        case(
            a=[[1.64, -0.822], [1.62, -4.54]],
            b=[[4.17, 3.81], [0.78, 3.24]],
            c=[[-2.68, 3.54], [-3.56, -4.91]],
            d=[[-1.99, -2.49], [-0.626, -4.38]],
            result=[[-2.912478560830239, 8.95359715318004], [-1.1406850474889139, -6.944124871113496]],
            within=1e-14,
            origin="sympy 1.14.0, sympy.Matrix.inv",
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
        case(
            a=[
                [4.15, 2.13, 0.192, -1.86, -2.86, -0.353],
                [3.69, 1.31, -3.13, -2.24, 4.49, 3.51],
                [1.99, 0.921, -0.5, -4.26, -1.95, -2.8],
                [-1.74, 1.03, -0.136, -3.8, 2.71, 1.95],
                [1.12, -3.93, -4.57, 0.871, 1.77, 3.55],
                [1.72, 4.15, -4.92, 4.6, 1.25, -2.44],
            ],
            b=[
                [1.32, -4.71, -1.31, 1.75, -0.351, 3.47],
                [3.91, 4.72, -4.94, 0.525, -4.69, 0.511],
                [-0.488, -1.92, 4.7, 0.821, 2.42, -4.71],
                [1.04, -2.85, 2.6, 3.28, 3.6, -3.49],
                [-0.0434, -0.848, -3.16, -2.13, -4.28, 2.51],
                [-2.06, -1.59, 1.73, -0.697, 2.18, -4.88],
            ],
            c=[
                [1.57, 2.4, -3.5, -0.857, 3.75, 4.34],
                [-4.62, -3.96, -2.46, -1.63, 0.715, 1.56],
                [3.41, -3.67, -4.51, -3.58, 4.71, 1.09],
                [4.54, -3.02, 3.45, -0.799, -3.32, -2.0],
                [1.13, 3.66, 0.24, -4.66, 2.05, 1.66],
                [-4.75, 4.42, 1.95, -3.48, 1.25, -4.03],
            ],
            result=[
                [
                    -0.2222753905460829,
                    0.4430581388939447,
                    -2.765242084667147,
                    1.413267949232845,
                    0.5285863225188057,
                    1.3952852408963252,
                ],
                [
                    -0.40617140975020594,
                    0.5365052923280611,
                    0.033895089438168505,
                    -0.28497982739659844,
                    0.14146995787511368,
                    1.4804366871947092,
                ],
                [
                    -1.73771309890925,
                    -1.810489154116848,
                    0.9869655669073263,
                    2.3085349110137585,
                    1.7478257537503494,
                    -1.3013110234496643,
                ],
                [
                    -0.5108772479650623,
                    1.576786437983694,
                    -1.2790219834953798,
                    1.086465447848367,
                    -0.20975117057720313,
                    0.16512520110459672,
                ],
                [
                    -0.23710590890384114,
                    0.07280178294164809,
                    -6.920249557743322,
                    1.6852834921784576,
                    -1.5711395857212738,
                    2.623666991687108,
                ],
                [
                    -1.9884190889922804,
                    -3.270097236846708,
                    11.276705426539506,
                    -0.48715815633505977,
                    3.227961228526521,
                    -3.943502605240426,
                ],
            ],
            within=1e-12,
            origin="scipy 1.17.1, scipy.linalg.solve_sylvester",
        ),
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
        "a": P("float64[n,n]", about="matrix of the step x -> A x"),
        "q": P("float64[n,n]", about="matrix Q, such as the covariance of what drives each step"),
    },
    result=R(
        "float64[n,n]", about="solution X; a covariance only where all eigenvalues of A are below 1 in absolute value"
    ),
    limit={"n": 7},
    cases=[
        case(a=[[0.5]], q=[[1.0]], result=[[1.3333333333333333]], origin="sympy 1.14.0, exact fractions"),
        case(
            a=[[0.5, 0.1], [0.2, 0.3]],
            q=[[1.0, 0.25], [0.25, 2.0]],
            result=[[1.4389923895015908, 0.5589664737422465], [0.5589664737422465, 2.3347644751968497]],
            origin="sympy 1.14.0, exact fractions",
        ),
        case(
            a=[
                [-2.79, -1.54, -4.47, -4.95, -3.42],
                [-1.83, 1.96, 3.35, 0.431, -1.54],
                [1.78, -3.01, -0.413, 4.13, -1.05],
                [2.24, -3.2, 2.26, -4.54, -1.32],
                [-2.35, 3.83, 0.352, 3.82, 2.95],
            ],
            q=[
                [-3.35, -1.2, -1.21, -3.7, -2.82],
                [0.852, -1.94, -2.07, -4.63, -1.03],
                [1.9, 1.31, -2.35, -2.73, -4.03],
                [-0.973, 0.396, 4.99, 4.87, 2.92],
                [0.0597, -0.131, -0.0538, 1.49, 0.874],
            ],
            result=[
                [-1.0188662529956953, -1.5502316796500293, 0.462734449158642, 0.14129946481455546, 1.414628309964497],
                [-1.757085222593637, -2.3105846452222525, 0.8030985576502544, 0.17194892614811105, 1.8097123459588125],
                [0.891146298794781, 1.0194320321766728, -0.3243325698995773, -0.07003859746204354, -0.7315797392369499],
                [-0.7777299482056458, -0.837285378997704, 0.3451526698259281, 0.051253514960843446, 0.54816127192384],
                [3.168972195182823, 3.7386365851596803, -1.3362510591857464, -0.1783960384980277, -2.914208803340244],
            ],
            within=1e-13,
            origin="scipy 1.17.1, scipy.linalg.solve_discrete_lyapunov",
        ),
    ],
)
def discrete_lyapunov_solve(a, q):
    """Solution X of X = A X A^T + Q: the stationary covariance of a linear recursion that is stable."""
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
        "transition": P(
            "float64[n,n]",
            about="probabilities from a row's state to a column's",
            domain="[0, 1]",
            structure="stochastic",
        ),
    },
    result=R("float64[n]", about="long-run shares", range="[0, 1]"),
    limit={"n": 60},
    version=3,
    cases=[
        case(transition=[[0.5, 0.5], [0.25, 0.75]], result=[0.3333333333333333, 0.6666666666666666], origin="by hand"),
        case(
            transition=[[0.0, 1.0, 0.0], [0.5, 0.0, 0.5], [0.0, 1.0, 0.0]], result=[0.25, 0.5, 0.25], origin="by hand"
        ),
        case(transition=[[1.0, 0.0], [0.0, 1.0]], error="domain_error", origin="by hand: two recurrent classes"),
        case(transition=[[0.5, 0.25], [0.25, 0.75]], error="domain_error", origin="by hand: a row does not sum to one"),
        case(
            transition=[[0.0625, 0.9375], [0.0625, 0.9375]],
            result=[0.0625, 0.9375],
            within=1e-14,
            origin="quantecon 0.11.4, quantecon.markov.MarkovChain: stationary_distributions",
        ),
    ],
)
def stationary_distribution(transition):
    """Long-run shares of the states of a Markov chain; the rows sum to one to within rounding."""
    table, size = rows(rational(transition)), len(transition)
    table = [[x / sum(row, fmpq(0)) for x in row] for row in table]
    equations = [[table[i][j] - int(i == j) for i in range(size)] for j in range(size - 1)] + [[fmpq(1)] * size]
    try:
        return column(fmpq_mat(equations).solve(fmpq_mat([[int(i == size - 1)] for i in range(size)])))
    except ZeroDivisionError:
        raise DomainError("transition", None, "a chain with one recurrent class") from None
