"""An example of every request and answer, by operation id: what a reader sees first.

They are made of the same types as the answers, so that they cannot drift from them; a test holds
them to the schema, and fails for an operation that has none.
"""

from collections.abc import Mapping
from datetime import UTC, datetime

from msgspec.structs import replace

from greenroom.api.messaging.rest import inbox, messages, own_view, thread_settings, threads
from greenroom.api.messaging.rest.preview import Preview, Unsent
from greenroom.api.messaging.shapes import (
    HeldChange,
    Hint,
    Message,
    MessagePage,
    Mine,
    Participant,
    Request,
    Seat,
    Sending,
    Thread,
    ThreadRow,
)
from greenroom.api.people.rest.me import Me, NewNames, SignUp
from greenroom.api.people.rest.people import NewPerson, PeoplePage, Person, PersonUpdate, Profile
from greenroom.api.platform.health import Health
from greenroom.api.route_docs import OperationExample
from greenroom.api.safety import shapes as moderation
from greenroom.api.safety.rest import blocks_and_reports, notices, staff
from greenroom.ids import MessageId, NoticeId, ReportId, RequestId, ThreadId, UserId
from greenroom.messaging.held import HeldStatus
from greenroom.messaging.models import (
    Folder,
    GateStatus,
    Kind,
    MessageKind,
    Role,
    ServiceRole,
    Status,
)
from greenroom.people.actor import SYSTEM, Scope, StaffRole
from greenroom.safety.models import CaseId, Decision, HeldKind, NoticeKind, Reason
from greenroom.safety.verdict import HINTS, PolicyHint, PolicyTag

_JONAS = UserId("usr_01k75pf200e1k6cdq0v2xq7f3m")
_MAYA = UserId("usr_01k75pf2018h3y5m9s4w6tz0ab")
_ADA = UserId("usr_01k75pf2026n7r8p1c3e5g7j9x")
_THREAD = ThreadId("thr_01k75q8h3c9m2n4p6r8t0v2x4z")
_MESSAGE = MessageId("msg_01k75q8j5d7f9h1k3m5p7r9t1w")
_CASE = CaseId("cas_mfrggzdfmztwq2lknnwg23tpoa")
_REPORT = ReportId("rpt_01k75r2c4e6g8j0m2p4r6t8v0x")
_REQUEST = RequestId("rqt_01k75q8h3d5f7h9k1m3p5r7t9v")
_NEXT = "bmV4dC1wYWdlLW9mLXRoaXMtcXVlcnk"
_OPENED = "2025-10-09T09:00:00.000Z"
_SAID = "2025-10-09T09:12:07.123Z"
_LATER = "2025-10-09T09:15:00.000Z"
_BODY = "**14 and 15 May**, half days. Does that suit you?"

