"""Products, lengths, angles and distances of vectors: exact sums of exact products."""

from flint import arb, fmpq, fmpq_mat
from service_nb_kernels.certified.linalg import dot, root_of
from service_nb_kernels.certified.matrices import column, integers, rational, two_to
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError


def exact(vector):
    """Return a vector of rationals."""
    return column(rational(vector))


@capability(
    "linalg.dot",
    tier="certified",
    source="golub2013, sec. 1.1.2",
    params={
        "x": P("float64[n]", about="first vector", unit="?u"),
        "y": P("float64[n]", about="second vector", unit="?v"),
    },
    result=R("float64", about="scalar product", unit="?u*?v"),
    cases=[
        case(x=[0.1, 0.2, 0.3], y=[0.4, -0.5, 0.2], result=0.0, origin="exact fractions, Python 3.11 fractions"),
        case(x=[1e20, 1.0, -1e20], y=[1.0, 2.5, 1.0], result=2.5, origin="by hand"),
        case(x=[-1.03, -1.3], y=[3.37, 0.224], result=-3.7623, within=1e-14, origin="numpy 2.4.6, numpy.dot"),
    ],
)
def dot_product(x, y):
    """Scalar product of two vectors, exact before it is rounded once."""
    (left, p), (right, q) = integers(x), integers(y)
    return (left.transpose() * right)[0, 0] * two_to(p + q)


@capability(
    "linalg.cross",
    tier="certified",
    source="strang2016, sec. 5.3",
    params={
        "x": P("float64[n]", about="first vector, of three components", unit="?u", min_size=3),
        "y": P("float64[n]", about="second vector, of three components", unit="?v", min_size=3),
    },
    result=R("float64[n]", about="vector product", unit="?u*?v"),
    limit={"n": 3},
    cases=[
        case(x=[1.0, 0.0, 0.0], y=[0.0, 1.0, 0.0], result=[0.0, 0.0, 1.0], origin="by hand"),
        case(
            x=[0.1, 0.2, 0.3],
            y=[0.4, 0.5, 0.7],
            result=[-0.009999999999999995, 0.05, -0.030000000000000006],
            origin="exact fractions, Python 3.11 fractions",
        ),
        case(
            x=[1.45, 2.53, -0.68],
            y=[3.7, -4.66, -4.34],
            result=[-14.149, 3.776999999999999, -16.118],
            within=1e-14,
            origin="numpy 2.4.6, numpy.cross",
        ),
    ],
)
def cross(x, y):
    """Vector product of two vectors of space."""
    a, b = exact(x), exact(y)
    return [a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3] for k in range(3)]


@capability(
    "linalg.triple_product",
    tier="certified",
    source="strang2016, sec. 5.3",
    params={
        "x": P("float64[n]", about="first vector, of three components", unit="?u", min_size=3),
        "y": P("float64[n]", about="second vector, of three components", unit="?u", min_size=3),
        "z": P("float64[n]", about="third vector, of three components", unit="?u", min_size=3),
    },
    result=R("float64", about="signed volume", unit="?u^3"),
    limit={"n": 3},
    cases=[
        case(
            x=[1.0, 0.0, 0.0], y=[0.0, 2.0, 0.0], z=[0.0, 0.0, 3.0], result=6.0, origin="sympy 1.14.0, exact fractions"
        ),
        case(
            x=[0.1, 0.2, 0.3],
            y=[0.4, 0.5, 0.7],
            z=[0.9, 0.1, 0.2],
            result=-0.009999999999999997,
            origin="sympy 1.14.0, exact fractions",
        ),
        case(
            x=[3.47, -3.71, -1.02],
            y=[2.89, 2.38, -3.06],
            z=[4.09, -0.022, 2.83],
            result=109.9070842,
            within=1e-14,
            origin="sympy 1.14.0, sympy.Matrix.det: of three rows",
        ),
    ],
)
def triple_product(x, y, z):
    """Signed volume of the box that three vectors of space span."""
    return fmpq_mat([exact(x), exact(y), exact(z)]).det()


