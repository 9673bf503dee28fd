"""People and accounts as values, and the rules for names. Pure, no I/O.

Usernames are ASCII, so that no two look alike; other names may have any letters. Search finds both
by their words, ignoring case and accents.
"""

import re
import unicodedata

from msgspec import Struct

from greenroom.errors import Clause, Problem
from greenroom.ids import FileId, UserId
from greenroom.people.actor import SYSTEM, StaffRole
from greenroom.unicode import is_name_like, is_visible, limit_marks

MAX_NAME = 80
MAX_EMAIL = 254
MIN_USERNAME = 2
MAX_USERNAME = 30
MAX_USER_ID = 64
MAX_PICTURE = 2048
"""Characters in the URL of a profile picture."""
FOREVER_MS = 253_402_300_799_999
"""The last millisecond of the year 9999: the end of a suspension without end."""
_USERNAME = re.compile(rf"[a-z][a-z0-9_.]{{{MIN_USERNAME - 1},{MAX_USERNAME - 1}}}")
_USER_ID = re.compile(rf"[A-Za-z0-9][A-Za-z0-9_-]{{0,{MAX_USER_ID - 1}}}")
_MAX_SEARCHED = 2 * MAX_NAME
_MAX_WORDS = 12
_MAX_WORD = 40


class InvalidUsername(Problem):
    """A username must begin with a letter and have 2 to 30 of a-z, 0-9, dot and underscore."""


class InvalidName(Problem):
    """The {name} is not valid: {reason}."""

    field: str
    """Its name in the API."""
    name: Clause
    reason: Clause


class InvalidUserId(Problem):
    """A user's id must have 1 to 64 of a-z, A-Z, 0-9, underscore and hyphen."""


class InvalidEmail(Problem):
    """An e-mail address must have one @ between two parts, no spaces and at most 254
    characters."""


class Picture(Struct, frozen=True):
    """A picture that another context keeps: people only store the reference."""

    file: FileId
    thumbhash: str = ""
    """Base64: what to show until the picture is loaded."""
    version: int = 0
    """Of the file, when a moderator last set its band; 0 if none did while it was shown here."""


class Person(Struct, frozen=True, kw_only=True):
    """A person as shown in lists."""

    id: UserId
    username: str
    display_name: str = ""
    """The name the person chose; show `name`."""
    first_name: str = ""
    last_name: str = ""
    profile_picture: str | None = None
    """The address of a picture that is kept elsewhere."""
    avatar: Picture | None = None
    """The picture that the person has uploaded."""
    version: int = 0
    """Increases with every change of names and avatar; counters such as followers do not change
    it."""

    @property
    def name(self) -> str:
        full_name = f"{self.first_name} {self.last_name}".strip()
        return self.display_name or full_name or self.username


class Account(Person, frozen=True, kw_only=True):
    """The whole account. Show the e-mail address only to its owner."""

    joined_ms: int
    email: str | None = None
    is_verified: bool = False
    follower_count: int = 0
    following_count: int = 0
    post_count: int = 0
    suspended_until_ms: int | None = None
    suspension_reason: str = ""
    """For the person. Notes of moderators are in the audit log."""
    staff_role: StaffRole | None = None
    metadata: str | None = None
    """The integrator's JSON object, as text."""

    def is_suspended(self, now_ms: int) -> bool:
        return self.suspended_until_ms is not None and now_ms < self.suspended_until_ms


def is_user_id(text: str) -> bool:
    """A generated id, or the `sub` of an identity provider; never the id of background jobs."""
    return _USER_ID.fullmatch(text) is not None and text != SYSTEM


def is_username(text: str) -> bool:
    return len(text) <= MAX_NAME and _USERNAME.fullmatch(text.lower()) is not None


def checked_username(text: str) -> str:
    username = text.strip().lower() if len(text) <= MAX_NAME else ""
    if not is_username(username):
        raise InvalidUsername
    return username


def checked_name(name: str, text: str) -> str:
    """Careful: check the length and the marks first, because normalising a long run of marks takes
    quadratic time."""
    if len(text) > 2 * MAX_NAME:
        raise _invalid(name, f"it must have at most {MAX_NAME} characters")
    given = text.strip()
    if not is_name_like(given):
        raise _invalid(
            name,
            "it must be one line, without hidden characters, and with few marks on each letter",
        )
    result = unicodedata.normalize("NFC", given)
    if len(result) > MAX_NAME:
        raise _invalid(name, f"it must have at most {MAX_NAME} characters")
    if result and not is_visible(result):
        raise _invalid(name, "it must have at least one visible character")
    return result


def checked_email(text: str) -> str:
    if len(text) > 2 * MAX_EMAIL:
        raise InvalidEmail
    address = text.strip()
    local, _, domain = address.rpartition("@")
    fits = local and domain and "@" not in local and len(address) <= MAX_EMAIL
    if not fits or re.search(r"\s", address):
        raise InvalidEmail
    return address


def checked_picture(address: str | None) -> str | None:
    if address is not None and len(address) > MAX_PICTURE:
        raise _invalid("profile picture", f"its address must have at most {MAX_PICTURE} characters")
    return address


def _invalid(name: str, reason: str) -> InvalidName:
    first, *rest = name.split()
    return InvalidName(first + "".join(word.capitalize() for word in rest), name, reason)


def search_words_of(person: Person) -> tuple[str, ...]:
    """The words that search finds a person by: the whole username, and each word of the names."""
    names = (person.first_name, person.last_name, person.display_name)
    parts = (word for name in names for word in split_words(name))
    return tuple(dict.fromkeys((person.username, *parts)))[:_MAX_WORDS]


def split_words(text: str) -> tuple[str, ...]:
    """`"Zoë  O'Neil"` becomes `zoe`, `o`, `neil`; a username stays whole. Long input is cut."""
    decomposed = unicodedata.normalize("NFKD", limit_marks(text[:_MAX_SEARCHED])).casefold()
    plain = "".join(c for c in decomposed if not unicodedata.combining(c))
    found = re.findall(r"[\w.]+", plain)
    return tuple(word[:_MAX_WORD] for word in (part.strip("._") for part in found) if word)
