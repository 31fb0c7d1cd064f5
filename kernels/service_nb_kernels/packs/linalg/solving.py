"""Determinants, inverses, linear systems, least squares, rank and null spaces, certified."""

from fractions import Fraction

from flint import arb, arb_mat, fmpq, fmpq_mat
from service_nb_kernels.certified.linalg import by_balls, inverse, solve
from service_nb_kernels.certified.matrices import column, integers, rational, rows, singular, two_to
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError
from service_nb_kernels.numeric import np


@capability(
    "linalg.determinant",
    tier="certified",
    source="strang2016, sec. 5.1",
    params={
        "matrix": P("float64[n,n]", about="square matrix"),
    },
    result=R("float64", about="determinant"),
    limit={"n": 150},
    cases=[
        case(matrix=[[1.0, 2.0], [3.0, 4.0]], result=-2.0, origin="by hand"),
        case(
            matrix=[[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 1.0]],
            result=-0.0029999999999999957,
            origin="sympy 1.14.0, sympy.Matrix.det",
        ),
        case(
            matrix=[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]],
            result=0.0,
            origin="by hand: rows in arithmetic progression",
        ),
    ],
)
def determinant(matrix):
    """Determinant of a square matrix, exact before it is rounded once."""
    whole, exponent = integers(matrix)
    return whole.det() * two_to(exponent * len(matrix))


