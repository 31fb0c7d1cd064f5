"""Eigenvalues, eigenvectors, singular values and what follows from them: isolated roots of exact polynomials."""

from fractions import Fraction

from flint import arb, fmpq, fmpq_mat, fmpq_poly, fmpz_mat
from service_nb_kernels.certified.linalg import characteristic, gram
from service_nb_kernels.certified.matrices import check_elimination, integers, rational, rows, singular, square, two_to
from service_nb_kernels.certified.polynomials import complex_roots, ordered_pairs, real_roots
from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError


def spectrum(matrix):
    """Return (real, imaginary, multiplicity) of the eigenvalues."""
    square("matrix", matrix)
    whole, exponent = integers(matrix)
    polynomial, scale = characteristic(whole, exponent)
    return [
        (settled(polynomial, real, exponent) if isinstance(imaginary, int) else real * scale, imaginary * scale, many)
        for real, imaginary, many in complex_roots(polynomial)
    ]


def settled(polynomial, root, exponent):
    """Return a real root of a monic polynomial of integers times a power of two: exactly where it is an integer."""
    near = arb(root).unique_fmpz()
    known = near is not None and polynomial(near) == 0
    return fmpq(near) * two_to(exponent) if known else root * arb(two_to(exponent))


def real_spectrum(whole, exponent):
    """Return the eigenvalues of a symmetric matrix, ascending, as often as they occur."""
    polynomial, _ = characteristic(whole, exponent)
    return [settled(polynomial, root, exponent) for root, many in real_roots(polynomial) for _ in range(many)]


def singular_values_of(matrix):
    """Return the singular values, descending."""
    squares = real_spectrum(*gram(matrix))
    return [0 if value == 0 else arb(value).sqrt() for value in reversed(squares)]


def modulus(real, imaginary):
    """Return the absolute value of an eigenvalue."""
    return arb(abs(real)) if isinstance(imaginary, int) else (arb(real) ** 2 + imaginary**2).sqrt()


def adjoint_coefficients(whole, coefficients):
    """Return B_0 ... B_(n-1) of adj(x I - A) = sum of B_k x^k, for A's characteristic coefficients from x^0 up."""
    size = whole.nrows()
    identity = fmpz_mat([[int(i == j) for j in range(size)] for i in range(size)])
    found = [identity]
    for k in range(size - 1, 0, -1):
        found.append(whole * found[-1] + identity * coefficients[k])
    return found[::-1]


def eigenvector(parts, factor, value):
    """Return a unit vector of the adjugate at a simple root of an irreducible factor; zeros are found exactly."""
    size = parts[0].nrows()
    for j in range(size):
        reduced = [fmpq_poly([part[i, j] for part in parts]) % factor for i in range(size)]
        if reduced[j] != 0:  # the diagonal entry is the square of the vector's component, to a factor
            entries = [arb(0) if p == 0 else arb_value(p, value) for p in reduced]
            length = sum((x * x for x in entries), arb(0)).sqrt()
            return [0 if p == 0 else x / length for p, x in zip(reduced, entries, strict=True)]
    raise DomainError("matrix", None, "distinct eigenvalues")


def arb_value(polynomial, at):
    """Return a rational polynomial at a ball, by Horner's rule."""
    total = arb(0)
    for coefficient in reversed(polynomial.coeffs()):
        total = total * at + arb(coefficient)
    return total


