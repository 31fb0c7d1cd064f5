"""Points and polygons of the plane, in exact rationals."""

from flint import arb, fmpq, fmpq_mat
from service_nb_kernels.certified.linalg import root_of
from service_nb_kernels.certified.matrices import column, rational, rows
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError


def corners(points, name="points"):
    """Return points of the plane as pairs of rationals."""
    if points.shape[1] != 2:
        raise DomainError(name, None, f"two coordinates a point, not {points.shape[1]}")
    return [tuple(row) for row in rows(rational(points))]


def turn(a, b, c):
    """Return twice the signed area of a triangle: positive for a turn to the left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def edges(points):
    """Yield the edges of a closed polygon."""
    yield from zip(points, points[1:] + points[:1], strict=True)


def signed_area(points):
    """Return the area, positive for a counter-clockwise polygon."""
    return sum((a[0] * b[1] - b[0] * a[1] for a, b in edges(points)), fmpq(0)) / 2


def hull_of(points):
    """Return the corners of the convex hull, counter-clockwise from the leftmost lowest."""
    ordered = sorted(set(points))
    if len(ordered) < 3:
        return ordered

    def chain(sequence):
        found = []
        for point in sequence:
            while len(found) > 1 and turn(found[-2], found[-1], point) <= 0:
                found.pop()
            found.append(point)
        return found[:-1]

    return chain(ordered) + chain(ordered[::-1])


def between(a, b, p):
    """Return whether a point lies on a segment."""
    return (
        turn(a, b, p) == 0 and min(a[0], b[0]) <= p[0] <= max(a[0], b[0]) and min(a[1], b[1]) <= p[1] <= max(a[1], b[1])
    )


def length_between(a, b):
    """Return the distance of two points."""
    return root_of(sum(((x - y) ** 2 for x, y in zip(a, b, strict=True)), fmpq(0)))


@capability(
    "geometry.polygon_area",
    tier="certified",
    source="orourke1998, sec. 1.3",
    params={
        "points": P("float64[n,k]", about="corners in order, two coordinates a row", unit="?u", min_size=3),
    },
    result=R("float64", about="area, positive for a counter-clockwise order", unit="?u^2"),
    limit={"n": 20000, "k": 2},
    cases=[
        case(points=[[0.0, 0.0], [4.0, 0.0], [4.0, 3.0]], result=6.0, origin="exact fractions, Python 3.11 fractions"),
        case(
            points=[[0.1, 0.1], [0.3, 0.9], [0.7, 0.2], [0.5, -0.4]],
            result=-0.39999999999999997,
            origin="exact fractions, Python 3.11 fractions",
        ),
        case(
            points=[[-3.99, -3.15], [1.41, 2.82], [-1.78, 0.706], [-2.94, 1.74], [-3.87, -0.639]],
            result=8.218275,
            within=1e-14,
            origin="shapely 2.2.0, shapely.Polygon.area",
        ),
    ],
)
def polygon_area(points):
    """Signed area of a polygon that does not cross itself, rounded once."""
    return signed_area(corners(points))


@capability(
    "geometry.polygon_perimeter",
    tier="certified",
    source="orourke1998, sec. 1.3",
    params={
        "points": P("float64[n,k]", about="corners in order, two coordinates a row", unit="?u", min_size=2),
    },
    result=R("float64", about="perimeter", unit="?u"),
    limit={"n": 20000, "k": 2},
    cases=[
        case(points=[[0.0, 0.0], [4.0, 0.0], [4.0, 3.0]], result=12.0, origin="mpmath 1.4.1, 50 digits"),
        case(points=[[0.1, 0.1], [0.3, 0.9], [0.7, 0.2]], result=2.239123152983209, origin="mpmath 1.4.1, 50 digits"),
        case(
            points=[[-0.479, 2.75], [2.27, 3.08], [3.72, 3.51], [1.14, 3.91]],
            result=8.883648181001192,
            within=1e-14,
            origin="shapely 2.2.0, shapely.Polygon.length",
        ),
    ],
)
def polygon_perimeter(points):
    """Length of the closed outline of a polygon."""
    lengths = [length_between(a, b) for a, b in edges(corners(points))]
    exact = sum((x for x in lengths if isinstance(x, fmpq)), fmpq(0))
    balls = [x for x in lengths if not isinstance(x, fmpq)]
    return exact + sum(balls, arb(0)) if balls else exact


@capability(
    "geometry.polygon_centroid",
    tier="certified",
    version=2,
    source="orourke1998, sec. 7.4",
    params={
        "points": P(
            "float64[n,k]",
            about="corners in order, two coordinates a row, of an outline that does not cross itself",
            unit="?u",
            min_size=3,
        ),
    },
    result=R("float64[k]", about="centroid", unit="?u"),
    limit={"n": 20000, "k": 2},
    cases=[
        case(points=[[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]], result=[1.0, 1.0], origin="by hand"),
        case(
            points=[[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]],
            result=[0.8333333333333334, 0.8333333333333334],
            origin="by hand: an L of three squares",
        ),
        case(points=[[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]], error="domain_error", origin="by hand: no area"),
        case(
            points=[[0.0, 0.0], [4.0, 0.0], [0.0, 3.0], [5.0, 3.0]],
            error="domain_error",
            origin="by hand: it crosses itself, and its center would be above it",
        ),
        case(
            points=[[-4.72, 2.78], [-0.962, -4.36], [-0.503, -0.619], [2.49, 3.89]],
            result=[-1.339769202072462, 0.9922763855452452],
            within=1e-14,
            origin="shapely 2.2.0, shapely.Polygon.centroid",
        ),
    ],
)
def polygon_centroid(points):
    """Center of mass of a polygon's area."""
    outline = corners(points)
    area = signed_area(outline)
    if area == 0:
        raise DomainError("points", None, "a polygon with an area")
    weights = [(a, b, a[0] * b[1] - b[0] * a[1]) for a, b in edges(outline)]
    center = [sum(((a[k] + b[k]) * w for a, b, w in weights), fmpq(0)) / (6 * area) for k in (0, 1)]
    if any(not min(each) <= at <= max(each) for at, each in zip(center, zip(*outline, strict=True), strict=True)):
        raise DomainError("points", None, "corners in order, of an outline that does not cross itself")
    return center


