"""The events of messaging, which are published after the commit, and who receives each.

An event says no more than a reload would show to every receiver. `audience` is the one place that
decides. Careful: across a gate nobody receives receipts; people who closed a request receive
nothing; people who joined late receive nothing about older messages.
"""

from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct

from greenroom.ids import MessageId, RequestId, UserId
from greenroom.messaging import rules
from greenroom.messaging.models import (
    Gate,
    GateStatus,
    Message,
    ScheduledMessage,
    Thread,
    WaitingMessage,
)
from greenroom.messaging.panel.models import EditingPlace, LogEntry, Tab
from greenroom.people.models import Person


class MessageEvent(Struct, frozen=True):
    """A message, as it is now."""

    message: Message
    before: Message | None = None
    """As it was before it changed."""


class MessageCreated(MessageEvent, frozen=True):
    pass


class MessageEdited(MessageEvent, frozen=True):
    pass


class MessageDeleted(MessageEvent, frozen=True):
    pass


class ReactionChanged(MessageEvent, frozen=True):
    pass


class ReceiptMoved(Struct, frozen=True):
    user: UserId
    read_seq: int
    delivered_seq: int


class TypingChanged(Struct, frozen=True):
    user: UserId
    until_ms: int
    """0 when it has ended."""
    shown_to: tuple[UserId, ...]


class PresenceChanged(Struct, frozen=True):
    user: UserId
    until_ms: int
    """0 when the user has gone."""
    shown_to: tuple[UserId, ...]


class PanelEditing(Struct, frozen=True):
    """Somebody edits something in the project panel, or looks at one of its tabs."""

    user: UserId
    place: EditingPlace | None
    """None when they have left the panel."""
    until_ms: int
    shown_to: tuple[UserId, ...]


class PanelUpdated(Struct, frozen=True):
    """A tab of the project panel changed."""

    tab: Tab
    version: int
    entry: LogEntry | None
    """The edit that changed it; None where the tab is to be loaded again."""


class ThreadUpdated(Struct, frozen=True):
    """Opened, named, locked, or its picture or participants changed."""


class InboxChanged(Struct, frozen=True):
    """A user's own row changed (pinned, muted, filed, marked, a draft), or is gone."""

    user: UserId
    gone: bool = False


class PersonUpdated(Struct, frozen=True):
    """A person's names or avatar changed. Belongs to no thread, so it has its own publisher."""

    person: Person
    shown_to: tuple[UserId, ...]


class ScheduledChanged(Struct, frozen=True):
    """A scheduled message was created, changed, sent or canceled, or could not be sent. Only its
    author learns of it."""

    scheduled: ScheduledMessage
    message: MessageId | None = None
    """The message that it became."""


class WaitingChanged(Struct, frozen=True):
    """A message began to wait for its files, was sent or canceled, or could not be sent. Only its
    author learns of it."""

    waiting: WaitingMessage
    message: MessageId | None = None
    """The message that it became."""


class RequestChanged(Struct, frozen=True):
    """A request has come in, or was answered."""

    request: RequestId
    target: UserId
    sender: UserId
    status: GateStatus
    silent: bool = False
    """The sender must not learn of the request, nor of its answer."""
    closed: bool = False
    """The target had closed it before it expired, and is not told again."""


EphemeralEvent: TypeAlias = TypingChanged | PresenceChanged | PanelEditing
"""Sent only to users who have the thread on screen."""
Event: TypeAlias = (
    MessageCreated
    | MessageEdited
    | MessageDeleted
    | ReactionChanged
    | ReceiptMoved
    | EphemeralEvent
    | PanelUpdated
    | ThreadUpdated
    | InboxChanged
    | RequestChanged
)

Publish: TypeAlias = Callable[[Thread, Event], None]
"""Publishes an event, with the thread as it is now. Neither blocks nor fails."""


PersonPublisher: TypeAlias = Callable[[PersonUpdated], None]
"""Publishes a person's new names. Neither blocks nor fails."""


ScheduledPublisher: TypeAlias = Callable[[ScheduledChanged], None]
"""Publishes a change of a scheduled message to its author. Neither blocks nor fails."""


WaitingPublisher: TypeAlias = Callable[[WaitingChanged], None]
"""Publishes a change of a waiting message to its author. Neither blocks nor fails."""


def unpublished(_: PersonUpdated | ScheduledChanged | WaitingChanged) -> None:
    """Where there are no subscribers."""


def discard(_: Thread, __: Event) -> None:
    """Where there are no subscribers."""


def audience(thread: Thread, event: Event, now_ms: int) -> tuple[UserId, ...]:
    if isinstance(event, MessageEvent):
        return _message_audience(event.message, thread, now_ms)
    match event:
        case InboxChanged(user):
            return (user,)
        case (
            TypingChanged(shown_to=shown)
            | PresenceChanged(shown_to=shown)
            | PanelEditing(shown_to=shown)
        ):
            return shown
        case PanelUpdated():
            return tuple(user for user in thread.members if rules.has_accepted(thread, user))
        case RequestChanged():
            return _request_audience(thread, event, now_ms)
        case ReceiptMoved(user):
            return tuple(
                other
                for other in _audience(thread, now_ms)
                if other == user
                or (
                    rules.sees_receipts(thread, other, user)
                    and len(thread.members) <= rules.MAX_RECEIPT_GROUP
                )
            )
        case ThreadUpdated():
            return _audience(thread, now_ms)


