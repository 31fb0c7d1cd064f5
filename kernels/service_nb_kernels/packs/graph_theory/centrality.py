"""Which nodes matter, and how they cluster: centralities, resistances and correlations, as exact fractions."""

from flint import fmpq, fmpq_mat
from service_nb_kernels.certified.matrices import check_elimination, column, rational
from service_nb_kernels.certified.polynomials import rational as exact_number
from service_nb_kernels.certified.rounding import check_deadline
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError
from service_nb_kernels.packs.graph_theory.paths import connected, neighbours, node, pairs, reached


@capability(
    "graph_theory.effective_resistance",
    tier="certified",
    version=3,
    source="godsil2001, sec. 13",
    params={
        "nodes": P("int", about="number of nodes", domain="[2, 300]"),
        "edges": P("int[m,k]", about="ends of each edge, from 0"),
        "conductances": P("float64[m]", about="conductance of each edge", domain="(0, inf)"),
        "ends": P("int[e]", about="the two nodes", min_size=2),
    },
    result=R("float64", about="resistance between them"),
    limit={"m": 5000, "k": 2, "e": 2},
    cases=[
        case(
            nodes=3,
            edges=[[0, 1], [1, 2], [0, 2]],
            conductances=[1.0, 1.0, 1.0],
            ends=[0, 2],
            result=0.6666666666666666,
            origin="by hand: 1 beside 2",
        ),
        case(
            nodes=3,
            edges=[[0, 1], [1, 2]],
            conductances=[0.5, 0.25],
            ends=[0, 2],
            result=6.0,
            origin="by hand: in series",
        ),
        case(
            nodes=3,
            edges=[[0, 1]],
            conductances=[1.0],
            ends=[0, 2],
            error="domain_error",
            origin="by hand: not connected",
        ),
        case(nodes=4, edges=[[0, 1]], conductances=[2.0], ends=[0, 1], result=0.5, origin="by hand: others apart"),
        case(
            nodes=8,
            edges=[
                [0, 2],
                [0, 3],
                [0, 6],
                [0, 7],
                [1, 5],
                [1, 6],
                [2, 3],
                [2, 4],
                [2, 6],
                [2, 7],
                [3, 4],
                [3, 6],
                [3, 7],
                [4, 5],
                [4, 7],
                [5, 6],
                [5, 7],
                [6, 7],
            ],
            conductances=[
                0.34,
                3.43,
                7.14,
                5.78,
                3.77,
                5.84,
                8.9,
                7.66,
                4.98,
                2.06,
                5.25,
                8.93,
                4.56,
                7.99,
                5.9,
                0.62,
                8.94,
                8.43,
            ],
            ends=[5, 7],
            result=0.06321749775245718,
            within=1e-14,
            origin="networkx 3.6.1, networkx.resistance_distance",
        ),
    ],
)
def effective_resistance(nodes, edges, conductances, ends):
    """Resistance between two nodes of a network of conductors."""
    node("ends", ends[0], nodes)
    node("ends", ends[1], nodes)
    part = sorted(reached(neighbours(nodes, edges), ends[0]))
    if ends[1] not in part:
        raise DomainError("ends", ends, "two nodes that edges connect")
    table = [[fmpq(0)] * nodes for _ in range(nodes)]
    for (a, b), value in zip(pairs(nodes, edges), column(rational(conductances)), strict=True):
        if a != b:
            for i, j, sign in ((a, a, 1), (b, b, 1), (a, b, -1), (b, a, -1)):
                table[i][j] += sign * value
    if ends[0] == ends[1]:
        return fmpq(0)
    kept = [i for i in part if i != ends[1]]  # the second node is the ground
    grounded = fmpq_mat([[table[i][j] for j in kept] for i in kept])
    check_elimination(grounded)
    potentials = column(grounded.solve(fmpq_mat([[int(i == ends[0])] for i in kept])))
    return potentials[kept.index(ends[0])]


