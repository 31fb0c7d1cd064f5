"""Install, start, inspect, verify, build or stop the managed runtime, which runs computations.

examples:
  service-nb runtime install
  service-nb runtime install --modules finance,stats
  service-nb runtime install --from-file service-nb-runtime-0.1.0-linux-x64-cp311.tar
  service-nb runtime start
  service-nb runtime status --json
  service-nb runtime verify
  service-nb runtime stop
  service-nb runtime select --from-file service-nb-runtime-0.1.0-linux-x64-cp311.tar --modules finance --output site
"""

from __future__ import annotations

import argparse
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

from service_nb.cards.format import write_count
from service_nb.cli.console import ProgressBar, format_size
from service_nb.cli.verb import FAILED, Option, Reply, Verb
from service_nb.client.user_keys import require_device
from service_nb.core.canonical import write_canonical_bytes
from service_nb.core.own_files import OwnFileError, describe_place, find_folders, read_own
from service_nb.errors import InvalidIntentError, RuntimeProvisionError
from service_nb.runtimes.checkout import write_checkout_bundle
from service_nb.runtimes.folders import INSTALLED
from service_nb.runtimes.install import Installed, verify_installed
from service_nb.runtimes.managed import RuntimeStatus, read_status, stop
from service_nb.runtimes.process import ensure_running, kill_runtime
from service_nb.runtimes.provision import find_installed, provision
from service_nb.runtimes.selection import build_selection, compute_request_key
from service_nb.runtimes.trust import KEY_BITS, parse_private_key

MAX_KEY_BYTES = 16_384


def _reply_status(arguments: argparse.Namespace) -> Reply:
    bundle = find_installed(arguments.modules)
    if bundle is None:
        return _reply_missing()
    living = read_status(bundle)
    document = {
        "status": "stopped" if living is None else "running",
        "runtime": _describe_bundle(bundle),
        "process": None if living is None else _describe_process(living),
    }
    return Reply(document, _write_bundle(bundle, **_write_process(living)))


def _install(arguments: argparse.Namespace) -> Reply:
    before = _read_stamp(find_installed(arguments.modules))
    with ProgressBar() as report:
        bundle = provision(arguments.modules, report=report, from_file=arguments.from_file, asked=True)
    is_new = before != _read_stamp(bundle)
    text = "Installed and verified." if is_new else "Already installed."
    return Reply(
        {"status": "ok", "installed": is_new, "runtime": _describe_bundle(bundle)},
        f"{text}\n{_write_bundle(bundle)}",
    )


def _read_stamp(bundle: Installed | None) -> tuple[Path, int] | None:
    """Read what another installation changes: a runtime's folder, and when its note was written."""
    return None if bundle is None else (bundle.folder, (bundle.folder / INSTALLED).stat().st_mtime_ns)


def _start(arguments: argparse.Namespace) -> Reply:
    """Start the runtime as the first computation would: for the second client, which has this done."""
    require_device()
    with ProgressBar() as report:
        bundle = find_installed(arguments.modules) or provision(arguments.modules, report=report)
    ensure_running(bundle).close()
    return _reply_status(arguments)


def _verify(arguments: argparse.Namespace) -> Reply:
    bundle = find_installed(arguments.modules)
    if bundle is None:
        return _reply_missing()
    with ProgressBar() as report:
        files, size = verify_installed(bundle, report=report)
    return Reply(
        {"status": "ok", "files": files, "bytes": size, "runtime": _describe_bundle(bundle)},
        f"{write_count(files, 'file')} of {format_size(size)}: each is as signed.\n{_write_bundle(bundle)}",
    )


def _stop(arguments: argparse.Namespace) -> Reply:
    bundle = find_installed(arguments.modules)
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
    with ProgressBar() as report:
        made = write_checkout_bundle(arguments.output, key=key, report=report)
    size = made.path.stat().st_size
    document = {"file": made.path.name, "version": made.version, "sha256": made.sha256, "key_id": made.key_id}
    facts = {"file": f"{made.path.name}, {format_size(size)}", "sha256": made.sha256, "signed by": made.key_id}
    return Reply({"status": "ok", "bytes": size, **document}, _write_facts(**facts))


