"""Integer matrices in their normal forms, and matrices of a known pattern, all exact."""

from flint import fmpq_mat, fmpz_mat
from service_nb_kernels.certified.linalg import solve
from service_nb_kernels.certified.matrices import column, rational, rows
from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError, LimitError
from service_nb_kernels.numeric import np
from service_nb_kernels.packs.signal_processing.cosines import spectrum

MOST_BITS = 20_000  # of an entry, times the smaller side: elimination beyond takes minutes


def exactly(table):
    """Return a matrix of integers, if its entries are short enough for elimination."""
    longest = max(abs(entry).bit_length() for row in table for entry in row)
    if longest * min(len(table), len(table[0])) > MOST_BITS:
        raise LimitError(f"An entry has {longest:,} bits; expected at most {MOST_BITS:,} over the smaller side.")
    return fmpz_mat(table)


@capability(
    "linalg.determinant_integer",
    tier="certified",
    source="cohen1993, alg. 2.2.6",
    params={
        "matrix": P("int[n,n]", about="square matrix of integers"),
    },
    result=R("int", about="determinant"),
    limit={"n": 150},
    cases=[
        case(matrix=[[1, 2], [3, 4]], result=-2, origin="sympy 1.14.0, sympy.Matrix.det"),
        case(
            matrix=[[123456789, 2, 3], [4, 987654321, 6], [7, 8, 555555555]],
            result="67740350550390323270758422",
            origin="sympy 1.14.0, sympy.Matrix.det",
        ),
    ],
)
def determinant_integer(matrix):
    """Determinant of a square matrix of integers, all of its digits."""
    if len(matrix) != len(matrix[0]):
        raise DomainError("matrix", None, "a square matrix")
    return exactly(matrix).det()


@capability(
    "linalg.hermite_normal_form",
    tier="certified",
    source="cohen1993, def. 2.4.2",
    params={
        "matrix": P("int[m,n]", about="matrix of integers"),
    },
    result=R("int[m,n]", about="row-style Hermite normal form"),
    limit={"m": 60, "n": 60},
    cases=[
        case(
            matrix=[[2, 4], [3, 5]],
            result=[[1, 1], [0, 2]],
            origin="by hand: rows (1, 1) and (0, 2) span the same lattice",
        ),
        case(matrix=[[4, 0], [0, 6], [2, 3]], result=[[2, 3], [0, 6], [0, 0]], origin="by hand"),
    ],
)
def hermite_normal_form(matrix):
    """Hermite normal form of a matrix of integers by row operations: a lattice's echelon basis."""
    return rows(exactly(matrix).hnf())


@capability(
    "linalg.smith_normal_form",
    tier="certified",
    source="cohen1993, def. 2.4.11",
    params={
        "matrix": P("int[m,n]", about="matrix of integers"),
    },
    result=R("int[m,n]", about="Smith normal form"),
    limit={"m": 40, "n": 40},
    cases=[
        case(
            matrix=[[2, 4, 4], [-6, 6, 12], [10, -4, -16]],
            result=[[2, 0, 0], [0, 6, 0], [0, 0, 12]],
            origin="by hand: determinantal divisors 2, 12 and 144",
        ),
        case(matrix=[[2, 0], [0, 3]], result=[[1, 0], [0, 6]], origin="by hand"),
        case(
            matrix=[[4, 8, -8], [8, 2, 8], [6, 1, -6]],
            result=[[1, 0, 0], [0, 4, 0], [0, 0, 180]],
            origin="sympy 1.14.0, sympy.matrices.normalforms.smith_normal_form: without signs",
        ),
    ],
)
def smith_normal_form(matrix):
    """Smith normal form of a matrix of integers: each diagonal entry divides the next."""
    return rows(exactly(matrix).snf())


