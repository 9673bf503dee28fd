"""Suspends an account, with or without an end. Messages of the account stay.

It takes effect within seconds for HTTP (`access.py`), and at once for sockets, which safety's event
closes. A suspension ends by itself; its attributes stay on the profile.
"""

from greenroom.ids import UserId
from greenroom.people import records
from greenroom.people.context import People
from greenroom.people.directory import PersonNotFound
from greenroom.people.models import FOREVER_MS, Account
from greenroom.store.base import Update
from greenroom.store.problems import ConditionFailed

MAX_REASON = 1000


async def suspend(people: People, user: UserId, until_ms: int | None, reason: str) -> Account:
    """Until then; with None until reinstated. The reason is for the person."""
    until = FOREVER_MS if until_ms is None else min(until_ms, FOREVER_MS)
    return await _written(people, records.suspended(user, until, reason[:MAX_REASON]))


async def _written(people: People, update: Update) -> Account:
    try:
        item = await people.store.write(update)
    except ConditionFailed:
        raise PersonNotFound from None
    assert item is not None
    return records.account_of(item)
