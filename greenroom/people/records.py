"""The table that a person opens, and the ways to find one.

    UserPosts
    ├─ USER#{userId}
    │  ├─ PROFILE                     the account, its profile and its counters
    │  ├─ NAME#{word}                 a word by which the person is found
    │  └─ POST#{createdDate}#{postId} the posts, kept by social
    └─ USERNAME#{username}
       └─ USERNAME                    the claim that makes a username unique

    UsersByUsername   usernameKey, pk      profiles
    UsersByName       letters, word        NAME# items
    PostsByUser       postsKey, sk         posts that others may see

An index refuses nothing: what makes a username unique is the claim, put where there is none in the
transaction that writes the profile.
"""

from typing import Any

import msgspec

from greenroom.ids import UserId
from greenroom.people.models import Account, Person
from greenroom.store.base import Key, Put
from greenroom.store.expressions import F
from greenroom.store.tables import Index, Kind, Table
from greenroom.store.values import Item, Value

USERNAME_KEY = "usernameKey"
"""`USERNAME#{username}`, on the profile."""

LETTERS = "letters"
"""`NAME#{…}` with the first two letters of the word, or all of a shorter one: whoever searches by
the beginning of a name has typed at least those, so that one query in one partition answers."""

WORD = "word"
"""`{word}#{userId}`: a word of the username or the name, without case and accents."""

POSTS_KEY = "postsKey"
"""`POSTS#USER#{userId}`, on a post while others may see it; one that is held or hidden loses it."""

USERS_BY_USERNAME = Index(
    "UsersByUsername",
    USERNAME_KEY,
    "pk",
    (
        "userId",
        "username",
        "firstName",
        "lastName",
        "profilePicture",
        "isVerified",
        "followerCount",
        "followingCount",
    ),
    "A user by username, with what a profile card shows.",
)

USERS_BY_NAME = Index(
    "UsersByName",
    LETTERS,
    WORD,
    ("userId", "username", "firstName", "lastName", "profilePicture"),
    "Users by the beginning of a username, first or last name (two letters at least).",
)

POSTS_BY_USER = Index(
    "PostsByUser",
    POSTS_KEY,
    "sk",
    ("postId", "content", "imageUrl", "createdDate", "likeCount", "commentCount"),
    "The posts of an author that others may see, newest first, for feeds.",
)

USER_POSTS = Table(
    "UserPosts",
    "People and their posts: what a profile page shows is one partition.",
    kinds=(
        Kind(
            "USER#{userId}",
            "PROFILE",
            "The account: username, email, names, picture, when last active, "
            "and the counters of followers, following and posts.",
        ),
        Kind("USER#{userId}", "NAME#{word}", "A word of a name, for search by its beginning."),
        Kind(
            "USER#{userId}",
            "POST#{createdDate}#{postId}",
            "A post with its counters; PostComments has the copy that its comments stand under.",
        ),
        Kind(
            "USERNAME#{username}",
            "USERNAME",
            "The claim on a username, written in one transaction with the profile that bears it.",
        ),
    ),
    indexes=(USERS_BY_USERNAME, USERS_BY_NAME, POSTS_BY_USER),
    stream=True,
)

TABLES: tuple[Table, ...] = (USER_POSTS,)

_PERSON = {
    "id": "userId",
    "username": "username",
    "first_name": "firstName",
    "last_name": "lastName",
    "profile_picture": "profilePicture",
}
_ACCOUNT = _PERSON | {
    "joined_ms": "joinedMs",
    "email": "email",
    "is_verified": "isVerified",
    "follower_count": "followerCount",
    "following_count": "followingCount",
    "post_count": "postCount",
}


def profile_key(user: UserId) -> Key:
    return Key(f"USER#{user}", "PROFILE")


def claim_key(username: str) -> Key:
    return Key(username_partition(username), "USERNAME")


def username_partition(username: str) -> str:
    return f"USERNAME#{username}"


def letters_partition(word: str) -> str:
    return f"NAME#{word[:2]}"


def joined(account: Account, words: tuple[str, ...]) -> tuple[Put, ...]:
    absent = F("pk").absent()
    return (
        Put(USER_POSTS, _claim(account), absent),
        Put(USER_POSTS, _profile(account), absent),
        *(Put(USER_POSTS, _word(account, word)) for word in words),
    )


def account_of(item: Item) -> Account:
    return msgspec.convert(_fields(item, _ACCOUNT), Account)


def person_of(entry: Item) -> Person:
    """From an entry of UsersByUsername or UsersByName."""
    return msgspec.convert(_fields(entry, _PERSON), Person)


def _claim(account: Account) -> Item:
    return _at(claim_key(account.username)) | {"userId": account.id}


def _profile(account: Account) -> Item:
    return (
        _at(profile_key(account.id))
        | _attributes(account, _ACCOUNT)
        | {USERNAME_KEY: username_partition(account.username)}
    )


def _word(account: Account, word: str) -> Item:
    return (
        _at(Key(f"USER#{account.id}", f"NAME#{word}"))
        | _attributes(account, _PERSON)
        | {LETTERS: letters_partition(word), WORD: f"{word}#{account.id}"}
    )


def _at(key: Key) -> dict[str, Value]:
    return {"pk": key.partition, "sk": key.sort}


def _attributes(person: Person, names: dict[str, str]) -> dict[str, Value]:
    """What is empty is left out."""
    values = {attribute: getattr(person, field) for field, attribute in names.items()}
    return {attribute: value for attribute, value in values.items() if value not in (None, "")}


def _fields(item: Item, names: dict[str, str]) -> dict[str, Any]:
    return {field: item[attribute] for field, attribute in names.items() if attribute in item}
