"""Tells people in somebody's latest conversations that this person has other names.

The audience is bounded: the person's own devices, and everybody in the 20 threads of theirs that
were active last, of at most 20 rows of each inbox shelf and 100 of the two shelves that hold what
the person left. Everybody else sees the new names with the next load.

Careful: nothing that the person did in secret may change who is told. So archived, hidden and left
threads count as any other, threads are ranked by their last message alone, and a request that the
person was sent counts only once it is accepted, whatever its answer (tests/twins).
"""

import asyncio
from contextlib import suppress

from greenroom.errors import Problem
from greenroom.ids import UserId
from greenroom.messaging import items
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import PersonUpdated
from greenroom.messaging.models import Folder, Thread
from greenroom.messaging.records import (
    AWAY,
    FRESH,
    INBOX,
    MESSAGING,
    head_key,
    shelf_key,
    thread_in,
)
from greenroom.people.models import Person
from greenroom.store.base import Key
from greenroom.store.limits import MAX_BATCH

MOST_THREADS = 20
_MOST_LEFT = 100
_LEFT = (AWAY, Folder.REQUESTS.value)
"""Somebody who has left and is asked again is on the second."""
_SHELVES = (FRESH, *(folder.value for folder in Folder if folder is not Folder.ALL), AWAY)


async def announce_person(messaging: Messaging, person: Person) -> None:
    """The names are stored already: a store that fails now only makes others see them later."""
    with suppress(Problem):
        told = audience_of(await _threads(messaging, person.id), person.id)
        messaging.publish_person(PersonUpdated(person, told))


def audience_of(threads: list[Thread], user: UserId) -> tuple[UserId, ...]:
    counted = [thread for thread in threads if _counts(thread, user)]
    latest = sorted(counted, key=lambda thread: (thread.active_ms, thread.id), reverse=True)
    seats = (seat for thread in latest[:MOST_THREADS] for seat in thread.seats)
    return tuple(dict.fromkeys((user, *seats)))


def _counts(thread: Thread, user: UserId) -> bool:
    """Whether the others see the user as somebody who takes part."""
    gate = thread.gates.get(user)
    return user in thread.seats and thread.last_seq > 0 and (gate is None or gate.away is not None)


async def _threads(messaging: Messaging, user: UserId) -> list[Thread]:
    shelves = await asyncio.gather(*(_on_shelf(messaging, user, shelf) for shelf in _SHELVES))
    keys = list(dict.fromkeys(key for shelf in shelves for key in shelf))
    batches = await asyncio.gather(
        *(
            messaging.store.batch_get(MESSAGING, keys[start : start + MAX_BATCH])
            for start in range(0, len(keys), MAX_BATCH)
        )
    )
    return [items.thread_of(item) for batch in batches for item in batch.values()]


async def _on_shelf(messaging: Messaging, user: UserId, shelf: str) -> list[Key]:
    """The heads of the threads that were put there last."""
    most = _MOST_LEFT if shelf in _LEFT else MOST_THREADS
    page = await messaging.store.query(
        MESSAGING, shelf_key(user, shelf), index=INBOX, limit=most, backward=True
    )
    return [head_key(thread_in(row["pk"])) for row in page.items]
