"""The events of safety, published after the commit."""

from typing import TypeAlias

from msgspec import Struct

from greenroom.ids import NoticeId, UserId
from greenroom.safety.models import ModerationNotice


class PersonBlocked(Struct, frozen=True):
    blocker: UserId
    blocked: UserId
    at_ms: int


class PersonUnblocked(Struct, frozen=True):
    blocker: UserId
    blocked: UserId
    at_ms: int


class PersonSuspended(Struct, frozen=True):
    user: UserId


class AccountChanged(Struct, frozen=True):
    """Reinstated, or the staff role changed: nodes reload the account."""

    user: UserId


class NoticeCreated(Struct, frozen=True):
    notice: ModerationNotice


class NoticeAcknowledged(Struct, frozen=True):
    user: UserId
    notice: NoticeId


SafetyEvent: TypeAlias = (
    PersonBlocked
    | PersonUnblocked
    | PersonSuspended
    | AccountChanged
    | NoticeCreated
    | NoticeAcknowledged
)
