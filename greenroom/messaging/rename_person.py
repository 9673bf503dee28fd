"""Changes a person's names, and announces them to the people in their latest conversations.

The audience is bounded: the person's own devices, and the people in their 20 last active threads.
These are chosen from the first 300 rows of each of the 10 inbox partitions, at half a read unit a
row (`rename_me` in docs/costs.md). People who have closed the thread (declined, blocked, left) or
whose request has expired get nothing: a stranger's names must not reach them. People whose request
waits do get it, because their list of requests shows the names. Everybody else sees the new names
with the next load.

Careful: nothing that the person did in secret may change which threads are chosen. So archived,
hidden and left threads count as any other, threads are ranked by their last message alone, and a
request to the person counts only once it is accepted, whatever its answer (tests/privacy).
One limit remains: pinning, archiving or leaving moves a row to the top of its partition. Where more
than 300 rows are above that of an active thread, the people of this thread get nothing.
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
"""How many rows of a partition are read. They are not sorted by activity: a row that its user pins
or archives goes to the top."""
_PARTITIONS = (ACTIVE, *(folder.value for folder in Folder if folder is not Folder.ALL), AWAY)


async def rename_and_announce(
    messaging: Messaging, actor: Actor, names: NewNames, *, version: int | None = None
) -> Account:
    """As `people.rename`; announces nothing where nothing changes."""
    before, after = await rename_from(messaging.people, actor, names, version=version)
    if after.version != before.version:
        await announce(messaging, after)
    return after


async def announce(messaging: Messaging, person: Person) -> None:
    """The change is stored already: if the store fails now, others see it later."""
    with suppress(Problem):
        threads = await _threads(messaging, person.id)
        receivers = audience_of(threads, person.id, messaging.clock.now_ms())
        messaging.publish_person(PersonUpdated(person, receivers))


def audience_of(threads: list[Thread], user: UserId, now_ms: int) -> tuple[UserId, ...]:
    counted = [thread for thread in threads if _counts(thread, user)]
    latest = sorted(counted, key=lambda thread: (thread.active_ms, thread.id), reverse=True)
    members = (
        member
        for thread in latest[:MOST_THREADS]
        for member in thread.members
        if _sees_names(thread, member, now_ms)
    )
    return tuple(dict.fromkeys((user, *members)))


def _sees_names(thread: Thread, member: UserId, now_ms: int) -> bool:
    """Whether the thread is in this person's inbox, at least as a request."""
    return rules.has_access(thread, member, now_ms) and not rules.is_empty_request(thread, member)


def _counts(thread: Thread, user: UserId) -> bool:
    """Whether the others see the user as a participant."""
    gate = thread.gates.get(user)
    return (
        user in thread.members and thread.last_seq > 0 and (gate is None or gate.away is not None)
    )


async def _threads(messaging: Messaging, user: UserId) -> list[Thread]:
    partitions = await asyncio.gather(
        *(_thread_keys(messaging, user, partition) for partition in _PARTITIONS)
    )
    keys = list(dict.fromkeys(key for partition in partitions for key in partition))
    batches = await asyncio.gather(
        *(
            messaging.store.batch_get(MESSAGING, keys[start : start + MAX_BATCH])
            for start in range(0, len(keys), MAX_BATCH)
        )
    )
    return [items.thread_of(item) for batch in batches for item in batch.values()]


async def _thread_keys(messaging: Messaging, user: UserId, partition: str) -> list[Key]:
    """The head keys of its first rows."""
    page = await messaging.store.query(
        MESSAGING, inbox_key(user, partition), index=INBOX, limit=MOST_ROWS, backward=True
    )
    return [head_key(thread_in(row["pk"])) for row in page.items]
