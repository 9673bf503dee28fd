"""Read the metadata of threads: only of those whose head says that there is any."""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from greenroom.ids import ThreadId
from greenroom.messaging.access import Side
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import Thread
from greenroom.messaging.records import MESSAGING, metadata_key
from greenroom.store.limits import MAX_BATCH


async def metadata_of(messaging: Messaging, threads: Iterable[Thread]) -> dict[ThreadId, str]:
    keys = {metadata_key(thread.id): thread.id for thread in threads if thread.metadata_digest}
    found: dict[ThreadId, str] = {}
    wanted = list(keys)
    for start in range(0, len(wanted), MAX_BATCH):
        batch = await messaging.store.batch_get(MESSAGING, wanted[start : start + MAX_BATCH])
        found |= {keys[key]: str(item["metadata"]) for key, item in batch.items()}
    return found


async def with_metadata(messaging: Messaging, sides: Sequence[Side]) -> list[Side]:
    if not any(side.thread.metadata_digest for side in sides):
        return list(sides)
    found = await metadata_of(messaging, (side.thread for side in sides))
    return [replace(side, metadata=found.get(side.thread.id)) for side in sides]
