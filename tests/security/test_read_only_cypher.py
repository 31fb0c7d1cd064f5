"""A user's Cypher only reads: what writes, calls, loads or hides is refused before a server sees it."""

from __future__ import annotations

import pytest

from service_nb.connectors.neo4j import check_cypher, quote_label
from service_nb.errors import InvalidIntentError, ServiceError

READ = r"""
MATCH (n) RETURN n
MATCH (n:Person {name: 'x'}) WHERE n.age > 3 AND NOT n.set IS NULL RETURN n.name AS x ORDER BY n.age DESC SKIP 1 LIMIT 9
MATCH p = (a:A)-[r:KNOWS|LIKES*1..3]->(b) RETURN length(p), count(*), a.x AS x
MATCH (a)-->(b)<--(c)--(d) RETURN a.x, b.y
OPTIONAL MATCH (n) RETURN DISTINCT n.x AS x UNION ALL MATCH (m) RETURN m.x AS x;
UNWIND [1,2,3] AS x WITH x, x*2 AS y WHERE y > 2 RETURN x, y, CASE WHEN x = 1 THEN 'a' ELSE 'b' END AS z
MATCH (n) WHERE n.name STARTS WITH 'a' OR n.name =~ 'b.*' RETURN n.`create` AS c
MATCH (n) WHERE EXISTS { MATCH (n)-[:X]->() } RETURN n { .name, .age } AS m
MATCH (n) RETURN COUNT { (n)--() } AS c
RETURN duration.between(date('2024-01-01'), date('2024-02-01')) AS d, 1.5e-3 AS e, [x IN [1,2] WHERE x > 1 | x + 1] AS l
MATCH (n:A:B) WHERE all(x IN n.list WHERE x > 0) RETURN toUpper(n.x) AS u
MATCH (n:`My Label`) RETURN properties(n) AS p LIMIT 5
MATCH (n) RETURN * ORDER BY n.x ASC, n.y DESC
MATCH (n:A|B) WITH n ORDER BY n.x LIMIT 3 MATCH (n)-[r]-(m) RETURN type(r), m.x
MATCH (n) RETURN n['x'] AS x, n.a + -1 AS b, -n.c AS d, null IS NULL AS e
""".strip().splitlines()
TEXT = r"""
CREATE (n)
MATCH (n) SET n.x = 1 RETURN n
MATCH (n) SET n:Label
MATCH (n) DELETE n
MATCH (n) DETACH DELETE n
MATCH (n) REMOVE n.x
MERGE (n:A)
MATCH (n) WITH * SET n.x = 1 RETURN n
MATCH (n) WITH * CREATE (m) RETURN n
MATCH (n) RETURN * CREATE (m)
MATCH (n) RETURN n; CREATE (m)
MATCH (n) RETURN n;;
CALL apoc.cypher.doIt('CREATE (n)', {})
MATCH (n) CALL { CREATE (m) } RETURN n
MATCH (n) CALL db.labels() YIELD label RETURN label
CALL { MATCH (n) DELETE n } IN TRANSACTIONS
LOAD CSV FROM 'file:///etc/passwd' AS l RETURN l
MATCH (n) LOAD CSV FROM 'http://x' AS l RETURN l
UNWIND [1] AS x FOREACH (y IN [1] | CREATE (:A))
MATCH (n) FOREACH (y IN [1] | SET n.x = 1)
RETURN apoc.load.json('http://x')
RETURN apoc.util.sleep(10000)
RETURN `apoc`.`util`.`sleep`(1)
RETURN apoc . util . sleep(1)
RETURN `create`(1)
MATCH (n) \u0053ET n.x = 1
MATCH (n) WHERE n.x = '\u0027 SET n.y=1 //' RETURN n
MATCH (n) /* */ SET n.x = 1
MATCH (n) // x
MATCH (n) WHERE n.x = 'a' /*' RETURN n */
MATCH (n) RETURN n.x SET n.x = 1
MATCH (n) RETURN 'x' SET n.x = 1
MATCH (n) RETURN 1 SET n.x = 1
MATCH (n) RETURN [1] SET n.x = 1
MATCH (n) RETURN true SET n.x = 1
MATCH (n) RETURN null SET n.x = 1
MATCH (n) RETURN n ORDER BY n.x DESC SET n.y = 1
MATCH (n) SET n.x = 1
MATCH (n) ˢᵉᵗ n.x = 1
EXPLAIN MATCH (n) RETURN n
PROFILE MATCH (n) DELETE n
CYPHER 25 MATCH (n) RETURN n
CYPHER runtime=slotted CREATE (n)
USE system SHOW USERS
SHOW USERS
SHOW TRANSACTIONS
TERMINATE TRANSACTION 'x'
DROP DATABASE neo4j
ALTER USER neo4j SET PASSWORD 'x'
GRANT ROLE admin TO me
CREATE INDEX FOR (n:A) ON (n.x)
CREATE CONSTRAINT FOR (n:A) REQUIRE n.x IS UNIQUE
START n=node(*) RETURN n
USING PERIODIC COMMIT LOAD CSV FROM 'x' AS r CREATE (n)
MATCH (n) RETURN n.x INSERT (m)
MATCH (n) INSERT (:A)
MATCH (n) FROBNICATE n
MATCH (n) RETURN $x
RETURN dbms.listConfig()
MATCH (n) WHERE EXISTS { MATCH (n) SET n.x = 1 } RETURN n
MATCH (n) WHERE EXISTS { CREATE (m) } RETURN n
MATCH (n) RETURN COLLECT { CALL db.labels() YIELD label RETURN label } AS x
WITH 1 AS create CREATE (n)
MATCH (n) WITH n AS set SET set.x = 1
MATCH (n) RETURN (n) SET n.x=1
MATCH (n) RETURN n{.x} SET n.x=1
MATCH (n) NODETACH DELETE n
MATCH (n) RETURN n NEXT CREATE (m)
MATCH (n) RETURN range(1, 1000000000)
MATCH (n RETURN n
MATCH (n)) RETURN n
MATCH (n) RETURN 'a
MATCH (n) RETURN `a
:play x
FINISH
"""
HOSTILE = [
    *TEXT.strip().splitlines(),
    "",
    ";",
    "MATCH (n)\x00SET n.x = 1",
    "MATCH (n)\u00a0SET n.x = 1",
    "MATCH (n)\u2028SET n.x = 1",
    "MATCH (n) \u017fET n.x = 1",
    "MATCH (n) // \nSET n.x = 1",
    "MATCH " + "(" * 100 + ")" * 100,
    "x" * 200_000,
]


