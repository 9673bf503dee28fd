"""Schedules and cancels timers: as ops, for the transaction that makes them needed or needless.

    await store.write(Put(REQUESTS, request), schedule(Timer("request_expiry", id, due_ms)))
    await store.write(Update(REQUESTS, …), cancel("request_expiry", id))

To move a timer, schedule it again: a timer that is being run at that moment does not take effect,
and runs again at its new time.
"""

from greenroom.background.models import Timer
from greenroom.background.records import TIMERS, timer_item, timer_key
from greenroom.store.base import Delete, Put


def schedule(timer: Timer) -> Put:
    return Put(TIMERS, timer_item(timer))


def cancel(kind: str, id: str) -> Delete:
    return Delete(TIMERS, timer_key(kind, id))
