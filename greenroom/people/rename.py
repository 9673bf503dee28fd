"""Changes the names of a person. One transaction claims the new username, releases the old one and
updates the search words.

Careful: write only names and the version, because others change the profile's counters at any time.
"""

import asyncio
import random

import msgspec
from msgspec import UNSET, Struct, UnsetType

from greenroom.errors import Problem
from greenroom.ids import UserId
from greenroom.people import records
from greenroom.people.actor import Actor
from greenroom.people.context import People
from greenroom.people.directory import PersonNotFound
from greenroom.people.join import UsernameTaken, check_not_reserved
from greenroom.people.models import Account, checked_name, checked_username
from greenroom.store.base import key_of
from greenroom.store.problems import ConditionFailed, Conflict

_TRIES = 12
_FIRST_PAUSE_SECONDS = 0.005


class ProfileChanged(Problem):
    """The profile has changed since version {expected}; it is now at version {version}."""

    expected: int
    version: int


class NewNames(Struct, frozen=True):
    """Fields that are not given stay unchanged."""

    username: str | UnsetType = UNSET
    display_name: str | UnsetType = UNSET
    first_name: str | UnsetType = UNSET
    last_name: str | UnsetType = UNSET


async def rename(
    people: People, actor: Actor, names: NewNames, *, version: int | None = None
) -> Account:
    """With `version`, only if the profile is still at it."""
    return (await rename_from(people, actor, names, version=version))[1]


async def rename_from(
    people: People, actor: Actor, names: NewNames, *, version: int | None = None
) -> tuple[Account, Account]:
    """Returns the account before and after. If nothing changes, nothing is written."""
    changes = _checked(names)
    for attempt in range(_TRIES):
        before = await current_account(people, actor.user)
        if version not in (None, before.version):
            raise ProfileChanged(version, before.version)
        if changes.get("username", before.username) != before.username:
            check_not_reserved(people, actor, changes["username"])
        after = msgspec.structs.replace(before, **changes)
        if after == before:
            return before, before
        after = msgspec.structs.replace(after, version=before.version + 1)
        if await _written(people, before, after):
            return before, after
        await asyncio.sleep(random.uniform(0, _FIRST_PAUSE_SECONDS * 2 ** min(attempt, 6)))
    raise Conflict


async def _written(people: People, before: Account, after: Account) -> bool:
    """False if another change came first."""
    try:
        await people.store.write(*records.renamed(before, after))
    except ConditionFailed as refusal:
        failed = {key_of(failure.op) for failure in refusal.failed}
        if records.profile_key(after.id) in failed:
            return False  # the claim may be the person's own by now
        if records.claim_key(after.username) in failed:
            raise UsernameTaken(after.username) from None
        return False
    except Conflict:
        return False
    return True


def _checked(names: NewNames) -> dict[str, str]:
    changes: dict[str, str] = {}
    if names.username is not UNSET:
        changes["username"] = checked_username(names.username)
    for field in ("display_name", "first_name", "last_name"):
        if (text := getattr(names, field)) is not UNSET:
            changes[field] = checked_name(field.replace("_", " "), text)
    return changes


async def current_account(people: People, user: UserId) -> Account:
    """For a change of the profile, which is refused unless the profile is still at this version."""
    item = await people.store.get(records.USER_POSTS, records.profile_key(user), consistent=True)
    if item is None:
        raise PersonNotFound
    return records.account_of(item)
