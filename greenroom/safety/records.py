"""Tables, keys and items of blocks, reports and moderation; and of the table of expiring items.

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
       └─ PENDING_ENFORCEMENT#{version}   a decision that is not enforced yet

    ModerationQueue   queueKey, queuedAt   open cases; pending decisions; each month's audit log;
                                           suspended users, by the end of the suspension
    ByPerson          aboutKey, aboutAt    a user's open cases; a user's audit log

    Ephemeral
    ├─ TYPING#{threadId}
    │  └─ {userId}                    10 s
    ├─ PRESENCE#{threadId}
    │  └─ {userId}                    60 s
    ├─ RATE#{userId}
    │  └─ {limit}                     as long as its window
    ├─ PENDING#{senderId}
    │  └─ {targetUserId}              until the sender may ask again
    └─ CLOCK
       └─ CLOCK                       the highest time that the server has used

Safety is the lowest context that uses Ephemeral, and so declares it for those above. Losing an item
of it loses no message and no permission: at most a request is made, or a limit counted, once more.
"""

from decimal import Decimal
from typing import Any

import msgspec
from msgspec import Struct

from greenroom.clock import iso
from greenroom.ids import NoticeId, UserId, time_of
from greenroom.people.models import FOREVER_MS
from greenroom.safety.models import (
    AuditEntry,
    Block,
    Case,
    CaseId,
    Decision,
    HeldEdit,
    HeldMessage,
    HeldName,
    ModerationNotice,
    NoticeKind,
    Report,
    Sanctions,
)
from greenroom.safety.verdict import PolicyTag, worst
from greenroom.store.base import Delete, Key, Op, Put, Update
from greenroom.store.ephemeral import EPHEMERAL, EPHEMERAL_TTL
from greenroom.store.expressions import Action, Condition, F, Range
from greenroom.store.tables import Index, Kind, Projection, Table
from greenroom.store.values import Item, Value

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
            "PENDING_ENFORCEMENT#{version}",
            "A decision that is not enforced yet; deleted once it is.",
        ),
    ),
    indexes=(MODERATION_QUEUE, BY_PERSON),
    stream=True,
)

LEASES = "leases"
"""`[[at, count], …]`: the leases that nodes took of a user's limit in the current window."""


TABLES: tuple[Table, ...] = (SAFETY,)

_ABSENT = F("pk").absent()


class Lease(Struct, frozen=True, array_like=True):
    at_ms: int
    count: int


# Limits


def rate_key(user: UserId, limit: str) -> Key:
    return Key(f"RATE#{user}", limit)


def leases_of(item: Item | None) -> tuple[Lease, ...]:
    return () if item is None else msgspec.convert(item[LEASES], tuple[Lease, ...])


def leased(key: Key, before: Item | None, leases: tuple[Lease, ...], gone_ms: int) -> Put:
    """Puts the new leases if they have not changed since they were read."""
    condition = _ABSENT if before is None else F(LEASES).equals(before[LEASES])
    item = _at(key) | {
        LEASES: msgspec.to_builtins(leases),
        EPHEMERAL_TTL: gone_ms // 1000 + 1,
    }
    return Put(EPHEMERAL, item, condition)


# Blocks


def user_partition(user: UserId) -> str:
    return f"USER#{user}"


def block_key(blocker: UserId, blocked: UserId) -> Key:
    return Key(user_partition(blocker), BLOCK + blocked)


def blocked(block: Block) -> Put:
    return Put(SAFETY, _at(block_key(block.blocker, block.blocked)) | _written(block), _ABSENT)


def unblocked(blocker: UserId, blocked: UserId) -> Delete:
    return Delete(SAFETY, block_key(blocker, blocked))


def block_of(item: Item) -> Block:
    return msgspec.convert(item, Block)


# Cases


def case_partition(case: CaseId) -> str:
    return f"CASE#{case}"


def case_key(case: CaseId) -> Key:
    return Key(case_partition(case), "CASE")


def case_of(item: Item) -> Case:
    return msgspec.convert(item, Case)


def held_key(author: UserId, case: Case) -> Key:
    return Key(user_partition(author), f"{HELD}{iso(case.opened_ms)}#{case.id}")


def held(case: Case) -> Put:
    """Lists the held text for its author, oldest first. The case has the text."""
    assert case.about is not None
    return Put(SAFETY, _at(held_key(case.about, case)) | {"caseId": case.id})


def case_in(item: Item) -> CaseId:
    return CaseId(str(item["caseId"]))


def opened(case: Case, text_digest: str, before: Case | None = None) -> Put:
    """A new case; or, with `before`, that closed case reopened."""
    item = _at(case_key(case.id)) | _written(case) | _queue_attributes(case)
    if text_digest:
        item[TEXT_DIGEST] = text_digest
    if before is None:
        return Put(SAFETY, item, _ABSENT)
    is_closed = F("isOpen").equals(False)
    return Put(SAFETY, item, F("version").equals(before.version) & is_closed)


