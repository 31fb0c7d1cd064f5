"""LU, Cholesky, LDL and QR factors, Gram-Schmidt, definiteness: exact rationals, one rounding at the end."""

from itertools import pairwise

from flint import arb, fmpq
from service_nb_kernels.certified.linalg import dot, orthogonalized, root_of
from service_nb_kernels.certified.matrices import rational, rows, square
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError


def unit_factors(matrix):
    """Return L with a unit diagonal and the d of A = L D L^T, of a symmetric matrix."""
    table, size = rows(rational(matrix)), len(matrix)
    lower = [[fmpq(int(i == j)) for j in range(size)] for i in range(size)]
    pivots = []
    for j in range(size):
        pivot = table[j][j] - sum((lower[j][k] ** 2 * pivots[k] for k in range(j)), fmpq(0))
        if pivot == 0 and j < size - 1:
            raise DomainError("matrix", None, "a matrix whose leading minors, but for its determinant, are not zero")
        pivots.append(pivot)
        for i in range(j + 1, size):
            inner = sum((lower[i][k] * lower[j][k] * pivots[k] for k in range(j)), fmpq(0))
            lower[i][j] = (table[i][j] - inner) / pivot
    return lower, pivots


def inertia_of(matrix):
    """Return how many eigenvalues are positive, negative and zero, by Descartes' rule on the exact polynomial."""
    coefficients = rational(matrix).charpoly().coeffs()
    zero = next(k for k, c in enumerate(coefficients) if c != 0)
    signs = [c > 0 for c in coefficients if c != 0]
    positive = sum(a != b for a, b in pairwise(signs))  # exact, as all roots are real
    return positive, len(matrix) - positive - zero, zero


@capability(
    "linalg.lu",
    tier="certified",
    source="golub2013, sec. 3.4",
    params={
        "matrix": P("float64[n,n]", about="square matrix"),
    },
    result=R(
        fields={
            "permutation": R("int[n]", about="rows of the matrix, from 0, in the order in which L U gives them"),
            "lower": R("float64[n,n]", about="lower factor, with a unit diagonal"),
            "upper": R("float64[n,n]", about="upper factor"),
        }
    ),
    limit={"n": 40},
    cases=[
        case(
            matrix=[[1.0, 2.0], [3.0, 4.0]],
            result={
                "permutation": [1, 0],
                "lower": [[1.0, 0.0], [0.3333333333333333, 1.0]],
                "upper": [[3.0, 4.0], [0.0, 0.6666666666666666]],
            },
            origin="by hand",
        ),
        case(
            matrix=[[2.0, 1.0, 1.0], [4.0, 3.0, 3.0], [8.0, 7.0, 9.0]],
            result={
                "permutation": [2, 0, 1],
                "lower": [[1.0, 0.0, 0.0], [0.25, 1.0, 0.0], [0.5, 0.6666666666666666, 1.0]],
                "upper": [[8.0, 7.0, 9.0], [0.0, -0.75, -1.25], [0.0, 0.0, -0.6666666666666666]],
            },
            origin="by hand",
        ),
        case(
            matrix=[[0.962, -2.14, 1.43], [-2.12, -3.16, -3.23], [-4.13, 3.51, -2.02]],
            result={
                "permutation": [2, 1, 0],
                "lower": [
                    [1.0, 0.0, 0.0],
                    [0.513317191283293, 1.0, 0.0],
                    [-0.23292978208232445, 0.26652254538356435, 1.0],
                ],
                "upper": [
                    [-4.13, 3.51, -2.02],
                    [0.0, -4.961743341404358, -2.193099273607748],
                    [0.0, 0.0, 1.5439922408744875],
                ],
            },
            within=1e-14,
            origin="scipy 1.17.1, scipy.linalg.lu",
        ),
    ],
)
def lu(matrix):
    """Lower and upper factors of a square matrix, with partial pivoting."""
    square("matrix", matrix)
    upper, size = rows(rational(matrix)), len(matrix)
    lower, order = [[fmpq(0)] * size for _ in range(size)], list(range(size))
    for j in range(size):
        pivot = max(range(j, size), key=lambda i: (abs(upper[i][j]), -i))
        for table in (upper, lower, order):
            table[j], table[pivot] = table[pivot], table[j]
        lower[j][j] = fmpq(1)
        if upper[j][j] == 0:
            continue
        for i in range(j + 1, size):
            factor = upper[i][j] / upper[j][j]
            lower[i][j] = factor
            upper[i] = [x - factor * y for x, y in zip(upper[i], upper[j], strict=True)]
    return {"permutation": order, "lower": lower, "upper": upper}


