"""Parts, orders, colours and spectra of graphs."""

from heapq import heappop, heappush
from itertools import pairwise

from flint import fmpz_mat, fmpz_poly
from service_nb_kernels.certified.matrices import column, rational
from service_nb_kernels.certified.polynomials import real_roots
from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError
from service_nb_kernels.packs.graph_theory.paths import components, connected, neighbours, pairs, reached


def laplacian(nodes, edges):
    """Return the Laplacian matrix of a simple graph."""
    adjacent = neighbours(nodes, edges)
    return fmpz_mat(
        [[len(adjacent[i]) if i == j else -int(j in adjacent[i]) for j in range(nodes)] for i in range(nodes)]
    )


@capability(
    "graph_theory.connected_components",
    tier="certified",
    source="cormen2022, sec. 19.1",
    params={
        "nodes": P("int", about="number of nodes", domain="[1, 100000]"),
        "edges": P("int[m,k]", about="ends of each edge, from 0"),
    },
    result=R("int[n]", about="number of the component of each node, from 0 by the first node"),
    limit={"m": 200000, "k": 2},
    cases=[
        case(nodes=5, edges=[[0, 1], [3, 4]], result=[0, 0, 1, 2, 2], origin="by hand"),
        case(nodes=3, edges=[[0, 2], [2, 1]], result=[0, 0, 0], origin="by hand"),
        case(
            nodes=8,
            edges=[[0, 2], [0, 3], [1, 2], [1, 3], [1, 6], [4, 7]],
            result=[0, 0, 0, 0, 1, 2, 0, 1],
            origin="networkx 3.6.1, networkx.connected_components",
        ),
    ],
)
def connected_components(nodes, edges):
    """Number of the connected part that each node belongs to."""
    found = [0] * nodes
    for number, part in enumerate(components(neighbours(nodes, edges))):
        for member in part:
            found[member] = number
    return found


@capability(
    "graph_theory.strongly_connected_components",
    tier="certified",
    source="cormen2022, sec. 20.5",
    params={
        "nodes": P("int", about="number of nodes", domain="[1, 50000]"),
        "edges": P("int[m,k]", about="start and end of each directed edge, from 0"),
    },
    result=R("int[n]", about="number of the component of each node, from 0 by the first node"),
    limit={"m": 100000, "k": 2},
    cases=[
        case(nodes=4, edges=[[0, 1], [1, 2], [2, 0], [2, 3]], result=[0, 0, 0, 1], origin="by hand"),
        case(nodes=3, edges=[[0, 1], [1, 2]], result=[0, 1, 2], origin="by hand"),
        case(
            nodes=7,
            edges=[[0, 6], [1, 4], [1, 5], [1, 6], [2, 4], [3, 5], [3, 6], [4, 0], [4, 2], [5, 0], [6, 4]],
            result=[0, 1, 0, 2, 0, 3, 0],
            origin="networkx 3.6.1, networkx.strongly_connected_components",
        ),
    ],
)
def strongly_connected_components(nodes, edges):
    """Number of the part of a directed graph, within which every node reaches every other."""
    ahead = neighbours(nodes, edges, directed=True)
    back = neighbours(nodes, [[b, a] for a, b in edges], directed=True)
    label = [-1] * nodes
    for root in reversed(finish_order(ahead)):
        if label[root] < 0:
            stack = [root]
            label[root] = root
            while stack:
                for other in back[stack.pop()]:
                    if label[other] < 0:
                        label[other] = root
                        stack.append(other)
    numbers = {}
    return [numbers.setdefault(root, len(numbers)) for root in label]


def finish_order(adjacent):
    """Return the nodes in the order in which a search in depth leaves them."""
    seen, order = set(), []
    for start in range(len(adjacent)):
        if start in seen:
            continue
        seen.add(start)
        stack = [(start, iter(sorted(adjacent[start])))]
        while stack:
            rest = stack[-1][1]
            follow = next((other for other in rest if other not in seen), None)
            if follow is None:
                order.append(stack.pop()[0])
            else:
                seen.add(follow)
                stack.append((follow, iter(sorted(adjacent[follow]))))
    return order


