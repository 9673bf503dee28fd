"""Sets how a user wants sensitive pictures to be shown."""

from greenroom.files import items
from greenroom.files.context import Files
from greenroom.files.models import SafeMode
from greenroom.people.actor import Actor


async def set_safe_mode(files: Files, actor: Actor, safe_mode: SafeMode) -> None:
    await files.store.write(items.safe_mode_op(actor.user, safe_mode))
