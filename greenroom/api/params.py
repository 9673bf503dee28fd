"""Declares path and query parameters: names, patterns and limits."""

from typing import Annotated, TypeAlias

from litestar.di import NamedDependency
from litestar.params import PathParameter, QueryParameter, SkipValidation

from greenroom.ids import MessageId, NoticeId, RequestId, ThreadId, UserId
from greenroom.messaging import Messaging
from greenroom.people.actor import Actor
from greenroom.safety import Safety
from greenroom.safety.models import CaseId
from greenroom.store.cursors import MAX_CURSOR

MOST_BYTES = 128 * 1024
"""Limit of a request's body: fits 8,000 characters, each written as two escaped surrogates."""
MOST_BYTES_OF_NAMES = 16 * 1024
"""Limit of a body with names and an e-mail address, escaped in the same way."""

_ID = r"^[A-Za-z0-9_-]+$"
MAX_ID = 64

Caller: TypeAlias = NamedDependency[Actor]
TheMessaging: TypeAlias = NamedDependency[SkipValidation[Messaging]]
TheSafety: TypeAlias = NamedDependency[SkipValidation[Safety]]

ThreadIdInPath: TypeAlias = Annotated[
    ThreadId, PathParameter(name="threadId", pattern=_ID, max_length=MAX_ID)
]
MessageIdInPath: TypeAlias = Annotated[
    MessageId, PathParameter(name="messageId", pattern=_ID, max_length=MAX_ID)
]
RequestIdInPath: TypeAlias = Annotated[
    RequestId, PathParameter(name="requestId", pattern=_ID, max_length=MAX_ID)
]
NoticeIdInPath: TypeAlias = Annotated[
    NoticeId,
    PathParameter(name="noticeId", pattern=_ID, max_length=MAX_ID, description="The notice's id."),
]
CaseIdInPath: TypeAlias = Annotated[
    CaseId, PathParameter(name="caseId", pattern=_ID, max_length=MAX_ID)
]
UserIdInPath: TypeAlias = Annotated[
    UserId, PathParameter(name="userId", pattern=_ID, max_length=MAX_ID)
]
EmojiInPath: TypeAlias = Annotated[
    str,
    PathParameter(
        name="emoji",
        min_length=1,
        max_length=MAX_ID,
        description="An emoji, or a few of them, percent-encoded.",
    ),
]
Cursor: TypeAlias = Annotated[
    str | None, QueryParameter(max_length=MAX_CURSOR, description="`next` of the page before.")
]