@capability(
    "linalg.log_determinant",
    tier="certified",
    source="golub2013, sec. 3.2.7",
    params={
        "matrix": P("float64[n,n]", about="square matrix"),
    },
    result=R(
        fields={
            "sign": R("int", about="sign of the determinant"),
            "logarithm": R("float64", about="natural logarithm of its absolute value"),
        }
    ),
    limit={"n": 150},
    cases=[
        case(
            matrix=[[1.0, 2.0], [3.0, 4.0]],
            result={"sign": -1, "logarithm": 0.6931471805599453},
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            matrix=[[2.0, 0.5, 0.1], [0.5, 3.0, 0.2], [0.1, 0.2, 1.5]],
            result={"sign": 1, "logarithm": 2.144175356246404},
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(matrix=[[1.0, 2.0], [2.0, 4.0]], error="domain_error", origin="by hand"),
        case(
            matrix=[
                [-3.16, 2.69, 4.05, -1.38, -1.35],
                [-3.37, -2.16, 0.328, 2.77, 1.95],
                [-2.67, -4.96, 2.11, 3.71, -3.85],
                [-2.38, -3.27, 2.13, 4.03, -2.01],
                [-3.01, -3.41, 2.06, 4.61, 2.25],
            ],
            result={"sign": 1.0, "logarithm": 5.876865905289118},
            within=1e-14,
            origin="numpy 2.4.6, numpy.linalg.slogdet",
        ),
    ],
)
def log_determinant(matrix):
    """Sign of a determinant and the logarithm of its absolute value, free of overflow."""
    whole, exponent = integers(matrix)
    found = whole.det()
    if found == 0:
        raise singular("matrix")
    scale = arb(2).log() * (exponent * len(matrix))
    return {"sign": 1 if found > 0 else -1, "logarithm": arb(abs(found)).log() + scale}


@capability(
    "linalg.inverse",
    tier="certified",
    source="strang2016, sec. 2.5",
    params={
        "matrix": P("float64[n,n]", about="square matrix"),
    },
    result=R("float64[n,n]", about="inverse matrix"),
    limit={"n": 100},
    cases=[
        case(matrix=[[1.0, 2.0], [3.0, 4.0]], result=[[-2.0, 1.0], [1.5, -0.5]], origin="by hand"),
        case(
            matrix=[[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 1.0]],
            result=[
                [-6.666666666666673, -13.33333333333335, 10.00000000000001],
                [-6.6666666666666545, 36.66666666666671, -20.00000000000003],
                [9.999999999999995, -20.000000000000025, 10.000000000000016],
            ],
            origin="sympy 1.14.0, sympy.Matrix.inv",
        ),
        case(
            matrix=[[4.0, 1.0, 0.0], [1.0, 4.0, 1.0], [0.0, 1.0, 4.0]],
            result=[
                [0.26785714285714285, -0.07142857142857142, 0.017857142857142856],
                [-0.07142857142857142, 0.2857142857142857, -0.07142857142857142],
                [0.017857142857142856, -0.07142857142857142, 0.26785714285714285],
            ],
            origin="sympy 1.14.0, sympy.Matrix.inv",
        ),
        case(matrix=[[1.0, 2.0], [2.0, 4.0]], error="domain_error", origin="by hand"),
    ],
)
def inverse_of(matrix):
    """Inverse of a square matrix, every entry the nearest double of the exact one."""
    return rows(inverse(matrix, "matrix"))


@capability(
    "linalg.solve",
    tier="certified",
    source="strang2016, sec. 2.2",
    params={
        "matrix": P("float64[n,n]", about="coefficients"),
        "right": P("float64[n]", about="right-hand side"),
    },
    result=R("float64[n]", about="solution"),
    limit={"n": 150},
    cases=[
        case(
            matrix=[[2.0, 1.0], [1.0, 3.0]],
            right=[3.0, 5.0],
            result=[0.8, 1.4],
            origin="sympy 1.14.0, sympy.Matrix.LUsolve",
        ),
        case(
            matrix=[[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 1.0]],
            right=[1.0, 0.5, -0.25],
            result=[-15.833333333333352, 16.666666666666707, -2.5000000000000218],
            origin="sympy 1.14.0, sympy.Matrix.LUsolve",
        ),
        case(matrix=[[1.0, 2.0], [2.0, 4.0]], right=[1.0, 2.0], error="domain_error", origin="by hand"),
    ],
)
def solve_system(matrix, right):
    """Solution of a square system of linear equations, each unknown rounded once."""
    return column(solve(matrix, right, "matrix"))


@capability(
    "linalg.solve_many",
    tier="certified",
    source="golub2013, sec. 3.2.5",
    params={
        "matrix": P("float64[n,n]", about="coefficients"),
        "right": P("float64[n,k]", about="right-hand sides, one a column"),
    },
    result=R("float64[n,k]", about="solutions, one a column"),
    limit={"n": 100, "k": 100},
    cases=[
        case(
            matrix=[[2.0, 1.0], [1.0, 3.0]],
            right=[[1.0, 0.0], [0.0, 1.0]],
            result=[[0.6, -0.2], [-0.2, 0.4]],
            origin="sympy 1.14.0, sympy.Matrix.LUsolve",
        ),
        case(
            matrix=[[0.3, 0.2], [0.1, 0.7]],
            right=[[0.5, 1.5, 2.5], [1.0, -1.0, 0.25]],
            result=[
                [0.7894736842105262, 6.578947368421053, 8.947368421052632],
                [1.3157894736842106, -2.368421052631579, -0.9210526315789476],
            ],
            origin="sympy 1.14.0, sympy.Matrix.LUsolve",
        ),
    ],
)
def solve_many(matrix, right):
    """Solutions of a system of linear equations for several right-hand sides."""
    return rows(solve(matrix, right, "matrix"))


@capability(
    "linalg.solve_tridiagonal",
    tier="certified",
    source="golub2013, sec. 4.3",
    params={
        "lower": P("float64[k]", about="diagonal below the main one"),
        "diagonal": P("float64[n]", about="main diagonal"),
        "upper": P("float64[k]", about="diagonal above the main one"),
        "right": P("float64[n]", about="right-hand side"),
    },
    result=R("float64[n]", about="solution"),
    limit={"n": 200, "k": 200},
    requires=["len(diagonal) == len(lower) + 1"],
    cases=[
        case(
            lower=[1.0, 1.0],
            diagonal=[4.0, 4.0, 4.0],
            upper=[1.0, 1.0],
            right=[1.0, 2.0, 3.0],
            result=[0.17857142857142858, 0.2857142857142857, 0.6785714285714286],
            origin="sympy 1.14.0, sympy.Matrix.LUsolve",
        ),
        case(
            lower=[0.1],
            diagonal=[0.0, 2.0],
            upper=[0.5],
            right=[1.0, 0.3],
            result=[-37.0, 2.0],
            origin="sympy 1.14.0, sympy.Matrix.LUsolve",
        ),
    ],
)
def solve_tridiagonal(lower, diagonal, upper, right):
    """Solution of a tridiagonal system of linear equations, given by its three diagonals."""
    matrix = np.diag(diagonal) + np.diag(upper, 1) + np.diag(lower, -1)
    return column(solve(matrix, right, "the tridiagonal matrix"))


@capability(
    "linalg.least_squares",
    tier="certified",
    source="golub2013, sec. 5.3.1",
    params={
        "matrix": P("float64[m,n]", about="design matrix, with independent columns"),
        "right": P("float64[m]", about="observations"),
    },
    result=R("float64[n]", about="coefficients"),
    limit={"m": 20000, "n": 40},
    cases=[
        case(
            matrix=[[1.0, 1.0], [1.0, 2.0], [1.0, 3.0]],
            right=[1.0, 2.0, 2.0],
            result=[0.6666666666666666, 0.5],
            origin="sympy 1.14.0, sympy.Matrix.solve_least_squares",
        ),
        case(
            matrix=[[1.0, 0.1], [1.0, 0.3], [1.0, 0.7], [1.0, 1.1]],
            right=[0.5, 0.9, 1.6, 2.5],
            result=[0.2889830508474577, 1.9745762711864405],
            origin="sympy 1.14.0, sympy.Matrix.solve_least_squares",
        ),
        case(
            matrix=[[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]],
            right=[1.0, 2.0, 2.0],
            error="domain_error",
            origin="by hand: dependent columns",
        ),
    ],
)
def least_squares(matrix, right):
    """Coefficients with the least sum of squared residuals, from exact normal equations."""
    return column(normal_equations(matrix, right))


def normal_equations(matrix, right):
    """Return the least-squares solution as a column; conditioning does not matter where products are exact."""
    (left, p), (known, q) = integers(matrix), integers(right)
    turned = left.transpose()
    normal, target = turned * left, turned * known

    def exactly():
        return normal.solve(target) * two_to(q - p)

    def in_balls():
        return arb_mat(normal).solve(arb_mat(target)) * arb(two_to(q - p))

    return by_balls(matrix.shape[1], in_balls, exactly, "matrix")


@capability(
    "linalg.weighted_least_squares",
    tier="certified",
    version=2,
    source="strang2016, sec. 12.3",
    params={
        "matrix": P("float64[m,n]", about="design matrix, with independent columns"),
        "right": P("float64[m]", about="observations"),
        "weights": P("float64[m]", about="weights of the squared residuals", domain="[0, inf)"),
    },
    result=R("float64[n]", about="coefficients"),
    limit={"m": 2000, "n": 20},
    cases=[
        case(
            matrix=[[1.0, 1.0], [1.0, 2.0], [1.0, 3.0]],
            right=[1.0, 2.0, 2.0],
            weights=[1.0, 2.0, 1.0],
            result=[0.75, 0.5],
            origin="sympy 1.14.0, exact fractions",
        ),
        case(
            matrix=[[1.0, 1.0], [1.0, 2.0], [1.0, 3.0]],
            right=[1.0, 2.0, 7.0],
            weights=[1.0, 2.0, 0.0],
            result=[0.0, 1.0],
            origin="by hand: the line through the first two points",
        ),
        case(
            matrix=[[1.0, 0.1], [1.0, 0.3], [1.0, 0.7]],
            right=[0.5, 0.9, 1.6],
            weights=[0.5, 0.25, 0.3],
            result=[0.3253521126760563, 1.830985915492958],
            origin="sympy 1.14.0, exact fractions",
        ),
        case(
            matrix=[
                [0.219, 2.8, -0.963],
                [-0.00382, 1.59, 4.1],
                [4.45, -2.76, -2.77],
                [4.64, -1.7, 0.257],
                [-0.817, 0.393, -3.08],
                [1.66, 0.617, -1.36],
                [4.65, -1.53, 2.46],
            ],
            right=[-4.1, -1.29, 1.27, -0.89, -4.35, 1.4, 4.99],
            weights=[1.48, 3.23, 1.54, 3.6, 3.12, 1.24, 2.6],
            result=[-0.24412334397543387, -1.470044454103458, 0.6702397798297104],
            within=1e-14,
            origin="statsmodels 0.15.0, statsmodels.regression.linear_model.WLS",
        ),
    ],
)
def weighted_least_squares(matrix, right, weights):
    """Coefficients with the least weighted sum of squared residuals."""
    table, known, scale = rational(matrix).tolist(), column(rational(right)), column(rational(weights))
    weighted = fmpq_mat([[w * x for x in row] for w, row in zip(scale, table, strict=True)]).transpose()
    try:
        return column((weighted * fmpq_mat(table)).solve(weighted * fmpq_mat([[x] for x in known])))
    except ZeroDivisionError:
        raise DomainError("matrix", None, "independent columns") from None


@capability(
    "linalg.ridge_solution",
    tier="certified",
    source="golub2013, sec. 6.1.4",
    params={
        "matrix": P("float64[m,n]", about="design matrix"),
        "right": P("float64[m]", about="observations"),
        "penalty": P(
            "float64",
            about="factor of the sum of all squared coefficients, added to that of the squared residuals",
            domain="(0, inf)",
        ),
    },
    result=R("float64[n]", about="coefficients"),
    limit={"m": 2000, "n": 20},
    cases=[
        case(
            matrix=[[1.0, 1.0], [1.0, 2.0], [1.0, 3.0]],
            right=[1.0, 2.0, 2.0],
            penalty=0.5,
            result=[0.4406779661016949, 0.576271186440678],
            origin="sympy 1.14.0, exact fractions",
        ),
        case(
            matrix=[[1.0, 2.0], [2.0, 4.0]],
            right=[1.0, 2.0],
            penalty=0.1,
            result=[0.199203187250996, 0.398406374501992],
            origin="sympy 1.14.0, exact fractions",
        ),
        case(
            matrix=[
                [-3.8, 4.18],
                [-4.62, -0.394],
                [0.853, -3.68],
                [-2.33, 2.54],
                [4.48, 3.08],
                [-0.567, -4.32],
                [-2.2, -2.67],
                [-4.68, -2.22],
                [-4.76, -2.66],
            ],
            right=[2.59, -1.29, -0.885, -2.57, 2.92, -2.25, -3.83, -0.0691, 4.74],
            penalty=2.61,
            result=[-0.03943930948580455, 0.2904457991171279],
            within=1e-14,
            origin="scikit-learn 1.9.1, sklearn.linear_model.Ridge",
        ),
    ],
)
def ridge_solution(matrix, right, penalty):
    """Coefficients of least squares with a penalty on their squares: Tikhonov's regularization."""
    left, known = rational(matrix), rational(right)
    size, weight = matrix.shape[1], fmpq(*penalty.as_integer_ratio())
    ridge = fmpq_mat([[weight if i == j else 0 for j in range(size)] for i in range(size)])
    return column((left.transpose() * left + ridge).solve(left.transpose() * known))


@capability(
    "linalg.minimum_norm_solution",
    tier="certified",
    source="golub2013, sec. 5.6.2",
    params={
        "matrix": P("float64[m,n]", about="coefficients, with independent rows"),
        "right": P("float64[m]", about="right-hand side"),
    },
    result=R("float64[n]", about="solution of least length"),
    limit={"m": 40, "n": 2000},
    cases=[
        case(matrix=[[1.0, 2.0, 3.0]], right=[7.0], result=[0.5, 1.0, 1.5], origin="by hand"),
        case(
            matrix=[[0.1, 0.2, 0.3], [1.0, 0.0, -1.0]],
            right=[1.0, 0.5],
            result=[2.0, 1.75, 1.5],
            origin="sympy 1.14.0, exact fractions",
        ),
        case(
            matrix=[
                [0.704, -2.65, -2.22, 2.47, -1.75],
                [0.943, 0.253, 4.1, -1.85, -2.79],
                [0.559, -3.82, -3.14, -4.21, -2.56],
            ],
            right=[-4.27, 2.75, -0.888],
            result=[
                -0.09354578418859966,
                0.42976594971852544,
                0.4897852674959417,
                -0.6694613710709871,
                0.18535492616617366,
            ],
            within=1e-14,
            origin="mpmath 1.3.0, mpmath.lu_solve: of A A^T, times A^T",
        ),
    ],
)
def minimum_norm_solution(matrix, right):
    """Solution of least length of an underdetermined system of linear equations."""
    left, known = rational(matrix), rational(right)
    try:
        return column(left.transpose() * (left * left.transpose()).solve(known))
    except ZeroDivisionError:
        raise DomainError("matrix", None, "independent rows") from None


@capability(
    "linalg.pseudo_inverse",
    tier="certified",
    source="golub2013, sec. 5.5.2",
    params={
        "matrix": P("float64[m,n]", about="any matrix"),
    },
    result=R("float64[n,m]", about="Moore-Penrose inverse"),
    limit={"m": 40, "n": 40},
    cases=[
        case(
            matrix=[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]],
            result=[
                [-1.3333333333333333, -0.3333333333333333, 0.6666666666666666],
                [1.0833333333333333, 0.3333333333333333, -0.4166666666666667],
            ],
            origin="sympy 1.14.0, sympy.Matrix.pinv",
        ),
        case(matrix=[[1.0, 2.0], [2.0, 4.0]], result=[[0.04, 0.08], [0.08, 0.16]], origin="by hand: A^T / 25"),
        case(
            matrix=[[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]],
            result=[
                [-9.444444444444445, 4.444444444444445],
                [-1.1111111111111096, 1.1111111111111105],
                [7.222222222222221, -2.222222222222222],
            ],
            origin="sympy 1.14.0, sympy.Matrix.pinv",
        ),
    ],
)
def pseudo_inverse(matrix):
    """Moore-Penrose inverse of any matrix, of whatever rank, from an exact rank factorization."""
    whole = rational(matrix)
    reduced, rank = whole.rref()
    if rank == 0:
        return [[Fraction(0)] * matrix.shape[0] for _ in range(matrix.shape[1])]
    table, original = rows(reduced), rows(whole)
    pivots = [next(j for j, x in enumerate(row) if x != 0) for row in table[:rank]]
    left, right = fmpq_mat([[row[j] for j in pivots] for row in original]), fmpq_mat(table[:rank])
    down, across = left.transpose(), right.transpose()
    return rows(across * (right * across).inv() * (down * left).inv() * down)


