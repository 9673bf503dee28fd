"""The names of what happened to a card, as system messages and events tell it."""

from collections.abc import Mapping

from greenroom.bookings.models import Step

_PAST: Mapping[str, str] = {
    "propose": "proposed",
    "accept": "accepted",
    "accept_in_silence": "accepted_in_silence",
    "counter": "countered",
    "decline": "declined",
    "withdraw": "withdrawn",
    "expire": "expired",
    "ask_changes": "changes_asked",
    "deliver": "delivered",
    "respond": "answered",
    "decide": "decided",
    "escalate": "escalated",
    "close": "closed",
    "apply": "applied",
    "fail": "failed",
}


def event_of(step: Step) -> str:
    """Such as `card.accepted`."""
    return f"card.{_PAST[step.transition]}"
