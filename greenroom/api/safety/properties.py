"""Descriptions and lengths of the properties of safety."""

from collections.abc import Mapping

from greenroom.api.openapi.property import (
    Property,
    described,
    id_property,
    text_property,
    time_property,
)
from greenroom.files.names import MAX_NAME
from greenroom.messaging.text import MAX_TEXT
from greenroom.people import suspend
from greenroom.people.policy import MAX_CONTACT
from greenroom.safety.decide import MAX_NOTE, MAX_REASON
from greenroom.safety.models import MAX_EXCERPT
from greenroom.safety.rules import MAX_RULE_NAME

PROPERTIES: Mapping[str, Property] = {
    "blocks": described("The people whom the caller has blocked, the latest first."),
    "blockedAt": time_property("When the person was blocked."),
    "reportId": id_property("The report's id."),
    "reason": described("Why it is reported."),
    "note": text_property("A note in the writer's own words.", MAX_NOTE),
    "reportedAt": time_property("When it was reported."),
    "reports": described("The reports."),
    "NewReport.userId": id_property("The person to report. Leave out the other ids."),
    "NewReport.threadId": id_property(
        "The conversation to report, or the one that the message is in."
    ),
    "NewReport.messageId": id_property("The message to report."),
    "caseId": id_property("The case's id."),
    "cases": described("The open cases, oldest first."),
    "aboutUserId": id_property("The person whom the case is about."),
    "isOpen": described("Whether the case waits for a decision."),
    "openedAt": time_property("When the case was opened."),
    "Case.text": text_property("The text that the case is about.", MAX_TEXT),
    "Case.attachments": described(
        "The files of the message, the picture of the reported person while the case is open, or "
        "the file of an appeal: while they exist."
    ),
    "CaseFile.name": text_property("The file's name.", MAX_NAME),
    "CaseFile.type": text_property("The media type, found from the content.", 255),
    "CaseFile.size": described("Its size in bytes."),
    "CaseFile.band": described("How carefully it is shown: 0 show, 1 blur, 2 hide."),
    "resemblesRemoved": described("Whether it resembles a picture that a moderator removed."),
    "Subject.fileId": id_property("The file against whose band its owner appeals."),
    "Subject.band": described("The band of the file when its owner appealed."),
    "NewDecision.band": described(
        "The band of the file, with the decision `band` on an appeal: 0 show, 1 blur, 2 hide."
    ),
    "Entry.fileId": id_property("The file that was rated, looked at or appealed for."),
    "Entry.band": described("The band that was set: 0 show, 1 blur, 2 hide."),
    "ModerationNotice.fileId": id_property("The file whose band was judged."),
    "ModerationNotice.band": described("The band that was set: 0 show, 1 blur, 2 hide."),
    "Case.reports": described("How many people have reported it."),
    "Case.reasons": described("The reasons that the reports give."),
    "Case.verdict": text_property("The result of the automatic check.", MAX_RULE_NAME),
    "Case.policyHints": described("The hints that the author was given."),
    "policyTags": described("The rules that the text has broken."),
    "spamScore": described("How much it looks like spam, from 0 to 1."),
    "reporterUserId": id_property("Who reported it."),
    "claimedByUserId": id_property("The moderator who works on the case."),
    "claimedUntil": time_property("Until when the claim lasts."),
    "decisions": described("The decisions that can end the case."),
    "decision": described("How the case was decided."),
    "decidedAt": time_property("When it was decided."),
    "decidedByUserId": id_property("Who decided."),
    "NewDecision.version": described("The version of the case that the decision is based on."),
    "NewDecision.reason": text_property("The reason that the person sees.", MAX_REASON),
    "NewDecision.note": text_property("A note for staff. The person does not see it.", MAX_NOTE),
    "NewDecision.forGood": described("A suspension without an end: give this or `until`."),
    "NewDecision.until": time_property("When a suspension ends."),
    "until": time_property("When it ends."),
    "removes": described("Whether the decision removes the message."),
    "entries": described("The decisions, the latest first."),
    "Entry.decision": described("What was done."),
    "Entry.caseId": id_property("The case, or null for `reinstate`, `grant` and `revoke`."),
    "Entry.version": described("The version of the case."),
    "Entry.reason": text_property("The reason that the person sees.", MAX_REASON),
    "Entry.note": text_property("A note for staff.", MAX_NOTE),
    "Entry.role": described("The role that was granted or revoked."),
    "Case.reason": text_property("The reason that the person sees.", MAX_REASON),
    "Case.aboutRole": described("The staff role of that person. Only admins see such a case."),
    "Context.messages": described("The messages before and after it, in order."),
    "Context.position": described(
        "Where in `messages` the case belongs: the index of the reported message; of a held one, "
        "the index of the first message after it. Null for a conversation or a person."
    ),
    "isSuspended": described("Whether the person is suspended now."),
    "suspensionReason": text_property(
        "The reason for the suspension that the person sees.", suspend.MAX_REASON
    ),
    "suspendedAt": time_property("When the person was suspended."),
    "Sanctions.role": described("The person's staff role, or null."),
    "staff": described("The members of staff."),
    "StaffMember.role": described("`moderator` or `admin`; null once it is revoked."),
    "NewStaffRole.role": described("`moderator` or `admin`."),
    "NewStaffRole.note": text_property("A note for the audit log.", MAX_NOTE),
    "NewReinstatement.reason": text_property("The reason that the person sees.", MAX_REASON),
    "NewReinstatement.note": text_property("A note for the audit log.", MAX_NOTE),
    "noticeId": id_property("The notice's id."),
    "NoticeChanges.created": described("New notices that are not acknowledged yet."),
    "NoticeChanges.acknowledged": id_property(
        "Notices that were acknowledged on any device. Hide them."
    ),
    "notices": described("The caller's notices that are not acknowledged yet."),
    "contact": text_property(
        "Whom to contact about a decision: an e-mail address or a URL.", MAX_CONTACT
    ),
    "excerpt": text_property("The beginning of the message.", MAX_EXCERPT),
    "ModerationNotice.kind": described("What was decided."),
    "ModerationNotice.createdAt": time_property("When it was decided."),
    "ModerationNotice.reason": text_property("The moderator's reason.", MAX_REASON),
    "ModerationNotice.until": time_property("When a suspension ends; null if it has no end."),
    "held": described("The caller's messages that wait for a moderator."),
    "heldAt": time_property("When the message was held."),
    "warned": described("Whether the sender of a rejected message was warned."),
    "Sending.reason": text_property(
        "The moderator's reason for rejecting the message.", MAX_REASON
    ),
    "HeldOutcome.status": described("`held`, `sent` or `rejected`."),
    "HeldOutcome.reason": text_property(
        "The moderator's reason for rejecting the message.", MAX_REASON
    ),
    "warnings": described("How often the person was warned."),
    "removals": described("How many messages of the person were removed."),
    "suspensions": described("How often the person was suspended."),
    "suspendedUntil": time_property("When the suspension ends, or null."),
    "lastDecisionAt": time_property("When the last decision about the person was made."),
}


PARAMETERS: Mapping[str, str] = {
    "caseId": "The case's id.",
    "tag": "Only cases that break this rule.",
}
