"""Tables and keys of blocks, reports and moderation; and the keys of rate limits.

    Safety
    ├─ USER#{userId}
    │  ├─ BLOCK#{blockedUserId}       whom the user has blocked
    │  ├─ REPORT#{reportId}           what the user has reported
    │  ├─ HELD#{at}#{caseId}          a message, edit or name that waits for a moderator
    │  ├─ NOTICE#{at}#{noticeId}      a moderation notice, until acknowledged
    │  ├─ NOTED#{at}#{noticeId}       the same, acknowledged at that time
    │  ├─ AUDIT#{at}#{entryId}        reinstated, or a staff role granted or revoked
    │  └─ SANCTIONS                   warnings, removals and suspensions of the user
    └─ CASE#{caseId}                  the id is derived from the subject
       ├─ CASE                        the case about one message, held text, thread or user
       ├─ REPORT#{reporterId}         each reporter's report
       ├─ AUDIT#{version}             an audit entry: put, never changed
       ├─ AUDIT#{version}#{entryId}   the same, of something that did not end the case
       └─ PENDING_ENFORCEMENT#{version}   a decision that is not enforced yet

    ModerationQueue   queueKey, queuedAt   open cases; pending decisions; each month's audit log;
                                           suspended users, by the end of the suspension
    ByPerson          aboutKey, aboutAt    a user's open cases; a user's audit log

    Ephemeral
    └─ RATE#{userId}
       └─ {limit}                     as long as its window

All contexts share Ephemeral, which store/ephemeral.py declares.
"""

from greenroom.clock import iso
from greenroom.ids import NoticeId, UserId, time_of
from greenroom.safety.models import AuditEntry, Case, CaseId, ModerationNotice, Report
from greenroom.safety.verdict import PolicyTag
from greenroom.store.base import Key
from greenroom.store.expressions import Range
from greenroom.store.tables import Index, Kind, Projection, Table
from greenroom.store.values import Item

QUEUE_KEY = "queueKey"
"""`QUEUE#{tag}` on an open case: the worst of its policy tags, or `OTHER`. `PENDING_ENFORCEMENT` on
a decision until it is enforced. `DECIDED#{month}` on an audit entry. `SUSPENDED` on the sanctions
of a suspended user."""

QUEUED_AT = "queuedAt"
"""`{at}#{caseId}`: when the case was opened or reopened; on an audit entry the time of the
decision, and the version. `{until}#{userId}` of a suspension."""

ABOUT_KEY = "aboutKey"
"""`OPEN#{userId}` on an open case, `AUDIT#{userId}` on an audit entry."""

ABOUT_AT = "aboutAt"
"""`{at}#{caseId}`."""

TEXT_DIGEST = "textDigest"
"""Of the text of a case: cases with the same text are closed together."""

BLOCK = "BLOCK#"
REPORT = "REPORT#"
AUDIT = "AUDIT#"
PENDING_ENFORCEMENT = "PENDING_ENFORCEMENT"
SUSPENDED = "SUSPENDED"
HELD = "HELD#"
NOTICE = "NOTICE#"
NOTED = "NOTED#"
_OTHER = "OTHER"

MODERATION_QUEUE = Index(
    "ModerationQueue",
    QUEUE_KEY,
    QUEUED_AT,
    Projection.ALL,
    "The open cases with one policy tag, oldest first; a case that is closed leaves it. "
    "Also the decisions that are not enforced yet, the audit log by month, and suspended users, "
    "by the end of the suspension.",
)

BY_PERSON = Index(
    "ByPerson",
    ABOUT_KEY,
    ABOUT_AT,
    (
        "caseId",
        "version",
        TEXT_DIGEST,
        "atMs",
        "by",
        "decision",
        "about",
        "removes",
        "note",
        "untilMs",
        "reason",
        "role",
        "entryId",
        "fileId",
        "band",
    ),
    "The open cases about one user, and the audit log about the user.",
)

SAFETY = Table(
    "Safety",
    "Blocks, reports, cases, and the audit log of moderation.",
    kinds=(
        Kind(
            "USER#{userId}",
            "BLOCK#{blockedUserId}",
            "A block. To check a pair, read two keys, one in each direction.",
        ),
        Kind("USER#{userId}", "REPORT#{reportId}", "A report by the user, and its case."),
        Kind("USER#{userId}", "HELD#{at}#{caseId}", "A message, edit or name that is held."),
        Kind(
            "USER#{userId}",
            "NOTICE#{at}#{noticeId}",
            "A moderation notice: kind, reason, and the message in question.",
        ),
        Kind(
            "USER#{userId}",
            "NOTED#{at}#{noticeId}",
            "An acknowledged notice, by the time of the acknowledgement.",
        ),
        Kind(
            "USER#{userId}",
            "AUDIT#{at}#{entryId}",
            "The user was reinstated, or a staff role was granted or revoked. Append-only.",
        ),
        Kind("USER#{userId}", "SANCTIONS", "Warnings, removals and suspensions of the user."),
        Kind(
            "CASE#{caseId}",
            "CASE",
            "A case about one reported or held subject: its text, policy tags, spam "
            "score, number of reports, version, and who has claimed it until when.",
        ),
        Kind(
            "CASE#{caseId}",
            "REPORT#{reporterId}",
            "A report with its reason. One per reporter.",
        ),
        Kind(
            "CASE#{caseId}",
            "AUDIT#{version}",
            "An audit entry: who did what, when and why. Append-only.",
        ),
        Kind(
            "CASE#{caseId}",
            "AUDIT#{version}#{entryId}",
            "An audit entry of what did not end the case: a file's band was set, or a moderator "
            "looked at a file without its blur. Append-only.",
        ),
        Kind(
            "CASE#{caseId}",
            "PENDING_ENFORCEMENT#{version}",
            "A decision that is not enforced yet; deleted once it is.",
        ),
    ),
    indexes=(MODERATION_QUEUE, BY_PERSON),
    stream=True,
)

