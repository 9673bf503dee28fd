"""Reads bookings: that of a thread or a leg, with its legs, journal and payments."""

from sqlalchemy import Connection, select

from greenroom.bookings import rows
from greenroom.bookings.context import Bookings
from greenroom.bookings.models import Booking
from greenroom.bookings.schema import LEGS
from greenroom.ids import GroupId, LegId, ThreadId


async def booking_of_thread(bookings: Bookings, thread: ThreadId) -> Booking | None:
    """None where nothing was ever proposed."""

    def work(connection: Connection) -> Booking | None:
        group = rows.group_of_thread(connection, thread)
        return None if group is None else rows.find_booking(connection, group)

    return await bookings.database.read(work)


async def booking_of_leg(bookings: Bookings, leg: LegId) -> Booking | None:
    def work(connection: Connection) -> Booking | None:
        group = connection.execute(select(LEGS.c.group_id).where(LEGS.c.id == leg)).scalar()
        return None if group is None else rows.find_booking(connection, GroupId(group))

    return await bookings.database.read(work)
