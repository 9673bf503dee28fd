"""The lines of a project panel that follow from a booking: its cards, its money, its documents.

Careful: both sides read them. A leg is shown in its own conversation alone, so that no provider
sees what another one earns, and the service fee is between the buyer and the marketplace.
"""

from msgspec import Struct
from sqlalchemy import Connection, bindparam, func, select

from greenroom.bookings import rows
from greenroom.bookings.card_summary import headline_of, money_of
from greenroom.bookings.context import Bookings
from greenroom.bookings.models import Card, Leg
from greenroom.bookings.money import Money
from greenroom.bookings.schema import CARDS, DOCUMENTS
from greenroom.ids import ThreadId, UserId
from greenroom.sql.types import TEXT

MOST = 40
"""Lines of a tab, the newest first; how many are left out is said beside them."""
_CARDS = (
    select(CARDS.c.card)
    .where(CARDS.c.thread_id == bindparam("thread", type_=TEXT))
    .order_by(CARDS.c.is_open.desc(), CARDS.c.id.desc())
    .limit(MOST + 1)
)


class Line(Struct, frozen=True, kw_only=True):
    id: str
    title: str
    state: str = ""
    money: Money | None = None
    by: UserId | None = None
    at_ms: int = 0


class PanelLines(Struct, frozen=True):
    actions: tuple[Line, ...] = ()
    left_out: int = 0
    """Cards that the first tab does not list."""
    expenses: tuple[Line, ...] = ()
    docs: tuple[Line, ...] = ()
    legs: tuple[Leg, ...] = ()
    """The conversation's own."""


async def panel_lines(bookings: Bookings, thread: ThreadId) -> PanelLines:
    """As the booking is now."""

    def work(connection: Connection) -> PanelLines:
        group = rows.group_of_thread(connection, thread)
        if group is None:
            return PanelLines()
        booking = rows.find_booking(connection, group)
        found = connection.execute(_CARDS, {"thread": thread})
        cards = [rows.unpacked(row.card, Card) for row in found]
        legs = [leg for leg in booking.legs if leg.thread == thread]
        return PanelLines(
            tuple(_card(one) for one in cards[:MOST]),
            _left_out(connection, thread) if len(cards) > MOST else 0,
            tuple(line for leg in legs for line in _money(leg)),
            _documents(connection, legs),
            tuple(legs),
        )

    return await bookings.database.read(work)


def _left_out(connection: Connection, thread: ThreadId) -> int:
    counted = select(func.count()).select_from(CARDS).where(CARDS.c.thread_id == thread)
    found: int = connection.execute(counted).scalar_one()
    return found - MOST


def _card(card: Card) -> Line:
    money = money_of(card.payload)
    return Line(
        id=card.id,
        title=headline_of(card)[:200],
        state=card.state.value,
        money=money if money is not None and money.minor else None,
        by=card.proposer,
        at_ms=card.changed_ms,
    )


def _money(leg: Leg) -> list[Line]:
    lines = [Line(id=leg.id, title=leg.title, state="price", money=leg.price)]
    lines += [
        Line(id=f"{one.card}.{number}", title=one.title, state=one.kind.value, money=one.price)
        for number, one in enumerate(leg.charges)
    ]
    if leg.deposit is not None:
        state = f"deposit_{leg.deposit.state.value}"
        lines.append(
            Line(id=f"{leg.id}.deposit", title="Deposit", state=state, money=leg.deposit.money)
        )
    return lines


def _documents(connection: Connection, legs: list[Leg]) -> tuple[Line, ...]:
    """The current version of each."""
    if not legs:
        return ()
    titles = {leg.id: leg.title for leg in legs}
    found = connection.execute(
        select(
            DOCUMENTS.c.id,
            DOCUMENTS.c.version,
            DOCUMENTS.c.leg_id,
            DOCUMENTS.c.state,
            DOCUMENTS.c.issued_ms,
        )
        .where(DOCUMENTS.c.leg_id.in_(titles), DOCUMENTS.c.state != "superseded")
        .order_by(DOCUMENTS.c.issued_ms.desc(), DOCUMENTS.c.id)
        .limit(MOST)
    )
    return tuple(
        Line(
            id=row.id,
            title=f"Contract: {titles[row.leg_id]}, version {row.version}",
            state=row.state,
            at_ms=row.issued_ms,
        )
        for row in found
    )
