"""MySQL's protocol as a live source, against a real MariaDB: types, values, sessions, ends."""

from __future__ import annotations

import datetime
import time
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from sqlglot import exp, parse_one

from service_nb.connectors import catalog, mysql
from service_nb.errors import (
    ConnectorError,
    InvalidIntentError,
    QueryInterruptedError,
    QueryTimeoutError,
    ServiceError,
    SourceMalformedError,
    SourceNotFoundError,
    UnsupportedSourceError,
)
from tests.servers.fixtures import MariaDatabase
from tests.simulators.pressing import asking_to_end

MOMENT = datetime.datetime.fromisoformat("2020-01-01T10:00:00.123456")
COLUMNS = {
    # column type -> physical type, a literal, the value that is read
    "tinyint": ("int64", "-128", -128),
    "smallint unsigned": ("int64", "65535", 65535),
    "mediumint": ("int64", "-7", -7),
    "int unsigned": ("int64", "4294967295", 4294967295),
    "bigint": ("int64", "9223372036854775807", 2**63 - 1),
    "bigint unsigned": ("decimal(20,0)", "18446744073709551615", 2**64 - 1),
    "boolean": ("int64", "true", 1),
    "year": ("int64", "1999", 1999),
    "float": ("float64", "0.1", 0.10000000149011612),
    "double": ("float64", "0.1", 0.1),
    "decimal(12,2)": ("decimal(12,2)", "12.50", Decimal("12.50")),
    "decimal(12,2) unsigned": ("decimal(12,2)", "12.50", Decimal("12.50")),
    "decimal(38,0)": ("decimal(38,0)", "9" * 38, int("9" * 38)),
    "varchar(20)": ("string", "'é ''quoted'' '", "é 'quoted' "),
    "varchar(20) character set latin1": ("string", "'é'", "é"),
    "char(5)": ("string", "'c'", "c"),
    "longtext": ("string", "'🎈'", "🎈"),
    "enum('sad', 'glad')": ("string", "'glad'", "glad"),
    "set('a', 'b')": ("string", "'a,b'", "a,b"),
    "date": ("date", "'2020-02-29'", datetime.date(2020, 2, 29)),
    "datetime(6)": ("datetime", "'2020-01-01 10:00:00.123456'", MOMENT),
    "timestamp(6)": ("datetime", "'2020-01-01 15:30:00.123456'", MOMENT),  # in the server's own zone, +05:30
}
REFUSED = ("decimal(50,2)", "time", "bit(3)", "blob", "varbinary(5)", "point")


@pytest.fixture(scope="module")
def shop(mariadb_database: MariaDatabase) -> MariaDatabase:
    run = mariadb_database.run
    columns = ", ".join(f"`c{number}` {kind}" for number, kind in enumerate(COLUMNS))
    run(f"CREATE TABLE kinds ({columns})")
    run(f"INSERT INTO kinds VALUES ({', '.join(literal for _, literal, _ in COLUMNS.values())})")
    run("CREATE TABLE many AS SELECT seq AS i, CAST(seq % 7 AS CHAR) AS g, seq / 8e0 AS x FROM seq_1_to_30000")
    run("CREATE TABLE `my.table` (`select` int, `Ümläut ``x``` text)")
    run("INSERT INTO `my.table` VALUES (1, 'ü')")
    return mariadb_database


@pytest.fixture
def link(shop: MariaDatabase, patient: None) -> Iterator[Any]:
    opened = catalog.find_connector("mysql").open_link(catalog.parse_descriptor(shop.descriptor()), soon())
    yield opened
    opened.close()


def soon(seconds: float = 60) -> float:
    return time.monotonic() + seconds


def read(link: Any, relation: exp.Expr, *, batches: bool = False) -> Any:
    """All columns as the engine reads them."""
    fields = link.describe(relation, soon())
    spelling = link.spelling
    tree = exp.select(
        *(exp.alias_(spelling.read(field, exp.column(spelling.build_name(field.name))), field.name) for field in fields)
    ).from_(relation.copy())
    return list(link.fetch_batches(tree, (), soon())) if batches else link.fetch_rows(tree, (), 1000, soon())


def test_every_type_is_mapped_and_every_value_is_read_exactly(link: Any) -> None:
    fields = link.describe(exp.to_table("kinds"), soon())
    assert [field.physical for field in fields] == [physical for physical, _, _ in COLUMNS.values()]
    expected = tuple(value for _, _, value in COLUMNS.values())
    assert read(link, exp.to_table("kinds")) == [expected]
    (batch,) = read(link, exp.to_table("kinds"), batches=True)
    (row,) = batch.to_pylist()
    assert tuple(row.values()) == expected