@capability(
    "linalg.outer",
    tier="certified",
    source="golub2013, sec. 1.1.9",
    params={
        "x": P("float64[m]", about="vector of the rows", unit="?u"),
        "y": P("float64[n]", about="vector of the columns", unit="?v"),
    },
    result=R("float64[m,n]", about="products", unit="?u*?v"),
    limit={"m": 500, "n": 500},
    cases=[
        case(
            x=[1.0, 2.0], y=[0.5, 3.0], result=[[0.5, 3.0], [1.0, 6.0]], origin="exact fractions, Python 3.11 fractions"
        ),
        case(
            x=[0.1, 0.7],
            y=[0.3, 0.2, 0.9],
            result=[[0.03, 0.020000000000000004, 0.09000000000000001], [0.21, 0.13999999999999999, 0.63]],
            origin="exact fractions, Python 3.11 fractions",
        ),
        case(
            x=[2.17, 1.62, -4.55, 1.83],
            y=[-4.89, -2.2, -4.34],
            result=[
                [-10.611299999999998, -4.774, -9.4178],
                [-7.9218, -3.5640000000000005, -7.0308],
                [22.249499999999998, 10.01, 19.747],
                [-8.9487, -4.026000000000001, -7.9422],
            ],
            within=1e-14,
            origin="numpy 2.4.6, numpy.outer",
        ),
    ],
)
def outer(x, y):
    """Matrix of all products of the components of two vectors."""
    left, right = exact(x), exact(y)
    return [[a * b for b in right] for a in left]


@capability(
    "linalg.quadratic_form",
    tier="certified",
    source="horn2013, sec. 4.1",
    params={
        "matrix": P("float64[n,n]", about="square matrix", unit="?u"),
        "vector": P("float64[n]", about="vector", unit="?v"),
    },
    result=R("float64", about="value of the form", unit="?u*?v^2"),
    limit={"n": 500},
    cases=[
        case(
            matrix=[[2.0, 1.0], [1.0, 3.0]],
            vector=[1.0, -1.0],
            result=3.0,
            origin="exact fractions, Python 3.11 fractions",
        ),
        case(
            matrix=[[0.04, 0.01], [0.01, 0.09]],
            vector=[0.6, 0.4],
            result=0.0336,
            origin="exact fractions, Python 3.11 fractions",
        ),
        case(
            matrix=[[2.05, 4.26], [-4.43, 3.87]],
            vector=[-3.24, 3.79],
            result=79.196679,
            within=1e-14,
            origin="sympy 1.14.0, sympy.Matrix.dot",
        ),
    ],
)
def quadratic_form(matrix, vector):
    """Quadratic form x^T A x, exact before it is rounded once: the variance of a weighted sum."""
    (whole, p), (known, q) = integers(matrix), integers(vector)
    return (known.transpose() * whole * known)[0, 0] * two_to(p + 2 * q)


@capability(
    "linalg.rayleigh_quotient",
    tier="certified",
    source="horn2013, sec. 4.2",
    params={
        "matrix": P("float64[n,n]", about="symmetric matrix", unit="?u", structure="symmetric"),
        "vector": P("float64[n]", about="vector that is not zero"),
    },
    result=R("float64", about="Rayleigh quotient", unit="?u"),
    limit={"n": 500},
    version=2,
    cases=[
        case(
            matrix=[[2.0, 1.0], [1.0, 3.0]],
            vector=[1.0, 1.0],
            result=3.5,
            origin="exact fractions, Python 3.11 fractions",
        ),
        case(
            matrix=[[0.4, 0.1], [0.1, 0.9]],
            vector=[0.6, 0.3],
            result=0.5800000000000001,
            origin="exact fractions, Python 3.11 fractions",
        ),
        case(matrix=[[1.0]], vector=[0.0], error="domain_error", origin="by hand"),
    ],
)
def rayleigh_quotient(matrix, vector):
    """Rayleigh quotient of a vector, which lies between the extreme eigenvalues."""
    (whole, p), (known, _) = integers(matrix), integers(vector)
    length = (known.transpose() * known)[0, 0]
    if length == 0:
        raise DomainError("vector", 0, "a vector that is not zero")
    return fmpq((known.transpose() * whole * known)[0, 0], length) * two_to(p)


@capability(
    "linalg.norm_p",
    tier="certified",
    source="golub2013, eq. 2.2.1",
    params={
        "vector": P("float64[n]", about="vector"),
        "order": P("float64", about="order of the norm", domain="[1, 1000]"),
    },
    result=R("float64", about="norm of that order"),
    limit={"n": 20000},
    cases=[
        case(vector=[1.0, -2.0, 3.0], order=3.0, result=3.3019272488946267, origin="mpmath 1.4.1, 50 digits"),
        case(vector=[0.1, 0.2], order=1.5, result=0.24472608147714756, origin="mpmath 1.4.1, 50 digits"),
        case(vector=[0.0, 0.0], order=2.5, result=0.0, origin="by hand"),
        case(
            vector=[0.854, 3.73, 3.55, 2.64, 0.632, 0.199],
            order=5.39,
            result=4.210537038768719,
            within=1e-14,
            origin="numpy 2.4.6, numpy.linalg.norm",
        ),
    ],
)
def norm_p(vector, order):
    """Length of a vector in the norm of a given order of one or more."""
    used = [arb(abs(x)) for x in vector.tolist() if x]
    return sum((x ** arb(order) for x in used), arb(0)) ** (1 / arb(order)) if used else 0


