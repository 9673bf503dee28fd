"""Enforces decisions, with retries. Every step is idempotent.

A decision is written together with a PENDING_ENFORCEMENT# item, which is deleted once all steps are
done. `enforce_pending` retries those that a crash or an error left behind.
"""

import logging
from contextlib import suppress

from greenroom.ids import UserId
from greenroom.people.directory import PersonNotFound
from greenroom.people.suspend import suspend
from greenroom.safety import items, records
from greenroom.safety.access import find_with_digest
from greenroom.safety.context import Enforcer, Safety
from greenroom.safety.events import NoticeCreated, PersonSuspended
from greenroom.safety.models import (
    AuditEntry,
    Case,
    CaseId,
    Decision,
    closes_related,
    closing_removes,
    notice_of,
)
from greenroom.safety.notices import correct_release
from greenroom.store.expressions import Bound
from greenroom.store.problems import ConditionFailed

_log = logging.getLogger(__name__)
_PAGE = 50
_PAGES = 20
_TRIES = 5
_CLOSES_NO_OTHER = (Decision.RELEASE, Decision.FOLDED, Decision.BAND)


async def enforce_pending(safety: Safety) -> int:
    """Enforces pending decisions, oldest first; returns how many it finished."""
    done, cursor = 0, None
    for _ in range(_PAGES):
        page = await safety.store.query(
            records.SAFETY,
            records.PENDING_ENFORCEMENT,
            index=records.MODERATION_QUEUE,
            limit=_PAGE,
            cursor=cursor,
        )
        for item in page.items:
            done += await _try_enforce(safety, items.entry_of(item))
        cursor = page.next
        if cursor is None:
            break
    return done


async def enforce(safety: Safety, entry: AuditEntry) -> bool:
    """False if something is left for `enforce_pending`."""
    found = None if entry.case is None else await find_with_digest(safety, entry.case)
    if found is None or safety.enforcer is None:
        return False
    case, digest = found
    if entry.decision is Decision.SUSPEND and entry.about is not None:
        await _suspend(safety, safety.enforcer, entry, entry.about)
    if entry.decision is Decision.RELEASE and not await safety.enforcer.release(case):
        await correct_release(safety, case, entry)
    if entry.removes:
        await safety.enforcer.remove(case)
    if entry.file is not None and entry.band is not None:
        await safety.enforcer.set_band(entry.file, entry.band, entry.by, entry.at_ms)
    if not await _close_related(safety, entry, digest):
        return False
    await safety.store.write(items.enforced(case.id, entry.version))
    return True


async def _try_enforce(safety: Safety, entry: AuditEntry) -> bool:
    try:
        return await enforce(safety, entry)
    except Exception:  # one failure must not block the others
        _log.exception("the decision on %s could not be enforced", entry.case)
        return False


async def _suspend(safety: Safety, enforcer: Enforcer, entry: AuditEntry, user: UserId) -> None:
    if await _was_lifted(safety, entry, user):
        return
    with suppress(PersonNotFound):  # without an account there is nothing to suspend
        await suspend(safety.people, user, entry.until_ms, entry.reason)
        safety.publish(PersonSuspended(user))
    await enforcer.close_requests(user)


async def _was_lifted(safety: Safety, entry: AuditEntry, user: UserId) -> bool:
    """Whether the user was reinstated since: a late retry must not suspend them again."""
    item = await safety.store.get(records.SAFETY, records.sanctions_key(user), consistent=True)
    lifted_ms = items.sanctions_of(user, item).reinstated_ms
    return lifted_ms is not None and lifted_ms > entry.at_ms


async def _close_related(safety: Safety, entry: AuditEntry, digest: str) -> bool:
    """Closes the person's other cases that the decision covers, if they were opened before it."""
    if entry.about is None or entry.decision in _CLOSES_NO_OTHER:
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
            await _close_one(safety, entry, digest, CaseId(str(item["caseId"])))
        cursor = page.next
        if cursor is None:
            return True
    return False


async def _close_one(safety: Safety, entry: AuditEntry, digest: str, other_id: CaseId) -> None:
    for _ in range(_TRIES):
        found = await find_with_digest(safety, other_id)
        if found is None or not closes_related(entry, digest, found[0], found[1]):
            return
        other, removes = found[0], closing_removes(digest, *found)
        closed = _closing_entry(safety, entry, other, removes)
        notice = notice_of(other, closed, safety.ids.notice(closed.at_ms))
        try:
            await safety.store.write(*items.decided(other, closed, notice, pending=removes))
        except ConditionFailed:
            continue
        if notice is not None:
            safety.publish(NoticeCreated(notice))
        if removes:
            await enforce(safety, closed)
        return


def _closing_entry(safety: Safety, entry: AuditEntry, other: Case, removes: bool) -> AuditEntry:
    return AuditEntry(
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
