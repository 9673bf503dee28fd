"""Loads files on behalf of an actor. Missing and forbidden look alike."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from msgspec import Struct

from greenroom.files import items
from greenroom.files.context import Files
from greenroom.files.models import File, FileState, Viewer
from greenroom.files.problems import FileNotFound
from greenroom.files.records import FILES, file_key
from greenroom.ids import FileId, is_id
from greenroom.people.actor import Actor

MAX_LOAD = 100
"""Files that `load_many` takes at once."""


class FileView(Struct, frozen=True):
    """A file as the actor may see it."""

    file: File
    viewer: Viewer | None
    """None for its owner."""


async def load(files: Files, file_id: FileId) -> File | None:
    """On nobody's behalf."""
    return (await load_many(files, (file_id,))).get(file_id)


async def load_many(files: Files, file_ids: Iterable[FileId]) -> dict[FileId, File]:
    """On nobody's behalf: those that exist, in the order of the ids."""
    keys = {file_id: file_key(file_id) for file_id in file_ids if _is_file_id(file_id)}
    if not keys:
        return {}
    found = await files.store.batch_get(FILES, tuple(keys.values()), consistent=True)
    return {one: items.file_of(found[key]) for one, key in keys.items() if key in found}


def _is_file_id(file_id: FileId) -> bool:
    return is_id(file_id, "fil_")


async def existing(files: Files, file_id: FileId) -> File:
    """On nobody's behalf. Raises if it is deleted."""
    file = await load(files, file_id)
    if file is None or file.state is FileState.DELETED:
        raise FileNotFound
    return file


async def own_file(files: Files, actor: Actor, file_id: FileId) -> File:
    file = await existing(files, file_id)
    if file.owner != actor.user:
        raise FileNotFound
    return file


async def file(files: Files, actor: Actor, file_id: FileId) -> FileView:
    """The actor's own file, or one that is used where the actor may see it."""
    seen = await file_views(files, actor, (file_id,))
    if file_id not in seen:
        raise FileNotFound
    return seen[file_id]


async def file_views(
    files: Files, actor: Actor, file_ids: Iterable[FileId]
) -> dict[FileId, FileView]:
    """The same for many. Those that are missing and those that the actor may not see are left
    out."""
    loaded = await load_many(files, file_ids)
    there = [one for one in loaded.values() if one.state is not FileState.DELETED]
    viewers = await _viewers(files, actor, [one for one in there if one.owner != actor.user])
    return {
        one.id: FileView(one, viewers.get(one.id))
        for one in there
        if one.owner == actor.user or one.id in viewers
    }


async def _viewers(files: Files, actor: Actor, others: Sequence[File]) -> dict[FileId, Viewer]:
    """Of files of other owners: a file that is not used, or not ready, has none."""
    by_kind: defaultdict[str, list[File]] = defaultdict(list)
    for one in others:
        if one.use is not None and one.state is FileState.READY:
            by_kind[one.use.kind].append(one)
    found: dict[FileId, Viewer] = {}
    for kind, used in by_kind.items():
        audience = files.audiences.get(kind)
        found |= {} if audience is None else await audience.viewers(actor, used)
    return found
