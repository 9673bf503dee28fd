"""The types of the ids of bookings."""

from typing import NewType

LegId = NewType("LegId", str)
CardId = NewType("CardId", str)
TransferId = NewType("TransferId", str)
