"""Renders people for the API."""

from typing import Any

from msgspec import Struct

from greenroom import metadata
from greenroom.clock import iso
from greenroom.ids import FileId, UserId
from greenroom.people import models


class Picture(Struct, rename="camel"):
    """A picture. `POST /v1/file-urls` says where to load it."""

    file_id: FileId
    thumbhash: str
    version: int
    """Increases when a moderator has decided how carefully the picture is shown: ask for its URLs
    again."""


class Person(Struct, rename="camel"):
    user_id: UserId
    username: str
    display_name: str
    first_name: str
    last_name: str
    profile_picture: str | None
    avatar: Picture | None
    version: int
    """Increases when a name or the avatar changes. Of two copies of a person, keep the one with the
    higher version."""


class Suspension(Struct, rename="camel"):
    until: str
    reason: str


class Profile(Person, rename="camel"):
    is_verified: bool
    follower_count: int
    following_count: int
    post_count: int
    joined_at: str
    suspension: Suspension | None
    metadata: dict[str, Any]


def person_fields(person: models.Person) -> dict[str, Any]:
    return {
        "user_id": person.id,
        "username": person.username,
        "display_name": person.name,
        "first_name": person.first_name,
        "last_name": person.last_name,
        "profile_picture": person.profile_picture,
        "avatar": picture_shape(person.avatar),
        "version": person.version,
    }


def picture_shape(picture: models.Picture | None) -> Picture | None:
    return None if picture is None else Picture(picture.file, picture.thumbhash, picture.version)


def profile_fields(
    account: models.Account, *, suspended_at_ms: int | None = None
) -> dict[str, Any]:
    return person_fields(account) | {
        "is_verified": account.is_verified,
        "follower_count": account.follower_count,
        "following_count": account.following_count,
        "post_count": account.post_count,
        "joined_at": iso(account.joined_ms),
        "suspension": None if suspended_at_ms is None else _suspension(account, suspended_at_ms),
        "metadata": metadata.to_json(account.metadata),
    }


def _suspension(account: models.Account, now_ms: int) -> Suspension | None:
    until_ms = account.suspended_until_ms
    if until_ms is None or not account.is_suspended(now_ms):
        return None
    return Suspension(iso(until_ms), account.suspension_reason)
