"""Sets how a user wants sensitive pictures to be shown, and tells their devices."""

from greenroom.files import items
from greenroom.files.context import Files
from greenroom.files.events import FilePreferencesChanged
from greenroom.files.models import SafeMode
from greenroom.people.actor import Actor


async def set_safe_mode(files: Files, actor: Actor, safe_mode: SafeMode) -> None:
    await files.store.write(items.safe_mode_op(actor.user, safe_mode, files.clock.now_ms()))
    files.publish(FilePreferencesChanged(actor.user, safe_mode))
