"""Bookings over REST: who sees which legs and receipts, calendar files, and what staff see."""

from collections.abc import AsyncIterator

import pytest
from sqlalchemy import Connection, update

from greenroom.bookings import Bookings
from greenroom.bookings.models import PaymentState
from greenroom.bookings.rows import packed, payments_of
from greenroom.bookings.schema import GROUPS, OUTBOX, PAYMENTS
from greenroom.ids import GroupId
from tests.api.deals import Deals, deals_in, euros
from tests.api.world import ApiWorld, ok_json, refused


@pytest.fixture
async def deals(sqlite_world: ApiWorld) -> AsyncIterator[Deals]:
    async with deals_in(sqlite_world) as opened:
        yield opened


@pytest.fixture
async def group(sqlite_world: ApiWorld) -> AsyncIterator[Deals]:
    """Ana books Ben and Dan together."""
    async with deals_in(sqlite_world, "ben", "dan") as opened:
        await opened.booked(opened.terms("ben", 400), opened.terms("dan", 70))
        yield opened


async def test_a_booking_has_its_receipts_in_plain_words(deals: Deals) -> None:
    assert await deals.booking("ana") is None
    booking = await deals.booked(deals.terms(deposit=euros(200)))
    assert (booking["side"], booking["currency"]) == ("buyer", "EUR")
    assert [one["title"] for one in booking["receipts"]] == ["Price (reserved)", "Price"]
    assert booking["totals"] == {
        "paid": euros(400),
        "held": euros(0),
        "refunded": euros(0),
        "paidOut": None,
    }
    [leg] = booking["legs"]
    assert leg["deposit"]["state"] == "scheduled"
    deals.world.clock.advance(days=19)
    await deals.world.run_timers()
    await deals.settle()
    held = await deals.booking("ana")
    assert held["totals"]["held"] == euros(200)
    assert held["receipts"][-1]["isOpen"] is True
    assert held["payments"] == []
    assert "sandbox" not in str(held)


async def test_a_provider_sees_only_their_own_leg(group: Deals) -> None:
    whole, bens, dans = [await group.booking(name) for name in ("ana", "ben", "dan")]
    assert [leg["price"] for leg in whole["legs"]] == [euros(400), euros(70)]
    assert [leg["price"] for leg in bens["legs"]] == [euros(400)]
    assert [leg["price"] for leg in dans["legs"]] == [euros(70)]
    assert (whole["totals"]["paid"], dans["totals"]["paid"]) == (euros(470), euros(70))
    others = {whole["legs"][0]["legId"], bens["legs"][0]["threadId"]}
    assert not [one for one in others if one in str(dans)]
    calendar = f"/legs/{bens['legs'][0]['legId']}/calendar.ics"
    refused(await group.world.ask("dan", "GET", calendar), 404, "leg-not-found")
    refused(await group.world.ask("cleo", "GET", calendar), 404, "leg-not-found")


async def test_a_card_about_one_of_several_legs_goes_to_its_conversation(group: Deals) -> None:
    bens = (await group.booking("ben"))["legs"][0]
    card = {"type": "reschedule", "startsAt": group.at(30), "endsAt": group.at(30.2)}
    made = ok_json(await group.propose("ben", card), 201)
    assert made["threadId"] == bens["threadId"] != group.thread
    assert made["card"]["legId"] == bens["legId"]
    page = await group.world.get("dan", f"/threads/{group.thread}/cards")
    assert [one["type"] for one in page["cards"]] == ["offer"]
    refused(
        await group.world.ask("dan", "GET", f"/cards/{made['card']['cardId']}"),
        404,
        "card-not-found",
    )
    refused(await group.step("dan", made["card"], "accept"), 404, "card-not-found")
    refused(await group.propose("dan", card, legId=bens["legId"]), 404, "leg-not-found")
    needed = refused(await group.propose("ana", card), 422, "leg-needed")
    assert len(needed["legs"]) == 2
    shown = ok_json(await group.step("ana", made["card"], "accept", dry=True))
    assert len(shown["legs"]) == 2
    shown = ok_json(await group.propose("dan", card, dry=True))
    assert [leg["providerUserId"] for leg in shown["legs"]] == [group.world.ids["dan"]]


async def test_the_panel_of_a_group_says_nothing_of_what_one_leg_agreed_on_later(
    group: Deals,
) -> None:
    bens = (await group.booking("ben"))["legs"][0]
    prints = {"type": "extras", "items": [{"title": "Prints", "price": euros(60)}]}
    made = ok_json(await group.propose("ben", prints), 201)["card"]
    ok_json(await group.step("ana", made, "accept"), 201)
    own = await group.world.get("ben", f"/threads/{bens['threadId']}/panel")
    shared = await group.world.get("dan", f"/threads/{group.thread}/panel")
    assert "Prints" in str(own)
    assert "Portraits by ben" in str(shared)
    assert "Prints" not in str(shared)
    log = await group.world.get("dan", f"/threads/{group.thread}/messages")
    assert made["cardId"] not in str(log)


