"""Changes the text of a message, or the caption of its files. Earlier texts stay in its history.

A text that would be held if it were sent is held as an edit too: the old one stays until a
moderator releases it. Metadata that comes with a text is written together with it, and is dropped
where the text is refused or held.
"""

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from greenroom.ids import MessageId, ThreadId, UserId
from greenroom.messaging import access, text
from greenroom.messaging.change import change_message, check_version
from greenroom.messaging.characters import too_long
from greenroom.messaging.context import Messaging
from greenroom.messaging.edit_metadata import with_metadata
from greenroom.messaging.events import MessageEdited
from greenroom.messaging.hold_change import HeldChange, hold_edit
from greenroom.messaging.mentions import mentions_in
from greenroom.messaging.models import Edit, Message, MessageKind
from greenroom.messaging.moderate import check_text
from greenroom.messaging.new_message import with_verdict
from greenroom.messaging.outgoing import written_text
from greenroom.messaging.policy import BURST, MESSAGES
from greenroom.messaging.problems import InvalidText, MessageNotFound, NotYours
from greenroom.messaging.send_checks import check_is_open, check_may_send
from greenroom.people.actor import Actor
from greenroom.safety.verdict import Allow, Hold, Judged

MAX_EDITS = 50
EDITABLE = frozenset({MessageKind.TEXT, MessageKind.ASSET})


async def edit(
    messaging: Messaging,
    actor: Actor,
    thread_id: ThreadId,
    message_id: MessageId,
    body: str,
    *,
    metadata: str | UnsetType | None = UNSET,
    version: int | None = None,
) -> Message | HeldChange:
    text.check_length(body)
    view = await access.thread(messaging, actor, thread_id)
    message = await access.message(messaging, view, message_id)
    if message.author != actor.user:
        raise NotYours
    now_ms = messaging.clock.now_ms()
    check_is_open(view.thread, actor.user, now_ms)
    await messaging.safety.limits.spend(actor.user, MESSAGES, BURST)
    may_be_empty = message.kind is MessageKind.ASSET
    cleaned = text.clean_or_empty(body) if may_be_empty else text.clean(body)
    check_may_send(view.thread, actor.user, cleaned, now_ms, seq=message.seq)
    written = written_text(cleaned, [one.alt for one in message.attachments]) if cleaned else ""
    if len(written) > text.MAX_TEXT:
        raise too_long(text.MAX_TEXT)
    verdict = await check_text(messaging, actor, view.thread, written) if written else Allow()
    if isinstance(verdict, Hold):
        check_version(message, version)
        if edited(message, cleaned, (), verdict, now_ms) is not message:
            return await hold_edit(messaging, actor.user, message, cleaned, verdict)
    mentions = await mentions_in(messaging, view.thread, cleaned)

    def changed(found: Message, now_ms: int) -> Message:
        if not isinstance(verdict, Hold):
            found = edited(found, cleaned, mentions, verdict, now_ms)
        return with_metadata(found, metadata)

    return await change_message(messaging, view, message, changed, MessageEdited, version=version)


def edited(
    found: Message, body: str, mentions: tuple[UserId, ...], verdict: Judged, now_ms: int
) -> Message:
    if found.kind not in EDITABLE or found.deleted_ms is not None:
        raise MessageNotFound
    if found.body == body:
        return found
    if len(found.edits) >= MAX_EDITS:
        raise InvalidText(f"a message can be edited at most {MAX_EDITS} times")
    now_ms = max(now_ms, (found.edited_ms or 0) + 1)  # the time identifies the edit
    edits = (*found.edits, Edit(found.body, now_ms))
    after = replace(found, body=body, mentions=mentions, edits=edits, edited_ms=now_ms)
    return with_verdict(after, verdict)
