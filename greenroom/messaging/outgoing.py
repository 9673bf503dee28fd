"""An outgoing message, and its outcome."""

from hashlib import blake2b
from typing import TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from greenroom.ids import MessageId
from greenroom.messaging import text
from greenroom.messaging.models import Message


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


class Rejected(Struct, frozen=True):
    """Was held, and a moderator decided against it."""

    client_id: str
    reason: str = ""
    warned: bool = False


Outcome: TypeAlias = Sent | Held | Rejected


def cleaned(outgoing: Outgoing) -> Outgoing:
    """Careful: this takes time. Spend the sender's limits first."""
    body = text.clean(outgoing.body)
    return outgoing if body == outgoing.body else replace(outgoing, body=body, typed=outgoing.body)


def digest(outgoing: Outgoing) -> bytes:
    """Of what makes two messages the same: the text as it came in, and all but the client id."""
    typed = outgoing.body if outgoing.typed is None else outgoing.typed
    content: tuple[object, ...] = (typed.encode(errors="surrogatepass"), outgoing.reply_to)
    if outgoing.metadata is not None or outgoing.event is not None:
        content = (*content, outgoing.metadata, outgoing.event)
    return blake2b(msgspec.msgpack.encode(content), digest_size=16).digest()
