"""What was agreed: booking groups and legs, money, documents, and the cards that change them."""

from greenroom.bookings.context import Bookings

__all__ = ["Bookings"]