@capability(
    "linalg.lattice_reduction",
    tier="certified",
    version=2,
    source="lll1982, sec. 1",
    params={
        "basis": P("int[m,n]", about="independent vectors of integers, one a row"),
    },
    result=R("int[m,n]", about="reduced basis, one vector a row, with the factor 0.99 of Lovasz"),
    limit={"m": 30, "n": 40},
    cases=[
        case(
            basis=[[1, 1, 1], [-1, 0, 2], [3, 5, 6]],
            result=[[0, 1, 0], [1, 0, 1], [-1, 0, 2]],
            origin="by hand: worked example of the Wikipedia page",
        ),
        case(basis=[[1, 0], [4, 1]], result=[[1, 0], [0, 1]], origin="by hand"),
        case(basis=[[1, 2], [2, 4]], error="domain_error", origin="by hand: one is twice the other"),
    ],
)
def lattice_reduction(basis):
    """Short and nearly orthogonal basis of an integer lattice, by the method of Lenstra, Lenstra and Lovasz."""
    table = exactly(basis)
    if table.rank() < table.nrows():
        raise DomainError("basis", None, "linearly independent vectors")
    return size_reduced(table.lll())


def size_reduced(basis):
    """Return a basis with coefficients on the orthogonal vectors before of one half at most; these stay as they are.

    The coefficient of i on j is shares[i][j] / minors[j], with the leading minors of the Gram matrix: all integers.
    What is given belongs to the basis as it comes, shares to the one that is found.
    """
    products, found = rows(basis * basis.transpose()), rows(basis)
    given, shares, minors = [], [], []
    for i, line in enumerate(products):
        check_deadline()
        own = []
        for j in range(i + 1):
            value = line[j]
            for k in range(j):
                other = own[k] if j == i else given[j][k]
                value = (minors[k] * value - own[k] * other) // (minors[k - 1] if k else 1)
            own.append(value)
        minors.append(own.pop())
        given.append(list(own))
        for j in reversed(range(i)):
            if 2 * abs(own[j]) > minors[j]:
                many = (2 * own[j] + minors[j]) // (2 * minors[j])
                found[i] = [x - many * y for x, y in zip(found[i], found[j], strict=True)]
                own[:j] = [x - many * y for x, y in zip(own[:j], shares[j], strict=True)]
                own[j] -= many * minors[j]
        shares.append(own)
    return found


@capability(
    "linalg.hilbert_inverse",
    tier="certified",
    source="golub2013, sec. 2.8",
    params={
        "n": P("int", about="number of rows", domain="[1, 60]"),
    },
    result=R("int[n,n]", about="inverse of the Hilbert matrix"),
    cases=[
        case(n=2, result=[[4, -6], [-6, 12]], origin="by hand"),
        case(n=3, result=[[9, -36, 30], [-36, 192, -180], [30, -180, 180]], origin="by hand"),
        case(
            n=7,
            result=[
                [49.0, -1176.0, 8820.0, -29400.0, 48510.0, -38808.0, 12012.0],
                [-1176.0, 37632.0, -317520.0, 1128960.0, -1940400.0, 1596672.0, -504504.0],
                [8820.0, -317520.0, 2857680.0, -10584000.0, 18711000.0, -15717240.0, 5045040.0],
                [-29400.0, 1128960.0, -10584000.0, 40320000.0, -72765000.0, 62092800.0, -20180160.0],
                [48510.0, -1940400.0, 18711000.0, -72765000.0, 133402500.0, -115259760.0, 37837800.0],
                [-38808.0, 1596672.0, -15717240.0, 62092800.0, -115259760.0, 100590336.0, -33297264.0],
                [12012.0, -504504.0, 5045040.0, -20180160.0, 37837800.0, -33297264.0, 11099088.0],
            ],
            within=1e-14,
            origin="scipy 1.17.1, scipy.linalg.invhilbert",
        ),
    ],
)
def hilbert_inverse(n):
    """Inverse of the Hilbert matrix, whose entries are integers: the classic of ill condition."""
    return [[int(x.p) for x in row] for row in rows(fmpq_mat.hilbert(n, n).inv())]


