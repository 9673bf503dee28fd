"""What operators can change about the log of public events."""

from typing import Annotated, ClassVar

from msgspec import Meta

from greenroom.policy import Section


class EventRetention(Section, frozen=True):
    """The log of public events, for the operator's own systems."""

    section: ClassVar = "events"
    days: Annotated[
        int,
        Meta(
            ge=2,
            le=365,
            description="Days that events are kept. A shorter time holds for events written from "
            "then on.",
        ),
    ] = 30


SECTIONS = (EventRetention,)
