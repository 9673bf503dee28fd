"""Reads what staff see about a person: past sanctions, and the account as it is now."""

from msgspec import Struct

from greenroom.ids import UserId
from greenroom.people import directory
from greenroom.people.actor import Actor, StaffRole
from greenroom.people.models import is_user_id
from greenroom.safety import access, items, records
from greenroom.safety.context import Safety
from greenroom.safety.models import Sanctions


class PersonReview(Struct, frozen=True):
    sanctions: Sanctions
    role: StaffRole | None = None
    suspended_until_ms: int | None = None
    """None if the account is not suspended; `FOREVER_MS` if the suspension has no end."""
    suspension_reason: str = ""


async def review_person(safety: Safety, actor: Actor, user: UserId) -> PersonReview:
    role = await access.check_may_review(safety, actor, user)
    if not is_user_id(user):
        return PersonReview(Sanctions(user=user))
    item = await safety.store.get(records.SAFETY, records.sanctions_key(user), consistent=True)
    found = items.sanctions_of(user, item)
    account = await directory.find(safety.people, user)
    if account is None or not account.is_suspended(safety.clock.now_ms()):
        return PersonReview(found, role)
    return PersonReview(found, role, account.suspended_until_ms, account.suspension_reason)
