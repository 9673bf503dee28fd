"""Who somebody is, as values, and the rules of names: pure, no I/O.

A username is ASCII, so that no two look the same on a screen; a name is whatever people are
called. Both are found by their words, without case and accents.
"""

import re
import unicodedata

from msgspec import Struct

from greenroom.errors import Problem
from greenroom.ids import UserId

MAX_NAME = 80
_USERNAME = re.compile(r"[a-z][a-z0-9_.]{1,29}")
_MAX_WORDS = 12
_MAX_WORD = 40


class InvalidUsername(Problem):
    """A username begins with a letter and has 2 to 30 of a-z, 0-9, dot and underscore."""


class InvalidName(Problem):
    """A name has at most 80 characters on one line: {name} does not fit."""

    name: str


class InvalidEmail(Problem):
    """An e-mail address has one @ between two parts, no blanks, and at most 254 characters."""


class Person(Struct, frozen=True, kw_only=True):
    """What a list shows of somebody."""

    id: UserId
    username: str
    first_name: str = ""
    last_name: str = ""
    profile_picture: str | None = None

    @property
    def name(self) -> str:
        return f"{self.first_name} {self.last_name}".strip() or self.username


class Account(Person, frozen=True, kw_only=True):
    """All that is known of somebody. The e-mail address is for its owner and nobody else."""

    joined_ms: int
    email: str | None = None
    is_verified: bool = False
    follower_count: int = 0
    following_count: int = 0
    post_count: int = 0


def checked_username(text: str) -> str:
    username = text.strip().lower()
    if not _USERNAME.fullmatch(username):
        raise InvalidUsername
    return username


def checked_name(field: str, text: str) -> str:
    name = unicodedata.normalize("NFC", text).strip()
    if len(name) > MAX_NAME or not name.isprintable():
        raise InvalidName(field)
    return name


def checked_email(text: str) -> str:
    local, at, domain = text.strip().rpartition("@")
    address = f"{local}{at}{domain}"
    if not (local and domain) or "@" in local or len(address) > 254 or re.search(r"\s", address):
        raise InvalidEmail
    return address


def words_of(person: Person) -> tuple[str, ...]:
    """The words by which somebody is found: the username whole, and each part of the names."""
    parts = (*split_words(person.first_name), *split_words(person.last_name))
    return tuple(dict.fromkeys((person.username, *parts)))[:_MAX_WORDS]


def split_words(text: str) -> tuple[str, ...]:
    """`"Zoë  O'Neil"` is `zoe`, `o`, `neil`; a username stays whole."""
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    plain = "".join(c for c in decomposed if not unicodedata.combining(c))
    found = re.findall(r"[\w.]+", plain)
    return tuple(word[:_MAX_WORD] for word in (part.strip("._") for part in found) if word)
