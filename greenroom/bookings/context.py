"""What the bookings context works with. Use cases are functions that take it first."""

from dataclasses import dataclass, field

from greenroom.bookings.card_policy import Rules
from greenroom.clock import Clock
from greenroom.ids import Ids
from greenroom.sql.base import Database


@dataclass(frozen=True)
class Bookings:
    database: Database
    clock: Clock
    ids: Ids
    rules: Rules = field(default_factory=Rules)
