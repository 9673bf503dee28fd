"""The table of people and their posts, its keys and indexes.

    UserPosts
    ├─ USER#{userId}
    │  ├─ PROFILE                     the account, its profile and its counters
    │  ├─ NAME#{word}                 a search word of the person
    │  └─ POST#{createdDate}#{postId} the posts, kept by social
    ├─ USERNAME#{username}
    │  └─ USERNAME                    the claim that makes a username unique
    ├─ DEMO
    │  ├─ DEMO                        marks the store of a demo
    │  └─ SCENE#{scene}               a sample booking of the demo was written to its end
    └─ STAFF
       └─ {userId}                    a staff member and their role

    UsersByUsername   usernameKey, pk      profiles
    UsersByName       letters, word        NAME# items
    PostsByUser       postsKey, sk         posts that others may see

An index cannot enforce uniqueness. The USERNAME item does: it is put, if absent, in the transaction
that writes the profile.
"""

from typing import Any

import msgspec

from greenroom.ids import UserId
from greenroom.people.actor import StaffRole
from greenroom.people.models import Account, Person, search_words_of
from greenroom.store.base import Delete, Key, Op, Put, Update
from greenroom.store.expressions import Condition, F
from greenroom.store.tables import Index, Kind, Table
from greenroom.store.values import Item, Value

DEMO = "DEMO"
USERNAME_KEY = "usernameKey"
"""`USERNAME#{username}`, on the profile."""

LETTERS = "letters"
"""`NAME#{…}` with the first two letters of the word, or all of a shorter one. A search has at least
two letters, so one query in one partition answers it."""

WORD = "word"
"""`{word}#{userId}`: a word of the username or name, lower case without accents."""

POSTS_KEY = "postsKey"
"""`POSTS#USER#{userId}`, on a post while others may see it; absent while it is held or hidden."""

USERS_BY_USERNAME = Index(
    "UsersByUsername",
    USERNAME_KEY,
    "pk",
    (
        "userId",
        "username",
        "displayName",
        "firstName",
        "lastName",
        "profilePicture",
        "avatar",
        "version",
        "isVerified",
        "followerCount",
        "followingCount",
    ),
    "A user by username, with the fields of a profile card.",
)

USERS_BY_NAME = Index(
    "UsersByName",
    LETTERS,
    WORD,
    (
        "userId",
        "username",
        "displayName",
        "firstName",
        "lastName",
        "profilePicture",
        "avatar",
        "version",
    ),
    "Users by the beginning of a word of their username or names (two letters at least).",
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
    "People and their posts: one partition per profile page.",
    kinds=(
        Kind(
            "USER#{userId}",
            "PROFILE",
            "The account: username, email, names, picture, when last active, until when it is "
            "suspended, staff role, and the counters of followers, following and posts.",
        ),
        Kind(
            "STAFF",
            "{userId}",
            "A staff member and their role, copied from the profile in the same transaction. One "
            "small partition, so one query lists all staff.",
        ),
        Kind("USER#{userId}", "NAME#{word}", "A search word of a name."),
        Kind(
            "USER#{userId}",
            "POST#{createdDate}#{postId}",
            "A post with its counters; PostComments has a copy next to its comments.",
        ),
        Kind(
            "USERNAME#{username}",
            "USERNAME",
            "The claim on a username, written in one transaction with the profile.",
        ),
        Kind(DEMO, DEMO, "Marks the store of a demo: sample people are written only there."),
        Kind(DEMO, "SCENE#{scene}", "In a demo: a sample booking was written to its end."),
    ),
    indexes=(USERS_BY_USERNAME, USERS_BY_NAME, POSTS_BY_USER),
    stream=True,
)

TABLES: tuple[Table, ...] = (USER_POSTS,)

_PERSON = {
    "id": "userId",
    "username": "username",
    "display_name": "displayName",
    "first_name": "firstName",
    "last_name": "lastName",
    "profile_picture": "profilePicture",
    "avatar": "avatar",
    "version": "version",
}
_ACCOUNT = _PERSON | {
    "joined_ms": "joinedMs",
    "email": "email",
    "is_verified": "isVerified",
    "follower_count": "followerCount",
    "following_count": "followingCount",
    "post_count": "postCount",
    "suspended_until_ms": "suspendedUntil",
    "suspension_reason": "suspensionReason",
    "staff_role": "staffRole",
    "metadata": "metadata",
}
STAFF = "STAFF"


def profile_key(user: UserId) -> Key:
    return Key(f"USER#{user}", "PROFILE")


