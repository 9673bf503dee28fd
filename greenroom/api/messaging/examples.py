"""Examples of every request and response of messaging."""

from collections.abc import Mapping
from datetime import UTC, datetime

from msgspec.structs import replace

from greenroom.api.example_cursor import NEXT
from greenroom.api.example_values import (
    BODY,
    FILE,
    JONAS,
    LATER,
    MAYA,
    MINE,
    PICTURE,
    PICTURE_THUMBHASH,
    READ,
    ROW,
    SEEN,
    SENT,
    THREAD,
    WORDS,
)
from greenroom.api.files.manifest_shapes import MANIFEST_RECORD, Manifest, Manifests
from greenroom.api.messaging.attachment_shapes import NewAttachment
from greenroom.api.messaging.rest import (
    held,
    inbox,
    manifests,
    messages,
    own_view,
    scheduled,
    thread_settings,
    threads,
)
from greenroom.api.messaging.rest.preview import Preview, Unsent
from greenroom.api.messaging.scheduled_shapes import (
    ScheduledMessage,
    ScheduledMessages,
    ScheduledProblem,
)
from greenroom.api.messaging.shapes import (
    HeldChange,
    Hint,
    MessagePage,
    Request,
    Sending,
)
from greenroom.api.messaging.waiting_shapes import (
    WaitingMessage,
    WaitingMessages,
    WaitingProblem,
)
from greenroom.api.people.shapes import Picture
from greenroom.api.route_docs import OperationExample
from greenroom.ids import RequestId, ScheduledId
from greenroom.messaging.held import HeldStatus
from greenroom.messaging.models import (
    Folder,
    GateStatus,
    Kind,
    MessageKind,
    Role,
    ScheduledStatus,
    ServiceRole,
    Status,
    WaitingStatus,
)
from greenroom.people.actor import SYSTEM
from greenroom.safety.verdict import HINTS, PolicyHint

REQUEST = RequestId("rqt_01k75q8h3d5f7h9k1m3p5r7t9v")
_WAITING = replace(
    SEEN, requests=[Request(REQUEST, JONAS, MAYA, GateStatus.PENDING, None, None, 3)]
)
_NOTICE = replace(
    SENT,
    kind=MessageKind.SYSTEM,
    author_user_id=SYSTEM,
    body="Your prints are on their way.",
    event="order.shipped",
    metadata={"order": 17},
)
_LIKED = replace(SENT, reactions={"👍": (MAYA,)}, version=2)
_EDITED = replace(SENT, body="**15 May**, a full day.", edited_at=LATER, version=2)
_GONE = replace(SENT, body="", deleted_at=LATER, deleted_by_user_id=JONAS, version=2)
HINT = Hint(PolicyHint.CONTACT_DETAILS, HINTS[PolicyHint.CONTACT_DETAILS])
_COUNTS = inbox.Counts({folder: int(folder in ("all", "bookings")) for folder in Folder}, 1, False)

SCHEDULED = ScheduledMessage(
    scheduled_message_id=ScheduledId("sch_01k75q8h3e0000000000000000"),
    thread_id=THREAD,
    body="Good morning! Shall we start at ten?",
    reply_to_message_id=None,
    metadata=None,
    send_at="2025-10-10T07:00:00.000Z",
    created_at=LATER,
    status=ScheduledStatus.PENDING,
    problem=None,
    version=1,
)
FAILED = replace(
    SCHEDULED,
    status=ScheduledStatus.FAILED,
    problem=ScheduledProblem(
        "/problems/conversation-locked",
        "This conversation is locked. Only staff can write in it.",
    ),
    version=2,
)
WAITING = WaitingMessage(
    thread_id=THREAD,
    client_message_id="c-18",
    body="The first edits",
    attachments=[NewAttachment(FILE, "Maya on a roof in the evening sun")],
    reply_to_message_id=None,
    metadata=None,
    created_at=LATER,
    status=WaitingStatus.WAITING,
    problem=None,
)
NOT_SENT = replace(
    WAITING,
    status=WaitingStatus.FAILED,
    problem=WaitingProblem(
        "/problems/file-expired",
        "A file of this message was deleted, or was not uploaded in time. Upload it again.",
    ),
)
_SEND_AT = datetime(2025, 10, 10, 7, tzinfo=UTC)

_MANIFEST = Manifest(
    manifest_id=MANIFEST_RECORD.manifest_id,
    thread_id=THREAD,
    number=MANIFEST_RECORD.number,
    name=MANIFEST_RECORD.name,
    size=MANIFEST_RECORD.size,
    sha256=MANIFEST_RECORD.sha256,
    url="https://drive.example.com/file/editorial-may.zip",
    recorded_by_user_id=MAYA,
    created_at=MANIFEST_RECORD.created_at,
    salt="5b0d3f1c8e6a4d2793c5f7a1b9e0d642",
    sealed=MANIFEST_RECORD.sealed,
    previous=MANIFEST_RECORD.previous,
    hash=MANIFEST_RECORD.hash,
    withheld=False,
)

