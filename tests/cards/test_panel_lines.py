"""What the panel of a conversation shows of its booking, and what stays between two people."""

import dataclasses

from msgspec.structs import replace

from greenroom.bookings.card_policy import BookingRules
from greenroom.bookings.cards.payloads import Extra, Extras
from greenroom.bookings.panel_lines import panel_lines
from greenroom.messaging.panel.models import SnapshotLine, Tab
from greenroom.messaging.panel.sizes import fitted_lines
from tests.cards.test_groups import asked_together, offer_to
from tests.cards.world import OK, CardWorld, euros


async def test_providers_of_a_group_see_each_their_own_leg(local: CardWorld) -> None:
    thread = await asked_together(local)
    offered = await local.propose("ana", thread.id, offer_to(local, "ben", "cleo"), pays=OK)
    half = await local.answer("ben", offered, "accept")
    await local.answer("cleo", half, "accept")
    bens, _ = (await local.booking(thread.id)).legs
    assert bens.thread is not None
    extras = Extras(items=(Extra(title="An album", price=euros(90)),))
    proposed = await local.propose("ana", bens.thread, extras)
    await local.answer("ben", proposed, "accept")
    own = await panel_lines(local.bookings, bens.thread)
    assert [one.title for one in own.expenses] == [bens.title, "An album"]
    together = await panel_lines(local.bookings, thread.id)
    assert [one.id for one in together.actions] == [offered.id]
    assert (together.expenses, together.docs) == ((), ())


async def test_the_service_fee_is_not_shown_to_both_sides(local: CardWorld) -> None:
    rules = replace(local.bookings.rules, bookings=BookingRules(buyer_fee_basis_points=1000))
    local.contexts.add(dataclasses.replace(local.bookings, rules=rules))
    thread, leg = await local.booked()
    assert leg.fee == euros(40)
    found = await panel_lines(local.bookings, thread.id)
    assert [one.title for one in found.expenses] == ["Portraits"]


def test_many_lines_are_fitted_at_once() -> None:
    line = SnapshotLine(id="x" * 60, title="y" * 120, amount=1, currency="EUR")
    packed = fitted_lines(Tab.EXPENSES, (line,) * 4_000, 7)
    whole = fitted_lines(Tab.EXPENSES, (line,) * 3, 0)
    assert len(whole) < 1_000 < len(packed)
    assert b"x" in packed
