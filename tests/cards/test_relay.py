"""A card in its conversation: message, folder, status, deadline, reminder."""

import pytest

from greenroom.bookings.cards.payloads import Complete
from greenroom.bookings.cards.problems import CardChanged
from greenroom.bookings.chart import Account
from greenroom.bookings.models import CardState, DepositState, LegStatus
from greenroom.bookings.move_card import CardMove
from greenroom.files.models import NewManifest
from greenroom.messaging import rules
from greenroom.messaging.cards.propose import answer
from greenroom.messaging.delete import delete
from greenroom.messaging.edit import edit
from greenroom.messaging.lock import lock
from greenroom.messaging.models import Folder, Kind, MessageKind, Status
from greenroom.messaging.panel.models import Snapshot, Tab
from greenroom.messaging.panel.tabs import open_panel
from greenroom.messaging.problems import CardsStay, MessageNotFound
from greenroom.messaging.send_manifest import send_manifest
from greenroom.people.actor import Scope, StaffRole
from tests.cards.world import DAY_MS, OK, CardWorld


async def test_the_offer_of_an_invitation_becomes_a_booking(local: CardWorld) -> None:
    thread = await local.inquiry(kind=Kind.INVITE)
    offered = await local.propose("ana", thread.id, local.offer(), pays=OK)
    await local.answer("ben", offered, "accept")
    head = await local.thread(thread.id)
    assert (head.kind, head.status) == (Kind.BOOKING, Status.CONFIRMED)


async def test_an_offer_becomes_a_booking(world: CardWorld) -> None:
    thread = await world.inquiry()
    offered = await world.propose("ben", thread.id, world.offer(price=400))
    head = await world.thread(thread.id)
    assert head.status is Status.PENDING_DECISION
    assert rules.awaited(head) == (world.user("ana"),)
    [message] = await world.log("ana", thread.id)
    assert message.kind is MessageKind.CARD
    assert message.body == "Offer: Portraits, 400.00 EUR"

    applied = await world.answer("ana", offered, "accept", pays=OK)
    assert applied.state is CardState.APPLIED
    head, booking = await world.thread(thread.id), await world.booking(thread.id)
    assert (head.kind, head.status) == (Kind.BOOKING, Status.CONFIRMED)
    assert (head.lbg_id, head.leg_id) == (booking.id, booking.legs[0].id)
    assert head.project_snapshot is not None
    assert '"title":"Portraits","status":"confirmed"' in head.project_snapshot
    assert rules.awaited(head) == ()
    assert booking.ledgers[booking.legs[0].id].available(Account.ESCROW) == 40_000
    card, *steps = await world.log("ben", thread.id)
    assert card.card is not None
    assert '"state":"applied"' in card.card
    told = [step.event for step in steps]
    assert told == ["card.accepted", "card.applied", "document.issued"]


async def test_a_card_waits_in_the_action_folder(world: CardWorld) -> None:
    thread, _ = await world.booked()
    views = await world.folders("ana", "ben")
    assert views == {"ana": Folder.BOOKINGS, "ben": Folder.BOOKINGS}
    world.clock.advance(days=21)
    done = await world.propose("ben", thread.id, Complete())
    assert await world.folders("ana", "ben") == {"ana": Folder.ACTION, "ben": Folder.BOOKINGS}
    await world.answer("ana", done, "accept")
    assert await world.folders("ana", "ben") == {"ana": Folder.BOOKINGS, "ben": Folder.BOOKINGS}


async def test_the_message_of_a_card_stays(local: CardWorld) -> None:
    thread = await local.inquiry()
    await local.propose("ben", thread.id, local.offer())
    [message] = await local.log("ben", thread.id)
    with pytest.raises(CardsStay):
        await delete(local.messaging, local.actors["ben"], thread.id, message.id)
    with pytest.raises(MessageNotFound):
        await edit(local.messaging, local.actors["ben"], thread.id, message.id, "Free of charge")


async def test_a_deadline_fires_once(world: CardWorld) -> None:
    thread = await world.inquiry()
    offered = await world.propose("ben", thread.id, world.offer())
    world.clock.advance(days=2, seconds=12 * 3600 + 1)
    await world.run_timers()
    world.clock.advance(seconds=12 * 3600)
    await world.run_timers()
    await world.run_timers()
    await world.settle()
    assert (await world.record(offered.id)).card.state is CardState.EXPIRED
    events = [one.event for one in await world.log("ana", thread.id)]
    assert events == [None, "card.reminded", "card.expired"]
    assert (await world.thread(thread.id)).status is Status.OPEN


