from __future__ import annotations

import stat
import tomllib
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from service_nb.errors import InvalidIntentError
from service_nb.server import config as configuration
from service_nb.server.config import Config, parse_config, read_config
from service_nb.server.tenants import Deployment
from tests.deployment.deployments import QUIET, deployed

ROOT = Path(__file__).parents[2]
SECTIONS = [each.name for each in msgspec.structs.fields(Config) if each.name != "folder"]


def read(tmp_path: Path, text: str | bytes) -> Config:
    path = tmp_path / "deployment.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_config(path)


def test_the_example_says_every_key_and_is_what_nothing_said_means(tmp_path: Path) -> None:
    example = read(tmp_path, configuration.format_example())
    assert example == read(tmp_path, "")
    told = tomllib.loads(configuration.format_example())
    assert list(told) == SECTIONS
    for name in SECTIONS:
        section = next(each.type for each in msgspec.structs.fields(Config) if each.name == name)
        assert list(told[name]) == list(section.__struct_fields__)


def test_every_key_has_a_meaning_that_the_handbook_repeats() -> None:
    page = (ROOT / "docs" / "handbook" / "deployment-configuration.md").read_text(encoding="utf-8")
    for each in msgspec.structs.fields(Config):
        if each.name == "folder":
            continue
        assert each.type.__doc__.partition("\n")[0] in page
        for key, about, _ in configuration.list_keys(each.type):
            assert f"`{each.name}.{key}`" in page
            assert about in page


def test_computing_inside_of_the_server_is_refused_unless_it_is_allowed_beside(tmp_path: Path) -> None:
    with pytest.raises(InvalidIntentError) as caught:
        read(tmp_path, '[runtime]\nkind = "in_process"\n')
    assert caught.value.details["path"] == "runtime.kind"
    assert "allow_in_process = true" in str(caught.value.hint)
    allowed = read(tmp_path, '[runtime]\nkind = "in_process"\nallow_in_process = true\n')
    assert allowed.runtime.kind == "in_process"
    assert read(tmp_path, "[runtime]\nallow_in_process = true\n").runtime.kind == "managed"


def test_how_often_a_device_asks_for_codes_is_what_the_file_says(tmp_path: Path) -> None:
    text = QUIET + "[enrolment]\ncodes_per_minute = 30\n"
    with closing(Deployment(deployed(tmp_path / "deployment", text))) as deployment:
        assert deployment.config.enrolment.codes_per_minute == 30


@pytest.mark.parametrize(
    ("told", "key", "near"),
    [
        ({"sever": {}}, "sever", "server"),
        ({"server": {"bnd": "127.0.0.1:1"}}, "server.bnd", "bind"),
        ({"limits": {"body_byte": 5_000}}, "limits.body_byte", "body_bytes"),
        ({"folder": "/"}, "folder", "ledger"),
        ({"limits": {"__class__": 1}}, "limits.__class__", None),
    ],
)
def test_an_unknown_key_is_refused_and_the_nearest_is_named(
    tmp_path: Path, told: dict[str, Any], key: str, near: str | None
) -> None:
    with pytest.raises(InvalidIntentError) as caught:
        parse_config(told, tmp_path)
    assert caught.value.details["path"] == key
    assert (caught.value.details.get("did_you_mean") or [None])[0] == near


@pytest.mark.parametrize(
    ("told", "key"),
    [
        ({"limits": {"body_bytes": 0}}, "limits.body_bytes"),
        ({"limits": {"running": "many"}}, "limits.running"),
        ({"limits": {"running": True}}, "limits.running"),
        ({"limits": 3}, "limits"),
        ({"rate": {"requests_per_s": -1}}, "rate.requests_per_s"),
        ({"rate": {"requests_per_s": float("nan")}}, "rate.requests_per_s"),
        ({"timeouts": {"drain_s": 1e9}}, "timeouts.drain_s"),
        ({"server": {"bind": "nowhere"}}, "server.bind"),
        ({"server": {"bind": "127.0.0.1:70000"}}, "server.bind"),
        ({"server": {"public_url": "ftp://x"}}, "server.public_url"),
        ({"server": {"public_url": "https://user:word@x"}}, "server.public_url"),
        ({"server": {"trusted_proxies": ["proxy"]}}, "server.trusted_proxies"),
        ({"server": {"data": ""}}, "server.data"),
        ({"runtime": {"kind": "remote"}}, "runtime.kind"),
        ({"enrolment": {"lifetime_s": 1}}, "enrolment.lifetime_s"),
    ],
)
def test_a_value_out_of_bounds_is_refused_by_its_key(tmp_path: Path, told: dict[str, Any], key: str) -> None:
    with pytest.raises(InvalidIntentError) as caught:
        parse_config(told, tmp_path)
    assert caught.value.details["path"] == key


@pytest.mark.parametrize("text", [b"[server", b"\xff\xfe", b"x = " + b"[" * 5_000, b"a" * 2_000_000])
def test_what_is_no_toml_is_refused_without_its_text(tmp_path: Path, text: bytes) -> None:
    with pytest.raises(InvalidIntentError) as caught:
        read(tmp_path, text)
    assert caught.value.details["path"] == "config"


def test_a_file_that_is_not_there_is_said_to_be_made_by_init(tmp_path: Path) -> None:
    with pytest.raises(InvalidIntentError) as caught:
        read_config(tmp_path / "deployment.toml")
    assert caught.value.hint is not None


def test_paths_are_seen_from_the_folder_of_the_file(tmp_path: Path) -> None:
    config = read(tmp_path, '[server]\ndata = "kept/here"\nbind = "[::1]:80"\n')
    assert config.data == tmp_path / "kept" / "here"
    assert config.address == ("::1", 80)


def test_init_makes_a_private_key_and_changes_nothing_that_is_there(tmp_path: Path) -> None:
    from service_nb.server.upkeep import create_deployment

    begun = create_deployment(tmp_path / "deployment.toml")
    assert (begun.config, begun.master_key) == (True, True)
    key = tmp_path / "master.key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "data" / "server.sqlite").stat().st_mode) == 0o600
    before = key.read_bytes(), (tmp_path / "deployment.toml").read_bytes()
    again = create_deployment(tmp_path / "deployment.toml")
    assert (again.config, again.master_key) == (False, False)
    assert before == (key.read_bytes(), (tmp_path / "deployment.toml").read_bytes())


def test_init_never_makes_a_new_key_for_a_store_that_has_one(tmp_path: Path) -> None:
    from service_nb.server.upkeep import create_deployment

    create_deployment(tmp_path / "deployment.toml")
    (tmp_path / "master.key").unlink()
    with pytest.raises(InvalidIntentError) as caught:
        create_deployment(tmp_path / "deployment.toml")
    assert caught.value.details["path"] == "secrets.master_key"
