"""Carry out what was decided, as often as it takes. Every step may be repeated.

What is decided is written with an UNDONE# item, which goes when all steps are done; `redo` finds
those that a crash, or somebody else's trouble, has left behind.
"""

import logging
from contextlib import suppress

from greenroom.ids import UserId
from greenroom.people.directory import PersonNotFound
from greenroom.people.suspend import suspend
from greenroom.safety import records
from greenroom.safety.access import find_with_digest
from greenroom.safety.context import Enforcer, Safety
from greenroom.safety.events import CaseDecided, NoticeCreated, PersonSuspended
from greenroom.safety.models import (
    Case,
    CaseId,
    Decision,
    Entry,
    folding_takes_away,
    folds,
    notice_of,
)
from greenroom.safety.notices import correct_release
from greenroom.store.expressions import Bound
from greenroom.store.problems import ConditionFailed

_log = logging.getLogger(__name__)
_PAGE = 50
_PAGES = 20
_TRIES = 5


async def redo(safety: Safety) -> int:
    """Carry out what is still undone, oldest first; how many decisions that finished."""
    done, cursor = 0, None
    for _ in range(_PAGES):
        page = await safety.store.query(
            records.SAFETY,
            records.UNDONE,
            index=records.MODERATION_QUEUE,
            limit=_PAGE,
            cursor=cursor,
        )
        for item in page.items:
            done += await _tried(safety, records.entry_of(item))
        cursor = page.next
        if cursor is None:
            break
    return done


async def carry_out(safety: Safety, entry: Entry) -> bool:
    """False where something is left for `redo`."""
    found = None if entry.case is None else await find_with_digest(safety, entry.case)
    if found is None or safety.enforcer is None:
        return False
    case, digest = found
    if entry.decision is Decision.SUSPEND and entry.about is not None:
        await _keep_out(safety, safety.enforcer, entry, entry.about)
    if entry.decision is Decision.RELEASE and not await safety.enforcer.release(case):
        await correct_release(safety, case, entry)
    if entry.removes:
        await safety.enforcer.remove(case)
    if not await _fold_up(safety, entry, digest):
        return False
    await safety.store.write(records.carried_out(case.id, entry.version))
    return True


async def _tried(safety: Safety, entry: Entry) -> bool:
    try:
        return await carry_out(safety, entry)
    except Exception:  # one that cannot be done must not keep the others waiting
        _log.exception("the decision on %s could not be carried out", entry.case)
        return False


async def _keep_out(safety: Safety, enforcer: Enforcer, entry: Entry, user: UserId) -> None:
    if await _was_lifted(safety, entry, user):
        return
    with suppress(PersonNotFound):  # without an account there is nothing to suspend
        await suspend(safety.people, user, entry.until_ms, entry.reason)
        safety.tell(PersonSuspended(user))
    await enforcer.fold(user)


async def _was_lifted(safety: Safety, entry: Entry, user: UserId) -> bool:
    """Whether somebody has reinstated the user since: a late retry must not suspend again."""
    item = await safety.store.get(records.SAFETY, records.standing_key(user), consistent=True)
    lifted_ms = records.standing_of(user, item).reinstated_ms
    return lifted_ms is not None and lifted_ms > entry.at_ms


async def _fold_up(safety: Safety, entry: Entry, digest: str) -> bool:
    """End the person's other cases that this decision settles: those opened before it."""
    if entry.about is None or entry.decision in (Decision.RELEASE, Decision.FOLDED):
        return True
    cursor = None
    for _ in range(_PAGES):
        page = await safety.store.query(
            records.SAFETY,
            records.open_partition(entry.about),
            Bound("<", records.just_after(entry.at_ms)),
            index=records.BY_PERSON,
            limit=_PAGE,
            cursor=cursor,
        )
        for item in page.items:
            await _fold(safety, entry, digest, CaseId(str(item["caseId"])))
        cursor = page.next
        if cursor is None:
            return True
    return False


async def _fold(safety: Safety, entry: Entry, digest: str, other_id: CaseId) -> None:
    for _ in range(_TRIES):
        found = await find_with_digest(safety, other_id)
        if found is None or not folds(entry, digest, found[0], found[1]):
            return
        other, removes = found[0], folding_takes_away(digest, *found)
        folded = _folded(safety, entry, other, removes)
        notice = notice_of(other, folded, safety.ids.notice(folded.at_ms))
        try:
            await safety.store.write(*records.decided(other, folded, notice, undone=removes))
        except ConditionFailed:
            continue
        safety.tell(CaseDecided(other, Decision.FOLDED, entry.by))
        if notice is not None:
            safety.tell(NoticeCreated(notice))
        if removes:
            await carry_out(safety, folded)
        return


def _folded(safety: Safety, entry: Entry, other: Case, removes: bool) -> Entry:
    return Entry(
        case=other.id,
        version=other.version + 1,
        at_ms=safety.clock.now_ms(),
        by=entry.by,
        decision=Decision.FOLDED,
        about=other.about,
        removes=removes,
        reason=entry.reason,
        note=f"with {entry.case}",
    )
