"""Ratings from all games of a season at once."""

from __future__ import annotations

from flint import fmpq, fmpq_mat

from service_nb_kernels.certified.matrices import check_elimination
from service_nb_kernels.declare import P, R, capability, case
from service_nb_kernels.errors import DomainError


def check_table(name: str, table: list[list[int]]) -> None:
    """Refuse games of a team against itself."""
    for place, row in enumerate(table):
        if row[place] != 0:
            raise DomainError(name, row[place], "0 on the diagonal")


def solve(rows: list[list[fmpq]], right: list[fmpq]) -> list[fmpq]:
    """Solve a square system exactly."""
    size = len(rows)
    matrix = fmpq_mat(size, size, [each for row in rows for each in row])
    check_elimination(matrix)
    try:
        found = matrix.solve(fmpq_mat(size, 1, right))
    except ZeroDivisionError:
        raise DomainError("games", None, "teams that are all linked by games") from None
    return [found[place, 0] for place in range(size)]


@capability(
    "sports.colley_ratings",
    tier="certified",
    version=2,
    source="colley2002",
    keywords=["college football ranking", "Colley matrix", "strength of schedule"],
    params={
        "wins": P("int[n,n]", domain="[0, 1000000]", about="how often the team of the row beat that of the column")
    },
    result=R("float64[n]", about="rating of each team; their mean is 0.5"),
    limit={"n": 400},
    cases=[
        case(
            wins=[
                [0, 1, 1, 2, 2, 1],
                [0, 0, 2, 0, 2, 2],
                [3, 0, 0, 1, 0, 3],
                [2, 2, 0, 0, 3, 3],
                [3, 3, 1, 0, 0, 3],
                [2, 2, 1, 1, 2, 0],
            ],
            result=[
                0.446015480716426,
                0.439466762365384,
                0.536880140537171,
                0.650422003778474,
                0.501985978088245,
                0.425229634514301,
            ],
            within=1e-09,
            origin="elote 1.5.1, elote.ColleyMatrixCompetitor.rating",
        ),
        case(
            wins=[[0, 3, 0, 3, 0], [1, 0, 1, 3, 2], [1, 3, 0, 3, 1], [3, 2, 0, 0, 3], [0, 1, 3, 1, 0]],
            result=[0.510980868292073, 0.453724121307348, 0.611911117459581, 0.45265728085133, 0.470726612089668],
            within=1e-09,
            origin="elote 1.5.1, elote.ColleyMatrixCompetitor.rating",
        ),
    ],
)
def colley_ratings(wins: list[list[int]]) -> list[fmpq]:
    """Colley ratings of teams from who beat whom, without margins of victory."""
    check_table("wins", wins)
    size = len(wins)
    games = [[wins[a][b] + wins[b][a] for b in range(size)] for a in range(size)]
    rows = [[fmpq(2 + sum(games[a])) if a == b else fmpq(-games[a][b]) for b in range(size)] for a in range(size)]
    lost = [sum(row[a] for row in wins) for a in range(size)]
    return solve(rows, [1 + fmpq(sum(wins[a]) - lost[a], 2) for a in range(size)])


@capability(
    "sports.massey_ratings",
    version=3,
    tier="certified",
    source="langville2012, ch. 2",
    keywords=["point differential", "least squares ranking", "strength of schedule"],
    params={
        "games": P("int[n,n]", domain="[0, 1000000]", about="games that the team of the row played against the other"),
        "points": P("int[n,n]", domain="[0, 1e9]", about="points that the team of the row scored against the other"),
    },
    result=R("float64[n]", about="rating of each team in points; their sum is 0"),
    limit={"n": 400},
    cases=[
        case(
            games=[
                [0, 1, 1, 1, 1, 1],
                [1, 0, 1, 1, 1, 1],
                [1, 1, 0, 1, 1, 1],
                [1, 1, 1, 0, 1, 1],
                [1, 1, 1, 1, 0, 1],
                [1, 1, 1, 1, 1, 0],
            ],
            points=[
                [0, 51, 53, 23, 35, 23],
                [48, 0, 99, 47, 93, 99],
                [72, 94, 0, 47, 79, 83],
                [40, 84, 48, 0, 59, 93],
                [80, 84, 56, 72, 0, 63],
                [46, 100, 44, 78, 54, 0],
            ],
            result=[-16.8333333333333, -4.5, 12.5, 9.5, 5.8333333333333, -6.5],
            within=1e-08,
            origin="elote 1.5.1, elote.MasseyCompetitor.rating",
        ),
        case(
            games=[[0, 1, 1, 1], [1, 0, 1, 1], [1, 1, 0, 1], [1, 1, 1, 0]],
            points=[[0, 73, 53, 57], [74, 0, 83, 75], [28, 78, 0, 101], [28, 50, 88, 0]],
            result=[13.25, 7.75, -4.25, -16.75],
            within=1e-08,
            origin="elote 1.5.1, elote.MasseyCompetitor.rating",
        ),
    ],
)
def massey_ratings(games: list[list[int]], points: list[list[int]]) -> list[fmpq]:
    """Massey ratings of teams: the differences of points that fit all their games best."""
    check_table("games", games)
    size = len(games)
    for a in range(size):
        for b in range(a):
            if games[a][b] != games[b][a]:
                raise DomainError("games", games[a][b], "as many games of one team as of the other")
    for a in range(size):
        for b in range(size):
            if games[a][b] == 0 and points[a][b] != 0:
                raise DomainError("points", points[a][b], "0 points where no game was played")
    rows = [[fmpq(sum(games[a])) if a == b else fmpq(-games[a][b]) for b in range(size)] for a in range(size)]
    right = [fmpq(sum(points[a]) - sum(row[a] for row in points)) for a in range(size)]
    rows[-1], right[-1] = [fmpq(1)] * size, fmpq(0)
    return solve(rows, right)
