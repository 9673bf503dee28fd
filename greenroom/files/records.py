"""The table of files, and the keys of their bytes.

    Files
    ├─ FILE#{fileId}
    │  └─ FILE                   the file: owner, name, state, type, previews, band, use
    ├─ USER#{userId}
    │  ├─ STORAGE                bytes and number of the user's files, for the quota
    │  └─ PREFERENCES            how the user wants sensitive pictures to be shown
    ├─ THR#{threadId}
    │  ├─ CHAIN                  the number and hash of the thread's last manifest
    │  └─ MANIFEST#{number}      a manifest: put, never changed, but it can be withheld
    ├─ MANIFEST#{manifestId}
    │  └─ MANIFEST               what the public page shows of it
    └─ REMOVED#{month}
       └─ {at}#{fileId}          the perceptual hash of a picture that a moderator removed

    OwnFiles   ownerKey, changedAt   a user's files and preferences, by their last change

    Bytes (blobs)
    ├─ threads/{threadId}/attachments/{fileId}     as uploaded, for a conversation
    ├─ users/{userId}/files/{fileId}               as uploaded, for anything else
    ├─ threads/{threadId}/cards/{document}         cards as PDF, made by bookings
    └─ msg-previews/{fileId}/{variant}             what the server made from it

A file's size is counted in STORAGE by the transaction that creates the file, and given back by the
one that deletes or refuses it: STORAGE is always the sum of the files that are uploading, checking
or ready.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from greenroom.blobs.base import BlobKey
from greenroom.clock import iso
from greenroom.files.models import File, Variant
from greenroom.ids import FileId, ManifestId, ThreadId, UserId
from greenroom.store.base import Key
from greenroom.store.expressions import Prefix
from greenroom.store.tables import Index, Kind, Projection, Table

OWNER_KEY = "ownerKey"
"""`FILES#{userId}`."""

CHANGED_AT = "changedAt"
"""`{at}#{fileId}`, as `iso()` writes the time of the last change. Of the preferences
`{at}#PREFERENCES`."""

TTL = "goneAt"
"""Only on files that are deleted."""

FILE = "FILE"
STORAGE = "STORAGE"
PREFERENCES = "PREFERENCES"

OWN_FILES = Index(
    "OwnFiles",
    OWNER_KEY,
    CHANGED_AT,
    Projection.ALL,
    "A user's files and preferences, by their last change: the list in the settings, and sync.",
)

FILES = Table(
    "Files",
    "Files with their state, previews and use; quotas; manifests; hashes of removed pictures.",
    kinds=(
        Kind(
            "FILE#{fileId}",
            FILE,
            "A file: owner, name, size, sha256, state, scan, type, dimensions, previews, labels, "
            "band, and the message, profile or thread that uses it. A deleted one is kept for 30 "
            "days, without its name.",
        ),
        Kind("USER#{userId}", STORAGE, "Bytes and number of the user's files, for the quota."),
        Kind("USER#{userId}", PREFERENCES, "How the user wants sensitive pictures to be shown."),
        Kind("THR#{threadId}", "CHAIN", "The number and hash of the thread's last manifest."),
        Kind(
            "THR#{threadId}",
            "MANIFEST#{number}",
            "A manifest: name, size, sha256, url, who, when, the hash of the one before it, and "
            "its own hash; and the seq of its message. Put, never changed, but `withheld` is set "
            "when a moderator removes it.",
        ),
        Kind(
            "MANIFEST#{manifestId}",
            "MANIFEST",
            "What the public page shows of a manifest: neither its url nor its people. Put, never "
            "changed, but `withheld` is set when a moderator removes it.",
        ),
        Kind(
            "REMOVED#{month}",
            "{at}#{fileId}",
            "The perceptual hashes of a picture that was removed in this month.",
        ),
    ),
    indexes=(OWN_FILES,),
    ttl=TTL,
    stream=True,
    unfollowed=(STORAGE, PREFERENCES, "CHAIN", "MANIFEST"),
    old_images=False,
)

TABLES: tuple[Table, ...] = (FILES,)

MANIFESTS = Prefix("MANIFEST#")


def file_key(file: FileId) -> Key:
    return Key(f"FILE#{file}", FILE)


def storage_key(user: UserId) -> Key:
    return Key(f"USER#{user}", STORAGE)


def preferences_key(user: UserId) -> Key:
    return Key(f"USER#{user}", PREFERENCES)


def thread_partition(thread: ThreadId) -> str:
    return f"THR#{thread}"


def chain_key(thread: ThreadId) -> Key:
    return Key(thread_partition(thread), "CHAIN")


def manifest_key(thread: ThreadId, number: int) -> Key:
    return Key(thread_partition(thread), f"MANIFEST#{number:08d}")


def manifest_id_key(manifest: ManifestId) -> Key:
    return Key(f"MANIFEST#{manifest}", "MANIFEST")


def removed_key(at_ms: int, file: FileId) -> Key:
    return Key(removed_in(at_ms), f"{iso(at_ms)}#{file}")


def removed_in(at_ms: int) -> str:
    """The partition of a month."""
    return f"REMOVED#{iso(at_ms)[:7]}"


def removed_until(at_ms: int, months: int) -> Iterator[str]:
    """The partitions of this month and those before it."""
    first = datetime.fromtimestamp(at_ms // 1000, UTC).replace(day=1)
    for _ in range(months):
        yield removed_in(int(first.timestamp()) * 1000)
        first = (first - timedelta(days=1)).replace(day=1)


def owner_key(user: UserId) -> str:
    return f"FILES#{user}"


def changed_at(ms: int, item: str) -> str:
    return f"{iso(ms)}#{item}"


def original_blob(file: File) -> BlobKey:
    if file.thread is not None:
        return BlobKey(f"threads/{file.thread}/attachments/{file.id}")
    return BlobKey(f"users/{file.owner}/files/{file.id}")


def card_blob(thread: ThreadId, document: str) -> BlobKey:
    """Of a PDF that shows a card of this thread. The server makes it, so it is nobody's upload and
    in nobody's quota."""
    return BlobKey(f"threads/{thread}/cards/{document}")


_PREVIEWS = "msg-previews/"


def preview_blob(file: FileId, variant: Variant) -> BlobKey:
    return BlobKey(f"{preview_folder(file)}/{variant.value}")


def preview_folder(file: FileId) -> str:
    """Where the previews of a file are: what a message keeps of its place."""
    return f"{_PREVIEWS}{file}"


def file_in(folder: str) -> FileId:
    """The file whose previews are there."""
    return FileId(folder.removeprefix(_PREVIEWS))


def blob_of(file: File, variant: Variant) -> BlobKey:
    is_original = variant is Variant.ORIGINAL
    return original_blob(file) if is_original else preview_blob(file.id, variant)
