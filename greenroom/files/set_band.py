"""Sets the band of a file, as a moderator has decided.

The transaction also schedules a timer: what shows the file, such as a message, is changed by it, so
that a killed node leaves none with the old band.
"""

from collections.abc import Sequence

from greenroom.background.models import Timer
from greenroom.background.schedule import schedule
from greenroom.files import access, items
from greenroom.files.context import Files
from greenroom.files.events import FileBanded
from greenroom.files.models import File, FileState
from greenroom.ids import FileId, UserId
from greenroom.store.base import Op
from greenroom.store.problems import ConditionFailed, Conflict

BANDED = "file_banded"
"""The timer that shows a file's new band where the file is used."""
_TRIES = 5


def banded_ops(
    files: Files, before: File, band: int, by: UserId, at_ms: int
) -> tuple[File, tuple[Op, ...]]:
    """The file with its new band, and what writes it: refused if the file has changed since.
    `at_ms` is the time of the decision, which may be applied late; sync goes by the change."""
    now_ms = files.clock.now_ms()
    after = items.changed(before, now_ms, band=band, banded_by=by, banded_ms=at_ms)
    timer = schedule(Timer(BANDED, before.id, now_ms))
    return after, (items.change_op(after), timer)


async def apply_band(files: Files, file_id: FileId, band: int, by: UserId, at_ms: int) -> None:
    """Applies what was decided at that time; a later decision stands. Idempotent."""
    for _ in range(_TRIES):
        before = await access.load(files, file_id)
        if before is None or before.state is FileState.DELETED or before.banded_ms > at_ms:
            return
        if (before.banded_ms, before.banded_by, before.band) == (at_ms, by, band):
            return
        after, ops = banded_ops(files, before, band, by, at_ms)
        try:
            await files.store.write(*ops)
        except ConditionFailed:
            continue
        files.publish(FileBanded(after))
        return
    raise Conflict


async def show_band(files: Files, timer: Timer) -> Sequence[Op]:
    """Handles the timer."""
    file = await access.load(files, FileId(timer.id))
    if file is None or file.use is None or file.state is FileState.DELETED:
        return ()
    audience = files.audiences.get(file.use.kind)
    if audience is not None:
        await audience.show_band(file)
    return ()
