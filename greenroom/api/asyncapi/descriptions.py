"""Reads descriptions of frames and fields: the docstring of a class, and the string under a field.

Python drops the strings under fields, so they are read from the source file. A server without its
source files only lacks the descriptions.
"""

import ast
import inspect
import textwrap
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from msgspec import Struct

from greenroom.api.ws import frames
from greenroom.api.ws.close_codes import Closed

FIELDS: Mapping[str, str] = {
    "id": "The number that the client gave to its request.",
    "thread_id": "The conversation.",
    "message_id": "The message.",
    "message": "The message in its current state.",
    "user_id": "The person.",
    "token": "A JWT: the same token as in REST's `Authorization` header.",
    "body": "The text.",
    "reply_to_message_id": "The message that this one replies to, in the same conversation.",
    "emoji": "One emoji.",
    "seq": "The message's position in the conversation: 1, 2, 3 …",
    "on": "False when it has ended.",
    "thread_ids": "The complete list each time; empty while the window is hidden.",
    "cursor": "The cursor of the last `ack` that had one. Store it together with the messages.",
    "hints": "Hints about the text. Only its author gets them.",
    "problem": "The same document as over REST; docs/reference/problems.md lists all problems.",
    "awaiting_user_ids": "The people whose reply the conversation waits for now.",
    "last_read_seq": "The person has read all messages up to this `seq`.",
    "last_delivered_seq": "All messages up to this `seq` have reached a device of the person.",
    "online": "False once the conversation is on none of the person's screens.",
    "gone": "True if the conversation has left the inbox.",
    "request_id": "The request.",
    "target_user_id": "The person who received the request.",
    "sender_user_id": "The person who sent the request.",
    "status": "The current status.",
    "notice": "The notice, as in `GET /v1/me/notices`.",
    "notice_id": "The notice.",
    "changes": "The changes, as in `GET /v1/sync`.",
    "expires_at": "When the token expires.",
    "reason": "The reason, for your logs. Do not show it to users.",
    "reconnect_after_ms": "How long to wait. It differs for each client, to spread the reconnects.",
}
"""Descriptions of fields that have no string of their own, by the field's name."""
CLOSE_CODES: Mapping[int, tuple[str, str]] = {
    1000: ("One side closed the socket normally.", "Nothing, or reconnect and `resume`."),
    1002: ("The data does not follow the WebSocket protocol.", "Fix the client."),
    1006: (
        "The connection was lost: the network failed, or the other side was silent for 50 seconds.",
        "Reconnect with exponential backoff from 1 to 30 seconds and random jitter; then `resume`.",
    ),
    1009: ("A frame is larger than the server accepts.", "Send smaller frames."),
    Closed.TOO_MUCH: ("Too many invalid frames.", "Fix the client."),
    Closed.RESTART: (
        "The server restarts or shuts down.",
        "Wait for the `reconnectAfterMs` of the `closing` frame, reconnect, `resume`.",
    ),
    Closed.NO_TOKEN: (
        "The token is not accepted. The preceding `problem` says why.",
        "Get another token.",
    ),
    Closed.EXPIRED: (
        "The token has expired and was not replaced, or the account is suspended. The preceding "
        "`problem` says which.",
        "Get a new token, connect, `resume`; or wait until the suspension ends.",
    ),
    Closed.SLOW_TO_START: (
        "No token came within ten seconds.",
        "Send `auth` as soon as the socket is open.",
    ),
    Closed.TOO_MANY_SOCKETS: (
        "The user has too many open sockets, and this was the oldest.",
        "Close sockets that are not needed. Reconnect only when the user asks for it.",
    ),
}
"""What each close code means, and what the client should do."""


def about(kind: type) -> str:
    """The docstring as one line."""
    return " ".join(inspect.cleandoc(kind.__doc__ or "").split())


@cache
def about_fields(kind: type) -> Mapping[str, str]:
    """Descriptions by the field's name on the wire."""
    told = dict(FIELDS) if issubclass(kind, frames.Frame) else {}
    for declared in reversed(kind.__mro__):
        if issubclass(declared, Struct) and declared is not Struct:
            told |= dict(_under_fields(declared))
    struct: Any = kind
    names = zip(struct.__struct_fields__, struct.__struct_encode_fields__, strict=True)
    return {shown: told[name] for name, shown in names if name in told}


def _under_fields(kind: type) -> Iterator[tuple[str, str]]:
    try:
        source = inspect.getsource(kind)
    except OSError:
        return
    (declared,) = ast.parse(textwrap.dedent(source)).body
    assert isinstance(declared, ast.ClassDef)
    for field, after in zip(declared.body, declared.body[1:], strict=False):
        match field, after:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str() as text)),
            ):
                yield name, " ".join(text.split())