@pytest.mark.parametrize("kind", REFUSED)
def test_a_type_without_a_counterpart_is_refused_by_name(kind: str, link: Any, shop: MariaDatabase) -> None:
    shop.run("DROP TABLE IF EXISTS odd")
    shop.run(f"CREATE TABLE odd (fine int, strange {kind})")
    asked = exp.select("strange", "fine").from_("odd").subquery("asked")
    with pytest.raises(UnsupportedSourceError) as caught:
        link.describe(asked, soon())
    assert caught.value.details["column"] == "strange"


@pytest.mark.parametrize("kind", REFUSED)
def test_of_a_table_such_a_column_is_left_out(kind: str, link: Any, shop: MariaDatabase) -> None:
    shop.run("DROP TABLE IF EXISTS odd")
    shop.run(f"CREATE TABLE odd (fine int, strange {kind}, more double precision)")
    shop.run("INSERT INTO odd (fine, more) VALUES (1, 0.5), (1, 1e0), (2, 4e0)")
    found = catalog.open_source(catalog.parse_descriptor(shop.descriptor(table="odd")), soon())
    found.link.close()
    assert [field.name for field in found.fields] == ["fine", "more"]
    (note,) = found.notes
    assert "strange" in note
    assert "CAST(" in note
    assert read(link, exp.to_table("odd")) == [(1, 0.5), (1, 1.0), (2, 4.0)]
    shop.run("ALTER TABLE odd DROP COLUMN fine, DROP COLUMN more")
    with pytest.raises(UnsupportedSourceError):
        link.describe(exp.to_table("odd"), soon())


def test_names_that_need_quotes_are_found(shop: MariaDatabase) -> None:
    found = catalog.open_source(catalog.parse_descriptor(shop.descriptor(table="`my.table`")), soon())
    assert [field.name for field in found.fields] == ["select", "Ümläut `x`"]
    assert read(found.link, found.relation) == [(1, "ü")]
    found.link.close()


def test_a_query_is_what_is_read(shop: MariaDatabase) -> None:
    query = "SELECT g AS label, COUNT(*) AS n FROM many WHERE i <= 14 /*! fourteen */ GROUP BY g"
    found = catalog.open_source(catalog.parse_descriptor(shop.descriptor(query=query)), soon())
    assert sorted(read(found.link, found.relation)) == [(str(n), 2) for n in range(7)]
    found.link.close()


def test_values_are_bound_in_their_order_and_nothing_is_made_of_them(link: Any) -> None:
    hole = exp.Placeholder
    tree = (
        exp.select(exp.alias_(hole(), "a"), exp.alias_(hole(), "b"), exp.alias_(exp.Literal.string("5%s"), "c"))
        .from_("many")
        .where(exp.EQ(this=exp.column("i"), expression=hole()))
    )
    text = "'; DROP TABLE many; --%s ? \\' \\"
    assert link.fetch_rows(tree, (text, 2**53 + 1, 3), 10, soon()) == [(text, 2**53 + 1, "5%s")]


def test_no_more_rows_are_read_than_asked_for_and_the_session_lives_on(link: Any) -> None:
    for most in (10, 0, 29_999, 30_000):
        assert len(link.fetch_rows(exp.select("i").from_("many"), (), most, soon())) == min(most + 1, 30_000)


def test_many_rows_come_in_bounded_batches(link: Any) -> None:
    batches = list(link.fetch_batches(exp.select("i", "x").from_("many"), (), soon()))
    assert [batch.num_rows for batch in batches] == [10_000] * 3


def test_batches_may_be_given_up(link: Any) -> None:
    batches = link.fetch_batches(exp.select("i").from_("many"), (), soon())
    next(batches)
    batches.close()
    assert link.fetch_rows(exp.select("1 AS a"), (), 1, soon()) == [(1,)]