@pytest.mark.parametrize("query", READ)
def test_a_query_that_reads_is_sent_as_it_is(query: str) -> None:
    assert check_cypher(query) == query.removesuffix(";")


@pytest.mark.parametrize("query", HOSTILE)
def test_a_query_that_does_more_than_read_is_refused(query: str) -> None:
    with pytest.raises(ServiceError) as caught:
        check_cypher(query)
    assert caught.value.code in ("invalid_intent", "limit_exceeded")


def test_more_than_sixty_hostile_texts_are_tried() -> None:
    assert len(set(HOSTILE)) >= 60


@pytest.mark.parametrize(
    "clause", ["CREATE (m)", "SET n.x = 1", "DELETE n", "REMOVE n.x", "MERGE (m)", "CALL db.labels()"]
)
@pytest.mark.parametrize("query", [query for query in READ if "UNION" not in query])
def test_no_clause_that_writes_can_be_put_behind_one_that_reads(query: str, clause: str) -> None:
    for glue in (" ", "\n", "\t", ";", "; ", " WITH * ", " WITH n ", "/**/", "//\n"):
        with pytest.raises(ServiceError):
            check_cypher(query.removesuffix(";") + glue + clause)


def test_a_label_is_quoted_whatever_it_holds() -> None:
    assert quote_label("A`) SET n.x = 1 //") == "`A``) SET n.x = 1 //`"
    for name in ("", "a\\u0060", "a\x00", "a\n", "x" * 2_000):
        with pytest.raises(InvalidIntentError):
            quote_label(name)
