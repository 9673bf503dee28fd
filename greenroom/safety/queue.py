"""What waits for a moderator, oldest first: of one policy tag, or of all of them merged.

There is a partition for each tag, few in all, so that a page of everything is a page of each.
"""

import asyncio

from msgspec import Struct

from greenroom.people.actor import Actor
from greenroom.safety import records
from greenroom.safety.access import check_moderator
from greenroom.safety.context import Safety
from greenroom.safety.models import Case
from greenroom.safety.places import cursor_of, place_in
from greenroom.safety.verdict import PolicyTag
from greenroom.store.base import Page
from greenroom.store.expressions import Bound

MAX_PAGE = 50


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
    check_moderator(actor)
    limit = max(1, min(limit, MAX_PAGE))
    after = None if cursor is None else Bound(">", place_in(cursor))
    tags = (*PolicyTag, None) if tag is None else (tag,)
    pages = await asyncio.gather(*(_page(safety, one, after, limit) for one in tags))
    cases = sorted(
        (records.case_of(item) for page in pages for item in page.items), key=records.queued_at
    )
    more = len(cases) > limit or any(page.has_more for page in pages)
    last = cases[:limit]
    return Queue(tuple(last), cursor_of(records.queued_at(last[-1])) if more and last else None)


async def _page(safety: Safety, tag: PolicyTag | None, after: Bound | None, limit: int) -> Page:
    return await safety.store.query(
        records.SAFETY,
        records.queue_partition(tag),
        after,
        index=records.MODERATION_QUEUE,
        limit=limit,
    )
