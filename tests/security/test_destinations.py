"""Descriptors that say one host to whoever checks them and another to the driver; sockets; accounts of the machine."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

import grpc
import pytest

from service_nb.connectors import catalog, spark
from service_nb.connectors.base import read_host
from service_nb.errors import ConnectorError, ForbiddenError, InvalidIntentError
from service_nb.readers import descriptor
from service_nb.server.guard import Guard
from tests.deployment.deployments import QUIET, deployed

REFUSED = (ForbiddenError, InvalidIntentError)
LOGIN = {"user": "u", "password": "p", "database": "d"}


def guard(folder: Path, connectors: str = "") -> Guard:
    return Guard(config=deployed(folder / "deployment", f"{QUIET}[connectors]\n{connectors}"), tenant="one")


def reached(keeper: Guard, given: dict[str, Any]) -> None:
    """Do what a deployment does before a driver is told anything."""
    keeper.resolve(keeper.parse(given))


SOCKETS = (
    {"type": "postgres", "connection_string": "postgresql:///d?ho%73t=%2Ftmp"},
    {"type": "postgres", "connection_string": "postgresql:///d?%68ost=/var/run/postgresql"},
    {"type": "postgres", "connection_string": "postgresql://%2Ftmp/d"},
    {"type": "postgres", "connection_string": "postgresql://a@b/d?ho%73t=/tmp"},
    {"type": "postgres", "connection_string": "host='/tmp' dbname=d"},
    {"type": "postgres", "connection_string": "host=\\/tmp dbname=d"},
    {"type": "postgres", "connection_string": "host=@hidden dbname=d"},
    {"type": "postgres", "connection_string": "postgresql://%40hidden/d"},
    {"type": "postgres", "connection_string": "dbname=d"},
    {"type": "postgres", "host": "/tmp", **LOGIN},
    {"type": "redshift", "host": "/tmp", **LOGIN},
    {"type": "redshift", "host": "@hidden", **LOGIN},
    {"type": "mysql", "connection_string": "mysql://root@%2Frun%2Fmysqld%2Fmysqld.sock/d"},
    {"type": "mysql", "host": "/run/mysqld/mysqld.sock", **LOGIN},
    {"type": "redshift", "connection_string": "redshift://u:p@%2Ftmp/d"},
    {"type": "redis", "connection_string": "redis://%2Ftmp%2Fredis.sock/0"},
    {"type": "neo4j", "host": "/tmp", "user": "u", "password": "p"},
)


@pytest.mark.parametrize(
    "type_", [type_ for type_ in catalog.TYPES if type_ != "file" and catalog.find_connector(type_).reads_files]
)
def test_a_kind_that_reads_files_reads_them_in_the_allowed_folders_alone(type_: str, tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside" / "it", tmp_path / "outside" / "it"
    allowed = f'folders = ["{inside.parent}"]'
    with pytest.raises(ForbiddenError):
        reached(guard(tmp_path / "none"), {"type": type_, "path": str(inside)})
    keeper = guard(tmp_path / "one", allowed)
    for path in (outside, inside.parent / ".." / "outside" / "it", "/etc/passwd"):
        with pytest.raises(ForbiddenError):
            reached(keeper, {"type": type_, "path": str(path)})
    reached(keeper, {"type": type_, "path": str(inside)})


@pytest.mark.parametrize("given", SOCKETS, ids=lambda given: given["type"])
def test_no_socket_of_the_machine_is_connected_to(given: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(REFUSED):
        reached(guard(tmp_path), given)


@pytest.mark.parametrize(
    "host",
    [
        *("169.254.169.254", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "169.254.43518", "0.0.0.0", "0"),
        *("::ffff:169.254.169.254", "fd00:ec2::254", "fe80::1%eth0", "64:ff9b::a9fe:a9fe", "224.0.0.1", "a\x01b"),
    ],
)
@pytest.mark.parametrize("type_", ["postgres", "mysql", "clickhouse", "trino", "redis", "neo4j", "mssql", "oracle"])
def test_no_database_is_where_clouds_hand_out_credentials(type_: str, host: str, tmp_path: Path) -> None:
    with pytest.raises(REFUSED):
        reached(guard(tmp_path), {"type": type_, "host": host, **LOGIN})


@pytest.mark.parametrize("host", ["127.0.0.1", "10.1.2.3", "::1", "localhost", "db_1.internal", "DB.Example."])
def test_databases_of_private_networks_are_reached(host: str, tmp_path: Path) -> None:
    reached(guard(tmp_path), {"type": "clickhouse", "host": host, **LOGIN})


@pytest.mark.parametrize("host", ["unix", "unix-abstract", "vsock"])
def test_a_host_that_is_called_like_a_socket_is_a_name_to_spark(host: str, tmp_path: Path) -> None:
    place = tmp_path / "1"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.fspath(place))
        listener.listen()
        listener.settimeout(0)
        channel = spark._open_channel(
            spark.SparkAddress(host=f"{host}:{tmp_path}/", port=1, tls=False, token=None, user="")
        )
        with channel, pytest.raises(grpc.FutureTimeoutError):
            grpc.channel_ready_future(channel).result(0.5)
        with pytest.raises(BlockingIOError):
            listener.accept()


@pytest.mark.parametrize("type_", descriptor.LIVE)
def test_every_kind_that_takes_more_than_a_host_says_where_it_goes(type_: str) -> None:
    connector = catalog.find_connector(type_)
    places = {"endpoint", "url", "account", "repository"}
    if connector.kind.dsn is None:  # else it is taken apart into keys before anything looks at them
        places.add("connection_string")
    if places & {*connector.kind.keys, *connector.kind.options}:
        assert connector.find_hosts is not read_host


ELSEWHERE = (
    {"type": "postgres", "connection_string": "postgresql://db.example/d?ho%73t=10.0.0.1"},
    {"type": "postgres", "connection_string": "postgresql://db.example/d?hosta%64dr=10.0.0.1"},
    {"type": "postgres", "connection_string": "host=db.example hostaddr=10.0.0.1"},
    {"type": "postgres", "connection_string": "host=db.example host=10.0.0.1"},
    {"type": "postgres", "connection_string": "host=10.0.0.1 user='x host=db.example'"},
    {"type": "postgres", "connection_string": "postgresql://u@10.0.0.1/d?application_name=host%3Ddb.example"},
    {"type": "postgres", "host": "db.example", "connection_string": "hostaddr=10.0.0.1"},
    {"type": "mysql", "connection_string": "mysql://u@10.0.0.1/host=db.example"},
    {"type": "mysql", "connection_string": "mysql://u:host=db.example@10.0.0.1/d"},
    {"type": "mysql", "connection_string": "mysql://u@10%2e0%2e0%2e1/d"},
    {"type": "redshift", "connection_string": "redshift://u:p@10.0.0.1/db.example"},
    {"type": "redshift", "connection_string": r"redshift://db.example\@10.0.0.1/d"},
    {"type": "redshift", "connection_string": "redshift://u:p@10%2e0%2e0%2e1/db.example"},
    {"type": "redshift", "connection_string": "redshift://u:p@db.example/d?host=10.0.0.1"},
    {"type": "redshift", "connection_string": "redshift://u:p@db.example:1@10.0.0.1/d"},
    {"type": "clickhouse", "connection_string": "https://db.example@10.0.0.1/d"},
    {"type": "trino", "connection_string": "trino://u@10.0.0.1/db.example"},
    {"type": "redis", "connection_string": "redis://db.example:p@10.0.0.1/0", "table": "strings"},
    {"type": "neo4j", "connection_string": "bolt://u:p@10.0.0.1/db.example", "table": "t"},
    {"type": "elasticsearch", "connection_string": "https://u:db.example@10.0.0.1", "table": "t"},
    {"type": "snowflake", "connection_string": "snowflake://u:p@10.0.0.1/db.example"},
    {"type": "bigquery", "connection_string": "bigquery://db.example/d?credentials_base64=e30%3D", "table": "t"},
    {"type": "spark", "connection_string": "sc://10.0.0.1:1/;host=db.example", "table": "t"},
    {"type": "spark", "connection_string": "sc://db.example@10.0.0.1:1/", "table": "t"},
    {"type": "snowflake", "account": "tests", **LOGIN},
    {"type": "snowflake", "account": "evil.test/", **LOGIN},
    {"type": "snowflake", "account": "db.example", "host": "10.0.0.1", **LOGIN},
    {"type": "mssql", "connection_string": r"Server=10.0.0.1\x.db.example;Database=d;UID=u;PWD=p"},
    {"type": "mssql", "connection_string": "Server=10.0.0.1;Database=d;UID=u;PWD={x;Server=db.example}"},
    {"type": "oracle", "connection_string": "10.0.0.1/d?host=db.example", "user": "u", "password": "p"},
    {"type": "oracle", "connection_string": "(ADDRESS=(HOST=10.0.0.1)(X=.db.example))", "user": "u", "password": "p"},
    {"type": "azure", "connection_string": "BlobEndpoint=https://10.0.0.1/;AccountName=db.example;AccountKey=k"},
    {"type": "s3", "database": "bucket", "table": "a.csv", "anonymous": True},
    {"type": "gcs", "database": "bucket", "table": "a.csv", "anonymous": True},
    {"type": "bigquery", "project": "p", "credentials": "{}", "table": "t"},
    {"type": "github_repo", "repository": "a/b"},
    {"type": "rest", "url": "https://10.0.0.1/?host=db.example"},
    {"type": "elasticsearch", "endpoint": "https://10.0.0.1/db.example", "table": "t"},
)


@pytest.mark.parametrize("given", ELSEWHERE, ids=lambda given: given["type"])
def test_only_hosts_that_are_allowed_are_told_to_a_driver(given: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(REFUSED):
        reached(guard(tmp_path, 'hosts = ["*db.example"]'), given)


ALLOWED = (
    {"type": "postgres", "connection_string": "postgresql://u:p@db.example:5432/d"},
    {"type": "postgres", "connection_string": "host='db.example' password='host=x'"},
    {"type": "mysql", "connection_string": "mysql://u:p@db.example/d"},
    {"type": "redshift", "connection_string": "redshift://u:p%4010.0.0.1@db.example/d?sslmode=disable"},
    {"type": "clickhouse", "connection_string": "https://u:p@db.example:8443/d"},
    {"type": "redis", "connection_string": "rediss://:p@db.example", "table": "strings"},
    {"type": "spark", "connection_string": "sc://db.example:1/;token=host%3Dx", "table": "t"},
    {"type": "mssql", "connection_string": "Server=tcp:db.example,1433;Database=d;UID=u;PWD=p"},
    {"type": "oracle", "connection_string": "db.example:1521/d", "user": "u", "password": "p"},
    {"type": "rest", "url": "https://db.example/?host=x"},
    {"type": "elasticsearch", "host": "db.example", "table": "t"},
    {"type": "redis", "host": "db.example", "table": "strings"},
)


@pytest.mark.parametrize("given", ALLOWED, ids=lambda given: given["type"])
def test_hosts_that_are_allowed_are(given: dict[str, Any], tmp_path: Path) -> None:
    reached(guard(tmp_path, 'hosts = ["db.example"]'), given)


@pytest.mark.parametrize(
    "host", ["10.0.0.1", "snowflakecomputing.com.evil.test", "127.0.0.1", "evilsnowflakecomputing.com"]
)
def test_snowflake_is_asked_where_it_is_or_where_the_configuration_says(host: str, tmp_path: Path) -> None:
    given = {"type": "snowflake", "account": "tests", "host": host, **LOGIN}
    with pytest.raises((*REFUSED, ConnectorError)):
        reached(guard(tmp_path / "a"), given)
    reached(guard(tmp_path / "b", f'private_hosts = ["{host}"]'), given)


def test_a_type_that_is_allowed_no_longer_is_not_reached_by_what_was_kept(tmp_path: Path) -> None:
    kept = guard(tmp_path / "before").parse({"type": "postgres", "host": "db", "table": "t", **LOGIN})
    with pytest.raises(ForbiddenError):
        guard(tmp_path / "after", 'types = ["mysql"]').resolve(kept)
