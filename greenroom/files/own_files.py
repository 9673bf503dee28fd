"""Lists the files of a user, by their last change.

Careful: the index has the preferences too, which are no file.
"""

from collections.abc import Sequence

from msgspec import Struct

from greenroom.clock import iso
from greenroom.files import items
from greenroom.files.context import Files
from greenroom.files.models import File, FileState, SafeMode
from greenroom.files.records import CHANGED_AT, FILES, OWN_FILES, owner_key
from greenroom.ids import UserId
from greenroom.people.actor import Actor
from greenroom.store.expressions import Bound
from greenroom.store.values import Item

MAX_PAGE = 50
_READS = 5


class OwnFiles(Struct, frozen=True):
    files: tuple[File, ...]
    next: str | None


async def own_files(
    files: Files, actor: Actor, *, limit: int = 20, cursor: str | None = None
) -> OwnFiles:
    """The last changed first. A page after many deleted files may be short, or even empty."""
    found: list[File] = []
    most = max(1, min(limit, MAX_PAGE))
    for _ in range(_READS):
        page = await files.store.query(
            FILES,
            owner_key(actor.user),
            index=OWN_FILES,
            limit=most - len(found),
            backward=True,
            cursor=cursor,
        )
        read = _files_in(page.items)
        found += [file for file in read if file.state is not FileState.DELETED]
        cursor = page.next
        if cursor is None or len(found) == most:
            break
    return OwnFiles(tuple(found), cursor)


class Changed(Struct, frozen=True):
    files: tuple[File, ...]
    safe_mode: SafeMode | None
    """None if it has not changed."""
    chosen_at: str
    """When the safe mode was chosen."""
    next: str | None


async def changed_since(
    files: Files, user: UserId, since_ms: int, cursor: str | None = None, limit: int = MAX_PAGE
) -> Changed:
    """For sync: what changed since then, the first changed first, with deleted files."""
    page = await files.store.query(
        FILES,
        owner_key(user),
        Bound(">=", iso(max(0, since_ms))),
        index=OWN_FILES,
        limit=limit,
        cursor=cursor,
    )
    chosen = next((item for item in page.items if items.is_preferences(item)), None)
    return Changed(
        files=tuple(_files_in(page.items)),
        safe_mode=None if chosen is None else items.safe_mode_of(chosen),
        chosen_at="" if chosen is None else str(chosen[CHANGED_AT]),
        next=page.next,
    )


def _files_in(found: Sequence[Item]) -> list[File]:
    return [items.file_of(item) for item in found if not items.is_preferences(item)]
