"""Declares messaging's path parameters, and the context as a parameter of routes."""

from typing import Annotated, TypeAlias

from litestar.di import NamedDependency
from litestar.params import PathParameter, SkipValidation

from greenroom.api.params import ID, MAX_ID
from greenroom.ids import MessageId, RequestId, ScheduledId, ThreadId
from greenroom.messaging import Messaging

TheMessaging: TypeAlias = NamedDependency[SkipValidation[Messaging]]

ThreadIdInPath: TypeAlias = Annotated[
    ThreadId, PathParameter(name="threadId", pattern=ID, max_length=MAX_ID)
]
MessageIdInPath: TypeAlias = Annotated[
    MessageId, PathParameter(name="messageId", pattern=ID, max_length=MAX_ID)
]
RequestIdInPath: TypeAlias = Annotated[
    RequestId, PathParameter(name="requestId", pattern=ID, max_length=MAX_ID)
]
ScheduledIdInPath: TypeAlias = Annotated[
    ScheduledId,
    PathParameter(
        name="scheduledMessageId",
        pattern=ID,
        max_length=MAX_ID,
        description="The scheduled message's id.",
    ),
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
