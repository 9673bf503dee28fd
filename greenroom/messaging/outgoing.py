"""An outgoing message, and its outcome."""

from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from greenroom.files.models import NewManifest
from greenroom.ids import MessageId
from greenroom.messaging import text
from greenroom.messaging.characters import too_long
from greenroom.messaging.models import Message, NewAttachment


def written_text(body: str, alts: Sequence[str]) -> str:
    return "\n".join(filter(None, (body, *alts))) if alts else body


class Outgoing(Struct, frozen=True):
    """What a client sends. The same `client_id` is the same message."""

    client_id: str
    body: str
    reply_to: MessageId | None = None
    typed: str | None = None
    """The text as it came in, where cleaning has changed it: a retry brings the same again."""
    metadata: str | None = None
    """JSON text, as `metadata.checked` gives it."""
    event: str | None = None
    """Of a system message."""
    attachments: tuple[NewAttachment, ...] = ()
    typed_alts: tuple[str, ...] | None = None
    """The descriptions of the attachments as they came in, where cleaning has changed one."""
    manifest: NewManifest | None = None
    """The deliverable that it records (`send_manifest.py`)."""

    @property
    def written(self) -> str:
        """All that its author wrote, which is checked as one text: the body, and the descriptions
        of its attachments."""
        return written_text(self.body, [one.alt for one in self.attachments])


class Sent(Struct, frozen=True):
    message: Message
    hints: tuple[str, ...] = ()
    """Advice for the sender."""
    again: bool = False
    """Whether it was sent before, under the same client id."""


class Held(Struct, frozen=True):
    """Waits for a moderator."""

    client_id: str
    again: bool = False
    """Whether it was sent before, under the same client id."""


class Waiting(Struct, frozen=True):
    """Waits for its files."""

    client_id: str
    again: bool = False
    """Whether it was sent before, under the same client id."""


class Failed(Struct, frozen=True):
    """Waited for its files, and could not be sent."""

    client_id: str
    problem: str
    detail: str


class Canceled(Struct, frozen=True):
    """Waited for its files, until its author canceled it."""

    client_id: str


class Rejected(Struct, frozen=True):
    """Was held, and a moderator decided against it."""

    client_id: str
    reason: str = ""
    warned: bool = False


Outcome: TypeAlias = Sent | Held | Waiting | Failed | Canceled | Rejected


def cleaned(outgoing: Outgoing, if_empty: str = text.EMPTY) -> Outgoing:
    """Careful: this takes time. Spend the sender's limits first."""
    if outgoing.attachments:
        return _with_clean_caption(outgoing)
    body = text.clean(outgoing.body, if_empty)
    return outgoing if body == outgoing.body else replace(outgoing, body=body, typed=outgoing.body)


def _with_clean_caption(outgoing: Outgoing) -> Outgoing:
    """Attachments need no text. The caption and the descriptions together are one text."""
    body = text.clean_or_empty(outgoing.body)
    alts = tuple(text.clean_or_empty(one.alt, text.MAX_ALT) for one in outgoing.attachments)
    given = tuple(one.alt for one in outgoing.attachments)
    attachments = tuple(
        NewAttachment(one.file, alt) for one, alt in zip(outgoing.attachments, alts, strict=True)
    )
    clean = replace(
        outgoing,
        body=body,
        typed=None if body == outgoing.body else outgoing.body,
        attachments=attachments,
        typed_alts=None if alts == given else given,
    )
    if len(clean.written) > text.MAX_TEXT:
        raise too_long(text.MAX_TEXT)
    return clean


def digest(outgoing: Outgoing) -> bytes:
    """Of what makes two messages the same: the text as it came in, and all but the client id."""
    typed = outgoing.body if outgoing.typed is None else outgoing.typed
    content: tuple[object, ...] = (typed.encode(errors="surrogatepass"), outgoing.reply_to)
    if outgoing.metadata is not None or outgoing.event is not None:
        content = (*content, outgoing.metadata, outgoing.event)
    if outgoing.attachments:
        content = (*content, _attached(outgoing))
    if outgoing.manifest is not None:
        content = (*content, "manifest", msgspec.structs.astuple(outgoing.manifest))
    return blake2b(msgspec.msgpack.encode(content), digest_size=16).digest()


def _attached(outgoing: Outgoing) -> list[tuple[str, bytes]]:
    """Each file with its description as it came in."""
    alts = outgoing.typed_alts or tuple(one.alt for one in outgoing.attachments)
    return [
        (one.file, alt.encode(errors="surrogatepass"))
        for one, alt in zip(outgoing.attachments, alts, strict=True)
    ]
