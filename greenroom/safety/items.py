"""Converts models to items and back, and makes the writes of blocks, reports and moderation."""

from decimal import Decimal
from typing import Any

import msgspec
from msgspec import Struct

from greenroom.ids import UserId
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
from greenroom.safety.records import (
    ABOUT_AT,
    ABOUT_KEY,
    PENDING_ENFORCEMENT,
    QUEUE_KEY,
    QUEUED_AT,
    SAFETY,
    SUSPENDED,
    TEXT_DIGEST,
    audit_partition,
    block_key,
    case_key,
    decided_at,
    entry_key,
    held_key,
    month_of,
    month_partition,
    noted_key,
    notice_key,
    open_partition,
    own_report_key,
    pending_at,
    pending_enforcement_key,
    queue_partition,
    queued_at,
    report_key,
    sanctions_key,
    suspended_at,
)
from greenroom.safety.verdict import worst
from greenroom.store.base import Delete, Key, Op, Put, Update
from greenroom.store.ephemeral import EPHEMERAL, EPHEMERAL_TTL
from greenroom.store.expressions import Action, Condition, F
from greenroom.store.values import Item, Value

LEASES = "leases"
"""`[[at, count], …]`: the leases that nodes took of a user's limit in the current window."""
_ABSENT = F("pk").absent()


class Lease(Struct, frozen=True, array_like=True):
    at_ms: int
    count: int


# Limits


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


def blocked(block: Block) -> Put:
    return Put(SAFETY, _at(block_key(block.blocker, block.blocked)) | _written(block), _ABSENT)


def unblocked(blocker: UserId, blocked: UserId) -> Delete:
    return Delete(SAFETY, block_key(blocker, blocked))


def block_of(item: Item) -> Block:
    return msgspec.convert(item, Block)


# Cases


def case_of(item: Item) -> Case:
    return msgspec.convert(item, Case)


def held(case: Case) -> Put:
    """Lists the held text for its author, oldest first. The case has the text."""
    assert case.about is not None
    return Put(SAFETY, _at(held_key(case.about, case)) | {"caseId": case.id})


def case_in(item: Item) -> CaseId:
    return CaseId(str(item["caseId"]))


def opened(case: Case, text_digest: str, before: Case | None = None) -> Put:
    """A new case; or, with `before`, that closed case reopened. Where there are files, the text is
    not all that the case is about: so it has no digest, and no decision on the same text closes it.
    """
    item = _at(case_key(case.id)) | _written(case) | _queue_attributes(case)
    if text_digest and not case.files:
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


def reported(report: Report) -> tuple[Put, Put]:
    """The report under its case, if the reporter has none there; and under the reporter."""
    return (
        Put(SAFETY, _at(report_key(report.case, report.reporter)) | _written(report), _ABSENT),
        Put(SAFETY, _at(own_report_key(report)) | _written(report)),
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


def notice_put(notice: ModerationNotice) -> Put:
    return Put(SAFETY, _at(notice_key(notice)) | _written(notice))


def rejected_after_all(notice: ModerationNotice) -> Update:
    """For a released text that could not be added to its thread."""
    kind = F("kind").set(NoticeKind.REJECTED.value)
    return Update(SAFETY, notice_key(notice), (kind,), F("pk").exists())


def acknowledged(notice: ModerationNotice, at_ms: int) -> tuple[Op, ...]:
    item = _at(noted_key(notice, at_ms)) | _written(notice) | {"acknowledgedMs": at_ms}
    return (
        Delete(SAFETY, notice_key(notice), F("pk").exists()),
        Put(SAFETY, item),
    )


def acknowledged_ms(item: Item) -> int | None:
    """When the notice was acknowledged; None if it was not."""
    at_ms = item.get("acknowledgedMs")
    return None if at_ms is None else int(str(at_ms))


def notice_of(item: Item) -> ModerationNotice:
    return msgspec.convert(item, ModerationNotice)


# The audit log


def entry_of(item: Item) -> AuditEntry:
    """From an AUDIT#, a PENDING_ENFORCEMENT#, or an entry of ByPerson."""
    return msgspec.convert(item, AuditEntry)


def sanctions_of(user: UserId, item: Item | None) -> Sanctions:
    return msgspec.convert({**(item or {}), "user": user}, Sanctions)


# Attributes


_KEPT = frozenset(
    {"caseId", "subject", "text", "files", "manifest", "replyTo", "claimedBy", "claimedUntilMs"}
)
"""What another report does not change."""


def _queue_attributes(case: Case) -> dict[str, Value]:
    at = queued_at(case)
    queue: dict[str, Value] = {
        QUEUE_KEY: queue_partition(worst(case.policy_tags)),
        QUEUED_AT: at,
    }
    about = {} if case.about is None else {ABOUT_KEY: open_partition(case.about), ABOUT_AT: at}
    return queue | about


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
    item = _at(entry_key(entry)) | _written(entry)
    item |= {QUEUE_KEY: month_partition(month_of(at)), QUEUED_AT: at}
    if entry.about is None:
        return item
    return item | {ABOUT_KEY: audit_partition(entry.about), ABOUT_AT: at}


def _pending(entry: AuditEntry) -> Item:
    assert entry.case is not None
    queued = {QUEUE_KEY: PENDING_ENFORCEMENT, QUEUED_AT: pending_at(entry.at_ms, entry.case)}
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