@capability(
    "linalg.eigenvalues_symmetric",
    tier="certified",
    source="golub2013, sec. 8.1",
    params={
        "matrix": P("float64[n,n]", about="symmetric matrix", structure="symmetric"),
    },
    result=R("float64[n]", about="eigenvalues in ascending order"),
    limit={"n": 64},
    version=2,
    cases=[
        case(matrix=[[1.9, 0.6], [0.6, 1.9]], result=[1.2999999999999998, 2.5], origin="exact fractions"),
        case(matrix=[[2.0, 1.0], [1.0, 2.0]], result=[1.0, 3.0], origin="by hand"),
        case(
            matrix=[[2.0, 0.5, 0.1], [0.5, 3.0, 0.2], [0.1, 0.2, 1.5]],
            result=[1.4705721739886557, 1.7936572742588672, 3.235770551752477],
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(matrix=[[1.0, 1.0], [1.0, 1.0]], result=[0.0, 2.0], origin="by hand"),
        case(matrix=[[1.0, 2.0], [3.0, 4.0]], error="domain_error", origin="by hand"),
        case(
            matrix=[
                [47.325624, -24.64618, -7.9885, -4.06891, 7.27896, -7.53869],
                [-24.64618, 66.139416, -3.15056, -8.68223, 20.945704, 28.73337],
                [-7.9885, -3.15056, 93.492264, -18.96823, -17.739892, 27.007648],
                [-4.06891, -8.68223, -18.96823, 28.372055, 5.93405, -3.391441],
                [7.27896, 20.945704, -17.739892, 5.93405, 41.111237, 11.580766],
                [-7.53869, 28.73337, 27.007648, -3.391441, 11.580766, 43.579265],
            ],
            result=[
                7.1544212546119725,
                16.115866194483154,
                30.43196542284791,
                50.68698194946949,
                98.90662366734928,
                116.72400251123827,
            ],
            within=1e-14,
            origin="scipy 1.17.1, scipy.linalg.eigvalsh",
        ),
    ],
)
def eigenvalues_symmetric(matrix):
    """Eigenvalues of a symmetric matrix in ascending order, each certified."""
    return real_spectrum(*integers(matrix))


@capability(
    "linalg.eigenvalues",
    tier="certified",
    source="golub2013, sec. 7.1",
    params={
        "matrix": P("float64[n,n]", about="square matrix"),
    },
    result=R("float64[n,k]", about="real and imaginary part of each, by ascending real part"),
    limit={"n": 40},
    cases=[
        case(matrix=[[0.0, -1.0], [1.0, 0.0]], result=[[0.0, -1.0], [0.0, 1.0]], origin="by hand"),
        case(
            matrix=[[1.0, 2.0], [3.0, 4.0]],
            result=[[-0.3722813232690143, 0.0], [5.372281323269014, 0.0]],
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            matrix=[[0.5, -1.0, 0.25], [1.0, 0.5, 0.0], [0.0, 2.0, -0.75]],
            result=[[-0.5, 0.0], [0.375, -0.8569568250501305], [0.375, 0.8569568250501305]],
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(matrix=[[1.0, 1.0], [0.0, 1.0]], result=[[1.0, 0.0], [1.0, 0.0]], origin="by hand: a defective matrix"),
        case(
            matrix=[
                [-4.97, 1.33, 3.68, -1.52, 1.43],
                [-1.37, -3.94, -2.53, -0.0099, 1.54],
                [0.607, 2.49, 1.98, 0.981, 4.99],
                [-0.773, -4.65, -1.37, 0.347, -1.93],
                [1.52, 1.17, 0.137, -2.88, -4.63],
            ],
            result=[
                [-5.89579532527707, 0.0],
                [-4.599999964141814, -2.074113127010542],
                [-4.599999964141814, 2.074113127010542],
                [1.9413976267803497, -0.9745567764451166],
                [1.9413976267803497, 0.9745567764451166],
            ],
            within=1e-14,
            origin="mpmath 1.3.0, mpmath.eig",
        ),
    ],
)
def eigenvalues(matrix):
    """Eigenvalues of a square matrix as real and imaginary parts, defective matrices included."""
    return ordered_pairs(spectrum(matrix))


@capability(
    "linalg.eigenvectors_symmetric",
    tier="certified",
    source="golub2013, sec. 8.1",
    params={
        "matrix": P("float64[n,n]", about="symmetric matrix with distinct eigenvalues", structure="symmetric"),
    },
    result=R(
        fields={
            "values": R("float64[n]", about="eigenvalues in ascending order"),
            "vectors": R(
                "float64[n,n]", about="unit eigenvectors, one a row, the first component that is not zero positive"
            ),
        }
    ),
    limit={"n": 16},
    version=2,
    cases=[
        case(
            matrix=[[2.0, 1.0], [1.0, 2.0]],
            result={
                "values": [1.0, 3.0],
                "vectors": [[0.7071067811865476, -0.7071067811865476], [0.7071067811865476, 0.7071067811865476]],
            },
            origin="by hand",
        ),
        case(
            matrix=[[2.0, 0.5, 0.1], [0.5, 3.0, 0.2], [0.1, 0.2, 1.5]],
            result={
                "values": [1.4705721739886557, 1.7936572742588672, 3.235770551752477],
                "vectors": [
                    [0.09370558712943289, 0.09891413790605325, -0.9906741423207888],
                    [0.9198741686752446, -0.3892475367984086, 0.048144250958958926],
                    [0.38085532258950505, 0.9158069383984125, 0.12746322935093965],
                ],
            },
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            matrix=[[2.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.0, 1.0, 3.0]],
            result={
                "values": [0.585786437626905, 2.0, 3.414213562373095],
                "vectors": [
                    [0.0, 0.9238795325112867, -0.3826834323650898],
                    [1.0, 0.0, 0.0],
                    [0.0, 0.3826834323650898, 0.9238795325112867],
                ],
            },
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(matrix=[[1.0, 0.0], [0.0, 1.0]], error="domain_error", origin="by hand: a repeated eigenvalue"),
        case(
            matrix=[
                [-9.2, 1.77, -1.28, 14.75],
                [1.77, -9.82, -2.08, -0.54],
                [-1.28, -2.08, 12.14, -1.9],
                [14.75, -0.54, -1.9, 12.12],
            ],
            result={
                "values": [-17.191215508397626, -9.570144198550716, 11.682060987677668, 20.319298719270677],
                "vectors": [
                    [0.864662375090073, -0.24210710513314715, -0.007943336443692368, -0.4400909339599981],
                    [0.21375535204766882, 0.9656477633025708, 0.09523182684474753, -0.11297763431551759],
                    [0.11244618351228503, -0.08964560351686927, 0.95672509555547, 0.2529755188115925],
                    [0.44048096711219265, 0.029533246399356616, -0.27485431431274826, 0.8541425003315849],
                ],
            },
            within=1e-13,
            origin="numpy 2.4.6, numpy.linalg.eigh",
        ),
    ],
)
def eigenvectors_symmetric(matrix):
    """Unit eigenvectors of a symmetric matrix with distinct eigenvalues, zeros in them exact."""
    whole, exponent = integers(matrix)
    polynomial, _ = characteristic(whole, exponent)
    parts = adjoint_coefficients(whole, polynomial.coeffs())
    pairs = []
    for factor, many in polynomial.factor()[1]:
        check_deadline()
        if many > 1:
            raise DomainError("matrix", None, "distinct eigenvalues")
        pairs += [(root, eigenvector(parts, fmpq_poly(factor), root)) for root, _ in real_roots(factor)]
    pairs.sort(key=lambda pair: pair[0].mid())
    return {
        "values": [settled(polynomial, root, exponent) for root, _ in pairs],
        "vectors": [positive_first(v) for _, v in pairs],
    }


def positive_first(vector):
    """Return a vector or its negative, so that the first component that is not zero is positive."""
    first = next(x for x in vector if not isinstance(x, int))
    return vector if first > 0 else [-x for x in vector]


@capability(
    "linalg.singular_values",
    tier="certified",
    version=2,
    source="golub2013, sec. 2.4",
    params={
        "matrix": P("float64[m,n]", about="any matrix"),
    },
    result=R("float64[k]", about="singular values in descending order", range="[0, inf)"),
    limit={"m": 2000, "n": 40},
    cases=[
        case(
            matrix=[[3.0, 0.0], [4.0, 5.0]],
            result=[6.708203932499369, 2.23606797749979],
            origin="by hand: A^T A has the eigenvalues 45 and 5",
        ),
        case(
            matrix=[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]],
            result=[9.525518091565107, 0.5143005806586443],
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(matrix=[[1.0, 2.0], [2.0, 4.0]], result=[5.0, 0.0], origin="by hand"),
        case(
            matrix=[[-4.25, 4.71], [3.04, -0.114], [-0.0598, -0.696]],
            result=[6.741531435916364, 2.130948600635751],
            within=1e-14,
            origin="scipy 1.17.1, scipy.linalg.svdvals",
        ),
    ],
)
def singular_values(matrix):
    """Singular values of a matrix in descending order, the zero ones exactly zero."""
    return singular_values_of(matrix)


@capability(
    "linalg.norm_2",
    tier="certified",
    source="golub2013, eq. 2.3.8",
    keywords=["length of a vector", "magnitude"],
    params={
        "matrix": P("float64[m,n]", about="any matrix"),
    },
    result=R("float64", about="spectral norm"),
    limit={"m": 2000, "n": 40},
    cases=[
        case(matrix=[[1.0, 2.0], [3.0, 4.0]], result=5.464985704219043, origin="mpmath 1.4.1, 50 digits"),
        case(matrix=[[0.1, 0.2, 0.3]], result=0.3741657386773941, origin="mpmath 1.4.1, 50 digits"),
        case(
            matrix=[[-4.4, 2.03, 2.04], [3.34, -2.81, 3.5]],
            result=6.546604093329873,
            within=1e-14,
            origin="numpy 2.4.6, numpy.linalg.norm: order 2",
        ),
    ],
)
def norm_2(matrix):
    """Spectral norm of a matrix: its largest singular value."""
    return singular_values_of(matrix)[0]


@capability(
    "linalg.norm_nuclear",
    tier="certified",
    source="horn2013, sec. 7.4.7",
    params={
        "matrix": P("float64[m,n]", about="any matrix"),
    },
    result=R("float64", about="nuclear norm"),
    limit={"m": 500, "n": 30},
    cases=[
        case(matrix=[[1.0, 2.0], [3.0, 4.0]], result=5.830951894845301, origin="mpmath 1.4.1, 50 digits"),
        case(matrix=[[0.1, 0.2, 0.3], [0.5, 0.4, 0.9]], result=1.2521366127177438, origin="mpmath 1.4.1, 50 digits"),
        case(
            matrix=[[0.0405, -3.77, -4.96], [-0.335, -3.71, 2.89], [-1.85, 1.91, -1.86]],
            result=13.436169228039114,
            within=1e-14,
            origin="numpy 2.4.6, numpy.linalg.norm: order 'nuc'",
        ),
    ],
)
def norm_nuclear(matrix):
    """Nuclear norm of a matrix: the sum of its singular values."""
    return sum(singular_values_of(matrix), arb(0))


@capability(
    "linalg.condition_number",
    tier="certified",
    source="golub2013, eq. 2.6.4",
    params={
        "matrix": P("float64[n,n]", about="square matrix with an inverse"),
    },
    result=R("float64", about="condition number"),
    limit={"n": 40},
    cases=[
        case(matrix=[[1.0, 2.0], [3.0, 4.0]], result=14.933034373659252, origin="mpmath 1.4.1, 50 digits"),
        case(matrix=[[1.0, 0.5], [0.5, 0.3333]], result=19.28895987401626, origin="mpmath 1.4.1, 50 digits"),
        case(matrix=[[1.0, 2.0], [2.0, 4.0]], error="domain_error", origin="by hand"),
        case(
            matrix=[
                [-2.95, 1.74, 3.36, 2.18, 1.5],
                [1.23, -0.05, -1.28, -0.739, -2.79],
                [-4.33, -2.55, -3.8, -4.26, -3.13],
                [-4.71, -2.23, 4.89, -2.4, 3.23],
                [4.36, -2.42, 3.8, -0.216, -3.26],
            ],
            result=17.087853636252287,
            within=1e-14,
            origin="numpy 2.4.6, numpy.linalg.cond",
        ),
    ],
)
def condition_number(matrix):
    """Condition number of a matrix in the spectral norm: largest over smallest singular value."""
    square("matrix", matrix)
    values = singular_values_of(matrix)
    if isinstance(values[-1], int):
        raise singular("matrix")
    return values[0] / values[-1]


@capability(
    "linalg.spectral_radius",
    tier="certified",
    source="horn2013, def. 1.2.9",
    params={
        "matrix": P("float64[n,n]", about="square matrix"),
    },
    result=R("float64", about="spectral radius"),
    limit={"n": 40},
    cases=[
        case(matrix=[[1.0, 2.0], [3.0, 4.0]], result=5.372281323269014, origin="mpmath 1.4.1, 50 digits"),
        case(matrix=[[0.5, -1.0], [1.0, 0.5]], result=1.118033988749895, origin="mpmath 1.4.1, 50 digits"),
        case(matrix=[[0.0, 1.0], [0.0, 0.0]], result=0.0, origin="by hand: nilpotent"),
        case(
            matrix=[
                [-2.59, -3.29, 0.62, 4.43, 2.8],
                [-0.835, 1.76, -3.3, -4.92, 2.67],
                [0.376, -0.23, -4.12, 1.96, -1.55],
                [4.42, -4.41, -1.35, -3.62, -3.08],
                [4.35, -4.49, 1.33, -1.82, -1.95],
            ],
            result=10.082265893129133,
            within=1e-14,
            origin="mpmath 1.3.0, mpmath.eig: largest absolute value",
        ),
    ],
)
def spectral_radius(matrix):
    """Largest absolute value of an eigenvalue, which decides whether powers of a matrix decay."""
    largest = arb(0)
    for real, imaginary, _ in spectrum(matrix):
        largest = largest.max(modulus(real, imaginary))
    return largest


@capability(
    "linalg.spectral_abscissa",
    tier="certified",
    source="horn2013, sec. 5.6",
    params={
        "matrix": P("float64[n,n]", about="square matrix"),
    },
    result=R("float64", about="largest real part"),
    limit={"n": 40},
    cases=[
        case(matrix=[[-1.0, 2.0], [-3.0, -0.5]], result=-0.75, origin="mpmath 1.4.1, 50 digits"),
        case(matrix=[[0.5, 1.0], [2.0, -1.5]], result=1.2320508075688772, origin="mpmath 1.4.1, 50 digits"),
        case(matrix=[[0.0, 1.0], [-1.0, 0.0]], result=0.0, origin="by hand"),
        case(
            matrix=[
                [-1.74, -2.35, -2.33, 1.65],
                [4.71, 2.97, 2.61, -3.79],
                [-0.307, 3.81, -0.0755, -1.04],
                [3.02, 1.53, -3.76, 1.1],
            ],
            result=5.416507965245762,
            within=1e-14,
            origin="mpmath 1.3.0, mpmath.eig: largest real part",
        ),
    ],
)
def spectral_abscissa(matrix):
    """Largest real part of an eigenvalue, negative when a linear flow is stable."""
    parts = [arb(real) for real, _, _ in spectrum(matrix)]
    largest = parts[0]
    for part in parts[1:]:
        largest = largest.max(part)
    return largest


@capability(
    "linalg.characteristic_polynomial",
    tier="certified",
    source="horn2013, def. 1.2.3",
    params={
        "matrix": P("float64[n,n]", about="square matrix"),
    },
    result=R("float64[k]", about="coefficients from the constant one up, the last is 1"),
    limit={"n": 40},
    cases=[
        case(matrix=[[1.0, 2.0], [3.0, 4.0]], result=[-2.0, -5.0, 1.0], origin="sympy 1.14.0, sympy.Matrix.charpoly"),
        case(
            matrix=[[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 1.0]],
            result=[0.0029999999999999957, -0.11999999999999998, -1.6, 1.0],
            origin="sympy 1.14.0, sympy.Matrix.charpoly",
        ),
    ],
)
def characteristic_polynomial(matrix):
    """Coefficients of the characteristic polynomial of a square matrix, from the constant up."""
    square("matrix", matrix)
    return rational(matrix).charpoly().coeffs()


@capability(
    "linalg.minimal_polynomial",
    tier="certified",
    source="horn2013, def. 3.3.2",
    params={
        "matrix": P("float64[n,n]", about="square matrix"),
    },
    result=R("float64[k]", about="coefficients from the constant one up, the last is 1"),
    limit={"n": 20},
    cases=[
        case(matrix=[[2.0, 0.0], [0.0, 2.0]], result=[-2.0, 1.0], origin="by hand"),
        case(matrix=[[1.0, 1.0], [0.0, 1.0]], result=[1.0, -2.0, 1.0], origin="by hand"),
        case(
            matrix=[[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
            result=[-1.0, 0.0, 1.0],
            origin="by hand: a permutation of order two",
        ),
        case(
            matrix=[[-2.5, 0.25], [2.06, 3.11]],
            result=[-8.29, -0.6099999999999999, 1.0],
            within=1e-14,
            origin="sympy 1.14.0, sympy.Matrix.charpoly: of a matrix without repeated eigenvalues",
        ),
    ],
)
def minimal_polynomial(matrix):
    """Coefficients of the polynomial of least degree that a square matrix satisfies."""
    square("matrix", matrix)
    return rational(matrix).minpoly().coeffs()


@capability(
    "linalg.spectral_gap",
    tier="certified",
    source="horn2013, sec. 8.5",
    params={
        "transition": P("float64[n,n]", about="transition matrix", domain="[0, 1]", structure="stochastic"),
    },
    result=R("float64", about="gap"),
    limit={"n": 40},
    version=2,
    cases=[
        case(transition=[[0.5, 0.5], [0.25, 0.75]], result=0.75, origin="by hand: eigenvalues 1 and 0.25"),
        case(transition=[[0.0, 1.0], [1.0, 0.0]], result=0.0, origin="by hand: eigenvalues 1 and -1"),
        case(
            transition=[[0.75, 0.25, 0.0], [0.25, 0.5, 0.25], [0.0, 0.25, 0.75]],
            result=0.25,
            origin="by hand: eigenvalues 1, 0.75 and 0.25",
        ),
        case(
            transition=[[0.125, 0.125, 0.75], [0.0625, 0.0625, 0.875], [0.125, 0.125, 0.75]],
            result=0.9375,
            within=1e-14,
            origin="numpy 2.4.6, numpy.linalg.eigvals: second largest, from 1",
        ),
    ],
)
def spectral_gap(transition):
    """One less the second largest absolute eigenvalue of a transition matrix: how fast it mixes."""
    table = rows(rational(transition))
    whole = fmpq_mat([[x / sum(row, fmpq(0)) for x in row] for row in table])
    check_elimination(whole)
    rest = whole.charpoly() / fmpq_poly([-1, 1])
    largest = arb(0)
    for real, imaginary, _ in complex_roots(fmpq_poly(rest)):
        largest = largest.max(modulus(real, imaginary))
    exact_one = fmpq_poly(rest)(fmpq(1)) == 0 or fmpq_poly(rest)(fmpq(-1)) == 0
    return Fraction(0) if exact_one else 1 - largest


@capability(
    "linalg.adjugate",
    tier="certified",
    version=2,
    source="horn2013, sec. 0.8.2",
    params={
        "matrix": P("float64[n,n]", about="square matrix"),
    },
    result=R("float64[n,n]", about="adjugate matrix"),
    limit={"n": 20},
    cases=[
        case(matrix=[[1.0, 2.0], [3.0, 4.0]], result=[[4.0, -2.0], [-3.0, 1.0]], origin="by hand"),
        case(
            matrix=[[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 1.0]],
            result=[
                [0.01999999999999999, 0.039999999999999994, -0.029999999999999992],
                [0.019999999999999934, -0.10999999999999997, 0.06],
                [-0.029999999999999943, 0.05999999999999999, -0.030000000000000006],
            ],
            origin="sympy 1.14.0, sympy.Matrix.adjugate",
        ),
        case(
            matrix=[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]],
            result=[[-3.0, 6.0, -3.0], [6.0, -12.0, 6.0], [-3.0, 6.0, -3.0]],
            origin="sympy 1.14.0, sympy.Matrix.adjugate",
        ),
    ],
)
def adjugate(matrix):
    """Adjugate of a square matrix: the transposed cofactors, singular or not."""
    whole, exponent = integers(matrix)
    size = len(matrix)
    identity = fmpz_mat([[int(i == j) for j in range(size)] for i in range(size)])
    total = identity
    for coefficient in reversed(whole.charpoly().coeffs()[1:-1]):  # Horner, by the theorem of Cayley and Hamilton
        total = total * whole + identity * coefficient
    return rows(fmpq_mat(total) * (two_to(exponent * (size - 1)) * (-1) ** (size - 1)))
