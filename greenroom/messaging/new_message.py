"""Builds a message, and the thread's head with that message in its log."""

from msgspec.structs import replace

from greenroom.files.models import SHOW, Attachment
from greenroom.ids import UserId
from greenroom.messaging import items, rules
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import BuiltInEvent, Member, Message, MessageKind, Thread, score
from greenroom.messaging.outgoing import Outgoing
from greenroom.messaging.records import MESSAGING
from greenroom.safety.verdict import Allow, Judged
from greenroom.store.base import Put
from greenroom.store.expressions import F

_PREVIEW_BYTES = 120
MAX_PREVIEW = _PREVIEW_BYTES + 1  # with the ellipsis
_NO_REMARKS = Allow()
_IS_NEW = F("pk").absent()


def text_message(
    messaging: Messaging,
    author: UserId,
    head: Thread,
    ms: int,
    outgoing: Outgoing,
    verdict: Judged,
    mentions: tuple[UserId, ...],
    attachments: tuple[Attachment, ...] = (),
) -> Message:
    """The thread's next message."""
    message = Message(
        thread=head.id,
        id=messaging.ids.message(ms),
        seq=head.last_seq + 1,
        ms=ms,
        shown_ms=shown_ms(messaging, ms),
        kind=MessageKind.ASSET if attachments else MessageKind.TEXT,
        author=author,
        body=outgoing.body,
        mentions=mentions,
        reply_to=outgoing.reply_to,
        metadata=outgoing.metadata,
        attachments=attachments,
        band=largest_band(attachments) if attachments else SHOW,
    )
    return with_verdict(message, verdict)


def largest_band(attachments: tuple[Attachment, ...]) -> int:
    return max([one.band for one in attachments], default=SHOW)


def system_message(
    messaging: Messaging, thread: Thread, actor: UserId, ms: int, event: BuiltInEvent, *about: str
) -> Message:
    return Message(
        thread=thread.id,
        id=messaging.ids.message(ms),
        seq=thread.last_seq + 1,
        ms=ms,
        shown_ms=shown_ms(messaging, ms),
        kind=MessageKind.SYSTEM,
        author=actor,
        event=event,
        about=about,
    )


def with_verdict(message: Message, verdict: Judged) -> Message:
    """Marks the message with the policy's remarks on its text."""
    if verdict == _NO_REMARKS:
        return message
    return replace(
        message,
        policy_tags=tuple(verdict.policy_tags),
        policy_hints=tuple(verdict.policy_hints),
        spam_score=score(verdict.spam_score),
        moderation="flagged" if verdict.policy_tags else "clean",
    )


def with_message(thread: Thread, message: Message, author: Member | None = None) -> Thread:
    """The head with the message in its log. Sending marks everything before it as read by its
    author; a system message does so only where its author (`author`) had read everything."""
    status, awaiting = thread.status, thread.awaiting
    reads = True
    if message.kind is MessageKind.SYSTEM:
        reads = author is not None and rules.unread_of(thread, author) == 0
    else:
        status, awaiting = rules.after_message(thread, message.author)
    members = dict(thread.members)
    if reads and message.author in members:
        members[message.author] = replace(members[message.author], sent=message.seq)
    return replace(
        thread,
        members=members,
        gates=rules.with_last_previews(thread) if thread.gates else thread.gates,
        status=status,
        awaiting=awaiting,
        last_seq=message.seq,
        last_ms=message.ms,
        shown_ms=message.shown_ms,
        last_sender=message.author,
        preview=preview_of(message),
        preview_event=(message.event or "") if message.kind is MessageKind.SYSTEM else "",
    )


def preview_of(message: Message) -> str:
    """How it begins; the name of its first file where it has no text."""
    body = message.body or _named(message.attachments)
    if len(body) <= _PREVIEW_BYTES and body.isascii() and body.isprintable() and "  " not in body:
        return body.strip()
    return _shortened(" ".join(body.split()), _PREVIEW_BYTES)


def _named(attachments: tuple[Attachment, ...]) -> str:
    """`photo.jpg +2`."""
    if not attachments:
        return ""
    others = f" +{len(attachments) - 1}" if len(attachments) > 1 else ""
    ellipsis_bytes = 3
    return _shortened(attachments[0].name, _PREVIEW_BYTES - len(others) - ellipsis_bytes) + others


def _shortened(flat: str, most_bytes: int) -> str:
    """In bytes: the head has to fit into 1 KB."""
    raw = flat.encode()
    if len(raw) <= most_bytes:
        return flat
    return raw[:most_bytes].decode(errors="ignore").rstrip() + "…"


def shown_ms(messaging: Messaging, ms: int) -> int:
    """Now, where the message's own time lies in the future, as it does after the clock was set
    back: times within a thread only go up. Otherwise 0."""
    now_ms = messaging.clock.now_ms()
    return now_ms if ms > now_ms + rules.AHEAD_MS else 0


def message_op(message: Message) -> Put:
    return Put(MESSAGING, items.message_item(message), _IS_NEW)
