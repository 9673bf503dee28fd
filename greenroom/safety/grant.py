"""Grants and revokes staff roles, each with an entry in the audit log."""

from greenroom.ids import UserId
from greenroom.people import access, records as people, staff
from greenroom.people.actor import Actor, StaffRole
from greenroom.people.directory import PersonNotFound
from greenroom.people.models import Account, is_user_id
from greenroom.safety import items
from greenroom.safety.context import Safety
from greenroom.safety.decide import check_texts
from greenroom.safety.events import AccountChanged
from greenroom.safety.models import AuditEntry, Decision
from greenroom.safety.permissions import Act, allowed, rank_of, rank_of_role
from greenroom.safety.problems import (
    AdminsOnly,
    NotStaff,
    NotToYourself,
    StaffChanged,
    StillSuspended,
)
from greenroom.store.problems import ConditionFailed, Conflict


async def grant(
    safety: Safety, actor: Actor, user: UserId, role: StaffRole, note: str = ""
) -> Account:
    """Replaces the current role. Granting the same role again changes nothing."""
    before = await _account(safety, actor, user, Act.GRANT)
    if before.is_suspended(safety.clock.now_ms()):
        raise StillSuspended
    if before.staff_role is role:
        return before
    try:
        return await _change(safety, actor, before, role, note)
    except (StaffChanged, Conflict):
        now = await _account(safety, actor, user, Act.GRANT)
        if now.staff_role is role:
            return now  # the same was granted at the same moment
        raise


async def revoke(safety: Safety, actor: Actor, user: UserId, note: str = "") -> Account:
    before = await _account(safety, actor, user, Act.REVOKE)
    if before.staff_role is None:
        raise NotStaff
    return await _change(safety, actor, before, None, note)


async def list_staff(safety: Safety, actor: Actor) -> dict[UserId, StaffRole]:
    if not allowed(Act.GRANT, rank_of(actor), rank_of_role(None)):
        raise AdminsOnly
    return dict(await staff.roles(safety.people))


async def _account(safety: Safety, actor: Actor, user: UserId, act: Act) -> Account:
    is_self = user == actor.user
    if not allowed(act, rank_of(actor), rank_of_role(None), is_self=is_self):
        raise NotToYourself if allowed(act, rank_of(actor), rank_of_role(None)) else AdminsOnly
    found = None
    if is_user_id(user):
        found = await access.account(safety.people, user, consistent=True)
    if found is None:
        raise PersonNotFound
    return found


async def _change(
    safety: Safety, actor: Actor, before: Account, role: StaffRole | None, note: str
) -> Account:
    check_texts("", note)
    now = safety.clock.now_ms()
    entry = AuditEntry(
        id=safety.ids.notice(now),
        at_ms=now,
        by=actor.user,
        decision=Decision.REVOKE if role is None else Decision.GRANT,
        about=before.id,
        note=note,
        role=role or before.staff_role,
    )
    changed = people.role_changed(before.id, before.staff_role, role)
    try:
        await safety.store.write(*changed, items.logged(entry))
    except ConditionFailed:
        raise StaffChanged from None
    safety.publish(AccountChanged(before.id))
    after = await access.account(safety.people, before.id, consistent=True)
    return after or before
