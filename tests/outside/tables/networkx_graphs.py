"""Graphs of NetworkX."""

# fmt: off
from __future__ import annotations

import random
from typing import Any

import networkx as nx
import numpy as np
from oracle import OracleTable

TABLE = OracleTable("networkx", nx.__version__)


def _draw(drawn: dict[str, Any], *, is_directed: bool = False, chance: float = 0.5, has_order: bool = False) -> Any:
    """Replace the edges that were drawn by those of a simple graph of these nodes."""
    nodes = drawn["nodes"]
    dice = random.Random(str(drawn))
    pairs = [(a, b) for a in range(nodes) for b in range(nodes) if (a < b if not is_directed or has_order else a != b)]
    edges = [list(pair) for pair in pairs if dice.random() < chance]
    more: dict[str, Any] = {"edges": edges}
    for name in ("weights", "conductances"):
        if name in drawn:
            more[name] = [round(dice.uniform(0.1, 9), 2) for _ in edges]
    if "ends" in drawn:
        more["ends"] = dice.sample(range(nodes), 2)
    if "start" in drawn:
        more["start"] = 0
    if "groups" in drawn:
        more["groups"] = [dice.randrange(3) for _ in range(nodes)]
    return drawn | more


def _build(nodes: int, edges: Any, weights: Any = None, *, is_directed: bool = False) -> Any:
    graph = nx.DiGraph() if is_directed else nx.Graph()
    graph.add_nodes_from(range(nodes))
    for at, (a, b) in enumerate(edges):
        graph.add_edge(a, b, weight=1 if weights is None else weights[at])
    return graph


def _add(capability: str, function: str, compute: Any, *, is_directed: bool = False, chance: float = 0.5, **more: Any) -> None:
    has_order = bool(more.pop("has_order", False))
    TABLE.add(f"graph_theory.{capability}", f"networkx.{function}", compute, **{"within": 1e-9, "near_zero": 1e-11, "draws": {"nodes": (4, 8), "m": (2, 4), "e": (2, 2), "k": (2, 2), "n": (2, 4)}, "prepare": lambda drawn: _draw(drawn, is_directed=is_directed, chance=chance, has_order=has_order), **more})


def _directed(nodes: int, edges: Any, weights: Any = None) -> Any:
    return _build(nodes, edges, weights, is_directed=True)


