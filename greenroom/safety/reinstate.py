"""Lifts a suspension before it ends, with a reason and an entry in the audit log."""

from greenroom.ids import UserId
from greenroom.people import access, records as people
from greenroom.people.actor import Actor
from greenroom.people.directory import PersonNotFound
from greenroom.people.models import Account, is_user_id
from greenroom.safety import items
from greenroom.safety.context import Safety
from greenroom.safety.decide import check_texts
from greenroom.safety.events import AccountChanged, NoticeCreated
from greenroom.safety.models import AuditEntry, Decision, ModerationNotice, NoticeKind
from greenroom.safety.permissions import Act, Rank, allowed, rank_of, rank_of_role
from greenroom.safety.problems import (
    AdminsOnly,
    ModeratorsOnly,
    NotSuspended,
    NotToYourself,
    StaffChanged,
)
from greenroom.store.problems import ConditionFailed


async def reinstate(
    safety: Safety, actor: Actor, user: UserId, *, reason: str = "", note: str = ""
) -> AuditEntry:
    """`reason` is for the person, `note` for staff. One transaction: account, sanctions, log."""
    check_texts(reason, note)
    account = await _account(safety, actor, user)
    until_ms, now = account.suspended_until_ms, safety.clock.now_ms()
    if until_ms is None or now >= until_ms:
        raise NotSuspended
    entry = AuditEntry(
        id=safety.ids.notice(now),
        at_ms=now,
        by=actor.user,
        decision=Decision.REINSTATE,
        about=user,
        reason=reason,
        note=note,
    )
    notice = ModerationNotice(
        id=safety.ids.notice(now), user=user, kind=NoticeKind.REINSTATED, at_ms=now, reason=reason
    )
    try:
        await safety.store.write(
            people.reinstated(user, until_ms), *items.reinstated(user, entry, notice)
        )
    except ConditionFailed:
        raise StaffChanged from None
    safety.publish(AccountChanged(user))
    safety.publish(NoticeCreated(notice))
    return entry


async def _account(safety: Safety, actor: Actor, user: UserId) -> Account:
    rank = rank_of(actor)
    if not allowed(Act.REINSTATE, rank, Rank.USER):
        raise ModeratorsOnly
    if user == actor.user:
        raise NotToYourself
    found = None
    if is_user_id(user):
        found = await access.account(safety.people, user, consistent=True)
    if found is None:
        raise PersonNotFound
    if not allowed(Act.REINSTATE, rank, rank_of_role(found.staff_role)):
        raise AdminsOnly
    return found
