"""Cost patterns: send a message, change it, and change your own settings of a thread."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeAlias

from msgspec.structs import replace

from greenroom.cost.fixture import Fixture
from greenroom.cost.pattern import Act, Pattern
from greenroom.ids import ThreadId, UserId
from greenroom.messaging import (
    Messaging,
    delete,
    draft,
    edit,
    post_system,
    react,
    read,
    read_all,
    row_settings,
    send,
    set_status,
)
from greenroom.messaging.models import Kind, Status, Thread
from greenroom.messaging.outgoing import Held
from greenroom.people.actor import Actor, Scope

_HELD = "Send me the six digit code you just received by text."
_LONG = "We begin at nine, and the studio has daylight until four. " * 34
_METADATA = '{"order":17,"note":"' + "x" * 476 + '"}'
_Mine: TypeAlias = Callable[[Messaging, Actor, ThreadId], Awaitable[object]]
"""Something that a person changes of their own view of a thread."""


async def _talk(fixture: Fixture, kind: Kind = Kind.INQUIRY) -> tuple[Actor, Actor, Thread]:
    ana, ben = await fixture.pair()
    return ana, ben, await fixture.talk(ana, ben, kind=kind)


async def _send_running(fixture: Fixture, kind: Kind = Kind.INQUIRY) -> Act:
    ana, _, thread = await _talk(fixture, kind)
    return partial(fixture.say, ana, thread.id)


async def _send_long(fixture: Fixture) -> Act:
    ana, _, thread = await _talk(fixture)
    return partial(fixture.say, ana, thread.id, _LONG)


async def _send_metadata(fixture: Fixture) -> Act:
    ana, _, thread = await _talk(fixture)
    outgoing = replace(fixture.outgoing(9), metadata=_METADATA)
    return partial(send.send, fixture.messaging, ana, thread.id, outgoing)


async def _send_cold(fixture: Fixture) -> Act:
    ana, _, thread = await _talk(fixture)
    fixture.forget()
    return partial(fixture.say, ana, thread.id)


async def _send_first(fixture: Fixture) -> Act:
    ana, ben, thread = await _talk(fixture)
    await read.mark_read(fixture.messaging, ana, thread.id, 2)
    await fixture.rest(ana, ben)
    fixture.forget()
    return partial(fixture.say, ana, thread.id)


async def _send_group(fixture: Fixture, others: int) -> Act:
    ana = await fixture.person("ana")
    thread = await fixture.talk(ana, *await fixture.people(others))
    return partial(fixture.say, ana, thread.id)


async def _send_group_first(fixture: Fixture, others: int) -> Act:
    """Rows move up again after ten minutes, active or not."""
    act = await _send_group(fixture, others)
    fixture.clock.advance(seconds=3600)
    return act


async def _send_gated(fixture: Fixture) -> Act:
    ana, ben = await fixture.pair()
    thread = await fixture.open(ana, ben)
    return partial(fixture.say, ana, thread.id)


async def _send_held(fixture: Fixture) -> Act:
    ana, _, thread = await _talk(fixture)
    outgoing = fixture.outgoing(9, _HELD)

    async def act() -> None:
        assert isinstance(await send.send(fixture.messaging, ana, thread.id, outgoing), Held)

    return act


async def _send_again(fixture: Fixture) -> Act:
    ana, _, thread = await _talk(fixture)
    outgoing = fixture.outgoing(9)
    await send.send(fixture.messaging, ana, thread.id, outgoing)
    return partial(send.send, fixture.messaging, ana, thread.id, outgoing)


async def _edit(fixture: Fixture) -> Act:
    ana, _, thread = await _talk(fixture)
    message = await fixture.say(ana, thread.id)
    return partial(edit.edit, fixture.messaging, ana, thread.id, message.id, "Rather the fourth.")


async def _delete(fixture: Fixture) -> Act:
    ana, _, thread = await _talk(fixture)
    message = await fixture.say(ana, thread.id)
    return partial(delete.delete, fixture.messaging, ana, thread.id, message.id)


async def _react(fixture: Fixture) -> Act:
    ana, ben, thread = await _talk(fixture)
    message = await fixture.say(ana, thread.id)
    return partial(react.react, fixture.messaging, ben, thread.id, message.id, "👍")


async def _mine(fixture: Fixture, do: _Mine) -> Act:
    """Ana's own settings, in an accepted thread."""
    ana, _, thread = await _talk(fixture)
    return partial(do, fixture.messaging, ana, thread.id)


async def _send_draft(fixture: Fixture) -> Act:
    ana, _, thread = await _talk(fixture)
    await draft.save_draft(fixture.messaging, ana, thread.id, "How about")
    return partial(fixture.say, ana, thread.id)


async def _read_all(fixture: Fixture) -> Act:
    ana, ben, _ = await _talk(fixture)
    for _ in range(9):
        await fixture.talk(ana, ben)
    return partial(read_all.mark_all_read, fixture.messaging, ana)


async def _serviced(fixture: Fixture, do: _Mine) -> Act:
    """A service changes an accepted thread."""
    _, _, thread = await _talk(fixture)
    service = Actor(UserId("shop"), frozenset({Scope.SERVICE}))
    return partial(do, fixture.messaging, service, thread.id)