def _request_audience(thread: Thread, event: RequestChanged, now_ms: int) -> tuple[UserId, ...]:
    """The sender learns of an acceptance and of the expiry only."""
    if event.status is GateStatus.EXPIRED:
        target = () if event.closed else (event.target,)
        knows = not event.silent and rules.has_access(thread, event.sender, now_ms)
        return (*target, event.sender) if knows else target
    if event.status is not GateStatus.ACCEPTED or event.silent:
        return (event.target,)
    only_looks_so = event.target in thread.gates
    return (event.sender,) if only_looks_so else (event.target, event.sender)


def _message_audience(message: Message, thread: Thread, now_ms: int) -> tuple[UserId, ...]:
    seq, members = message.seq, thread.members
    if not thread.gates:
        return tuple(
            [
                user
                for user, member in members.items()
                if member.joined < seq and (not member.missed or rules.reached(thread, user, seq))
            ]
        )
    return tuple(user for user in _audience(thread, now_ms) if rules.shows(thread, user, seq))


def _audience(thread: Thread, now_ms: int) -> tuple[UserId, ...]:
    """Everybody in the thread but those who closed the request, or have not got it yet."""
    return tuple(
        user
        for user in thread.members
        if not thread.gates
        or (rules.has_access(thread, user, now_ms) and not rules.is_empty_request(thread, user))
    )


def events_from_diff(before: Thread, after: Thread) -> tuple[Event, ...]:
    """The events that follow from a change of the head: of participants and of requests."""
    if _differs_by_messages(before, after):
        return ()
    events: list[Event] = []
    if before.members is not after.members and before.members.keys() != after.members.keys():
        gone = before.members.keys() - after.members.keys()
        events += [InboxChanged(user, gone=True) for user in gone]
    if _shown(before) != _shown(after) or _is_accepted(before, after):
        events.append(ThreadUpdated())
    if before.gates is not after.gates or before.last_seq != after.last_seq:
        events += _of_gates(before, after)
    return tuple(events)


def still_holds(thread: Thread, event: Event) -> bool:
    """Whether an event can still be published late. A later change has published its own."""
    match event:
        case InboxChanged(user, gone=True):
            return user not in thread.members
        case RequestChanged(request, target, status=status) if status is not GateStatus.ACCEPTED:
            gate = thread.gates.get(target)
            return gate is not None and gate.id == request and gate.status is status
        case _:
            return True


def _differs_by_messages(before: Thread, after: Thread) -> bool:
    """A quick check whether messages are all that others can see of the change."""
    return (
        not (before.gates or after.gates)
        and before.subject == after.subject
        and before.picture is after.picture
        and before.locked_from is after.locked_from
        and before.members.keys() == after.members.keys()
    )


def _shown(thread: Thread) -> tuple[object, ...]:
    """What others see of the thread, apart from messages. A silent leave does not show."""
    locked = thread.locked_from is not None
    return thread.subject, thread.picture, locked, rules.shown_members(thread).keys()


def _is_accepted(before: Thread, after: Thread) -> bool:
    """Whether somebody accepted a request: from now on the others see their receipts."""
    if before.gates is after.gates:
        return False
    return any(
        gate.away is None
        and user in after.members
        and (user not in after.gates or _looks_accepted(gate, after.gates[user]))
        for user, gate in before.gates.items()
    )


def _looks_accepted(was: Gate, now: Gate) -> bool:
    """For everybody but its target."""
    return was.away is None and now.away is not None


def _of_gates(before: Thread, after: Thread) -> list[Event]:
    events: list[Event] = []
    for target in sorted(before.gates.keys() | after.gates.keys()):
        was, now = before.gates.get(target), after.gates.get(target)
        if was is not None and now is not None and _looks_accepted(was, now):
            events.append(RequestChanged(was.id, target, was.sender, GateStatus.ACCEPTED))
        elif now is not None and _is_news(before, after, target):
            silent = now.away is not None
            closed = was is not None and rules.is_answered(was)
            events.append(RequestChanged(now.id, target, now.sender, now.status, silent, closed))
        elif was is not None and now is None and target in after.members:
            # Accepted. People who were removed get `InboxChanged` instead.
            silent = was.away is not None
            if not silent or was.status is GateStatus.PENDING:
                accepted = GateStatus.ACCEPTED
                events.append(RequestChanged(was.id, target, was.sender, accepted, silent))
    return events


def _is_news(before: Thread, after: Thread, target: UserId) -> bool:
    """Whether the gate's request is visible now and was not before, or was answered."""
    was, now = before.gates.get(target), after.gates[target]
    if was is not None and was.id == now.id and was.status is not now.status:
        return True
    shown = was is not None and was.id == now.id and not rules.is_empty_request(before, target)
    shows = now.status is GateStatus.PENDING and not rules.is_empty_request(after, target)
    return shows and not shown
