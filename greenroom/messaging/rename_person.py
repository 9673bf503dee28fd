"""Changes a person's names, and tells the people in their latest conversations.

The audience is bounded: the person's own devices, and the people in the 20 threads of theirs that
were active last. These are chosen from the first 300 rows of each of the 10 inbox shelves, at half
a read unit a row (`rename_me` in docs/costs.md). Somebody who has turned the thread away (declined,
blocked, left) or whose request has ended is not told: the names of a stranger must not reach them.
Somebody whose request waits is told, because their list of requests shows the names. Everybody else
sees the new names with the next load.

Careful: nothing that the person did in secret may change which threads are chosen. So archived,
hidden and left threads count as any other, threads are ranked by their last message alone, and a
request that the person was sent counts only once it is accepted, whatever its answer (tests/privacy).
One limit remains: pinning, archiving or leaving moves a row up on its shelf. Where more than 300
rows of one shelf lie above that of an active thread, the people of this thread hear nothing.
"""

import asyncio
from contextlib import suppress

from greenroom.errors import Problem
from greenroom.ids import UserId
from greenroom.messaging import items, rules
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import PersonUpdated
from greenroom.messaging.models import Folder, Thread
from greenroom.messaging.records import (
    ACTIVE,
    AWAY,
    INBOX,
    MESSAGING,
    head_key,
    inbox_key,
    thread_in,
)
from greenroom.people.actor import Actor
from greenroom.people.models import Account, Person
from greenroom.people.rename import NewNames, rename_from
from greenroom.store.base import Key
from greenroom.store.limits import MAX_BATCH

MOST_THREADS = 20
MOST_ROWS = 300
"""How many rows of a shelf are read. The order on a shelf is no order of activity: a row that its
owner pins or archives goes to the top."""
_SHELVES = (ACTIVE, *(folder.value for folder in Folder if folder is not Folder.ALL), AWAY)


async def rename_and_announce(
    messaging: Messaging, actor: Actor, names: NewNames, *, version: int | None = None
) -> Account:
    """As `people.rename`; where nothing changes, nobody is told."""
    before, after = await rename_from(messaging.people, actor, names, version=version)
    if after.version != before.version:
        await _announce(messaging, after)
    return after


async def _announce(messaging: Messaging, person: Person) -> None:
    """The names are stored already: a store that fails now only makes others see them later."""
    with suppress(Problem):
        threads = await _threads(messaging, person.id)
        told = audience_of(threads, person.id, messaging.clock.now_ms())
        messaging.publish_person(PersonUpdated(person, told))


def audience_of(threads: list[Thread], user: UserId, now_ms: int) -> tuple[UserId, ...]:
    counted = [thread for thread in threads if _counts(thread, user)]
    latest = sorted(counted, key=lambda thread: (thread.active_ms, thread.id), reverse=True)
    members = (
        seat
        for thread in latest[:MOST_THREADS]
        for seat in thread.members
        if _sees_names(thread, seat, now_ms)
    )
    return tuple(dict.fromkeys((user, *members)))


def _sees_names(thread: Thread, seat: UserId, now_ms: int) -> bool:
    """Whether the thread is in the inbox of this person, as a request at least."""
    return rules.is_let_in(thread, seat, now_ms) and not rules.is_unasked(thread, seat)


def _counts(thread: Thread, user: UserId) -> bool:
    """Whether the others see the user as somebody who takes part."""
    gate = thread.gates.get(user)
    return (
        user in thread.members and thread.last_seq > 0 and (gate is None or gate.away is not None)
    )


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
    """The heads of the threads on it, the first rows only."""
    page = await messaging.store.query(
        MESSAGING, inbox_key(user, shelf), index=INBOX, limit=MOST_ROWS, backward=True
    )
    return [head_key(thread_in(row["pk"])) for row in page.items]