EXAMPLES: Mapping[str, OperationExample] = {
    "recordManifest": OperationExample(
        {
            200: manifests.RecordedManifest(_MANIFEST, SENT, None),
            201: manifests.RecordedManifest(_MANIFEST, SENT, None),
        },
        manifests.NewManifest(
            "editorial-may.zip",
            _MANIFEST.size,
            _MANIFEST.sha256,
            "https://drive.example.com/file/editorial-may.zip",
            "3f6c1c1e-2f0b-4a52-9d8e-0b6f6d5e7a11",
            "The final selection.",
        ),
    ),
    "getManifests": OperationExample({200: Manifests([_MANIFEST], None)}),
    "openThread": OperationExample(
        {
            200: threads.Opened(SEEN, None),
            201: threads.Opened(_WAITING, Sending("sent", "first:8c1f", SENT, [])),
        },
        threads.NewThread(
            kind=Kind.INQUIRY,
            participants=[threads.Invitation(MAYA, Role.SELLER, ServiceRole.MODEL)],
            subject="Editorial in May",
            message=threads.FirstMessage("Hello Maya! Are you free on 14 May?"),
        ),
    ),
    "openDirectThread": OperationExample({200: replace(SEEN, kind=Kind.DIRECT, subject=None)}),
    "getThread": OperationExample({200: SEEN}),
    "updateThread": OperationExample(
        {200: SEEN, 202: HeldChange()}, thread_settings.ThreadUpdate(subject="Editorial in May")
    ),
    "setThreadPicture": OperationExample(
        {200: replace(SEEN, picture=Picture(FILE, PICTURE_THUMBHASH, 0))},
        thread_settings.NewThreadPicture(FILE),
    ),
    "changeRole": OperationExample({200: SEEN}, thread_settings.NewRole(Role.HOST)),
    "postSystemMessage": OperationExample(
        {
            200: Sending("sent", "order-17-shipped", _NOTICE, []),
            201: Sending("sent", "order-17-shipped", _NOTICE, []),
        },
        thread_settings.NewSystemMessage(
            "Your prints are on their way.", "order.shipped", "order-17-shipped", {"order": 17}
        ),
    ),
    "lockThread": OperationExample({200: threads.Lock(THREAD, Status.LOCKED)}),
    "unlockThread": OperationExample({200: threads.Lock(THREAD, Status.OPEN)}),
    "addParticipant": OperationExample(
        {200: SEEN, 201: SEEN}, threads.Invitation(MAYA, Role.SELLER)
    ),
    "getThreadsOfLeg": OperationExample({200: threads.ProjectThreads([ROW], None)}),
    "getThreadsOfGroup": OperationExample({200: threads.ProjectThreads([], None)}),
    "markRead": OperationExample({200: replace(MINE, unread=0, last_read_seq=4)}, own_view.UpTo(4)),
    "markDelivered": OperationExample({}, own_view.UpTo(4)),
    "markUnread": OperationExample({200: replace(MINE, unread=2)}, own_view.From(3)),
    "arrangeThread": OperationExample(
        {200: replace(MINE, pinned=True, muted_until="2025-10-10T08:00:00.000Z")},
        own_view.Arrangement(pinned=True, muted_until=datetime(2025, 10, 10, 8, tzinfo=UTC)),
    ),
    "getDraft": OperationExample({200: own_view.Draft("The 14th suits me", LATER)}),
    "saveDraft": OperationExample(
        {200: own_view.Draft("The 14th suits me", LATER)}, own_view.NewDraft("The 14th suits me")
    ),
    "sendMessage": OperationExample(
        {
            200: Sending("sent", "c-18", PICTURE, []),
            201: Sending("sent", "c-18", PICTURE, []),
            202: Sending("waiting", "c-18", None, []),
        },
        messages.NewMessage(WAITING.body, "c-18", attachments=WAITING.attachments),
    ),
    "getWaitingMessages": OperationExample({200: WaitingMessages([WAITING, NOT_SENT])}),
    "getWaitingMessage": OperationExample({200: WAITING}),
    "scheduleMessage": OperationExample(
        {201: SCHEDULED}, scheduled.NewScheduledMessage(SCHEDULED.body, _SEND_AT)
    ),
    "getScheduledMessages": OperationExample({200: ScheduledMessages([SCHEDULED, FAILED])}),
    "getScheduledMessage": OperationExample({200: SCHEDULED}),
    "changeScheduledMessage": OperationExample(
        {200: replace(SCHEDULED, version=2)}, scheduled.ScheduledMessageUpdate(send_at=_SEND_AT)
    ),
    "sendScheduledMessage": OperationExample(
        {
            200: Sending("sent", f"scheduled:{SCHEDULED.scheduled_message_id}", SENT, []),
            202: Sending("held", f"scheduled:{SCHEDULED.scheduled_message_id}", None, []),
        }
    ),
    "previewMessage": OperationExample(
        {200: Preview("nudge", [HINT])}, Unsent("Write to me at maya@example.com", THREAD)
    ),
    "getMessages": OperationExample({200: MessagePage([READ], True, False)}),
    "getMessage": OperationExample({200: READ}),
    "editMessage": OperationExample(
        {200: _EDITED, 202: HeldChange()}, messages.MessageUpdate("**15 May**, a full day.")
    ),
    "deleteMessage": OperationExample({200: _GONE}),
    "getEdits": OperationExample({200: messages.Edits([messages.Edit(BODY, LATER)])}),
    "react": OperationExample({200: _LIKED}),
    "takeReactionBack": OperationExample({200: replace(SENT, version=3)}),
    "getInbox": OperationExample({200: inbox.Inbox([ROW], NEXT, _COUNTS)}),
    "getInboxCounts": OperationExample({200: _COUNTS}),
    "readInbox": OperationExample(
        {200: inbox.AllRead(3, False, _COUNTS)}, inbox.WhatToRead(Folder.ALL)
    ),
    "getSentRequests": OperationExample(
        {200: inbox.SentRequests([inbox.SentRequest(REQUEST, THREAD, MAYA)], None)}
    ),
    "acceptRequest": OperationExample({200: SEEN}),
    "getHeldMessage": OperationExample(
        {200: held.HeldOutcome(HeldStatus.REJECTED, None, WORDS, True)}
    ),
}
