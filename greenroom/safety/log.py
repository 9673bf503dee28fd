"""What moderators decided, all of it, newest first.

There is a partition for each month, so that no partition grows for ever; a page looks back from
the last line that was shown, month by month, for a year at most.
"""

import re

from greenroom.clock import iso
from greenroom.people.actor import Actor
from greenroom.safety import records
from greenroom.safety.access import check_moderator
from greenroom.safety.context import Safety
from greenroom.safety.models import Entry
from greenroom.safety.places import cursor_of, place_in
from greenroom.safety.record import MAX_PAGE, Record
from greenroom.store.expressions import Bound
from greenroom.store.problems import InvalidCursor

_MONTHS = 12
_PLACE = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-")


async def log(
    safety: Safety, actor: Actor, *, limit: int = 50, cursor: str | None = None
) -> Record:
    check_moderator(actor)
    limit = max(1, min(limit, MAX_PAGE))
    before = _just_ahead(safety) if cursor is None else place_in(cursor)
    if not _PLACE.match(before):
        raise InvalidCursor
    found: list[Entry] = []
    month = records.month_of(before)
    for _ in range(_MONTHS):
        page = await safety.store.query(
            records.SAFETY,
            records.month_partition(month),
            Bound("<", before),
            index=records.MODERATION_QUEUE,
            limit=limit - len(found) + 1,
            backward=True,
        )
        found += map(records.entry_of, page.items)
        if len(found) > limit:
            last = found[limit - 1]
            return Record(tuple(found[:limit]), cursor_of(records.decided_at(last)))
        month = _month_before(month)
    return Record(tuple(found), None)


def _just_ahead(safety: Safety) -> str:
    """Another node's clock may be a little ahead of ours."""
    return iso(safety.clock.now_ms() + 60_000)


def _month_before(month: str) -> str:
    year, number = int(month[:4]), int(month[5:])
    return f"{year - 1:04d}-12" if number == 1 else f"{year:04d}-{number - 1:02d}"
