"""The frames of the socket itself: authentication, resuming, acks, problems and announcements.

Contexts add requests, acks and events of their own (`api/<context>/frames.py`). The AsyncAPI
document, docs/reference/socket.json and the web client's types are built from all of them.

Every frame has a `type`. A request that gets an answer also has an `id`, a number that the client
chooses; the `ack` or `problem` repeats it. Every other frame from the server is an event.
"""

from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Meta, Struct

from greenroom.api.tokens import MAX_TOKEN_LENGTH
from greenroom.ids import UserId
from greenroom.store.cursors import MAX_CURSOR

Id: TypeAlias = Annotated[str, Meta(min_length=1, max_length=64)]
Number: TypeAlias = Annotated[int, Meta(ge=0, le=2**53)]
MOST_KNOWN = 1000


class Frame(Struct, rename="camel", omit_defaults=True, tag_field="type"):
    """A frame in either direction."""


# Requests from clients.


class Auth(Frame, tag="auth", forbid_unknown_fields=True):
    """Authenticates. Send it first, unless the token was in the handshake, and again before the
    token expires."""

    id: Number
    token: Annotated[str, Meta(extra_json_schema={"maxLength": MAX_TOKEN_LENGTH})]
    act_for: Id | None = None
    """For a service: the user that it acts for."""


class Resume(Frame, tag="resume", forbid_unknown_fields=True):
    """Gets everything that was missed since the cursor. Live events follow."""

    id: Number
    cursor: Annotated[str, Meta(max_length=MAX_CURSOR)]
    have: Annotated[dict[Id, Number], Meta(max_length=MOST_KNOWN)] = {}
    """For each conversation, the `seq` up to which the client has every message. Stop at the first
    gap: messages up to this `seq` are not sent again. Messages of conversations left out may be
    sent twice."""


class Ping(Frame, tag="ping", forbid_unknown_fields=True):
    """Checks the connection and gets the current cursor."""

    id: Number


# Answers.


class Ack(Frame, tag="ack"):
    """The request succeeded. Its changes are stored durably."""

    id: int


class AuthAck(Ack, tag="ack"):
    """The answer to `auth`."""

    cursor: str | None = None
    """The cursor to resume from."""
    user_id: UserId | None = None
    """The authenticated user."""
    expires_at: str | None = None
    """When the token expires. Send `auth` with a new one before that."""


class PingAck(Ack, tag="ack"):
    """The answer to `ping`."""

    cursor: str | None = None
    """The cursor to resume from."""


class ResumeAck(Ack, tag="ack"):
    """The answer to `resume`, after everything that was missed."""

    cursor: str | None = None
    """The cursor to resume from."""
    reset: list[str] = []
    """The sources for which the cursor is too old. Load their data again."""


class Problem(Frame, tag="problem"):
    """A refusal, with the same document as over REST (RFC 9457). Without `id` it belongs to no
    request."""

    problem: dict[str, Any]
    id: int | None = None


# Events.


class Synced(Frame, tag="synced"):
    """Part of what was missed, in the shape of `GET /v1/sync`."""

    id: int
    changes: Any


class Resync(Frame, tag="resync"):
    """Events may have been lost. Send `resume` with the last cursor."""


class Expiring(Frame, tag="token.expiring"):
    """The token expires soon. Send `auth` with a new one, or the server closes the socket."""

    expires_at: str


class Closing(Frame, tag="closing"):
    """The server is about to close the socket. Reconnect after the delay."""

    reason: Literal["the server restarts"]
    reconnect_after_ms: int


class _Numbered(Struct):
    id: int | None = None


def number_in(payload: bytes) -> int | None:
    """The `id` of an invalid frame, so that the client knows which request failed."""
    try:
        return msgspec.json.decode(payload, type=_Numbered).id
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
