"""Renders threads and messages for the API. Times are ISO strings in UTC.

Careful: a thread is always rendered for one participant. It must not show another participant's
gate, or values that change when somebody else acts privately (the head's version, `changed_ms`).
"""

from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any, Literal, TypeAlias

from litestar import Response
from msgspec import UNSET, Raw, Struct, UnsetType, json

from greenroom import metadata
from greenroom.api.messaging.attachment_shapes import Attachment, attachment_shapes
from greenroom.api.people.shapes import Picture, picture_shape
from greenroom.bookings.card_view import CardView
from greenroom.bookings.project_snapshot import ProjectSnapshot
from greenroom.clock import iso
from greenroom.ids import MessageId, RequestId, ThreadId, UserId
from greenroom.messaging import Messaging, history, models, rules, text
from greenroom.messaging.access import ThreadView
from greenroom.messaging.models import (
    Folder,
    GateStatus,
    Kind,
    MessageKind,
    Role,
    ServiceRole,
    Status,
)
from greenroom.messaging.outgoing import (
    Canceled,
    Failed,
    Held,
    Outcome,
    Rejected,
    Sent,
    Waiting,
)
from greenroom.messaging.panel.access import shows_panel
from greenroom.messaging.thread import ThreadDetails
from greenroom.safety.verdict import HINTS, PolicyHint, PolicyTag

_encode = json.Encoder().encode


class ParticipantSummary(Struct, rename="camel"):
    user_id: UserId
    role: Role
    service_role: ServiceRole | None


class Participant(ParticipantSummary, rename="camel"):
    last_read_seq: int
    last_delivered_seq: int
    last_read_at: str | None


class Request(Struct, rename="camel"):
    """A request to a stranger that waits for an answer. Its sender sees only its status."""

    request_id: RequestId
    sender_user_id: UserId
    target_user_id: UserId
    status: GateStatus
    reason: PolicyTag | None
    expires_at: str | None
    max_messages: int


class Mine(Struct, rename="camel"):
    """The caller's own settings of a conversation."""

    folder: Folder
    unread: int
    last_read_seq: int
    pinned: bool
    muted_until: str | None
    archived: bool
    spam: bool
    has_draft: bool
    hidden: bool
    """In the folder `hidden` only, until the next message."""


class _Head(Struct, rename="camel"):
    thread_id: ThreadId
    kind: Kind
    status: Status
    subject: str | None
    opened_by_user_id: UserId
    created_at: str
    booking_id: str | None
    leg_id: str | None
    lbg_id: str | None
    city: str | None
    safe_mode_required: bool
    picture: Picture | None
    panel_versions: dict[str, int] | None
    """Null where the conversation has no project panel."""
    project_snapshot: ProjectSnapshot | None
    """Null where nothing is booked."""
    awaiting_user_ids: list[UserId]
    last_seq: int
    last_message_at: str | None
    last_author_user_id: UserId | None
    preview: str
    preview_event: str | None
    requests: list[Request]
    """The requests that you sent, and the one that waits for you. Accepted requests are not
    listed."""
    mine: Mine
    metadata: dict[str, Any]
    """The integrator's own JSON object; empty if there is none."""


class ThreadRow(_Head, rename="camel"):
    """A conversation in a list."""

    participants: list[ParticipantSummary]


class Thread(_Head, rename="camel"):
    participants: list[Participant]


class Message(Struct, rename="camel"):
    message_id: MessageId
    thread_id: ThreadId
    seq: int
    kind: MessageKind
    author_user_id: UserId
    created_at: str
    body: str
    mentions: tuple[UserId, ...]
    reply_to_message_id: MessageId | None
    event: str | None
    about: tuple[str, ...]
    reactions: dict[str, tuple[UserId, ...]]
    band: int
    edited_at: str | None
    deleted_at: str | None
    deleted_by_user_id: UserId | None
    policy_hints: tuple[PolicyHint, ...]
    version: int
    metadata: dict[str, Any] | UnsetType = UNSET
    """The integrator's own JSON object, if the message has one."""
    attachments: tuple[Attachment, ...] | UnsetType = UNSET
    """Its files, if it has any."""
    seen_by: tuple[UserId, ...] | UnsetType = UNSET
    """Not in responses to writes."""
    card: CardView | UnsetType = UNSET
    """Of a message of kind `card`: its card, as it is now."""


class MessagePage(Struct, rename="camel"):
    messages: list[Message]
    """Ordered by `seq`, in either direction of reading."""
    has_before: bool
    has_after: bool


class Hint(Struct, rename="camel"):
    code: PolicyHint
    text: str