_MINE = Mine(Folder.BOOKINGS, 1, 3, False, None, False, False, False, False)
_ROW = ThreadRow(
    thread_id=_THREAD,
    kind=Kind.BOOKING,
    status=Status.AWAITING_REPLY,
    subject="Editorial in May",
    opened_by_user_id=_JONAS,
    created_at=_OPENED,
    booking_id="bkg_editorial",
    leg_id="leg_lisbon",
    lbg_id=None,
    city="Lisbon",
    safe_mode_required=False,
    awaiting_user_ids=[_MAYA],
    last_seq=4,
    last_message_at=_SAID,
    last_author_user_id=_JONAS,
    preview=_BODY,
    preview_event=None,
    requests=[],
    mine=_MINE,
    metadata={},
    participants=[
        Seat(_JONAS, Role.BUYER, ServiceRole.PHOTOGRAPHER),
        Seat(_MAYA, Role.SELLER, ServiceRole.MODEL),
    ],
)
_SEEN = Thread(
    **{name: getattr(_ROW, name) for name in _ROW.__struct_fields__ if name != "participants"},
    participants=[
        Participant(_JONAS, Role.BUYER, ServiceRole.PHOTOGRAPHER, 4, 4, _SAID),
        Participant(_MAYA, Role.SELLER, ServiceRole.MODEL, 3, 4, _OPENED),
    ],
)
_WAITING = replace(
    _SEEN, requests=[Request(_REQUEST, _JONAS, _MAYA, GateStatus.PENDING, None, None)]
)
_SENT = Message(
    message_id=_MESSAGE,
    thread_id=_THREAD,
    seq=4,
    kind=MessageKind.TEXT,
    author_user_id=_JONAS,
    created_at=_SAID,
    body=_BODY,
    mentions=(),
    reply_to_message_id=None,
    event=None,
    about=(),
    reactions={},
    band=0,
    edited_at=None,
    deleted_at=None,
    deleted_by_user_id=None,
    policy_hints=(),
    version=1,
)
_NOTICE = replace(
    _SENT,
    kind=MessageKind.SYSTEM,
    author_user_id=SYSTEM,
    body="Your prints are on their way.",
    event="order.shipped",
    metadata={"order": 17},
)
_READ = replace(_SENT, seen_by=(_MAYA,))
_LIKED = replace(_SENT, reactions={"👍": (_MAYA,)}, version=2)
_EDITED = replace(_SENT, body="**15 May**, a full day.", edited_at=_LATER, version=2)
_GONE = replace(_SENT, body="", deleted_at=_LATER, deleted_by_user_id=_JONAS, version=2)
_HINT = Hint(PolicyHint.CONTACT_DETAILS, HINTS[PolicyHint.CONTACT_DETAILS])
_COUNTS = inbox.Counts({folder: int(folder in ("all", "bookings")) for folder in Folder}, 1, False)
_PERSON = Person(_MAYA, "maya", "Maya Lindqvist", "Maya", "Lindqvist", None, 3)
_KNOWN = {name: getattr(_PERSON, name) for name in _PERSON.__struct_fields__} | {
    "is_verified": True,
    "follower_count": 12,
    "following_count": 3,
    "post_count": 0,
    "joined_at": _OPENED,
    "suspension": None,
    "metadata": {},
}
_ME = Me(**_KNOWN, email="maya@example.com", scopes=[Scope.USER])
_OPEN_CASE = moderation.Case(
    case_id=_CASE,
    subject=blocks_and_reports.Subject("message", _THREAD, _MESSAGE),
    about_user_id=_JONAS,
    about_role=None,
    text="Pay me outside, it is cheaper.",
    reply_to_message_id=None,
    is_open=True,
    opened_at=_SAID,
    version=1,
    reports=1,
    reasons=[Reason.SCAM],
    policy_tags=[PolicyTag.SCAM],
    policy_hints=[],
    spam_score=0.4,
    verdict="",
    claimed_by_user_id=None,
    claimed_until=None,
    decisions=[Decision.DISMISS, Decision.REMOVE, Decision.SUSPEND, Decision.WARN],
    decision=None,
    decided_by_user_id=None,
    decided_at=None,
    reason=None,
)
_CLAIMED = replace(_OPEN_CASE, claimed_by_user_id=_ADA, claimed_until="2025-10-09T09:27:07.123Z")
_WORDS = "Payments outside Greenroom are not allowed."
_DECIDED = moderation.Entry(
    case_id=_CASE,
    version=2,
    decision=Decision.WARN,
    decided_by_user_id=_ADA,
    decided_at=_LATER,
    about_user_id=_JONAS,
    removes=True,
    reason=_WORDS,
    note="First time.",
    until=None,
    role=None,
)
_REINSTATED = replace(
    _DECIDED,
    case_id=None,
    version=0,
    decision=Decision.REINSTATE,
    removes=False,
    reason="The report was a mistake.",
    note="",
)
_WARNED = notices.ModerationNotice(
    notice_id=NoticeId("ntc_01k75q8j5d8f0h2k4m6p8r0t2v"),
    kind=NoticeKind.WARNED,
    created_at=_LATER,
    reason=_WORDS,
    until=None,
    thread_id=_THREAD,
    message_id=_MESSAGE,
    client_message_id=None,
    excerpt="Pay me outside, it is cheaper.",
    held=None,
)
_CONTACT = "support@example.com"
_ENDS = "2025-10-16T09:12:07.123Z"
_RECORD = moderation.Record([_DECIDED], None)

