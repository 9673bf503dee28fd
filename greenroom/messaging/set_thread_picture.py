"""Sets the picture of a thread: for those who may name it.

One transaction changes the head, says in the file what it is used for, and deletes the picture
before it.
"""

from msgspec.structs import replace

from greenroom.files.access import load_many
from greenroom.files.models import File, FileUse
from greenroom.files.release import release_ops
from greenroom.files.use import use_op
from greenroom.ids import FileId, ThreadId
from greenroom.messaging import access
from greenroom.messaging.attachment_ops import is_about_files
from greenroom.messaging.context import Messaging
from greenroom.messaging.manage import check_may
from greenroom.messaging.models import Thread
from greenroom.messaging.pictures import THREAD_PICTURE, own_picture, reference_to
from greenroom.messaging.plan import PlannedWrite
from greenroom.messaging.roles import Operation
from greenroom.messaging.send_checks import check_may_send
from greenroom.messaging.update_thread import update_thread
from greenroom.people.actor import Actor
from greenroom.store.base import Op
from greenroom.store.problems import ConditionFailed, Conflict

_TRIES = 12


async def set_thread_picture(
    messaging: Messaging, actor: Actor, thread_id: ThreadId, file_id: FileId | None
) -> Thread:
    """None removes the picture. Idempotent."""
    for _ in range(_TRIES):
        seen = (await access.thread(messaging, actor, thread_id)).thread
        check_may(seen, actor, Operation.RENAME)
        before = None if seen.picture is None else seen.picture.file
        if before == file_id:
            return seen
        now_ms, has_files = messaging.clock.now_ms(), file_id is not None
        check_may_send(seen, actor.user, "", now_ms, has_files=has_files)
        file = None
        if file_id is not None:
            file = await own_picture(messaging.files, actor, file_id, thread_id)
        old = await load_many(messaging.files, [] if before is None else [before])
        try:
            return await _write(messaging, actor, seen, file, list(old.values()))
        except _PictureChanged:
            messaging.thread_cache.drop(thread_id)  # its head may be older than what was seen
            continue
        except ConditionFailed as refusal:
            if not is_about_files(refusal):
                raise
    raise Conflict


class _PictureChanged(Exception):
    """The head has another picture than was seen: one of the two is out of date."""


async def _write(
    messaging: Messaging, actor: Actor, seen: Thread, file: File | None, old: list[File]
) -> Thread:
    now_ms = messaging.clock.now_ms()
    picture = None if file is None else reference_to(file)
    used: tuple[Op, ...] = ()
    if file is not None:
        used = (use_op(file, FileUse(kind=THREAD_PICTURE, target=seen.id), now_ms),)

    def plan(head: Thread, _: int) -> PlannedWrite:
        check_may(head, actor, Operation.RENAME)
        check_may_send(head, actor.user, "", now_ms, has_files=file is not None)
        if head.picture != seen.picture:
            raise _PictureChanged
        after = replace(head, picture=picture)
        return PlannedWrite(after, (*used, *release_ops(old, now_ms)))

    return await update_thread(messaging, seen.id, plan)