@capability(
    "linalg.vandermonde",
    tier="certified",
    source="golub2013, sec. 4.6",
    params={
        "nodes": P("float64[n]", about="nodes"),
    },
    result=R("float64[n,n]", about="powers of each node, from 0 up, in a row"),
    limit={"n": 100},
    cases=[
        case(
            nodes=[1.0, 2.0, 3.0],
            result=[[1.0, 1.0, 1.0], [1.0, 2.0, 4.0], [1.0, 3.0, 9.0]],
            origin="exact fractions, Python 3.11 fractions",
        ),
        case(nodes=[0.1, -0.3], result=[[1.0, 0.1], [1.0, -0.3]], origin="exact fractions, Python 3.11 fractions"),
        case(
            nodes=[4.26, 3.42, 4.55],
            result=[[1.0, 4.26, 18.147599999999997], [1.0, 3.42, 11.696399999999999], [1.0, 4.55, 20.702499999999997]],
            within=1e-14,
            origin="numpy 2.4.6, numpy.vander: increasing",
        ),
    ],
)
def vandermonde(nodes):
    """Matrix of the powers of nodes, each rounded once."""
    return [[x**k for k in range(len(nodes))] for x in column(rational(nodes))]


@capability(
    "linalg.toeplitz_solve",
    tier="certified",
    source="golub2013, sec. 4.7",
    params={
        "first_column": P("float64[n]", about="first column"),
        "first_row": P("float64[n]", about="first row, with the same corner"),
        "right": P("float64[n]", about="right-hand side"),
    },
    result=R("float64[n]", about="solution"),
    limit={"n": 150},
    requires=["first_column[0] == first_row[0]"],
    cases=[
        case(
            first_column=[4.0, 1.0, 0.5],
            first_row=[4.0, 2.0, 1.0],
            right=[1.0, 2.0, 3.0],
            result=[0.0, 0.14285714285714285, 0.7142857142857143],
            origin="sympy 1.14.0, sympy.Matrix.LUsolve",
        ),
        case(
            first_column=[1.0, 0.3],
            first_row=[1.0, 0.3],
            right=[0.3, 0.1],
            result=[0.2967032967032967, 0.010989010989011002],
            origin="sympy 1.14.0, sympy.Matrix.LUsolve",
        ),
    ],
)
def toeplitz_solve(first_column, first_row, right):
    """Solution of a system of linear equations that is constant along its diagonals."""
    size = len(right)
    matrix = np.array([[first_column[i - j] if i >= j else first_row[j - i] for j in range(size)] for i in range(size)])
    return column(solve(matrix, right, "the Toeplitz matrix"))


@capability(
    "linalg.circulant_eigenvalues",
    tier="certified",
    source="golub2013, sec. 4.8",
    params={
        "first_column": P("float64[n]", about="first column of the circulant matrix"),
    },
    result=R("float64[n,k]", about="real and imaginary part of each, in the order of the frequencies"),
    limit={"n": 500},
    cases=[
        case(
            first_column=[1.0, 2.0, 3.5],
            result=[[6.5, 0.0], [-1.75, 1.299038105676658], [-1.75, -1.299038105676658]],
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            first_column=[-0.4, -1.6, -1.6, -1.6, -1.6],
            result=[[-6.800000000000001, 0.0], *[[1.2000000000000002, 0.0]] * 4],
            origin="exact fractions: -0.4 + 1.6, four times",
        ),
        case(
            first_column=[0.1, 0.7, 0.2, 0.9, 0.4],
            result=[
                [2.3, 0.0],
                [-0.45, 0.1261327217161852],
                [-0.44999999999999996, -0.8420751370943494],
                [-0.44999999999999996, 0.8420751370943494],
                [-0.45, -0.1261327217161852],
            ],
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            first_column=[4.45, 2.24, 0.375],
            result=[[7.065, 0.0], [3.1425, -1.615137378057978], [3.1425, 1.615137378057978]],
            within=1e-14,
            origin="numpy 2.4.6, numpy.fft.fft",
        ),
    ],
)
def circulant_eigenvalues(first_column):
    """Eigenvalues of a circulant matrix: the discrete Fourier transform of its first column."""
    return spectrum(column(rational(first_column)), -1)