def reported_again(before: Case, after: Case) -> Update:
    """Adds a report to a case, and reopens it if it was closed."""
    changed = {name: value for name, value in _written(after).items() if name not in _KEPT}
    sets = [F(name).set(value) for name, value in (changed | _queue_attributes(after)).items()]
    return Update(SAFETY, case_key(after.id), tuple(sets), F("version").equals(before.version))


def report_key(case: CaseId, reporter: UserId) -> Key:
    return Key(case_partition(case), REPORT + reporter)


def reported(report: Report) -> tuple[Put, Put]:
    """The report under its case, if the reporter has none there; and under the reporter."""
    own = Key(user_partition(report.reporter), REPORT + report.id)
    return (
        Put(SAFETY, _at(report_key(report.case, report.reporter)) | _written(report), _ABSENT),
        Put(SAFETY, _at(own) | _written(report)),
    )


def report_of(item: Item) -> Report:
    return msgspec.convert(item, Report)


def claimed(case: Case, by: UserId, now_ms: int, longest_ms: int) -> Update:
    free = (
        F("claimedBy").absent()
        | F("claimedBy").equals(by)
        | F("claimedUntilMs").at_most(now_ms)
        | F("claimedUntilMs").more_than(now_ms + longest_ms)
    )
    sets = (F("claimedBy").set(by), F("claimedUntilMs").set(now_ms + longest_ms))
    return Update(SAFETY, case_key(case.id), sets, F("isOpen").equals(True) & free)


def decided(
    before: Case, entry: AuditEntry, notice: ModerationNotice | None, *, pending: bool
) -> tuple[Op, ...]:
    """Closes the case at the version that was seen, with its audit entry and consequences."""
    seen: Condition = F("version").equals(before.version) & F("isOpen").equals(True)
    if entry.decision is not Decision.FOLDED:
        seen = seen & F("claimedBy").equals(entry.by)
    ops: list[Op] = [
        Update(SAFETY, case_key(before.id), _closing(entry), seen),
        Put(SAFETY, _audit_item(entry), _ABSENT),
    ]
    if pending:
        ops.append(Put(SAFETY, _pending(entry), _ABSENT))
    if isinstance(before.subject, HeldMessage | HeldEdit | HeldName):
        ops.append(Delete(SAFETY, held_key(before.subject.author, before)))
    if notice is not None:
        ops.append(notice_put(notice))
    if entry.about is not None and (sanctions := _sanctions(entry.about, entry)):
        ops.append(Update(SAFETY, sanctions_key(entry.about), sanctions))
    return tuple(ops)


def reinstated(user: UserId, entry: AuditEntry, notice: ModerationNotice) -> tuple[Op, ...]:
    lifted = (
        F("reinstatedMs").set(entry.at_ms),
        F("suspendedUntilMs").remove(),
        F(QUEUE_KEY).remove(),
        F(QUEUED_AT).remove(),
    )
    return (
        logged(entry),
        notice_put(notice),
        Update(SAFETY, sanctions_key(user), lifted),
    )


def logged(entry: AuditEntry) -> Put:
    """An audit entry without a case."""
    return Put(SAFETY, _audit_item(entry), _ABSENT)


def enforced(case: CaseId, version: int) -> Delete:
    return Delete(SAFETY, pending_enforcement_key(case, version))


# Notices


def notice_key(notice: ModerationNotice) -> Key:
    return Key(user_partition(notice.user), f"{NOTICE}{iso(notice.at_ms)}#{notice.id}")


def notice_key_of(user: UserId, notice: NoticeId) -> Key | None:
    """Derived from the id; None if the id is not valid."""
    ms = time_of(notice)
    return None if ms is None else Key(user_partition(user), f"{NOTICE}{iso(ms)}#{notice}")


def notice_put(notice: ModerationNotice) -> Put:
    return Put(SAFETY, _at(notice_key(notice)) | _written(notice))


def rejected_after_all(notice: ModerationNotice) -> Update:
    """For a released text that could not be added to its thread."""
    kind = F("kind").set(NoticeKind.REJECTED.value)
    return Update(SAFETY, notice_key(notice), (kind,), F("pk").exists())


def acknowledged(notice: ModerationNotice, at_ms: int) -> tuple[Op, ...]:
    key = Key(user_partition(notice.user), f"{NOTED}{iso(at_ms)}#{notice.id}")
    item = _at(key) | _written(notice) | {"acknowledgedMs": at_ms}
    return (
        Delete(SAFETY, notice_key(notice), F("pk").exists()),
        Put(SAFETY, item),
    )


def acknowledged_since(since_ms: int) -> Range:
    """Notices acknowledged since then, and all unacknowledged ones. One range, because `NOTED#`
    sorts right before `NOTICE#`."""
    return Range(f"{NOTED}{iso(max(0, since_ms))}", f"{NOTICE}~")


