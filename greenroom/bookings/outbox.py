"""Reads the outbox of bookings, and notes what has been relayed.

Rows are kept after they were relayed (`forget_relayed` removes them later): a restored item store
that is older than the SQL database is brought up to date by relaying them again.
"""

from msgspec import Struct
from sqlalchemy import Connection, bindparam, delete, func, select, update

from greenroom.bookings import rows
from greenroom.bookings.context import Bookings
from greenroom.bookings.news import News, news_in
from greenroom.bookings.schema import GROUPS, LEGS, OUTBOX
from greenroom.ids import GroupId, LegId, ThreadId
from greenroom.sql.types import INTEGER, TEXT

MAX_ROWS = 100
SET_ASIDE = -1
"""In place of the time at which a row was relayed."""

_WAITING = (
    select(OUTBOX.c.id, OUTBOX.c.group_id, OUTBOX.c.body, OUTBOX.c.at_ms)
    .where(OUTBOX.c.group_id == bindparam("group", type_=TEXT), OUTBOX.c.relayed_ms == 0)
    .order_by(OUTBOX.c.id)
    .limit(MAX_ROWS)
)
_NOTE = update(OUTBOX).where(OUTBOX.c.id == bindparam("row", type_=INTEGER))


class OutboxRow(Struct, frozen=True):
    id: int
    group: GroupId
    news: News
    at_ms: int


class Waiting(Struct, frozen=True):
    """For metrics and operators."""

    rows: int
    oldest_ms: int
    """0 if there is none."""


async def waiting_of_group(bookings: Bookings, group: GroupId) -> tuple[OutboxRow, ...]:
    """In the order in which they were decided."""

    def work(connection: Connection) -> tuple[OutboxRow, ...]:
        found = connection.execute(_WAITING, {"group": group})
        return tuple(
            OutboxRow(row.id, GroupId(row.group_id), news_in(row.body), row.at_ms) for row in found
        )

    return await bookings.database.read(work)


async def groups_waiting(bookings: Bookings, before_ms: int) -> tuple[GroupId, ...]:
    """Groups with news from before then, the oldest first."""

    def work(connection: Connection) -> tuple[GroupId, ...]:
        first = func.min(OUTBOX.c.id)
        found = connection.execute(
            select(OUTBOX.c.group_id)
            .where(OUTBOX.c.relayed_ms == 0, OUTBOX.c.at_ms <= before_ms)
            .group_by(OUTBOX.c.group_id)
            .order_by(first)
            .limit(MAX_ROWS)
        )
        return tuple(GroupId(row.group_id) for row in found)

    return await bookings.database.read(work)


async def note_relayed(bookings: Bookings, row: OutboxRow) -> None:
    now_ms = max(1, bookings.clock.now_ms())
    values = {"row": row.id, "relayed_ms": now_ms}
    await bookings.database.write(lambda connection: connection.execute(_NOTE, values))


async def note_set_aside(bookings: Bookings, row: OutboxRow) -> None:
    """It cannot be relayed. Operators see it."""
    statement = update(OUTBOX).where(OUTBOX.c.id == row.id).values(relayed_ms=SET_ASIDE)
    await bookings.database.write(lambda connection: connection.execute(statement))


async def relay_again(bookings: Bookings) -> None:
    """After a restore: all rows that are kept are relayed again, which changes nothing where the
    conversation has them."""
    statement = update(OUTBOX).values(relayed_ms=0)
    await bookings.database.write(lambda connection: connection.execute(statement))


async def outbox_state(bookings: Bookings) -> Waiting:
    def work(connection: Connection) -> Waiting:
        row = connection.execute(
            select(func.count(), func.min(OUTBOX.c.at_ms)).where(OUTBOX.c.relayed_ms == 0)
        ).one()
        return Waiting(row[0], row[1] or 0)

    return await bookings.database.read(work)


async def forget_relayed(bookings: Bookings, before_ms: int) -> None:
    statement = delete(OUTBOX).where(OUTBOX.c.relayed_ms > 0, OUTBOX.c.relayed_ms < before_ms)
    await bookings.database.write(lambda connection: connection.execute(statement))


async def bind_leg(bookings: Bookings, group: GroupId, leg: LegId, thread: ThreadId) -> None:
    """Notes the thread of a leg. The first one stays."""

    def work(connection: Connection) -> None:
        booking = rows.booking_of(connection, rows.lock_group(connection, group))
        found = booking.leg(leg)
        if found is None or found.thread is not None:
            return
        bound = rows.with_thread(found, thread)
        connection.execute(
            update(LEGS).where(LEGS.c.id == leg).values(thread_id=thread, leg=rows.packed(bound))
        )
        connection.execute(
            update(GROUPS).where(GROUPS.c.id == group).values(version=booking.version + 1)
        )

    await bookings.database.write(work)
