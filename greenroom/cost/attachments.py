"""Cost patterns: messages with files, messages that wait for them, and who may see them."""

from functools import partial

from msgspec.structs import replace

from greenroom.background.models import Timer
from greenroom.cost.fixture import Fixture
from greenroom.cost.fixture_files import announced, make_ready, ready_photo
from greenroom.cost.pattern import Act, Pattern
from greenroom.files import Files, items
from greenroom.files.access import file_views
from greenroom.files.items import Removed
from greenroom.files.removed_pictures import RemovedPictures
from greenroom.ids import FileId
from greenroom.messaging.cancel_waiting import cancel_waiting
from greenroom.messaging.delete import delete
from greenroom.messaging.models import NewAttachment, Thread
from greenroom.messaging.outgoing import Held, Outgoing, Sent, Waiting
from greenroom.messaging.report import report_message
from greenroom.messaging.send import send
from greenroom.messaging.send_waiting import send_when_ready
from greenroom.messaging.waiting import waiting_message, waiting_messages, waiting_state
from greenroom.messaging.waiting_items import timer_of
from greenroom.people.actor import Actor, Scope
from greenroom.safety.claim import claim
from greenroom.safety.decide import decide
from greenroom.safety.models import Decision, HeldMessage, Reason, SentMessage, case_id

TITLE = "Messages with files"
_SUSPICIOUS = "10000 followers for $9!!! Guaranteed income, dm me on telegram"
"""The policy holds it for a moderator."""


async def _talk(fixture: Fixture) -> tuple[Actor, Actor, Thread]:
    ana, ben = await fixture.pair()
    return ana, ben, await fixture.talk(ana, ben)


async def _removed(fixture: Fixture, count: int) -> RemovedPictures:
    """Pictures that moderators have removed this month."""
    now_ms = fixture.clock.now_ms()
    for number in range(count):
        removed = Removed(fixture.contexts[Files].ids.file(), now_ms - number, ("0f" * 32,))
        await fixture.store.write(items.removed_op(removed))
    return RemovedPictures(fixture.store, fixture.clock)


async def _learn_all(fixture: Fixture) -> Act:
    return partial((await _removed(fixture, 100)).resembling, ["0" * 64])


async def _learn_new(fixture: Fixture) -> Act:
    known = await _removed(fixture, 1)
    await known.resembling(["0" * 64])
    fixture.clock.advance(seconds=600)
    return partial(known.resembling, ["0" * 64])


def _outgoing(fixture: Fixture, *files: FileId) -> Outgoing:
    attached = tuple(NewAttachment(one, "The studio in the morning") for one in files)
    return replace(fixture.outgoing(9), attachments=attached)


async def _sending(fixture: Fixture, count: int) -> tuple[Actor, Actor, Thread, Outgoing]:
    ana, ben, thread = await _talk(fixture)
    files = await announced(fixture, ana, thread.id, count=count)
    await make_ready(fixture, *files)
    await fixture.contexts[Files].pipeline.removed.resembling(["0" * 64])
    return ana, ben, thread, _outgoing(fixture, *files)


async def _send(fixture: Fixture, count: int) -> Act:
    ana, _, thread, outgoing = await _sending(fixture, count)
    return partial(send, fixture.messaging, ana, thread.id, outgoing)


async def _delete(fixture: Fixture, count: int) -> Act:
    ana, _, thread, outgoing = await _sending(fixture, count)
    sent = await send(fixture.messaging, ana, thread.id, outgoing)
    assert isinstance(sent, Sent)
    return partial(delete, fixture.messaging, ana, thread.id, sent.message.id)


async def _view(fixture: Fixture) -> Act:
    ana, ben, thread, outgoing = await _sending(fixture, 10)
    await send(fixture.messaging, ana, thread.id, outgoing)
    ids = [one.file for one in outgoing.attachments]
    return partial(file_views, fixture.contexts[Files], ben, ids)


async def _wait(fixture: Fixture) -> Act:
    ana, _, thread = await _talk(fixture)
    files = await announced(fixture, ana, thread.id, count=1)
    return partial(send, fixture.messaging, ana, thread.id, _outgoing(fixture, *files))


async def _waiting(fixture: Fixture) -> tuple[Actor, Thread, Outgoing]:
    ana, _, thread = await _talk(fixture)
    outgoing = _outgoing(fixture, *await announced(fixture, ana, thread.id, count=1))
    waits = await send(fixture.messaging, ana, thread.id, outgoing)
    assert isinstance(waits, Waiting)
    return ana, thread, outgoing


