"""The clouds' own protocols: signed requests to emulators of S3, Google Cloud Storage and Azure."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from service_nb.connectors import azure, gcs, s3
from service_nb.connectors.addresses import allow_hosts
from service_nb.core.secret import Secret
from service_nb.errors import ConnectorError, ServiceError
from service_nb.readers.dataset import Dataset, ReadOptions
from service_nb.schema.connector import Descriptor
from tests.servers.azurite import ACCOUNT, KEY, Azurite, azurite
from tests.servers.moto import Moto, moto

pytestmark = pytest.mark.wide

OBJECTS = {
    "day/1.csv": b"a,b\n1,x\n",
    "day/2.csv": b"a,b\n2,y\n",
    "day/_SUCCESS": b"",
    "ümlaut und mehr.csv": b"a\n7\n",
    "large.ndjson": b'{"a": 1}\n' * 400_000,
}


@pytest.fixture(scope="module")
def cloud() -> Iterator[Moto]:
    with moto() as found:
        found.put("bucket", OBJECTS)
        found.put("many", {f"p/{number:04}.csv": b"a\n1\n" for number in range(1_050)})
        yield found


@pytest.fixture(scope="module")
def blobs() -> Iterator[Azurite]:
    with azurite() as found:
        found.put("container", OBJECTS)
        yield found


def read(module: Any, **parts: Any) -> Dataset:
    with allow_hosts(["127.0.0.1"]):
        dataset: Dataset = module.CONNECTOR.extract(
            Descriptor(type=module.CONNECTOR.name, **parts), ReadOptions(), time.monotonic() + 120
        )
        return dataset


def column(dataset: Dataset) -> list[Any]:
    assert dataset.table is not None
    found: list[Any] = dataset.table["a"].to_pylist()
    return found


def signed(cloud: Moto, table: str, bucket: str = "bucket") -> dict[str, Any]:
    options = {"endpoint": cloud.url, "session_token": Secret("token")}
    return {"database": bucket, "table": table, "user": "key", "password": Secret("secret"), "options": options}


@pytest.mark.parametrize(("table", "values"), [("day/", [1, 2]), ("day/2.csv", [2]), ("ümlaut und mehr.csv", [7])])
def test_s3_is_read_by_signed_requests(cloud: Moto, table: str, values: list[int]) -> None:
    assert column(read(s3, **signed(cloud, table))) == values


def test_s3_lists_more_objects_than_a_page_holds(cloud: Moto) -> None:
    assert read(s3, **signed(cloud, "p/*.csv", "many")).row_count == 1_050


def test_s3_streams_what_is_larger_than_a_block(cloud: Moto) -> None:
    assert read(s3, **signed(cloud, "large.ndjson")).row_count == 400_000


def test_s3_says_what_is_not_there(cloud: Moto) -> None:
    for table, bucket in (("nothing.csv", "bucket"), ("day/", "no-such-bucket")):
        with pytest.raises(ServiceError) as caught:
            read(s3, **signed(cloud, table, bucket))
        assert caught.value.code == "source_not_found"


@pytest.mark.parametrize("table", ["day/", "day/1.csv"])
def test_google_is_read_by_its_xml_interface(cloud: Moto, table: str) -> None:
    options = {"endpoint": cloud.url, "anonymous": "true"}
    assert column(read(gcs, database="bucket", table=table, options=options))[0] == 1


@pytest.mark.parametrize(("table", "values"), [("day/", [1, 2]), ("day/2.csv", [2]), ("ümlaut und mehr.csv", [7])])
def test_azure_is_read_with_the_accounts_key(blobs: Azurite, table: str, values: list[int]) -> None:
    parts = {"database": "container", "table": table, "user": ACCOUNT, "password": Secret(KEY)}
    assert column(read(azure, **parts, options={"endpoint": blobs.url})) == values


def test_azure_is_read_with_a_connection_string(blobs: Azurite) -> None:
    text = f"DefaultEndpointsProtocol=http;AccountName={ACCOUNT};AccountKey={KEY};BlobEndpoint={blobs.url};"
    assert read(azure, database="container", table="day/", connection_string=Secret(text)).row_count == 2


def test_azure_refuses_a_wrong_key(blobs: Azurite) -> None:
    parts = {"database": "container", "table": "day/", "user": ACCOUNT, "password": Secret("cGxhbnRlZA==")}
    with pytest.raises(ConnectorError) as caught:
        read(azure, **parts, options={"endpoint": blobs.url})
    assert caught.value.reason in ("login_refused", "not_allowed")
    assert "cGxhbnRlZA" not in str(caught.value.to_dict())


def test_the_same_objects_are_the_same_content_in_every_cloud(cloud: Moto, blobs: Azurite) -> None:
    of_s3 = read(s3, **signed(cloud, "day/"))
    of_google = read(gcs, database="bucket", table="day/", options={"endpoint": cloud.url, "anonymous": "true"})
    of_azure = read(
        azure, database="container", table="day/", user=ACCOUNT, password=Secret(KEY), options={"endpoint": blobs.url}
    )
    assert of_s3.content == of_google.content == of_azure.content
