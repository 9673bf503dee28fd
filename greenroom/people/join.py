"""Make an account. The username is claimed in the transaction that writes the profile, so that of
two who want the same one at the same instant, one gets it and the other is told."""

from greenroom.errors import Problem
from greenroom.people import records
from greenroom.people.context import People
from greenroom.people.models import (
    Account,
    checked_email,
    checked_name,
    checked_username,
    words_of,
)
from greenroom.store.base import key_of
from greenroom.store.problems import ConditionFailed


class UsernameTaken(Problem):
    """The username {username!r} is taken."""

    username: str


async def join(
    people: People,
    username: str,
    *,
    first_name: str = "",
    last_name: str = "",
    email: str | None = None,
    profile_picture: str | None = None,
) -> Account:
    account = Account(
        id=people.ids.user(),
        username=checked_username(username),
        first_name=checked_name("first name", first_name),
        last_name=checked_name("last name", last_name),
        email=None if email is None else checked_email(email),
        profile_picture=profile_picture,
        joined_ms=people.clock.now_ms(),
    )
    try:
        await people.store.write(*records.joined(account, words_of(account)))
    except ConditionFailed as refusal:
        if key_of(refusal.op) == records.claim_key(account.username):
            raise UsernameTaken(account.username) from None
        raise
    return account
