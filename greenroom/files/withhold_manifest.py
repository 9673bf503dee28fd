"""Hides the name and the URL of a manifest that a moderator removed.

The record stays as it is in the store, and so does its place in the chain: its number, size,
checksum and hashes are still shown.
"""

from contextlib import suppress

from greenroom.files.context import Files
from greenroom.files.manifest_items import withhold_ops
from greenroom.files.manifests import public_manifest
from greenroom.files.problems import ManifestNotFound
from greenroom.ids import ManifestId, ThreadId


async def withhold_manifest(files: Files, thread: ThreadId, manifest: ManifestId) -> None:
    """Idempotent."""
    with suppress(ManifestNotFound):
        found = await public_manifest(files, manifest)
        if not found.withheld:
            await files.store.write(*withhold_ops(thread, found))
