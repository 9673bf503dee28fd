"""The socket events of safety."""

from greenroom.api.safety.shapes import ModerationNotice
from greenroom.api.ws.frames import Frame
from greenroom.ids import NoticeId


class NoticeCreated(Frame, tag="notice.created"):
    """You have a new notice from moderation: the outcome of a held message, a warning or a
    suspension."""

    notice: ModerationNotice


class NoticeAcknowledged(Frame, tag="notice.acknowledged"):
    """You acknowledged a notice, on this or another device. Hide it."""

    notice_id: NoticeId
