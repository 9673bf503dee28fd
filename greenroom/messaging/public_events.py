"""Creates the public events of a write in messaging, and reads them from the change feed.

A write puts its events into the head, which every change of a thread writes under its version: so
they are in the order in which they happened, and there once, whatever the feed does with the other
items of the transaction. The next write of the head replaces them.

Careful: they are for operators, and tell what other users must not learn: who declined, blocked or
left silently. They contain ids, never a text.
"""

from collections.abc import Iterator, Sequence

from greenroom.background.public_events import (
    Event,
    EventKind,
    SubjectEvents,
    decode_events,
    encode_events,
)
from greenroom.ids import UserId
from greenroom.messaging import rules
from greenroom.messaging.cards import public_events as cards
from greenroom.messaging.events import (
    Event as LiveEvent,
    MessageCreated,
    MessageDeleted,
    MessageEdited,
    MessageEvent,
    ReactionChanged,
)
from greenroom.messaging.models import BUILT_IN_EVENTS, Gate, GateStatus, Message, Thread
from greenroom.messaging.records import OVERVIEW, PUBLIC_EVENTS, thread_in
from greenroom.people.actor import SYSTEM
from greenroom.store.base import Change

_MESSAGE = ("messageId", "seq")
_REQUEST = ("requestId", "targetUserId")
KINDS = (
    EventKind("thread.created", "A thread was opened, by the actor.", ("kind",)),
    EventKind(
        "thread.updated",
        "The thread changed without a system message: `fields` lists what.",
        ("fields",),
        is_restored=False,
    ),
    EventKind(
        "message.created",
        "A message is in the thread: sent, or released by a moderator. `event` is what a system "
        "message tells; it is left out for a text.",
        (*_MESSAGE, "event"),
    ),
    EventKind(
        "message.edited",
        "A message was edited: `fields` has `text`, `metadata` or both; or `attachments`, after "
        "a moderator has set how careful the preview of one must be.",
        (*_MESSAGE, "fields"),
    ),
    EventKind("message.deleted", "A message was deleted, by its author or by staff.", _MESSAGE),
    EventKind(
        "reaction.changed",
        "The actor added a reaction to a message, or took it back (`added` is false).",
        (*_MESSAGE, "emoji", "added"),
        is_restored=False,
    ),
    EventKind("status.changed", "A service set the thread's status.", ("from", "to")),
    EventKind("subject.changed", "The thread was named."),
    EventKind("booking.changed", "The thread's booking, leg or booking group changed."),
    EventKind("thread.locked", "The thread was locked."),
    EventKind("thread.unlocked", "The thread was unlocked."),
    EventKind("participant.added", "Somebody was added to the thread.", ("userId",)),
    EventKind("participant.removed", "Somebody was removed from the thread.", ("userId",)),
    EventKind(
        "participant.left",
        "Somebody left. `silently` says why nobody else in the thread was told: `left` a thread "
        "for two, or `blocked` the other person. Only those without it can be restored.",
        ("userId", "silently"),
    ),
    EventKind(
        "participant.returned",
        "Somebody who had left silently, or had closed a request, is back.",
        ("userId",),
        is_restored=False,
    ),
    EventKind("role.changed", "A participant got another role.", ("userId", "role")),
    EventKind(
        "request.created",
        "A first contact waits for its target. `expiresAtMs` says until when.",
        (*_REQUEST, "expiresAtMs"),
    ),
    EventKind("request.accepted", "The target accepted, or a booking was confirmed.", _REQUEST),
    EventKind("request.declined", "The target declined.", _REQUEST),
    EventKind("request.blocked", "The target blocked the sender.", _REQUEST),
    EventKind("request.expired", "Nobody answered it in time.", _REQUEST),
    EventKind("request.withdrawn", "The sender withdrew it, or removed its target.", _REQUEST),
    *cards.KINDS,
)


def of_write(before: Thread, after: Thread, live: Sequence[LiveEvent], now_ms: int) -> bytes | None:
    """The public events of a change of the head, encoded for it; None where there are none."""
    events: list[Event] = []
    for one in live:
        if isinstance(one, MessageCreated):
            events += message_created(one.message)
        elif isinstance(one, MessageEvent):
            events += _of_message(one, now_ms)
    if before.gates is not after.gates:
        events += _of_gates(before, after, live, now_ms)
    fields = _updated_fields(before, after)
    if fields:
        key = _by_version(after.version)
        events.append(Event("thread.updated", now_ms, SYSTEM, (fields,), key))
    return encode_events(events) if events else None


def _updated_fields(before: Thread, after: Thread) -> list[str]:
    """What has no system message."""
    compared = (
        ("metadata", before.metadata_digest == after.metadata_digest),
        ("picture", before.picture == after.picture),
        ("safeModeRequired", before.safe_mode == after.safe_mode),
    )
    return [name for name, is_same in compared if not is_same]


def of_opening(thread: Thread, live: Sequence[LiveEvent]) -> bytes:
    """The public events of a new thread, with its first message if there is one."""
    at_ms = thread.created_ms
    events = [Event("thread.created", at_ms, thread.opened_by, (thread.kind.value,))]
    for one in live:
        if isinstance(one, MessageEvent):
            events += _of_message(one, at_ms)
    for target, gate in thread.gates.items():
        if gate.id:
            events.append(request_created(target, gate, at_ms))
    return encode_events(events)


