"""Reads bookings: that of a thread, with its legs, journal and payments."""

from sqlalchemy import Connection

from greenroom.bookings import rows
from greenroom.bookings.context import Bookings
from greenroom.bookings.models import Booking
from greenroom.ids import ThreadId


async def booking_of_thread(bookings: Bookings, thread: ThreadId) -> Booking | None:
    """None where nothing was ever proposed."""

    def work(connection: Connection) -> Booking | None:
        group = rows.group_of_thread(connection, thread)
        return None if group is None else rows.find_booking(connection, group)

    return await bookings.database.read(work)
