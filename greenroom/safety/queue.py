"""Reads the moderation queue, oldest first: one policy tag, or all of them merged.

Each of the few tags has a partition, so a page of all tags reads a page of each. Cases that the
moderator may not judge are skipped and the page is filled with others, so its length reveals
nothing.
"""

import asyncio
from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from greenroom.ids import UserId
from greenroom.people import staff as roles
from greenroom.people.actor import Actor, StaffRole
from greenroom.safety import access, items, records
from greenroom.safety.context import Safety
from greenroom.safety.models import Case
from greenroom.safety.verdict import PolicyTag
from greenroom.store.base import Page
from greenroom.store.expressions import Bound

MAX_PAGE = 50
_SCOPE = b"moderation queue"


class Queue(Struct, frozen=True):
    cases: tuple[Case, ...]
    next: str | None


async def queue(
    safety: Safety,
    actor: Actor,
    *,
    tag: PolicyTag | None = None,
    limit: int = 20,
    cursor: str | None = None,
) -> Queue:
    access.check_moderator(actor)
    limit = max(1, min(limit, MAX_PAGE))
    after = None if cursor is None else safety.cursors.unseal_text(_SCOPE, cursor)
    staff = await roles.roles(safety.people)
    shown: list[Case] = []
    while True:
        found, more = await _next(safety, tag, after, limit)
        for case in found:
            after = records.queued_at(case)
            if await _may_see(safety, actor, case, staff):
                shown.append(replace(case, about_role=_role(case, staff)))
            if len(shown) == limit:
                more = more or case is not found[-1]
                end = safety.cursors.seal_text(_SCOPE, after) if more else None
                return Queue(tuple(shown), end)
        if not more:
            return Queue(tuple(shown), None)


async def _next(
    safety: Safety, tag: PolicyTag | None, after: str | None, limit: int
) -> tuple[list[Case], bool]:
    """The next cases, merged over the tags; and whether there are more."""
    tags = (*PolicyTag, None) if tag is None else (tag,)
    pages = await asyncio.gather(*(_page(safety, one, after, limit) for one in tags))
    cases = sorted(
        (items.case_of(item) for page in pages for item in page.items), key=records.queued_at
    )
    return cases[:limit], len(cases) > limit or any(page.has_more for page in pages)


async def _may_see(
    safety: Safety, actor: Actor, case: Case, staff: Mapping[UserId, StaffRole]
) -> bool:
    if actor.user in case.staff_reporters:
        return False
    if not access.is_shown(actor, case.about, _role(case, staff)):
        return False
    return not await access.takes_part_in(safety, actor.user, case)


def _role(case: Case, staff: Mapping[UserId, StaffRole]) -> StaffRole | None:
    return None if case.about is None else staff.get(case.about)


async def _page(safety: Safety, tag: PolicyTag | None, after: str | None, limit: int) -> Page:
    return await safety.store.query(
        records.SAFETY,
        records.queue_partition(tag),
        None if after is None else Bound(">", after),
        index=records.MODERATION_QUEUE,
        limit=limit,
    )
