"""The actions of `service-nb serve` beside running: begin a deployment, its keys, enrolment, backup, rotation."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from service_nb.cli.actions import add_action
from service_nb.cli.console import DONE, FAILED, print_json
from service_nb.core.parse import parse_strict
from service_nb.core.words import shown
from service_nb.errors import CanonicalJsonError, InvalidIntentError
from service_nb.query.policy import parse_policy
from service_nb.readers.files import read_bytes

if TYPE_CHECKING:
    from service_nb.server.config import Config
    from service_nb.server.keys import Grant
    from service_nb.server.store import Store

EXAMPLES = """\
  service-nb serve init
  service-nb serve key create --tenant research --label "Ada's notebook" --days 90
  service-nb serve key create --tenant research --scopes query,compute --policy policy.json
  service-nb serve key list
  service-nb serve key revoke key_0fd3a1b2c4d5e6f7
  service-nb serve approve WDJB-MJHT --tenant research
  service-nb serve connector list --tenant research
  service-nb serve backup /var/backups/deployment.sqlite
  service-nb serve rotate
"""
CONFIG = "deployment.toml"
_POLICY_BYTES, _DAY_S = 1_000_000, 86_400

Act = Callable[[argparse.Namespace], int]


def register(actions: Any) -> None:
    """Add the actions to those of `serve`."""
    action(actions, "init", _init, "Write a commented deployment.toml, a master key and an empty store.")
    approve = action(
        actions, "approve", _approve, "Approve a device's request for a key; without a code, list the waiting devices."
    )
    approve.add_argument("code", metavar="CODE", nargs="?", help="the code that the device shows, such as WDJB-MJHT")
    approve.add_argument("--deny", action="store_true", help="deny the request")
    _add_grant(approve, tenant=False)
    backup = action(actions, "backup", _backup, "Back up the store while servers run.")
    backup.add_argument("path", metavar="FILE", type=Path, help="output file; must not exist")
    action(actions, "rotate", _rotate, "Rotate the master key: seal everything with a new one.")
    _register_key(_nested(actions, "key", "Make, list or revoke keys."))
    _register_connector(_nested(actions, "connector", "List or forget a tenant's connectors and sources."))


def action(actions: Any, name: str, act: Act, about: str) -> argparse.ArgumentParser:
    """Add one action, with the options that all have."""
    parser = add_action(actions, name, act, about)
    parser.add_argument(
        "--config",
        metavar="FILE",
        type=Path,
        default=argparse.SUPPRESS,
        help=f"the deployment's configuration; default: {CONFIG}",
    )
    return parser


def _nested(actions: Any, name: str, about: str) -> Any:
    parser = actions.add_parser(name, help=about, description=about, allow_abbrev=False)
    return parser.add_subparsers(title="actions", metavar="ACTION", required=True)


def _register_key(actions: Any) -> None:
    create = action(actions, "create", _key_create, "Create a key, and print it once.")
    _add_grant(create, tenant=True)
    listed = action(actions, "list", _key_list, "List the keys with scopes and expiry, without the keys themselves.")
    listed.add_argument("--tenant", metavar="NAME", help="of this tenant only")
    revoke = action(actions, "revoke", _key_revoke, "Revoke a key, immediately and permanently.")
    revoke.add_argument("id", metavar="ID", help="as `key list` shows it")


def _register_connector(actions: Any) -> None:
    listed = action(actions, "list", _connector_list, "List a tenant's connectors and sources, without their secrets.")
    forget = action(actions, "forget", _connector_forget, "Delete a connector that no source uses, or a source.")
    forget.add_argument("id", metavar="ID", help="a connector's id, or a source's name")
    for each in (listed, forget):
        each.add_argument("--tenant", metavar="NAME", required=True, help="the tenant")


def _add_grant(parser: argparse.ArgumentParser, *, tenant: bool) -> None:
    parser.add_argument("--tenant", metavar="NAME", required=tenant, help="lower case letters, digits, single hyphens")
    parser.add_argument("--label", metavar="TEXT", default="", help="a label, shown when keys are listed")
    parser.add_argument("--scopes", metavar="NAME,…", help="query, compute, sources, connectors, results, metrics")
    parser.add_argument("--policy", metavar="FILE", type=Path, help="JSON: allowed_sources, _fields, _functions")
    parser.add_argument("--days", metavar="N", type=int, help="days until it expires; default: never")


@contextmanager
def opened(arguments: argparse.Namespace) -> Iterator[tuple[Config, Store]]:
    """Open the deployment that is configured."""
    from service_nb.server.config import read_config  # noqa: PLC0415  # lazy: no other verb needs msgspec or SQLite
    from service_nb.server.store import Store  # noqa: PLC0415

    config = read_config(_path(arguments))
    store = Store(config.data)
    try:
        yield config, store
    finally:
        store.close()


def _path(arguments: argparse.Namespace) -> Path:
    path: Path = getattr(arguments, "config", None) or Path(CONFIG)
    return path


def _init(arguments: argparse.Namespace) -> int:
    from service_nb.client import device_key as device  # noqa: PLC0415
    from service_nb.server.upkeep import begin  # noqa: PLC0415

    begun, signer = begin(_path(arguments)), device.login()
    if arguments.json:
        print_json(
            {"status": "ok", "config": begun.config, "master_key": begun.master_key, "device": signer.id},
        )
        return DONE
    print(f"{_path(arguments).name}: {'written' if begun.config else 'unchanged'}")
    print(f"master key: {'created; store a copy separately from backups' if begun.master_key else 'unchanged'}")
    print(f"receipts are signed by the device key {signer.id}")
    print("Next: service-nb serve key create --tenant NAME, and for computations service-nb runtime install")
    return DONE


def _grant(arguments: argparse.Namespace) -> Grant:
    from service_nb.server.keys import BOUND, USUAL, Grant  # noqa: PLC0415
    from service_nb.server.store import now  # noqa: PLC0415

    if arguments.days is not None and not 0 < arguments.days <= 36_500:
        raise InvalidIntentError(f"--days is {arguments.days}; expected 1 to 36,500.", path="days")
    policy = {} if arguments.policy is None else _policy_of(arguments.policy)
    usual = USUAL if arguments.policy is None else BOUND
    return Grant(
        tenant=arguments.tenant,
        label=arguments.label,
        scopes=tuple(arguments.scopes.split(",")) if arguments.scopes else usual,
        policy=policy,
        expires=None if arguments.days is None else now() + arguments.days * _DAY_S,
    )


def _policy_of(path: Path) -> Any:
    try:
        return parse_strict(read_bytes(path, _POLICY_BYTES, "policy")[0])
    except CanonicalJsonError as error:
        raise InvalidIntentError(f"{path.name}: {error.message}", hint=error.hint, path="policy") from error


def _key_create(arguments: argparse.Namespace) -> int:
    from service_nb.server.keys import Keys  # noqa: PLC0415

    grant = _grant(arguments)
    with opened(arguments) as (_, store):
        key_id, key = Keys(store).create(grant)
    if arguments.json:
        print_json({"status": "ok", "id": key_id, "tenant": grant.tenant, "key": key.reveal()})
        return DONE
    print(f"{key_id} of {grant.tenant} may {', '.join(grant.scopes)}. The key, printed once:")
    print(key.reveal())
    return DONE


def _key_list(arguments: argparse.Namespace) -> int:
    from service_nb.server.keys import Keys  # noqa: PLC0415
    from service_nb.server.ports import SCOPES  # noqa: PLC0415

    no_policy = parse_policy(None).to_dict()
    with opened(arguments) as (_, store):
        keys = Keys(store).list(arguments.tenant)
    if arguments.json:
        print_json({"status": "ok", "keys": keys})
        return DONE
    for key in keys:
        state = f"revoked {key['revoked']}" if key["revoked"] else f"until {key['expires'] or 'revoked'}"
        used = f"last used {key['last_used']}" if key["last_used"] else "never used"
        may = ", ".join(scope for scope in SCOPES if scope in key["scopes"])
        bound = "" if key["policy"] == no_policy else "  with a policy"
        print(f"{key['id']}  {key['tenant']}  {may}{bound}  {state}  {used}  {key['label']}".rstrip())
    if not keys:
        print("No keys.")
    return DONE


def _key_revoke(arguments: argparse.Namespace) -> int:
    from service_nb.server.keys import Keys  # noqa: PLC0415

    with opened(arguments) as (_, store):
        was_taken = Keys(store).revoke(arguments.id)
    if arguments.json:
        print_json({"status": "ok" if was_taken else "unknown", "id": arguments.id})
    else:
        print(f"{arguments.id} is revoked." if was_taken else f"There is no key with the id {shown(arguments.id)}.")
    return DONE if was_taken else FAILED


def _approve(arguments: argparse.Namespace) -> int:
    from service_nb.server.enrolment import DeviceCodes  # noqa: PLC0415

    with opened(arguments) as (config, store):
        codes = DeviceCodes(store, config.enrolment, config.public_address)
        if arguments.code is None:
            return _waiting(codes.waiting(), as_json=arguments.json)
        if arguments.deny:
            codes.deny(arguments.code)
        elif arguments.tenant is None:
            raise InvalidIntentError("The tenant of the key is missing.", hint="Add --tenant NAME.", path="tenant")
        else:
            codes.approve(arguments.code, _grant(arguments))
    done = "denied" if arguments.deny else "approved"
    if arguments.json:
        print_json({"status": "ok", "code": arguments.code, "answer": done})
    else:
        print(f"{arguments.code} is {done}." + ("" if arguments.deny else " The device now fetches its key."))
    return DONE


def _waiting(devices: list[dict[str, str]], *, as_json: bool) -> int:
    if as_json:
        print_json({"status": "ok", "waiting": devices})
    elif not devices:
        print("No device is waiting.")
    for each in () if as_json else devices:
        whence = f"  from {shown(each['address'])}" if each["address"] else ""
        print(f"{each['code']}  {shown(each['client'])}{whence}  asks for {each['scopes']}  until {each['expires']}")
    return DONE


def _connector_list(arguments: argparse.Namespace) -> int:
    with opened(arguments) as (config, store):
        kept = _kept(config, store, arguments.tenant)
        connectors, sources = kept.connectors(), kept.sources()
    told = {
        "connectors": [{"id": each.id, "type": each.descriptor.type, "name": each.name} for each in connectors],
        "sources": [
            {"name": each.name, "type": each.descriptor.type, "rows": each.shape.row_count} for each in sources
        ],
    }
    if arguments.json:
        print_json({"status": "ok", **told})
        return DONE
    for connector in connectors:
        print(f"connector  {connector.id}  {connector.descriptor.type}  {connector.name or ''}".rstrip())
    for source in sources:
        print(f"source  {source.name}  {source.descriptor.type}  {source.shape.row_count:,} rows")
    if not connectors and not sources:
        print(f"No connectors and no sources of {arguments.tenant}.")
    return DONE


def _connector_forget(arguments: argparse.Namespace) -> int:
    with opened(arguments) as (config, store):
        kept = _kept(config, store, arguments.tenant)
        if arguments.id in kept.names():
            kept.remove_source(arguments.id)
        else:
            kept.remove_connector(arguments.id)
    if arguments.json:
        print_json({"status": "ok", "id": arguments.id})
    else:
        print(f"Deleted {arguments.id}.")
    return DONE


def _kept(config: Config, store: Store, tenant: str) -> Any:
    from service_nb.server.kept import Kept  # noqa: PLC0415
    from service_nb.server.keys import require_tenant  # noqa: PLC0415
    from service_nb.server.secrets import Vault  # noqa: PLC0415

    require_tenant(tenant)
    vault = Vault(config.secrets.master_key, Path(config.folder))
    return Kept(store, vault, tenant, config.connectors.most)


def _backup(arguments: argparse.Namespace) -> int:
    with opened(arguments) as (_, store):
        size = store.backup(arguments.path)
    if arguments.json:
        print_json({"status": "ok", "file": arguments.path.name, "bytes": size})
    else:
        print(f"{arguments.path.name}: {size:,} bytes. Back up the master key, too, in another place.")
    return DONE


def _rotate(arguments: argparse.Namespace) -> int:
    from service_nb.server.upkeep import rotate  # noqa: PLC0415

    with opened(arguments) as (config, store):
        count = rotate(config, store)
    if arguments.json:
        print_json({"status": "ok", "sealed": count})
    else:
        print(f"Sealed again: {count:,}.")
    return DONE