async def _send_waiting(fixture: Fixture) -> Act:
    ana, thread, outgoing = await _waiting(fixture)
    await fixture.contexts[Files].pipeline.removed.resembling(["0" * 64])
    await make_ready(fixture, *(one.file for one in outgoing.attachments))
    now_ms = fixture.clock.now_ms()
    timer: Timer = timer_of(ana.user, thread.id, outgoing.client_id, "", now_ms)
    return partial(send_when_ready, fixture.messaging, timer)


async def _cancel(fixture: Fixture) -> Act:
    ana, thread, outgoing = await _waiting(fixture)
    return partial(cancel_waiting, fixture.messaging, ana, thread.id, outgoing.client_id)


async def _read_waiting(fixture: Fixture) -> Act:
    ana, thread, outgoing = await _waiting(fixture)
    return partial(waiting_message, fixture.messaging, ana, thread.id, outgoing.client_id)


async def _list_waiting(fixture: Fixture) -> Act:
    ana, _, thread = await _talk(fixture)
    for number, file in enumerate(await announced(fixture, ana, thread.id, count=10)):
        outgoing = replace(_outgoing(fixture, file), client_id=f"waits-{number}")
        await send(fixture.messaging, ana, thread.id, outgoing)
    return partial(waiting_messages, fixture.messaging, ana)


async def _held(fixture: Fixture, *, with_file: bool, decision: Decision) -> Act:
    """Because of its text, or because its photo is like a removed one. In a month of its own,
    because all patterns share the removed pictures."""
    fixture.clock.advance(days=40 * 365)
    mod = await fixture.person("mod", Scope.MODERATOR)
    ana, _, thread = await _talk(fixture)
    outgoing = fixture.outgoing(9, _SUSPICIOUS)
    if with_file:
        outgoing = _outgoing(fixture, await ready_photo(fixture, ana, thread.id, like_removed=True))
    held = await send(fixture.messaging, ana, thread.id, outgoing)
    assert isinstance(held, Held)
    case = case_id(HeldMessage(thread.id, ana.user, outgoing.client_id))
    await claim(fixture.messaging.safety, mod, case)
    return partial(decide, fixture.messaging.safety, mod, case, decision, version=1)


async def _remove(fixture: Fixture) -> Act:
    """In a month of its own, likewise."""
    fixture.clock.advance(days=80 * 365)
    mod = await fixture.person("mod", Scope.MODERATOR)
    ana, ben, thread, outgoing = await _sending(fixture, 1)
    sent = await send(fixture.messaging, ana, thread.id, outgoing)
    assert isinstance(sent, Sent)
    await report_message(fixture.messaging, ben, thread.id, sent.message.id, Reason.SPAM)
    case = case_id(SentMessage(thread.id, sent.message.id))
    await claim(fixture.messaging.safety, mod, case)
    return partial(decide, fixture.messaging.safety, mod, case, Decision.REMOVE, version=1)


async def _unchanged(fixture: Fixture) -> Act:
    ana, _, _ = await _waiting(fixture)
    return partial(waiting_state, fixture.messaging, ana.user)


PATTERNS: tuple[Pattern, ...] = (
    Pattern("send_file", "a message with a photo that is ready", partial(_send, count=1)),
    Pattern("send_10_files", "a message with 10 of them", partial(_send, count=10)),
    Pattern("wait_for_file", "a message with a photo that is not ready: it waits", _wait),
    Pattern("send_waiting", "send it when the photo is ready", _send_waiting),
    Pattern("cancel_waiting", "cancel it while it waits", _cancel),
    Pattern("read_waiting", "read a message that waits", _read_waiting),
    Pattern("list_waiting", "list 10 of them", _list_waiting),
    Pattern("sync_waiting", "sync when no waiting message has changed", _unchanged),
    Pattern("delete_file", "delete a message with a photo", partial(_delete, count=1)),
    Pattern("delete_10_files", "delete a message with 10 photos", partial(_delete, count=10)),
    Pattern(
        "release_held",
        "release a held message without files",
        partial(_held, with_file=False, decision=Decision.RELEASE),
    ),
    Pattern(
        "release_held_file",
        "release one with a photo",
        partial(_held, with_file=True, decision=Decision.RELEASE),
    ),
    Pattern(
        "remove_held_file",
        "remove one with a photo, which is remembered",
        partial(_held, with_file=True, decision=Decision.REMOVE),
    ),
    Pattern("remove_file", "remove a reported message with a photo, which is remembered", _remove),
    Pattern("learn_removed", "ask for pictures that moderators removed, once a second", _learn_new),
    Pattern("learn_100_removed", "the first time on a node, if there are 100", _learn_all),
    Pattern("view_10_files", "check that a member may see the photos of a message", _view),
)
