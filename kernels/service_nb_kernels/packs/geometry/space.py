"""Rotations, simplices, planes, conics and distances, in exact rationals."""

from itertools import pairwise

from flint import arb, fmpq, fmpq_mat
from service_nb_kernels.certified.linalg import dot, root_of
from service_nb_kernels.certified.matrices import column, rational, rows
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError
from service_nb_kernels.numeric import np
from service_nb_kernels.packs.geometry.plane import corners, length_between, turn


@capability(
    "geometry.circle_through_points",
    tier="certified",
    source="coxeter1969, sec. 1.5",
    params={
        "points": P("float64[m,k]", about="three points, two coordinates a row", unit="?u", min_size=3),
    },
    result=R(
        fields={
            "x": R("float64", about="abscissa of the center", unit="?u"),
            "y": R("float64", about="ordinate of the center", unit="?u"),
            "radius": R("float64", about="radius", unit="?u"),
        }
    ),
    limit={"m": 3, "k": 2},
    cases=[
        case(points=[[0.0, 0.0], [4.0, 0.0], [0.0, 3.0]], result={"x": 2.0, "y": 1.5, "radius": 2.5}, origin="by hand"),
        case(
            points=[[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]], result={"x": 0.0, "y": 0.0, "radius": 1.0}, origin="by hand"
        ),
        case(points=[[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]], error="domain_error", origin="by hand"),
        case(
            points=[[1.26, 0.76], [-2.78, 1.3], [-3.34, -0.906]],
            result={"x": -0.9431675377442851, "y": -0.34036454164242985, "radius": 2.462671176562996},
            within=1e-14,
            origin="sympy 1.14.0, sympy.geometry.Circle",
        ),
    ],
)
def circle_through_points(points):
    """Center and radius of the circle through three points."""
    a, b, c = corners(points)
    double = 2 * turn(a, b, c)
    if double == 0:
        raise DomainError("points", None, "points that do not lie on one line")
    p, q = [(x[0] - a[0], x[1] - a[1]) for x in (b, c)]
    pp, qq = p[0] ** 2 + p[1] ** 2, q[0] ** 2 + q[1] ** 2
    u, v = (q[1] * pp - p[1] * qq) / double, (p[0] * qq - q[0] * pp) / double
    return {"x": a[0] + u, "y": a[1] + v, "radius": root_of(u * u + v * v)}


@capability(
    "geometry.point_segment_distance",
    tier="certified",
    source="orourke1998, sec. 7.2",
    params={
        "point": P("float64[k]", about="point", unit="?u"),
        "start": P("float64[k]", about="one end of the segment", unit="?u"),
        "end": P("float64[k]", about="other end of the segment", unit="?u"),
    },
    result=R("float64", about="distance", unit="?u"),
    limit={"k": 100},
    cases=[
        case(point=[0.0, 2.0], start=[-1.0, 0.0], end=[1.0, 0.0], result=2.0, origin="by hand"),
        case(point=[4.0, 4.0], start=[-1.0, 0.0], end=[1.0, 0.0], result=5.0, origin="by hand"),
        case(
            point=[0.1, 0.2],
            start=[0.3, 0.4],
            end=[0.9, 0.5],
            result=0.282842712474619,
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            point=[-4.97, 1.76],
            start=[-3.51, 4.4],
            end=[0.658, -1.96],
            result=2.6681934706067048,
            within=1e-14,
            origin="shapely 2.2.0, shapely.Point.distance",
        ),
    ],
)
def point_segment_distance(point, start, end):
    """Distance of a point from a segment, in any number of dimensions."""
    p, a, b = (column(rational(x)) for x in (point, start, end))
    along = [y - x for x, y in zip(a, b, strict=True)]
    square = dot(along, along)
    share = dot([y - x for x, y in zip(a, p, strict=True)], along) / square if square else fmpq(0)
    share = min(max(share, fmpq(0)), fmpq(1))
    return length_between(p, [x + share * y for x, y in zip(a, along, strict=True)])


