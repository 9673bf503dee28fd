"""Reads reports: those about a case, for moderators; and a user's own."""

from msgspec import Struct

from greenroom.people.actor import Actor
from greenroom.safety import access, items, records
from greenroom.safety.context import Safety
from greenroom.safety.models import CaseId, Report
from greenroom.store.expressions import Prefix

MAX_PAGE = 100


class Reports(Struct, frozen=True):
    reports: tuple[Report, ...]
    next: str | None


async def reports_of_case(
    safety: Safety, actor: Actor, case: CaseId, *, limit: int = 50, cursor: str | None = None
) -> Reports:
    await access.case(safety, actor, case)
    return await _page(safety, records.case_partition(case), limit, cursor, backward=False)


async def own_reports(
    safety: Safety, actor: Actor, *, limit: int = 50, cursor: str | None = None
) -> Reports:
    """Newest first, without their outcome."""
    return await _page(safety, records.user_partition(actor.user), limit, cursor, backward=True)


async def _page(
    safety: Safety, partition: str, limit: int, cursor: str | None, *, backward: bool
) -> Reports:
    page = await safety.store.query(
        records.SAFETY,
        partition,
        Prefix(records.REPORT),
        limit=max(1, min(limit, MAX_PAGE)),
        backward=backward,
        cursor=cursor,
        consistent=True,
    )
    return Reports(tuple(map(items.report_of, page.items)), page.next)
