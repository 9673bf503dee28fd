"""Creates an account. The username is claimed in the transaction that writes the profile, so of two
simultaneous attempts one gets it and the other is refused."""

from msgspec import Struct

from greenroom.errors import Problem
from greenroom.ids import UserId
from greenroom.people import records
from greenroom.people.actor import Actor, Scope
from greenroom.people.context import People
from greenroom.people.models import (
    Account,
    InvalidUserId,
    checked_email,
    checked_name,
    checked_picture,
    checked_username,
    is_user_id,
)
from greenroom.store.problems import ConditionFailed


class UsernameTaken(Problem):
    """The username {username!r} is taken."""

    username: str


class UsernameReserved(Problem):
    """The username {username!r} is reserved. Please choose another."""

    username: str


class AccountExists(Problem):
    """The account {user} exists already."""

    user: str


class Joined(Struct, frozen=True):
    account: Account
    is_new: bool


async def join(
    people: People,
    username: str,
    *,
    user: UserId | None = None,
    display_name: str = "",
    first_name: str = "",
    last_name: str = "",
    email: str | None = None,
    profile_picture: str | None = None,
) -> Account:
    """`user` is the id at the identity provider; without it a new id is made."""
    if user is not None and not is_user_id(user):
        raise InvalidUserId
    account = Account(
        id=user or people.ids.user(),
        username=checked_username(username),
        display_name=checked_name("display name", display_name),
        first_name=checked_name("first name", first_name),
        last_name=checked_name("last name", last_name),
        email=None if email is None else checked_email(email),
        profile_picture=checked_picture(profile_picture),
        joined_ms=people.clock.now_ms(),
        version=1,
    )
    try:
        await people.store.write(*records.joined(account))
    except ConditionFailed:
        if await people.store.get(
            records.USER_POSTS, records.profile_key(account.id), consistent=True
        ):
            raise AccountExists(account.id) from None
        raise UsernameTaken(account.username) from None
    return account


def check_not_reserved(people: People, actor: Actor, username: str) -> None:
    """Only staff and services may take reserved names."""
    official = actor.may(Scope.MODERATOR) or actor.may(Scope.SERVICE)
    if not official and people.names.is_reserved(username):
        raise UsernameReserved(username)


async def sign_up(
    people: People, actor: Actor, username: str, *, display_name: str = "", email: str | None = None
) -> Joined:
    """`join` for the actor. Idempotent for the same username."""
    check_not_reserved(people, actor, checked_username(username))
    user = actor.user
    try:
        account = await join(people, username, user=user, display_name=display_name, email=email)
    except AccountExists:
        item = await people.store.get(
            records.USER_POSTS, records.profile_key(user), consistent=True
        )
        if item is None or records.account_of(item).username != checked_username(username):
            raise
        return Joined(records.account_of(item), is_new=False)
    return Joined(account, is_new=True)