TABLES: tuple[Table, ...] = (SAFETY,)

EPHEMERAL_KINDS = (
    Kind(
        "RATE#{userId}",
        "{limit}",
        "The leases that nodes took of a limit in the current window.",
    ),
)


# Limits


def rate_key(user: UserId, limit: str) -> Key:
    """In Ephemeral: the leases of a limit."""
    return Key(f"RATE#{user}", limit)


# Blocks


def user_partition(user: UserId) -> str:
    return f"USER#{user}"


def block_key(blocker: UserId, blocked: UserId) -> Key:
    return Key(user_partition(blocker), BLOCK + blocked)


# Cases


def case_partition(case: CaseId) -> str:
    return f"CASE#{case}"


def case_key(case: CaseId) -> Key:
    return Key(case_partition(case), "CASE")


def held_key(author: UserId, case: Case) -> Key:
    return Key(user_partition(author), f"{HELD}{iso(case.opened_ms)}#{case.id}")


def report_key(case: CaseId, reporter: UserId) -> Key:
    return Key(case_partition(case), REPORT + reporter)


def own_report_key(report: Report) -> Key:
    return Key(user_partition(report.reporter), REPORT + report.id)


# Notices


def notice_key(notice: ModerationNotice) -> Key:
    return Key(user_partition(notice.user), f"{NOTICE}{iso(notice.at_ms)}#{notice.id}")


def noted_key(notice: ModerationNotice, at_ms: int) -> Key:
    return Key(user_partition(notice.user), f"{NOTED}{iso(at_ms)}#{notice.id}")


def notice_key_of(user: UserId, notice: NoticeId) -> Key | None:
    """Derived from the id; None if the id is not valid."""
    ms = time_of(notice)
    return None if ms is None else Key(user_partition(user), f"{NOTICE}{iso(ms)}#{notice}")


def acknowledged_since(since_ms: int) -> Range:
    """Notices acknowledged since then, and all unacknowledged ones. One range, because `NOTED#`
    sorts right before `NOTICE#`."""
    return Range(f"{NOTED}{iso(max(0, since_ms))}", f"{NOTICE}~")


def audit_key(case: CaseId, version: int) -> Key:
    return Key(case_partition(case), f"{AUDIT}{version:08d}")


def entry_key(entry: AuditEntry) -> Key:
    """An entry without a case is under its user."""
    if entry.case is not None:
        key = audit_key(entry.case, entry.version)
        return Key(key.partition, f"{key.sort}#{entry.id}") if entry.id else key
    assert entry.about is not None
    return Key(user_partition(entry.about), f"{AUDIT}{iso(entry.at_ms)}#{entry.id}")


def pending_enforcement_key(case: CaseId, version: int) -> Key:
    return Key(case_partition(case), f"{PENDING_ENFORCEMENT}#{version:08d}")


def sanctions_key(user: UserId) -> Key:
    return Key(user_partition(user), "SANCTIONS")


def suspended_user_in(item: Item) -> UserId:
    """From a SANCTIONS item in the list of suspended users."""
    return UserId(str(item["pk"]).removeprefix("USER#"))


def suspended_at(until_ms: int, user: str) -> str:
    return f"{iso(until_ms)}#{user}"


# Indexes


def queue_partition(tag: PolicyTag | None) -> str:
    return f"QUEUE#{_OTHER if tag is None else tag.value}"


def open_partition(user: UserId) -> str:
    return f"OPEN#{user}"


def audit_partition(user: UserId) -> str:
    return f"{AUDIT}{user}"


def month_partition(month: str) -> str:
    return f"DECIDED#{month}"


def month_of(at: str) -> str:
    return at[:7]


def decided_at(entry: AuditEntry) -> str:
    at = f"{iso(entry.at_ms)}#{entry.case or entry.id}#{entry.version:08d}"
    return f"{at}#{entry.id}" if entry.case is not None and entry.id else at


def pending_at(at_ms: int, case: CaseId) -> str:
    return f"{iso(at_ms)}#{case}"


def queued_at(case: Case) -> str:
    return f"{iso(case.opened_ms)}#{case.id}"


def just_after(ms: int) -> str:
    """Everything queued up to then sorts before this."""
    return iso(ms + 1)
