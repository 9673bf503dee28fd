"""Converts the attachments of a message to what its item and its claim keep of them, and back."""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from greenroom.files.models import Attachment
from greenroom.files.records import file_in, preview_folder
from greenroom.ids import FileId
from greenroom.messaging.models import NewAttachment
from greenroom.store.values import Value

_PREVIEWS, _MANIFEST = "s3Key", "manifestRef"


def attachment_item(attachment: Attachment) -> dict[str, Value]:
    """Defaults are left out. `s3Key` is the folder with the previews of the file."""
    item: dict[str, Value] = msgspec.to_builtins(attachment)
    item["kind"] = attachment.kind
    file, manifest = item.pop("file", None), item.pop("manifest", None)
    if file is not None:
        item[_PREVIEWS] = preview_folder(FileId(str(file)))
    if manifest is not None:
        item[_MANIFEST] = manifest
    return item


def attachment_of(item: dict[str, Any]) -> Attachment:
    found = {**item, "file": None, "manifest": item.get(_MANIFEST)}
    if _PREVIEWS in item:
        found["file"] = file_in(item[_PREVIEWS])
    return msgspec.convert(found, Attachment)


def new_attachment_item(attachment: NewAttachment) -> dict[str, Value]:
    """Of a message that waits, or is held."""
    item: dict[str, Value] = {"fileId": attachment.file}
    return item | {"alt": attachment.alt} if attachment.alt else item


def new_attachment_of(item: dict[str, Any]) -> NewAttachment:
    return NewAttachment(FileId(item["fileId"]), item.get("alt", ""))


def sent_attachments_bytes(attachments: Sequence[Attachment]) -> bytes:
    """For the claim, which should stay within 1 KB: without what a retry brings itself."""
    return msgspec.msgpack.encode([replace(one, file=None, alt="") for one in attachments])


def sent_attachments_of(kept: bytes, given: Sequence[NewAttachment]) -> tuple[Attachment, ...]:
    found = msgspec.msgpack.decode(kept, type=list[Attachment])
    return tuple(
        replace(one, file=new.file, alt=new.alt) for one, new in zip(found, given, strict=True)
    )