@capability(
    "graph_theory.pagerank",
    tier="certified",
    version=3,
    source="newman2018, sec. 7.1.4",
    params={
        "nodes": P("int", about="number of nodes", domain="[1, 300]"),
        "edges": P(
            "int[m,k]", about="start and end of each directed edge, from 0; loops and repeated edges do not count"
        ),
        "damping": P("float64", about="probability to follow an edge", domain="[0, 1)"),
    },
    result=R("float64[n]", about="rank of each node, which sum to one", range="[0, 1]"),
    limit={"m": 5000, "k": 2},
    cases=[
        case(nodes=2, edges=[[0, 1], [1, 0]], damping=0.85, result=[0.5, 0.5], origin="by hand"),
        case(
            nodes=3,
            edges=[[0, 1], [1, 2], [2, 1]],
            damping=0.5,
            result=[0.16666666666666666, 0.4444444444444444, 0.3888888888888889],
            origin="by hand",
        ),
        case(
            nodes=7,
            edges=[
                [0, 3],
                [0, 5],
                [1, 2],
                [1, 5],
                [1, 6],
                [2, 3],
                [2, 6],
                [3, 1],
                [3, 4],
                [3, 6],
                [4, 1],
                [4, 2],
                [4, 5],
                [5, 0],
                [5, 1],
                [5, 2],
                [5, 3],
                [6, 3],
            ],
            damping=0.188,
            result=[
                0.12278598573504915,
                0.1417402212483089,
                0.1396267782897675,
                0.17546537484205832,
                0.12699583015676885,
                0.14438267521381304,
                0.14900313451423433,
            ],
            within=1e-14,
            origin="networkx 3.6.1, networkx.pagerank",
        ),
    ],
)
def pagerank(nodes, edges, damping):
    """Stationary shares of a surfer who follows edges or jumps anywhere; from dead ends he always jumps."""
    ahead, share = neighbours(nodes, edges, directed=True), exact_number(damping)
    table = [[fmpq(int(i == j)) for j in range(nodes)] for i in range(nodes)]
    for a, others in enumerate(ahead):
        for b in others or range(nodes):
            table[b][a] -= share / len(others or range(nodes))
    right = [[(1 - share) / nodes] for _ in range(nodes)]
    matrix = fmpq_mat(table)
    check_elimination(matrix)
    return column(matrix.solve(fmpq_mat(right)))


@capability(
    "graph_theory.betweenness_centrality",
    tier="certified",
    source="brandes2001",
    params={
        "nodes": P("int", about="number of nodes", domain="[1, 500]"),
        "edges": P("int[m,k]", about="ends of each edge, from 0"),
    },
    result=R("float64[n]", about="betweenness of each node, each pair counted once and not normalized"),
    limit={"m": 20000, "k": 2},
    cases=[
        case(
            nodes=5,
            edges=[[0, 1], [1, 2], [2, 3], [3, 4]],
            result=[0.0, 3.0, 4.0, 3.0, 0.0],
            origin="by hand",
        ),
        case(
            nodes=5,
            edges=[[0, 1], [0, 2], [1, 3], [2, 3], [3, 4]],
            result=[0.5, 1.0, 1.0, 3.5, 0.0],
            origin="by hand",
        ),
        case(
            nodes=8,
            edges=[
                [0, 5],
                [0, 7],
                [1, 2],
                [1, 5],
                [2, 3],
                [2, 4],
                [2, 5],
                [2, 7],
                [3, 4],
                [3, 5],
                [3, 6],
                [4, 6],
                [4, 7],
            ],
            result=[0.5, 0.0, 4.666666666666666, 3.1666666666666665, 2.833333333333333, 3.833333333333333, 0.0, 2.0],
            within=1e-14,
            origin="networkx 3.6.1, networkx.betweenness_centrality",
        ),
    ],
)
def betweenness_centrality(nodes, edges):
    """How many shortest paths between other nodes lead through each node, shared ones in fractions."""
    adjacent = neighbours(nodes, edges)
    total = [fmpq(0)] * nodes
    for start in range(nodes):
        check_deadline()
        distance = reached(adjacent, start)
        order = sorted(distance, key=distance.__getitem__)
        paths, pull = {start: 1}, dict.fromkeys(order, fmpq(0))
        for at in order[1:]:
            paths[at] = sum(paths[b] for b in adjacent[at] if distance[b] == distance[at] - 1)
        for at in reversed(order[1:]):
            for b in adjacent[at]:
                if distance[b] == distance[at] - 1:
                    pull[b] += fmpq(paths[b], paths[at]) * (1 + pull[at])
            total[at] += pull[at]
    return [value / 2 for value in total]