@capability(
    "geometry.polygon_second_moments",
    tier="certified",
    version=2,
    source="coxeter1969, sec. 13.5",
    params={
        "points": P(
            "float64[n,k]",
            about="corners in order, either way round, two coordinates a row, of an outline that does not cross itself",
            unit="?u",
            min_size=3,
        ),
    },
    result=R(
        fields={
            "xx": R("float64", about="integral of y^2, about the x axis itself, not the centroid's", unit="?u^4"),
            "yy": R("float64", about="integral of x^2, about the y axis itself, not the centroid's", unit="?u^4"),
            "xy": R("float64", about="integral of x y", unit="?u^4"),
        }
    ),
    limit={"n": 20000, "k": 2},
    cases=[
        case(
            points=[[0.0, 0.0], [2.0, 0.0], [2.0, 3.0], [0.0, 3.0]],
            result={"xx": 18.0, "yy": 8.0, "xy": 9.0},
            origin="by hand: b h^3 / 3, h b^3 / 3, b^2 h^2 / 4",
        ),
        case(
            points=[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]],
            result={"xx": 0.08333333333333333, "yy": 0.08333333333333333, "xy": 0.041666666666666664},
            origin="by hand",
        ),
        case(
            points=[[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]],
            result={"xx": 0.08333333333333333, "yy": 0.08333333333333333, "xy": 0.041666666666666664},
            origin="by hand: clockwise",
        ),
        case(
            points=[[0.5, 0.5], [4.0, 0.6036], [3.0, 3.0], [1.0, 2.73]],
            result={"xx": 19.36356710528, "yy": 34.330375, "xy": 22.2264501},
            within=1e-14,
            origin="sympy 1.14.0, sympy.geometry.Polygon.second_moment_of_area",
        ),
    ],
)
def polygon_second_moments(points):
    """Second moments of a polygon's area about the axes, as bending needs them."""
    outline = corners(points)
    area = signed_area(outline)
    if area == 0:
        raise DomainError("points", None, "a polygon with an area")
    sign = 1 if area > 0 else -1
    weights = [(a, b, sign * (a[0] * b[1] - b[0] * a[1])) for a, b in edges(outline)]

    def square(k):
        return sum((w * (a[k] ** 2 + a[k] * b[k] + b[k] ** 2) for a, b, w in weights), fmpq(0)) / 12

    mixed = (
        sum((w * (a[0] * b[1] + 2 * a[0] * a[1] + 2 * b[0] * b[1] + b[0] * a[1]) for a, b, w in weights), fmpq(0)) / 24
    )
    return {"xx": square(1), "yy": square(0), "xy": mixed}


