"""What the bookings context works with. Use cases are functions that take it first."""

from dataclasses import dataclass, field

from greenroom.bookings.card_policy import Rules
from greenroom.bookings.payments.base import Payments
from greenroom.bookings.pdf_files import PdfFiles
from greenroom.bookings.tasks import Tasks
from greenroom.clock import Clock
from greenroom.ids import Ids
from greenroom.sql.base import Database


@dataclass(frozen=True)
class Bookings:
    database: Database
    clock: Clock
    ids: Ids
    rules: Rules = field(default_factory=Rules)
    payments: Payments | None = None
    """None where prices are settled elsewhere; then `rules.takes_payments` is False."""
    pdf: PdfFiles | None = None
    """None where no file is read or written."""
    tasks: Tasks = field(default_factory=Tasks)
