"""Finds the participants that a text mentions."""

from greenroom.ids import UserId
from greenroom.messaging import text
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import Thread
from greenroom.people import directory


async def mentions_in(messaging: Messaging, head: Thread, body: str) -> tuple[UserId, ...]:
    """Of the names after an @, those of people in the thread."""
    if "@" not in body:
        return ()
    found = [await directory.by_username(messaging.people, name) for name in text.mentioned(body)]
    return tuple(person.id for person in found if person is not None and person.id in head.members)
