"""Lets a moderator set the band of a file of a case, without ending the case."""

from greenroom.files.case_files import file_of_case
from greenroom.files.context import Files
from greenroom.files.events import FileBanded
from greenroom.files.models import BLUR, HIDE, SHOW, File, FileState
from greenroom.files.problems import FileNotReady
from greenroom.files.set_band import banded_ops
from greenroom.ids import FileId
from greenroom.people.actor import Actor
from greenroom.safety import items as safety_items
from greenroom.safety.decide import check_texts
from greenroom.safety.events import NoticeCreated
from greenroom.safety.models import (
    AuditEntry,
    Case,
    CaseId,
    Decision,
    ModerationNotice,
    RatedFile,
    is_claimed,
    notice_of,
)
from greenroom.safety.problems import CaseNotClaimed, InvalidDecision
from greenroom.store.problems import ConditionFailed, Conflict

BANDS = (SHOW, BLUR, HIDE)
_TRIES = 5


async def judge_band(
    files: Files,
    actor: Actor,
    file_id: FileId,
    band: int,
    *,
    case_id: CaseId,
    reason: str = "",
    note: str = "",
) -> File:
    """One transaction: the file, the audit log, and a notice to the owner if the band changes.
    `reason` is for the owner, `note` for staff. The same again changes nothing."""
    check_texts(reason, note)
    for _ in range(_TRIES):
        case, before = await file_of_case(files, actor, case_id, file_id)
        _check(files, actor, case, before, band)
        if (before.band, before.banded_by) == (band, actor.user):
            return before
        entry = _entry(files, actor, case, before, band, reason, note)
        notice = _notice(files, case, before, entry)
        after, ops = banded_ops(files, before, band, actor.user, entry.at_ms)
        told = () if notice is None else (safety_items.notice_put(notice),)
        try:
            await files.store.write(*ops, safety_items.logged(entry), *told)
        except ConditionFailed:
            continue
        files.publish(FileBanded(after))
        if notice is not None:
            files.safety.publish(NoticeCreated(notice))
        return after
    raise Conflict


def _check(files: Files, actor: Actor, case: Case, file: File, band: int) -> None:
    if band not in BANDS:
        raise InvalidDecision("a band must be 0, 1 or 2")
    if isinstance(case.subject, RatedFile):
        raise InvalidDecision("this case is an appeal: decide it with `band` or `dismiss`")
    if case.claimed_by != actor.user or not is_claimed(case, files.clock.now_ms()):
        raise CaseNotClaimed
    if file.state is not FileState.READY:
        raise FileNotReady(file.state.value)
    if not file.is_visual:
        raise InvalidDecision(
            "this file has no preview that could be blurred or hidden: remove its message instead"
        )


def _entry(
    files: Files, actor: Actor, case: Case, file: File, band: int, reason: str, note: str
) -> AuditEntry:
    now_ms = max(files.clock.now_ms(), file.banded_ms + 1)
    return AuditEntry(
        case=case.id,
        version=case.version,
        id=files.ids.notice(now_ms),
        at_ms=now_ms,
        by=actor.user,
        decision=Decision.BAND,
        about=file.owner,
        reason=reason,
        note=note,
        file=file.id,
        band=band,
    )


def _notice(files: Files, case: Case, before: File, entry: AuditEntry) -> ModerationNotice | None:
    if before.band == entry.band:
        return None
    return notice_of(case, entry, files.ids.notice(entry.at_ms))
