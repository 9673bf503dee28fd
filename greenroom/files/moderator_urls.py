"""Gives a moderator the download URLs of a file of a case: blurred first, clear when asked for.

Every moderator who asks for a clear file is named in the audit log, once for each version of the
case. The entry is written before the URLs are given.
"""

from greenroom.files import rules
from greenroom.files.case_files import file_of_case
from greenroom.files.context import Files
from greenroom.files.file_urls import FileUrls, signed_urls
from greenroom.files.models import File, FileState, Shown
from greenroom.files.problems import FileNotReady
from greenroom.ids import FileId
from greenroom.people.actor import Actor
from greenroom.safety import items as safety_items
from greenroom.safety.models import AuditEntry, Case, CaseId, Decision
from greenroom.store.problems import ConditionFailed


async def moderator_urls(
    files: Files, actor: Actor, file_id: FileId, case_id: CaseId, *, reveal: bool = False
) -> FileUrls:
    """Whatever the file's band: a moderator has not chosen to see what was reported."""
    case, file = await file_of_case(files, actor, case_id, file_id)
    if file.state is not FileState.READY:
        raise FileNotReady(file.state.value)
    if reveal:
        await _log(files, actor, case, file)
    allowed = rules.variants_for(file, Shown.BLURRED, reveal=reveal)
    return FileUrls(file.id, Shown.BLURRED, True, signed_urls(files, file, allowed))


async def _log(files: Files, actor: Actor, case: Case, file: File) -> None:
    entry = AuditEntry(
        case=case.id,
        version=case.version,
        id=f"{file.id}#{actor.user}",
        at_ms=files.clock.now_ms(),
        by=actor.user,
        decision=Decision.REVEAL,
        about=file.owner,
        file=file.id,
    )
    try:
        await files.store.write(safety_items.logged(entry))
    except ConditionFailed:  # it is there already
        return
