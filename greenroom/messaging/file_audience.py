"""Says who may see the files of messages: messaging's implementation of files' `Audience`.

A member sees the files of the messages that they may see. A file of a message that waits, or is
held, is seen by nobody but its owner.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from msgspec.structs import replace

from greenroom.files.models import Attachment, File, Viewer
from greenroom.ids import FileId, MessageId, ThreadId, UserId
from greenroom.messaging import access, rules
from greenroom.messaging.access import ThreadView
from greenroom.messaging.change import change_message
from greenroom.messaging.context import Messaging
from greenroom.messaging.events import MessageEdited
from greenroom.messaging.models import Message
from greenroom.messaging.new_message import largest_band
from greenroom.messaging.problems import ThreadNotFound
from greenroom.messaging.records import MESSAGING, contact_key
from greenroom.messaging.send_checks import check_may_send
from greenroom.people.actor import Actor


@dataclass(frozen=True)
class MessageAudience:
    messaging: Messaging

    async def viewers(self, actor: Actor, files: Sequence[File]) -> Mapping[FileId, Viewer]:
        by_thread: defaultdict[ThreadId, list[File]] = defaultdict(list)
        for file in files:
            if file.use is not None and not file.use.is_waiting:
                by_thread[ThreadId(file.use.target)].append(file)
        found: dict[FileId, Viewer] = {}
        for thread, used in by_thread.items():
            with suppress(ThreadNotFound):
                view = await access.thread(self.messaging, actor, thread)
                shown = [file for file in used if _shows(view, file)]
                found |= await viewers_in(self.messaging, view, shown)
        return found

    async def show_band(self, file: File) -> None:
        """Changes the message, so that events and sync tell the new band."""
        assert file.use is not None
        if file.use.is_waiting:
            return  # it gets the band when it is sent
        thread, message_id = ThreadId(file.use.target), MessageId(file.use.item)
        head, _ = await self.messaging.thread_cache.load(thread)
        message = await access.find_message(self.messaging, thread, message_id)
        if head is None or message is None:
            return
        view, changed = access.system_view(head), partial(with_band, file)
        await change_message(self.messaging, view, message, changed, MessageEdited)


def _shows(view: ThreadView, file: File) -> bool:
    assert file.use is not None
    return rules.shows(view.thread, view.mine.user, file.use.position)


async def viewers_in(
    messaging: Messaging, view: ThreadView, files: Iterable[File]
) -> dict[FileId, Viewer]:
    """For a member who may see these files."""
    thread, user = view.thread, view.mine.user
    owners = {file.owner for file in files}
    met = {owner for owner in owners if rules.has_met(thread, user, owner)}
    met |= await contacts_among(messaging, user, owners - met)
    return {
        file.id: Viewer(safe_mode_required=thread.safe_mode, knows_owner=file.owner in met)
        for file in files
    }


async def contacts_among(
    messaging: Messaging, user: UserId, others: Iterable[UserId]
) -> set[UserId]:
    """Those whom the user has written to, or has accepted."""
    keys = {other: contact_key(user, other) for other in others}
    if not keys:
        return set()
    found = await messaging.store.batch_get(MESSAGING, tuple(keys.values()))
    return {other for other, key in keys.items() if key in found}


def with_band(file: File, message: Message, _: int) -> Message:
    """The same object where it has the band already."""
    attachments = tuple(_with_band(one, file) for one in message.attachments)
    if attachments == message.attachments:
        return message
    return replace(message, attachments=attachments, band=largest_band(attachments))


def _with_band(attachment: Attachment, file: File) -> Attachment:
    if attachment.file != file.id:
        return attachment
    return replace(attachment, band=file.band, rated=file.is_rated)


@dataclass(frozen=True)
class ThreadsForFiles:
    """Messaging's implementation of files' `Threads`."""

    messaging: Messaging

    async def check_may_attach(self, actor: Actor, thread: ThreadId) -> None:
        view = await access.thread(self.messaging, actor, thread)
        now_ms = self.messaging.clock.now_ms()
        check_may_send(view.thread, actor.user, "", now_ms, has_files=True)
