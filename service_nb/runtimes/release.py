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
from typing import BinaryIO

from service_nb.core.folders import folders
from service_nb.errors import RuntimeProvisionError
from service_nb.runtimes.archive import open_bundle, unpack_bundle, verify_bundle, write_bundle
from service_nb.runtimes.manifest import MAX_MANIFEST_BYTES, Manifest, Member, parse_manifest
from service_nb.runtimes.refusal import refused
from service_nb.runtimes.trust import MAX_SIGNATURE_BYTES, Key, Terms, signature_file, trusted, verify


def attach(manifest: Path, raw: bytes) -> tuple[Path, str]:
    """Write the archive beside a manifest anew, with its true signature; return it and its digest.

    The files that ship in the package then lie beside it: the manifest, and its name with `.sig` and `.sha256`.

    Raises
    ------
    RuntimeProvisionError [runtime_provision_failed]
        No release key of this package has signed the manifest (`signature_invalid`), the archive is another's, or a
        file cannot be read or written: the reasons of `refusal`.
    """
    content = _content(manifest, MAX_MANIFEST_BYTES)
    told, key = parse_manifest(content), _signer(content, raw)
    signature, folder = signature_file(raw, key), manifest.parent
    terms = Terms(keys=(key,), contract_hash=told.contract_hash, platform=told.platform, python=told.python)
    with tempfile.TemporaryDirectory(prefix=".release-", dir=folder) as part:
        unpacked = Path(part) / "bundle"
        with open_bundle(folder / told.bundle_name) as file:
            unpack_bundle(file, unpacked, terms, signature=signature)

        def opened(member: Member) -> BinaryIO:
            return (unpacked / member.path).open("rb")

        path = write_bundle(folder, content, signature, opened)
    with open_bundle(path) as file:
        sha256 = verify_bundle(file, terms).sha256
    manifest.with_name(f"{manifest.name}.sig").write_bytes(signature)
    manifest.with_name(f"{manifest.name}.sha256").write_bytes(f"{sha256}\n".encode())
    return path, sha256


def main(argv: Sequence[str] | None = None) -> int:
    """Attach one signature and say what was written."""
    parser = argparse.ArgumentParser(prog="python -m service_nb.runtimes.release", description="Sign a release.")
    parser.add_argument("manifest", type=Path, help="such as linux-x64-cp311.json, beside its archive")
    parser.add_argument("signature", type=Path, help="512 bytes, as `openssl dgst -sha256 -sign` writes them")
    asked = parser.parse_args(argv)
    try:
        told = parse_manifest(_content(asked.manifest, MAX_MANIFEST_BYTES))
        path, sha256 = attach(asked.manifest, _content(asked.signature, MAX_SIGNATURE_BYTES))
    except RuntimeProvisionError as error:
        sys.stderr.write(f"{error.reason}: {error}\n")
        return 1
    sys.stdout.write(f"{path.name}\nsha256   {sha256}\n{_summary(told)}")
    return 0


def _summary(told: Manifest) -> str:
    size = sum(member.size for member in told.members)
    return (
        f"contract {told.contract_hash}\n"
        f"members  {len(told.members)}, {size:,} bytes\n"
        f"valid    {told.issued:%Y-%m-%d} to {told.expires:%Y-%m-%d}\n"
    )


def _content(path: Path, limit: int) -> bytes:
    with open_bundle(path) as file:
        return file.read(limit + 1)


def _signer(content: bytes, raw: bytes) -> Key:
    for key in trusted(folders()):
        # This machine's own key signs nothing that leaves it.
        if not key.is_development:
            try:
                return verify(content, signature_file(raw, key), keys=(key,))
            except RuntimeProvisionError as error:
                if error.reason != "signature_invalid":
                    raise
    raise refused("signature_invalid", "No release key of this package has signed this manifest.", hint=_ADD)


_ADD = "Is the public half in TRUSTED of service_nb/runtimes/trust.py, and is it this manifest that was signed?"

if __name__ == "__main__":
    sys.exit(main())