@capability(
    "geometry.is_convex",
    tier="certified",
    source="orourke1998, sec. 1.1",
    params={
        "points": P("float64[n,k]", about="corners in order, two coordinates a row", min_size=3),
    },
    result=R("bool", about="whether every turn goes the same way"),
    limit={"n": 20000, "k": 2},
    cases=[
        case(points=[[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]], result=True, origin="by hand"),
        case(points=[[0.0, 0.0], [2.0, 0.0], [1.0, 0.5], [0.0, 2.0]], result=False, origin="by hand"),
        case(
            points=[[0.0, 1.0], [0.6, -0.8], [-0.95, 0.3], [0.95, 0.3], [-0.6, -0.8]],
            result=False,
            origin="by hand: a pentagram winds twice",
        ),
        case(
            points=[[-3.8, 3.04], [-3.69, 1.66], [-2.83, -2.66], [0.837, -3.28], [2.46, -0.599], [-1.88, 3.93]],
            result=True,
            origin="shapely 2.2.0, shapely.Polygon.convex_hull: of the same area",
        ),
    ],
)
def is_convex(points):
    """Whether a polygon turns to one side only and once around, decided exactly."""
    outline = corners(points)
    turns = [turn(a, b, c) for (a, b), (_, c) in zip(edges(outline), edges(outline[1:] + outline[:1]), strict=True)]
    if any(t > 0 for t in turns) and any(t < 0 for t in turns):
        return False
    xs = [b[0] - a[0] for a, b in edges(outline) if a[0] != b[0]]
    changes = sum((p > 0) != (q > 0) for p, q in zip(xs, xs[1:] + xs[:1], strict=True))
    return any(t != 0 for t in turns) and changes <= 2


@capability(
    "geometry.convex_hull",
    tier="certified",
    source="andrew1979",
    params={
        "points": P("float64[n,k]", about="points, two coordinates a row"),
    },
    result=R("float64[m,k]", about="corners counter-clockwise, from the leftmost lowest"),
    limit={"n": 50000, "k": 2},
    cases=[
        case(
            points=[[0.0, 0.0], [1.0, 1.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0], [1.0, 0.0]],
            result=[[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]],
            origin="by hand",
        ),
        case(
            points=[[0.1, 0.1], [0.2, 0.2], [0.3, 0.3]],
            result=[[0.1, 0.1], [0.3, 0.3]],
            origin="by hand: the double 0.2 lies on the line y = x",
        ),
        case(
            points=[[-2.94, -4.75], [-0.32, -0.889], [-1.72, -2.51], [-3.21, 2.96], [0.597, 0.776]],
            result=[[-3.21, 2.96], [-2.94, -4.75], [-0.32, -0.889], [0.597, 0.776]],
            within=1e-14,
            origin="shapely 2.2.0, shapely.MultiPoint.convex_hull",
        ),
    ],
)
def convex_hull(points):
    """Corners of the smallest convex polygon around points, by exact turns."""
    return [list(point) for point in hull_of(corners(points))]


@capability(
    "geometry.convex_hull_area",
    tier="certified",
    source="andrew1979",
    params={
        "points": P("float64[n,k]", about="points, two coordinates a row", unit="?u"),
    },
    result=R("float64", about="area", unit="?u^2"),
    limit={"n": 20000, "k": 2},
    cases=[
        case(points=[[0.0, 0.0], [1.0, 1.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]], result=4.0, origin="by hand"),
        case(points=[[0.0, 0.0], [4.0, 0.0], [0.0, 3.0], [1.0, 1.0]], result=6.0, origin="by hand"),
        case(
            points=[
                [3.47, 3.49],
                [-1.6, 0.584],
                [-3.05, -3.9],
                [3.96, 0.831],
                [-3.65, 2.81],
                [3.39, 3.2],
                [-4.82, 3.78],
                [1.08, 3.5],
            ],
            result=42.055839999999996,
            within=1e-14,
            origin="scipy 1.17.1, scipy.spatial.ConvexHull: volume",
        ),
    ],
)
def convex_hull_area(points):
    """Area of the smallest convex polygon around points."""
    return signed_area(hull_of(corners(points)))


