"""The sample data: something to see for everybody, and the same after a restart."""

from greenroom.api.http import Contexts
from greenroom.demo import furnish
from greenroom.messaging.inbox import inbox
from greenroom.messaging.models import Folder
from greenroom.people import directory
from greenroom.people.actor import Actor, Scope
from greenroom.safety.queue import queue
from tests.api.hall import Hall


async def test_maya_has_a_booking_a_group_and_requests(sqlite_hall: Hall) -> None:
    contexts = sqlite_hall.contexts
    await furnish(contexts.messaging)
    maya = await _actor(contexts, "maya")
    shown = await inbox(contexts.messaging, maya)
    assert {row.thread.subject for row in shown.rows} >= {"Editorial in May"}
    requests = await inbox(contexts.messaging, maya, Folder.REQUESTS)
    assert requests.rows
    ada = Actor((await _actor(contexts, "ada")).user, frozenset({Scope.MODERATOR}))
    [case] = (await queue(contexts.safety, ada)).cases
    assert "followers" in case.text


async def test_to_start_again_changes_nothing(sqlite_hall: Hall) -> None:
    contexts = sqlite_hall.contexts
    await furnish(contexts.messaging)
    before = [await inbox(contexts.messaging, await _actor(contexts, name)) for name in _NAMES]
    sqlite_hall.clock.advance(days=1)
    await furnish(contexts.messaging)
    after = [await inbox(contexts.messaging, await _actor(contexts, name)) for name in _NAMES]
    assert after == before
    assert any(found.rows for found in before)


_NAMES = ("maya", "jonas", "mateo", "studio.nord")


async def _actor(contexts: Contexts, username: str) -> Actor:
    person = await directory.by_username(contexts.people, username)
    assert person is not None
    return Actor(person.id)
