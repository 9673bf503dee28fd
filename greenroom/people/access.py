"""Whether somebody may act at all: asked by every door before anything else.

What one would get wrong: whoever has just joined may not be in an eventually consistent read yet,
so that nobody is called unknown before a consistent one.
"""

from greenroom.clock import iso
from greenroom.errors import Problem
from greenroom.ids import UserId
from greenroom.people import records
from greenroom.people.context import People
from greenroom.people.models import FOREVER_MS, Account


class NoAccount(Problem):
    """There is no account {user} yet. Create it with PUT /v1/me."""

    user: str


class AccountSuspended(Problem):
    """This account is suspended {how_long}."""

    how_long: str
    until: str | None


async def account(people: People, user: UserId, *, consistent: bool = False) -> Account | None:
    """The account that the user acts with, suspended or not."""
    key = records.profile_key(user)
    item = await people.store.get(records.USER_POSTS, key, consistent=consistent)
    if item is None and not consistent:
        item = await people.store.get(records.USER_POSTS, key, consistent=True)
    return None if item is None else records.account_of(item)


def check_not_suspended(until_ms: int | None, now_ms: int) -> None:
    if until_ms is None or now_ms >= until_ms:
        return
    if until_ms == FOREVER_MS:
        raise AccountSuspended("until further notice", None)
    raise AccountSuspended(f"until {iso(until_ms)}", iso(until_ms))