@capability(
    "geometry.point_in_polygon",
    tier="certified",
    source="orourke1998, sec. 7.4",
    params={
        "points": P("float64[n,k]", about="corners in order, two coordinates a row", min_size=3),
        "point": P("float64[k]", about="point"),
    },
    result=R(
        "string", about="inside, outside, or edge for a point on it; where an outline crosses itself, even is outside"
    ),
    limit={"n": 100000, "k": 2},
    cases=[
        case(points=[[0.0, 0.0], [4.0, 0.0], [4.0, 3.0]], point=[3.0, 1.0], result="inside", origin="by hand"),
        case(points=[[0.0, 0.0], [4.0, 0.0], [4.0, 3.0]], point=[1.0, 2.0], result="outside", origin="by hand"),
        case(points=[[0.0, 0.0], [4.0, 0.0], [4.0, 3.0]], point=[2.0, 1.5], result="edge", origin="by hand"),
        case(
            points=[[-4.78, 1.64], [-2.9, -1.56], [-0.183, -0.579], [4.32, 1.77], [2.28, 3.18], [1.15, 2.9]],
            point=[0.888, 2.87],
            result="outside",
            origin="shapely 2.2.0, shapely.Polygon.contains",
        ),
    ],
)
def point_in_polygon(points, point):
    """Whether a point lies inside of a polygon, outside or on its edge, decided exactly."""
    p, inside = tuple(column(rational(point))), False
    for a, b in edges(corners(points)):
        if between(a, b, p):
            return "edge"
        if (a[1] > p[1]) != (b[1] > p[1]) and (turn(a, b, p) > 0) == (b[1] > a[1]):
            inside = not inside
    return "inside" if inside else "outside"


@capability(
    "geometry.orientation",
    tier="certified",
    source="deberg2008, sec. 1.1",
    params={
        "points": P("float64[m,k]", about="three points, two coordinates a row", min_size=3),
    },
    result=R("int", about="1 for a left turn, -1 for a right one, 0 on a line"),
    limit={"m": 3, "k": 2},
    cases=[
        case(points=[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]], result=1, origin="by hand"),
        case(points=[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]], result=0, origin="by hand"),
        case(
            points=[[0.1, 0.1], [0.2, 0.2], [0.3, 0.3000000000000001]], result=1, origin="by hand: above the line y = x"
        ),
        case(
            points=[[1.22, -3.66], [-0.956, 1.26], [0.467, 2.89]],
            result=-1,
            origin="sympy 1.14.0, sympy.geometry.Polygon: sign of the area",
        ),
    ],
)
def orientation(points):
    """Whether three points turn left, right or not at all, decided exactly."""
    value = turn(*corners(points))
    return (value > 0) - (value < 0)


@capability(
    "geometry.in_circle",
    tier="certified",
    version=2,
    source="deberg2008, sec. 9.4",
    params={
        "points": P("float64[m,k]", about="three points on the circle, two coordinates a row", min_size=3),
        "point": P("float64[k]", about="point to place"),
    },
    result=R("int", about="1 inside of the circle, -1 outside, 0 on it"),
    limit={"m": 3, "k": 2},
    cases=[
        case(points=[[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]], point=[1.0, 1.0], result=1, origin="by hand"),
        case(points=[[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]], point=[2.0, 2.0], result=0, origin="by hand"),
        case(points=[[0.0, 2.0], [2.0, 0.0], [0.0, 0.0]], point=[3.0, 0.0], result=-1, origin="by hand"),
        case(
            points=[[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]],
            point=[3.0, 0.0],
            error="domain_error",
            origin="by hand: no circle through points of one line",
        ),
        case(
            points=[[4.69, -2.05], [3.01, 4.88], [4.83, 1.06]],
            point=[1.22, 2.76],
            result=1,
            origin="sympy 1.14.0, sympy.geometry.Circle.encloses_point",
        ),
    ],
)
def in_circle(points, point):
    """Whether a point lies inside of the circle through three others, decided exactly."""
    outline, p = corners(points), column(rational(point))
    if turn(*outline) == 0:
        raise DomainError("points", None, "points that do not lie on one line")
    lines = [[a[0] - p[0], a[1] - p[1], (a[0] - p[0]) ** 2 + (a[1] - p[1]) ** 2] for a in outline]
    value = fmpq_mat(lines).det() * turn(*outline)
    return (value > 0) - (value < 0)


