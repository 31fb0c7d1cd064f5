"""Paths, trees, flows and matchings of graphs by their lists of edges, with exact sums of weights."""

from heapq import heappop, heappush
from itertools import pairwise

from flint import fmpq
from service_nb_kernels.certified.matrices import column, rational
from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError


def pairs(nodes, edges):
    """Return the edges as pairs; their ends are nodes."""
    found = []
    for edge in edges:
        if len(edge) != 2:
            raise DomainError("edges", edge, "two ends an edge")
        if not (0 <= edge[0] < nodes and 0 <= edge[1] < nodes):
            raise DomainError("edges", edge, f"ends between 0 and {nodes - 1}")
        found.append((edge[0], edge[1]))
    return found


def neighbours(nodes, edges, *, directed=False):
    """Return the set of neighbors of each node; loops count for nothing."""
    found = [set() for _ in range(nodes)]
    for a, b in pairs(nodes, edges):
        if a != b:
            found[a].add(b)
            if not directed:
                found[b].add(a)
    return found


def reached(adjacent, start):
    """Return the distance in steps of every node that can be reached."""
    check_deadline()
    distance, level = {start: 0}, [start]
    while level:
        following = []
        for node in level:
            for other in adjacent[node]:
                if other not in distance:
                    distance[other] = distance[node] + 1
                    following.append(other)
        level = following
    return distance


def components(adjacent):
    """Return the connected components, each in ascending order."""
    seen, found = set(), []
    for start in range(len(adjacent)):
        if start not in seen:
            part = reached(adjacent, start)
            seen.update(part)
            found.append(sorted(part))
    return found


def connected(adjacent):
    """Refuse a graph in more than one part."""
    if len(reached(adjacent, 0)) < len(adjacent):
        raise DomainError("edges", None, "a connected graph")


def weighted(nodes, edges, weights):
    """Return the outgoing edges of each node with exact weights."""
    found = [[] for _ in range(nodes)]
    for (a, b), weight in zip(pairs(nodes, edges), column(rational(weights)), strict=True):
        found[a].append((b, weight))
    return found


def dijkstra(outgoing, start):
    """Return the distance and the predecessor of every node that can be reached."""
    distance, before, heap, done = {start: fmpq(0)}, {}, [(fmpq(0), start)], set()
    while heap:
        length, node = heappop(heap)
        if node in done:
            continue
        done.add(node)
        for other, weight in outgoing[node]:
            if other not in distance or length + weight < distance[other]:
                distance[other], before[other] = length + weight, node
                heappush(heap, (length + weight, other))
    return distance, before


def node(name, value, nodes):
    """Refuse what is no node."""
    if not 0 <= value < nodes:
        raise DomainError(name, value, f"a node between 0 and {nodes - 1}")


@capability(
    "graph_theory.shortest_path",
    tier="certified",
    source="cormen2022, sec. 22.3",
    params={
        "nodes": P("int", about="number of nodes", domain="[1, 20000]"),
        "edges": P("int[m,k]", about="start and end of each directed edge, from 0"),
        "weights": P("float64[m]", about="length of each edge", domain="[0, inf)"),
        "ends": P("int[e]", about="first and last node of the path", min_size=2),
    },
    result=R(fields={"length": R("float64", about="least length"), "path": R("int[n]", about="nodes of the path")}),
    limit={"m": 100000, "k": 2, "e": 2},
    cases=[
        case(
            nodes=4,
            edges=[[0, 1], [1, 2], [0, 2], [2, 3]],
            weights=[1.0, 2.0, 4.0, 1.0],
            ends=[0, 3],
            result={"length": 4.0, "path": [0, 1, 2, 3]},
            origin="by hand",
        ),
        case(
            nodes=3,
            edges=[[0, 1], [0, 2], [2, 1]],
            weights=[0.5, 0.25, 0.125],
            ends=[0, 1],
            result={"length": 0.375, "path": [0, 2, 1]},
            origin="by hand",
        ),
        case(nodes=3, edges=[[0, 1]], weights=[1.0], ends=[0, 2], error="domain_error", origin="by hand: no path"),
        case(
            nodes=8,
            edges=[
                [0, 1],
                [0, 2],
                [0, 3],
                [0, 4],
                [0, 6],
                [1, 0],
                [1, 2],
                [1, 3],
                [1, 4],
                [1, 5],
                [2, 0],
                [2, 3],
                [2, 4],
                [2, 5],
                [2, 6],
                [3, 0],
                [3, 2],
                [3, 6],
                [4, 6],
                [4, 7],
                [5, 0],
                [5, 1],
                [5, 2],
                [5, 3],
                [5, 7],
                [6, 0],
                [6, 4],
                [6, 5],
                [7, 0],
                [7, 1],
                [7, 3],
                [7, 4],
                [7, 5],
                [7, 6],
            ],
            weights=[
                2.92,
                5.76,
                0.1,
                5.49,
                4.29,
                8.3,
                5.67,
                4.41,
                8.52,
                2.69,
                1.92,
                3.97,
                8.19,
                2.52,
                3.11,
                8.03,
                6.88,
                7.82,
                8.34,
                2.51,
                6.0,
                1.18,
                6.85,
                1.63,
                3.47,
                0.72,
                2.93,
                7.8,
                8.07,
                7.33,
                0.75,
                3.18,
                4.47,
                1.74,
            ],
            ends=[0, 2],
            result={"length": 5.76, "path": [0, 2]},
            within=1e-14,
            origin="networkx 3.6.1, networkx.dijkstra_path",
        ),
    ],
)
def shortest_path(nodes, edges, weights, ends):
    """Shortest path between two nodes of a directed graph, with exact sums of lengths."""
    start, end = ends
    node("ends", start, nodes)
    node("ends", end, nodes)
    distance, before = dijkstra(weighted(nodes, edges, weights), start)
    if end not in distance:
        raise DomainError("ends", end, f"a node that can be reached from {start}")
    path = [end]
    while path[-1] != start:
        path.append(before[path[-1]])
    return {"length": distance[end], "path": path[::-1]}


