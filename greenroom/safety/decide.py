"""End a case. The decision is on record first, then it is carried out (`enforce.py`), so that
whatever happens in between, nothing is done that was not decided and nothing decided is lost."""

from greenroom.people.actor import Actor
from greenroom.safety import access, records
from greenroom.safety.context import Safety
from greenroom.safety.enforce import carry_out
from greenroom.safety.events import CaseDecided
from greenroom.safety.models import (
    Case,
    CaseId,
    Decision,
    Entry,
    decisions_for,
    is_claimed,
    takes_away,
)
from greenroom.safety.problems import (
    CaseChanged,
    CaseClosed,
    CaseNotClaimed,
    DecisionDoesNotFit,
    InvalidDecision,
)
from greenroom.store.problems import ConditionFailed

MAX_NOTE = 2000


async def decide(
    safety: Safety,
    actor: Actor,
    case_id: CaseId,
    decision: Decision,
    *,
    version: int,
    note: str = "",
    until_ms: int | None = None,
) -> Entry:
    """`version` is the case as the moderator saw it; `until_ms` ends a suspension, None never."""
    case = await access.case_of_another(safety, actor, case_id)
    first = await _first_time(safety, actor, case, decision, version)
    if first is not None:
        return first
    _check(safety, actor, case, decision, version)
    if decision is Decision.RELEASE and safety.enforcer is not None:
        await safety.enforcer.check_release(case)
    entry = _entry(safety, actor, case, decision, note, until_ms)
    undone = decision is not Decision.DISMISS
    try:
        await safety.store.write(*records.decided(case, entry, undone=undone))
    except ConditionFailed:
        _check(safety, actor, await access.case(safety, actor, case_id), decision, version)
        raise
    safety.tell(CaseDecided(case, decision, actor.user, until_ms))
    if undone:
        await carry_out(safety, entry)
    return entry


async def _first_time(
    safety: Safety, actor: Actor, case: Case, decision: Decision, version: int
) -> Entry | None:
    """A repeat of what this moderator has just decided is answered as the first was."""
    same = (case.decision, case.decided_by, case.version) == (decision, actor.user, version + 1)
    if case.is_open or not same:
        return None
    keys = (records.record_key(case.id, case.version), records.undone_key(case.id, case.version))
    found = await safety.store.batch_get(records.SAFETY, keys, consistent=True)
    entry = records.entry_of(found[keys[0]])
    if keys[1] in found:
        await carry_out(safety, entry)
    return entry


def _check(safety: Safety, actor: Actor, case: Case, decision: Decision, version: int) -> None:
    if not case.is_open:
        raise CaseClosed
    if case.version != version:
        raise CaseChanged(case.version)
    if case.claimed_by != actor.user or not is_claimed(case, safety.clock.now_ms()):
        raise CaseNotClaimed
    possible = decisions_for(case)
    if decision not in possible:
        raise DecisionDoesNotFit(", ".join(sorted(possible)))


def _entry(
    safety: Safety, actor: Actor, case: Case, decision: Decision, note: str, until_ms: int | None
) -> Entry:
    now = safety.clock.now_ms()
    if len(note) > MAX_NOTE:
        raise InvalidDecision(f"a note has at most {MAX_NOTE} characters")
    if until_ms is not None and (decision is not Decision.SUSPEND or until_ms <= now):
        raise InvalidDecision("only a suspension ends, and not before now")
    return Entry(
        case=case.id,
        version=case.version + 1,
        at_ms=now,
        by=actor.user,
        decision=decision,
        about=case.about,
        removes=takes_away(case, decision),
        note=note,
        until_ms=until_ms,
    )
