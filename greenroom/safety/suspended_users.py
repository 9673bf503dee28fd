"""Lists suspended users, by the end of their suspension."""

from collections.abc import Mapping

from msgspec import Struct

from greenroom.clock import iso
from greenroom.ids import UserId
from greenroom.people import staff as roles
from greenroom.people.actor import Actor, StaffRole
from greenroom.safety import items, records
from greenroom.safety.access import check_moderator
from greenroom.safety.context import Safety
from greenroom.safety.models import Sanctions
from greenroom.safety.permissions import Act, allowed, rank_of, rank_of_role
from greenroom.store.expressions import Bound

MAX_PAGE = 100
_SCOPE = b"suspended users"


class SuspendedPage(Struct, frozen=True):
    users: tuple[Sanctions, ...]
    next: str | None


async def suspended(
    safety: Safety, actor: Actor, *, limit: int = 50, cursor: str | None = None
) -> SuspendedPage:
    """Only users whom the actor may reinstate."""
    check_moderator(actor)
    if cursor is None:
        after = iso(safety.clock.now_ms())
    else:
        after = safety.cursors.unseal_text(_SCOPE, cursor)
    limit = max(1, min(limit, MAX_PAGE))
    page = await safety.store.query(
        records.SAFETY,
        records.SUSPENDED,
        Bound(">", after),
        index=records.MODERATION_QUEUE,
        limit=limit,
    )
    staff = await roles.roles(safety.people)
    found = [(records.suspended_user_in(item), item) for item in page.items]
    shown = tuple(
        items.sanctions_of(user, item) for user, item in found if _may(actor, user, staff)
    )
    last = str(found[-1][1][records.QUEUED_AT]) if found and page.has_more else None
    return SuspendedPage(shown, None if last is None else safety.cursors.seal_text(_SCOPE, last))


def _may(actor: Actor, user: UserId, staff: Mapping[UserId, StaffRole]) -> bool:
    rank = rank_of_role(staff.get(user))
    return allowed(Act.REINSTATE, rank_of(actor), rank, is_self=user == actor.user)
