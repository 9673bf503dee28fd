"""Finds people by id, by username, or by the beginning of a name.

Each is one bounded, eventually consistent read: on DynamoDB a new account may be missing for a
moment. Do not check here whether a username is free; `join` claims it.
"""

from collections.abc import Sequence

from msgspec import Struct

from greenroom.errors import Problem
from greenroom.ids import UserId
from greenroom.people import records
from greenroom.people.context import People
from greenroom.people.models import Account, Person, search_words_of, split_words
from greenroom.store.expressions import Prefix

MAX_PAGE = 50
_LONGEST_ID = 128


class PersonNotFound(Problem):
    """This person was not found."""


class PeoplePage(Struct, frozen=True):
    people: tuple[Person, ...]
    next: str | None


async def by_id(people: People, user: UserId) -> Account:
    account = await find(people, user)
    if account is None:
        raise PersonNotFound
    return account


async def find(people: People, user: UserId) -> Account | None:
    if not 0 < len(user) <= _LONGEST_ID:
        return None
    item = await people.store.get(records.USER_POSTS, records.profile_key(user))
    return None if item is None else records.account_of(item)


async def by_ids(people: People, users: Sequence[UserId]) -> tuple[Person, ...]:
    """Those who exist, in the given order; up to `MAX_PAGE`."""
    wanted = [user for user in dict.fromkeys(users) if 0 < len(user) <= _LONGEST_ID]
    if not wanted:
        return ()
    keys = [records.profile_key(user) for user in wanted[:MAX_PAGE]]
    found = await people.store.batch_get(records.USER_POSTS, keys)
    return tuple(records.person_of(found[key]) for key in keys if key in found)


async def by_username(people: People, username: str) -> Person | None:
    if not 0 < len(username) <= _LONGEST_ID:
        return None
    folded = username.strip().lower()
    page = await people.store.query(
        records.USER_POSTS,
        records.username_partition(folded),
        index=records.USERS_BY_USERNAME,
        limit=1,
    )
    return records.person_of(page.items[0]) if page.items else None


async def by_name(
    people: People, beginning: str, *, limit: int = 20, cursor: str | None = None
) -> PeoplePage:
    """People with a word that begins like this. Of several words the longest is queried, and the
    page is filtered by the others."""
    words = sorted(split_words(beginning), key=len, reverse=True)
    if not words:
        return PeoplePage((), None)
    page = await people.store.query(
        records.USER_POSTS,
        records.letters_partition(words[0]),
        Prefix(words[0]),
        index=records.USERS_BY_NAME,
        limit=max(1, min(limit, MAX_PAGE)),
        cursor=cursor,
    )
    found = {person.id: person for person in map(records.person_of, page.items)}
    return PeoplePage(tuple(p for p in found.values() if matches_words(p, words[1:])), page.next)


def matches_words(person: Person, beginnings: list[str]) -> bool:
    words = search_words_of(person)
    return all(any(word.startswith(begun) for word in words) for begun in beginnings)
