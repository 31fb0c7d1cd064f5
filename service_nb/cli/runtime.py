"""`service-nb runtime`: the managed runtime on this machine, installed, looked at, verified, built or stopped."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from service_nb.cards.format import count
from service_nb.cli.actions import add_action
from service_nb.cli.console import DONE, FAILED, megabytes, print_json, progress_bar
from service_nb.core.folders import folders
from service_nb.core.places import place
from service_nb.errors import RuntimeProvisionError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

    from service_nb.runtimes.managed import Status
    from service_nb.runtimes.provision import Installed

SUMMARY = "Install, inspect, verify, build or stop the managed runtime, which runs computations."
EXAMPLES = """\
examples:
  service-nb runtime install
  service-nb runtime install --modules finance,stats
  service-nb runtime install --from-file service-nb-runtime-0.1.0-linux-x64-cp311.tar.gz
  service-nb runtime status --json
  service-nb runtime verify
  service-nb runtime stop
"""
KEY_BITS, MAX_KEY_BYTES = 4_096, 16_384

Facts = dict[str, Any]


def register(parser: argparse.ArgumentParser) -> None:
    """Add the actions of `runtime` and their options."""
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    status = add_action(actions, "status", _status, "Show what is installed, and whether it runs.")
    install = add_action(actions, "install", _install, "Install it now instead of at the first computation.")
    verify = add_action(
        actions, "verify", _verify, "Read every installed byte and compare it with the signed manifest."
    )
    stop = add_action(actions, "stop", _stop, "Stop the running runtime; the next computation starts it again.")
    build = add_action(actions, "build", _build, "Write the bundle of this checkout, reproducibly.")
    install.add_argument("--from-file", metavar="FILE", type=Path, help="install from this bundle, without a network")
    for action in (status, install, verify, stop):
        action.add_argument(
            "--modules",
            metavar="NAME,…",
            type=lambda text: tuple(text.split(",")),
            default=(),
            help="install only these fields; default: SERVICE_RUNTIME_MODULES, else all",
        )
    build.add_argument(
        "--output", "--out", metavar="FOLDER", type=Path, default=Path(), help="output folder; default: the current one"
    )
    build.add_argument(
        "--key", metavar="FILE", type=Path, help="a release key; default: this machine's own key, for a +dev version"
    )


def run(arguments: argparse.Namespace) -> int:
    """Do what is asked."""
    code: int = arguments.act(arguments)
    return code


def _status(arguments: argparse.Namespace) -> int:
    from service_nb.runtimes.managed import status  # noqa: PLC0415  # lazy: gRPC loads with it

    bundle = _installed(arguments)
    if bundle is None:
        return _none(arguments)
    living = status(bundle)
    if arguments.json:
        state = "stopped" if living is None else "running"
        process = None if living is None else _process(living)
        print_json({"status": state, "runtime": _bundle(bundle), "process": process})
        return DONE
    _print_bundle(bundle)
    _print_facts({"process": "none; the first computation starts it"} if living is None else _told(living))
    return DONE


def _install(arguments: argparse.Namespace) -> int:
    from service_nb.runtimes.provision import provision  # noqa: PLC0415  # lazy: gRPC and cryptography load with it

    before = _installed(arguments)
    if before is not None and _removed(before):
        before = None
    with progress_bar() as report:
        bundle = provision(arguments.modules, report=report, from_file=arguments.from_file, asked=True)
    is_new = before != bundle
    if arguments.json:
        print_json({"status": "ok", "installed": is_new, "runtime": _bundle(bundle)})
        return DONE
    print("Already installed and verified." if is_new else "Already installed.")
    _print_bundle(bundle)
    return DONE


def _removed(bundle: Installed) -> bool:
    """Remove what of a runtime is not as signed, so that it is installed anew; whether there was anything."""
    from service_nb.runtimes.managed import stop  # noqa: PLC0415
    from service_nb.runtimes.store import Store, remove_tree  # noqa: PLC0415
    from service_nb.runtimes.verification import audit  # noqa: PLC0415  # lazy: as above

    altered = {"/".join(finding.place.split("/")[:2]) for finding in audit(bundle)}
    if altered:
        stop(bundle)
        store = Store()
        with store.locked():
            remove_tree(bundle.folder)
            for place_ in altered:
                remove_tree(store.data / place_)
    return bool(altered)


def _verify(arguments: argparse.Namespace) -> int:
    from service_nb.runtimes.verification import verify  # noqa: PLC0415  # lazy: as above

    bundle = _installed(arguments)
    if bundle is None:
        return _none(arguments)
    with progress_bar() as report:
        files, size = verify(bundle, report=report)
    if arguments.json:
        print_json({"status": "ok", "files": files, "bytes": size, "runtime": _bundle(bundle)})
        return DONE
    print(f"{count(files, 'file')} of {megabytes(size)}: each is as signed.")
    _print_bundle(bundle)
    return DONE


def _stop(arguments: argparse.Namespace) -> int:
    from service_nb.runtimes.managed import stop  # noqa: PLC0415  # lazy: as above

    bundle = _installed(arguments)
    stopped = int(bundle is not None and stop(bundle))
    if not arguments.modules:
        stopped += _ended()
    if arguments.json:
        print_json({"status": "ok", "stopped": stopped})
    else:
        print("Stopped. The next computation starts it again." if stopped else "No runtime was running.")
    return DONE


def _ended() -> int:
    """End the runtimes of other selections and of former installations; how many there were."""
    from service_nb.runtimes.process import end  # noqa: PLC0415  # lazy: as above

    run_ = folders().run
    return sum(end(folder) for folder in sorted(run_.iterdir())) if run_.is_dir() else 0


def _build(arguments: argparse.Namespace) -> int:
    from service_nb.runtimes.build import built  # noqa: PLC0415  # lazy: as above

    key = None if arguments.key is None else _release_key(arguments.key)
    with progress_bar() as report:
        made = built(arguments.output, key=key, report=report)
    size = made.path.stat().st_size
    if arguments.json:
        told = {"file": made.path.name, "version": made.version, "sha256": made.sha256, "key_id": made.key_id}
        print_json({"status": "ok", "bytes": size, **told})
        return DONE
    _print_facts({"file": f"{made.path.name}, {megabytes(size)}", "sha256": made.sha256, "signed by": made.key_id})
    return DONE


# --- what is told ---------------------------------------------------------------------------------------------------


def _installed(arguments: argparse.Namespace) -> Installed | None:
    from service_nb.runtimes.provision import installed  # noqa: PLC0415  # lazy: as above

    return installed(arguments.modules)


def _none(arguments: argparse.Namespace) -> int:
    if arguments.json:
        print_json({"status": "not_installed", "runtime": None, "process": None})
    else:
        print("Not installed. The first computation installs it, or run `service-nb runtime install`.")
    return FAILED


def _bundle(bundle: Installed) -> Facts:
    return {
        "version": bundle.bundle_version,
        "sha256": bundle.bundle_sha256,
        "contract_hash": bundle.contract_hash,
        "platform": bundle.platform,
        "python": bundle.python,
        "modules": list(bundle.modules),
        "folder": place(bundle.folder),
    }


def _process(living: Status) -> Facts:
    return {
        "pid": living.pid,
        "version": living.description.bundle_version,
        "contract_hash": living.contract_hash,
        "profile": living.description.profile,
        "libraries": dict(living.description.libraries),
        "memory_bytes": living.memory_bytes,
        "idle_s": round(living.idle_s, 1),
        "address": living.address,
    }


def _print_bundle(bundle: Installed) -> None:
    facts = _bundle(bundle)
    of = f"{facts['platform']}, {facts['python']}"
    modules = ", ".join(facts["modules"]) or "all"
    _print_facts({"version": f"{facts['version']} for {of}"} | {key: facts[key] for key in ("sha256", "contract_hash")})
    _print_facts({"modules": modules, "folder": facts["folder"]})


def _told(living: Status) -> Facts:
    kind = {"unix": "a unix socket", "tcp": "a port of this machine"}.get(living.address, living.address)
    return {
        "process": f"{living.pid}, {megabytes(living.memory_bytes)}, idle for {living.idle_s:,.0f} s, on {kind}",
        "profile": living.description.profile,
    }


def _print_facts(facts: Facts) -> None:
    for label, text in facts.items():
        print(f"{label.replace('_hash', ''):<10} {text}")


def _release_key(path: Path) -> RSAPrivateKey:
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415  # lazy: only a release needs it
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey  # noqa: PLC0415
    from cryptography.hazmat.primitives.serialization import load_pem_private_key  # noqa: PLC0415

    from service_nb.core.own_files import OwnFileError, read_own  # noqa: PLC0415

    try:
        key = load_pem_private_key(read_own(path, MAX_KEY_BYTES, secret=True)[0], password=None)
    except OwnFileError as fault:
        raise _no_key(str(fault)) from fault
    except (ValueError, TypeError, UnsupportedAlgorithm):
        # Without the cause: what a parser says of a secret is nobody's business.
        raise _no_key("cannot be read as a key without a password") from None
    if not isinstance(key, RSAPrivateKey) or key.key_size != KEY_BITS:
        raise _no_key(f"is not an RSA key of {KEY_BITS:,} bits")
    return key


def _no_key(what: str) -> RuntimeProvisionError:
    return RuntimeProvisionError(
        f"The release key {what}.",
        reason="release_key_unusable",
        hint=f"--key takes the PEM of an RSA key of {KEY_BITS:,} bits that only you can read.",
    )