@capability(
    "linalg.cholesky",
    tier="certified",
    source="golub2013, sec. 4.2.3",
    params={
        "matrix": P("float64[n,n]", about="symmetric positive definite matrix", structure="positive_definite"),
    },
    result=R("float64[n,n]", about="lower factor"),
    limit={"n": 60},
    version=2,
    cases=[
        case(matrix=[[4.0, 2.0], [2.0, 5.0]], result=[[2.0, 0.0], [1.0, 2.0]], origin="by hand"),
        case(
            matrix=[[2.0, 0.5, 0.1], [0.5, 3.0, 0.2], [0.1, 0.2, 1.5]],
            result=[
                [1.4142135623730951, 0.0, 0.0],
                [0.3535533905932738, 1.695582495781317, 0.0],
                [0.07071067811865475, 0.103209369308428, 1.2183381411114718],
            ],
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(matrix=[[1.0, 2.0], [2.0, 1.0]], error="domain_error", origin="by hand"),
        case(
            matrix=[
                [29.258396, -6.4228, 2.45138, -21.79784, -6.928998],
                [-6.4228, 39.3923, 20.20972, 2.7157, 11.972565],
                [2.45138, 20.20972, 29.316632, 5.72054, 6.14369],
                [-21.79784, 2.7157, 5.72054, 54.0895, 25.127838],
                [-6.928998, 11.972565, 6.14369, 25.127838, 38.498341],
            ],
            result=[
                [5.409103067977167, 0.0, 0.0, 0.0, 0.0],
                [-1.1874057342379174, 6.162983662342365, 0.0, 0.0, 0.0],
                [0.4531952838008572, 3.3665263150850357, 4.216366516869783, 0.0, 0.0],
                [-4.029843714579412, -0.33577235445529674, 2.057988222403323, 5.788074035333132, 0.0],
                [-1.2809883474065924, 1.6958526362254143, 0.24075121250202358, 3.4622246208391565, 4.6836452917092055],
            ],
            within=1e-14,
            origin="scipy 1.17.1, scipy.linalg.cholesky",
        ),
    ],
)
def cholesky(matrix):
    """Lower triangular factor L of a positive definite matrix, A = L L^T."""
    lower, pivots = unit_factors(matrix)
    if min(pivots) <= 0:
        raise DomainError("matrix", None, "a positive definite matrix")
    return [
        [root_of(x**2 * d) * (1 if x > 0 else -1) if x != 0 else 0 for x, d in zip(row, pivots, strict=True)]
        for row in lower
    ]


@capability(
    "linalg.ldl",
    tier="certified",
    source="golub2013, sec. 4.1.2",
    params={
        "matrix": P("float64[n,n]", about="symmetric matrix", structure="symmetric"),
    },
    result=R(
        fields={
            "lower": R("float64[n,n]", about="lower factor, with a unit diagonal"),
            "diagonal": R("float64[n]", about="diagonal factor"),
        }
    ),
    limit={"n": 60},
    version=3,
    cases=[
        case(
            matrix=[[4.0, 2.0], [2.0, 5.0]],
            result={"lower": [[1.0, 0.0], [0.5, 1.0]], "diagonal": [4.0, 4.0]},
            origin="sympy 1.14.0, sympy.Matrix.LDLdecomposition",
        ),
        case(
            matrix=[[0.1, 0.2], [0.2, 0.1]],
            result={"lower": [[1.0, 0.0], [2.0, 1.0]], "diagonal": [0.1, -0.30000000000000004]},
            origin="sympy 1.14.0, sympy.Matrix.LDLdecomposition",
        ),
        case(
            matrix=[[1.0, 1.0], [1.0, 1.0]],
            result={"lower": [[1.0, 0.0], [1.0, 1.0]], "diagonal": [1.0, 0.0]},
            origin="by hand: singular, but only its last pivot is 0",
        ),
        case(matrix=[[0.0, 1.0], [1.0, 0.0]], error="domain_error", origin="by hand"),
    ],
)
def ldl(matrix):
    """Unit lower factor and diagonal of a symmetric matrix, A = L D L^T, without pivoting."""
    lower, pivots = unit_factors(matrix)
    return {"lower": lower, "diagonal": pivots}


@capability(
    "linalg.qr",
    tier="certified",
    source="golub2013, sec. 5.2.7",
    params={
        "matrix": P("float64[m,n]", about="matrix with independent columns"),
    },
    result=R(
        fields={
            "q": R("float64[m,n]", about="orthonormal columns"),
            "r": R("float64[n,n]", about="upper triangle, with a positive diagonal"),
        }
    ),
    limit={"m": 60, "n": 30},
    cases=[
        case(
            matrix=[[3.0, 1.0], [4.0, 2.0]],
            result={"q": [[0.6, -0.8], [0.8, 0.6]], "r": [[5.0, 2.2], [0.0, 0.4]]},
            origin="sympy 1.14.0, sympy.Matrix.QRdecomposition",
        ),
        case(
            matrix=[[1.0, 0.5], [1.0, 1.5], [1.0, 3.0]],
            result={
                "q": [
                    [0.5773502691896257, -0.6556100681071858],
                    [0.5773502691896257, -0.0936585811581694],
                    [0.5773502691896257, 0.7492686492653552],
                ],
                "r": [[1.7320508075688772, 2.8867513459481287], [0.0, 1.7795130420052185]],
            },
            origin="sympy 1.14.0, sympy.Matrix.QRdecomposition",
        ),
        case(matrix=[[1.0, 2.0], [2.0, 4.0]], error="domain_error", origin="by hand"),
    ],
)
def qr(matrix):
    """Orthonormal columns Q and upper triangle R of a matrix, A = Q R with a positive diagonal."""
    vectors, coefficients = orthogonalized(rows(rational(matrix.T)))
    squares = [dot(v, v) for v in vectors]
    unit = [[divided(x, s) for x in v] for v, s in zip(vectors, squares, strict=True)]
    size = len(vectors)
    upper = [
        [root_of(squares[i]) if i == j else times(coefficients[j][i], squares[i]) if i < j else 0 for j in range(size)]
        for i in range(size)
    ]
    return {"q": [list(row) for row in zip(*unit, strict=True)], "r": upper}


def divided(x, square_):
    """Return x / sqrt(square)."""
    return 0 if x == 0 else root_of(x**2 / square_) * (1 if x > 0 else -1)


def times(x, square_):
    """Return x * sqrt(square)."""
    return 0 if x == 0 else root_of(x**2 * square_) * (1 if x > 0 else -1)


@capability(
    "linalg.orthonormal_basis",
    tier="certified",
    source="strang2016, sec. 4.4",
    params={
        "vectors": P("float64[k,n]", about="independent vectors, one a row"),
    },
    result=R("float64[k,n]", about="orthonormal vectors, one a row"),
    limit={"k": 30, "n": 60},
    cases=[
        case(vectors=[[3.0, 4.0], [1.0, 0.0]], result=[[0.6, 0.8], [0.8, -0.6]], origin="by hand"),
        case(
            vectors=[[1.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]],
            result=[
                [0.7071067811865476, 0.7071067811865476, 0.0],
                [0.408248290463863, -0.408248290463863, 0.816496580927726],
                [-0.5773502691896257, 0.5773502691896257, 0.5773502691896257],
            ],
            origin="sympy 1.14.0, sympy.Matrix.orthogonalize",
        ),
        case(vectors=[[1.0, 1.0], [2.0, 2.0]], error="domain_error", origin="by hand"),
    ],
)
def orthonormal_basis(vectors):
    """Orthonormal vectors from independent ones, in their order: the process of Gram and Schmidt."""
    found, _ = orthogonalized(rows(rational(vectors)))
    return [[divided(x, dot(v, v)) for x in v] for v in found]


@capability(
    "linalg.orthogonal_basis",
    tier="certified",
    source="strang2016, sec. 4.4",
    params={
        "vectors": P("float64[k,n]", about="independent vectors, one a row"),
    },
    result=R("float64[k,n]", about="orthogonal vectors, one a row"),
    limit={"k": 30, "n": 60},
    cases=[
        case(
            vectors=[[1.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]],
            result=[[1.0, 1.0, 0.0], [0.5, -0.5, 1.0], [-0.6666666666666666, 0.6666666666666666, 0.6666666666666666]],
            origin="sympy 1.14.0, sympy.Matrix.orthogonalize",
        ),
        case(
            vectors=[[0.1, 0.2], [0.3, 0.7]],
            result=[[0.1, 0.2], [-0.039999999999999994, 0.019999999999999997]],
            origin="sympy 1.14.0, sympy.Matrix.orthogonalize",
        ),
    ],
)
def orthogonal_basis(vectors):
    """Orthogonal vectors from independent ones, without scaling them to unit length."""
    return orthogonalized(rows(rational(vectors)))[0]


@capability(
    "linalg.inertia",
    tier="certified",
    source="horn2013, def. 4.5.6",
    params={
        "matrix": P("float64[n,n]", about="symmetric matrix", structure="symmetric"),
    },
    result=R(
        fields={
            "positive": R("int", about="number of positive eigenvalues"),
            "negative": R("int", about="number of negative eigenvalues"),
            "zero": R("int", about="number of zero eigenvalues"),
        }
    ),
    limit={"n": 60},
    version=2,
    cases=[
        case(
            matrix=[[1.0, 2.0], [2.0, 1.0]],
            result={"positive": 1, "negative": 1, "zero": 0},
            origin="by hand: eigenvalues 3 and -1",
        ),
        case(
            matrix=[[1.0, 1.0], [1.0, 1.0]],
            result={"positive": 1, "negative": 0, "zero": 1},
            origin="by hand: eigenvalues 2 and 0",
        ),
        case(matrix=[[1.0, 2.0], [3.0, 1.0]], error="domain_error", origin="by hand: not symmetric"),
        case(
            matrix=[[6.4399999999999995, -1.73], [-1.73, 4.65]],
            result={"positive": 2, "negative": 0, "zero": 0},
            origin="sympy 1.14.0, sympy.Matrix.eigenvals: signs",
        ),
    ],
)
def inertia(matrix):
    """Numbers of positive, negative and zero eigenvalues of a symmetric matrix, exactly."""
    positive, negative, zero = inertia_of(matrix)
    return {"positive": positive, "negative": negative, "zero": zero}


@capability(
    "linalg.definiteness",
    tier="certified",
    source="horn2013, def. 4.1.9",
    params={
        "matrix": P("float64[n,n]", about="symmetric matrix", structure="symmetric"),
    },
    result=R(
        "string",
        about="positive_definite, positive_semidefinite, negative_definite, negative_semidefinite, indefinite or zero",
    ),
    limit={"n": 60},
    version=2,
    cases=[
        case(matrix=[[2.0, -1.0], [-1.0, 2.0]], result="positive_definite", origin="by hand"),
        case(matrix=[[1.0, 1.0], [1.0, 1.0]], result="positive_semidefinite", origin="by hand"),
        case(matrix=[[1.0, 2.0], [2.0, 1.0]], result="indefinite", origin="by hand"),
        case(
            matrix=[[0.16999999999999993, 1.02], [1.02, 2.564]],
            result="indefinite",
            origin="sympy 1.14.0, sympy.Matrix.is_positive_definite: and its likes",
        ),
    ],
)
def definiteness(matrix):
    """Definiteness of a symmetric matrix in a word, without any tolerance."""
    positive, negative, zero = inertia_of(matrix)
    if positive and negative:
        return "indefinite"
    if not positive and not negative:
        return "zero"
    return ("positive_" if positive else "negative_") + ("semidefinite" if zero else "definite")


@capability(
    "linalg.is_orthonormal",
    tier="certified",
    source="strang2016, sec. 4.4",
    params={
        "vectors": P("float64[k,n]", about="vectors, one a row"),
        "tolerance": P("float64", about="largest deviation of a product from zero or one", domain="[0, 1]"),
    },
    result=R("bool", about="whether they are orthonormal"),
    limit={"k": 100, "n": 1000},
    cases=[
        case(vectors=[[1.0, 0.0], [0.0, -1.0]], tolerance=0.0, result=True, origin="by hand"),
        case(
            vectors=[[0.6, 0.8], [-0.8, 0.6]],
            tolerance=0.0,
            result=False,
            origin="by hand: 0.6 and 0.8 are not exact in binary",
        ),
        case(vectors=[[0.6, 0.8], [-0.8, 0.6]], tolerance=1e-15, result=True, origin="by hand"),
    ],
)
def is_orthonormal(vectors, tolerance):
    """Whether vectors have unit length and right angles to each other, within a stated tolerance."""
    whole = rational(vectors)
    bound = fmpq(*tolerance.as_integer_ratio())
    table = rows(whole * whole.transpose())
    return all(abs(x - int(i == j)) <= bound for i, row in enumerate(table) for j, x in enumerate(row))


@capability(
    "linalg.projection_onto_columns",
    tier="certified",
    source="strang2016, sec. 4.2",
    params={
        "matrix": P("float64[m,n]", about="matrix with independent columns"),
        "vector": P("float64[m]", about="vector to project"),
    },
    result=R("float64[m]", about="projection"),
    limit={"m": 200, "n": 20},
    cases=[
        case(
            matrix=[[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]],
            vector=[6.0, 0.0, 0.0],
            result=[5.0, 2.0, -1.0],
            origin="strang2016, sec. 4.2, example 3",
        ),
        case(matrix=[[0.1], [0.2]], vector=[1.0, 0.5], result=[0.4, 0.8], origin="sympy 1.14.0, exact fractions"),
    ],
)
def projection_onto_columns(matrix, vector):
    """Nearest vector to a given one among the combinations of a matrix's columns."""
    left, known = rational(matrix), rational(vector)
    try:
        found = left * (left.transpose() * left).solve(left.transpose() * known)
    except ZeroDivisionError:
        raise DomainError("matrix", None, "independent columns") from None
    return [row[0] for row in rows(found)]


@capability(
    "linalg.projection_matrix",
    tier="certified",
    source="strang2016, sec. 4.2",
    params={
        "matrix": P("float64[m,n]", about="matrix with independent columns"),
    },
    result=R("float64[m,m]", about="projection matrix"),
    limit={"m": 60, "n": 20},
    cases=[
        case(
            matrix=[[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]],
            result=[
                [0.8333333333333334, 0.3333333333333333, -0.16666666666666666],
                [0.3333333333333333, 0.3333333333333333, 0.3333333333333333],
                [-0.16666666666666666, 0.3333333333333333, 0.8333333333333334],
            ],
            origin="sympy 1.14.0, exact fractions",
        ),
        case(matrix=[[0.1], [0.2]], result=[[0.2, 0.4], [0.4, 0.8]], origin="sympy 1.14.0, exact fractions"),
        case(
            matrix=[[4.9, 2.06], [-4.92, -2.24], [1.72, -4.33], [0.773, 2.78]],
            result=[
                [0.4740197803102909, -0.479080723843754, 0.07432999866993653, 0.11950623215525788],
                [-0.479080723843754, 0.48512774810107884, -0.04767632346655655, -0.13411727832576983],
                [0.07432999866993653, -0.04767632346655655, 0.8199332471976168, -0.3739582019638399],
                [0.11950623215525788, -0.13411727832576983, -0.3739582019638399, 0.2209192243910134],
            ],
            within=1e-14,
            origin="sympy 1.14.0, sympy.Matrix.pinv: A times it",
        ),
    ],
)
def projection_matrix(matrix):
    """Matrix that projects onto the columns of another: the hat matrix of a regression."""
    left = rational(matrix)
    try:
        return rows(left * (left.transpose() * left).inv() * left.transpose())
    except ZeroDivisionError:
        raise DomainError("matrix", None, "independent columns") from None


@capability(
    "linalg.householder_vector",
    tier="certified",
    source="golub2013, sec. 5.1.2",
    params={
        "vector": P("float64[n]", about="vector that is not zero"),
    },
    result=R(
        fields={
            "vector": R("float64[n]", about="reflection vector of unit length"),
            "value": R("float64", about="first component of the reflected vector"),
        }
    ),
    cases=[
        case(
            vector=[3.0, 4.0, 1.0],
            result={
                "vector": [0.8911645205613137, 0.44013452199523667, 0.11003363049880917],
                "value": -5.0990195135927845,
            },
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            vector=[-1.0, 2.0, 2.0],
            result={"vector": [-0.816496580927726, 0.408248290463863, 0.408248290463863], "value": 3.0},
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(vector=[0.0, 0.0], error="domain_error", origin="by hand"),
        case(
            vector=[0.221, 3.68, -0.353, 2.19],
            result={
                "vector": [0.7250396091036188, 0.5898342753631467, -0.05657921173999749, 0.3510155062623074],
                "value": -4.302551568546274,
            },
            within=1e-14,
            origin="scipy 1.17.1, scipy.linalg.lapack.dlarfg: to unit length, with the sign of the first component",
        ),
    ],
)
def householder_vector(vector):
    """Unit vector of the reflection that maps a vector onto the first axis, with the stable sign."""
    exact = [fmpq(*x.as_integer_ratio()) for x in vector.tolist()]
    length = root_of(dot(exact, exact))
    if dot(exact, exact) == 0:
        raise DomainError("vector", 0, "a vector that is not zero")
    sign = 1 if exact[0] >= 0 else -1
    first = exact[0] + sign * length
    scale = arb(2 * length * (length + abs(exact[0]))).sqrt()
    return {
        "vector": [arb(first) / scale, *(0 if x == 0 else arb(x) / scale for x in exact[1:])],
        "value": -sign * length,
    }


@capability(
    "linalg.givens_rotation",
    tier="certified",
    source="golub2013, sec. 5.1.8",
    params={
        "a": P("float64", about="first component"),
        "b": P("float64", about="second component, to become zero"),
    },
    result=R(
        fields={
            "cosine": R("float64", about="cosine c = a / length"),
            "sine": R("float64", about="sine s = b / length of the rotation [[c, s], [-s, c]]"),
            "length": R("float64", about="length"),
        }
    ),
    cases=[
        case(a=3.0, b=4.0, result={"cosine": 0.6, "sine": 0.8, "length": 5.0}, origin="by hand"),
        case(
            a=-1.0,
            b=2.0,
            result={"cosine": -0.4472135954999579, "sine": 0.8944271909999159, "length": 2.23606797749979},
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(a=0.0, b=0.0, error="domain_error", origin="by hand"),
        case(
            a=7.2,
            b=-4.8,
            result={"cosine": 0.8320502943378438, "sine": -0.5547001962252291, "length": 8.653323061113573},
            within=1e-14,
            origin="scipy 1.17.1, scipy.linalg.lapack.dlartg",
        ),
    ],
)
def givens_rotation(a, b):
    """Rotation of the plane that turns a vector onto the first axis: cosine, sine and length."""
    x, y = fmpq(*a.as_integer_ratio()), fmpq(*b.as_integer_ratio())
    total = x**2 + y**2
    if total == 0:
        raise DomainError("a and b", 0, "numbers that are not both zero")
    return {"cosine": divided(x, total), "sine": divided(y, total), "length": root_of(total)}
