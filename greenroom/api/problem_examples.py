"""An example of every kind of problem, with its fields filled in."""

from collections.abc import Mapping
from typing import Any

from greenroom.errors import Problem

_VALUES: Mapping[str, Any] = {
    "attribute": "subject",
    "again_at": "2026-06-01T00:00:00.000Z",
    "client_id": "c-42",
    "contact": "help@example.com",
    "expected": 3,
    "hints": ("contact-details",),
    "host": "example.com",
    "limit": "messages",
    "most": 100,
    "field": "displayName",
    "name": "display name",
    "possible": ("dismiss", "remove", "warn"),
    "retry_after_s": 20,
    "scopes": ("moderator",),
    "table": "Messaging",
    "thread_id": "thr_01k75q8h3c9m2n4p6r8t0v2x4z",
    "token": "01k75q8h3c9m2n4p6r8t0v2x4z",
    "until": "2026-06-01T00:00:00.000Z",
    "user": "usr_01k75pf2018h3y5m9s4w6tz0ab",
    "username": "maya",
    "version": 4,
    "warned": False,
}
_REASONS: Mapping[str, str] = {
    "account-suspended": "You asked for payment outside.",
    "cannot-release": "its conversation was closed",
    "invalid-decision": "a note must have at most 2000 characters",
    "invalid-read-position": "the messages of this conversation have the numbers 1 to 41",
    "invalid-reaction": "it must be an emoji or a symbol, not text",
    "invalid-report": "it needs `userId`, or `threadId`, or `threadId` and `messageId`",
    "invalid-text": "it must have at most 8,000 characters",
    "invalid-thread": "it needs at least one other person",
    "invalid-thread-change": "only moderators can lock it, with POST …/lock",
    "invalid-token": "its signing key is not known",
    "invalid-frame": "the field `type` is missing",
    "text-rejected": "Please keep it friendly.",
}


def example_of(kind: type[Problem]) -> Problem:
    names = kind.__dataclass_fields__  # type: ignore[attr-defined]
    return kind(**{name: _value(kind, name) for name in names})


def _value(kind: type[Problem], name: str) -> Any:
    if name == "reason":
        return _REASONS.get(kind.code, "the request does not fit")
    return _VALUES.get(name, f"the {name.replace('_', ' ')}")
