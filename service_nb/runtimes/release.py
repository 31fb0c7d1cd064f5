"""`python -m service_nb.runtimes.release MANIFEST SIGNATURE`: a signature made offline, put where bundles have it.

The key of a release never meets a network: what goes to it is a manifest, what comes back are 512 bytes. Beside the
manifest lies its archive; `service-nb runtime build --key` wrote both with a key that is thrown away. A manifest does
not depend on the key, so what is left to do is to put the true signature in the place of that one, on any machine.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from service_nb.core.own_files import find_folders
from service_nb.errors import RuntimeProvisionError
from service_nb.runtimes.archive import open_bundle, unpack_bundle, verify_bundle, write_bundle
from service_nb.runtimes.manifest import MAX_MANIFEST_BYTES, make_refusal, parse_manifest
from service_nb.runtimes.trust import (
    MAX_SIGNATURE_BYTES,
    BundleTerms,
    Key,
    build_signature_file,
    find_trusted_keys,
    verify_signature,
)


def attach_signature(path: Path, raw: bytes) -> tuple[Path, str]:
    """Write the archive beside a manifest anew, with its true signature; return it and its digest.

    The files that ship in the package then lie beside it: the manifest, and its name with `.sig` and `.sha256`.
    """
    content = _read_limited(path, MAX_MANIFEST_BYTES)
    manifest, key = parse_manifest(content), _find_signer(content, raw)
    signature, folder = build_signature_file(raw, key), path.parent
    terms = BundleTerms(
        keys=(key,), contract_hash=manifest.contract_hash, platform=manifest.platform, python=manifest.python
    )
    with tempfile.TemporaryDirectory(prefix=".release-", dir=folder) as part:
        unpacked = Path(part) / "bundle"
        with open_bundle(folder / manifest.bundle_name) as file:
            unpack_bundle(file, unpacked, terms, signature=signature)
        archive = write_bundle(folder, content, signature, lambda member: (unpacked / member.path).open("rb"))
    with open_bundle(archive) as file:
        sha256 = verify_bundle(file, terms).sha256
    path.with_name(f"{path.name}.sig").write_bytes(signature)
    path.with_name(f"{path.name}.sha256").write_bytes(f"{sha256}\n".encode())
    return archive, sha256


def main(argv: Sequence[str] | None = None) -> int:
    """Attach one signature and say what was written."""
    parser = argparse.ArgumentParser(prog="python -m service_nb.runtimes.release", description="Sign a release.")
    parser.add_argument("manifest", type=Path, help="such as linux-x64-cp311.json, beside its archive")
    parser.add_argument("signature", type=Path, help="512 bytes, as `openssl dgst -sha256 -sign` writes them")
    arguments = parser.parse_args(argv)
    try:
        manifest = parse_manifest(_read_limited(arguments.manifest, MAX_MANIFEST_BYTES))
        raw = _read_limited(arguments.signature, MAX_SIGNATURE_BYTES)
        archive, sha256 = attach_signature(arguments.manifest, raw)
    except RuntimeProvisionError as error:
        sys.stderr.write(f"{error.reason}: {error}\n")
        return 1
    size = sum(member.size for member in manifest.members)
    sys.stdout.write(
        f"{archive.name}\n"
        f"sha256   {sha256}\n"
        f"contract {manifest.contract_hash}\n"
        f"members  {len(manifest.members)}, {size:,} bytes\n"
        f"valid    {manifest.issue_date:%Y-%m-%d} to {manifest.expiry_date:%Y-%m-%d}\n"
    )
    return 0


def _read_limited(path: Path, limit: int) -> bytes:
    with open_bundle(path) as file:
        return file.read(limit + 1)


def _find_signer(content: bytes, raw: bytes) -> Key:
    for key in find_trusted_keys(find_folders()):
        # This machine's own key signs nothing that leaves it.
        if not key.is_development:
            try:
                return verify_signature(content, build_signature_file(raw, key), keys=(key,))
            except RuntimeProvisionError as error:
                if error.reason != "signature_invalid":
                    raise
    raise make_refusal(
        "signature_invalid",
        "No release key of this package has signed this manifest.",
        hint="Check that TRUSTED of service_nb/runtimes/trust.py has the public key, and that it signed this manifest.",
    )


if __name__ == "__main__":
    sys.exit(main())
