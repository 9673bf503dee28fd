"""Reads how much room a user's files take."""

from greenroom.files import items
from greenroom.files.context import Files
from greenroom.files.models import Storage
from greenroom.files.records import FILES, storage_key
from greenroom.people.actor import Actor


async def storage(files: Files, actor: Actor) -> Storage:
    return items.storage_of(await files.store.get(FILES, storage_key(actor.user), consistent=True))