@capability(
    "linalg.rank",
    tier="certified",
    source="strang2016, sec. 3.2",
    params={
        "matrix": P("float64[m,n]", about="any matrix"),
    },
    result=R("int", about="rank"),
    limit={"m": 300, "n": 300},
    cases=[
        case(matrix=[[1.0, 2.0], [2.0, 4.0]], result=1, origin="sympy 1.14.0, sympy.Matrix.rank"),
        case(
            matrix=[[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]],
            result=3,
            origin="by hand: the doubles near 0.1 ... 0.9 are not in exact progression",
        ),
        case(matrix=[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], result=2, origin="sympy 1.14.0, sympy.Matrix.rank"),
    ],
)
def rank(matrix):
    """Rank of a matrix of doubles, exactly: no threshold decides it."""
    return integers(matrix)[0].rank()


@capability(
    "linalg.nullspace",
    tier="certified",
    source="strang2016, sec. 3.2",
    params={
        "matrix": P("float64[m,n]", about="any matrix"),
    },
    result=R("float64[k,n]", about="basis, one vector a row"),
    limit={"m": 100, "n": 100},
    cases=[
        case(matrix=[[1.0, 2.0], [2.0, 4.0]], result=[[-2.0, 1.0]], origin="sympy 1.14.0, sympy.Matrix.nullspace"),
        case(
            matrix=[[1.0, 2.0, 3.0], [0.5, 0.25, 0.125]],
            result=[[0.6666666666666666, -1.8333333333333333, 1.0]],
            origin="sympy 1.14.0, sympy.Matrix.nullspace",
        ),
        case(matrix=[[1.0, 0.0], [0.0, 1.0]], result=[], origin="sympy 1.14.0, sympy.Matrix.nullspace"),
    ],
)
def nullspace(matrix):
    """Basis of the vectors that a matrix maps to zero, each with a one at its free column."""
    reduced, rank_ = rational(matrix).rref()
    table, wide = rows(reduced), matrix.shape[1]
    pivots = [next(j for j, x in enumerate(row) if x != 0) for row in table[:rank_]]
    basis = []
    for free in (j for j in range(wide) if j not in pivots):
        vector = [fmpq(int(j == free)) for j in range(wide)]
        for row, pivot in zip(table, pivots, strict=False):
            vector[pivot] = -row[free]
        basis.append(vector)
    return basis


@capability(
    "linalg.reduced_row_echelon",
    tier="certified",
    source="strang2016, sec. 3.2",
    params={
        "matrix": P("float64[m,n]", about="any matrix"),
    },
    result=R("float64[m,n]", about="reduced matrix"),
    limit={"m": 100, "n": 100},
    cases=[
        case(
            matrix=[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
            result=[[1.0, 0.0, -1.0], [0.0, 1.0, 2.0]],
            origin="sympy 1.14.0, sympy.Matrix.rref",
        ),
        case(
            matrix=[[0.0, 0.5, 1.5], [0.25, 1.0, 2.0]],
            result=[[1.0, 0.0, -4.0], [0.0, 1.0, 3.0]],
            origin="sympy 1.14.0, sympy.Matrix.rref",
        ),
    ],
)
def reduced_row_echelon(matrix):
    """Reduced row echelon form of a matrix, by exact elimination."""
    return rows(rational(matrix).rref()[0])