def claim_key(username: str) -> Key:
    return Key(username_partition(username), "USERNAME")


def word_key(user: UserId, word: str) -> Key:
    return Key(f"USER#{user}", f"NAME#{word}")


def username_partition(username: str) -> str:
    return f"USERNAME#{username}"


def letters_partition(word: str) -> str:
    return f"NAME#{word[:2]}"


def joined(account: Account) -> tuple[Put, ...]:
    absent = F("pk").absent()
    return (
        Put(USER_POSTS, _claim(account), absent),
        Put(USER_POSTS, _profile(account), absent),
        *(Put(USER_POSTS, _word(account, word)) for word in search_words_of(account)),
    )


def renamed(before: Account, after: Account) -> tuple[Op, ...]:
    """The profile is updated, not put, because its counters change at the same time."""
    kept = _attributes(after, _PERSON) | {USERNAME_KEY: username_partition(after.username)}
    actions = [F(name).set(value) for name, value in kept.items()]
    gone = (F(name).remove() for name in _PERSON.values() if name not in kept)
    words = search_words_of(after)
    return (
        *_claim_moved(before, after),
        Update(USER_POSTS, profile_key(after.id), (*actions, *gone), _at_version(before.version)),
        *(Put(USER_POSTS, _word(after, word)) for word in words),
        *(
            Delete(USER_POSTS, word_key(before.id, word))
            for word in search_words_of(before)
            if word not in words
        ),
    )


def suspended(user: UserId, until_ms: int, reason: str) -> Update:
    actions = (F("suspendedUntil").set(until_ms), F("suspensionReason").set(reason))
    return Update(USER_POSTS, profile_key(user), actions, F("pk").exists())


def reinstated(user: UserId, until_ms: int) -> Update:
    """If the account is still suspended until then."""
    actions = (F("suspendedUntil").remove(), F("suspensionReason").remove())
    unchanged = F("suspendedUntil").equals(until_ms)
    return Update(USER_POSTS, profile_key(user), actions, unchanged)


def with_metadata(user: UserId, metadata: str | None) -> Update:
    named = F("metadata")
    action = named.remove() if metadata is None else named.set(metadata)
    return Update(USER_POSTS, profile_key(user), (action,), F("pk").exists())


def staff_key(user: UserId) -> Key:
    return Key(STAFF, user)


def role_changed(user: UserId, before: StaffRole | None, after: StaffRole | None) -> tuple[Op, Op]:
    """The role on the profile, if it is still `before`; and the entry in the list of staff."""
    role = F("staffRole")
    unchanged = role.absent() if before is None else role.equals(before.value)
    action = role.remove() if after is None else role.set(after.value)
    profile = Update(USER_POSTS, profile_key(user), (action,), F("pk").exists() & unchanged)
    if after is None:
        return profile, Delete(USER_POSTS, staff_key(user))
    return profile, Put(USER_POSTS, _at(staff_key(user)) | {"staffRole": after.value})


def staff_of(item: Item) -> tuple[UserId, StaffRole]:
    return UserId(str(item["sk"])), StaffRole(str(item["staffRole"]))


def account_of(item: Item) -> Account:
    return msgspec.convert(_fields(item, _ACCOUNT), Account)


def person_of(entry: Item) -> Person:
    """From an entry of UsersByUsername or UsersByName."""
    return msgspec.convert(_fields(entry, _PERSON), Person)


def _claim_moved(before: Account, after: Account) -> tuple[Op, ...]:
    if before.username == after.username:
        return ()
    old = Delete(USER_POSTS, claim_key(before.username), F("userId").equals(before.id))
    return (Put(USER_POSTS, _claim(after), F("pk").absent()), old)


def _at_version(version: int) -> Condition:
    same = F("version").equals(version) if version else F("version").absent()
    return F("pk").exists() & same


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
        _at(word_key(account.id, word))
        | _attributes(account, _PERSON)
        | {LETTERS: letters_partition(word), WORD: f"{word}#{account.id}"}
    )


def _at(key: Key) -> dict[str, Value]:
    return {"pk": key.partition, "sk": key.sort}


def _attributes(person: Person, names: dict[str, str]) -> dict[str, Value]:
    """Leaves out empty values."""
    values = {attribute: getattr(person, field) for field, attribute in names.items()}
    if person.avatar is not None:
        values["avatar"] = msgspec.to_builtins(person.avatar)
    return {attribute: value for attribute, value in values.items() if value not in (None, "")}


def _fields(item: Item, names: dict[str, str]) -> dict[str, Any]:
    return {field: item[attribute] for field, attribute in names.items() if attribute in item}