def acknowledged_ms(item: Item) -> int | None:
    """When the notice was acknowledged; None if it was not."""
    at_ms = item.get("acknowledgedMs")
    return None if at_ms is None else int(str(at_ms))


def notice_of(item: Item) -> ModerationNotice:
    return msgspec.convert(item, ModerationNotice)


def audit_key(case: CaseId, version: int) -> Key:
    return Key(case_partition(case), f"{AUDIT}{version:08d}")


def pending_enforcement_key(case: CaseId, version: int) -> Key:
    return Key(case_partition(case), f"{PENDING_ENFORCEMENT}#{version:08d}")


def entry_of(item: Item) -> AuditEntry:
    """From an AUDIT#, a PENDING_ENFORCEMENT#, or an entry of ByPerson."""
    return msgspec.convert(item, AuditEntry)


def sanctions_key(user: UserId) -> Key:
    return Key(user_partition(user), "SANCTIONS")


def suspended_user_in(item: Item) -> UserId:
    """From a SANCTIONS item in the list of suspended users."""
    return UserId(str(item["pk"]).removeprefix("USER#"))


def suspended_at(until_ms: int, user: str) -> str:
    return f"{iso(until_ms)}#{user}"


def sanctions_of(user: UserId, item: Item | None) -> Sanctions:
    return msgspec.convert({**(item or {}), "user": user}, Sanctions)


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
    return f"{iso(entry.at_ms)}#{entry.case or entry.id}#{entry.version:08d}"


def queued_at(case: Case) -> str:
    return f"{iso(case.opened_ms)}#{case.id}"


def just_after(ms: int) -> str:
    """Everything queued up to then sorts before this."""
    return iso(ms + 1)


def _queue_attributes(case: Case) -> dict[str, Value]:
    at = queued_at(case)
    queue: dict[str, Value] = {
        QUEUE_KEY: queue_partition(worst(case.policy_tags)),
        QUEUED_AT: at,
    }
    about = {} if case.about is None else {ABOUT_KEY: open_partition(case.about), ABOUT_AT: at}
    return queue | about


_KEPT = frozenset({"caseId", "subject", "text", "replyTo", "claimedBy", "claimedUntilMs"})
"""What another report does not change."""


def _closing(entry: AuditEntry) -> tuple[Action, ...]:
    gone = (QUEUE_KEY, QUEUED_AT, ABOUT_KEY, ABOUT_AT, "claimedBy", "claimedUntilMs")
    return (
        F("isOpen").set(False),
        F("version").set(entry.version),
        F("decision").set(entry.decision.value),
        F("decidedBy").set(entry.by),
        F("decidedMs").set(entry.at_ms),
        F("reason").set(entry.reason),
        *(F(name).remove() for name in gone),
    )


def _audit_item(entry: AuditEntry) -> Item:
    at = decided_at(entry)
    item = _at(_audit_key(entry)) | _written(entry)
    item |= {QUEUE_KEY: month_partition(month_of(at)), QUEUED_AT: at}
    if entry.about is None:
        return item
    return item | {ABOUT_KEY: audit_partition(entry.about), ABOUT_AT: at}


def _audit_key(entry: AuditEntry) -> Key:
    if entry.case is not None:
        return audit_key(entry.case, entry.version)
    assert entry.about is not None
    return Key(user_partition(entry.about), f"{AUDIT}{iso(entry.at_ms)}#{entry.id}")


def _pending(entry: AuditEntry) -> Item:
    assert entry.case is not None
    queued = {QUEUE_KEY: PENDING_ENFORCEMENT, QUEUED_AT: f"{iso(entry.at_ms)}#{entry.case}"}
    return _at(pending_enforcement_key(entry.case, entry.version)) | _written(entry) | queued


def _sanctions(user: UserId, entry: AuditEntry) -> tuple[Action, ...]:
    last = F("lastDecisionMs").set(entry.at_ms)
    match entry.decision:
        case Decision.REMOVE:
            return (F("removals").add(1), last)
        case Decision.WARN:
            return (F("warnings").add(1), last)
        case Decision.SUSPEND:
            until_ms = FOREVER_MS if entry.until_ms is None else entry.until_ms
            return (
                F("suspensions").add(1),
                F("suspendedUntilMs").set(until_ms),
                F(QUEUE_KEY).set(SUSPENDED),
                F(QUEUED_AT).set(suspended_at(until_ms, user)),
                last,
            )
        case _:
            return ()


def _at(key: Key) -> dict[str, Value]:
    return {"pk": key.partition, "sk": key.sort}


def _written(struct: Struct) -> dict[str, Any]:
    """Leaves out empty values."""
    values = msgspec.to_builtins(struct, builtin_types=(Decimal,))
    return {name: value for name, value in values.items() if value not in (None, "", [])}
