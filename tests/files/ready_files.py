"""Files that are ready, with different bytes under each of their variants."""

from typing import Any

from greenroom.files import Files, items
from greenroom.files.models import File, FileState, FileUse, Media, Preview, Scan, Variant
from greenroom.files.records import FILES, blob_of
from greenroom.people.actor import Actor
from greenroom.store.base import Put

_WEBP = "image/webp"
_PICTURE = (Variant.SMALL, Variant.MEDIUM, Variant.LARGE, Variant.BLURRED)


def content_of(file: File, variant: Variant) -> bytes:
    return f"{file.id} {variant.value}".encode()


def picture(files: Files, owner: Actor, **fields: Any) -> File:
    """A picture that is ready and used nowhere, with all its previews."""
    now_ms = files.clock.now_ms()
    known: dict[str, Any] = {
        "id": files.ids.file(),
        "owner": owner.user,
        "name": "holiday.jpg",
        "size": 48_123,
        "sha256": "0" * 64,
        "state": FileState.READY,
        "scan": Scan.CLEAN,
        "type": "image/jpeg",
        "media": Media.PICTURE,
        "width": 1600,
        "height": 1200,
        "thumbhash": "1QcSHQRnh493V4dIh4eXh1h4kJUI",
        "labels": {"neutral": 0.98},
        "previews": tuple(Preview(one, _WEBP, 1000, 160, 120) for one in _PICTURE),
        "created_ms": now_ms,
        "changed_ms": now_ms,
    }
    return File(**(known | fields))


def document(files: Files, owner: Actor, **fields: Any) -> File:
    """A file without anything to see."""
    plain: dict[str, Any] = {
        "name": "contract.zip",
        "type": "application/zip",
        "media": Media.OTHER,
        "width": 0,
        "height": 0,
        "thumbhash": "",
        "labels": {},
        "previews": (),
    }
    return picture(files, owner, **(plain | fields))


def used_in(target: str, kind: str = "board") -> FileUse:
    return FileUse(kind=kind, target=target, item="msg_1", position=1)


async def stored(files: Files, *made: File) -> None:
    """Writes the files, and bytes for each variant."""
    for file in made:
        await files.store.write(Put(FILES, items.file_item(file)))
        variants = (Variant.ORIGINAL, *(preview.variant for preview in file.previews))
        for variant in variants:
            content = content_of(file, variant)
            await files.blobs.put(blob_of(file, variant), content, "application/octet-stream")