async def test_after_a_downtime_a_deadline_decides_and_nobody_is_reminded(
    local: CardWorld,
) -> None:
    thread = await local.inquiry()
    offered = await local.propose("ben", thread.id, local.offer())
    local.clock.advance(days=7)
    for transition in ("accept", "decline"):
        with pytest.raises(CardChanged, match="deadline has passed"):
            await local.answer("ana", offered, transition, pays=OK)
    await local.run_timers()
    await local.settle()
    assert (await local.record(offered.id)).card.state is CardState.EXPIRED
    assert [one.event for one in await local.log("ana", thread.id)] == [None, "card.expired"]


async def test_a_deposit_is_held_and_released(world: CardWorld) -> None:
    thread, leg = await world.booked(deposit=200)
    world.clock.advance(days=19)
    await world.run_timers()
    await world.settle()
    leg = (await world.booking(thread.id)).legs[0]
    assert leg.deposit is not None
    assert leg.deposit.state is DepositState.HELD
    world.clock.advance(days=2)
    done = await world.propose("ben", thread.id, Complete())
    await world.answer("ana", done, "accept")
    world.clock.advance(ms=3 * DAY_MS + 1)
    await world.run_timers()
    await world.settle()
    booking = await world.booking(thread.id)
    leg = booking.legs[0]
    assert leg.deposit is not None
    assert (leg.status, leg.deposit.state) == (LegStatus.COMPLETED, DepositState.RELEASED)
    ledger = booking.ledgers[leg.id]
    assert ledger.holds() == ()
    assert ledger.balances[Account.SELLER].net_posted == 40_000


async def test_a_deliverable_is_listed_in_the_panel(world: CardWorld) -> None:
    thread, _ = await world.booked()
    new = NewManifest(name="final.zip", size=7, sha256="0" * 64, url="https://files.example/f")
    ben = world.actors["ben"]
    sent = await send_manifest(world.messaging, ben, thread.id, "m1", new)
    panel = await open_panel(world.messaging, world.actors["ana"], thread.id)
    lines = {one.tab: one.lines for one in panel.tabs if isinstance(one, Snapshot)}
    assert [(one.id, one.title) for one in lines[Tab.FILES]] == [(sent.manifest.id, "final.zip")]
    actions = [(one.title, one.state, one.amount) for one in lines[Tab.ACTIONS]]
    assert actions == [("Offer: Portraits", "applied", 40_000)]
    assert [(one.state, one.amount) for one in lines[Tab.EXPENSES]] == [("price", 40_000)]


async def test_a_leg_that_nobody_completes_completes_itself(world: CardWorld) -> None:
    thread, leg = await world.booked(deposit=200)
    for days in (19, 16, 4, 4):  # the deposit is held, the leg completes, the provider is paid
        world.clock.advance(days=days)
        await world.run_timers()
        await world.settle()
        await world.sweep()
    booking = await world.booking(thread.id)
    [leg] = booking.legs
    assert (leg.status, leg.is_paid_out) == (LegStatus.COMPLETED, True)
    assert booking.ledgers[leg.id].balances[Account.SELLER].net_posted == 40_000
    assert (await world.thread(thread.id)).status is Status.COMPLETED
    events = [one.event for one in await world.log("ana", thread.id)]
    assert events[-2:] == ["leg.completed", "leg.closed"]


async def test_a_repeat_is_answered_whatever_has_changed(local: CardWorld) -> None:
    thread = await local.inquiry()
    offered = await local.propose("ben", thread.id, local.offer(), key="offer")
    await local.answer("ana", offered, "accept", key="accept", pays=OK)
    await local.person("mod", Scope.MODERATOR, role=StaffRole.MODERATOR)
    await lock(local.messaging, local.actors["mod"], thread.id)
    move = CardMove(key="accept", version=1, transition="accept")
    ana = local.actors["ana"]
    again = await answer(local.messaging, local.bookings, ana, offered.id, move)
    assert (again.answer.replayed, again.answer.card.version) == (True, 2)