def test_a_busy_server_that_ends_what_is_left_late_keeps_its_session(
    shop: MariaDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = catalog.find_connector("mysql").open_link(catalog.parse_descriptor(shop.descriptor()), soon())
    reached = mysql._Login._connect_socket

    def late(self: Any, seconds: float) -> Any:
        time.sleep(2 * mysql.CANCEL_S)
        return reached(self, seconds)

    monkeypatch.setattr(mysql, "CANCEL_S", 0.1)
    monkeypatch.setattr(mysql._Login, "_connect_socket", late)
    for _ in range(2):
        assert len(opened.fetch_rows(exp.select("i").from_("many"), (), 10, soon())) == 11
    opened.close()


def test_what_runs_is_ended_from_another_thread(link: Any) -> None:
    with asking_to_end(link.cancel), pytest.raises(QueryInterruptedError):
        link.fetch_rows(parse_one("SELECT SLEEP(60) AS a", read="mysql"), (), 1, soon(60))
    assert link.fetch_rows(exp.select("1 AS a"), (), 1, soon()) == [(1,)]


def test_what_runs_is_ended_at_its_deadline(link: Any) -> None:
    for text in ("SELECT SLEEP(60) AS a", "SELECT BENCHMARK(100000000000, MD5('x')) AS a"):
        with pytest.raises(QueryTimeoutError):
            link.fetch_rows(parse_one(text, read="mysql"), (), 1, soon(0.3))
        assert link.fetch_rows(exp.select("1 AS a"), (), 1, soon()) == [(1,)]


def test_a_description_takes_no_second_connection(link: Any, shop: MariaDatabase) -> None:
    def met() -> int:
        return int(shop.run("SHOW GLOBAL STATUS LIKE 'Connections'")[0][1])

    before = met()
    for _ in range(5):
        assert link.describe(exp.to_table("many"), soon())
    assert met() == before + 1  # the one that looks


def test_a_login_that_has_no_time_left_is_told_so(shop: MariaDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    reached, deadline = mysql._Login._connect_socket, soon(1)

    def late(self: Any, seconds: float) -> Any:
        raw = reached(self, seconds)
        while time.monotonic() < deadline:
            time.sleep(0.05)
        return raw

    monkeypatch.setattr(mysql._Login, "_connect_socket", late)
    with pytest.raises(ServiceError) as caught:
        catalog.open_source(catalog.parse_descriptor(shop.descriptor(table="many")), deadline)
    assert caught.value.code in ("connector_failed", "timeout")


def test_a_session_that_the_server_ends_is_lost_and_retryable(link: Any, shop: MariaDatabase) -> None:
    (number,) = link.fetch_rows(parse_one("SELECT CONNECTION_ID() AS a", read="mysql"), (), 1, soon())[0]
    shop.run(f"KILL {number}")
    with pytest.raises(ConnectorError) as caught:
        link.fetch_rows(exp.select("1 AS a"), (), 1, soon())
    assert (caught.value.reason, caught.value.retryable) == ("lost", True)


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"table": "nowhere"}, SourceNotFoundError),
        ({"table": "elsewhere.nowhere"}, ServiceError),
        ({"query": "SELECT nothing FROM many"}, SourceNotFoundError),
        ({"query": "SELECT 1 AS a, 2 AS a"}, ServiceError),
        ({"query": "SELECT i FROM many GROUP BY MAX(i)"}, InvalidIntentError),
    ],
)
def test_what_is_not_there_is_told(changes: dict[str, str], kind: type[ServiceError], shop: MariaDatabase) -> None:
    with pytest.raises(kind):
        catalog.open_source(catalog.parse_descriptor(shop.descriptor(**changes)), soon())


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"password": "wrong"}, "login_refused"),
        ({"user": "somebody"}, "login_refused"),
        ({"database": "nowhere"}, "login_refused"),
        ({"sslmode": "require"}, "misconfigured"),
    ],
)
def test_a_login_that_fails_says_why_and_no_more(changes: dict[str, str], reason: str, shop: MariaDatabase) -> None:
    given = shop.descriptor(**changes)
    with pytest.raises(ConnectorError) as caught:
        catalog.find_connector("mysql").open_link(catalog.parse_descriptor(given), soon())
    assert caught.value.reason == reason
    told = str(caught.value.to_dict())
    assert all(word not in told for word in (given["password"], given["host"], given["user"]))


@pytest.mark.parametrize("where", ["localhost", "socket", "connection string"])
def test_it_is_reached_by_every_kind_of_address(where: str, shop: MariaDatabase) -> None:
    given = shop.descriptor()
    if where == "connection string":
        text = f"mysql://reader:{given['password'].replace(' ', '%20')}@127.0.0.1:{given['port']}/{shop.name}"
        given = {"type": "mysql", "connection_string": text}
    else:
        given["host"] = str(shop.server.socket) if where == "socket" else where
    descriptor = catalog.expand_descriptor(catalog.parse_descriptor(given))
    opened = catalog.find_connector("mysql").open_link(descriptor, soon())
    assert opened.name.startswith("mariadb 10.11.")
    opened.close()


@pytest.mark.parametrize(
    "text", ["mysql://h/db?local_infile=1", "postgresql://h/db", "mysql:///db", "mysql://h:x/db", "h"]
)
def test_a_connection_string_that_says_more_than_an_address_is_refused(text: str) -> None:
    with pytest.raises(InvalidIntentError):
        catalog.expand_descriptor(catalog.parse_descriptor({"type": "mysql", "connection_string": text}))


def test_a_date_that_no_calendar_has_is_an_error(link: Any, shop: MariaDatabase) -> None:
    shop.run("CREATE TABLE IF NOT EXISTS zero (a date)")
    with shop.connect() as connection, connection.cursor() as cursor:
        cursor.execute("SET sql_mode = ''")
        cursor.execute("INSERT INTO zero VALUES ('0000-00-00')")
    with pytest.raises(SourceMalformedError):
        link.fetch_rows(exp.select("a").from_("zero"), (), 1, soon())


def test_trying_it_says_what_answers(shop: MariaDatabase) -> None:
    found = catalog.try_connector(catalog.parse_descriptor(shop.descriptor(table="many")), 60)
    assert found["success"] is True
    assert "mariadb 10.11." in found["message"]
