"""Run a private deployment: live sources, computations and their evidence, over HTTP.

examples:
  service-nb serve --config deployment.toml
  service-nb serve --workers 4
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

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from service_nb._version import __version__
from service_nb.cli.reading import read_policy
from service_nb.cli.verb import DONE, FAILED, Option, Reply, Verb
from service_nb.client import user_keys as device
from service_nb.core.words import describe_value
from service_nb.errors import DriverMissingError, InvalidIntentError
from service_nb.query.policy import parse_policy
from service_nb.server.config import Config, read_config
from service_nb.server.deployment_store import Store, read_clock
from service_nb.server.keys import BOUND, SCOPES, USUAL, DeviceCodes, Grant, Keys, check_tenant_name
from service_nb.server.log import configure_log
from service_nb.server.secrets import Vault
from service_nb.server.tenant_store import TenantStore
from service_nb.server.upkeep import create_deployment, rotate_master_key

CONFIG = "deployment.toml"
_DAY_S = 86_400
PLAIN_HOSTS = ("127.0.0.1", "::1", "localhost")


def _serve(arguments: argparse.Namespace) -> Reply:
    """Serve until a signal comes."""
    try:
        from service_nb.server.serving import bind_socket, serve  # noqa: PLC0415  # optional, and no other verb needs it
        from service_nb.server.workers import MOST_WORKERS, serve_by_workers  # noqa: PLC0415
    except ImportError as error:
        hint = 'pip install "service-nb[server]"'
        raise DriverMissingError(f"{error.name} is not installed.", hint=hint) from None
    from service_nb.server.tenants import Deployment  # noqa: PLC0415

    config = read_config(_choose_config_path(arguments))
    host, port = config.address
    host = arguments.host or host
    port = port if arguments.port is None else arguments.port
    if not 0 <= port <= 65_535:
        raise InvalidIntentError(f"--port is {port}.", path="port", met=str(port), expected="0 … 65535")
    workers = arguments.workers
    if not 1 <= workers <= MOST_WORKERS:
        raise InvalidIntentError(
            f"--workers is {workers}.", path="workers", met=str(workers), expected=f"1 … {MOST_WORKERS}"
        )
    if workers > 1 and sys.platform == "win32":
        raise InvalidIntentError("On Windows a deployment is one process.", path="workers", expected="1")
    configure_log(quiet=arguments.quiet, as_json=arguments.json)

    def tell(address: str) -> None:
        _print_address(arguments, address, host)

    with closing(bind_socket(host, port)) as bound:
        if workers > 1:
            how = {"quiet": arguments.quiet, "as_json": arguments.json}
            ended = serve_by_workers(config, _choose_config_path(arguments), bound, workers, ready=tell, **how)
        else:
            ended = serve(Deployment(config), bound, trusted=config.server.trusted_proxies, ready=tell)
    return Reply(code=DONE if ended else FAILED)


def _print_address(arguments: argparse.Namespace, address: str, host: str) -> None:
    """Say where it listens, once it does."""
    if arguments.json:
        print(json.dumps({"status": "serving", "address": address, "version": __version__}), flush=True)
        return
    print(
        f"service_nb {__version__} serves {address} (SERVICE_DEPLOYMENT_URL={address}); press Ctrl-C to stop.",
        flush=True,
    )
    if host not in PLAIN_HOSTS:
        print("This port is not encrypted: put a TLS proxy in front of it.", file=sys.stderr, flush=True)


# --- actions ----------------------------------------------------------------------------------------------------------


@contextmanager
def _open_deployment(arguments: argparse.Namespace) -> Iterator[tuple[Config, Store]]:
    """Open the deployment that is configured."""
    config = read_config(_choose_config_path(arguments))
    with closing(Store(config.data)) as store:
        yield config, store


def _choose_config_path(arguments: argparse.Namespace) -> Path:
    path: Path = getattr(arguments, "config", None) or Path(CONFIG)
    return path


def _begin(arguments: argparse.Namespace) -> Reply:
    begun, signer = create_deployment(_choose_config_path(arguments)), device.login()
    lines = (
        f"{_choose_config_path(arguments).name}: {'written' if begun.config else 'unchanged'}",
        f"master key: {'created; store a copy separately from backups' if begun.master_key else 'unchanged'}",
        f"receipts are signed by the device key {signer.id}",
        "Next: service-nb serve key create --tenant NAME, and for computations service-nb runtime install",
    )
    document = {"status": "ok", "config": begun.config, "master_key": begun.master_key, "device": signer.id}
    return Reply(document, "\n".join(lines))


def _read_grant(arguments: argparse.Namespace) -> Grant:
    if arguments.days is not None and not 0 < arguments.days <= 36_500:
        raise InvalidIntentError(f"--days is {arguments.days}; expected 1 to 36,500.", path="days")
    policy = {} if arguments.policy is None else read_policy(arguments.policy)
    usual = USUAL if arguments.policy is None else BOUND
    return Grant(
        tenant=arguments.tenant,
        label=arguments.label,
        scopes=tuple(arguments.scopes.split(",")) if arguments.scopes else usual,
        policy=policy,
        expires=None if arguments.days is None else read_clock() + arguments.days * _DAY_S,
    )


def _create_key(arguments: argparse.Namespace) -> Reply:
    grant = _read_grant(arguments)
    with _open_deployment(arguments) as (_, store):
        key_id, key = Keys(store).create(grant)
    text = f"{key_id} of {grant.tenant} may {', '.join(grant.scopes)}. The key, printed once:\n{key.reveal()}"
    return Reply({"status": "ok", "id": key_id, "tenant": grant.tenant, "key": key.reveal()}, text)


def _list_keys(arguments: argparse.Namespace) -> Reply:
    no_policy = parse_policy(None).to_dict()
    with _open_deployment(arguments) as (_, store):
        keys = Keys(store).list(arguments.tenant)
    lines = []
    for key in keys:
        state = f"revoked {key['revoked']}" if key["revoked"] else f"until {key['expires'] or 'revoked'}"
        used = f"last used {key['last_used']}" if key["last_used"] else "never used"
        may = ", ".join(scope for scope in SCOPES if scope in key["scopes"])
        bound = "" if key["policy"] == no_policy else "  with a policy"
        lines.append(f"{key['id']}  {key['tenant']}  {may}{bound}  {state}  {used}  {key['label']}".rstrip())
    return Reply({"status": "ok", "keys": keys}, "\n".join(lines) or "No keys.")


def _revoke_key(arguments: argparse.Namespace) -> Reply:
    with _open_deployment(arguments) as (_, store):
        was_taken = Keys(store).revoke(arguments.id)
    text = (
        f"{arguments.id} is revoked." if was_taken else f"There is no key with the id {describe_value(arguments.id)}."
    )
    document = {"status": "ok" if was_taken else "unknown", "id": arguments.id}
    return Reply(document, text, DONE if was_taken else FAILED)


def _approve_device(arguments: argparse.Namespace) -> Reply:
    with _open_deployment(arguments) as (config, store):
        codes = DeviceCodes(store, config.enrolment, config.public_address)
        if arguments.code is None:
            return _list_waiting(codes.list_waiting())
        if arguments.deny:
            codes.deny(arguments.code)
        elif arguments.tenant is None:
            raise InvalidIntentError("The tenant of the key is missing.", hint="Add --tenant NAME.", path="tenant")
        else:
            codes.approve(arguments.code, _read_grant(arguments))
    done = "denied" if arguments.deny else "approved"
    text = f"{arguments.code} is {done}." + ("" if arguments.deny else " The device now fetches its key.")
    return Reply({"status": "ok", "code": arguments.code, "answer": done}, text)


def _list_waiting(devices: list[dict[str, str]]) -> Reply:
    lines = []
    for each in devices:
        whence = f"  from {describe_value(each['address'])}" if each["address"] else ""
        asks = f"asks for {each['scopes']}  until {each['expires']}"
        lines.append(f"{each['code']}  {describe_value(each['client'])}{whence}  {asks}")
    return Reply({"status": "ok", "waiting": devices}, "\n".join(lines) or "No device is waiting.")


def _list_connectors(arguments: argparse.Namespace) -> Reply:
    with _open_deployment(arguments) as (config, store):
        kept = _open_tenant(config, store, arguments.tenant)
        connectors, sources = kept.list_connectors(), kept.list_sources()
    document = {
        "status": "ok",
        "connectors": [{"id": each.id, "type": each.descriptor.type, "name": each.name} for each in connectors],
        "sources": [
            {"name": each.name, "type": each.descriptor.type, "rows": each.shape.row_count} for each in sources
        ],
    }
    lines = [f"connector  {each.id}  {each.descriptor.type}  {each.name or ''}".rstrip() for each in connectors]
    lines += [f"source  {each.name}  {each.descriptor.type}  {each.shape.row_count:,} rows" for each in sources]
    return Reply(document, "\n".join(lines) or f"No connectors and no sources of {arguments.tenant}.")


def _forget_connector(arguments: argparse.Namespace) -> Reply:
    with _open_deployment(arguments) as (config, store):
        kept = _open_tenant(config, store, arguments.tenant)
        if arguments.id in kept.list_names():
            kept.delete_source(arguments.id)
        else:
            kept.delete_connector(arguments.id)
    return Reply({"status": "ok", "id": arguments.id}, f"Deleted {arguments.id}.")


def _open_tenant(config: Config, store: Store, tenant: str) -> TenantStore:
    check_tenant_name(tenant)
    vault = Vault(config.secrets.master_key, Path(config.folder))
    return TenantStore(store, vault, tenant, config.connectors.most)


def _back_up(arguments: argparse.Namespace) -> Reply:
    with _open_deployment(arguments) as (_, store):
        size = store.back_up(arguments.path)
    text = f"{arguments.path.name}: {size:,} bytes. Back up the master key, too, in another place."
    return Reply({"status": "ok", "file": arguments.path.name, "bytes": size}, text)


def _rotate_key(arguments: argparse.Namespace) -> Reply:
    with _open_deployment(arguments) as (config, store):
        count = rotate_master_key(config, store)
    return Reply({"status": "ok", "sealed": count}, f"Sealed again: {count:,}.")


_CONFIG_FILE = Option(
    "--config FILE", f"the deployment's configuration; default: {CONFIG}", type=Path, default=argparse.SUPPRESS
)
_GRANT = (
    Option("--label TEXT", "a label, shown when keys are listed", default=""),
    Option("--scopes NAME,…", "query, compute, sources, connectors, results, metrics"),
    Option("--policy FILE", "JSON: allowed_sources, _fields, _functions", type=Path),
    Option("--days N", "days until it expires; default: never", type=int),
)
_TENANT_NAME = "lower case letters, digits, single hyphens"
_TENANT = Option("--tenant NAME", "the tenant", required=True)
_KEY_VERB = Verb(
    "key",
    "Make, list or revoke keys.",
    actions=(
        Verb(
            "create",
            "Create a key, and print it once.",
            _create_key,
            (_CONFIG_FILE, Option("--tenant NAME", _TENANT_NAME, required=True), *_GRANT),
        ),
        Verb(
            "list",
            "List the keys with scopes and expiry, without the keys themselves.",
            _list_keys,
            (_CONFIG_FILE, Option("--tenant NAME", "of this tenant only")),
        ),
        Verb(
            "revoke",
            "Revoke a key, immediately and permanently.",
            _revoke_key,
            (_CONFIG_FILE, Option("id ID", "as `key list` shows it")),
        ),
    ),
)
_CONNECTOR_VERB = Verb(
    "connector",
    "List or forget a tenant's connectors and sources.",
    actions=(
        Verb(
            "list",
            "List a tenant's connectors and sources, without their secrets.",
            _list_connectors,
            (_CONFIG_FILE, _TENANT),
        ),
        Verb(
            "forget",
            "Delete a connector that no source uses, or a source.",
            _forget_connector,
            (_CONFIG_FILE, Option("id ID", "a connector's id, or a source's name"), _TENANT),
        ),
    ),
)
VERB = Verb(
    run=_serve,
    options=(
        Option("--config FILE", f"{CONFIG} in this folder by default", type=Path),
        Option("--host HOST", "the address to listen at, instead of the configuration's"),
        Option("--port PORT", "the port, instead of the configuration's; 0: any", type=int),
        Option("--workers N", "processes that serve, as many as there are cores; default: 1", type=int, default=1),
        Option("--quiet", "do not log requests"),
    ),
    actions=(
        Verb("init", "Write a commented deployment.toml, a master key and an empty store.", _begin, (_CONFIG_FILE,)),
        Verb(
            "approve",
            "Approve a device's request for a key; without a code, list the waiting devices.",
            _approve_device,
            (
                _CONFIG_FILE,
                Option("code CODE", "the code that the device shows, such as WDJB-MJHT", nargs="?"),
                Option("--deny", "deny the request"),
                Option("--tenant NAME", _TENANT_NAME),
                *_GRANT,
            ),
        ),
        Verb(
            "backup",
            "Back up the store while servers run.",
            _back_up,
            (_CONFIG_FILE, Option("path FILE", "output file; must not exist", type=Path)),
        ),
        Verb("rotate", "Rotate the master key: seal everything with a new one.", _rotate_key, (_CONFIG_FILE,)),
        _KEY_VERB,
        _CONNECTOR_VERB,
    ),
)
