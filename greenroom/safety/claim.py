"""Claims a case, so that no two moderators work on it at once. A claim expires by itself."""

from msgspec.structs import replace

from greenroom.people.actor import Actor
from greenroom.safety import access, items
from greenroom.safety.context import Safety
from greenroom.safety.models import CLAIM_MS, Case, CaseId
from greenroom.safety.problems import CaseClaimed, CaseClosed
from greenroom.store.problems import ConditionFailed


async def claim(safety: Safety, actor: Actor, case_id: CaseId) -> Case:
    """Claiming again by the same moderator extends the claim."""
    case = await access.case(safety, actor, case_id)
    now = safety.clock.now_ms()
    try:
        item = await safety.store.write(items.claimed(case, actor.user, now, CLAIM_MS))
    except ConditionFailed as refusal:
        if refusal.item is None or not items.case_of(refusal.item).is_open:
            raise CaseClosed from None
        raise CaseClaimed from None
    if item is None:
        return replace(case, claimed_by=actor.user, claimed_until_ms=now + CLAIM_MS)
    return replace(items.case_of(item), about_role=case.about_role)
