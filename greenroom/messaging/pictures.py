"""Pictures of people and threads: which files can be one, and who may see them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from greenroom.files import Files
from greenroom.files.access import own_file
from greenroom.files.compare_again import compared_again
from greenroom.files.models import File, FileState, Media, Viewer
from greenroom.files.problems import FileNotReady
from greenroom.ids import FileId, ThreadId
from greenroom.messaging import access, rules
from greenroom.messaging.context import Messaging
from greenroom.messaging.file_audience import contacts_among, viewers_in
from greenroom.messaging.problems import FileAlreadyUsed, InvalidPicture, ThreadNotFound
from greenroom.messaging.show_picture_band import show_avatar_band, show_thread_picture_band
from greenroom.people.actor import Actor
from greenroom.people.models import Picture

AVATAR, THREAD_PICTURE = "avatar", "thread_picture"
"""The kinds of use."""


async def own_picture(files: Files, actor: Actor, file_id: FileId, thread: ThreadId | None) -> File:
    """The actor's own unused picture, uploaded for this thread, or for none."""
    file = await own_file(files, actor, file_id)
    if file.thread != thread:
        place = "for this conversation" if thread is not None else "without a `threadId`"
        raise InvalidPicture(f"it must be uploaded {place}")
    if file.use is not None:
        raise FileAlreadyUsed
    if file.state is not FileState.READY:
        raise FileNotReady(file.state.value)
    if file.media is not Media.PICTURE:
        raise InvalidPicture("it must be a picture")
    file = await compared_again(files, file)
    if files.safe_mode.hold_resembling and file.resembles is not None:
        raise InvalidPicture("it must not be like one that a moderator removed")
    return file


def reference_to(file: File) -> Picture:
    return Picture(file.id, file.thumbhash)


@dataclass(frozen=True)
class AvatarAudience:
    """Everybody who is signed in, as with names: somebody who is blocked must not notice."""

    messaging: Messaging

    async def viewers(self, actor: Actor, files: Sequence[File]) -> Mapping[FileId, Viewer]:
        known = await contacts_among(self.messaging, actor.user, {file.owner for file in files})
        return {file.id: Viewer(knows_owner=file.owner in known) for file in files}

    async def show_band(self, file: File) -> None:
        await show_avatar_band(self.messaging, file)


@dataclass(frozen=True)
class ThreadPictureAudience:
    """The members who have accepted."""

    messaging: Messaging

    async def viewers(self, actor: Actor, files: Sequence[File]) -> Mapping[FileId, Viewer]:
        by_thread: defaultdict[ThreadId, list[File]] = defaultdict(list)
        for file in files:
            assert file.use is not None
            by_thread[ThreadId(file.use.target)].append(file)
        found: dict[FileId, Viewer] = {}
        for thread, used in by_thread.items():
            with suppress(ThreadNotFound):
                view = await access.thread(self.messaging, actor, thread)
                if rules.has_accepted(view.thread, actor.user):
                    found |= await viewers_in(self.messaging, view, used)
        return found

    async def show_band(self, file: File) -> None:
        await show_thread_picture_band(self.messaging, file)
