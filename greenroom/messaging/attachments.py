"""Checks the files that a message is sent with.

A file is attached once: the transaction that writes the message, holds it, or lets it wait, sets
`File.use` under the file's version (`attachment_ops.py`).
"""

from collections.abc import Iterable

from greenroom.files import access, rules
from greenroom.files.models import ENDED_BADLY, Attachment, File, FileState, Manifest
from greenroom.files.problems import FileNotFound, FileNotReady
from greenroom.ids import ThreadId, UserId
from greenroom.messaging import text
from greenroom.messaging.attachment_ops import use_while_waiting
from greenroom.messaging.context import Messaging
from greenroom.messaging.outgoing import Outgoing
from greenroom.messaging.problems import FileAlreadyUsed, InvalidAttachments
from greenroom.safety.verdict import Hold, Judged

RESEMBLES = "resembles"
"""Why a message is held: it has a picture like one that a moderator removed."""


def check_attachments(messaging: Messaging, outgoing: Outgoing) -> None:
    """What costs nothing. Call it before anything else."""
    attachments, most = outgoing.attachments, messaging.files.policy.per_message
    if len(attachments) > most:
        raise InvalidAttachments(f"it can have at most {most}")
    if len({one.file for one in attachments}) < len(attachments):
        raise InvalidAttachments("one of them is there twice")
    for one in attachments:
        text.check_length(one.alt, text.MAX_ALT)
    text.check_length(outgoing.written)


async def attached_files(
    messaging: Messaging, author: UserId, thread: ThreadId, outgoing: Outgoing
) -> tuple[File, ...]:
    """The author's own files, uploaded for this thread, that nothing else uses."""
    ids = [one.file for one in outgoing.attachments]
    found = await access.load_many(messaging.files, ids)
    return tuple(_checked(found.get(id), author, thread, outgoing.client_id) for id in ids)


def _checked(file: File | None, author: UserId, thread: ThreadId, client_id: str) -> File:
    if file is None or file.owner != author or file.state is FileState.DELETED:
        raise FileNotFound
    if file.thread != thread:
        raise InvalidAttachments("one of them was not uploaded for this conversation")
    if file.state in ENDED_BADLY:
        raise FileNotReady(file.state.value)
    if file.use is not None and file.use != use_while_waiting(thread, client_id):
        raise FileAlreadyUsed
    return file


def are_ready(files: Iterable[File]) -> bool:
    return all(file.state is FileState.READY for file in files)


def shown_attachments(outgoing: Outgoing, files: Iterable[File]) -> tuple[Attachment, ...]:
    """What the message keeps of its files, which are ready."""
    alts = [one.alt for one in outgoing.attachments]
    return tuple(rules.attachment_of(file, alt) for file, alt in zip(files, alts, strict=True))


def manifest_attachment(manifest: Manifest) -> Attachment:
    return Attachment(
        kind="manifest",
        manifest=manifest.id,
        name=manifest.name,
        mime="",
        size=manifest.size,
        sha256=manifest.sha256,
        url=manifest.url,
    )


def held_if_resembling(messaging: Messaging, verdict: Judged, files: Iterable[File]) -> Hold | None:
    """A picture that resembles one that was removed is shown to a moderator first."""
    holds = messaging.files.safe_mode.hold_resembling
    if not holds or all(file.resembles is None for file in files):
        return None
    return Hold(
        spam_score=verdict.spam_score,
        policy_tags=verdict.policy_tags,
        policy_hints=verdict.policy_hints,
        reason=RESEMBLES,
    )
