"""Polygons and segments of Shapely."""

# fmt: off
from __future__ import annotations

from typing import Any

import shapely
from oracle import OracleTable
from shapely.geometry import LineString, MultiPoint, Point, Polygon, box

TABLE = OracleTable("shapely", shapely.__version__)
FLAT = {"k": (2, 2), "n": (4, 7), "m": (3, 3)}


def _add(capability: str, function: str, compute: Any, **more: Any) -> None:
    TABLE.add(capability, f"shapely.{function}", compute, **{"within": 1e-9, "near_zero": 1e-12, "draws": FLAT, **more})


def _turn(drawn: dict[str, Any]) -> dict[str, Any]:
    """Make the points a simple polygon: ordered around their mean."""
    points = sorted(map(tuple, drawn["points"]))
    low = [p for p in points[1:-1] if _left(points[0], points[-1], p) <= 0]
    high = [p for p in points[1:-1] if _left(points[0], points[-1], p) > 0]
    return drawn | {"points": [list(p) for p in [points[0], *low, points[-1], *reversed(high)]]}


def _left(a: Any, b: Any, p: Any) -> float:
    return float((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]))


_add("geometry.polygon_area", "Polygon.area", lambda points: Polygon(points).area, prepare=_turn)
_add("geometry.polygon_perimeter", "Polygon.length", lambda points: Polygon(points).length, prepare=_turn)
_add("geometry.polygon_centroid", "Polygon.centroid", lambda points: [Polygon(points).centroid.x, Polygon(points).centroid.y], prepare=_turn)
_add("geometry.is_convex", "Polygon.convex_hull", lambda points: bool(Polygon(points).convex_hull.area <= Polygon(points).area * (1 + 1e-12)), prepare=_turn, asked="of the same area")
_add("geometry.point_in_polygon", "Polygon.contains", lambda points, point: "inside" if Polygon(points).contains(Point(point)) else "edge" if Polygon(points).touches(Point(point)) else "outside", prepare=_turn)


def _hull(points: Any) -> list[list[float]]:
    """List the corners against the clock, the lowest of the leftmost first."""
    ring = [list(p) for p in shapely.geometry.polygon.orient(MultiPoint(points).convex_hull).exterior.coords[:-1]]
    first = ring.index(min(ring))
    return ring[first:] + ring[:first]


_add("geometry.convex_hull", "MultiPoint.convex_hull", _hull)
_add("geometry.point_segment_distance", "Point.distance", lambda point, start, end: Point(point).distance(LineString([start, end])))


def _order(drawn: dict[str, Any]) -> dict[str, Any]:
    """Let a box go from its low corner to its high one."""
    return drawn | {b: max(drawn[a], drawn[b]) + 0.5 for a, b in (("x1", "x2"), ("y1", "y2"), ("u1", "u2"), ("v1", "v2"))} | {a: min(drawn[a], drawn[b]) for a, b in (("x1", "x2"), ("y1", "y2"), ("u1", "u2"), ("v1", "v2"))}


def _share(x1: float, y1: float, x2: float, y2: float, u1: float, v1: float, u2: float, v2: float) -> float:
    first, second = box(x1, y1, x2, y2), box(u1, v1, u2, v2)
    return float(first.intersection(second).area / first.union(second).area)


def _share_generally(x1: float, y1: float, x2: float, y2: float, u1: float, v1: float, u2: float, v2: float) -> float:
    first, second = box(x1, y1, x2, y2), box(u1, v1, u2, v2)
    union, whole = first.union(second).area, box(*first.union(second).bounds).area
    return float(first.intersection(second).area / union - (whole - union) / whole)


_add("image_processing.box_iou", "Polygon.intersection", _share, prepare=_order, asked="area over that of the union")
_add("image_processing.box_giou", "Polygon.intersection", _share_generally, prepare=_order, asked="areas of both, union and bounds")