def _confirm(messaging: Messaging, actor: Actor, thread: ThreadId) -> Awaitable[object]:
    change = set_status.ThreadChange(status=Status.CONFIRMED, booking_id="bkg_1")
    return set_status.set_status(messaging, actor, thread, change)


def _notice(messaging: Messaging, actor: Actor, thread: ThreadId) -> Awaitable[object]:
    notice = post_system.SystemMessage("order-17-shipped", "Your prints are on their way.")
    return post_system.post_system(messaging, actor, thread, notice)


async def _read_after_pause(fixture: Fixture) -> Act:
    """Read long after it came; the other person's row has become inactive meanwhile."""
    ana, ben, thread = await _talk(fixture)
    await fixture.rest(ben)
    return partial(read.mark_read, fixture.messaging, ana, thread.id, 2)


async def _read_group(fixture: Fixture, others: int) -> Act:
    """Read late, in a group whose other rows have been inactive for a while."""
    ana = await fixture.person("ana")
    thread = await fixture.talk(ana, *await fixture.people(others))
    fixture.clock.advance(seconds=3600)
    return partial(read.mark_read, fixture.messaging, ana, thread.id, 2)


async def _draft_again(fixture: Fixture) -> Act:
    ana, _, thread = await _talk(fixture)
    await draft.save_draft(fixture.messaging, ana, thread.id, "Dear Ben")
    fixture.clock.advance(seconds=5)
    return partial(draft.save_draft, fixture.messaging, ana, thread.id, "Dear Ben, thank you")


async def _draft_read(fixture: Fixture) -> Act:
    ana, _, thread = await _talk(fixture)
    await draft.save_draft(fixture.messaging, ana, thread.id, "Dear Ben")
    return partial(draft.draft, fixture.messaging, ana, thread.id)


TITLE = "Messages"
PATTERNS = (
    Pattern("send_running", "a message in an active thread", _send_running, most_write=6),
    Pattern("send_first", "the first one after a pause", _send_first, most_write=12),
    Pattern(
        "send_booking",
        "a message in a booking's thread, with leg and city",
        partial(_send_running, kind=Kind.BOOKING),
        most_write=6,
    ),
    Pattern("send_cold", "a message, on a node with empty caches", _send_cold, most_write=6),
    Pattern("send_long", "a message of 2,000 characters", _send_long),
    Pattern("send_metadata", "a message with 500 bytes of metadata", _send_metadata),
    Pattern("send_gated", "a message in a pending request", _send_gated, most_write=6),
    Pattern("send_held", "a message that is held for a moderator", _send_held),
    Pattern("send_again", "the same message again: a retry", _send_again),
    Pattern("send_group_10", "a message to a group of 10", partial(_send_group, others=9)),
    Pattern(
        "send_group_10_first",
        "the first one to a group of 10 after a pause",
        partial(_send_group_first, others=9),
    ),
    Pattern("send_group_100", "a message to a group of 100", partial(_send_group, others=99)),
    Pattern(
        "send_group_100_first",
        "the first one to a group of 100 after a pause",
        partial(_send_group_first, others=99),
    ),
    Pattern("send_draft", "a message that was saved as a draft before", _send_draft),
    Pattern("system_message", "a service's system message", partial(_serviced, do=_notice)),
    Pattern("set_status", "a service confirms a booking of two", partial(_serviced, do=_confirm)),
    Pattern("read_all", "mark 10 threads as read", _read_all),
    Pattern("edit", "edit a message", _edit),
    Pattern("delete", "delete a message", _delete),
    Pattern("react", "add or remove a reaction", _react),
    Pattern(
        "read_running",
        "mark read in an active thread",
        partial(_mine, do=partial(read.mark_read, seq=2)),
    ),
    Pattern("read_after_pause", "mark read, an hour later", _read_after_pause),
    Pattern(
        "read_group_100",
        "mark read in a group of 100, an hour later",
        partial(_read_group, others=99),
    ),
    Pattern("delivered", "mark delivered", partial(_mine, do=partial(read.mark_delivered, seq=2))),
    Pattern("unread", "mark unread", partial(_mine, do=read.mark_unread)),
    Pattern("pin", "pin or unpin", partial(_mine, do=partial(row_settings.pin, pinned=True))),
    Pattern(
        "mute",
        "mute or unmute",
        partial(_mine, do=partial(row_settings.mute, until_ms=4_200_000_000_123)),
    ),
    Pattern(
        "archive",
        "archive or restore",
        partial(_mine, do=partial(row_settings.archive, archived=True)),
    ),
    Pattern(
        "hide",
        "hide or restore",
        partial(
            _mine,
            do=partial(row_settings.change_row, settings=row_settings.RowChanges(hidden=True)),
        ),
    ),
    Pattern(
        "draft_save", "save a draft", partial(_mine, do=partial(draft.save_draft, body="Dear Ben"))
    ),
    Pattern("draft_again", "save it again", _draft_again),
    Pattern("draft_read", "read a draft", _draft_read),
)