SendingStatus: TypeAlias = Literal["sent", "held", "rejected", "waiting", "failed", "canceled"]


class Sending(Struct, rename="camel"):
    """The result of sending a message: `sent`; `held` while it waits for a moderator, or `rejected`
    by one; `waiting` for its files, `failed` if it could not be sent then, or `canceled`. Only a
    sent one has a `message`."""

    status: SendingStatus
    client_message_id: str
    message: Message | None
    hints: list[Hint]
    reason: str | None = None
    """If it was rejected: the moderator's reason. If it has failed: why."""
    warned: bool = False
    """If it was rejected: whether its sender was warned."""


class HeldChange(Struct, rename="camel"):
    """An edit or a new name that waits for a moderator. The old one stays until it is released."""

    status: Literal["held"] = "held"


def thread_row(view: ThreadView, now_ms: int) -> ThreadRow:
    shown, order = rules.shown_members(view.thread), rules.in_order(view.thread)
    people = {user: shown[user] for user in order}
    return ThreadRow(**_head(view, now_ms), participants=participant_summaries(people))


def participant_summaries(
    people: Mapping[UserId, models.MemberSummary],
) -> list[ParticipantSummary]:
    return [ParticipantSummary(user, one.role, one.service_role) for user, one in people.items()]


def thread(details: ThreadDetails, now_ms: int) -> Thread:
    members = {member.user: member for member in details.members}
    order = [user for user in rules.in_order(details.view.thread) if user in members]
    participants = [_participant(members[user]) for user in order]
    return Thread(**_head(details.view, now_ms), participants=participants)


def mine(view: ThreadView, now_ms: int) -> Mine:
    row_state = rules.row_state(view.thread, view.mine, now_ms)
    return Mine(
        folder=row_state.folder or Folder.OTHER,
        unread=row_state.unread,
        last_read_seq=rules.read_of(view.thread, view.mine),
        pinned=view.mine.pinned,
        muted_until=iso(view.mine.muted_until_ms) if row_state.muted else None,
        archived=row_state.folder is Folder.ARCHIVED,
        spam=view.mine.spam,
        has_draft=view.mine.has_draft,
        hidden=row_state.folder is Folder.HIDDEN,
    )


def message(
    message: models.Message, viewer: UserId, details: ThreadDetails | None = None
) -> Message:
    """With a view, it includes who has seen the message."""
    if details is None:
        return _message(message, viewer, UNSET)
    return messages((message,), viewer, details)[0]


def rendered(message: models.Message, viewer: UserId) -> Message:
    """Like `message`, but as encoded JSON that the event and the response share."""
    if message.policy_hints:  # only the author may see them
        return _message(message, viewer, UNSET)
    ready: Any = Raw(_begun(message) + b"}")
    return ready  # type: ignore[no-any-return]


def messages(
    messages: Iterable[models.Message], viewer: UserId, details: ThreadDetails
) -> list[Message]:
    seen = history.Seen(details.view.thread, details.members)
    return [_message(message, viewer, seen.by(message)) for message in messages]


def page(found: history.History) -> MessagePage:
    """A page with messages as cached JSON: only `seenBy` differs from one reader to another."""
    viewer, seen = found.view.mine.user, history.Seen(found.view.thread, found.members)
    ends: dict[tuple[UserId, ...], bytes] = {}
    shown: list[Any] = []
    for message in found.messages:
        by = seen.by(message)
        if message.policy_hints:  # only the author may see them
            shown.append(_message(message, viewer, by))
            continue
        end = ends.get(by)
        if end is None:
            end = ends[by] = b',"seenBy":' + _encode(by) + b"}"
        shown.append(Raw(_begun(message) + end))
    return MessagePage(shown, found.has_before, found.has_after)


def _begun(message: models.Message) -> bytes:
    """The cached JSON of a message, without `seenBy` and the closing brace."""
    kept = message.__dict__
    begun: bytes | None = kept.get("json")
    if begun is None:
        begun = kept["json"] = _encode(_message(message, message.author, UNSET))[:-1]
    return begun


def _message(
    message: models.Message, viewer: UserId, seen: tuple[UserId, ...] | UnsetType
) -> Message:
    """Passes fields by position, which is twice as fast as by name. Every message is rendered
    twice."""
    return Message(
        message.id,
        message.thread,
        message.seq,
        message.kind,
        message.author,
        iso(message.sent_ms),
        message.body,
        message.mentions,
        message.reply_to,
        message.event,
        message.about,
        message.reactions,
        message.band,
        None if message.edited_ms is None else iso(message.edited_ms),
        None if message.deleted_ms is None else iso(message.deleted_ms),
        message.deleted_by,
        _hints(message) if message.author == viewer else (),
        message.version,
        UNSET if message.metadata is None else metadata.to_json(message.metadata),
        attachment_shapes(message.attachments) if message.attachments else UNSET,
        seen,
        UNSET if message.card is None else card_shape(message.card),
    )


