"""Why a bundle is refused: each reason has one name, which programs and people can rely on; in the order of the checks.

=======================  ==========================================================================================
reason                   what was met
=======================  ==========================================================================================
signature_malformed      the signature file is not the canonical JSON of algorithm, key id and 512 bytes in base64
algorithm_refused        another algorithm than RS256, `none` included
key_revoked              the key that signed was withdrawn
key_unknown              no key of that id is trusted here
key_too_short            the key has fewer than 4,096 bits
signature_invalid        that key has not signed these bytes
manifest_malformed       the manifest is not canonical JSON of exactly the known fields, within their limits
key_not_for_version      a machine's own key signed a release, or a release key something that ends in `+dev`
manifest_expired         its last day has passed
manifest_not_yet_valid   it was issued more than a day from now
version_rolled_back      the version is below the floor, or below one that was installed here before
client_too_old           it needs a later version of this package
platform_mismatch        it is for another platform
python_mismatch          it is for another interpreter
contract_mismatch        it computes by another contract than this package embeds
member_missing           a member that the manifest lists is not where it has to be
member_unlisted          a member that the manifest does not list
member_duplicate         a member for the second time
member_unsafe            no plain file (a link, a device, a folder, an extended header), or a path that is not safe
member_size              a size other than the manifest's
member_digest            a content other than the manifest's
archive_malformed        a byte that no bundle has there
archive_truncated        the file ends before the bundle does
archive_too_large        more bytes than the manifest accounts for, or than any bundle has
archive_unreadable       no regular file, or one that cannot be read
disk_full                the members do not fit on the disk
folder_unwritable        the members cannot be written
signing_key_unsafe       this machine's own signing key is a link, or others can read it
signing_key_malformed    it cannot be read as the RSA-4096 key it has to be
signing_key_unreadable   it, or its folder, cannot be read or written
=======================  ==========================================================================================
"""

from __future__ import annotations

from typing import Any, Literal

from service_nb.errors import RuntimeProvisionError

Reason = Literal[
    "signature_malformed",
    "algorithm_refused",
    "key_revoked",
    "key_unknown",
    "key_too_short",
    "signature_invalid",
    "manifest_malformed",
    "key_not_for_version",
    "manifest_expired",
    "manifest_not_yet_valid",
    "version_rolled_back",
    "client_too_old",
    "platform_mismatch",
    "python_mismatch",
    "contract_mismatch",
    "member_missing",
    "member_unlisted",
    "member_duplicate",
    "member_unsafe",
    "member_size",
    "member_digest",
    "archive_malformed",
    "archive_truncated",
    "archive_too_large",
    "archive_unreadable",
    "disk_full",
    "folder_unwritable",
    "signing_key_unsafe",
    "signing_key_malformed",
    "signing_key_unreadable",
]
_ANOTHER = "Nothing of it was stored. Download the bundle again."


def refused(reason: Reason, message: str, *, hint: str | None = _ANOTHER, **details: Any) -> RuntimeProvisionError:
    """Return the error that refuses a bundle for a named reason."""
    return RuntimeProvisionError(message, reason=reason, hint=hint, **details)


def shown(text: object) -> str:
    """Return what came from a hostile file as something to print: ASCII, short, without control characters."""
    line = ascii(text)
    return line if len(line) <= 80 else f"{line[:77]}..."
