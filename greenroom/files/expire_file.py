"""Deletes a file that nothing uses when its time is over. A timer calls it."""

from collections.abc import Sequence

from greenroom.background.models import Timer
from greenroom.files import access, rules
from greenroom.files.context import Files
from greenroom.files.release import release_ops
from greenroom.ids import FileId
from greenroom.store.base import Op


async def expire_due(files: Files, timer: Timer) -> Sequence[Op]:
    """Refused, and tried again, where the file is used at the same moment."""
    file = await access.load(files, FileId(timer.id))
    if file is None or not rules.expires(file):
        return ()
    return release_ops([file], files.clock.now_ms())
