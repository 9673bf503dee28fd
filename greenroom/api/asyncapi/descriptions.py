"""Reads what is said about a type where it is declared: its docstring, and the text under a field.

Python keeps the first and drops the second, so that it is read from the source. Where a server runs
without its sources, the descriptions are missing and nothing else.
"""

import ast
import inspect
import textwrap
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from msgspec import Struct

from greenroom.api.ws import frames
from greenroom.api.ws.session import Closed

FIELDS: Mapping[str, str] = {
    "id": "The number that the client has given to its request.",
    "thread_id": "The conversation.",
    "message_id": "The message in it.",
    "message": "The message as it is now.",
    "user_id": "Whom it is about.",
    "token": "A JWT, as REST takes it in `Authorization`.",
    "body": "The text.",
    "reply_to_message_id": "The message of the same thread that it answers.",
    "emoji": "One emoji.",
    "seq": "The place in the thread: 1, 2, 3 …",
    "on": "False: no longer.",
    "thread_ids": "All of them each time; none while the window is hidden.",
    "cursor": "From the last `ack` that had one. Keep it with the messages.",
    "hints": "Of `send`: what the author alone is told about the text.",
    "problem": "As over REST; docs/reference/problems.md lists them.",
    "awaiting_user_ids": "On whose answer the thread waits, after it.",
    "last_read_seq": "Everything up to here has been read.",
    "last_delivered_seq": "Everything up to here has reached a device.",
    "online": "False: on none of their screens any more.",
    "gone": "It is in the inbox no longer.",
    "request_id": "The request.",
    "target_user_id": "Whom it asks.",
    "sender_user_id": "Who has asked.",
    "status": "What has become of it.",
    "notice": "As `GET /v1/me/notices` lists it.",
    "notice_id": "The notice.",
    "changes": "As `GET /v1/sync` answers.",
    "expires_at": "When it ends.",
    "reason": "For a log, not for people.",
    "reconnect_after_ms": "Different for everybody, so that not all come back at once.",
}
"""Of fields that are declared without a word, by their name."""
CLOSE_CODES: Mapping[int, tuple[str, str]] = {
    1000: ("Either side is done.", "Nothing; or connect again, and `resume`."),
    1002: ("What came is not the WebSocket protocol.", "Mend the client."),
    1006: (
        "Nothing was said: the network broke, or the other side fell silent for 50 seconds.",
        "Connect again after a pause that doubles from one second to 30, each time a little "
        "shorter or longer by chance; then `resume`.",
    ),
    1009: ("A frame is larger than the server takes.", "Send less at once."),
    Closed.TOO_MUCH: ("Too many frames that are none.", "Mend the client."),
    Closed.RESTART: (
        "The server restarts, or goes.",
        "Connect again after the `reconnectAfterMs` of the `closing` frame before it; `resume`.",
    ),
    Closed.NO_TOKEN: (
        "The token is not accepted. The `problem` before it says why.",
        "Get another token.",
    ),
    Closed.EXPIRED: (
        "The token has expired and no other came, or the account is suspended. The `problem` "
        "before it says which.",
        "Get a new token, connect, `resume`; or wait until the suspension ends.",
    ),
    Closed.SLOW_TO_START: ("No token came within ten seconds.", "Send `auth` first, at once."),
    Closed.TOO_MANY_SOCKETS: (
        "The user has opened more sockets than one may have, and this was the oldest.",
        "Close those that are not needed. Connect again only when the user asks for it.",
    ),
}
"""What a code means, and what a client does then."""


def about(kind: type) -> str:
    """The docstring as one line."""
    return " ".join(inspect.cleandoc(kind.__doc__ or "").split())


@cache
def about_fields(kind: type) -> Mapping[str, str]:
    """By the name that a field has on the wire."""
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
