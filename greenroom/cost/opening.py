"""What it costs to open a thread, to change who is in it, and to answer a request."""

from functools import partial

from greenroom.cost.pattern import Act, Pattern
from greenroom.cost.stage import TEXT, Stage
from greenroom.ids import UserId
from greenroom.messaging import answer, block, projects
from greenroom.messaging.change_role import change_role
from greenroom.messaging.models import Kind, Role, Thread
from greenroom.messaging.open import Invited, open_direct
from greenroom.messaging.rename import rename
from greenroom.messaging.requests import sent_requests
from greenroom.messaging.seats import add, leave
from greenroom.messaging.start import start
from greenroom.messaging.withdraw_request import withdraw_request
from greenroom.people.actor import Actor, Scope

_KEY = "00000001-5b1e-4c3a-9d2f-7a6b8c9d0e1f"


async def _open_known(stage: Stage) -> Act:
    ana, ben = await stage.pair()
    await stage.talk(ana, ben)
    return partial(stage.open, ana, ben)


async def _open_gated(stage: Stage) -> Act:
    ana, ben = await stage.pair()
    return partial(stage.open, ana, ben)


async def _start(stage: Stage) -> Act:
    ana, ben = await stage.pair()
    await stage.talk(ana, ben)
    return partial(start, stage.messaging, ana, stage.opening(ben), TEXT, key=_KEY)


async def _open_direct(stage: Stage) -> Act:
    ana, ben = await stage.pair()
    await stage.talk(ana, ben)
    return partial(open_direct, stage.messaging, ana, ben.user)


async def _open_direct_again(stage: Stage) -> Act:
    ana, ben = await stage.pair()
    await open_direct(stage.messaging, ana, ben.user)
    stage.forget()
    return partial(open_direct, stage.messaging, ben, ana.user)


async def _open_group(stage: Stage, others: int) -> Act:
    ana = await stage.person("ana")
    return partial(stage.open, ana, *await stage.people(others))


async def _add(stage: Stage) -> Act:
    ana, ben = await stage.pair()
    cleo = await stage.person("cleo")
    thread = await stage.talk(ana, ben)
    return partial(add, stage.messaging, ana, thread.id, Invited(cleo.user, Role.SELLER))


async def _leave(stage: Stage) -> Act:
    ana, ben = await stage.pair()
    thread = await stage.talk(ana, ben)
    return partial(leave, stage.messaging, ben, thread.id)


async def _rename(stage: Stage) -> Act:
    ana, ben = await stage.pair()
    thread = await stage.talk(ana, ben)
    return partial(rename, stage.messaging, ana, thread.id, "Portraits in April")


async def _change_role(stage: Stage) -> Act:
    ana, ben = await stage.pair()
    thread = await stage.talk(ana, ben)
    service = Actor(UserId("shop"), frozenset({Scope.SERVICE}))
    return partial(change_role, stage.messaging, service, thread.id, ben.user, Role.BUYER)


async def _asked(stage: Stage) -> tuple[Actor, Actor, Thread]:
    """Ana has asked Ben, with one message, and he has not answered yet."""
    ana, ben = await stage.pair()
    thread = await stage.open(ana, ben)
    await stage.say(ana, thread.id)
    return ana, ben, thread


async def _accept(stage: Stage) -> Act:
    _, ben, thread = await _asked(stage)
    return partial(answer.accept, stage.messaging, ben, thread.gates[ben.user].id)


async def _decline(stage: Stage) -> Act:
    _, ben, thread = await _asked(stage)
    return partial(answer.decline, stage.messaging, ben, thread.gates[ben.user].id)


async def _withdraw(stage: Stage) -> Act:
    ana, ben, thread = await _asked(stage)
    return partial(withdraw_request, stage.messaging, ana, thread.gates[ben.user].id)


async def _sent_requests(stage: Stage) -> Act:
    ana = await stage.person("ana")
    for other in await stage.people(10):
        await stage.open(ana, other)
    return partial(sent_requests, stage.messaging, ana)


async def _block_request(stage: Stage) -> Act:
    _, ben, thread = await _asked(stage)
    return partial(answer.block_sender, stage.messaging, ben, thread.gates[ben.user].id)


async def _block_person(stage: Stage) -> Act:
    ana, ben = await stage.pair()
    thread = await stage.talk(ana, ben)
    return partial(block.block_person, stage.messaging, ben, ana.user, thread_id=thread.id)


async def _project_threads(stage: Stage) -> Act:
    ana, ben = await stage.pair()
    for _ in range(5):
        await stage.talk(ana, ben, kind=Kind.BOOKING)
    return partial(projects.threads_of_leg, stage.messaging, ana, stage.leg)


PATTERNS = (
    Pattern("open_known", "open a thread with somebody one has met", _open_known),
    Pattern("start", "the same under a key, with the first message", _start),
    Pattern("open_gated", "open a thread with a stranger: a request waits", _open_gated),
    Pattern("open_direct", "open the direct thread of two who have met", _open_direct),
    Pattern("open_direct_again", "find it again, on another node", _open_direct_again),
    Pattern("open_group_10", "open a thread of 10 strangers", partial(_open_group, others=9)),
    Pattern("open_group_100", "open a thread of 100 strangers", partial(_open_group, others=99)),
    Pattern("add", "add a stranger to a thread of two", _add),
    Pattern("leave", "leave a thread of two", _leave),
    Pattern("rename", "name a thread", _rename),
    Pattern("change_role", "change somebody's role in a thread of two", _change_role),
    Pattern("accept", "accept a request", _accept),
    Pattern("decline", "decline a request", _decline),
    Pattern("withdraw_request", "withdraw a request", _withdraw),
    Pattern("sent_requests", "list the 10 requests that one has sent", _sent_requests),
    Pattern("block_request", "block the sender of a request", _block_request),
    Pattern("block_person", "block somebody from a thread", _block_person),
    Pattern("project_threads", "the 5 threads of a leg, or of a group", _project_threads),
)
