"""`service-nb runtime`: the managed runtime on this machine, installed, looked at, verified, built or stopped."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from service_nb.cards.format import write_count
from service_nb.cli.console import format_size, show_progress
from service_nb.cli.verb import FAILED, Reply, Verb, option
from service_nb.core.own_files import describe_place, find_folders
from service_nb.errors import RuntimeProvisionError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

    from service_nb.runtimes.install import Installed
    from service_nb.runtimes.managed import RuntimeStatus

KEY_BITS, MAX_KEY_BYTES = 4_096, 16_384

Facts = dict[str, Any]


def _status(arguments: argparse.Namespace) -> Reply:
    from service_nb.runtimes.managed import read_status  # noqa: PLC0415  # lazy: gRPC loads with it

    bundle = _installed(arguments)
    if bundle is None:
        return _reply_missing()
    living = read_status(bundle)
    state = "stopped" if living is None else "running"
    process = None if living is None else _describe_process(living)
    lines = {"process": "none; the first computation starts it"} if living is None else _process_facts(living)
    return Reply(
        {"status": state, "runtime": _describe_bundle(bundle), "process": process},
        _write_facts(_bundle_facts(bundle) | lines),
    )


def _install(arguments: argparse.Namespace) -> Reply:
    from service_nb.runtimes.provision import provision  # noqa: PLC0415  # lazy: gRPC and cryptography load with it

    before = _installed(arguments)
    if before is not None and _removed(before):
        before = None
    with show_progress() as report:
        bundle = provision(arguments.modules, report=report, from_file=arguments.from_file, asked=True)
    is_new = before != bundle
    text = "Already installed and verified." if is_new else "Already installed."
    return Reply(
        {"status": "ok", "installed": is_new, "runtime": _describe_bundle(bundle)},
        f"{text}\n{_write_facts(_bundle_facts(bundle))}",
    )


def _removed(bundle: Installed) -> bool:
    """Remove what of a runtime is not as signed, so that it is installed anew; whether there was anything."""
    from service_nb.runtimes.install import audit  # noqa: PLC0415  # lazy: as above
    from service_nb.runtimes.managed import stop  # noqa: PLC0415
    from service_nb.runtimes.store import RuntimeStore, remove_tree  # noqa: PLC0415

    altered = {"/".join(finding.place.split("/")[:2]) for finding in audit(bundle)}
    if altered:
        stop(bundle)
        store = RuntimeStore()
        with store.lock():
            remove_tree(bundle.folder)
            for place_ in altered:
                remove_tree(store.data / place_)
    return bool(altered)


def _verify(arguments: argparse.Namespace) -> Reply:
    from service_nb.runtimes.install import verify_installed  # noqa: PLC0415  # lazy: as above

    bundle = _installed(arguments)
    if bundle is None:
        return _reply_missing()
    with show_progress() as report:
        files, size = verify_installed(bundle, report=report)
    return Reply(
        {"status": "ok", "files": files, "bytes": size, "runtime": _describe_bundle(bundle)},
        f"{write_count(files, 'file')} of {format_size(size)}: each is as signed.\n"
        f"{_write_facts(_bundle_facts(bundle))}",
    )


def _stop(arguments: argparse.Namespace) -> Reply:
    from service_nb.runtimes.managed import stop  # noqa: PLC0415  # lazy: as above

    bundle = _installed(arguments)
    stopped = int(bundle is not None and stop(bundle))
    if not arguments.modules:
        stopped += _ended()
    text = "Stopped. The next computation starts it again." if stopped else "No runtime was running."
    return Reply({"status": "ok", "stopped": stopped}, text)


def _ended() -> int:
    """End the runtimes of other selections and of former installations; how many there were."""
    from service_nb.runtimes.process import kill_runtime  # noqa: PLC0415  # lazy: as above

    run_ = find_folders().run
    return sum(kill_runtime(folder) for folder in sorted(run_.iterdir())) if run_.is_dir() else 0


def _build(arguments: argparse.Namespace) -> Reply:
    from service_nb.runtimes.build import write_checkout_bundle  # noqa: PLC0415  # lazy: as above

    key = None if arguments.key is None else _release_key(arguments.key)
    with show_progress() as report:
        made = write_checkout_bundle(arguments.output, key=key, report=report)
    size = made.path.stat().st_size
    document = {"file": made.path.name, "version": made.version, "sha256": made.sha256, "key_id": made.key_id}
    facts = {"file": f"{made.path.name}, {format_size(size)}", "sha256": made.sha256, "signed by": made.key_id}
    return Reply({"status": "ok", "bytes": size, **document}, _write_facts(facts))


# --- what is told ---------------------------------------------------------------------------------------------------


def _installed(arguments: argparse.Namespace) -> Installed | None:
    from service_nb.runtimes.provision import find_installed  # noqa: PLC0415  # lazy: as above

    return find_installed(arguments.modules)


def _reply_missing() -> Reply:
    text = "Not installed. The first computation installs it, or run `service-nb runtime install`."
    return Reply({"status": "not_installed", "runtime": None, "process": None}, text, FAILED)


def _describe_bundle(bundle: Installed) -> Facts:
    return {
        "version": bundle.bundle_version,
        "sha256": bundle.bundle_sha256,
        "contract_hash": bundle.contract_hash,
        "platform": bundle.platform,
        "python": bundle.python,
        "modules": list(bundle.modules),
        "folder": describe_place(bundle.folder),
    }


def _describe_process(living: RuntimeStatus) -> Facts:
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


def _bundle_facts(bundle: Installed) -> Facts:
    facts = _describe_bundle(bundle)
    return {
        "version": f"{facts['version']} for {facts['platform']}, {facts['python']}",
        "sha256": facts["sha256"],
        "contract_hash": facts["contract_hash"],
        "modules": ", ".join(facts["modules"]) or "all",
        "folder": facts["folder"],
    }


def _process_facts(living: RuntimeStatus) -> Facts:
    kind = {"unix": "a unix socket", "tcp": "a port of this machine"}.get(living.address, living.address)
    return {
        "process": f"{living.pid}, {format_size(living.memory_bytes)}, idle for {living.idle_s:,.0f} s, on {kind}",
        "profile": living.description.profile,
    }


def _write_facts(facts: Facts) -> str:
    return "\n".join(f"{label.replace('_hash', ''):<10} {text}" for label, text in facts.items())


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


_MODULES = option(
    "--modules",
    metavar="NAME,…",
    type=lambda text: tuple(text.split(",")),
    default=(),
    help="install only these fields; default: SERVICE_RUNTIME_MODULES, else all",
)
VERB = Verb(
    name="runtime",
    summary="Install, inspect, verify, build or stop the managed runtime, which runs computations.",
    actions=(
        Verb("status", "Show what is installed, and whether it runs.", _status, (_MODULES,)),
        Verb(
            "install",
            "Install it now instead of at the first computation.",
            _install,
            (
                option("--from-file", metavar="FILE", type=Path, help="install from this bundle, without a network"),
                _MODULES,
            ),
        ),
        Verb("verify", "Read every installed byte and compare it with the signed manifest.", _verify, (_MODULES,)),
        Verb("stop", "Stop the running runtime; the next computation starts it again.", _stop, (_MODULES,)),
        Verb(
            "build",
            "Write the bundle of this checkout, reproducibly.",
            _build,
            (
                option(
                    "--output",
                    "--out",
                    metavar="FOLDER",
                    type=Path,
                    default=Path(),
                    help="output folder; default: the current one",
                ),
                option(
                    "--key",
                    metavar="FILE",
                    type=Path,
                    help="a release key; default: this machine's own key, for a +dev version",
                ),
            ),
        ),
    ),
    help="""\
examples:
  service-nb runtime install
  service-nb runtime install --modules finance,stats
  service-nb runtime install --from-file service-nb-runtime-0.1.0-linux-x64-cp311.tar
  service-nb runtime status --json
  service-nb runtime verify
  service-nb runtime stop
""",
)
