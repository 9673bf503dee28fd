"""Loads a case for a moderator who may judge it.

Nobody judges their own case: not the person it is about, the author of the message, a reporter, or
a participant of a reported thread. Cases about staff are for admins.

Careful: a case id is derived from its subject, so moderators can compute the id of a case about
themselves. They get the same answer as for a case that does not exist.
"""

import asyncio

from msgspec.structs import replace

from greenroom.ids import UserId
from greenroom.people import staff as roles
from greenroom.people.actor import Actor, Scope, StaffRole
from greenroom.safety import items, records
from greenroom.safety.context import Safety
from greenroom.safety.models import Case, CaseId, WholeThread
from greenroom.safety.permissions import Act, allowed, rank_of, rank_of_role
from greenroom.safety.problems import AdminsOnly, CaseNotFound, ModeratorsOnly, OwnCase

_LONGEST = 64


def check_moderator(actor: Actor) -> None:
    if not actor.may(Scope.MODERATOR):
        raise ModeratorsOnly


async def case(safety: Safety, actor: Actor, case_id: CaseId) -> Case:
    """The case, with the role of the person it is about."""
    check_moderator(actor)
    found = await find(safety, case_id)
    if found is None:
        raise CaseNotFound
    role, has_reported, takes_part = await asyncio.gather(
        _role_of(safety, found.about),
        _has_reported(safety, actor.user, found),
        takes_part_in(safety, actor.user, found),
    )
    if takes_part or not is_shown(actor, found.about, role):
        raise CaseNotFound
    if has_reported:
        raise OwnCase
    return replace(found, about_role=role)


def is_shown(actor: Actor, about: UserId | None, role: StaffRole | None) -> bool:
    """Whether the actor may judge, and so see, cases about this person. Pure."""
    rank = rank_of_role(role)
    return allowed(Act.CLAIM, rank_of(actor), rank, is_self=about == actor.user)


async def check_may_review(safety: Safety, actor: Actor, user: UserId) -> StaffRole | None:
    """Refuses unless the actor may review the user; returns the user's role."""
    check_moderator(actor)
    if user == actor.user:
        raise OwnCase
    role = await roles.role_of(safety.people, user)
    if not allowed(Act.READ_LOG, rank_of(actor), rank_of_role(role)):
        raise AdminsOnly
    return role


async def takes_part_in(safety: Safety, user: UserId, found: Case) -> bool:
    """Only a report about a whole thread involves all its participants."""
    if not isinstance(found.subject, WholeThread) or safety.enforcer is None:
        return False
    return await safety.enforcer.takes_part(found.subject.thread, user)


async def find_with_digest(safety: Safety, case_id: CaseId) -> tuple[Case, str] | None:
    item = await safety.store.get(records.SAFETY, records.case_key(case_id), consistent=True)
    if item is None:
        return None
    return items.case_of(item), str(item.get(records.TEXT_DIGEST, ""))


async def find(safety: Safety, case_id: CaseId) -> Case | None:
    """Without checking an actor: the caller has done that."""
    if not 0 < len(case_id) <= _LONGEST:
        return None
    item = await safety.store.get(records.SAFETY, records.case_key(case_id), consistent=True)
    return None if item is None else items.case_of(item)


async def _role_of(safety: Safety, about: UserId | None) -> StaffRole | None:
    return None if about is None else await roles.role_of(safety.people, about)


async def _has_reported(safety: Safety, user: UserId, found: Case) -> bool:
    """Also if they reported it before they became staff."""
    if user in found.staff_reporters or not found.reports:
        return user in found.staff_reporters
    key = records.report_key(found.id, user)
    return await safety.store.get(records.SAFETY, key, consistent=True) is not None
