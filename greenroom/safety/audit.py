"""Reads the audit log, newest first: of one case, of one person, or all of it.

The whole log has one partition per month, so no partition grows without end. A page goes back month
by month from the cursor, for at most a year. Entries about staff are for admins, and nobody sees
decisions about themselves.
"""

from collections.abc import Mapping

from msgspec import Struct

from greenroom.clock import iso
from greenroom.ids import UserId
from greenroom.people import staff as roles
from greenroom.people.actor import Actor, StaffRole
from greenroom.people.models import is_user_id
from greenroom.safety import access, items, records
from greenroom.safety.context import Safety
from greenroom.safety.models import AuditEntry, CaseId
from greenroom.safety.permissions import Act, allowed, rank_of, rank_of_role
from greenroom.store.base import Page
from greenroom.store.expressions import Bound, Prefix

MAX_PAGE = 100
_MONTHS = 12
_SCOPE = b"audit log"
_CLOCK_SKEW_MS = 60_000


class AuditPage(Struct, frozen=True):
    entries: tuple[AuditEntry, ...]
    next: str | None


async def audit_of_case(
    safety: Safety, actor: Actor, case: CaseId, *, limit: int = 50, cursor: str | None = None
) -> AuditPage:
    await access.case(safety, actor, case)
    return _audit_page(
        await safety.store.query(
            records.SAFETY,
            records.case_partition(case),
            Prefix(records.AUDIT),
            limit=max(1, min(limit, MAX_PAGE)),
            backward=True,
            cursor=cursor,
            consistent=True,
        )
    )


async def audit_of_person(
    safety: Safety, actor: Actor, user: UserId, *, limit: int = 50, cursor: str | None = None
) -> AuditPage:
    await access.check_may_review(safety, actor, user)
    if not is_user_id(user):
        return AuditPage((), None)
    return _audit_page(
        await safety.store.query(
            records.SAFETY,
            records.audit_partition(user),
            index=records.BY_PERSON,
            limit=max(1, min(limit, MAX_PAGE)),
            backward=True,
            cursor=cursor,
        )
    )


async def audit_log(
    safety: Safety, actor: Actor, *, limit: int = 50, cursor: str | None = None
) -> AuditPage:
    access.check_moderator(actor)
    limit = max(1, min(limit, MAX_PAGE))
    before = _just_ahead(safety) if cursor is None else safety.cursors.unseal_text(_SCOPE, cursor)
    staff = await roles.roles(safety.people)
    found, month, months = list[AuditEntry](), records.month_of(before), 0
    while months < _MONTHS:
        entries, more = await _entries_of_month(safety, month, before, limit + 1)
        for entry in entries:
            before = records.decided_at(entry)
            if _may_see(actor, entry, staff):
                found.append(entry)
            if len(found) > limit:
                last = found[limit - 1]
                end = records.decided_at(last)
                return AuditPage(tuple(found[:limit]), safety.cursors.seal_text(_SCOPE, end))
        if not more:
            month, months = _month_before(month), months + 1
    return AuditPage(tuple(found), None)


def _audit_page(page: Page) -> AuditPage:
    return AuditPage(tuple(map(items.entry_of, page.items)), page.next)


def _may_see(actor: Actor, entry: AuditEntry, staff: Mapping[UserId, StaffRole]) -> bool:
    """Entries about roles are for admins, also for the one whose role it is."""
    role = entry.role or (None if entry.about is None else staff.get(entry.about))
    is_self = entry.case is not None and entry.about == actor.user
    return allowed(Act.READ_LOG, rank_of(actor), rank_of_role(role), is_self=is_self)


async def _entries_of_month(
    safety: Safety, month: str, before: str, limit: int
) -> tuple[tuple[AuditEntry, ...], bool]:
    page = await safety.store.query(
        records.SAFETY,
        records.month_partition(month),
        Bound("<", before),
        index=records.MODERATION_QUEUE,
        limit=limit,
        backward=True,
    )
    return tuple(map(items.entry_of, page.items)), page.has_more


def _just_ahead(safety: Safety) -> str:
    """Another node's clock may be a little ahead of ours."""
    return iso(safety.clock.now_ms() + _CLOCK_SKEW_MS)


def _month_before(month: str) -> str:
    year, number = int(month[:4]), int(month[5:])
    return f"{year - 1:04d}-12" if number == 1 else f"{year:04d}-{number - 1:02d}"