@capability(
    "graph_theory.shortest_distances",
    tier="certified",
    source="cormen2022, sec. 22.3",
    params={
        "nodes": P("int", about="number of nodes", domain="[1, 20000]"),
        "edges": P("int[m,k]", about="start and end of each directed edge, from 0"),
        "weights": P("float64[m]", about="length of each edge", domain="[0, inf)"),
        "start": P("int", about="first node", domain="[0, 20000]"),
    },
    result=R(
        fields={
            "reached": R("int[n]", about="nodes that can be reached, ascending"),
            "distances": R("float64[n]", about="their distances"),
        }
    ),
    limit={"m": 100000, "k": 2},
    cases=[
        case(
            nodes=4,
            edges=[[0, 1], [1, 2], [0, 2]],
            weights=[1.0, 2.0, 4.0],
            start=0,
            result={"reached": [0, 1, 2], "distances": [0.0, 1.0, 3.0]},
            origin="by hand",
        ),
        case(
            nodes=2,
            edges=[[1, 0]],
            weights=[0.1],
            start=0,
            result={"reached": [0], "distances": [0.0]},
            origin="by hand",
        ),
        case(
            nodes=5,
            edges=[[0, 1], [0, 3], [0, 4], [2, 0], [2, 4], [3, 1], [4, 1], [4, 2], [4, 3]],
            weights=[8.43, 4.57, 4.3, 7.51, 5.32, 7.99, 1.76, 0.62, 3.74],
            start=0,
            result={"reached": [0, 1, 2, 3, 4], "distances": [0, 6.06, 4.92, 4.57, 4.3]},
            within=1e-14,
            origin="networkx 3.6.1, networkx.single_source_dijkstra_path_length",
        ),
    ],
)
def shortest_distances(nodes, edges, weights, start):
    """Distances from one node to all that can be reached in a directed graph."""
    node("start", start, nodes)
    distance, _ = dijkstra(weighted(nodes, edges, weights), start)
    found = sorted(distance)
    return {"reached": found, "distances": [distance[other] for other in found]}


