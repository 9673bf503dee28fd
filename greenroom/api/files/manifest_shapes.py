"""The JSON shapes of manifests: for members, and for everybody."""

from msgspec import Struct
from msgspec.structs import replace

from greenroom.clock import iso
from greenroom.files import models
from greenroom.files.manifest_hash import PublicManifest, hash_of
from greenroom.ids import ManifestId, ThreadId, UserId


class ManifestRecord(Struct, rename="camel"):
    """The record of a deliverable, as everybody sees it: neither its URL nor its people. Without
    `name` where it is withheld."""

    manifest_id: ManifestId
    number: int
    name: str | None
    size: int
    sha256: str
    created_at: str
    sealed: str
    previous: str
    hash: str
    withheld: bool


class Manifest(Struct, rename="camel"):
    """The record of a deliverable, as members of the conversation see it. Without `url`,
    `recordedByUserId` and `salt` where it was recorded before they joined; without `name`, `url`
    and `salt` where it is withheld."""

    manifest_id: ManifestId
    thread_id: ThreadId | None
    number: int
    name: str | None
    size: int
    sha256: str
    url: str | None
    recorded_by_user_id: UserId | None
    created_at: str
    salt: str | None
    sealed: str
    previous: str
    hash: str
    withheld: bool


class Manifests(Struct, rename="camel"):
    manifests: list[Manifest]
    next: str | None


def record_shape(found: PublicManifest) -> ManifestRecord:
    return ManifestRecord(
        manifest_id=found.id,
        number=found.number,
        name=found.name or None,
        size=found.size,
        sha256=found.sha256,
        created_at=iso(found.created_ms),
        sealed=found.sealed,
        previous=found.previous,
        hash=found.hash,
        withheld=found.withheld,
    )


def manifest_shape(found: models.Manifest | PublicManifest) -> Manifest:
    whole = found if isinstance(found, models.Manifest) else None
    return Manifest(
        manifest_id=found.id,
        thread_id=None if whole is None else whole.thread,
        number=found.number,
        name=found.name or None,
        size=found.size,
        sha256=found.sha256,
        url=None if whole is None else whole.url or None,
        recorded_by_user_id=None if whole is None else whole.by,
        created_at=iso(found.created_ms),
        salt=None if whole is None or whole.withheld else whole.salt,
        sealed=found.sealed,
        previous=found.previous,
        hash=found.hash,
        withheld=found.withheld,
    )


_EXAMPLE = PublicManifest(
    id=ManifestId("mnf_01k75q8m9h1k3n5q7s9v1x3z5c"),
    number=1,
    name="editorial-may.zip",
    size=1_284_003_771,
    sha256="9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    created_ms=1_760_001_127_123,
    sealed="2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
    previous="",
    hash="",
)
MANIFEST_RECORD = record_shape(replace(_EXAMPLE, hash=hash_of(_EXAMPLE)))
"""An example, whose hash is right."""
