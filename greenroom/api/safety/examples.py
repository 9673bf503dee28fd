"""Examples of every request and response of safety."""

from collections.abc import Mapping

from msgspec.structs import replace

from greenroom.api.example_cursor import NEXT
from greenroom.api.example_values import (
    BODY,
    JONAS,
    LATER,
    MAYA,
    MESSAGE,
    ROW,
    SAID,
    SENT,
    THREAD,
    WORDS,
)
from greenroom.api.route_docs import OperationExample
from greenroom.api.safety import shapes as moderation
from greenroom.api.safety.rest import blocks_and_reports, notices, staff
from greenroom.api.safety.shapes import ModerationNotice
from greenroom.files.models import Media, Scan
from greenroom.ids import FileId, NoticeId, ReportId, UserId
from greenroom.messaging.models import (
    Kind,
    Status,
)
from greenroom.people.actor import StaffRole
from greenroom.safety.models import CaseId, Decision, HeldKind, NoticeKind, Reason
from greenroom.safety.verdict import PolicyTag

_ADA = UserId("usr_01k75pf2026n7r8p1c3e5g7j9x")
CASE = CaseId("cas_mfrggzdfmztwq2lknnwg23tpoa")
CASE_FILE = moderation.CaseFile(
    file_id=FileId("fil_01k75q8h3f2m4p6r8t0v2x4z6b"),
    name="beach.jpg",
    type="image/jpeg",
    size=3_482_113,
    media=Media.PICTURE,
    width=4032,
    height=3024,
    thumbhash="1QcSHQRnh493V4dIh4eXh1h4kJUI",
    duration_ms=0,
    pages=0,
    band=1,
    rated=True,
    labels={"sexy": 0.71, "neutral": 0.27},
    scan=Scan.CLEAN,
    resembles_removed=False,
)
_REPORT = ReportId("rpt_01k75r2c4e6g8j0m2p4r6t8v0x")
_OPEN_CASE = moderation.Case(
    case_id=CASE,
    subject=moderation.Subject("message", THREAD, MESSAGE),
    about_user_id=JONAS,
    about_role=None,
    text="Pay me outside, it is cheaper.",
    attachments=[CASE_FILE],
    reply_to_message_id=None,
    is_open=True,
    opened_at=SAID,
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
_DECIDED = moderation.Entry(
    case_id=CASE,
    version=2,
    decision=Decision.WARN,
    decided_by_user_id=_ADA,
    decided_at=LATER,
    about_user_id=JONAS,
    removes=True,
    reason=WORDS,
    note="First time.",
    until=None,
    role=None,
    file_id=None,
    band=None,
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
_WARNED = ModerationNotice(
    notice_id=NoticeId("ntc_01k75q8j5d8f0h2k4m6p8r0t2v"),
    kind=NoticeKind.WARNED,
    created_at=LATER,
    reason=WORDS,
    until=None,
    thread_id=THREAD,
    message_id=MESSAGE,
    client_message_id=None,
    excerpt="Pay me outside, it is cheaper.",
    held=None,
    file_id=None,
    band=None,
)
_CONTACT = "support@example.com"
_ENDS = "2025-10-16T09:12:07.123Z"
_AUDIT_LOG = moderation.AuditLog([_DECIDED], None)

EXAMPLES: Mapping[str, OperationExample] = {
    "block": OperationExample({200: blocks_and_reports.Block(JONAS, LATER)}),
    "getBlocks": OperationExample(
        {200: blocks_and_reports.Blocks([blocks_and_reports.Block(JONAS, LATER)], None)}
    ),
    "report": OperationExample(
        {201: blocks_and_reports.Reported(_REPORT)},
        blocks_and_reports.NewReport(
            Reason.SCAM, "Wants to be paid outside.", thread_id=THREAD, message_id=MESSAGE
        ),
    ),
    "getReports": OperationExample(
        {
            200: blocks_and_reports.OwnReports(
                [
                    blocks_and_reports.OwnReport(
                        _REPORT, _OPEN_CASE.subject, Reason.SCAM, "Wants to be paid outside.", SAID
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
                [moderation.CaseReport(_REPORT, MAYA, Reason.SCAM, "Paid outside?", SAID)], None
            )
        }
    ),
    "getContextOfCase": OperationExample(
        {
            200: moderation.Context(
                moderation.CaseThread(
                    THREAD,
                    Kind.BOOKING,
                    Status.AWAITING_REPLY,
                    "Editorial in May",
                    list(ROW.participants),
                ),
                [SENT],
                0,
            )
        }
    ),
    "claimCase": OperationExample({200: _CLAIMED}),
    "decideCase": OperationExample(
        {200: _DECIDED}, moderation.NewDecision(Decision.WARN, 1, WORDS, "First time.")
    ),
    "getAuditLogOfCase": OperationExample({200: _AUDIT_LOG}),
    "getAuditLog": OperationExample({200: moderation.AuditLog([_DECIDED], NEXT)}),
    "getAuditLogOfPerson": OperationExample({200: _AUDIT_LOG}),
    "getSanctions": OperationExample(
        {
            200: moderation.Sanctions(
                user_id=JONAS,
                warnings=1,
                removals=1,
                suspensions=1,
                is_suspended=True,
                suspended_until=_ENDS,
                suspension_reason=WORDS,
                role=None,
                last_decision_at=LATER,
            )
        }
    ),
    "getSuspended": OperationExample(
        {200: moderation.SuspendedPeople([moderation.SuspendedPerson(JONAS, _ENDS, LATER)], None)}
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
                [notices.HeldMessage(HeldKind.MESSAGE, THREAD, "c-17", None, BODY, [], None, SAID)],
                None,
            )
        }
    ),
}
