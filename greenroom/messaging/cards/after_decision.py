"""What follows a decision on this node: it is relayed at once, and its payments are made.

Nothing depends on it: a sweep on some node does the same for what is left.
"""

import logging

from greenroom.bookings import Bookings
from greenroom.bookings.pay import pay_group
from greenroom.errors import Problem, Unavailable
from greenroom.ids import GroupId
from greenroom.messaging.cards.relay import relay_group
from greenroom.messaging.context import Messaging

_log = logging.getLogger(__name__)
_PASSING = (Problem, Unavailable, OSError, TimeoutError)


async def after_decision(messaging: Messaging, bookings: Bookings, group: GroupId) -> None:
    """The answer waits for the relay, so that what it says can be read; not for payments."""
    if await relayed(messaging, bookings, group):
        bookings.tasks.start(pay_and_relay(messaging, bookings, group))


def relay_soon(messaging: Messaging, bookings: Bookings, group: GroupId) -> None:
    """After a deadline, which nobody waits for: a few at once, so that of thousands that are due at
    the same time all are made before relays take the time."""
    bookings.tasks.start(_relay_in_turn(messaging, bookings, group))


async def _relay_in_turn(messaging: Messaging, bookings: Bookings, group: GroupId) -> None:
    async with bookings.tasks.turns:
        if await relayed(messaging, bookings, group):
            await pay_and_relay(messaging, bookings, group)


async def relayed(messaging: Messaging, bookings: Bookings, group: GroupId) -> bool:
    try:
        await relay_group(messaging, bookings, group)
    except Exception as trouble:  # what is decided is decided
        log_trouble("booking %s is relayed later", group, trouble)
        return False
    return True


async def pay_and_relay(messaging: Messaging, bookings: Bookings, group: GroupId) -> None:
    if bookings.payments is None:
        return
    try:
        if await pay_group(bookings, group):
            await relay_group(messaging, bookings, group)
    except Exception as trouble:  # one that fails holds up no other
        log_trouble("payments of booking %s are made later", group, trouble)


def log_trouble(what: str, group: GroupId, trouble: Exception) -> None:
    """A fault of the product with its trace; others pass by themselves."""
    if isinstance(trouble, _PASSING):
        _log.warning(f"{what}: %r", group, trouble)
    else:
        _log.error(what, group, exc_info=trouble)
