"""Apache Spark as a server of Spark Connect: two threads in one JVM, which Debian's Java 17 runs."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.servers.environment import environment
from tests.servers.process import folder_of_a_server, free_port, listens, running
from tests.servers.sail import Connect

SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"


@contextmanager
def spark(**settings: str) -> Iterator[Connect]:
    """A server for the block; `settings` are Spark's, with `_` for `.`."""
    port = free_port()
    python = environment("spark") / "python"
    with folder_of_a_server("spark-") as folder:
        given = {
            "spark.connect.grpc.binding.address": "127.0.0.1",
            "spark.connect.grpc.binding.port": str(port),
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.memory": "1g",
            "spark.local.dir": str(folder / "local"),
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.warehouse.dir": str(folder / "warehouse"),
            "spark.ui.enabled": "false",
            **{key.replace("_", "."): value for key, value in settings.items()},
        }
        told = [word for key, value in given.items() for word in ("--conf", f"{key}={value}")]
        home = _home(python)
        command = [home / "bin" / "spark-submit", "--master", "local[2]", "--class", SERVER, *told, "spark-internal"]
        surroundings = {
            "HOME": str(folder),
            "JAVA_HOME": str(_java()),
            "SPARK_HOME": str(home),
            "SPARK_USER": "nobody",
            "SPARK_LOCAL_IP": "127.0.0.1",
            "JDK_JAVA_OPTIONS": f"-Djava.io.tmpdir={folder} -Dderby.system.home={folder} -Duser.home={folder}",
        }
        with running(command, lambda: listens(port), folder / "log", environment=surroundings, patience=300):
            yield Connect("127.0.0.1", port, session_of_server=True)


def _home(python: Path) -> Path:
    return next((python.parents[1] / "lib").glob("python3*")) / "site-packages" / "pyspark"


def _java() -> Path:
    java = shutil.which("java")
    if java is None:
        raise RuntimeError("Spark needs Java 17 or later: Debian's package openjdk-17-jre-headless.")
    return Path(java).resolve().parents[1]