def card_shape(view: str) -> CardView:
    """The view as it was written: JSON, which is sent as it is."""
    ready: Any = Raw(view.encode())
    return ready  # type: ignore[no-any-return]


def _snapshot(snapshot: str | None) -> ProjectSnapshot | None:
    """As it was written: JSON, which is sent as it is."""
    ready: Any = None if snapshot is None else Raw(snapshot.encode())
    return ready  # type: ignore[no-any-return]


def _hints(message: models.Message) -> tuple[PolicyHint, ...]:
    return tuple(map(PolicyHint, message.policy_hints)) if message.policy_hints else ()


def client_id_of(messaging: Messaging, idempotency_key: str | None) -> str:
    """The client message id for a message sent without one. A key may have any characters, so it is
    hashed."""
    if idempotency_key is None:
        return messaging.ids.request()
    if text.is_client_id(idempotency_key):
        return idempotency_key
    return "key:" + blake2b(idempotency_key.encode(), digest_size=24).hexdigest()


_STATUSES: Mapping[type[Outcome], SendingStatus] = {
    Held: "held",
    Waiting: "waiting",
    Failed: "failed",
    Canceled: "canceled",
}


def sending(outcome: Outcome, client_id: str, viewer: UserId) -> Sending:
    if isinstance(outcome, Rejected):
        return Sending("rejected", client_id, None, [], outcome.reason or None, outcome.warned)
    if not isinstance(outcome, Sent):
        reason = outcome.detail if isinstance(outcome, Failed) else None
        return Sending(_STATUSES[type(outcome)], client_id, None, [], reason)
    hints = [Hint(hint, HINTS[hint]) for hint in map(PolicyHint, outcome.hints)]
    return Sending("sent", client_id, rendered(outcome.message, viewer), hints)


def held_change() -> Response[Any]:
    return Response(HeldChange(), status_code=202)


def _head(view: ThreadView, now_ms: int) -> dict[str, Any]:
    head = view.thread
    return {
        "thread_id": head.id,
        "kind": head.kind,
        "status": head.status,
        "subject": head.subject,
        "opened_by_user_id": head.opened_by,
        "created_at": iso(head.created_ms),
        "booking_id": head.booking_id,
        "leg_id": head.leg_id,
        "lbg_id": head.lbg_id,
        "city": head.city,
        "safe_mode_required": head.safe_mode,
        "project_snapshot": _snapshot(head.project_snapshot),
        "panel_versions": head.panel if shows_panel(head, view.mine.user) else None,
        "picture": picture_shape(head.picture),
        "awaiting_user_ids": list(rules.awaited(head)),
        "last_seq": head.last_seq,
        "last_message_at": _moment(head.shown_ms or head.last_ms or None),
        "last_author_user_id": head.last_sender,
        "preview": head.preview,
        "preview_event": head.preview_event or None,
        "requests": _requests(head, view.mine.user, now_ms),
        "mine": mine(view, now_ms),
        "metadata": metadata.to_json(view.metadata),
    }


def _requests(head: models.Thread, viewer: UserId, now_ms: int) -> list[Request]:
    return [
        _waiting(gate, target, now_ms) if target == viewer else _sent(gate, target, now_ms)
        for target, gate in sorted(head.gates.items())
        if target == viewer or (gate.sender == viewer and gate.away is None)
    ]


def _waiting(gate: models.Gate, target: UserId, now_ms: int) -> Request:
    status = rules.gate_status(gate, now_ms)
    reason = None if gate.reason is None else PolicyTag(gate.reason)
    return Request(gate.id, gate.sender, target, status, reason, iso(gate.expires_ms), gate.size)


def _sent(gate: models.Gate, target: UserId, now_ms: int) -> Request:
    status = rules.gate_as_sender_sees(gate, now_ms)
    return Request(gate.id, gate.sender, target, status, None, None, gate.size)


def _participant(member: models.Member) -> Participant:
    return Participant(
        user_id=member.user,
        role=member.role,
        service_role=member.service_role,
        last_read_seq=member.read_seq,
        last_delivered_seq=member.delivered_seq,
        last_read_at=_moment(member.read_ms or None),
    )


def _moment(ms: int | None) -> str | None:
    return None if ms is None else iso(ms)
