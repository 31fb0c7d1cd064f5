"""`service-nb runtime`: the managed runtime on this machine, installed, looked at, verified, built or stopped."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from service_nb.cards.format import write_count
from service_nb.cli.console import format_size, show_progress
from service_nb.cli.verb import FAILED, Reply, Verb, declare_option
from service_nb.core.own_files import describe_place, find_folders
from service_nb.errors import RuntimeProvisionError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

    from service_nb.runtimes.install import Installed
    from service_nb.runtimes.managed import RuntimeStatus

KEY_BITS, MAX_KEY_BYTES = 4_096, 16_384

Facts = dict[str, Any]


def _reply_status(arguments: argparse.Namespace) -> Reply:
    from service_nb.runtimes.managed import read_status  # noqa: PLC0415  # lazy: gRPC loads with it

    bundle = _find_runtime(arguments)
    if bundle is None:
        return _reply_missing()
    living = read_status(bundle)
    state = "stopped" if living is None else "running"
    process = None if living is None else _describe_process(living)
    lines = {"process": "none; the first computation starts it"} if living is None else _build_process_facts(living)
    return Reply(
        {"status": state, "runtime": _describe_bundle(bundle), "process": process},
        _write_facts(_build_bundle_facts(bundle) | lines),
    )


def _install(arguments: argparse.Namespace) -> Reply:
    from service_nb.runtimes.provision import provision  # noqa: PLC0415  # lazy: gRPC and cryptography load with it

    before = _find_runtime(arguments)
    if before is not None and _remove_altered(before):
        before = None
    with show_progress() as report:
        bundle = provision(arguments.modules, report=report, from_file=arguments.from_file, asked=True)
    is_new = before != bundle
    text = "Already installed and verified." if is_new else "Already installed."
    return Reply(
        {"status": "ok", "installed": is_new, "runtime": _describe_bundle(bundle)},
        f"{text}\n{_write_facts(_build_bundle_facts(bundle))}",
    )


def _remove_altered(bundle: Installed) -> bool:
    """Remove the altered parts of a runtime, so that they are installed again; True if there were any."""
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

    bundle = _find_runtime(arguments)
    if bundle is None:
        return _reply_missing()
    with show_progress() as report:
        files, size = verify_installed(bundle, report=report)
    return Reply(
        {"status": "ok", "files": files, "bytes": size, "runtime": _describe_bundle(bundle)},
        f"{write_count(files, 'file')} of {format_size(size)}: each is as signed.\n"
        f"{_write_facts(_build_bundle_facts(bundle))}",
    )


def _stop(arguments: argparse.Namespace) -> Reply:
    from service_nb.runtimes.managed import stop  # noqa: PLC0415  # lazy: as above

    bundle = _find_runtime(arguments)
    stopped = int(bundle is not None and stop(bundle))
    if not arguments.modules:
        stopped += _stop_other_runtimes()
    text = "Stopped. The next computation starts it again." if stopped else "No runtime was running."
    return Reply({"status": "ok", "stopped": stopped}, text)


def _stop_other_runtimes() -> int:
    """Stop the runtimes of other selections and former installations; return their number."""
    from service_nb.runtimes.process import kill_runtime  # noqa: PLC0415  # lazy: as above

    run_ = find_folders().run
    return sum(kill_runtime(folder) for folder in sorted(run_.iterdir())) if run_.is_dir() else 0


def _build(arguments: argparse.Namespace) -> Reply:
    from service_nb.runtimes.build import write_checkout_bundle  # noqa: PLC0415  # lazy: as above

    key = None if arguments.key is None else _read_release_key(arguments.key)
    with show_progress() as report:
        made = write_checkout_bundle(arguments.output, key=key, report=report)
    size = made.path.stat().st_size
    document = {"file": made.path.name, "version": made.version, "sha256": made.sha256, "key_id": made.key_id}
    facts = {"file": f"{made.path.name}, {format_size(size)}", "sha256": made.sha256, "signed by": made.key_id}
    return Reply({"status": "ok", "bytes": size, **document}, _write_facts(facts))


# --- what is told ---------------------------------------------------------------------------------------------------


def _find_runtime(arguments: argparse.Namespace) -> Installed | None:
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


def _build_bundle_facts(bundle: Installed) -> Facts:
    facts = _describe_bundle(bundle)
    return {
        "version": f"{facts['version']} for {facts['platform']}, {facts['python']}",
        "sha256": facts["sha256"],
        "contract_hash": facts["contract_hash"],
        "modules": ", ".join(facts["modules"]) or "all",
        "folder": facts["folder"],
    }


def _build_process_facts(living: RuntimeStatus) -> Facts:
    kind = {"unix": "a unix socket", "tcp": "a port of this machine"}.get(living.address, living.address)
    return {
        "process": f"{living.pid}, {format_size(living.memory_bytes)}, idle for {living.idle_s:,.0f} s, on {kind}",
        "profile": living.description.profile,
    }


def _write_facts(facts: Facts) -> str:
    return "\n".join(f"{label.replace('_hash', ''):<10} {text}" for label, text in facts.items())


def _read_release_key(path: Path) -> RSAPrivateKey:
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415  # lazy: only a release needs it
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey  # noqa: PLC0415
    from cryptography.hazmat.primitives.serialization import load_pem_private_key  # noqa: PLC0415

    from service_nb.core.own_files import OwnFileError, read_own  # noqa: PLC0415

    try:
        key = load_pem_private_key(read_own(path, MAX_KEY_BYTES, secret=True)[0], password=None)
    except OwnFileError as fault:
        raise _release_key_error(str(fault)) from fault
    except (ValueError, TypeError, UnsupportedAlgorithm):
        # Without the cause: what a parser says of a secret is nobody's business.
        raise _release_key_error("cannot be read as a key without a password") from None
    if not isinstance(key, RSAPrivateKey) or key.key_size != KEY_BITS:
        raise _release_key_error(f"is not an RSA key of {KEY_BITS:,} bits")
    return key


def _release_key_error(what: str) -> RuntimeProvisionError:
    return RuntimeProvisionError(
        f"The release key {what}.",
        reason="release_key_unusable",
        hint=f"--key takes the PEM of an RSA key of {KEY_BITS:,} bits that only you can read.",
    )


_MODULES = declare_option(
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
        Verb("status", "Show what is installed, and whether it runs.", _reply_status, (_MODULES,)),
        Verb(
            "install",
            "Install it now instead of at the first computation.",
            _install,
            (
                declare_option(
                    "--from-file", metavar="FILE", type=Path, help="install from this bundle, without a network"
                ),
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
                declare_option(
                    "--output",
                    "--out",
                    metavar="FOLDER",
                    type=Path,
                    default=Path(),
                    help="output folder; default: the current one",
                ),
                declare_option(
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
