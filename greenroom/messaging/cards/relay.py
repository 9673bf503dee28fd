"""Relays what bookings have decided to the conversation: once, in order, whatever is killed.

    outbox row ──> one transaction: head, CARD#, messages, timers ──> row marked as relayed

The transaction holds only if CARD# still has the version before, so that a row that is relayed
twice changes nothing. A node relays what it has decided at once; a sweep takes what is left.
"""

import logging

from greenroom.bookings import Bookings
from greenroom.bookings.news import CardNews, DocumentNews, LegNews
from greenroom.bookings.outbox import (
    OutboxRow,
    note_relayed,
    note_set_aside,
    waiting_of_group,
)
from greenroom.bookings.panel_lines import panel_lines
from greenroom.bookings.read_bookings import booking_of_thread
from greenroom.ids import GroupId
from greenroom.messaging.cards.leg_statuses import update_threads
from greenroom.messaging.cards.leg_threads import open_leg_threads
from greenroom.messaging.cards.write_card import write_card
from greenroom.messaging.cards.write_document import write_document
from greenroom.messaging.cards.write_leg import write_leg
from greenroom.messaging.context import Messaging
from greenroom.messaging.problems import ThreadNotFound

_log = logging.getLogger(__name__)


async def relay_group(messaging: Messaging, bookings: Bookings, group: GroupId) -> int:
    """Returns how many rows were relayed. One relay of a group is under way on a node."""
    relayed = 0
    async with messaging.relaying.hold(group):
        while found := await waiting_of_group(bookings, group):
            for row in found:
                await _relay(messaging, bookings, row)
                relayed += 1
    return relayed


async def _relay(messaging: Messaging, bookings: Bookings, row: OutboxRow) -> None:
    try:
        await _tell(messaging, bookings, row)
    except ThreadNotFound:  # after a restore of older items; nothing can heal it
        _log.error("row %d of the outbox is about a thread that is gone: set aside", row.id)
        await note_set_aside(bookings, row)
        return
    await note_relayed(bookings, row)


async def _tell(messaging: Messaging, bookings: Bookings, row: OutboxRow) -> None:
    match row.news:
        case CardNews() as news:
            lines = await panel_lines(bookings, news.card.thread)
            await write_card(messaging, news, lines)
            await open_leg_threads(messaging, bookings, news)
            await update_threads(messaging, news.thread, news.legs, told=news.card.thread)
        case LegNews() as news:
            lines = await panel_lines(bookings, news.thread)
            await write_leg(messaging, news, lines)
            booking = await booking_of_thread(bookings, news.thread)
            if news.shown and booking is not None:
                await update_threads(messaging, booking.thread, booking.legs)
        case DocumentNews() as news:
            await write_document(messaging, news, await panel_lines(bookings, news.thread))