@capability(
    "graph_theory.closeness_centrality",
    tier="certified",
    source="newman2018, sec. 7.1.6",
    params={
        "nodes": P("int", about="number of nodes", domain="[2, 2000]"),
        "edges": P("int[m,k]", about="ends of each edge, from 0"),
    },
    result=R("float64[n]", about="closeness of each node"),
    limit={"m": 50000, "k": 2},
    cases=[
        case(
            nodes=4,
            edges=[[0, 1], [1, 2], [2, 3]],
            result=[0.5, 0.75, 0.75, 0.5],
            origin="by hand",
        ),
        case(
            nodes=4,
            edges=[[0, 1], [0, 2], [0, 3]],
            result=[1.0, 0.6, 0.6, 0.6],
            origin="networkx 3.6.1, networkx.closeness_centrality",
        ),
    ],
)
def closeness_centrality(nodes, edges):
    """Reciprocal of the mean distance of each node to all others, in a connected graph."""
    adjacent = neighbours(nodes, edges)
    connected(adjacent)
    return [fmpq(nodes - 1, sum(reached(adjacent, start).values())) for start in range(nodes)]


@capability(
    "graph_theory.clustering_coefficient",
    tier="certified",
    version=2,
    source="newman2018, sec. 7.3",
    params={
        "nodes": P("int", about="number of nodes", domain="[3, 5000]"),
        "edges": P("int[m,k]", about="ends of each edge, from 0"),
    },
    result=R("float64", about="share of connected triples that close", range="[0, 1]"),
    limit={"m": 50000, "k": 2},
    cases=[
        case(nodes=4, edges=[[0, 1], [1, 2], [2, 0], [2, 3]], result=0.6, origin="by hand"),
        case(nodes=3, edges=[[0, 1], [1, 2]], result=0.0, origin="by hand"),
        case(
            nodes=6,
            edges=[[0, 1], [0, 3], [0, 5], [1, 2], [1, 4], [1, 5], [2, 3], [2, 4], [2, 5], [3, 5], [4, 5]],
            result=0.6774193548387096,
            within=1e-14,
            origin="networkx 3.6.1, networkx.transitivity",
        ),
    ],
)
def clustering_coefficient(nodes, edges):
    """Share of the paths of two edges whose ends are joined as well: a graph's transitivity."""
    adjacent = neighbours(nodes, edges)
    closed = sum(len(adjacent[a] & adjacent[b]) for a in range(nodes) for b in adjacent[a])
    triples = sum(len(others) * (len(others) - 1) for others in adjacent)
    if not triples:
        raise DomainError("edges", None, "a graph with a node of two neighbours")
    return fmpq(closed, triples)


@capability(
    "graph_theory.triangle_count",
    tier="certified",
    source="newman2018, sec. 7.3",
    params={
        "nodes": P("int", about="number of nodes", domain="[1, 20000]"),
        "edges": P("int[m,k]", about="ends of each edge, from 0"),
    },
    result=R("int", about="number of triangles"),
    limit={"m": 100000, "k": 2},
    cases=[
        case(nodes=4, edges=[[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]], result=4, origin="by hand"),
        case(nodes=3, edges=[[0, 1], [1, 2]], result=0, origin="by hand"),
        case(
            nodes=8,
            edges=[
                [0, 1],
                [0, 3],
                [0, 7],
                [1, 2],
                [1, 4],
                [1, 5],
                [1, 6],
                [1, 7],
                [2, 4],
                [2, 5],
                [2, 6],
                [3, 6],
                [4, 5],
                [4, 7],
            ],
            result=7,
            origin="networkx 3.6.1, networkx.triangles",
        ),
    ],
)
def triangle_count(nodes, edges):
    """Number of triples of nodes that are all joined."""
    adjacent = neighbours(nodes, edges)
    return sum(len(adjacent[a] & adjacent[b]) for a in range(nodes) for b in adjacent[a] if a < b) // 3


