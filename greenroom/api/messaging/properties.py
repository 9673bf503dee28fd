"""Descriptions and lengths of the properties of messaging."""

from collections.abc import Mapping

from greenroom.api.openapi.property import (
    Property,
    described,
    id_property,
    text_property,
    time_property,
)
from greenroom.errors import MAX_CODE, MAX_DETAIL
from greenroom.files.models import MAX_MIME, MAX_THUMBHASH, MAX_URL, MAX_WAVEFORM
from greenroom.files.names import MAX_NAME
from greenroom.messaging.draft import MAX_DRAFT
from greenroom.messaging.new_message import MAX_PREVIEW
from greenroom.messaging.post_system import MAX_EVENT
from greenroom.messaging.text import CLIENT_ID, LINKED_ID, MAX_ALT, MAX_SUBJECT, MAX_TEXT
from greenroom.safety.decide import MAX_REASON
from greenroom.safety.verdict import MAX_HINT

_NEW_TEXT = Property("The text, as it was typed.", max_length=MAX_TEXT, min_length=1)

PROPERTIES: Mapping[str, Property] = {
    "attachments": described("Its files."),
    "Attachment.kind": described(
        "`preview` for a file, `manifest` for the record of one that is kept elsewhere."
    ),
    "fileId": id_property("The file's id."),
    "manifestId": id_property("The manifest's id."),
    "Attachment.name": text_property("The file's name.", MAX_NAME),
    "mime": text_property("The media type, found from the content.", MAX_MIME),
    "Attachment.size": described("In bytes."),
    "media": described("What the file shows, found from its content."),
    "w": described("The width in pixels; 0 if it has none."),
    "h": described("The height in pixels; 0 if it has none."),
    "thumbhash": text_property(
        "Base64 of a ThumbHash: about 25 bytes that show the picture's colours until it is "
        "loaded. Empty if there is no preview.",
        MAX_THUMBHASH,
    ),
    "durationMs": described("The length of a video or a sound, in milliseconds; otherwise 0."),
    "waveform": text_property(
        "Base64 of 64 loudness values of a sound, one byte each; otherwise empty.", MAX_WAVEFORM
    ),
    "pages": described("The pages of a PDF; otherwise 0."),
    "alt": text_property("A description for those who cannot see it.", MAX_ALT),
    "rated": described("Whether `band` comes from the model or a moderator."),
    "scan": described("What the virus scanner said."),
    "Attachment.sha256": text_property("Of a manifest: the SHA-256 of the file.", 64),
    "Attachment.url": text_property("Of a manifest: where the file is.", MAX_URL),
    "WaitingMessage.createdAt": time_property("When it was written."),
    "WaitingMessage.problem": described("Why it could not be sent; null unless it failed."),
    "WaitingProblem.type": text_property(
        "The problem type, as in an error response.", len("/problems/") + MAX_CODE
    ),
    "WaitingProblem.detail": text_property("The reason, for a person to read.", MAX_DETAIL),
    "waitingMessage": described("The message, as it is now."),
    "waitingMessages": described("The messages that wait for their files, the oldest first."),
    "scheduledMessageId": id_property("The scheduled message's id."),
    "scheduledMessage": described("The scheduled message, as it is now."),
    "scheduledMessages": described("The scheduled messages, the next first."),
    "ScheduledMessage.problem": described("Why it could not be sent; null unless it failed."),
    "ScheduledProblem.type": text_property(
        "The problem type, as in an error response.", len("/problems/") + MAX_CODE
    ),
    "ScheduledProblem.detail": text_property("The reason, for a person to read.", MAX_DETAIL),
    "sendAt": time_property("When it is sent."),
    "ScheduledMessage.createdAt": time_property("When it was scheduled."),
    "ScheduledMessageUpdate.body": _NEW_TEXT,
    "NewScheduledMessage.body": _NEW_TEXT,
    "threadId": id_property("The conversation's id."),
    "thread": described("The conversation."),
    "threads": described("The conversations on this page."),
    "NewThread.kind": described("What the conversation is for."),
    "kind": described("What it is."),
    "Message.kind": described(
        "`text`; `asset`, if it has attachments; `card`; or `system` for a message of the server."
    ),
    "Subject.kind": described("What was reported or held: a message, a thread or a person."),
    "status": described("Where it stands."),
    "Sending.status": described(
        "`sent`; `held` while it waits for a moderator, or `rejected` by one; `waiting` for its "
        "files; `failed` or `canceled` while it waited for them."
    ),
    "Health.status": described("`ok` (the process runs) or `ready` (it can serve)."),
    "Request.status": described(
        "The request's status. Its sender sees only `pending`, `expired` or `withdrawn`."
    ),
    "AllRead.marked": described("How many conversations had something unread."),
    "subject": text_property("What the conversation is about, on one line.", MAX_SUBJECT),
    "Case.subject": described("What the case is about."),
    "OwnReport.subject": described("What was reported."),
    "CaseThread.subject": text_property(
        "What the conversation is about, on one line.", MAX_SUBJECT
    ),
    "openedByUserId": id_property("Who opened the conversation."),
    "createdAt": time_property("When it was created."),
    "bookingId": id_property("Your own id of the booking that it belongs to.", LINKED_ID),
    "legId": id_property("The id of the leg (one provider's job) that it belongs to.", LINKED_ID),
    "lbgId": id_property(
        "The booking group's id (`lbg` is short for linked booking group: several legs) that it "
        "belongs to.",
        LINKED_ID,
    ),
    "city": id_property("Where the job takes place."),
    "safeModeRequired": described(
        "Whether previews of sensitive pictures are blurred, whatever the participants prefer."
    ),
    "picture": described("The conversation's picture. A request shows none."),
    "awaitingUserIds": id_property("The people whose reply the conversation waits for."),
    "lastSeq": described("The `seq` of the last message."),
    "lastMessageAt": time_property("When the last message was sent."),
    "lastAuthorUserId": id_property("Who sent the last message."),
    "preview": text_property(
        "The beginning of the last message, with its markup. For files without a text: the name "
        "of the first, and how many others there are, as in `photo.jpg +2`. Empty for a system "
        "message.",
        MAX_PREVIEW,
    ),
    "previewEvent": text_property(
        "What happened last, such as `thread.locked`, if the last message is a system message.",
        MAX_EVENT,
    ),
    "requests": described(
        "Pending requests: those that the caller sent, and the one that the caller received."
    ),
    "participants": described("The people in the conversation."),
    "NewThread.participants": described("The other people. The caller is added automatically."),
    "role": described("The person's role in the conversation."),
    "NewThread.role": described("The caller's own role."),
    "serviceRole": described("The service that the person offers in this conversation, if any."),
    "lastReadSeq": described("The `seq` up to which the person has read."),
    "lastDeliveredSeq": described("The `seq` up to which messages have reached a device."),
    "lastReadAt": time_property("When the person last read."),
    "metadata": described("Your own JSON object, up to 4 KB. Greenroom stores and returns it."),
    "Opened.sent": described("The result of sending the first message, if there was one."),
    "NewThread.message": described(
        "The first message. It is stored together with the conversation."
    ),
    "mine": described("The caller's own side of the conversation."),
    "folder": described("The folder that the conversation is in."),
    "unread": described("How many messages are unread."),
    "Counts.unread": described("The number of unread messages by folder."),
    "badge": described("The number for the badge: unread messages in `all`, without muted ones."),
    "Counts.more": described("Whether counting stopped early: the true numbers may be higher."),
    "counts": described("The unread counts. Only on the first page."),
    "pinned": described("Whether it is pinned to the top of the list."),
    "mutedUntil": time_property("Until when it is muted, and left out of the badge."),
    "archived": described("Whether it is archived. The next message brings it back."),
    "hidden": described("Whether it is hidden. The next message brings it back."),
    "spam": described("Whether it is in the spam folder."),
    "hasDraft": described("Whether there is a draft."),
    "savedAt": time_property("When the draft was saved."),
    "Draft.body": text_property("The draft's text. Empty if there is no draft.", MAX_DRAFT),
    "NewDraft.body": text_property("The draft's text. Empty removes the draft.", MAX_DRAFT),
    "From.seq": described("The first message that counts as unread. Without it, the last message."),
    "UpTo.seq": described("The last message that was read or delivered."),
    "messageId": id_property("The message's id."),
    "message": described("The message."),
    "messages": described("The messages, in the order of their `seq`."),
    "seq": described("The message's position in its conversation: 1, 2, 3 …"),
    "body": text_property("The text, as it was typed.", MAX_TEXT),
    "FirstMessage.body": _NEW_TEXT,
    "MessageUpdate.body": _NEW_TEXT,
    "NewMessage.body": text_property(
        "The text, as it was typed. It may be empty where there are attachments.", MAX_TEXT
    ),
    "NewSystemMessage.body": _NEW_TEXT,
    "Unsent.body": _NEW_TEXT,
    "authorUserId": id_property("Who wrote it."),
    "mentions": id_property("The people whom the text mentions."),
    "replyToMessageId": id_property("The message that it replies to."),
    "event": text_property(
        "Of a system message: what happened, such as `participant.added`.", MAX_EVENT
    ),
    "about": text_property(
        "Of a system message: the people or values that the event is about.", MAX_SUBJECT
    ),
    "reactions": id_property("The people who reacted, by emoji."),
    "band": described("How careful a preview must be: 0 show, 1 blur, 2 hide."),
    "editedAt": time_property("When it was last edited."),
    "edits": described("Earlier versions of the text, oldest first."),
    "Edit.until": time_property("Until when the message had this text."),
    "deletedAt": time_property("When it was deleted."),
    "deletedByUserId": id_property("Who deleted it."),
    "policyHints": described("Hints about the text. Only its author sees them."),
    "version": described("Counts the changes."),
    "seenBy": id_property("The people who have seen it. Not in responses to writes."),
    "clientMessageId": id_property(
        "The client's own id of the message. The same id is the same message. A message that opens "
        "a conversation has none from its client: the server gives it one that begins with "
        "`first:`.",
        CLIENT_ID,
    ),
    "hasBefore": described("Whether there are earlier messages."),
    "hasAfter": described("Whether there are later messages."),
    "hints": described("Hints for the author about the text."),
    "Hint.code": described("The hint's stable name."),
    "Hint.text": text_property("The hint, as a sentence for the author.", MAX_HINT),
    "Preview.verdict": described("What would happen to the text if it were sent."),
    "requestId": id_property("The request's id."),
    "senderUserId": id_property("Who asks."),
    "targetUserId": id_property("Who is asked."),
    "Request.reason": described("Why the recipient should be careful. Only the recipient sees it."),
    "expiresAt": time_property("When it expires."),
    "maxMessages": described("How many messages the sender can write before it is accepted."),
    "gone": id_property("The conversations that have left the inbox."),
    "truncated": described("Whether there are more changes: read the messages again."),
    "InboxChanges.threads": described("The conversations in which something changed."),
    "SendAck.reason": text_property(
        "The moderator's reason for rejecting the message.", MAX_REASON
    ),
    "InboxChanged.gone": described("Whether the conversation has left the inbox."),
    "ThreadChanges.messages": described("The messages that are new or have changed."),
}


PARAMETERS: Mapping[str, str] = {
    "emoji": "One emoji.",
    "folder": "The folder to list.",
    "lbgId": "The booking group's id (`lbg` is short for linked booking group).",
    "legId": "The leg's id.",
    "messageId": "The message's id.",
    "requestId": "The request's id.",
    "tab": "The tab: `brief`, `moodboard`, `shotlist`, `files`, `docs`, `expenses` or `actions`.",
    "threadId": "The conversation's id.",
}