@capability(
    "graph_theory.bellman_ford",
    tier="certified",
    source="cormen2022, sec. 22.1",
    params={
        "nodes": P("int", about="number of nodes", domain="[1, 2000]"),
        "edges": P("int[m,k]", about="start and end of each directed edge, from 0"),
        "weights": P("float64[m]", about="length of each edge, negative ones allowed"),
        "start": P("int", about="first node", domain="[0, 2000]"),
    },
    result=R(
        fields={
            "reached": R("int[n]", about="nodes that can be reached, ascending"),
            "distances": R("float64[n]", about="their distances"),
        }
    ),
    limit={"m": 5000, "k": 2},
    cases=[
        case(
            nodes=2,
            edges=[[0, 1]],
            weights=[1.5],
            start=1,
            result={"reached": [1], "distances": [0.0]},
            origin="by hand",
        ),
        case(
            nodes=3,
            edges=[[0, 1], [0, 2], [1, 2]],
            weights=[4.0, 2.0, -3.0],
            start=0,
            result={"reached": [0, 1, 2], "distances": [0.0, 4.0, 1.0]},
            origin="by hand",
        ),
        case(
            nodes=2,
            edges=[[0, 1], [1, 0]],
            weights=[1.0, -2.0],
            start=0,
            error="domain_error",
            origin="by hand: a negative cycle",
        ),
        case(
            nodes=4,
            edges=[[2, 0], [2, 1], [2, 3], [3, 1], [3, 2]],
            weights=[0.69, 3.58, 3.11, 8.72, 5.77],
            start=0,
            result={"reached": [0], "distances": [0]},
            origin="networkx 3.6.1, networkx.single_source_bellman_ford_path_length",
        ),
    ],
)
def bellman_ford(nodes, edges, weights, start):
    """Distances from one node where lengths may be negative; negative cycles are refused."""
    node("start", start, nodes)
    lines = list(zip(pairs(nodes, edges), column(rational(weights)), strict=True))
    distance = {start: fmpq(0)}
    for _ in range(nodes):
        check_deadline()
        changed = False
        for (a, b), weight in lines:
            if a in distance and (b not in distance or distance[a] + weight < distance[b]):
                distance[b], changed = distance[a] + weight, True
        if not changed:
            found = sorted(distance)
            return {"reached": found, "distances": [distance[other] for other in found]}
    raise DomainError("weights", None, "lengths without a cycle of negative length")


@capability(
    "graph_theory.minimum_spanning_tree",
    tier="certified",
    source="cormen2022, sec. 21.2",
    params={
        "nodes": P("int", about="number of nodes", domain="[1, 50000]"),
        "edges": P("int[m,k]", about="ends of each edge, from 0"),
        "weights": P("float64[m]", about="weight of each edge"),
    },
    result=R(
        fields={
            "weight": R("float64", about="least total weight"),
            "edges": R("int[n]", about="edges of the tree, by their place in the list, from 0"),
        }
    ),
    limit={"m": 200000, "k": 2},
    cases=[
        case(
            nodes=2,
            edges=[[0, 1], [0, 1]],
            weights=[2.0, 1.0],
            result={"weight": 1.0, "edges": [1]},
            origin="by hand: the lighter of two parallel edges",
        ),
        case(
            nodes=4,
            edges=[[0, 1], [1, 2], [2, 0], [2, 3]],
            weights=[1.0, 2.0, 3.0, 0.5],
            result={"weight": 3.5, "edges": [0, 1, 3]},
            origin="by hand",
        ),
        case(nodes=3, edges=[[0, 1]], weights=[1.0], error="domain_error", origin="by hand: not connected"),
        case(
            nodes=5,
            edges=[[0, 1], [0, 3], [0, 4], [1, 2], [1, 3], [1, 4], [2, 3], [2, 4], [3, 4]],
            weights=[2.43, 1.65, 6.6, 7.57, 6.15, 3.05, 1.61, 6.19, 5.37],
            result={"weight": 8.74, "edges": [0, 1, 5, 6]},
            within=1e-14,
            origin="networkx 3.6.1, networkx.minimum_spanning_tree",
        ),
    ],
)
def minimum_spanning_tree(nodes, edges, weights):
    """Edges of least total weight that connect all nodes, by Kruskal's method."""
    ends, exact, root = pairs(nodes, edges), column(rational(weights)), list(range(nodes))

    def find(a):
        while root[a] != a:
            root[a] = root[root[a]]
            a = root[a]
        return a

    taken = []
    for place in sorted(range(len(ends)), key=lambda p: (exact[p], p)):
        a, b = find(ends[place][0]), find(ends[place][1])
        if a != b:
            root[a] = b
            taken.append(place)
    if len(taken) < nodes - 1:
        raise DomainError("edges", None, "a connected graph")
    return {"weight": sum((exact[place] for place in taken), fmpq(0)), "edges": sorted(taken)}


