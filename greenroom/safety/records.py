"""Blocks, reports and moderation; and the one table whose items pass by themselves.

    Safety
    ├─ USER#{userId}
    │  ├─ BLOCK#{blockedUserId}       whom the user has blocked
    │  ├─ REPORT#{reportId}           what the user has reported
    │  ├─ HELD#{at}#{caseId}          a message, edit or name that waits for a moderator
    │  ├─ NOTICE#{at}#{noticeId}      what moderation tells the user, until acknowledged
    │  ├─ NOTED#{at}#{noticeId}       the same, acknowledged at that time
    │  ├─ RECORD#{at}#{entryId}       reinstated, or a staff role granted or revoked
    │  └─ STANDING                    what moderation has decided about the user
    └─ CASE#{caseId}                  the id follows from the subject
       ├─ CASE                        the case about one message, held text, thread or user
       ├─ REPORT#{reporterId}         each reporter's report
       ├─ RECORD#{version}            what a moderator did; put, never changed
       └─ UNDONE#{version}            what was decided and is not carried out yet

    ModerationQueue   queueKey, queuedAt   cases that wait; what is undone; each month's record;
                                           suspended users, by when it ends
    ByPerson          aboutKey, aboutAt    a user's open cases; a user's record

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
       └─ CLOCK                       the time that the server has reached

Safety is the lowest context that needs Ephemeral, and so declares it for those above. Losing an
item of it costs nobody a message or a right: at most somebody is asked, or written to, once more.
"""

from decimal import Decimal
from typing import Any

import msgspec
from msgspec import Struct

from greenroom.clock import iso
from greenroom.ids import NoticeId, UserId, time_of
from greenroom.people.models import FOREVER_MS
from greenroom.safety.models import (
    Block,
    Case,
    CaseId,
    Decision,
    Entry,
    HeldEdit,
    HeldMessage,
    HeldName,
    ModerationNotice,
    NoticeKind,
    Report,
    Standing,
)
from greenroom.safety.verdict import PolicyTag, worst
from greenroom.store.base import Delete, Key, Op, Put, Update
from greenroom.store.expressions import Action, Condition, F, Range
from greenroom.store.tables import Index, Kind, Projects, Table
from greenroom.store.values import Item, Value

QUEUE_KEY = "queueKey"
"""`QUEUE#{tag}`, on a case while it waits: the worst of its policy tags, or `OTHER`. `UNDONE`, on
a decision until it is carried out. `DECIDED#{month}`, on a line of the record. `SUSPENDED`, on the
standing of a suspended user."""

QUEUED_AT = "queuedAt"
"""`{at}#{caseId}`: when the case was opened, or opened again; on a line of the record, of its
decision, with the version. `{until}#{userId}` of a suspension."""

ABOUT_KEY = "aboutKey"
"""`OPEN#{userId}` on a case while it waits, `RECORD#{userId}` on a line of the record."""

ABOUT_AT = "aboutAt"
"""`{at}#{caseId}`."""

TEXT_DIGEST = "textDigest"
"""Of the text of a case: what is the same folds up together."""

BLOCK = "BLOCK#"
REPORT = "REPORT#"
RECORD = "RECORD#"
UNDONE = "UNDONE"
SUSPENDED = "SUSPENDED"
HELD = "HELD#"
NOTICE = "NOTICE#"
NOTED = "NOTED#"
_OTHER = "OTHER"

MODERATION_QUEUE = Index(
    "ModerationQueue",
    QUEUE_KEY,
    QUEUED_AT,
    Projects.ALL,
    "The open cases with one policy tag, oldest first; a case that is closed leaves it. "
    "And the decisions that are still to be carried out; all that were made in a month; and the "
    "suspended users, by when the suspension ends.",
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
    "The open cases about one user, and what moderators decided about the user.",
)

SAFETY = Table(
    "Safety",
    "Who has blocked whom, what was reported, and what moderators did about it.",
    kinds=(
        Kind(
            "USER#{userId}",
            "BLOCK#{blockedUserId}",
            "A block. Whether two users may meet is one read of two keys, one in each direction.",
        ),
        Kind("USER#{userId}", "REPORT#{reportId}", "What the user has reported, and its case."),
        Kind("USER#{userId}", "HELD#{at}#{caseId}", "A message, edit or name that is held."),
        Kind(
            "USER#{userId}",
            "NOTICE#{at}#{noticeId}",
            "What moderation tells the user: kind, reason, and the message that it is about.",
        ),
        Kind(
            "USER#{userId}",
            "NOTED#{at}#{noticeId}",
            "A notice that the user acknowledged, by when that was.",
        ),
        Kind(
            "USER#{userId}",
            "RECORD#{at}#{entryId}",
            "The user was reinstated, or a staff role was granted or revoked. Append-only.",
        ),
        Kind("USER#{userId}", "STANDING", "Warnings, and until when the user is suspended."),
        Kind(
            "CASE#{caseId}",
            "CASE",
            "One case for each thing reported or held: its subject and text, policy tags, spam "
            "score, number of reports, version, and who has claimed it until when.",
        ),
        Kind(
            "CASE#{caseId}",
            "REPORT#{reporterId}",
            "A report with its reason. Reporting the same thing twice makes one report.",
        ),
        Kind(
            "CASE#{caseId}",
            "RECORD#{version}",
            "Who did what, when and why. Append-only: put where there is none, never changed.",
        ),
        Kind(
            "CASE#{caseId}",
            "UNDONE#{version}",
            "A decision on its way: written with it, gone when it is carried out.",
        ),
    ),
    indexes=(MODERATION_QUEUE, BY_PERSON),
    stream=True,
)

