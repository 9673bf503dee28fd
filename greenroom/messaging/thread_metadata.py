"""Reads the metadata of those threads whose head says that there is any."""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from greenroom.ids import ThreadId
from greenroom.messaging.access import ThreadView
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


async def with_metadata(messaging: Messaging, views: Sequence[ThreadView]) -> list[ThreadView]:
    if not any(view.thread.metadata_digest for view in views):
        return list(views)
    found = await metadata_of(messaging, (view.thread for view in views))
    return [replace(view, metadata=found.get(view.thread.id)) for view in views]
