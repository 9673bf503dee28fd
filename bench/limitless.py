"""Messaging as it is served, but for the limits on how often somebody may write."""

from greenroom.clock import Clock
from greenroom.ids import Ids
from greenroom.messaging import Messaging
from greenroom.messaging.heads import Heads
from greenroom.people import People
from greenroom.safety import Safety
from greenroom.safety.limits import Limit, Limits, Rate
from greenroom.store.base import Store
from greenroom.store.cursors import Cursors

_MOST = 1_000_000
RATES = {
    limit: Rate(most=_MOST, window_ms=1000, unasked=_MOST, step=1, keep_ms=1000) for limit in Limit
}


def messaging_on(store: Store, clock: Clock, secret: bytes) -> Messaging:
    ids = Ids(clock)
    people = People(store, clock, ids)
    return Messaging(
        store=store,
        people=people,
        safety=Safety(store, people, clock, ids, Limits(store, clock, rates=RATES)),
        clock=clock,
        ids=ids,
        heads=Heads(store),
        cursors=Cursors(secret),
    )