EPHEMERAL_TTL = "expiresAt"
"""The second from which the item is gone."""

LEASES = "leases"
"""`[[at, how many], …]`: what nodes have taken of a user's limit within its window."""

EPHEMERAL = Table(
    "Ephemeral",
    "What passes by itself: typing, presence, rates and pending requests. Nothing follows it.",
    kinds=(
        Kind("TYPING#{threadId}", "{userId}", "Is typing in the thread; gone after 10 s."),
        Kind("PRESENCE#{threadId}", "{userId}", "Was last seen in the thread; gone after 60 s."),
        Kind(
            "RATE#{userId}",
            "{limit}",
            "How much of a limit the nodes have taken in this window, in steps: "
            "message starts in the hour, messages in a burst.",
        ),
        Kind(
            "PENDING#{senderId}",
            "{targetUserId}",
            "The request that the sender has made of somebody: no other may start while it stands.",
        ),
        Kind(
            "CLOCK",
            "CLOCK",
            "The time that the server has reached, its epoch, and which node wrote it; stays.",
        ),
    ),
    ttl=EPHEMERAL_TTL,
)

TABLES: tuple[Table, ...] = (SAFETY, EPHEMERAL)

_ABSENT = F("pk").absent()


class Lease(Struct, frozen=True, array_like=True):
    at_ms: int
    count: int


CLOCK_KEY = Key("CLOCK", "CLOCK")


# Limits


def rate_key(user: UserId, limit: str) -> Key:
    return Key(f"RATE#{user}", str.__str__(limit))


def leases_of(item: Item | None) -> tuple[Lease, ...]:
    return () if item is None else msgspec.convert(item[LEASES], tuple[Lease, ...])


def leased(key: Key, before: Item | None, leases: tuple[Lease, ...], gone_ms: int) -> Put:
    """The leases as they now are, if they are still as they were read."""
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
    """So that the author can list what is held, oldest first. The case has the text."""
    assert case.about is not None
    return Put(SAFETY, _at(held_key(case.about, case)) | {"caseId": case.id})


def case_in(item: Item) -> CaseId:
    return CaseId(str(item["caseId"]))


def opened(case: Case, text_digest: str, before: Case | None = None) -> Put:
    """A new case; or, with the closed case of `before`, the same case opened again."""
    item = _at(case_key(case.id)) | _written(case) | _waiting(case)
    if text_digest:
        item[TEXT_DIGEST] = text_digest
    if before is None:
        return Put(SAFETY, item, _ABSENT)
    is_closed = F("isOpen").equals(False)
    return Put(SAFETY, item, F("version").equals(before.version) & is_closed)


def reported_again(before: Case, after: Case) -> Update:
    """A report more about a case, which is open again if it was closed."""
    changed = {name: value for name, value in _written(after).items() if name not in _KEPT}
    sets = [F(name).set(value) for name, value in (changed | _waiting(after)).items()]
    return Update(SAFETY, case_key(after.id), tuple(sets), F("version").equals(before.version))


def report_key(case: CaseId, reporter: UserId) -> Key:
    return Key(case_partition(case), REPORT + reporter)


def reported(report: Report) -> tuple[Put, Put]:
    """The report under its case, where there is none of this reporter; and the reporter's own."""
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
    before: Case, entry: Entry, notice: ModerationNotice | None, *, undone: bool
) -> tuple[Op, ...]:
    """Closes the case as it was seen, with its line of the record and what follows from it."""
    seen: Condition = F("version").equals(before.version) & F("isOpen").equals(True)
    if entry.decision is not Decision.FOLDED:
        seen = seen & F("claimedBy").equals(entry.by)
    ops: list[Op] = [
        Update(SAFETY, case_key(before.id), _closing(entry), seen),
        Put(SAFETY, _record(entry), _ABSENT),
    ]
    if undone:
        ops.append(Put(SAFETY, _undone(entry), _ABSENT))
    if isinstance(before.subject, HeldMessage | HeldEdit | HeldName):
        ops.append(Delete(SAFETY, held_key(before.subject.author, before)))
    if notice is not None:
        ops.append(noticed(notice))
    if entry.about is not None and (standing := _standing(entry.about, entry)):
        ops.append(Update(SAFETY, standing_key(entry.about), standing))
    return tuple(ops)


def reinstated(user: UserId, entry: Entry, notice: ModerationNotice) -> tuple[Op, ...]:
    lifted = (
        F("reinstatedMs").set(entry.at_ms),
        F("suspendedUntilMs").remove(),
        F(QUEUE_KEY).remove(),
        F(QUEUED_AT).remove(),
    )
    return (
        recorded(entry),
        noticed(notice),
        Update(SAFETY, standing_key(user), lifted),
    )