@capability(
    "graph_theory.topological_order",
    tier="certified",
    source="cormen2022, sec. 20.4",
    params={
        "nodes": P("int", about="number of nodes", domain="[1, 100000]"),
        "edges": P("int[m,k]", about="start and end of each directed edge, from 0"),
    },
    result=R("int[n]", about="nodes in order, the least free one first"),
    limit={"m": 200000, "k": 2},
    cases=[
        case(nodes=4, edges=[[3, 1], [1, 0], [2, 0]], result=[2, 3, 1, 0], origin="by hand"),
        case(nodes=3, edges=[[2, 1], [1, 0]], result=[2, 1, 0], origin="by hand"),
        case(nodes=2, edges=[[0, 1], [1, 0]], error="domain_error", origin="by hand: a cycle"),
        case(
            nodes=8,
            edges=[
                [0, 3],
                [0, 4],
                [0, 7],
                [1, 3],
                [1, 6],
                [1, 7],
                [2, 4],
                [2, 5],
                [2, 6],
                [3, 4],
                [3, 5],
                [3, 6],
                [3, 7],
                [4, 5],
                [4, 7],
                [5, 7],
                [6, 7],
            ],
            result=[0, 1, 2, 3, 4, 5, 6, 7],
            origin="networkx 3.6.1, networkx.lexicographical_topological_sort",
        ),
    ],
)
def topological_order(nodes, edges):
    """Order of the nodes of a directed graph in which every edge points ahead."""
    ahead = neighbours(nodes, edges, directed=True)
    waits = [0] * nodes
    for others in ahead:
        for other in others:
            waits[other] += 1
    heap = [a for a in range(nodes) if not waits[a]]
    order = []
    while heap:
        at = heappop(heap)
        order.append(at)
        for other in ahead[at]:
            waits[other] -= 1
            if not waits[other]:
                heappush(heap, other)
    if len(order) < nodes or any(a == b for a, b in edges):
        raise DomainError("edges", None, "a graph without directed cycles")
    return order


@capability(
    "graph_theory.critical_path",
    tier="certified",
    source="cormen2022, sec. 22.2",
    params={
        "durations": P("float64[n]", about="duration of each task", domain="[0, inf)"),
        "edges": P("int[m,k]", about="task that comes before, task that comes after, from 0"),
    },
    result=R(
        fields={
            "length": R("float64", about="least time for all tasks"),
            "path": R("int[p]", about="a longest chain of tasks, none of which may be delayed, in order"),
        }
    ),
    limit={"n": 20000, "m": 100000, "k": 2},
    cases=[
        case(
            durations=[3.0, 2.0, 4.0, 1.0],
            edges=[[0, 1], [0, 2], [1, 3], [2, 3]],
            result={"length": 8.0, "path": [0, 2, 3]},
            origin="by hand",
        ),
        case(durations=[1.0, 5.0], edges=[[0, 1]], result={"length": 6.0, "path": [0, 1]}, origin="by hand"),
        case(
            durations=[8.47, 8.04, 5.92, 1.87],
            edges=[[0, 1], [0, 2], [0, 3], [1, 2], [2, 3]],
            result={"length": 24.3, "path": [0, 1, 2, 3]},
            within=1e-14,
            origin="networkx 3.6.1, networkx.dag_longest_path",
        ),
    ],
)
def critical_path(durations, edges):
    """Least time for tasks that wait for each other, and the tasks that decide it."""
    size, exact = len(durations), column(rational(durations))
    before = neighbours(size, [[b, a] for a, b in pairs(size, edges)], directed=True)
    finish, cause = {}, {}
    for task in topological_order(size, edges):
        cause[task] = min(before[task], key=lambda other: (-finish[other], other), default=None)
        finish[task] = exact[task] + (finish[cause[task]] if before[task] else 0)
    path = [min(finish, key=lambda task: (-finish[task], task))]
    while cause[path[-1]] is not None:
        path.append(cause[path[-1]])
    return {"length": finish[path[0]], "path": path[::-1]}


@capability(
    "graph_theory.is_bipartite",
    tier="certified",
    source="diestel2017, prop. 1.6.1",
    params={
        "nodes": P("int", about="number of nodes", domain="[1, 100000]"),
        "edges": P("int[m,k]", about="ends of each edge, from 0"),
    },
    result=R("bool", about="whether two colors suffice"),
    limit={"m": 200000, "k": 2},
    cases=[
        case(nodes=4, edges=[[0, 1], [1, 2], [2, 3], [3, 0]], result=True, origin="by hand"),
        case(nodes=3, edges=[[0, 1], [1, 2], [2, 0]], result=False, origin="by hand"),
        case(nodes=4, edges=[[0, 2]], result=True, origin="networkx 3.6.1, networkx.is_bipartite"),
    ],
)
def is_bipartite(nodes, edges):
    """Whether two colors suffice so that no edge joins nodes of one color."""
    adjacent = neighbours(nodes, edges)
    depth = {}
    for part in components(adjacent):
        depth |= reached(adjacent, part[0])
    return all((depth[a] - depth[b]) % 2 for a, b in edges)


