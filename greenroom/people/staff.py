"""Reads staff roles: of one account, or of all staff. `safety` grants and revokes them."""

from collections.abc import Mapping

from greenroom.ids import UserId
from greenroom.people import records
from greenroom.people.actor import StaffRole
from greenroom.people.context import People

_PAGE = 100


async def role_of(people: People, user: UserId) -> StaffRole | None:
    """A consistent read: a role counts as soon as it is granted."""
    item = await people.store.get(records.USER_POSTS, records.staff_key(user), consistent=True)
    return None if item is None else records.staff_of(item)[1]


async def roles(people: People) -> Mapping[UserId, StaffRole]:
    """All staff, by id."""
    found: dict[UserId, StaffRole] = {}
    cursor: str | None = None
    while True:
        page = await people.store.query(
            records.USER_POSTS, records.STAFF, limit=_PAGE, cursor=cursor, consistent=True
        )
        found.update(map(records.staff_of, page.items))
        cursor = page.next
        if cursor is None:
            return found
