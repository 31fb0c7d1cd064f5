"""Linear algebra for large matrices: NumPy and SciPy in the pinned runtime, for what exceeds the certified sizes."""

import warnings

import numpy as np
import scipy.linalg
from service_nb_kernels.certified.matrices import square
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError


def guarded(function, *arguments):
    """Call a library, and name a matrix that it refuses."""
    try:
        return function(*arguments)
    except np.linalg.LinAlgError as error:
        raise DomainError("matrix", None, f"another matrix: {error}") from None


def quiet(function, matrix):
    """Call a library without its warnings of lost digits; what is not finite is refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = np.real(function(matrix))
    if not np.all(np.isfinite(found)):
        raise DomainError("matrix", None, "a matrix without eigenvalues on the negative axis or at zero")
    return found


def check_condition(matrix, errors=1):
    """Refuse a matrix that is singular to within so many rounding errors, however its rows and columns are scaled."""
    with np.errstate(all="ignore"):
        scaled = matrix / np.abs(matrix).max(axis=1, keepdims=True)
        scaled = scaled / np.abs(scaled).max(axis=0, keepdims=True)
    if not (matrix.any(axis=0).all() and matrix.any(axis=1).all()):
        raise DomainError("matrix", None, "another matrix: Singular, with a row or a column of zeros")
    if not np.all(np.isfinite(scaled)):
        return  # entries too far apart for doubles to scale
    factors, _, info = scipy.linalg.lapack.dgetrf(scaled)
    reciprocal, _ = scipy.linalg.lapack.dgecon(factors, np.abs(scaled).sum(axis=0).max()) if info == 0 else (0, 0)
    if reciprocal < errors * np.finfo(np.float64).eps:
        raise DomainError("matrix", None, "another matrix: Singular to within rounding")


@capability(
    "linalg.solve_large",
    tier="pinned",
    version=3,
    source="anderson1999, sec. 2.3.1",
    params={
        "matrix": P("float64[n,n]", about="coefficients"),
        "right": P("float64[n]", about="right-hand side"),
    },
    result=R("float64[n]", about="solution"),
    limit={"n": 1000},
    cases=[
        case(matrix=[[2.0, 1.0], [1.0, 3.0]], right=[3.0, 5.0], result=[0.8, 1.4], within=1e-14, origin="by hand"),
        case(matrix=[[2.0, 0.0], [0.0, 4.0]], right=[2.0, 4.0], result=[1.0, 1.0], within=1e-14, origin="by hand"),
        case(matrix=[[1.0, 2.0], [2.0, 4.0]], right=[1.0, 2.0], error="domain_error", origin="by hand"),
        case(
            matrix=[[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]],
            right=[1.0, 2.0, 4.0],
            error="domain_error",
            origin="by hand: no digit of a solution would be right",
        ),
        case(matrix=[[1.0, 0.0], [0.0, 1e-20]], right=[1.0, 1.0], result=[1.0, 1e20], within=1e-14, origin="by hand"),
        case(
            matrix=[[0.296, -1.76], [-4.87, -2.76]],
            right=[-2.05, -4.01],
            result=[0.149081396141523, 1.1898455075328924],
            within=1e-14,
            origin="mpmath 1.3.0, mpmath.lu_solve",
        ),
    ],
)
def solve_large(matrix, right):
    """Solution of a large square system of linear equations, by pivoted elimination."""
    square("matrix", matrix)
    check_condition(matrix)
    return guarded(np.linalg.solve, matrix, right)


@capability(
    "linalg.inverse_large",
    tier="pinned",
    version=3,
    source="anderson1999, sec. 2.3.1",
    params={
        "matrix": P("float64[n,n]", about="square matrix"),
    },
    result=R("float64[n,n]", about="inverse matrix"),
    limit={"n": 1000},
    cases=[
        case(matrix=[[1.0, 2.0], [3.0, 4.0]], result=[[-2.0, 1.0], [1.5, -0.5]], within=1e-14, origin="by hand"),
        case(matrix=[[2.0, 0.0], [0.0, 4.0]], result=[[0.5, 0.0], [0.0, 0.25]], within=1e-14, origin="by hand"),
        case(matrix=[[0.0, 0.0], [0.0, 1.0]], error="domain_error", origin="by hand"),
        case(
            matrix=[[0.731, -4.88], [0.0648, -2.48]],
            result=[[1.6570273997498424, -3.260602302733561], [0.04329652238056039, -0.48842218920045755]],
            within=1e-14,
            origin="mpmath 1.3.0, mpmath.inverse",
        ),
    ],
)
def inverse_large(matrix):
    """Inverse of a large square matrix, by pivoted elimination in doubles."""
    square("matrix", matrix)
    check_condition(matrix)
    return guarded(np.linalg.inv, matrix)


@capability(
    "linalg.log_determinant_large",
    tier="pinned",
    version=2,
    source="anderson1999, sec. 2.3.1",
    params={
        "matrix": P("float64[n,n]", about="square matrix"),
    },
    result=R(
        fields={
            "sign": R("float64", about="sign of the determinant"),
            "logarithm": R("float64", about="natural logarithm of its absolute value"),
        }
    ),
    limit={"n": 1000},
    cases=[
        case(
            matrix=[[2.0, 0.0], [0.0, -3.0]],
            result={"sign": -1.0, "logarithm": 1.791759469228055},
            within=1e-14,
            origin="by hand",
        ),
        case(
            matrix=[[1.0, 2.0], [3.0, 4.0]],
            result={"sign": -1.0, "logarithm": 0.6931471805599453},
            within=1e-14,
            origin="by hand",
        ),
        case(
            matrix=[[0.904, 1.58], [0.281, 1.69]],
            result={"sign": 1.0, "logarithm": 0.08045493039038404},
            within=1e-14,
            origin="mpmath 1.3.0, mpmath.det",
        ),
        case(matrix=[[0.1, 0.3], [0.2, 0.6]], error="domain_error", origin="by hand: singular to within rounding"),
    ],
)
def log_determinant_large(matrix):
    """Sign and logarithm of the determinant of a large matrix, in doubles."""
    square("matrix", matrix)
    check_condition(matrix)
    sign, logarithm = np.linalg.slogdet(matrix)
    if sign == 0:
        raise DomainError("matrix", None, "a matrix with a determinant that is not zero")
    return {"sign": float(sign), "logarithm": float(logarithm)}


@capability(
    "linalg.least_squares_large",
    tier="pinned",
    version=2,
    source="anderson1999, sec. 2.3.2",
    params={
        "matrix": P("float64[m,n]", about="design matrix"),
        "right": P("float64[m]", about="observations"),
    },
    result=R("float64[n]", about="coefficients"),
    limit={"m": 100000, "n": 300},
    cases=[
        case(
            matrix=[[1.0, 1.0], [1.0, 2.0], [1.0, 3.0]],
            right=[1.0, 2.0, 2.0],
            result=[0.6666666666666666, 0.5],
            within=1e-13,
            origin="by hand",
        ),
        case(matrix=[[1.0], [1.0]], right=[1.0, 2.0], result=[1.5], within=1e-14, origin="by hand"),
        case(
            matrix=[[-1.14, -1.8], [-2.81, 2.8], [2.85, 3.57], [-3.12, -3.34]],
            right=[2.92, -4.31, -3.1, -3.05],
            result=[0.8244059315849255, -0.868716644549766],
            within=1e-14,
            origin="mpmath 1.3.0, mpmath.qr_solve",
        ),
    ],
)
def least_squares_large(matrix, right):
    """Coefficients of a large least-squares problem, of least length if columns depend."""
    smallest = np.finfo(np.float64).eps * max(np.shape(matrix))  # of a singular value that counts, beside the largest
    return guarded(lambda a, b: scipy.linalg.lstsq(a, b, cond=smallest, lapack_driver="gelsd")[0], matrix, right)


@capability(
    "linalg.eigenvalues_symmetric_large",
    tier="pinned",
    source="anderson1999, sec. 2.3.4",
    params={
        "matrix": P("float64[n,n]", about="symmetric matrix", structure="symmetric"),
    },
    result=R("float64[n]", about="eigenvalues in ascending order"),
    limit={"n": 600},
    version=2,
    cases=[
        case(matrix=[[2.0, 1.0], [1.0, 2.0]], result=[1.0, 3.0], within=1e-14, origin="by hand"),
        case(matrix=[[4.0, 0.0], [0.0, -1.0]], result=[-1.0, 4.0], within=1e-14, origin="by hand"),
        case(
            matrix=[[1.65, -2.71], [-2.71, 3.82]],
            result=[-0.18413086380175844, 5.6541308638017584],
            within=1e-14,
            origin="mpmath 1.3.0, mpmath.eigsy",
        ),
    ],
)
def eigenvalues_symmetric_large(matrix):
    """Eigenvalues of a large symmetric matrix in ascending order, in doubles."""
    return guarded(np.linalg.eigvalsh, matrix)


@capability(
    "linalg.eigen_symmetric_large",
    tier="pinned",
    source="anderson1999, sec. 2.3.4",
    params={
        "matrix": P("float64[n,n]", about="symmetric matrix", structure="symmetric"),
    },
    result=R(
        fields={
            "values": R("float64[n]", about="eigenvalues in ascending order"),
            "vectors": R("float64[n,n]", about="unit eigenvectors, one a row, the largest component positive"),
        }
    ),
    limit={"n": 400},
    version=2,
    cases=[
        case(
            matrix=[[2.0, 1.0], [1.0, 2.0]],
            result={
                "values": [1.0, 3.0],
                "vectors": [[0.7071067811865476, -0.7071067811865476], [0.7071067811865476, 0.7071067811865476]],
            },
            within=1e-14,
            origin="by hand",
        ),
        case(
            matrix=[[4.0, 0.0], [0.0, -1.0]],
            result={"values": [-1.0, 4.0], "vectors": [[0.0, 1.0], [1.0, 0.0]]},
            within=1e-14,
            origin="by hand",
        ),
        case(
            matrix=[[9.2, 4.999, -4.292], [4.999, -3.44, -10.24], [-4.292, -10.24, -14.42]],
            result={
                "values": [-20.593317225521005, -1.301800152569374, 13.235117378090381],
                "vectors": [
                    [0.03982927499058039, 0.5035909541665575, 0.8630236264062192],
                    [-0.5233408425906754, 0.7462797637536052, -0.41131603018645585],
                    [0.8511921001338103, 0.43527309254476065, -0.29327349620501597],
                ],
            },
            within=1e-14,
            origin="numpy 2.4.6, numpy.linalg.eigh",
        ),
    ],
)
def eigen_symmetric_large(matrix):
    """Eigenvalues and unit eigenvectors of a large symmetric matrix, in doubles."""
    values, vectors = guarded(np.linalg.eigh, matrix)
    lines = vectors.T
    largest = lines[
        np.arange(len(lines)), np.argmax(np.abs(lines) > np.abs(lines).max(axis=1)[:, None] * (1 - 1e-9), axis=1)
    ]
    return {"values": values, "vectors": lines * np.sign(largest)[:, None]}


@capability(
    "linalg.eigenvalues_large",
    tier="pinned",
    source="anderson1999, sec. 2.3.4",
    params={
        "matrix": P("float64[n,n]", about="square matrix"),
    },
    result=R("float64[n,k]", about="real and imaginary part of each, by ascending real part"),
    limit={"n": 400},
    cases=[
        case(matrix=[[0.0, -2.0], [2.0, 0.0]], result=[[0.0, -2.0], [0.0, 2.0]], within=1e-14, origin="by hand"),
        case(matrix=[[3.0, 0.0], [0.0, 1.0]], result=[[1.0, 0.0], [3.0, 0.0]], within=1e-14, origin="by hand"),
        case(
            matrix=[[2.0, -3.5], [1.25, 0.5]],
            result=[[1.25, -1.9525624189766635], [1.25, 1.9525624189766635]],
            within=1e-14,
            origin="mpmath 1.3.0, mpmath.eig",
        ),
    ],
)
def eigenvalues_large(matrix):
    """Eigenvalues of a large square matrix as real and imaginary parts, in doubles."""
    square("matrix", matrix)
    found = np.sort_complex(guarded(np.linalg.eigvals, matrix).astype(complex))
    return np.column_stack([found.real, found.imag])


@capability(
    "linalg.singular_values_large",
    tier="pinned",
    source="anderson1999, sec. 2.3.5",
    params={
        "matrix": P("float64[m,n]", about="any matrix"),
    },
    result=R("float64[k]", about="singular values in descending order"),
    limit={"m": 2000, "n": 600},
    cases=[
        case(
            matrix=[[3.0, 0.0], [4.0, 5.0]],
            result=[6.708203932499369, 2.23606797749979],
            within=1e-14,
            origin="by hand",
        ),
        case(matrix=[[0.0, 2.0], [1.0, 0.0]], result=[2.0, 1.0], within=1e-14, origin="by hand"),
        case(
            matrix=[[-4.23, -1.4], [1.11, -1.31]],
            result=[4.508222792497195, 1.5738574437377733],
            within=1e-14,
            origin="mpmath 1.3.0, mpmath.svd_r",
        ),
    ],
)
def singular_values_large(matrix):
    """Singular values of a large matrix in descending order, in doubles."""
    return guarded(np.linalg.svdvals, matrix)


@capability(
    "linalg.svd_large",
    tier="pinned",
    source="anderson1999, sec. 2.3.5",
    params={
        "matrix": P("float64[m,n]", about="any matrix"),
    },
    result=R(
        fields={
            "u": R("float64[m,k]", about="left vectors, one a column"),
            "values": R("float64[k]", about="singular values in descending order"),
            "v": R("float64[k,n]", about="right vectors, one a row, the largest component positive"),
        }
    ),
    limit={"m": 1000, "n": 400},
    cases=[
        case(
            matrix=[[0.0, 2.0], [1.0, 0.0]],
            result={"u": [[1.0, 0.0], [0.0, 1.0]], "values": [2.0, 1.0], "v": [[0.0, 1.0], [1.0, 0.0]]},
            within=1e-14,
            origin="by hand",
        ),
        case(
            matrix=[[3.0, 4.0]],
            result={"u": [[1.0]], "values": [5.0], "v": [[0.6, 0.8]]},
            within=1e-14,
            origin="by hand",
        ),
    ],
)
def svd_large(matrix):
    """Singular value decomposition of a large matrix, signs fixed by the right vectors."""
    u, values, v = guarded(lambda a: np.linalg.svd(a, full_matrices=False), matrix)
    signs = np.sign(v[np.arange(len(v)), np.argmax(np.abs(v), axis=1)])
    return {"u": u * signs, "values": values, "v": v * signs[:, None]}


@capability(
    "linalg.cholesky_large",
    tier="pinned",
    source="anderson1999, sec. 2.3.1",
    params={
        "matrix": P("float64[n,n]", about="positive definite matrix", structure="symmetric"),
    },
    result=R("float64[n,n]", about="lower factor"),
    limit={"n": 1000},
    version=2,
    cases=[
        case(matrix=[[4.0, 2.0], [2.0, 5.0]], result=[[2.0, 0.0], [1.0, 2.0]], within=1e-14, origin="by hand"),
        case(matrix=[[9.0, 0.0], [0.0, 16.0]], result=[[3.0, 0.0], [0.0, 4.0]], within=1e-14, origin="by hand"),
        case(matrix=[[1.0, 2.0], [2.0, 1.0]], error="domain_error", origin="by hand"),
        case(
            matrix=[[32.54, -1.15], [-1.15, 34.95]],
            result=[[5.7043842787806645, 0.0], [-0.20159932146889256, 5.908414145401733]],
            within=1e-14,
            origin="mpmath 1.3.0, mpmath.cholesky",
        ),
    ],
)
def cholesky_large(matrix):
    """Lower triangular factor of a large positive definite matrix, in doubles."""
    return guarded(np.linalg.cholesky, matrix)


@capability(
    "linalg.qr_large",
    tier="pinned",
    source="anderson1999, sec. 2.3.2",
    params={
        "matrix": P("float64[m,n]", about="any matrix"),
    },
    result=R(
        fields={
            "q": R("float64[m,k]", about="orthonormal columns"),
            "r": R("float64[k,n]", about="upper triangle, without a negative number on its diagonal"),
        }
    ),
    limit={"m": 2000, "n": 400},
    cases=[
        case(
            matrix=[[3.0, 1.0], [4.0, 2.0]],
            result={"q": [[0.6, -0.8], [0.8, 0.6]], "r": [[5.0, 2.2], [0.0, 0.4]]},
            within=1e-13,
            origin="by hand",
        ),
        case(matrix=[[2.0], [0.0]], result={"q": [[1.0], [0.0]], "r": [[2.0]]}, within=1e-14, origin="by hand"),
        case(
            matrix=[[2.26, 0.678], [-0.472, -3.56], [-3.23, -0.131]],
            result={
                "q": [
                    [0.5692264723271684, 0.04467052920370435],
                    [-0.11888269687540863, -0.9835575979808852],
                    [-0.8135404892109532, 0.17498284280103704],
                ],
                "r": [[3.9703002405359724, 0.9157317532009098], [0.0, 3.508828915205127]],
            },
            within=1e-14,
            origin="mpmath 1.3.0, mpmath.qr: skinny, diagonal positive",
        ),
    ],
)
def qr_large(matrix):
    """Orthonormal columns and upper triangle of a large matrix, in doubles."""
    q, r = guarded(np.linalg.qr, matrix)
    signs = np.where(np.diagonal(r) < 0, -1.0, 1.0)
    return {"q": q * signs, "r": r * signs[:, None]}


@capability(
    "linalg.matrix_product_large",
    tier="pinned",
    source="golub2013, sec. 1.1.10",
    params={
        "a": P("float64[m,k]", about="left matrix"),
        "b": P("float64[k,n]", about="right matrix"),
    },
    result=R("float64[m,n]", about="product"),
    limit={"m": 1000, "k": 1000, "n": 1000},
    cases=[
        case(a=[[1.0, 2.0], [3.0, 4.0]], b=[[0.5], [0.25]], result=[[1.0], [2.5]], origin="by hand"),
        case(a=[[2.0]], b=[[3.0, 4.0]], result=[[6.0, 8.0]], origin="by hand"),
        case(
            a=[[2.93, -0.801], [1.82, -0.361]],
            b=[[3.64, 1.91], [4.69, -2.48]],
            result=[[6.908510000000001, 7.5827800000000005], [4.931710000000001, 4.37148]],
            within=1e-14,
            origin="mpmath 1.3.0, mpmath.matrix: product",
        ),
    ],
)
def matrix_product_large(a, b):
    """Product of two large matrices, in doubles."""
    return np.matmul(a, b)


@capability(
    "linalg.matrix_exponential_large",
    tier="pinned",
    source="higham2008, ch. 10",
    params={
        "matrix": P("float64[n,n]", about="square matrix"),
    },
    result=R("float64[n,n]", about="exponential"),
    limit={"n": 400},
    cases=[
        case(
            matrix=[[0.0, 1.0], [0.0, 0.0]], result=[[1.0, 1.0], [0.0, 1.0]], within=1e-14, origin="by hand: nilpotent"
        ),
        case(
            matrix=[[1.0, 0.0], [0.0, 2.0]],
            result=[[2.718281828459045, 0.0], [0.0, 7.38905609893065]],
            within=1e-14,
            origin="by hand",
        ),
        case(
            matrix=[[-1.5, -0.553], [0.012, 0.768]],
            result=[[0.22129128056575026, -0.4706711975289787], [0.010213479874046553, 2.1516389767605486]],
            within=1e-14,
            origin="mpmath 1.3.0, mpmath.expm",
        ),
    ],
)
def matrix_exponential_large(matrix):
    """Exponential of a large square matrix, by scaling and squaring in doubles."""
    square("matrix", matrix)
    with np.errstate(all="ignore"):  # what overflows is refused below
        found = scipy.linalg.expm(matrix)
    if not np.all(np.isfinite(found)):
        raise DomainError("matrix", None, "a matrix whose exponential stays below the largest double")
    return found


@capability(
    "linalg.matrix_logarithm",
    tier="pinned",
    version=2,
    source="higham2008, ch. 11",
    params={
        "matrix": P("float64[n,n]", about="square matrix without eigenvalues on the negative axis or at zero"),
    },
    result=R("float64[n,n]", about="principal logarithm"),
    limit={"n": 200},
    cases=[
        case(
            matrix=[[1.0, 1.0], [0.0, 1.0]], result=[[0.0, 1.0], [0.0, 0.0]], within=1e-14, origin="by hand: unipotent"
        ),
        case(
            matrix=[[2.0, 0.0], [0.0, 3.0]],
            result=[[0.6931471805599453, 0.0], [0.0, 1.0986122886681098]],
            within=1e-14,
            origin="by hand",
        ),
        case(matrix=[[-1.0, 0.0], [0.0, -2.0]], error="domain_error", origin="by hand"),
        case(matrix=[[0.01, 0.01], [0.01, 0.01]], error="domain_error", origin="by hand: singular"),
        case(
            matrix=[[11.449549, 0.995856], [0.995856, 2.932564]],
            result=[[2.4293875484731804, 0.16076478752180234], [0.1607647875218023, 1.0544585588889661]],
            within=1e-14,
            origin="scipy 1.17.1, scipy.linalg.logm",
        ),
    ],
)
def matrix_logarithm(matrix):
    """Principal logarithm of a square matrix, in doubles."""
    square("matrix", matrix)
    check_condition(matrix, errors=8 * len(matrix))
    values = np.linalg.eigvals(matrix)
    if np.any((values.real <= 0) & (np.abs(values.imag) <= 1e-14 * np.abs(values))):
        raise DomainError("matrix", None, "a matrix without eigenvalues on the negative axis or at zero")
    return quiet(scipy.linalg.logm, matrix)


@capability(
    "linalg.matrix_square_root",
    tier="pinned",
    version=2,
    source="higham2008, ch. 6",
    params={
        "matrix": P(
            "float64[n,n]",
            about="square matrix without eigenvalues on the negative axis; with one at 0 it has to equal its transpose",
        ),
    },
    result=R("float64[n,n]", about="principal square root"),
    limit={"n": 200},
    cases=[
        case(matrix=[[4.0, 0.0], [0.0, 9.0]], result=[[2.0, 0.0], [0.0, 3.0]], within=1e-14, origin="by hand"),
        case(matrix=[[1.0, 2.0], [0.0, 1.0]], result=[[1.0, 1.0], [0.0, 1.0]], within=1e-14, origin="by hand"),
        case(matrix=[[-1.0, 0.0], [0.0, 1.0]], error="domain_error", origin="by hand"),
        case(matrix=[[0.0, 0.0], [0.0, 4.0]], result=[[0.0, 0.0], [0.0, 2.0]], within=1e-14, origin="by hand"),
        case(matrix=[[0.0, 1.0], [0.0, 0.0]], error="domain_error", origin="by hand: it has no square root"),
        case(
            matrix=[[29.562129, -17.2348, -31.334278], [-17.2348, 39.413, 20.3618], [-31.334278, 20.3618, 40.662196]],
            result=[
                [4.345264228791537, -1.2429978773412578, -3.0225426479885855],
                [-1.2429978773412587, 5.97887678074179, 1.4563614653072363],
                [-3.0225426479885873, 1.4563614653072368, 5.422678602264598],
            ],
            within=1e-14,
            origin="scipy 1.17.1, scipy.linalg.sqrtm",
        ),
    ],
)
def matrix_square_root(matrix):
    """Principal square root of a square matrix, in doubles."""
    square("matrix", matrix)
    values = np.linalg.eigvals(matrix)
    if np.any((values.real <= 0) & (np.abs(values.imag) <= 1e-14 * np.abs(values))):
        if np.array_equal(matrix, matrix.T):
            return semidefinite_root(matrix)
        raise DomainError("matrix", None, "a matrix without eigenvalues on the negative axis or at zero")
    return quiet(scipy.linalg.sqrtm, matrix)


def semidefinite_root(matrix):
    """Return the root of a symmetric matrix whose eigenvalues are zero or more, to within rounding."""
    values, vectors = guarded(np.linalg.eigh, matrix)
    if values[0] < -1e-14 * len(matrix) * np.abs(values).max():
        raise DomainError("matrix", None, "a matrix without eigenvalues on the negative axis")
    return (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
