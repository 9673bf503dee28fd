"""Cost patterns: open a thread, change its members, and answer a request."""

from functools import partial

from greenroom.cost.fixture import TEXT, Fixture
from greenroom.cost.pattern import Act, Pattern
from greenroom.ids import UserId
from greenroom.messaging import block, projects, respond
from greenroom.messaging.change_role import change_role
from greenroom.messaging.models import Kind, Role, Thread
from greenroom.messaging.open import Invited, open_direct
from greenroom.messaging.participants import add, leave
from greenroom.messaging.rename import rename
from greenroom.messaging.requests import sent_requests
from greenroom.messaging.start import start
from greenroom.messaging.withdraw_request import withdraw_request
from greenroom.people.actor import Actor, Scope

_KEY = "00000001-5b1e-4c3a-9d2f-7a6b8c9d0e1f"


async def _open_known(fixture: Fixture) -> Act:
    ana, ben = await fixture.pair()
    await fixture.talk(ana, ben)
    return partial(fixture.open, ana, ben)


async def _open_gated(fixture: Fixture) -> Act:
    ana, ben = await fixture.pair()
    return partial(fixture.open, ana, ben)


async def _start(fixture: Fixture) -> Act:
    ana, ben = await fixture.pair()
    await fixture.talk(ana, ben)
    return partial(start, fixture.messaging, ana, fixture.opening(ben), TEXT, key=_KEY)


async def _open_direct(fixture: Fixture) -> Act:
    ana, ben = await fixture.pair()
    await fixture.talk(ana, ben)
    return partial(open_direct, fixture.messaging, ana, ben.user)


async def _open_direct_again(fixture: Fixture) -> Act:
    ana, ben = await fixture.pair()
    await open_direct(fixture.messaging, ana, ben.user)
    fixture.forget()
    return partial(open_direct, fixture.messaging, ben, ana.user)


async def _open_group(fixture: Fixture, others: int) -> Act:
    ana = await fixture.person("ana")
    return partial(fixture.open, ana, *await fixture.people(others))


async def _add(fixture: Fixture) -> Act:
    ana, ben = await fixture.pair()
    cleo = await fixture.person("cleo")
    thread = await fixture.talk(ana, ben)
    return partial(add, fixture.messaging, ana, thread.id, Invited(cleo.user, Role.SELLER))


async def _leave(fixture: Fixture) -> Act:
    ana, ben = await fixture.pair()
    thread = await fixture.talk(ana, ben)
    return partial(leave, fixture.messaging, ben, thread.id)


async def _rename(fixture: Fixture) -> Act:
    ana, ben = await fixture.pair()
    thread = await fixture.talk(ana, ben)
    return partial(rename, fixture.messaging, ana, thread.id, "Portraits in April")


async def _change_role(fixture: Fixture) -> Act:
    ana, ben = await fixture.pair()
    thread = await fixture.talk(ana, ben)
    service = Actor(UserId("shop"), frozenset({Scope.SERVICE}))
    return partial(change_role, fixture.messaging, service, thread.id, ben.user, Role.BUYER)


async def _asked(fixture: Fixture) -> tuple[Actor, Actor, Thread]:
    """Ana has sent Ben a request with one message, and he has not answered yet."""
    ana, ben = await fixture.pair()
    thread = await fixture.open(ana, ben)
    await fixture.say(ana, thread.id)
    return ana, ben, thread


async def _accept(fixture: Fixture) -> Act:
    _, ben, thread = await _asked(fixture)
    return partial(respond.accept, fixture.messaging, ben, thread.gates[ben.user].id)


async def _decline(fixture: Fixture) -> Act:
    _, ben, thread = await _asked(fixture)
    return partial(respond.decline, fixture.messaging, ben, thread.gates[ben.user].id)


async def _withdraw(fixture: Fixture) -> Act:
    ana, ben, thread = await _asked(fixture)
    return partial(withdraw_request, fixture.messaging, ana, thread.gates[ben.user].id)


async def _sent_requests(fixture: Fixture) -> Act:
    ana = await fixture.person("ana")
    for other in await fixture.people(10):
        await fixture.open(ana, other)
    return partial(sent_requests, fixture.messaging, ana)


async def _block_request(fixture: Fixture) -> Act:
    _, ben, thread = await _asked(fixture)
    return partial(block.block_sender, fixture.messaging, ben, thread.gates[ben.user].id)


async def _block_person(fixture: Fixture) -> Act:
    ana, ben = await fixture.pair()
    thread = await fixture.talk(ana, ben)
    return partial(block.block_person, fixture.messaging, ben, ana.user, thread_id=thread.id)


async def _project_threads(fixture: Fixture) -> Act:
    ana, ben = await fixture.pair()
    for _ in range(5):
        await fixture.talk(ana, ben, kind=Kind.BOOKING)
    return partial(projects.threads_of_leg, fixture.messaging, ana, fixture.leg)


TITLE = "Threads"
PATTERNS = (
    Pattern("open_known", "open a thread with a contact", _open_known),
    Pattern("start", "the same with a key and the first message", _start),
    Pattern("open_gated", "open a thread with a stranger, which sends a request", _open_gated),
    Pattern("open_direct", "open the direct thread of two contacts", _open_direct),
    Pattern("open_direct_again", "find it again, on another node", _open_direct_again),
    Pattern("open_group_10", "open a thread of 10 strangers", partial(_open_group, others=9)),
    Pattern("open_group_100", "open a thread of 100 strangers", partial(_open_group, others=99)),
    Pattern("add", "add a stranger to a thread of two", _add),
    Pattern("leave", "leave a thread of two", _leave),
    Pattern("rename", "set the subject of a thread", _rename),
    Pattern("change_role", "change somebody's role in a thread of two", _change_role),
    Pattern("accept", "accept a request", _accept),
    Pattern("decline", "decline a request", _decline),
    Pattern("withdraw_request", "withdraw a request", _withdraw),
    Pattern("sent_requests", "list the 10 requests that a user has sent", _sent_requests),
    Pattern("block_request", "block the sender of a request", _block_request),
    Pattern("block_person", "block somebody from a thread", _block_person),
    Pattern("project_threads", "the 5 threads of a leg, or of a group", _project_threads),
)
