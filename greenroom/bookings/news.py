"""What the outbox tells about a booking: the contents of its rows.

A row has all that the relay needs to bring the conversation up to date, as it was decided then.
"""

from typing import TypeAlias

import msgspec
from msgspec import Struct

from greenroom.bookings.models import Card, Leg, Step
from greenroom.ids import DocumentId, GroupId, LegId, ThreadId, UserId


class CardNews(Struct, frozen=True, kw_only=True, tag="card"):
    """A card has a new version."""

    group: GroupId
    thread: ThreadId
    """Where the group was agreed."""
    buyer: UserId
    card: Card
    step: Step
    legs: tuple[Leg, ...]
    """Of the whole group, after the step."""
    due_legs: tuple[LegId, ...] = ()
    """The legs whose next deadline the step has set."""


class LegNews(Struct, frozen=True, kw_only=True, tag="leg"):
    """Something of a leg has changed without a card: its deposit, or its payout."""

    group: GroupId
    thread: ThreadId
    buyer: UserId
    event: str
    """Such as `deposit.held`."""
    leg: Leg
    shown: bool = True
    """Whether the conversation says so, or only the leg's deadline has moved."""


class DocumentNews(Struct, frozen=True, kw_only=True, tag="document"):
    """A contract was issued, signed by somebody, or voided."""

    group: GroupId
    thread: ThreadId
    event: str
    """Such as `document.signed`."""
    document: DocumentId
    version: int
    leg: LegId
    actor: UserId


News: TypeAlias = CardNews | LegNews | DocumentNews

_decoder = msgspec.json.Decoder(News)


def news_in(text: str) -> News:
    found: News = _decoder.decode(text)
    return found
