"""Hashes manifests, and checks a chain of them. Pure, no I/O.

    sealed = SHA-256 of ["greenroom-manifest-sealed-1", salt, threadId, userId, url]
    hash   = SHA-256 of ["greenroom-manifest-1", manifestId, number, name, size, sha256,
                         createdAt, sealed, previous]

Each is over a JSON array in UTF-8 without blanks. Anybody can compute `hash` from what the public
page shows; a member can compute `sealed` too. Careful: never change this, or no manifest that was
recorded before can be verified.
"""

from collections.abc import Iterable
from hashlib import sha256

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from greenroom.clock import iso
from greenroom.files.models import Manifest
from greenroom.ids import ManifestId

_SEALED = "greenroom-manifest-sealed-1"
_HASHED = "greenroom-manifest-1"


class PublicManifest(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What everybody may see of a manifest: neither its URL nor its people."""

    id: ManifestId
    number: int
    name: str
    size: int
    sha256: str
    created_ms: int
    sealed: str
    previous: str
    hash: str
    withheld: bool = False


def public_manifest(manifest: Manifest) -> PublicManifest:
    names = PublicManifest.__struct_fields__
    return PublicManifest(**{name: getattr(manifest, name) for name in names})


def hashed(manifest: Manifest) -> Manifest:
    """With both of its hashes."""
    closed = replace(manifest, sealed=sealed(manifest))
    return replace(closed, hash=hash_of(public_manifest(closed)))


def sealed(manifest: Manifest) -> str:
    return _sha256(_SEALED, manifest.salt, manifest.thread, manifest.by, manifest.url)


def hash_of(manifest: PublicManifest) -> str:
    return _sha256(
        _HASHED,
        manifest.id,
        manifest.number,
        manifest.name,
        manifest.size,
        manifest.sha256,
        iso(manifest.created_ms),
        manifest.sealed,
        manifest.previous,
    )


def first_wrong(chain: Iterable[Manifest]) -> int | None:
    """The number of the first manifest that is not what was recorded, or that does not follow the
    one before it; None if all are right. Of one that is withheld only its place can be checked."""
    previous = ""
    for number, manifest in enumerate(chain, 1):
        if (manifest.number, manifest.previous) != (number, previous):
            return number
        if not manifest.withheld and hashed(manifest) != manifest:
            return number
        previous = manifest.hash
    return None


def _sha256(*fields: str | int) -> str:
    return sha256(msgspec.json.encode(fields)).hexdigest()
