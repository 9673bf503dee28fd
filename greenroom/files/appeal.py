"""Appeals against the band of a file: opens a case that a moderator decides."""

from greenroom.files import access, items
from greenroom.files.context import Files
from greenroom.files.models import SHOW, File, FileState
from greenroom.files.policy import APPEALS
from greenroom.files.problems import AlreadyAppealed, FileNotReady, InvalidFile, NothingToAppeal
from greenroom.ids import FileId
from greenroom.people.actor import Actor
from greenroom.safety.appeal import appeal_ops
from greenroom.safety.models import RatedFile
from greenroom.store.problems import ConditionFailed, Conflict

MAX_NOTE = 1000
_TRIES = 5


async def appeal(files: Files, actor: Actor, file_id: FileId, note: str = "") -> File:
    """By the file's owner, once against each band. `note` is for the moderator."""
    await files.safety.limits.spend(actor.user, APPEALS)
    if len(note) > MAX_NOTE:
        raise InvalidFile("note", "note", f"it must have at most {MAX_NOTE} characters")
    for _ in range(_TRIES):
        before = await access.own_file(files, actor, file_id)
        _check(before)
        after = items.changed(
            before, files.clock.now_ms(), appealed=(*before.appealed, before.band)
        )
        case = appeal_ops(files.safety, RatedFile(before.id, before.owner, before.band), note)
        try:
            await files.store.write(items.change_op(after), *case)
        except ConditionFailed:
            continue
        return after
    raise Conflict


def _check(file: File) -> None:
    if file.state is not FileState.READY:
        raise FileNotReady(file.state.value)
    if file.band == SHOW:
        raise NothingToAppeal
    if not file.can_appeal:
        raise AlreadyAppealed
