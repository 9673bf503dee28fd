"""Reads manifests: those of a thread, for the caller who has checked that its reader is a member;
and what the public page shows of one."""

from msgspec import Struct

from greenroom.files.context import Files
from greenroom.files.manifest_hash import PublicManifest
from greenroom.files.manifest_items import manifest_of, public_manifest_of, seq_of
from greenroom.files.models import Manifest
from greenroom.files.problems import ManifestNotFound
from greenroom.files.records import (
    FILES,
    MANIFESTS,
    manifest_id_key,
    manifest_key,
    thread_partition,
)
from greenroom.ids import ManifestId, ThreadId, is_id

MAX_PAGE = 100


class ManifestPage(Struct, frozen=True):
    manifests: tuple[Manifest, ...]
    seqs: tuple[int, ...]
    """Of the message that shows each."""
    next: str | None


async def manifests_of_thread(
    files: Files, thread: ThreadId, *, limit: int = MAX_PAGE, cursor: str | None = None
) -> ManifestPage:
    """In the order of the chain."""
    page = await files.store.query(
        FILES,
        thread_partition(thread),
        MANIFESTS,
        limit=max(1, min(limit, MAX_PAGE)),
        cursor=cursor,
        consistent=True,
    )
    manifests, seqs = map(manifest_of, page.items), map(seq_of, page.items)
    return ManifestPage(tuple(manifests), tuple(seqs), page.next)


async def manifest_at(files: Files, thread: ThreadId, number: int) -> Manifest:
    item = await files.store.get(FILES, manifest_key(thread, number), consistent=True)
    if item is None:
        raise ManifestNotFound
    return manifest_of(item)


async def public_manifest(files: Files, manifest: ManifestId) -> PublicManifest:
    """For everybody: one read."""
    if not is_id(manifest, "mnf_"):
        raise ManifestNotFound
    item = await files.store.get(FILES, manifest_id_key(manifest), consistent=True)
    if item is None:
        raise ManifestNotFound
    return public_manifest_of(item)