_PEOPLE: Mapping[str, OperationExample] = {
    "getHealth": OperationExample({200: Health("ok")}),
    "getReadiness": OperationExample({200: Health("ready")}),
    "getMe": OperationExample({200: _ME}),
    "signUp": OperationExample(
        {200: _ME, 201: _ME}, SignUp("maya", "Maya Lindqvist", "maya@example.com")
    ),
    "renameMe": OperationExample({200: _ME}, NewNames(display_name="Maya L.")),
    "getPerson": OperationExample({200: Profile(**_KNOWN)}),
    "updatePerson": OperationExample(
        {200: Profile(**{**_KNOWN, "metadata": {"plan": "studio"}})},
        PersonUpdate({"plan": "studio"}),
    ),
    "findPeople": OperationExample({200: PeoplePage([_PERSON], None)}),
    "createPerson": OperationExample(
        {201: Profile(**_KNOWN)}, NewPerson("maya", first_name="Maya")
    ),
}
_THREADS: Mapping[str, OperationExample] = {
    "openThread": OperationExample(
        {
            200: threads.Opened(_SEEN, None),
            201: threads.Opened(_WAITING, Sending("sent", "first:8c1f", _SENT, [])),
        },
        threads.NewThread(
            kind=Kind.INQUIRY,
            participants=[threads.Invitation(_MAYA, Role.SELLER, ServiceRole.MODEL)],
            subject="Editorial in May",
            message=threads.FirstMessage("Hello Maya! Are you free on 14 May?"),
        ),
    ),
    "openDirectThread": OperationExample({200: replace(_SEEN, kind=Kind.DIRECT, subject=None)}),
    "getThread": OperationExample({200: _SEEN}),
    "updateThread": OperationExample(
        {200: _SEEN, 202: HeldChange()}, thread_settings.ThreadUpdate(subject="Editorial in May")
    ),
    "changeRole": OperationExample({200: _SEEN}, thread_settings.NewRole(Role.HOST)),
    "postSystemMessage": OperationExample(
        {
            200: Sending("sent", "order-17-shipped", _NOTICE, []),
            201: Sending("sent", "order-17-shipped", _NOTICE, []),
        },
        thread_settings.NewSystemMessage(
            "Your prints are on their way.", "order.shipped", "order-17-shipped", {"order": 17}
        ),
    ),
    "lockThread": OperationExample({200: threads.Lock(_THREAD, Status.LOCKED)}),
    "unlockThread": OperationExample({200: threads.Lock(_THREAD, Status.OPEN)}),
    "addParticipant": OperationExample(
        {200: _SEEN, 201: _SEEN}, threads.Invitation(_MAYA, Role.SELLER)
    ),
    "getThreadsOfLeg": OperationExample({200: threads.ProjectThreads([_ROW], None)}),
    "getThreadsOfGroup": OperationExample({200: threads.ProjectThreads([], None)}),
    "markRead": OperationExample(
        {200: replace(_MINE, unread=0, last_read_seq=4)}, own_view.UpTo(4)
    ),
    "markDelivered": OperationExample({}, own_view.UpTo(4)),
    "markUnread": OperationExample({200: replace(_MINE, unread=2)}, own_view.From(3)),
    "arrangeThread": OperationExample(
        {200: replace(_MINE, pinned=True, muted_until="2025-10-10T08:00:00.000Z")},
        own_view.Arrangement(pinned=True, muted_until=datetime(2025, 10, 10, 8, tzinfo=UTC)),
    ),
    "getDraft": OperationExample({200: own_view.Draft("The 14th suits me", _LATER)}),
    "saveDraft": OperationExample(
        {200: own_view.Draft("The 14th suits me", _LATER)}, own_view.NewDraft("The 14th suits me")
    ),
}
_MESSAGES: Mapping[str, OperationExample] = {
    "sendMessage": OperationExample(
        {
            200: Sending("sent", "c-17", _SENT, []),
            201: Sending("sent", "c-17", _SENT, [_HINT]),
            202: Sending("held", "c-17", None, []),
        },
        messages.NewMessage(_BODY, "c-17"),
    ),
    "previewMessage": OperationExample(
        {200: Preview("nudge", [_HINT])}, Unsent("Write to me at maya@example.com", _THREAD)
    ),
    "getMessages": OperationExample({200: MessagePage([_READ], True, False)}),
    "getMessage": OperationExample({200: _READ}),
    "editMessage": OperationExample(
        {200: _EDITED, 202: HeldChange()}, messages.MessageUpdate("**15 May**, a full day.")
    ),
    "deleteMessage": OperationExample({200: _GONE}),
    "getEdits": OperationExample({200: messages.Edits([messages.Edit(_BODY, _LATER)])}),
    "react": OperationExample({200: _LIKED}),
    "takeReactionBack": OperationExample({200: replace(_SENT, version=3)}),
}
_INBOX: Mapping[str, OperationExample] = {
    "getInbox": OperationExample({200: inbox.Inbox([_ROW], _NEXT, _COUNTS)}),
    "getInboxCounts": OperationExample({200: _COUNTS}),
    "readInbox": OperationExample(
        {200: inbox.AllRead(3, False, _COUNTS)}, inbox.WhatToRead(Folder.ALL)
    ),
    "getSentRequests": OperationExample(
        {200: inbox.SentRequests([inbox.SentRequest(_REQUEST, _THREAD, _MAYA)], None)}
    ),
    "acceptRequest": OperationExample({200: _SEEN}),
    "sync": OperationExample(
        {200: inbox.Changes([inbox.ThreadChanges(_SEEN, [_READ], False)], [], _NEXT, False, False)}
    ),
}
_SAFETY: Mapping[str, OperationExample] = {
    "block": OperationExample({200: blocks_and_reports.Block(_JONAS, _LATER)}),
    "getBlocks": OperationExample(
        {200: blocks_and_reports.Blocks([blocks_and_reports.Block(_JONAS, _LATER)], None)}
    ),
    "report": OperationExample(
        {201: blocks_and_reports.Reported(_REPORT)},
        blocks_and_reports.NewReport(
            Reason.SCAM, "Wants to be paid outside.", thread_id=_THREAD, message_id=_MESSAGE
        ),
    ),
    "getReports": OperationExample(
        {
            200: blocks_and_reports.OwnReports(
                [
                    blocks_and_reports.OwnReport(
                        _REPORT, _OPEN_CASE.subject, Reason.SCAM, "Wants to be paid outside.", _SAID
                    )
                ],
                None,
            )
        }
    ),
    "getModerationQueue": OperationExample({200: moderation.Queue([_OPEN_CASE], None)}),
    "getCase": OperationExample({200: _OPEN_CASE}),
    "getReportsOfCase": OperationExample(
        {
            200: moderation.CaseReports(
                [moderation.CaseReport(_REPORT, _MAYA, Reason.SCAM, "Paid outside?", _SAID)], None
            )
        }
    ),
    "getContextOfCase": OperationExample(
        {
            200: moderation.Context(
                moderation.Place(
                    _THREAD,
                    Kind.BOOKING,
                    Status.AWAITING_REPLY,
                    "Editorial in May",
                    list(_ROW.participants),
                ),
                [_SENT],
                0,
            )
        }
    ),
    "claimCase": OperationExample({200: _CLAIMED}),
    "decideCase": OperationExample(
        {200: _DECIDED}, moderation.NewDecision(Decision.WARN, 1, _WORDS, "First time.")
    ),
    "getRecordOfCase": OperationExample({200: _RECORD}),
    "getRecord": OperationExample({200: moderation.Record([_DECIDED], _NEXT)}),
    "getRecordOfPerson": OperationExample({200: _RECORD}),
    "getStanding": OperationExample(
        {
            200: moderation.Standing(
                user_id=_JONAS,
                warnings=1,
                removals=1,
                suspensions=1,
                is_suspended=True,
                suspended_until=_ENDS,
                suspension_reason=_WORDS,
                role=None,
                last_decision_at=_LATER,
            )
        }
    ),
    "getSuspended": OperationExample(
        {200: moderation.SuspendedPeople([moderation.SuspendedPerson(_JONAS, _ENDS, _LATER)], None)}
    ),
    "reinstate": OperationExample(
        {200: _REINSTATED}, staff.NewReinstatement("The report was a mistake.", "Case reviewed.")
    ),
    "getStaff": OperationExample(
        {200: staff.StaffList([staff.StaffMember(_ADA, StaffRole.MODERATOR)])}
    ),
    "grantRole": OperationExample(
        {200: staff.StaffMember(_ADA, StaffRole.MODERATOR)},
        staff.NewStaffRole(StaffRole.MODERATOR, "Joined the team."),
    ),
    "revokeRole": OperationExample({200: staff.StaffMember(_ADA, None)}),
    "getNotices": OperationExample({200: notices.Notices([_WARNED], None, _CONTACT)}),
    "getHeldMessages": OperationExample(
        {
            200: notices.HeldMessages(
                [notices.HeldMessage(HeldKind.MESSAGE, _THREAD, "c-17", None, _BODY, None, _SAID)],
                None,
            )
        }
    ),
    "getHeldMessage": OperationExample(
        {200: notices.HeldOutcome(HeldStatus.REJECTED, None, _WORDS, True)}
    ),
}
EXAMPLES: Mapping[str, OperationExample] = {**_PEOPLE, **_THREADS, **_MESSAGES, **_INBOX, **_SAFETY}