def of_change(change: Change) -> SubjectEvents | None:
    if change.key.sort != OVERVIEW or change.new is None:
        return None
    encoded = change.new.get(PUBLIC_EVENTS)
    if not isinstance(encoded, bytes):
        return None
    return SubjectEvents(thread_in(change.key.partition), decode_events(encoded))


def message_created(message: Message) -> list[Event]:
    """A system message of the server's own also is the event that it tells."""
    event, seq, at_ms = message.event, message.seq, message.sent_ms
    if event is None:
        created = Event("message.created", at_ms, message.author, (message.id, seq))
        return [created, *cards.proposed(message)]
    created = Event("message.created", at_ms, message.author, (message.id, seq, event))
    if event not in BUILT_IN_EVENTS:
        return [created]
    return [created, Event(event, at_ms, message.author, _told_by(message), str(seq))]


def _told_by(message: Message) -> tuple[str, ...]:
    match message.event:
        case "participant.left":
            return (message.author,)
        case "subject.changed":
            return ()  # it is a text
    of_card = cards.told_by(message)
    return message.about if of_card is None else of_card


def text_edited(message: Message, at_ms: int, *also: str) -> Event:
    """By the time of the edit, which the message's history keeps."""
    values = (message.id, message.seq, ["text", *also])
    return Event("message.edited", at_ms, message.author, values, str(at_ms))


def message_deleted(message: Message) -> Event:
    by, at_ms = message.deleted_by or message.author, message.deleted_ms or 0
    return Event("message.deleted", at_ms, by, (message.id, message.seq))


def request_created(target: UserId, gate: Gate, at_ms: int) -> Event:
    values = (gate.id, target, gate.expires_ms)
    return Event("request.created", at_ms, gate.sender, values)


def request_answered(target: UserId, gate: Gate, at_ms: int) -> Event:
    if gate.status is GateStatus.EXPIRED:
        by = SYSTEM
    else:
        by = gate.sender if gate.status is GateStatus.WITHDRAWN else target
    return Event(f"request.{gate.status.value}", at_ms, by, (gate.id, target))


def _of_message(live: MessageEvent, now_ms: int) -> list[Event]:
    message, before = live.message, live.before
    match live:
        case MessageCreated():
            return message_created(message)
        case MessageDeleted():
            return [message_deleted(message)]
        case MessageEdited() if before is not None and message.card != before.card:
            return []  # the event of the card's step tells it
        case MessageEdited() if before is not None:
            return [_edited(message, before, now_ms)]
        case ReactionChanged() if before is not None:
            return list(_reactions(message, before, now_ms))
    return []


def _edited(message: Message, before: Message, now_ms: int) -> Event:
    also = [] if message.metadata == before.metadata else ["metadata"]
    if message.attachments != before.attachments:  # a moderator set the band of one
        values, key = (message.id, message.seq, ["attachments"]), _by_version(message.version)
        return Event("message.edited", now_ms, SYSTEM, values, key)
    if message.edited_ms is not None and message.edited_ms != before.edited_ms:
        return text_edited(message, message.edited_ms, *also)
    values, key = (message.id, message.seq, also), _by_version(message.version)
    return Event("message.edited", now_ms, message.author, values, key)


def _reactions(message: Message, before: Message, now_ms: int) -> Iterator[Event]:
    key = _by_version(message.version)
    for emoji in sorted(message.reactions.keys() | before.reactions.keys()):
        was, now = set(before.reactions.get(emoji, ())), set(message.reactions.get(emoji, ()))
        for user in sorted(was ^ now):
            values = (message.id, message.seq, emoji, user in now)
            yield Event("reaction.changed", now_ms, user, values, key)


def _of_gates(
    before: Thread, after: Thread, live: Sequence[LiveEvent], now_ms: int
) -> Iterator[Event]:
    for target in {**before.gates, **after.gates}:
        was, now = before.gates.get(target), after.gates.get(target)
        if now is not None and (was is None or was.id != now.id):
            if now.id:
                yield request_created(target, now, now_ms)
            elif was is None and target in before.members:
                yield _left_silently(target, now, after.version, now_ms)
        elif was is not None and now is not None and was.status is not now.status:
            if not (now.status is GateStatus.EXPIRED and rules.is_answered(was)):
                yield request_answered(target, now, now_ms)
        elif was is not None and now is None:
            yield from _of_removed_gate(before, after, target, was, live, now_ms)


def _left_silently(user: UserId, gate: Gate, version: int, now_ms: int) -> Event:
    why = "blocked" if gate.status is GateStatus.BLOCKED else "left"
    return Event("participant.left", now_ms, user, (user, why), _by_version(version))


def _of_removed_gate(
    before: Thread,
    after: Thread,
    target: UserId,
    was: Gate,
    live: Sequence[LiveEvent],
    now_ms: int,
) -> Iterator[Event]:
    waited = bool(was.id) and rules.gate_status(was, now_ms) is GateStatus.PENDING
    if target not in after.members:
        if waited:
            by = _remover(live, target) or was.sender
            yield Event("request.withdrawn", now_ms, by, (was.id, target))
    elif waited:
        booked = rules.is_booked(after) and not rules.is_booked(before)
        by = SYSTEM if booked else target
        yield Event("request.accepted", now_ms, by, (was.id, target))
    else:
        key = _by_version(after.version)
        yield Event("participant.returned", now_ms, target, (target,), key)


def _remover(live: Sequence[LiveEvent], target: UserId) -> UserId | None:
    for one in live:
        if isinstance(one, MessageCreated) and one.message.about == (target,):
            return one.message.author
    return None


def _by_version(version: int) -> str:
    return f"v{version}"
