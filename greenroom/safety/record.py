"""What moderators did, newest first: about one case, about one person. And a person's standing."""

from msgspec import Struct

from greenroom.ids import UserId
from greenroom.people.actor import Actor
from greenroom.people.models import is_user_id
from greenroom.safety import records
from greenroom.safety.access import check_moderator
from greenroom.safety.context import Safety
from greenroom.safety.models import CaseId, Entry, Standing
from greenroom.store.base import Page
from greenroom.store.expressions import Prefix

MAX_PAGE = 100


class Record(Struct, frozen=True):
    entries: tuple[Entry, ...]
    next: str | None


async def record_of_case(
    safety: Safety, actor: Actor, case: CaseId, *, limit: int = 50, cursor: str | None = None
) -> Record:
    check_moderator(actor)
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
    check_moderator(actor)
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


async def standing(safety: Safety, actor: Actor, user: UserId) -> Standing:
    check_moderator(actor)
    if not is_user_id(user):
        return Standing(user=user)
    item = await safety.store.get(records.SAFETY, records.standing_key(user), consistent=True)
    return records.standing_of(user, item)


def _record(page: Page) -> Record:
    return Record(tuple(map(records.entry_of, page.items)), page.next)
