"""The one way to a case: for moderators, and to act on it for another than whom it is about."""

from greenroom.people.actor import Actor, Scope
from greenroom.safety import records
from greenroom.safety.context import Safety
from greenroom.safety.models import Case, CaseId
from greenroom.safety.problems import CaseNotFound, ModeratorsOnly, OwnCase

_LONGEST = 64


def check_moderator(actor: Actor) -> None:
    if not actor.may(Scope.MODERATOR):
        raise ModeratorsOnly


async def case(safety: Safety, actor: Actor, case_id: CaseId) -> Case:
    check_moderator(actor)
    found = await find(safety, case_id)
    if found is None:
        raise CaseNotFound
    return found


async def case_of_another(safety: Safety, actor: Actor, case_id: CaseId) -> Case:
    found = await case(safety, actor, case_id)
    if found.about == actor.user:
        raise OwnCase
    return found


async def find_with_digest(safety: Safety, case_id: CaseId) -> tuple[Case, str] | None:
    item = await safety.store.get(records.SAFETY, records.case_key(case_id), consistent=True)
    if item is None:
        return None
    return records.case_of(item), str(item.get(records.TEXT_DIGEST, ""))


async def find(safety: Safety, case_id: CaseId) -> Case | None:
    """For nobody in particular: rules and moderators are asked before."""
    if not 0 < len(case_id) <= _LONGEST:
        return None
    item = await safety.store.get(records.SAFETY, records.case_key(case_id), consistent=True)
    return None if item is None else records.case_of(item)