_add("effective_resistance", "resistance_distance", lambda nodes, edges, conductances, ends: nx.resistance_distance(_build(nodes, edges, conductances), *ends, weight="weight", invert_weight=False), chance=0.7)
_add("pagerank", "pagerank", lambda nodes, edges, damping: list(nx.pagerank(_directed(nodes, edges), damping, tol=1e-14, max_iter=10_000).values()), is_directed=True, chance=0.3)
_add("betweenness_centrality", "betweenness_centrality", lambda nodes, edges: list(nx.betweenness_centrality(_build(nodes, edges), normalized=False).values()))
_add("clustering_coefficient", "transitivity", lambda nodes, edges: nx.transitivity(_build(nodes, edges)))
_add("triangle_count", "triangles", lambda nodes, edges: sum(nx.triangles(_build(nodes, edges)).values()) // 3)
_add("modularity", "community.modularity", lambda nodes, edges, groups: nx.community.modularity(_build(nodes, edges), [each for each in ({at for at, group in enumerate(groups) if group == one} for one in set(groups)) if each]), prepare=lambda drawn: _draw(drawn))
_add("shortest_path", "dijkstra_path", lambda nodes, edges, weights, ends: {"length": nx.dijkstra_path_length(_directed(nodes, edges, weights), *ends), "path": nx.dijkstra_path(_directed(nodes, edges, weights), *ends)}, is_directed=True)


def _reach(lengths: dict[int, float]) -> dict[str, Any]:
    return {"reached": sorted(lengths), "distances": [lengths[node] for node in sorted(lengths)]}


_add("shortest_distances", "single_source_dijkstra_path_length", lambda nodes, edges, weights, start: _reach(nx.single_source_dijkstra_path_length(_directed(nodes, edges, weights), start)), is_directed=True)
_add("bellman_ford", "single_source_bellman_ford_path_length", lambda nodes, edges, weights, start: _reach(nx.single_source_bellman_ford_path_length(_directed(nodes, edges, weights), start)), is_directed=True)


def _span(nodes: int, edges: Any, weights: Any) -> dict[str, Any]:
    tree = nx.minimum_spanning_tree(_build(nodes, edges, weights))
    chosen = sorted(edges.index([min(pair), max(pair)]) for pair in tree.edges)
    return {"weight": tree.size("weight"), "edges": chosen}


_add("minimum_spanning_tree", "minimum_spanning_tree", _span, chance=0.8)


def _match(left: int, right: int, edges: Any) -> int:
    graph = nx.Graph()
    graph.add_nodes_from(("left", each) for each in range(left))
    graph.add_edges_from((("left", a), ("right", b)) for a, b in edges)
    return len(nx.bipartite.maximum_matching(graph, [("left", each) for each in range(left)])) // 2


def _draw_sides(drawn: dict[str, Any]) -> dict[str, Any]:
    dice = random.Random(str(drawn))
    return drawn | {"edges": [[a, b] for a in range(drawn["left"]) for b in range(drawn["right"]) if dice.random() < 0.4]}


_add("bipartite_matching", "bipartite.maximum_matching", _match, draws={"left": (2, 6), "right": (2, 6), "m": (2, 3), "k": (2, 2)}, prepare=_draw_sides)


def _number(parts: Any, nodes: int) -> list[int]:
    """Number parts by their least node."""
    ordered = sorted(parts, key=min)
    return [next(at for at, part in enumerate(ordered) if node in part) for node in range(nodes)]


_add("connected_components", "connected_components", lambda nodes, edges: _number(nx.connected_components(_build(nodes, edges)), nodes), chance=0.2)
_add("strongly_connected_components", "strongly_connected_components", lambda nodes, edges: _number(nx.strongly_connected_components(_directed(nodes, edges)), nodes), is_directed=True, chance=0.2)
_add("topological_order", "lexicographical_topological_sort", lambda nodes, edges: list(nx.lexicographical_topological_sort(_directed(nodes, edges))), is_directed=True, has_order=True)
_add("is_bipartite", "is_bipartite", lambda nodes, edges: bool(nx.is_bipartite(_build(nodes, edges))), chance=0.3)
_add("spanning_tree_count", "number_of_spanning_trees", lambda nodes, edges: round(nx.number_of_spanning_trees(_build(nodes, edges))))
_add("laplacian_spectrum", "laplacian_spectrum", lambda nodes, edges: nx.laplacian_spectrum(_build(nodes, edges)), near_zero=1e-9)
_add("algebraic_connectivity", "algebraic_connectivity", lambda nodes, edges: nx.algebraic_connectivity(_build(nodes, edges), tol=1e-12, method="lanczos"), within=1e-7, near_zero=1e-9, chance=0.7)
_add("adjacency_spectrum", "adjacency_spectrum", lambda nodes, edges: sorted(np.real(nx.adjacency_spectrum(_build(nodes, edges)))), near_zero=1e-9)
_add("diameter", "diameter", lambda nodes, edges: {"diameter": nx.diameter(_build(nodes, edges)), "radius": nx.radius(_build(nodes, edges))})


def _color(nodes: int, edges: Any) -> list[int]:
    polynomial = nx.chromatic_polynomial(_build(nodes, edges)).as_poly()
    return [int(each) for each in reversed(polynomial.all_coeffs())]


_add("chromatic_polynomial", "chromatic_polynomial", _color, draws={"nodes": (3, 5), "m": (2, 4), "k": (2, 2)})


def _wait(durations: list[float], edges: Any) -> dict[str, Any]:
    graph = nx.DiGraph()
    for at, duration in enumerate(durations):
        graph.add_edge(("start", at), ("end", at), weight=duration)
    graph.add_edges_from(((("end", a), ("start", b)) for a, b in edges), weight=0)
    path = [at for kind, at in nx.dag_longest_path(graph) if kind == "end"]
    return {"length": nx.dag_longest_path_length(graph), "path": path}


_add("critical_path", "dag_longest_path", _wait, draws={"n": (3, 6), "m": (2, 3), "k": (2, 2), "durations": (0.5, 9)}, prepare=lambda drawn: {"durations": drawn["durations"], "edges": _draw({"nodes": len(drawn["durations"])})["edges"]})
