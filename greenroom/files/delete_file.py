"""Deletes a file of the actor that nothing uses, in any state."""

from greenroom.background.schedule import cancel
from greenroom.files import access
from greenroom.files.context import Files
from greenroom.files.create_file import EXPIRY
from greenroom.files.models import ENDED_BADLY
from greenroom.files.problems import FileInUse
from greenroom.files.release import release_ops
from greenroom.ids import FileId
from greenroom.people.actor import Actor
from greenroom.store.problems import ConditionFailed, Conflict

_TRIES = 10


async def delete_file(files: Files, actor: Actor, file_id: FileId) -> None:
    for _ in range(_TRIES):
        file = await access.own_file(files, actor, file_id)
        if file.use is not None and file.state not in ENDED_BADLY:
            raise FileInUse
        ops = release_ops([file], files.clock.now_ms())
        try:
            await files.store.write(*ops, cancel(EXPIRY, file.id))
        except ConditionFailed:  # it has changed meanwhile
            continue
        return
    raise Conflict