@capability(
    "graph_theory.modularity",
    tier="certified",
    source="newman2018, sec. 7.7",
    params={
        "nodes": P("int", about="number of nodes", domain="[1, 20000]"),
        "edges": P("int[m,k]", about="ends of each edge, from 0; loops and repeated edges do not count"),
        "groups": P("int[n]", about="group of each node", domain="[0, 20000]"),
    },
    result=R("float64", about="modularity"),
    limit={"m": 100000, "k": 2},
    cases=[
        case(
            nodes=6,
            edges=[[0, 1], [1, 2], [2, 0], [3, 4], [4, 5], [5, 3], [2, 3]],
            groups=[0, 0, 0, 1, 1, 1],
            result=0.35714285714285715,
            origin="by hand",
        ),
        case(nodes=4, edges=[[0, 1], [2, 3]], groups=[0, 0, 1, 1], result=0.5, origin="by hand"),
        case(
            nodes=8,
            edges=[
                [0, 1],
                [0, 6],
                [0, 7],
                [1, 3],
                [1, 4],
                [2, 3],
                [2, 5],
                [2, 6],
                [2, 7],
                [3, 4],
                [3, 5],
                [3, 6],
                [5, 7],
                [6, 7],
            ],
            groups=[1, 2, 0, 0, 2, 1, 2, 2],
            result=-0.15051020408163263,
            within=1e-14,
            origin="networkx 3.6.1, networkx.community.modularity",
        ),
    ],
)
def modularity(nodes, edges, groups):
    """Share of edges within groups beyond what chance would put there."""
    if len(groups) != nodes:
        raise DomainError("groups", len(groups), f"a group for each of {nodes} nodes")
    adjacent = neighbours(nodes, edges)
    double = sum(map(len, adjacent))
    if not double:
        raise DomainError("edges", None, "an edge between two nodes")
    inside = sum(groups[a] == groups[b] for a in range(nodes) for b in adjacent[a])
    degrees = {}
    for a, group in enumerate(groups):
        degrees[group] = degrees.get(group, 0) + len(adjacent[a])
    return fmpq(inside, double) - fmpq(sum(d * d for d in degrees.values()), double * double)


@capability(
    "graph_theory.degree_assortativity",
    tier="certified",
    source="newman2018, eq. 7.64",
    params={
        "nodes": P("int", about="number of nodes", domain="[1, 20000]"),
        "edges": P("int[m,k]", about="ends of each edge, from 0; loops and repeated edges do not count"),
    },
    result=R("float64", about="correlation"),
    limit={"m": 100000, "k": 2},
    cases=[
        case(
            nodes=4,
            edges=[[0, 1], [1, 2], [2, 3]],
            result=-0.5,
            origin="networkx 3.6.1, networkx.degree_assortativity_coefficient",
        ),
        case(
            nodes=5,
            edges=[[0, 1], [0, 2], [0, 3], [1, 2], [3, 4]],
            result=-0.1111111111111111,
            origin="by hand",
        ),
        case(nodes=3, edges=[[0, 1], [1, 2], [2, 0]], error="domain_error", origin="by hand: all degrees are equal"),
    ],
)
def degree_assortativity(nodes, edges):
    """Correlation of the degrees at both ends of the edges."""
    adjacent = neighbours(nodes, edges)
    d = [len(others) for others in adjacent]
    double, first, second = sum(d), sum(x**2 for x in d), sum(x**3 for x in d)
    mixed = sum(d[a] * d[b] for a in range(nodes) for b in adjacent[a])
    if double * second == first**2:
        raise DomainError("edges", None, "nodes of different degrees")
    return fmpq(double * mixed - first**2, double * second - first**2)
