"""Reads the audit log: all that moderators and admins did, newest first.

There is a partition for each month, so that no partition grows for ever; a page looks back from
the last line that was shown, month by month, for a year at most. Lines about staff are for admins,
and nobody reads what was decided about themselves.
"""

import re
from collections.abc import Mapping

from greenroom.clock import iso
from greenroom.ids import UserId
from greenroom.people import staff as roles
from greenroom.people.actor import Actor, StaffRole
from greenroom.safety import records
from greenroom.safety.access import check_moderator
from greenroom.safety.context import Safety
from greenroom.safety.models import Entry
from greenroom.safety.places import cursor_of, place_in
from greenroom.safety.record import MAX_PAGE, Record
from greenroom.safety.staff import Act, allowed, rank_of, rank_of_role
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
    staff = await roles.roles(safety.people)
    found, month, months = list[Entry](), records.month_of(before), 0
    while months < _MONTHS:
        entries, more = await _page(safety, month, before, limit + 1)
        for entry in entries:
            before = records.decided_at(entry)
            if _is_shown(actor, entry, staff):
                found.append(entry)
            if len(found) > limit:
                last = found[limit - 1]
                return Record(tuple(found[:limit]), cursor_of(records.decided_at(last)))
        if not more:
            month, months = _month_before(month), months + 1
    return Record(tuple(found), None)


def _is_shown(actor: Actor, entry: Entry, staff: Mapping[UserId, StaffRole]) -> bool:
    """That a role was granted is for admins; also the one to whom it was."""
    role = entry.role or (None if entry.about is None else staff.get(entry.about))
    is_self = entry.case is not None and entry.about == actor.user
    return allowed(Act.READ_LOG, rank_of(actor), rank_of_role(role), is_self=is_self)


async def _page(
    safety: Safety, month: str, before: str, limit: int
) -> tuple[tuple[Entry, ...], bool]:
    page = await safety.store.query(
        records.SAFETY,
        records.month_partition(month),
        Bound("<", before),
        index=records.MODERATION_QUEUE,
        limit=limit,
        backward=True,
    )
    return tuple(map(records.entry_of, page.items)), page.has_more


def _just_ahead(safety: Safety) -> str:
    """Another node's clock may be a little ahead of ours."""
    return iso(safety.clock.now_ms() + 60_000)


def _month_before(month: str) -> str:
    year, number = int(month[:4]), int(month[5:])
    return f"{year - 1:04d}-12" if number == 1 else f"{year:04d}-{number - 1:02d}"