def recorded(entry: Entry) -> Put:
    """A line of the audit log that belongs to no case."""
    return Put(SAFETY, _record(entry), _ABSENT)


def carried_out(case: CaseId, version: int) -> Delete:
    return Delete(SAFETY, undone_key(case, version))


# Notices


def notice_key(notice: ModerationNotice) -> Key:
    return Key(user_partition(notice.user), f"{NOTICE}{iso(notice.at_ms)}#{notice.id}")


def notice_key_of(user: UserId, notice: NoticeId) -> Key | None:
    """From the id alone; None where it is none."""
    ms = time_of(notice)
    return None if ms is None else Key(user_partition(user), f"{NOTICE}{iso(ms)}#{notice}")


def noticed(notice: ModerationNotice) -> Put:
    return Put(SAFETY, _at(notice_key(notice)) | _written(notice))


def rejected_after_all(notice: ModerationNotice) -> Update:
    """Of a text that was to be released and could not enter its thread."""
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
    """The notices acknowledged since then, and all that are not acknowledged: one range, because
    `NOTED#` sorts right before `NOTICE#`."""
    return Range(f"{NOTED}{iso(max(0, since_ms))}", f"{NOTICE}~")


def acknowledged_ms(item: Item) -> int | None:
    """When a notice was acknowledged; None while it is not."""
    at_ms = item.get("acknowledgedMs")
    return None if at_ms is None else int(str(at_ms))


def notice_of(item: Item) -> ModerationNotice:
    return msgspec.convert(item, ModerationNotice)


def record_key(case: CaseId, version: int) -> Key:
    return Key(case_partition(case), f"{RECORD}{version:08d}")


def undone_key(case: CaseId, version: int) -> Key:
    return Key(case_partition(case), f"{UNDONE}#{version:08d}")


def entry_of(item: Item) -> Entry:
    """From a RECORD#, an UNDONE#, or an entry of ByPerson."""
    return msgspec.convert(item, Entry)


def standing_key(user: UserId) -> Key:
    return Key(user_partition(user), "STANDING")


def suspended_user_in(item: Item) -> UserId:
    """From a STANDING in the list of suspended users."""
    return UserId(str(item["pk"]).removeprefix("USER#"))


def suspended_at(until_ms: int, user: str) -> str:
    return f"{iso(until_ms)}#{user}"


def standing_of(user: UserId, item: Item | None) -> Standing:
    return msgspec.convert({**(item or {}), "user": user}, Standing)


# Indexes


def queue_partition(tag: PolicyTag | None) -> str:
    return f"QUEUE#{_OTHER if tag is None else tag.value}"


def open_partition(user: UserId) -> str:
    return f"OPEN#{user}"


def record_partition(user: UserId) -> str:
    return f"{RECORD}{user}"


def month_partition(month: str) -> str:
    return f"DECIDED#{month}"


def month_of(at: str) -> str:
    return at[:7]


def decided_at(entry: Entry) -> str:
    return f"{iso(entry.at_ms)}#{entry.case or entry.id}#{entry.version:08d}"


def queued_at(case: Case) -> str:
    return f"{iso(case.opened_ms)}#{case.id}"


def just_after(ms: int) -> str:
    """What was queued up to then sorts before this."""
    return iso(ms + 1)


def _waiting(case: Case) -> dict[str, Value]:
    at = queued_at(case)
    queue: dict[str, Value] = {
        QUEUE_KEY: queue_partition(worst(case.policy_tags)),
        QUEUED_AT: at,
    }
    about = {} if case.about is None else {ABOUT_KEY: open_partition(case.about), ABOUT_AT: at}
    return queue | about


_KEPT = frozenset({"caseId", "subject", "text", "replyTo", "claimedBy", "claimedUntilMs"})
"""What a report more leaves as it is."""


def _closing(entry: Entry) -> tuple[Action, ...]:
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


def _record(entry: Entry) -> Item:
    at = decided_at(entry)
    item = _at(_record_key(entry)) | _written(entry)
    item |= {QUEUE_KEY: month_partition(month_of(at)), QUEUED_AT: at}
    if entry.about is None:
        return item
    return item | {ABOUT_KEY: record_partition(entry.about), ABOUT_AT: at}


def _record_key(entry: Entry) -> Key:
    if entry.case is not None:
        return record_key(entry.case, entry.version)
    assert entry.about is not None
    return Key(user_partition(entry.about), f"{RECORD}{iso(entry.at_ms)}#{entry.id}")


def _undone(entry: Entry) -> Item:
    assert entry.case is not None
    queued = {QUEUE_KEY: UNDONE, QUEUED_AT: f"{iso(entry.at_ms)}#{entry.case}"}
    return _at(undone_key(entry.case, entry.version)) | _written(entry) | queued


def _standing(user: UserId, entry: Entry) -> tuple[Action, ...]:
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
    """What is empty is left out."""
    values = msgspec.to_builtins(struct, builtin_types=(Decimal,))
    return {name: value for name, value in values.items() if value not in (None, "", [])}