@capability(
    "graph_theory.spanning_tree_count",
    tier="certified",
    version=2,
    source="godsil2001, sec. 13.2",
    params={
        "nodes": P("int", about="number of nodes", domain="[1, 300]"),
        "edges": P("int[m,k]", about="ends of each edge, from 0; repeated ones count once"),
    },
    result=R("int", about="number of spanning trees"),
    limit={"m": 10000, "k": 2},
    cases=[
        case(
            nodes=4,
            edges=[[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]],
            result=16,
            origin="by hand: Cayley's formula",
        ),
        case(nodes=4, edges=[[0, 1], [1, 2], [2, 3], [3, 0]], result=4, origin="by hand"),
        case(
            nodes=6,
            edges=[[0, 4], [1, 3], [2, 4], [3, 4], [3, 5]],
            result=1,
            origin="networkx 3.6.1, networkx.number_of_spanning_trees",
        ),
    ],
)
def spanning_tree_count(nodes, edges):
    """Number of trees that connect all nodes, by Kirchhoff's theorem."""
    table = laplacian(nodes, edges).tolist()
    return fmpz_mat([row[1:] for row in table[1:]]).det() if nodes > 1 else 1


@capability(
    "graph_theory.laplacian_spectrum",
    tier="certified",
    version=2,
    source="godsil2001, sec. 13.1",
    params={
        "nodes": P("int", about="number of nodes", domain="[1, 100]"),
        "edges": P("int[m,k]", about="ends of each edge, from 0; loops and repeated edges do not count"),
    },
    result=R("float64[n]", about="eigenvalues of the Laplacian, ascending"),
    limit={"m": 10000, "k": 2},
    cases=[
        case(nodes=3, edges=[[0, 1], [1, 2]], result=[0.0, 1.0, 3.0], origin="by hand"),
        case(
            nodes=4,
            edges=[[0, 1], [1, 2], [2, 3]],
            result=[0.0, 0.585786437626905, 2.0, 3.414213562373095],
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            nodes=5,
            edges=[[1, 2]],
            result=[0.0, 0.0, 0.0, 0.0, 2.0],
            within=1e-14,
            origin="networkx 3.6.1, networkx.laplacian_spectrum",
        ),
    ],
)
def laplacian_spectrum(nodes, edges):
    """Eigenvalues of the Laplacian matrix of a graph; the zeros count its parts."""
    return [root for root, many in real_roots(laplacian(nodes, edges).charpoly()) for _ in range(many)]


@capability(
    "graph_theory.algebraic_connectivity",
    tier="certified",
    version=2,
    source="godsil2001, sec. 13.5",
    params={
        "nodes": P("int", about="number of nodes", domain="[2, 100]"),
        "edges": P("int[m,k]", about="ends of each edge, from 0; loops and repeated edges do not count"),
    },
    result=R("float64", about="second smallest eigenvalue of the Laplacian"),
    limit={"m": 10000, "k": 2},
    cases=[
        case(nodes=4, edges=[[0, 1], [1, 2], [2, 3]], result=0.585786437626905, origin="mpmath 1.4.1, 50 digits"),
        case(nodes=3, edges=[[0, 1]], result=0.0, origin="by hand: not connected"),
        case(
            nodes=4,
            edges=[[0, 2], [1, 2], [1, 3], [2, 3]],
            result=0.9999999999999997,
            within=1e-14,
            origin="networkx 3.6.1, networkx.algebraic_connectivity",
        ),
    ],
)
def algebraic_connectivity(nodes, edges):
    """Second smallest eigenvalue of a graph's Laplacian: how hard it is to cut apart."""
    return laplacian_spectrum(nodes, edges)[1]


@capability(
    "graph_theory.adjacency_spectrum",
    tier="certified",
    version=2,
    source="godsil2001, sec. 8.1",
    params={
        "nodes": P("int", about="number of nodes", domain="[1, 100]"),
        "edges": P("int[m,k]", about="ends of each edge, from 0; loops and repeated edges do not count"),
    },
    result=R("float64[n]", about="eigenvalues of the adjacency matrix, ascending"),
    limit={"m": 10000, "k": 2},
    cases=[
        case(nodes=3, edges=[[0, 1], [1, 2], [2, 0]], result=[-1.0, -1.0, 2.0], origin="by hand"),
        case(
            nodes=3,
            edges=[[0, 1], [1, 2]],
            result=[-1.4142135623730951, 0.0, 1.4142135623730951],
            origin="mpmath 1.4.1, 50 digits",
        ),
        case(
            nodes=6,
            edges=[[0, 3], [0, 5], [1, 2], [1, 5], [2, 4], [2, 5], [3, 4]],
            result=[
                -1.7565982538600668,
                -1.6180339887498947,
                -0.8202492506530016,
                0.6180339887498951,
                1.1385642651101742,
                2.4382832394028964,
            ],
            within=1e-14,
            origin="networkx 3.6.1, networkx.adjacency_spectrum",
        ),
    ],
)
def adjacency_spectrum(nodes, edges):
    """Eigenvalues of the adjacency matrix of a simple graph."""
    adjacent = neighbours(nodes, edges)
    matrix = fmpz_mat([[int(j in adjacent[i]) for j in range(nodes)] for i in range(nodes)])
    return [root for root, many in real_roots(matrix.charpoly()) for _ in range(many)]