async def test_a_calendar_file_is_downloaded(deals: Deals) -> None:
    leg = (await deals.booked())["legs"][0]["legId"]
    for name in ("ana", "ben", "mod"):
        file = await deals.world.ask(name, "GET", f"/legs/{leg}/calendar.ics")
        assert file.status_code == 200
        assert file.headers["content-type"].startswith("text/calendar")
        assert file.text.startswith("BEGIN:VCALENDAR\r\n")
    refused(
        await deals.world.ask("mod", "GET", "/legs/leg_none/calendar.ics"), 404, "leg-not-found"
    )


async def test_staff_decide_a_dispute_with_both_records(deals: Deals) -> None:
    await deals.booked()
    dispute = {"type": "dispute", "reason": "Nobody came.", "refund": euros(400)}
    opened = ok_json(await deals.propose("ana", dispute), 201)["card"]
    assert (await deals.world.get("mod", "/moderation/bookings"))["disputes"] == []
    ok_json(await deals.step("ben", opened, "respond", {"answer": "I waited outside."}), 201)
    [record] = (await deals.world.get("mod", "/moderation/bookings"))["disputes"]
    content = record["card"]["content"]
    assert (content["reason"], content["answer"]) == ("Nobody came.", "I waited outside.")
    assert [step["transition"] for step in record["steps"]] == ["propose", "respond"]
    ruling = {"refund": euros(100), "note": "Both could have called."}
    refused(await deals.step("ana", record["card"], "decide", ruling), 403, "not-your-turn")
    shown = ok_json(await deals.step("mod", record["card"], "decide", ruling, dry=True))
    assert shown["totalReturned"] == euros(100)
    ok_json(await deals.step("mod", record["card"], "decide", ruling), 201)
    assert (await deals.booking("ana"))["totals"]["refunded"] == euros(100)
    assert (await deals.world.get("mod", "/moderation/bookings"))["disputes"] == []


async def test_a_moderator_does_not_decide_about_a_booking_of_their_own(
    sqlite_world: ApiWorld,
) -> None:
    async with deals_in(sqlite_world, "ben", "mod") as deals:
        await deals.booked(deals.terms("ben"), deals.terms("mod"))
        leg = (await deals.booking("ben"))["legs"][0]["legId"]
        dispute = {"type": "dispute", "reason": "Nobody came."}
        opened = ok_json(await deals.propose("ana", dispute, legId=leg), 201)["card"]
        ok_json(await deals.step("ben", opened, "respond", {"answer": "I did."}), 201)
        card = await deals.card("adi", opened)
        assert (await sqlite_world.get("mod", "/moderation/bookings"))["disputes"] == []
        ruling = {"note": "I was there."}
        refused(await deals.step("mod", card, "decide", ruling), 404, "card-not-found")
        ok_json(await deals.step("adi", card, "decide", ruling), 201)


async def test_a_stuck_payment_is_tried_again(deals: Deals) -> None:
    booking = await deals.booked()
    key = await _make_stuck(deals.world.contexts[Bookings], GroupId(booking["lbgId"]))
    found = await deals.world.get("mod", "/moderation/bookings")
    [stuck] = found["payments"]
    assert (stuck["key"], stuck["problem"]) == (key, "the provider is down")
    assert "sandbox:" not in str(stuck)
    path = f"/moderation/payments/{key}/retry"
    refused(await deals.world.ask("ben", "POST", path), 403, "not-allowed")
    assert ok_json(await deals.world.ask("mod", "POST", path))["state"] == "requested"
    await deals.settle()
    assert (await deals.world.get("mod", "/moderation/bookings"))["payments"] == []
    refused(await deals.world.ask("mod", "POST", path), 404, "no-stuck-payment")


async def _make_stuck(bookings: Bookings, group: GroupId) -> str:
    """As if the provider had been down for a day."""

    def work(connection: Connection) -> str:
        [payment] = payments_of(connection, group).values()
        stuck = {"state": PaymentState.STUCK, "tries": 30, "problem": "the provider is down"}
        after = type(payment)(**{n: getattr(payment, n) for n in payment.__struct_fields__} | stuck)
        changed = update(PAYMENTS).where(PAYMENTS.c.key == payment.key)
        connection.execute(changed.values(state="stuck", payment=packed(after)))
        return payment.key

    return await bookings.database.write(work)


async def test_late_relays_are_shown(deals: Deals) -> None:
    booking = await deals.booked()
    bookings = deals.world.contexts[Bookings]
    await bookings.database.write(
        lambda connection: connection.execute(update(OUTBOX).values(relayed_ms=0))
    )
    assert (await deals.world.get("mod", "/moderation/bookings"))["relays"] == []
    deals.world.clock.advance(seconds=61)
    [late] = (await deals.world.get("mod", "/moderation/bookings"))["relays"]
    assert (late["lbgId"], late["setAside"]) == (booking["lbgId"], False)


async def test_members_without_a_part_see_nothing_of_the_booking(sqlite_world: ApiWorld) -> None:
    async with deals_in(sqlite_world) as deals:
        await deals.booked()
        sellers = update(GROUPS).values(sellers='["usr_somebody"]')
        bookings = sqlite_world.contexts[Bookings]
        await bookings.database.write(lambda connection: connection.execute(sellers))
        seen = await deals.booking("ben")
        assert (seen["side"], seen["legs"], seen["receipts"]) == (None, [], [])
