"""Install, inspect, verify, build or stop the managed runtime, which runs computations.

examples:
  service-nb runtime install
  service-nb runtime install --modules finance,stats
  service-nb runtime install --from-file service-nb-runtime-0.1.0-linux-x64-cp311.tar
  service-nb runtime status --json
  service-nb runtime verify
  service-nb runtime stop
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from service_nb.cards.format import write_count
from service_nb.cli.console import format_size, show_progress
from service_nb.cli.verb import FAILED, Option, Reply, Verb
from service_nb.core.own_files import OwnFileError, describe_place, find_folders, read_own
from service_nb.errors import RuntimeProvisionError
from service_nb.runtimes.build import write_checkout_bundle
from service_nb.runtimes.install import Installed, audit, verify_installed
from service_nb.runtimes.managed import RuntimeStatus, read_status, stop
from service_nb.runtimes.process import kill_runtime
from service_nb.runtimes.provision import find_installed, provision
from service_nb.runtimes.store import RuntimeStore, remove_tree

KEY_BITS, MAX_KEY_BYTES = 4_096, 16_384

Facts = dict[str, Any]


def _reply_status(arguments: argparse.Namespace) -> Reply:
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
    bundle = _find_runtime(arguments)
    stopped = int(bundle is not None and stop(bundle))
    if not arguments.modules:
        stopped += _stop_other_runtimes()
    text = "Stopped. The next computation starts it again." if stopped else "No runtime was running."
    return Reply({"status": "ok", "stopped": stopped}, text)


def _stop_other_runtimes() -> int:
    """Stop the runtimes of other selections and former installations; return their number."""
    run_ = find_folders().run
    return sum(kill_runtime(folder) for folder in sorted(run_.iterdir())) if run_.is_dir() else 0


def _build(arguments: argparse.Namespace) -> Reply:
    key = None if arguments.key is None else _read_release_key(arguments.key)
    with show_progress() as report:
        made = write_checkout_bundle(arguments.output, key=key, report=report)
    size = made.path.stat().st_size
    document = {"file": made.path.name, "version": made.version, "sha256": made.sha256, "key_id": made.key_id}
    facts = {"file": f"{made.path.name}, {format_size(size)}", "sha256": made.sha256, "signed by": made.key_id}
    return Reply({"status": "ok", "bytes": size, **document}, _write_facts(facts))


# --- what is told ---------------------------------------------------------------------------------------------------


def _find_runtime(arguments: argparse.Namespace) -> Installed | None:
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


_MODULES = Option(
    "--modules NAME,…",
    "install only these fields; default: SERVICE_RUNTIME_MODULES, else all",
    type=lambda text: tuple(text.split(",")),
    default=(),
)
VERB = Verb(
    actions=(
        Verb("status", "Show what is installed, and whether it runs.", _reply_status, (_MODULES,)),
        Verb(
            "install",
            "Install it now instead of at the first computation.",
            _install,
            (
                Option("--from-file FILE", "install from this bundle, without a network", type=Path),
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
                Option("--output --out FOLDER", "output folder; default: the current one", type=Path, default=Path()),
                Option("--key FILE", "a release key; default: this machine's own key, for a +dev version", type=Path),
            ),
        ),
    )
)
