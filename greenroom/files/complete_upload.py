"""Ends an upload: makes the blob from what has arrived, and has the file checked.

The state `checking` and the timer of the check are written in one transaction. A kill before it
leaves a blob, which the next try finds. Idempotent.
"""

from greenroom.files import access, items
from greenroom.files.check_timer import check_timer
from greenroom.files.context import Files
from greenroom.files.make_blob import make_blob
from greenroom.files.models import File, FileState
from greenroom.files.problems import FileNotFound
from greenroom.files.remove_bytes import remove
from greenroom.ids import FileId
from greenroom.people.actor import Actor
from greenroom.store.problems import ConditionFailed, Conflict

_TRIES = 10


async def complete_upload(files: Files, actor: Actor, file_id: FileId) -> File:
    return await finish(files, await access.own_file(files, actor, file_id))


async def finish(files: Files, file: File) -> File:
    """The file as it is once its upload has ended. Raises `UploadIncomplete`."""
    for _ in range(_TRIES):
        if file.state is not FileState.UPLOADING:
            return file
        await make_blob(files, file)
        now_ms = files.clock.now_ms()
        after = items.changed(file, now_ms, state=FileState.CHECKING)
        try:
            await files.store.write(items.change_op(after), check_timer(after, now_ms))
        except ConditionFailed:
            file = await reload_unless_deleted(files, file)
        else:
            files.pipeline.wake(now_ms)
            return after
    raise Conflict


async def reload_unless_deleted(files: Files, file: File) -> File:
    """The file as it is now. If it was deleted meanwhile, removes the bytes that have come since,
    and raises `FileNotFound`."""
    try:
        return await access.existing(files, file.id)
    except FileNotFound:
        await remove(files, file)
        raise
