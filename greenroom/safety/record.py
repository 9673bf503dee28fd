"""Reads what moderators did, newest first: about one case, about one person. And the standing."""

from msgspec import Struct

from greenroom.ids import UserId
from greenroom.people import directory
from greenroom.people.actor import Actor, StaffRole
from greenroom.people.models import is_user_id
from greenroom.safety import access, records
from greenroom.safety.context import Safety
from greenroom.safety.models import CaseId, Entry, Standing
from greenroom.store.base import Page
from greenroom.store.expressions import Prefix

MAX_PAGE = 100


class Record(Struct, frozen=True):
    entries: tuple[Entry, ...]
    next: str | None


class Reviewed(Struct, frozen=True):
    """What staff see of somebody: the standing, and the account as it is now."""

    standing: Standing
    role: StaffRole | None = None
    suspended_until_ms: int | None = None
    """None where the account is not suspended; `FOREVER_MS` where it has no end."""
    suspension_reason: str = ""


async def record_of_case(
    safety: Safety, actor: Actor, case: CaseId, *, limit: int = 50, cursor: str | None = None
) -> Record:
    await access.case(safety, actor, case)
    return _record(
        await safety.store.query(
            records.SAFETY,
            records.case_partition(case),
            Prefix(records.RECORD),
            limit=max(1, min(limit, MAX_PAGE)),
            backward=True,
            cursor=cursor,
            consistent=True,
        )
    )


async def record_of_person(
    safety: Safety, actor: Actor, user: UserId, *, limit: int = 50, cursor: str | None = None
) -> Record:
    await access.check_may_review(safety, actor, user)
    if not is_user_id(user):
        return Record((), None)
    return _record(
        await safety.store.query(
            records.SAFETY,
            records.record_partition(user),
            index=records.BY_PERSON,
            limit=max(1, min(limit, MAX_PAGE)),
            backward=True,
            cursor=cursor,
        )
    )


async def review(safety: Safety, actor: Actor, user: UserId) -> Reviewed:
    role = await access.check_may_review(safety, actor, user)
    if not is_user_id(user):
        return Reviewed(Standing(user=user))
    item = await safety.store.get(records.SAFETY, records.standing_key(user), consistent=True)
    found = records.standing_of(user, item)
    account = await directory.find(safety.people, user)
    if account is None or not account.is_suspended(safety.clock.now_ms()):
        return Reviewed(found, role)
    return Reviewed(found, role, account.suspended_until_ms, account.suspension_reason)


def _record(page: Page) -> Record:
    return Record(tuple(map(records.entry_of, page.items)), page.next)
