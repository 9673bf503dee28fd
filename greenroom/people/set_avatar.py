"""Changes the picture of a person, as ops: another context keeps the file."""

from msgspec.structs import replace

from greenroom.people import records
from greenroom.people.models import Account, Picture
from greenroom.store.base import Op


def with_avatar(before: Account, avatar: Picture | None) -> tuple[Account, tuple[Op, ...]]:
    """The account with the picture, and the ops, which are refused where it has changed."""
    after = replace(before, avatar=avatar, version=before.version + 1)
    return after, records.renamed(before, after)
