"""The sync source `files`: the user's own files and preferences that changed."""

from msgspec import Struct

from greenroom.api.files.shapes import File, FilePreferences, file_shape
from greenroom.api.sync import Known, SourceChanges
from greenroom.files import Files
from greenroom.files.models import FileState
from greenroom.files.sync_files import file_cursor_now, sync_files
from greenroom.ids import FileId, UserId
from greenroom.people.actor import Actor


class FileChanges(Struct, rename="camel"):
    """Changes of the caller's files and preferences for files."""

    changed: list[File]
    """New and changed files. Replace what you have, unless its `version` is higher."""
    deleted: list[FileId]
    """Files that were deleted, or have expired."""
    preferences: FilePreferences | None
    """How sensitive pictures are shown to you; null if that has not changed. Where it is there, ask
    for the URLs of the pictures on screen again."""


class FileSource:
    def __init__(self, files: Files) -> None:
        self._files = files

    async def changes(
        self, actor: Actor, position: bytes | None, known: Known, room: int
    ) -> SourceChanges:
        found = await sync_files(self._files, actor.user, position, room=room)
        chosen = None if found.safe_mode is None else FilePreferences(found.safe_mode)
        gone = [file.id for file in found.files if file.state is FileState.DELETED]
        live = [file_shape(one) for one in found.files if one.state is not FileState.DELETED]
        return SourceChanges(
            changes=FileChanges(live, gone, chosen) if live or gone or chosen else None,
            position=found.cursor,
            more=found.more,
            reset=found.reset,
        )

    def position_now(self, user: UserId, last: bytes | None, room: int) -> bytes:
        return file_cursor_now(self._files, last, room=room)
