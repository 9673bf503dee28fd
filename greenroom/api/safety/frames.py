"""The socket events of safety."""

from greenroom.api.safety.shapes import ModerationNotice
from greenroom.api.ws.frames import Frame
from greenroom.ids import NoticeId


class NoticeCreated(Frame, tag="notice.created"):
    """Moderation tells you something: what became of a held message, a warning, a suspension."""

    notice: ModerationNotice


class NoticeAcknowledged(Frame, tag="notice.acknowledged"):
    """You have acknowledged a notice, on this device or another one: show it no longer."""

    notice_id: NoticeId