@capability(
    "linalg.angle_between",
    tier="certified",
    source="strang2016, sec. 1.2",
    params={
        "x": P("float64[n]", about="first vector, not zero", unit="?u"),
        "y": P("float64[n]", about="second vector, not zero", unit="?v"),
    },
    result=R("float64", about="angle between 0 and pi", unit="rad"),
    limit={"n": 20000},
    cases=[
        case(x=[1.0, 0.0], y=[1.0, 1.0], result=0.7853981633974483, origin="mpmath 1.4.1, 50 digits"),
        case(x=[0.1, 0.2, 0.3], y=[0.3, -0.4, 0.9], result=0.9629613708119811, origin="mpmath 1.4.1, 50 digits"),
        case(x=[1.0, 2.0], y=[2.0, 4.0], result=0.0, origin="by hand"),
        case(x=[0.0, 0.0], y=[2.0, 4.0], error="domain_error", origin="by hand"),
        case(
            x=[4.93, 2.36, 4.12],
            y=[4.92, 1.11, 0.888],
            result=0.5134079988637047,
            within=1e-14,
            origin="sympy 1.14.0, sympy.geometry.Line.angle_between",
        ),
    ],
)
def angle_between(x, y):
    """Angle between two vectors, accurate for nearly parallel ones too."""
    a, b = exact(x), exact(y)
    along, lengths = dot(a, b), dot(a, a) * dot(b, b)
    if lengths == 0:
        raise DomainError("x and y", 0, "vectors that are not zero")
    across = lengths - along**2  # exactly zero for parallel vectors
    return 0 if across == 0 and along > 0 else arb.atan2(arb(root_of(across)), arb(along))


@capability(
    "linalg.vector_projection",
    tier="certified",
    source="strang2016, sec. 4.2",
    params={
        "vector": P("float64[n]", about="vector to project", unit="?u"),
        "onto": P("float64[n]", about="direction, not zero"),
    },
    result=R("float64[n]", about="projection", unit="?u"),
    limit={"n": 5000},
    cases=[
        case(vector=[1.0, 1.0], onto=[2.0, 1.0], result=[1.2, 0.6], origin="exact fractions, Python 3.11 fractions"),
        case(
            vector=[0.1, 0.2, 0.3],
            onto=[1.0, 2.0, 2.0],
            result=[0.12222222222222222, 0.24444444444444444, 0.24444444444444444],
            origin="exact fractions, Python 3.11 fractions",
        ),
        case(vector=[1.0, 1.0], onto=[0.0, 0.0], error="domain_error", origin="by hand"),
        case(
            vector=[1.37, -1.48],
            onto=[-4.73, -4.53],
            result=[-0.024734087443872916, -0.02368824865132015],
            within=1e-14,
            origin="sympy 1.14.0, sympy.Matrix.project",
        ),
    ],
)
def vector_projection(vector, onto):
    """Part of a vector that lies along a direction."""
    a, b = exact(vector), exact(onto)
    if dot(b, b) == 0:
        raise DomainError("onto", 0, "a vector that is not zero")
    share = dot(a, b) / dot(b, b)
    return [share * x for x in b]


@capability(
    "linalg.mahalanobis_distance",
    tier="certified",
    source="horn2013, sec. 7.2",
    params={
        "x": P("float64[n]", about="point"),
        "center": P("float64[n]", about="center"),
        "covariance": P("float64[n,n]", about="positive definite covariance", structure="positive_definite"),
    },
    result=R("float64", about="distance, not squared"),
    limit={"n": 60},
    version=2,
    cases=[
        case(
            x=[1.0, 2.0],
            center=[0.0, 0.0],
            covariance=[[2.0, 0.5], [0.5, 1.0]],
            result=2.0,
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            x=[0.3, 0.1],
            center=[0.1, 0.4],
            covariance=[[0.04, 0.01], [0.01, 0.09]],
            result=1.5491933384829668,
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            x=[-3.34, 1.47, -1.19],
            center=[-1.27, 4.42, -1.81],
            covariance=[[16.01, 4.65, 4.89], [4.65, 17.92, 4.3], [4.89, 4.3, 18.07]],
            result=0.8786892299322323,
            within=1e-14,
            origin="scipy 1.17.1, scipy.spatial.distance.mahalanobis",
        ),
    ],
)
def mahalanobis_distance(x, center, covariance):
    """Distance of a point from a center in units of a covariance's own spread."""
    gap = rational(x) - rational(center)
    return root_of((gap.transpose() * rational(covariance).solve(gap))[0, 0])