@capability(
    "geometry.segment_intersection",
    tier="certified",
    source="orourke1998, sec. 7.2",
    params={
        "points": P(
            "float64[m,k]", about="ends of the first and of the second segment, two coordinates a row", min_size=4
        ),
    },
    result=R(
        fields={
            "kind": R("string", about="crossing, touching, overlapping or none"),
            "point": R("float64[k]", about="common point, empty unless there is just one"),
        }
    ),
    limit={"m": 4, "k": 2},
    cases=[
        case(
            points=[[0.0, 0.0], [2.0, 2.0], [0.0, 2.0], [2.0, 0.0]],
            result={"kind": "crossing", "point": [1.0, 1.0]},
            origin="by hand",
        ),
        case(
            points=[[0.0, 0.0], [1.0, 0.0], [2.0, 1.0], [2.0, 2.0]],
            result={"kind": "none", "point": []},
            origin="by hand",
        ),
        case(
            points=[[0.0, 0.0], [2.0, 0.0], [1.0, 0.0], [1.0, 3.0]],
            result={"kind": "touching", "point": [1.0, 0.0]},
            origin="by hand",
        ),
        case(
            points=[[0.0, 0.0], [2.0, 0.0], [1.0, 0.0], [3.0, 0.0]],
            result={"kind": "overlapping", "point": []},
            origin="by hand",
        ),
    ],
)
def segment_intersection(points):
    """Common point of two segments of the plane and how they meet, decided exactly."""
    a, b, c, d = corners(points)
    p, q, r, s = turn(a, b, c), turn(a, b, d), turn(c, d, a), turn(c, d, b)
    if p * q < 0 and r * s < 0:
        share = p / (p - q)
        return {"kind": "crossing", "point": [x + share * (y - x) for x, y in zip(c, d, strict=True)]}
    shared = {end for end in (a, b) if between(c, d, end)} | {end for end in (c, d) if between(a, b, end)}
    if not shared:
        return {"kind": "none", "point": []}
    return {"kind": "touching", "point": list(*shared)} if len(shared) == 1 else {"kind": "overlapping", "point": []}


@capability(
    "geometry.diameter_of_points",
    tier="certified",
    source="orourke1998, sec. 7.4",
    params={
        "points": P("float64[n,k]", about="points, two coordinates a row", unit="?u", min_size=2),
    },
    result=R("float64", about="largest distance", unit="?u"),
    limit={"n": 20000, "k": 2},
    cases=[
        case(points=[[0.0, 0.0], [1.0, 1.0], [3.0, 4.0], [0.0, 2.0]], result=5.0, origin="by hand"),
        case(points=[[0.1, 0.2], [0.7, 0.9], [0.3, 0.4]], result=0.9219544457292888, origin="mpmath 1.4.1, 50 digits"),
        case(
            points=[[3.69, 3.28], [3.14, 2.24], [-1.57, -1.14], [2.0, -0.851], [-0.65, -4.6], [-1.95, -1.6]],
            result=8.996110270555825,
            within=1e-14,
            origin="scipy 1.17.1, scipy.spatial.distance.pdist: largest",
        ),
    ],
)
def diameter_of_points(points):
    """Largest distance between two of several points of the plane."""
    outline = hull_of(corners(points))
    if len(outline) > 2000:
        raise DomainError("points", None, "points whose convex hull has at most 2,000 corners")
    return root_of(max((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 for a in outline for b in outline))