def _select(arguments: argparse.Namespace) -> Reply:
    """Write the answer of a build service, and the archive that it names, as files that any web server can serve."""
    if not arguments.modules:
        raise InvalidIntentError("No module is named.", hint="For example: --modules finance,stats", path="modules")
    folder = arguments.output / "v1" / "runtime"
    for name in ("build", "bundles"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    built = build_selection(arguments.from_file, arguments.modules, folder / "bundles")
    manifest = built.manifest
    wanted = {
        "modules": sorted(arguments.modules),
        "platform": manifest.platform,
        "python": manifest.python,
        "contract_hash": manifest.contract_hash,
    }
    answer = {"url": f"../bundles/{built.path.name}", "sha256": built.sha256, "cache_key": built.cache_key}
    request = folder / "build" / f"{compute_request_key(wanted)}.json"
    request.write_bytes(write_canonical_bytes(answer))
    size = built.path.stat().st_size
    document = {"file": built.path.name, "bytes": size, "sha256": built.sha256, "request": request.name, **wanted}
    facts = {"file": f"{built.path.name}, {format_size(size)}", "request": request.name}
    return Reply({"status": "ok", **document}, _write_facts(modules=", ".join(wanted["modules"]), **facts))


# --- what is told ---------------------------------------------------------------------------------------------------


def _reply_missing() -> Reply:
    text = "Not installed. The first computation installs it, or run `service-nb runtime install`."
    return Reply({"status": "not_installed", "runtime": None, "process": None}, text, FAILED)


def _describe_bundle(bundle: Installed) -> dict[str, object]:
    return {
        "version": bundle.bundle_version,
        "sha256": bundle.bundle_sha256,
        "contract_hash": bundle.contract_hash,
        "platform": bundle.platform,
        "python": bundle.python,
        "modules": list(bundle.modules),
        "folder": describe_place(bundle.folder),
    }


def _describe_process(living: RuntimeStatus) -> dict[str, object]:
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


def _write_bundle(bundle: Installed, **more: str) -> str:
    return _write_facts(
        version=f"{bundle.bundle_version} for {bundle.platform}, {bundle.python}",
        sha256=bundle.bundle_sha256,
        contract=bundle.contract_hash,
        modules=", ".join(bundle.modules) or "all",
        folder=describe_place(bundle.folder),
        **more,
    )


def _write_process(living: RuntimeStatus | None) -> dict[str, str]:
    if living is None:
        return {"process": "none; the first computation starts it"}
    kind = {"unix": "a unix socket", "tcp": "a port of this machine"}.get(living.address, living.address)
    process = f"{living.pid}, {format_size(living.memory_bytes)}, idle for {living.idle_s:,.0f} s, on {kind}"
    return {"process": process, "profile": str(living.description.profile)}


def _write_facts(**facts: str) -> str:
    return "\n".join(f"{label:<10} {text}" for label, text in facts.items())


def _read_release_key(path: Path) -> RSAPrivateKey:
    try:
        return parse_private_key(read_own(path, MAX_KEY_BYTES, secret=True)[0])
    except (OwnFileError, ValueError) as fault:
        raise RuntimeProvisionError(
            f"The release key {fault}.",
            reason="release_key_unusable",
            hint=f"--key takes the PEM of an RSA key of {KEY_BITS:,} bits that only you can read.",
        ) from None


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
            (Option("--from-file FILE", "install from this bundle, without a network", type=Path), _MODULES),
        ),
        Verb("start", "Start it now instead of at the first computation.", _start, (_MODULES,)),
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
        Verb(
            "select",
            "Write what some fields need of a bundle as files that answer for a build service.",
            _select,
            (
                Option("--from-file FILE", "the bundle", type=Path, required=True),
                _MODULES,
                Option("--output --out FOLDER", "the folder that a web server serves", type=Path, default=Path()),
            ),
        ),
    )
)
