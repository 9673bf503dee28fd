"""The descriptions, formats and lengths of the properties in the OpenAPI and AsyncAPI documents.

A property is looked up as `Schema.property` first and as `property` after that, so a name that
means the same everywhere is described once. A test names every property that has no description.
"""

from collections.abc import Mapping

from msgspec import Struct

from greenroom.api.params import MAX_ID
from greenroom.errors import MAX_CODE, MAX_DETAIL
from greenroom.messaging.draft import MAX_DRAFT
from greenroom.messaging.post_system import MAX_EVENT
from greenroom.messaging.text import CLIENT_ID, LINKED_ID, MAX_SUBJECT, MAX_TEXT
from greenroom.messaging.update_thread import MAX_PREVIEW
from greenroom.people import suspend
from greenroom.people.models import (
    MAX_EMAIL,
    MAX_NAME,
    MAX_PICTURE,
    MAX_USERNAME,
    MIN_USERNAME,
)
from greenroom.policy import MAX_CONTACT
from greenroom.safety.decide import MAX_NOTE, MAX_REASON
from greenroom.safety.models import MAX_EXCERPT
from greenroom.safety.rules import MAX_RULE_NAME
from greenroom.safety.verdict import MAX_HINT
from greenroom.store.cursors import MAX_CURSOR

_MAX_PROBLEM_TYPE = len("/problems/") + MAX_CODE


class Property(Struct, frozen=True):
    """For an array or a map, format and lengths apply to its strings."""

    description: str
    format: str | None = None
    max_length: int | None = None
    min_length: int | None = None
    pattern: str | None = None


def _id(description: str, pattern: str | None = None) -> Property:
    return Property(description, max_length=MAX_ID, min_length=1, pattern=pattern)


def _time(description: str) -> Property:
    return Property(f"{description} ISO 8601, in UTC.", format="date-time")


def _text(description: str, max_length: int) -> Property:
    return Property(description, max_length=max_length)


def _other(description: str) -> Property:
    return Property(description)


_NEW_TEXT = Property("The text, as it was typed.", max_length=MAX_TEXT, min_length=1)

