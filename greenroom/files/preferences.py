"""Reads how a user wants sensitive pictures to be shown."""

from greenroom.files import items
from greenroom.files.context import Files
from greenroom.files.models import SafeMode
from greenroom.files.records import FILES, preferences_key
from greenroom.people.actor import Actor


async def safe_mode(files: Files, actor: Actor) -> SafeMode:
    key = preferences_key(actor.user)
    return items.safe_mode_of(await files.store.get(FILES, key, consistent=True))
