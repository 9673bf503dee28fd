"""Follows the files, so that messages that wait for them are sent or given up.

It only schedules the timer of such a message (`send_waiting.py`): a change of a file is a reason to
look at the message, whichever of its files it is. Where changes were lost, because no server ran
for longer than they are kept, a rebuild looks at all messages whose files have changed.
"""

from collections.abc import Iterable, Sequence

from greenroom.background.schedule import schedule
from greenroom.files.items import file_of, is_file
from greenroom.files.models import ENDED_BADLY, File, FileState
from greenroom.ids import ThreadId
from greenroom.messaging.attachment_ops import MESSAGE
from greenroom.messaging.context import Messaging
from greenroom.messaging.waiting_items import timer_of
from greenroom.store.base import Change, Op
from greenroom.store.values import Item

NAME = "waiting messages"
_SETTLED = ENDED_BADLY | {FileState.READY, FileState.DELETED}


async def on_files_changed(messaging: Messaging, changes: Sequence[Change]) -> Sequence[Op]:
    return _timers(messaging, [file_of(one.new) for one in changes if one.new is not None])


async def rebuild(messaging: Messaging, items: Sequence[Item]) -> Sequence[Op]:
    return _timers(messaging, [file_of(item) for item in items if is_file(item)])


def _timers(messaging: Messaging, files: Iterable[File]) -> tuple[Op, ...]:
    now_ms = messaging.clock.now_ms()
    timers = {}
    for file in files:
        if is_awaited(file):
            assert file.use is not None
            because = f"{file.id}:{file.version}"
            thread, client_id = ThreadId(file.use.target), file.use.client_id
            timer = timer_of(file.owner, thread, client_id, because, now_ms)
            timers[timer.id] = schedule(timer)
    return tuple(timers.values())


def is_awaited(file: File) -> bool:
    """Whether a message waits for it, and need not wait for this one any longer."""
    use = file.use
    if use is None or use.kind != MESSAGE or not use.is_waiting:
        return False
    return file.state in _SETTLED