PROPERTIES: Mapping[str, Property] = {
    # people
    "userId": _id("The person's id: ours, or the `sub` of your identity provider."),
    "username": Property(
        "The unique name, in lower case: a-z, 0-9, `.` and `_`.",
        max_length=MAX_USERNAME,
        min_length=MIN_USERNAME,
    ),
    "displayName": _text("The name that the person wants to be shown by.", MAX_NAME),
    "firstName": _text("The first name.", MAX_NAME),
    "lastName": _text("The last name.", MAX_NAME),
    "email": _text("The e-mail address. Only its owner sees it.", MAX_EMAIL),
    "profilePicture": _text("The address of the profile picture.", MAX_PICTURE),
    "isVerified": _other("Whether the operator has verified the person."),
    "followerCount": _other("How many people follow this person."),
    "followingCount": _other("How many people this person follows."),
    "postCount": _other("How many posts the person has."),
    "joinedAt": _time("When the account was made."),
    "scopes": _other("What the token allows."),
    "people": _other("The people on this page."),
    "suspension": _other("The suspension in force. Only its subject and moderators see it."),
    "Suspension.until": _time("When the suspension ends."),
    "Suspension.reason": _text("Why the account is suspended.", suspend.MAX_REASON),
    "Me.version": _other("Changes when a name changes. The `ETag` of the account."),
    # threads
    "threadId": _id("The conversation's id."),
    "thread": _other("The conversation."),
    "threads": _other("The conversations on this page."),
    "NewThread.kind": _other("What the conversation is for."),
    "kind": _other("What it is."),
    "Message.kind": _other("`text`, `asset`, `card`, or `system` for what the server notes."),
    "Subject.kind": _other("What was reported or held: a message, a thread or a person."),
    "status": _other("Where it stands."),
    "Sending.status": _other("`sent`, or `held` while it waits for a moderator."),
    "Health.status": _other("`ok` (the process runs) or `ready` (it can serve)."),
    "Request.status": _other(
        "What became of the request. Its sender sees `pending`, `expired` or `withdrawn`."
    ),
    "AllRead.marked": _other("How many conversations had something unread."),
    "subject": _text("What the conversation is about, on one line.", MAX_SUBJECT),
    "Case.subject": _other("What the case is about."),
    "OwnReport.subject": _other("What was reported."),
    "Place.subject": _text("What the conversation is about, on one line.", MAX_SUBJECT),
    "openedByUserId": _id("Who opened the conversation."),
    "createdAt": _time("When it was created."),
    "bookingId": _id("Your own id of the booking that it belongs to.", LINKED_ID),
    "legId": _id("The id of the leg (one provider's job) that it belongs to.", LINKED_ID),
    "lbgId": _id(
        "The id of the linked booking group (several legs) that it belongs to.", LINKED_ID
    ),
    "city": _id("Where the job takes place."),
    "safeModeRequired": _other("Whether previews of pictures are blurred until asked for."),
    "awaitingUserIds": _id("The people whose reply the conversation waits for."),
    "lastSeq": _other("The `seq` of the last message."),
    "lastMessageAt": _time("When the last message was sent."),
    "lastAuthorUserId": _id("Who sent the last message."),
    "preview": _text(
        "The beginning of the last message, with its markup. Empty for a system message.",
        MAX_PREVIEW,
    ),
    "previewEvent": _text(
        "What happened last, such as `thread.locked`, if the last message is a system message.",
        MAX_EVENT,
    ),
    "requests": _other(
        "First contacts that wait for an answer: the caller's own, and the one for the caller."
    ),
    "participants": _other("The people in the conversation."),
    "NewThread.participants": _other("The other people. The caller is in it by opening it."),
    "role": _other("The person's role in the conversation."),
    "NewThread.role": _other("The caller's own role."),
    "serviceRole": _other("The service that the person offers, where one is meant."),
    "lastReadSeq": _other("The `seq` up to which the person has read."),
    "lastDeliveredSeq": _other("The `seq` up to which messages have reached a device."),
    "lastReadAt": _time("When the person last read."),
    "metadata": _other("Your own JSON object, up to 4 KB. Greenroom stores and returns it."),
    "Opened.sent": _other("What became of the first message, where there was one."),
    "NewThread.message": _other("The first message. It is stored together with the conversation."),
    # the caller's view of a thread
    "mine": _other("The caller's own side of the conversation."),
    "folder": _other("The folder that the conversation is in."),
    "unread": _other("How many messages are unread."),
    "Counts.unread": _other("The number of unread messages by folder."),
    "badge": _other("The number for the badge: unread messages in `all`, without muted ones."),
    "Counts.more": _other("Whether there are more than were counted."),
    "counts": _other("The unread counts. Only with the first page."),
    "pinned": _other("Whether it stands on top of the list."),
    "mutedUntil": _time("Until when it adds nothing to the badge."),
    "archived": _other("Whether it is archived. The next message brings it back."),
    "hidden": _other("Whether it is hidden. The next message brings it back."),
    "spam": _other("Whether it is in the spam folder."),
    "hasDraft": _other("Whether there is a draft."),
    "savedAt": _time("When the draft was saved."),
    "Draft.body": _text("The draft's text. Empty where there is none.", MAX_DRAFT),
    "NewDraft.body": _text("The draft's text. Empty removes the draft.", MAX_DRAFT),
    "From.seq": _other("The first message that counts as unread. Without it, the last message."),
    "UpTo.seq": _other("The last message that has been read, or has arrived."),
    # messages
    "messageId": _id("The message's id."),
    "message": _other("The message."),
    "messages": _other("The messages, in the order of their `seq`."),
    "seq": _other("The message's place in its conversation: 1, 2, 3 …"),
    "body": _text("The text, as it was typed.", MAX_TEXT),
    "FirstMessage.body": _NEW_TEXT,
    "MessageUpdate.body": _NEW_TEXT,
    "NewMessage.body": _NEW_TEXT,
    "NewSystemMessage.body": _NEW_TEXT,
    "Unsent.body": _NEW_TEXT,
    "authorUserId": _id("Who wrote it."),
    "mentions": _id("The people whom the text mentions."),
    "replyToMessageId": _id("The message that it answers."),
    "event": _text("Of a system message: what happened, such as `participant.added`.", MAX_EVENT),
    "about": _text(
        "Of a system message: the people or values that the event is about.", MAX_SUBJECT
    ),
    "reactions": _id("The people who reacted, by emoji."),
    "band": _other("How careful a preview must be: 0 show, 1 blur, 2 hide."),
    "editedAt": _time("When it was last edited."),
    "edits": _other("What the message said before, oldest first."),
    "Edit.until": _time("Until when the message said this."),
    "deletedAt": _time("When it was deleted."),
    "deletedByUserId": _id("Who deleted it."),
    "policyHints": _other("Hints about the text. Only its author sees them."),
    "version": _other("Counts the changes."),
    "seenBy": _id("The people who have seen it. Not in the answer to a write."),
    "clientMessageId": _id(
        "The client's own id of the message. The same id is the same message.", CLIENT_ID
    ),
    "hasBefore": _other("Whether there are earlier messages."),
    "hasAfter": _other("Whether there are later messages."),
    "hints": _other("What the author should know about the text."),
    "Hint.code": _other("The hint's stable name."),
    "Hint.text": _text("The hint, as a sentence for the author.", MAX_HINT),
    "Preview.verdict": _other("What would happen to the text if it were sent."),
    # requests
    "requestId": _id("The request's id."),
    "senderUserId": _id("Who asks."),
    "targetUserId": _id("Who is asked."),
    "Request.reason": _other("Why it deserves a careful look. Only for the person who is asked."),
    "expiresAt": _time("When it expires."),
    # sync
    "cursor": _text("Give it with the next call.", MAX_CURSOR),
    "more": _other("Whether to call again at once."),
    "reset": _other("Whether to load the inbox again from the start."),
    "gone": _id("The conversations that have left the inbox."),
    "truncated": _other("Whether there are more changes: read the messages again."),
    "Changes.threads": _other("The conversations in which something changed."),
    "ThreadChanges.messages": _other("The messages that are new or have changed."),
    "next": _text("The cursor of the next page, or null on the last one.", MAX_CURSOR),
    # safety
    "blocks": _other("The people whom the caller has blocked, the latest first."),
    "blockedAt": _time("When the person was blocked."),
    "reportId": _id("The report's id."),
    "reason": _other("What is wrong, as the reporter sees it."),
    "note": _text("More about it, in the writer's own words.", MAX_NOTE),
    "reportedAt": _time("When it was reported."),
    "reports": _other("The reports."),
    "NewReport.userId": _id("The person to report. Leave out the other ids."),
    "NewReport.threadId": _id("The conversation to report, or the one that the message is in."),
    "NewReport.messageId": _id("The message to report."),
    # moderation
    "caseId": _id("The case's id."),
    "cases": _other("The open cases, oldest first."),
    "aboutUserId": _id("The person whose doing it is."),
    "isOpen": _other("Whether the case waits for a decision."),
    "openedAt": _time("When the case was opened."),
    "Case.text": _text("The text that the case is about.", MAX_TEXT),
    "Case.reports": _other("How many people have reported it."),
    "Case.reasons": _other("The reasons that the reports give."),
    "Case.verdict": _text("What the automatic check said of the text.", MAX_RULE_NAME),
    "Case.policyHints": _other("The hints that the author was given."),
    "policyTags": _other("The rules that the text has broken."),
    "spamScore": _other("How much it looks like spam, from 0 to 1."),
    "reporterUserId": _id("Who reported it."),
    "claimedByUserId": _id("The moderator who works on the case."),
    "claimedUntil": _time("Until when the case is theirs."),
    "decisions": _other("The decisions that can end the case."),
    "decision": _other("How the case was decided."),
    "decidedAt": _time("When it was decided."),
    "decidedByUserId": _id("Who decided."),
    "NewDecision.version": _other("The version of the case that the decision is based on."),
    "NewDecision.reason": _text("What the person is told.", MAX_REASON),
    "NewDecision.note": _text("A note for staff. The person does not see it.", MAX_NOTE),
    "NewDecision.forGood": _other("A suspension without an end: give this or `until`."),
    "NewDecision.until": _time("When a suspension ends."),
    "until": _time("When it ends."),
    "removes": _other("Whether the decision removes the message."),
    "entries": _other("The decisions, the latest first."),
    "Entry.decision": _other("What was done."),
    "Entry.caseId": _id("The case, or null for `reinstate`, `grant` and `revoke`."),
    "Entry.version": _other("The version of the case."),
    "Entry.reason": _text("What the person was told.", MAX_REASON),
    "Entry.note": _text("A note for staff.", MAX_NOTE),
    "Entry.role": _other("The role that was granted or revoked."),
    "Case.reason": _text("What the person was told.", MAX_REASON),
    "Case.aboutRole": _other("The staff role of that person. Only admins see such a case."),
    "Context.messages": _other("The messages before and after it, in order."),
    "Context.position": _other(
        "Where in `messages` the case belongs: the index of the reported message; of a held one, "
        "the index of the first message after it. Null for a conversation or a person."
    ),
    "isSuspended": _other("Whether the person is suspended now."),
    "suspensionReason": _text("What the person was told about the suspension.", suspend.MAX_REASON),
    "suspendedAt": _time("When the person was suspended."),
    "Standing.role": _other("The person's staff role, or null."),
    "staff": _other("The members of staff."),
    "StaffMember.role": _other("`moderator` or `admin`; null once it is revoked."),
    "NewStaffRole.role": _other("`moderator` or `admin`."),
    "NewStaffRole.note": _text("A note for the audit log.", MAX_NOTE),
    "NewReinstatement.reason": _text("What the person is told.", MAX_REASON),
    "NewReinstatement.note": _text("A note for the audit log.", MAX_NOTE),
    # notices
    "noticeId": _id("The notice's id."),
    "acknowledgedNoticeIds": _id("The notices that you acknowledged."),
    "notices": _other("What moderation tells the caller, until it is acknowledged."),
    "contact": _text("Where to turn to about a decision: an e-mail address or a URL.", MAX_CONTACT),
    "excerpt": _text("How the message begins.", MAX_EXCERPT),
    "ModerationNotice.kind": _other("What was decided."),
    "ModerationNotice.createdAt": _time("When it was decided."),
    "ModerationNotice.reason": _text("What the moderator says about it.", MAX_REASON),
    "ModerationNotice.until": _time("When a suspension ends; null if it has no end."),
    "held": _other("The caller's messages that wait for a moderator."),
    "heldAt": _time("When the message was held."),
    "warned": _other("Whether the sender of a rejected message was warned."),
    "Sending.reason": _text("What the moderator says about a rejected message.", MAX_REASON),
    "HeldOutcome.status": _other("`held`, `sent` or `rejected`."),
    "HeldOutcome.reason": _text("What the moderator says about a rejected message.", MAX_REASON),
    "warnings": _other("How often the person was warned."),
    "removals": _other("How many messages of the person were removed."),
    "suspensions": _other("How often the person was suspended."),
    "suspendedUntil": _time("When the suspension ends, or null."),
    "lastDecisionAt": _time("When the last decision about the person was made."),
    # socket frames
    "Ack.reason": _text("What the moderator says about a rejected message.", MAX_REASON),
    "InboxChanged.gone": _other("Whether the conversation has left the inbox."),
    # problems
    "ProblemDocument.type": _text("The stable name of the problem, as a path.", _MAX_PROBLEM_TYPE),
    "ProblemDocument.title": _text("What kind of problem it is.", MAX_CODE),
    "ProblemDocument.status": _other("The HTTP status."),
    "ProblemDocument.detail": _text(
        "What happened and what to do next, as a sentence.", MAX_DETAIL
    ),
}

PARAMETERS: Mapping[str, str] = {
    "caseId": "The case's id.",
    "emoji": "One emoji.",
    "folder": "The folder to list.",
    "id": "The ids of the people to look up; repeat the parameter for several.",
    "lbgId": "The linked booking group's id.",
    "legId": "The leg's id.",
    "limit": "The most entries to return.",
    "messageId": "The message's id.",
    "name": "The beginning of a name or of a username: at least two letters.",
    "requestId": "The request's id.",
    "tag": "Only cases that break this rule.",
    "threadId": "The conversation's id.",
    "userId": "The person's id.",
    "username": "The whole username.",
}
"""The descriptions of path and query parameters that are declared without one."""


def property_of(schema: str, name: str) -> Property | None:
    return PROPERTIES.get(f"{schema}.{name}") or PROPERTIES.get(name)