@capability(
    "graph_theory.maximum_flow",
    tier="certified",
    source="cormen2022, sec. 24.2",
    params={
        "nodes": P("int", about="number of nodes", domain="[2, 2000]"),
        "edges": P("int[m,k]", about="start and end of each directed edge, from 0"),
        "capacities": P("float64[m]", about="capacity of each edge", domain="[0, inf)"),
        "ends": P("int[e]", about="source and sink", min_size=2),
    },
    result=R(
        fields={
            "flow": R("float64", about="greatest flow"),
            "cut": R("int[n]", about="nodes on the source's side of a least cut"),
        }
    ),
    limit={"m": 5000, "k": 2, "e": 2},
    cases=[
        case(
            nodes=6,
            edges=[[0, 1], [0, 2], [1, 3], [2, 1], [2, 4], [3, 2], [3, 5], [4, 3], [4, 5]],
            capacities=[16.0, 13.0, 12.0, 4.0, 14.0, 9.0, 20.0, 7.0, 4.0],
            ends=[0, 5],
            result={"flow": 23.0, "cut": [0, 1, 2, 4]},
            origin="cormen2022, sec. 24.2",
        ),
        case(
            nodes=3,
            edges=[[0, 1], [1, 2]],
            capacities=[0.1, 0.2],
            ends=[0, 2],
            result={"flow": 0.1, "cut": [0]},
            origin="by hand",
        ),
    ],
)
def maximum_flow(nodes, edges, capacities, ends):
    """Greatest flow from a source to a sink and a least cut that proves it."""
    source, sink = ends
    node("ends", source, nodes)
    node("ends", sink, nodes)
    if source == sink:
        raise DomainError("ends", sink, "a sink that is not the source")
    room = [{} for _ in range(nodes)]
    for (a, b), capacity in zip(pairs(nodes, edges), column(rational(capacities)), strict=True):
        room[a][b] = room[a].get(b, fmpq(0)) + capacity
        room[b].setdefault(a, fmpq(0))
    total = fmpq(0)
    while True:
        check_deadline()
        before = paths_with_room(room, source)
        if sink not in before:
            return {"flow": total, "cut": sorted(before)}
        path = [sink]
        while path[-1] != source:
            path.append(before[path[-1]])
        path.reverse()
        amount = min(room[a][b] for a, b in pairwise(path))
        for a, b in pairwise(path):
            room[a][b] -= amount
            room[b][a] += amount
        total += amount


def paths_with_room(room, source):
    """Return the predecessor of every node on a shortest path with room left."""
    before, level = {source: source}, [source]
    while level:
        following = []
        for a in level:
            for b, left in room[a].items():
                if b not in before and left > 0:
                    before[b] = a
                    following.append(b)
        level = following
    return before


@capability(
    "graph_theory.bipartite_matching",
    tier="certified",
    source="cormen2022, sec. 25.1",
    params={
        "left": P("int", about="number of nodes on the left", domain="[1, 2000]"),
        "right": P("int", about="number of nodes on the right", domain="[1, 2000]"),
        "edges": P("int[m,k]", about="left and right end of each edge, each from 0"),
    },
    result=R("int", about="size of the greatest matching"),
    limit={"m": 50000, "k": 2},
    cases=[
        case(left=3, right=3, edges=[[0, 0], [0, 1], [1, 0], [2, 2]], result=3, origin="by hand"),
        case(left=2, right=2, edges=[[0, 0], [1, 0]], result=1, origin="by hand"),
        case(
            left=4,
            right=3,
            edges=[[0, 1], [0, 2], [1, 1], [2, 0]],
            result=3,
            origin="networkx 3.6.1, networkx.bipartite.maximum_matching",
        ),
    ],
)
def bipartite_matching(left, right, edges):
    """Greatest number of disjoint edges between two sides, by augmenting paths."""
    for edge in edges:
        if len(edge) != 2 or not (0 <= edge[0] < left and 0 <= edge[1] < right):
            raise DomainError("edges", edge, "a left and a right end")
    adjacent, partner, taken = [[] for _ in range(left)], {}, {}
    for a, b in edges:
        adjacent[a].append(b)
    return sum(augmented(adjacent, partner, taken, a) for a in range(left))


def augmented(adjacent, partner, taken, start):
    """Find an alternating path from a free node on the left, and match along it."""
    before, queue = {}, [start]
    for a in queue:  # it grows while it is read
        for b in adjacent[a]:
            if b in before:
                continue
            before[b] = a
            if b not in partner:
                flip(before, partner, taken, b)
                return True
            queue.append(partner[b])
    return False


def flip(before, partner, taken, last):
    """Exchange matched and free edges along the path that ends in a node on the right."""
    while last is not None:
        a = before[last]
        following = taken.get(a)
        partner[last], taken[a] = a, last
        last = following
