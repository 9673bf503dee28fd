"""The ops that change the files of a message, for the transaction that changes the message.

Each is refused where a file has changed at the same moment: `is_about_files` says so, and the
caller reads the files again.
"""

from collections.abc import Iterable, Sequence

from greenroom.files.access import load_many
from greenroom.files.models import ENDED_BADLY, File, FileState, FileUse
from greenroom.files.records import FILES
from greenroom.files.release import release_ops
from greenroom.files.removed_pictures import remember_removed
from greenroom.files.use import unuse_ops, use_op
from greenroom.ids import FileId, ThreadId
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import Message, WaitingMessage
from greenroom.store.base import Op
from greenroom.store.problems import ConditionFailed

MESSAGE = "message"
"""The kind of use."""


def use_while_waiting(thread: ThreadId, client_id: str) -> FileUse:
    return FileUse(kind=MESSAGE, target=thread, client_id=client_id)


def use_in(message: Message, client_id: str) -> FileUse:
    return FileUse(
        kind=MESSAGE,
        target=message.thread,
        item=message.id,
        position=message.seq,
        client_id=client_id,
    )


def waiting_use_ops(
    files: Iterable[File], thread: ThreadId, client_id: str, now_ms: int
) -> tuple[Op, ...]:
    """For a message that waits, or is held. A file that waits already stays as it is."""
    use = use_while_waiting(thread, client_id)
    return tuple(use_op(file, use, now_ms) for file in files if file.use != use)


def sent_use_ops(
    files: Iterable[File], message: Message, client_id: str, now_ms: int
) -> tuple[Op, ...]:
    return tuple(use_op(file, use_in(message, client_id), now_ms) for file in files)


async def freed_files_ops(
    messaging: Messaging, message: WaitingMessage, now_ms: int
) -> tuple[Op, ...]:
    """Files of a message that will not be sent can be used again. Those that ended badly stay as
    they are, until they expire."""
    found = await load_many(messaging.files, [one.file for one in message.attachments])
    use = use_while_waiting(message.thread, message.client_id)
    policy, gone = messaging.files.policy, ENDED_BADLY | {FileState.DELETED}
    return tuple(
        op
        for file in found.values()
        if file.use == use and file.state not in gone
        for op in unuse_ops(file, policy, now_ms)
    )


async def delete_files_ops(
    messaging: Messaging, ids: Sequence[FileId], *, is_removal: bool = False
) -> tuple[Op, ...]:
    """For the transaction that deletes the message. After a removal by a moderator, pictures that
    resemble these are held."""
    found = (await load_many(messaging.files, ids)).values() if ids else ()
    now_ms = messaging.clock.now_ms()
    kept = [op for file in found if is_removal for op in remember_removed(file, now_ms)]
    return *release_ops(found, now_ms), *kept


def is_about_files(refusal: ConditionFailed) -> bool:
    """Whether a file changed at the same moment, and nothing else was refused."""
    return all(failure.op.table.name == FILES.name for failure in refusal.failed)
