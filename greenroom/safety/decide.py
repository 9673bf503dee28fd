"""Decides a case. The decision is written first and enforced afterwards (`enforce.py`), so a crash
in between loses no decision and enforces none that was not made."""

from greenroom.clock import iso
from greenroom.ids import UserId
from greenroom.people import access as people
from greenroom.people.actor import Actor, StaffRole
from greenroom.people.models import FOREVER_MS
from greenroom.safety import access, items, records
from greenroom.safety.context import Safety
from greenroom.safety.enforce import enforce
from greenroom.safety.events import NoticeCreated
from greenroom.safety.models import (
    AuditEntry,
    Case,
    CaseId,
    Decision,
    RatedFile,
    decisions_for,
    is_claimed,
    notice_of,
    removes_text,
)
from greenroom.safety.notices import as_stored
from greenroom.safety.problems import (
    CaseChanged,
    CaseClosed,
    CaseNotClaimed,
    DecisionDoesNotFit,
    InvalidDecision,
    RevokeRoleFirst,
)
from greenroom.store.problems import ConditionFailed

MAX_NOTE = 2000
MAX_REASON = 1000


async def decide(
    safety: Safety,
    actor: Actor,
    case_id: CaseId,
    decision: Decision,
    *,
    version: int,
    reason: str = "",
    note: str = "",
    until_ms: int | None = None,
    band: int | None = None,
) -> AuditEntry:
    """`version` is that of the case the moderator saw; `reason` is for the person, `note` for
    staff; `until_ms` is the end of a suspension, None for no end; `band` is what an appeal was
    for."""
    case = await access.case(safety, actor, case_id)
    first = await _first_time(safety, actor, case, decision, version)
    if first is not None:
        return first
    _check(safety, actor, case, decision, version)
    if decision is Decision.RELEASE and safety.enforcer is not None:
        await safety.enforcer.check_release(case)
    if decision is Decision.SUSPEND and case.about is not None:
        await _check_lengthens(safety, case.about, until_ms)
    entry = _entry(safety, actor, case, decision, reason, note, until_ms, band)
    notice = notice_of(case, entry, safety.ids.notice(entry.at_ms))
    pending = decision is not Decision.DISMISS
    try:
        await safety.store.write(*items.decided(case, entry, notice, pending=pending))
    except ConditionFailed:
        _check(safety, actor, await access.case(safety, actor, case_id), decision, version)
        raise
    if pending:
        await enforce(safety, entry)
    if notice is not None:
        if decision is Decision.RELEASE:
            notice = await as_stored(safety, notice)
        safety.publish(NoticeCreated(notice))
    return entry


async def _first_time(
    safety: Safety, actor: Actor, case: Case, decision: Decision, version: int
) -> AuditEntry | None:
    """The first entry, if this moderator repeats the decision just made."""
    same = (case.decision, case.decided_by, case.version) == (decision, actor.user, version + 1)
    if case.is_open or not same:
        return None
    keys = (
        records.audit_key(case.id, case.version),
        records.pending_enforcement_key(case.id, case.version),
    )
    found = await safety.store.batch_get(records.SAFETY, keys, consistent=True)
    entry = items.entry_of(found[keys[0]])
    if keys[1] in found:
        await enforce(safety, entry)
    return entry


def _check(safety: Safety, actor: Actor, case: Case, decision: Decision, version: int) -> None:
    if not case.is_open:
        raise CaseClosed
    if case.version != version:
        raise CaseChanged(case.version)
    if case.claimed_by != actor.user or not is_claimed(case, safety.clock.now_ms()):
        raise CaseNotClaimed
    if case.about_role is StaffRole.ADMIN and decision in (Decision.WARN, Decision.SUSPEND):
        raise RevokeRoleFirst
    possible = decisions_for(case)
    if decision not in possible:
        raise DecisionDoesNotFit(tuple(sorted(possible)))


def _entry(
    safety: Safety,
    actor: Actor,
    case: Case,
    decision: Decision,
    reason: str,
    note: str,
    until_ms: int | None,
    band: int | None,
) -> AuditEntry:
    now = safety.clock.now_ms()
    check_texts(reason, note)
    _check_band(case, decision, band)
    if until_ms is not None and (decision is not Decision.SUSPEND or until_ms <= now):
        raise InvalidDecision("`until` must be in the future, and is only for a suspension")
    return AuditEntry(
        case=case.id,
        version=case.version + 1,
        at_ms=now,
        by=actor.user,
        decision=decision,
        about=case.about,
        removes=removes_text(case, decision),
        reason=reason,
        note=note,
        until_ms=until_ms,
        file=case.subject.file if isinstance(case.subject, RatedFile) else None,
        band=band,
    )


def _check_band(case: Case, decision: Decision, band: int | None) -> None:
    if (band is None) is (decision is Decision.BAND):
        raise InvalidDecision("`band` is for the decision `band`, which needs it")
    if isinstance(case.subject, RatedFile) and band == case.subject.band:
        raise InvalidDecision("to keep the band, dismiss the appeal")


async def _check_lengthens(safety: Safety, user: UserId, until_ms: int | None) -> None:
    """A second suspension must not end the first one early."""
    account = await people.account(safety.people, user, consistent=True)
    already_ms = 0 if account is None else account.suspended_until_ms or 0
    if (FOREVER_MS if until_ms is None else until_ms) < already_ms:
        until = "for good" if already_ms == FOREVER_MS else f"until {iso(already_ms)}"
        raise InvalidDecision(f"the account is already suspended {until}; reinstate it first")


def check_texts(reason: str, note: str) -> None:
    if len(reason) > MAX_REASON:
        raise InvalidDecision(f"a reason must have at most {MAX_REASON} characters")
    if len(note) > MAX_NOTE:
        raise InvalidDecision(f"a note must have at most {MAX_NOTE} characters")
