"""States of a repository of bundles, by the names that TUF gives to attacks: refused by name, and nothing is touched.

Without a network a freeze is bounded by the expiry of what was signed and by the machine's clock, and by nothing else.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from service_nb.runtimes.archive import verify_bundle
from service_nb.runtimes.manifest import MAX_MANIFEST_BYTES
from service_nb.runtimes.trust import HighestVersion
from tests.simulators.bundles import (
    FILES,
    entry,
    head,
    key_id,
    listed,
    manifest,
    members,
    packed,
    signature,
    signed_bundle,
    terms,
)
from tests.simulators.watching import Refused, refuser

CONTENT = manifest()
SOUND = signed_bundle()
SECOND = sorted(FILES)[1]
OLDER = {**FILES, SECOND: FILES[SECOND].replace(b"capabilities", b"incapability")}


def signed(make: Callable[[], bytes]) -> Callable[[], bytes]:
    return lambda: packed(members(), beginning=head(CONTENT, make()))


def year(number: int) -> datetime:
    return datetime(number, 3, 1, tzinfo=UTC)


STATES: dict[str, tuple[str, Callable[[], bytes], dict[str, Any]]] = {
    "arbitrary software: no key": ("key_unknown", lambda: signed_bundle(key="stranger"), {}),
    "arbitrary software: the name of a key": (
        "signature_invalid",
        signed(lambda: signature(CONTENT, "stranger", key_id=key_id())),
        {},
    ),
    "arbitrary software: the signature of another file": (
        "signature_invalid",
        signed(lambda: signature(b"a file of the same key")),
        {"keys": terms().keys},
    ),
    "rollback: an older release": (
        "version_rolled_back",
        lambda: signed_bundle(version="0.2.0"),
        {"highest": HighestVersion("0.3.0", key_id())},
    ),
    "rollback: below the floor, and what was seen is deleted": (
        "version_rolled_back",
        lambda: signed_bundle(version="0.0.9"),
        {"highest": None},
    ),
    "rollback: below the floor, by a mark that is set low": (
        "version_rolled_back",
        lambda: signed_bundle(version="0.0.9"),
        {"highest": HighestVersion("0.0.1", key_id())},
    ),
    "rollback: a checkout of an older version": (
        "version_rolled_back",
        lambda: signed_bundle(key="machine", version="0.2.0+dev"),
        {"highest": HighestVersion("0.3.0", key_id())},
    ),
    "indefinite freeze: the same bundle for years": ("manifest_expired", lambda: SOUND, {"now": year(2032)}),
    "indefinite freeze: a clock that is turned back": ("manifest_not_yet_valid", lambda: SOUND, {"now": year(2029)}),
    "fast-forward: by a key that was stolen": (
        "key_revoked",
        lambda: signed_bundle(version="999999.0.0"),
        {"revoked": frozenset({key_id()})},
    ),
    "fast-forward: before it is known to be stolen, it is a rollback that is refused": (
        "version_rolled_back",
        lambda: SOUND,
        {"highest": HighestVersion("999999.0.0", key_id())},
    ),
    "fast-forward: beyond any version": ("manifest_malformed", lambda: signed_bundle(version="1000000.0.0"), {}),
    "mix-and-match: a file of an older release": ("member_digest", lambda: packed(members(OLDER)), {}),
    "mix-and-match: the manifest of one, the signature of another": (
        "signature_invalid",
        signed(lambda: signature(manifest(members=listed(OLDER)))),
        {},
    ),
    "mix-and-match: kernels of one contract, a client of another": (
        "contract_mismatch",
        lambda: SOUND,
        {"contract_hash": "sha256:" + "6b" * 32},
    ),
    "wrong software: of another platform": (
        "platform_mismatch",
        lambda: SOUND,
        {"platform": "darwin-arm64"},
    ),
    "wrong software: of another Python": ("python_mismatch", lambda: SOUND, {"python": "cp312"}),
    "extraneous dependencies": (
        "member_unlisted",
        lambda: packed([*members()[:3], entry("wheels/b.whl", b"evil"), *members()[3:]]),
        {},
    ),
    "endless data: after the end": ("archive_too_large", lambda: SOUND + bytes(2**20), {}),
    "endless data: in the manifest": (
        "archive_too_large",
        lambda: packed([], beginning=entry("manifest.json", b" " * (2 * MAX_MANIFEST_BYTES))),
        {},
    ),
    "key compromise: a revoked key": ("key_revoked", lambda: SOUND, {"revoked": frozenset({key_id()})}),
    "key compromise: the key of this machine signs a release": (
        "key_not_for_version",
        lambda: signed_bundle(key="machine"),
        {},
    ),
    "key compromise: the key of a build machine elsewhere": (
        "key_unknown",
        lambda: signed_bundle(key="stranger", version="0.3.0+dev"),
        {},
    ),
    "key rotation: a key that is no longer listed": ("key_unknown", lambda: SOUND, {"keys": terms().keys[1:]}),
    "malicious mirror: an empty file": ("archive_truncated", lambda: b"", {}),
    "malicious mirror: half of it": ("archive_truncated", lambda: SOUND[: len(SOUND) // 2], {}),
}


@pytest.fixture
def refused(tmp_path: Path, record_property: Callable[[str, object], None]) -> Refused:
    return refuser(tmp_path, record_property)


@pytest.mark.parametrize(("reason", "make", "asked"), STATES.values(), ids=STATES)
def test_a_state_of_the_repository_is_refused(
    refused: Refused, reason: str, make: Callable[[], bytes], asked: dict[str, Any]
) -> None:
    assert refused(make(), asked=terms(**asked)) == reason


def test_after_a_fast_forward_by_a_stolen_key_true_releases_come_in_again() -> None:
    asked = terms(highest=HighestVersion("999999.0.0", key_id("stolen")), revoked=frozenset({key_id("stolen")}))
    assert verify_bundle(io.BytesIO(SOUND), asked).manifest.version == "0.3.0"