@capability(
    "geometry.barycentric_coordinates",
    tier="certified",
    source="coxeter1969, sec. 13.7",
    params={
        "points": P("float64[m,k]", about="corners of a triangle, two coordinates a row", min_size=3),
        "point": P("float64[k]", about="point"),
    },
    result=R("float64[m]", about="weights of the corners, which sum to one"),
    limit={"m": 3, "k": 2},
    cases=[
        case(points=[[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]], point=[1.0, 1.0], result=[0.5, 0.25, 0.25], origin="by hand"),
        case(points=[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], point=[1.0, 1.0], result=[-1.0, 1.0, 1.0], origin="by hand"),
        case(points=[[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]], point=[1.0, 1.0], error="domain_error", origin="by hand"),
    ],
)
def barycentric_coordinates(points, point):
    """Weights with which the corners of a triangle make a point."""
    (a, b, c), p = corners(points), tuple(column(rational(point)))
    whole = turn(a, b, c)
    if whole == 0:
        raise DomainError("points", None, "a triangle with an area")
    return [turn(p, b, c) / whole, turn(a, p, c) / whole, turn(a, b, p) / whole]


@capability(
    "geometry.simplex_volume",
    tier="certified",
    source="coxeter1969, sec. 13.8",
    params={
        "points": P("float64[m,k]", about="corners, one more than dimensions", min_size=2),
    },
    result=R("float64", about="volume, never negative"),
    limit={"m": 13, "k": 12},
    requires=["len(points) == len(points[0]) + 1"],
    cases=[
        case(
            points=[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            result=0.16666666666666666,
            origin="by hand",
        ),
        case(points=[[0.0, 0.0], [4.0, 0.0], [4.0, 3.0]], result=6.0, origin="by hand"),
        case(
            points=[[-2.21, 1.6, -3.04], [1.23, -1.83, 0.799], [-1.37, 3.77, 4.76], [-2.51, 3.86, 2.83]],
            result=2.9840077666666662,
            within=1e-14,
            origin="sympy 1.14.0, sympy.Matrix.det: over factorial",
        ),
    ],
)
def simplex_volume(points):
    """Volume of a simplex: of a triangle, a tetrahedron or a higher one."""
    first, *others = rows(rational(points))
    volume = abs(fmpq_mat([[x - y for x, y in zip(row, first, strict=True)] for row in others]).det())
    for k in range(1, len(others) + 1):
        volume /= k
    return volume


@capability(
    "geometry.simplex_volume_from_distances",
    tier="certified",
    version=2,
    source="coxeter1969, sec. 13.8",
    params={
        "distances": P("float64[n,n]", about="distances of all pairs of corners", domain="[0, inf)", min_size=2),
    },
    result=R("float64", about="volume"),
    limit={"n": 10},
    cases=[
        case(distances=[[0.0, 3.0, 4.0], [3.0, 0.0, 5.0], [4.0, 5.0, 0.0]], result=6.0, origin="by hand"),
        case(
            distances=[[0.0, 1.0, 1.0, 1.0], [1.0, 0.0, 1.0, 1.0], [1.0, 1.0, 0.0, 1.0], [1.0, 1.0, 1.0, 0.0]],
            result=0.11785113019775792,
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            distances=[[0.0, 1.0, 1.0], [1.0, 0.0, 3.0], [1.0, 3.0, 0.0]],
            error="domain_error",
            origin="by hand: no triangle",
        ),
        case(
            distances=[[0.0, 1.0, 3.0, 5.0], [1.0, 0.0, 1.0, 3.0], [3.0, 1.0, 0.0, 1.0], [5.0, 3.0, 1.0, 0.0]],
            error="domain_error",
            origin="by hand: no face is a triangle, though the determinant is positive",
        ),
    ],
)
def simplex_volume_from_distances(distances):
    """Volume of a simplex from the distances of its corners: the determinant of Cayley and Menger."""
    size = len(distances)
    if not np.array_equal(distances, distances.T) or np.any(distances.diagonal()):
        raise DomainError("distances", None, "a symmetric matrix with a zero diagonal")
    squares = [[x * x for x in row] for row in rows(rational(distances))]
    first = squares[0]
    gram = fmpq_mat(
        [[(first[i] + first[j] - squares[i][j]) / 2 for j in range(1, size)] for i in range(1, size)]
    )  # scalar products of the edges from the first corner, which have no negative eigenvalue in space
    if any(c * (-1) ** (size - 1 - k) < 0 for k, c in enumerate(gram.charpoly().coeffs())):
        raise DomainError("distances", None, "distances of points of space")
    table = fmpq_mat([[0] + [1] * size, *([1, *row] for row in squares)])
    value = table.det() * (-1) ** size / 2 ** (size - 1)
    for k in range(1, size):
        value /= k * k
    return root_of(value)


@capability(
    "geometry.plane_through_points",
    tier="certified",
    source="coxeter1969, sec. 13.8",
    params={
        "points": P("float64[m,k]", about="three points, three coordinates a row", min_size=3),
    },
    result=R(
        fields={
            "normal": R("float64[k]", about="unit normal, by the right hand along the order of the points"),
            "offset": R("float64", about="signed distance from the origin: the normal times any point of the plane"),
        }
    ),
    limit={"m": 3, "k": 3},
    requires=["len(points[0]) == 3"],
    cases=[
        case(
            points=[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            result={
                "normal": [0.5773502691896257, 0.5773502691896257, 0.5773502691896257],
                "offset": 0.5773502691896257,
            },
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            points=[[0.0, 0.0, 2.0], [1.0, 0.0, 2.0], [0.0, 1.0, 2.0]],
            result={"normal": [0.0, 0.0, 1.0], "offset": 2.0},
            origin="by hand",
        ),
        case(points=[[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [2.0, 2.0, 2.0]], error="domain_error", origin="by hand"),
    ],
)
def plane_through_points(points):
    """Unit normal and offset of the plane through three points of space."""
    a, b, c = rows(rational(points))
    u, v = ([y - x for x, y in zip(a, p, strict=True)] for p in (b, c))
    normal = [u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3] for k in range(3)]
    square = dot(normal, normal)
    if square == 0:
        raise DomainError("points", None, "points that do not lie on one line")
    return {"normal": [unit(x, square) for x in normal], "offset": unit(dot(normal, a), square)}


def unit(x, square):
    """Return x / sqrt(square)."""
    return fmpq(0) if x == 0 else root_of(x * x / square) * (1 if x > 0 else -1)


@capability(
    "geometry.rotate_point",
    tier="certified",
    source="coxeter1969, sec. 2.3",
    params={
        "point": P("float64[k]", about="point of the plane", unit="?u", min_size=2),
        "center": P("float64[k]", about="center of the rotation", unit="?u"),
        "angle": P("float64", about="angle, counter-clockwise", domain="[-1e6, 1e6]", unit="rad"),
    },
    result=R("float64[k]", about="image", unit="?u"),
    limit={"k": 2},
    cases=[
        case(
            point=[1.0, 0.0],
            center=[0.0, 0.0],
            angle=1.0,
            result=[0.5403023058681398, 0.8414709848078965],
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            point=[0.3, 0.7],
            center=[0.1, -0.2],
            angle=-2.5,
            result=[0.4783962065841741, -1.0407236828130315],
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            point=[1.66, 3.79],
            center=[-2.39, 4.44],
            angle=0.45,
            result=[1.5395383617006413, 5.616319796621243],
            within=1e-14,
            origin="sympy 1.14.0, sympy.geometry.Point.rotate",
        ),
    ],
)
def rotate_point(point, center, angle):
    """Image of a point of the plane under a rotation about a center."""
    p, c = column(rational(point)), column(rational(center))
    sine, cosine = arb(angle).sin_cos() if angle else (fmpq(0), fmpq(1))
    x, y = p[0] - c[0], p[1] - c[1]
    return [c[0] + x * cosine - y * sine, c[1] + x * sine + y * cosine]


@capability(
    "geometry.rotation_matrix",
    tier="certified",
    source="goldstein2002, eq. 4.62",
    params={
        "axis": P("float64[k]", about="direction of the axis, not zero", min_size=3),
        "angle": P("float64", about="angle, by the right hand", domain="[-1e6, 1e6]", unit="rad"),
    },
    result=R("float64[k,k]", about="matrix that turns column vectors; its transpose turns the axes instead"),
    limit={"k": 3},
    cases=[
        case(
            axis=[0.0, 0.0, 2.0],
            angle=1.0,
            result=[
                [0.5403023058681398, -0.8414709848078965, 0.0],
                [0.8414709848078965, 0.5403023058681398, 0.0],
                [0.0, 0.0, 1.0],
            ],
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            axis=[1.0, 1.0, 1.0],
            angle=0.7,
            result=[
                [0.8432281248563256, -0.2935533175715619, 0.45032519271523624],
                [0.45032519271523624, 0.8432281248563256, -0.2935533175715619],
                [-0.2935533175715619, 0.45032519271523624, 0.8432281248563256],
            ],
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(axis=[0.0, 0.0, 0.0], angle=1.0, error="domain_error", origin="by hand"),
        case(
            axis=[2.83, 0.778, -1.36],
            angle=0.953,
            result=[
                [0.9012865298463332, 0.4312513481680283, 0.041290020838124275],
                [-0.25418278136313305, 0.6035793359238466, -0.7557004028742011],
                [-0.35081862090837823, 0.6706073813707887, 0.6536145923057082],
            ],
            within=1e-14,
            origin="scipy 1.17.1, scipy.spatial.transform.Rotation.from_rotvec",
        ),
    ],
)
def rotation_matrix(axis, angle):
    """Matrix of the rotation of space about an axis, by Rodrigues' formula."""
    a = column(rational(axis))
    square = dot(a, a)
    if square == 0:
        raise DomainError("axis", 0, "a direction other than zero")
    sine, cosine = arb(angle).sin_cos()
    signs = {(0, 1): (-1, 2), (1, 0): (1, 2), (0, 2): (1, 1), (2, 0): (-1, 1), (1, 2): (-1, 0), (2, 1): (1, 0)}

    def entry(i, j):
        along = a[i] * a[j] / square
        if i == j:
            return cosine * (1 - along) + along if along != 1 else fmpq(1)
        sign, k = signs[i, j]
        across = unit(a[k], square) * sign
        if along == 0 and a[k] == 0:
            return fmpq(0)
        return (1 - cosine) * along + sine * across

    return [[entry(i, j) for j in range(3)] for i in range(3)]


@capability(
    "geometry.quaternion_product",
    tier="certified",
    source="goldstein2002, sec. 4.5",
    params={
        "p": P("float64[k]", about="first quaternion, the real part first", min_size=4),
        "q": P("float64[k]", about="second quaternion"),
    },
    result=R("float64[k]", about="product p q, as a rotation q first and then p"),
    limit={"k": 4},
    cases=[
        case(p=[0.0, 1.0, 0.0, 0.0], q=[0.0, 0.0, 1.0, 0.0], result=[0.0, 0.0, 0.0, 1.0], origin="by hand: i j = k"),
        case(p=[1.0, 2.0, 3.0, 4.0], q=[0.5, -1.0, 0.25, 2.0], result=[-6.25, 5.0, -6.25, 7.5], origin="by hand"),
        case(
            p=[2.89, -3.6, 4.15, 1.9],
            q=[0.0233, -1.72, 3.35, 3.63],
            result=[-26.924163, 3.6448200000000006, 19.578195, 5.61297],
            within=1e-14,
            origin="sympy 1.14.0, sympy.algebras.Quaternion",
        ),
    ],
)
def quaternion_product(p, q):
    """Product of two quaternions: one rotation after another."""
    (a, b, c, d), (e, f, g, h) = column(rational(p)), column(rational(q))
    return [
        a * e - b * f - c * g - d * h,
        a * f + b * e + c * h - d * g,
        a * g - b * h + c * e + d * f,
        a * h + b * g - c * f + d * e,
    ]


@capability(
    "geometry.quaternion_rotation_matrix",
    tier="certified",
    source="goldstein2002, eq. 4.47",
    params={
        "q": P("float64[k]", about="quaternion other than zero, the real part first", min_size=4),
    },
    result=R("float64[m,n]", about="matrix that turns column vectors, v to q v q^-1; its transpose turns the axes"),
    limit={"k": 4},
    cases=[
        case(
            q=[1.0, 0.0, 0.0, 1.0],
            result=[[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
            origin="by hand: a quarter turn about z",
        ),
        case(
            q=[1.0, 1.0, 1.0, 1.0],
            result=[[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            origin="by hand: a third of a turn about the diagonal",
        ),
        case(q=[0.0, 0.0, 0.0, 0.0], error="domain_error", origin="by hand"),
        case(
            q=[-4.56, 0.792, 2.85, -4.75],
            result=[
                [-0.17779449929090518, -0.7447453515020882, -0.643228946361968],
                [0.9180233533791898, 0.10989811050825304, -0.38099281877371816],
                [0.35443227656679877, -0.6582376217770807, 0.6641543454686789],
            ],
            within=1e-14,
            origin="scipy 1.17.1, scipy.spatial.transform.Rotation.from_quat: scalar first",
        ),
    ],
)
def quaternion_rotation_matrix(q):
    """Rotation matrix of a quaternion of any length, exactly."""
    w, x, y, z = column(rational(q))
    square = w * w + x * x + y * y + z * z
    if square == 0:
        raise DomainError("q", 0, "a quaternion other than zero")
    table = [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
    return [[entry / square for entry in row] for row in table]


@capability(
    "geometry.conic_kind",
    tier="certified",
    source="coxeter1969, sec. 8.2",
    params={
        "coefficients": P(
            "float64[k]", about="A, B, C, D, E, F of A x^2 + B x y + C y^2 + D x + E y + F = 0", min_size=6
        ),
    },
    result=R(
        "string",
        about="circle, ellipse, parabola, hyperbola or empty; degenerate for lines, even not real ones, and points",
    ),
    limit={"k": 6},
    cases=[
        case(coefficients=[1.0, 0.0, 1.0, 0.0, 0.0, -4.0], result="circle", origin="by hand"),
        case(coefficients=[1.0, 0.0, 4.0, 0.0, 0.0, -4.0], result="ellipse", origin="by hand"),
        case(coefficients=[1.0, 0.0, 0.0, 0.0, -1.0, 0.0], result="parabola", origin="by hand"),
        case(coefficients=[0.0, 1.0, 0.0, 0.0, 0.0, -1.0], result="hyperbola", origin="by hand"),
        case(coefficients=[1.0, 0.0, -1.0, 0.0, 0.0, 0.0], result="degenerate", origin="by hand: two lines"),
        case(coefficients=[1.0, 0.0, 1.0, 0.0, 0.0, 1.0], result="empty", origin="by hand"),
    ],
)
def conic_kind(coefficients):
    """Kind of curve that an equation of second degree describes, decided exactly."""
    a, b, c, d, e, f = column(rational(coefficients))
    whole = fmpq_mat([[2 * a, b, d], [b, 2 * c, e], [d, e, 2 * f]]).det()
    inner = 4 * a * c - b * b
    if whole == 0:
        return "degenerate"
    if inner < 0:
        return "hyperbola"
    if inner == 0:
        return "parabola"
    if (a + c) * whole > 0:
        return "empty"
    return "circle" if a == c and b == 0 else "ellipse"


@capability(
    "geometry.polyline_length",
    tier="certified",
    source="rudin1976, def. 6.26",
    params={
        "points": P("float64[n,k]", about="points in order", unit="?u", min_size=2),
    },
    result=R("float64", about="length", unit="?u"),
    limit={"n": 20000, "k": 20},
    cases=[
        case(points=[[0.0, 0.0], [3.0, 4.0], [3.0, 5.0]], result=6.0, origin="mpmath 1.4.1, 50 digits"),
        case(
            points=[[0.1, 0.2, 0.3], [0.5, 0.1, 0.9], [0.7, 0.7, 0.7]],
            result=1.3913359469991318,
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            points=[[4.07, 1.29], [0.518, 2.45], [2.04, -0.866], [-1.52, -2.8], [0.874, -3.8]],
            result=14.0311012440854,
            within=1e-14,
            origin="scipy 1.17.1, scipy.spatial.distance.euclidean: of neighbors",
        ),
    ],
)
def polyline_length(points):
    """Length of the path through points in their order, in any number of dimensions."""
    lengths = [length_between(a, b) for a, b in pairwise(rows(rational(points)))]
    exact = sum((x for x in lengths if isinstance(x, fmpq)), fmpq(0))
    balls = [x for x in lengths if not isinstance(x, fmpq)]
    return exact + sum(balls, arb(0)) if balls else exact