@capability(
    "graph_theory.diameter",
    tier="certified",
    source="diestel2017, sec. 1.3",
    params={
        "nodes": P("int", about="number of nodes", domain="[1, 3000]"),
        "edges": P("int[m,k]", about="ends of each edge, from 0"),
    },
    result=R(fields={"diameter": R("int", about="greatest distance"), "radius": R("int", about="least eccentricity")}),
    limit={"m": 50000, "k": 2},
    cases=[
        case(nodes=5, edges=[[0, 1], [1, 2], [2, 3], [3, 4]], result={"diameter": 4, "radius": 2}, origin="by hand"),
        case(nodes=4, edges=[[0, 1], [0, 2], [0, 3]], result={"diameter": 2, "radius": 1}, origin="by hand"),
        case(
            nodes=4,
            edges=[[0, 1], [0, 2], [1, 2], [2, 3]],
            result={"diameter": 2, "radius": 1},
            origin="networkx 3.6.1, networkx.diameter",
        ),
    ],
)
def diameter(nodes, edges):
    """Greatest distance in steps within a connected graph, and the least eccentricity."""
    adjacent = neighbours(nodes, edges)
    connected(adjacent)
    farthest = [max(reached(adjacent, start).values()) for start in range(nodes)]
    return {"diameter": max(farthest), "radius": min(farthest)}


@capability(
    "graph_theory.chromatic_polynomial",
    tier="certified",
    version=2,
    source="diestel2017, sec. 5.1",
    params={
        "nodes": P("int", about="number of nodes", domain="[1, 14]"),
        "edges": P("int[m,k]", about="ends of each edge, from 0; repeated ones count once"),
    },
    result=R("int[n]", about="coefficients from the constant up"),
    limit={"m": 1000, "k": 2},
    cases=[
        case(nodes=3, edges=[[0, 1], [1, 2], [2, 0]], result=[0, 2, -3, 1], origin="by hand: x (x - 1) (x - 2)"),
        case(
            nodes=4,
            edges=[[0, 1], [1, 2], [2, 3], [3, 0]],
            result=[0, -3, 6, -4, 1],
            origin="by hand: (x - 1)^4 + (x - 1)",
        ),
        case(
            nodes=7,
            edges=[[i, j] for j in range(7) for i in range(j)],
            result=[0, 720, -1764, 1624, -735, 175, -21, 1],
            origin="by hand: x (x - 1) ... (x - 6), with 21 edges",
        ),
        case(
            nodes=5,
            edges=[[1, 3], [1, 4], [3, 4]],
            result=[0, 0, 0, 2, -3, 1],
            origin="networkx 3.6.1, networkx.chromatic_polynomial",
        ),
    ],
)
def chromatic_polynomial(nodes, edges):
    """Polynomial that counts the colorings of a graph for any number of colors."""
    simple = sorted({(min(a, b), max(a, b)) for a, b in pairs(nodes, edges)})
    if any(a == b for a, b in simple):
        raise DomainError("edges", None, "a graph without loops")
    return interpolated(colorings(nodes, simple))


def colorings(nodes, edges):
    """Return how many colorings with 0, 1, ... colors there are, by inclusion and exclusion over sets of nodes."""
    beside = [0] * nodes
    for a, b in edges:
        beside[a] |= 1 << b
        beside[b] |= 1 << a
    one_more, independent = fmpz_poly([0, 1]), [fmpz_poly([1])]  # of each set: its independent subsets by their size
    for chosen in range(1, 1 << nodes):
        last = chosen.bit_length() - 1
        rest = chosen ^ 1 << last
        independent.append(independent[rest] + one_more * independent[rest & ~beside[last]])
    counts = [0] * (nodes + 1)
    for chosen, subsets in enumerate(independent):
        if chosen % 1024 == 0:
            check_deadline()
        power, sign = subsets, (-1) ** (nodes - chosen.bit_count())
        for colors in range(1, nodes + 1):  # that many disjoint independent sets, whose sizes add up to all nodes
            counts[colors] += sign * int(power[nodes])
            power *= subsets
    return counts


def interpolated(values):
    """Return the polynomial through values at 0, 1, ..., by Newton's differences."""
    found, product, factorial = fmpz_poly([0]), fmpz_poly([1]), 1
    for order in range(len(values)):
        found += product * (values[0] // factorial)
        product *= fmpz_poly([-order, 1])
        factorial *= order + 1
        values = [following - value for value, following in pairwise(values)]
    return [int(coefficient) for coefficient in found.coeffs()]
