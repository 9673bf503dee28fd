"""Cards over REST: propose, answer, dry runs, replays, and what is refused."""

from collections.abc import AsyncIterator

import pytest

from tests.api.deals import OK, Deals, deals_in, euros
from tests.api.world import ApiWorld, ok_json, refused


@pytest.fixture
async def deals(sqlite_world: ApiWorld) -> AsyncIterator[Deals]:
    async with deals_in(sqlite_world) as opened:
        yield opened


async def test_an_offer_is_proposed_countered_and_booked(deals: Deals) -> None:
    made = ok_json(await deals.propose("ben", deals.offer()), 201)
    card = made["card"]
    assert (made["threadId"], made["replayed"]) == (deals.thread, False)
    assert (card["state"], card["version"]) == ("proposed", 1)
    assert card["waitsOnUserIds"] == [deals.world.ids["ana"]]
    cheaper = deals.offer(deals.terms(price=300))
    del cheaper["type"]
    countered = ok_json(await deals.step("ana", card, "counter", cheaper, paymentMethod=OK), 201)[
        "card"
    ]
    assert (countered["state"], countered["content"]["legs"][0]["price"]) == (
        "countered",
        euros(300),
    )
    await deals.step("ben", countered, "counter", deals.offer(deals.terms(price=350)))
    card = await deals.card("ana", card)
    paid = await deals.step("ana", card, "accept", paymentMethod=OK)
    assert ok_json(paid, 201)["card"]["state"] == "accepted"
    found = await deals.world.get("ben", f"/cards/{card['cardId']}")
    assert found["card"]["state"] == "applied"
    assert [one["transition"] for one in found["steps"]] == [
        "propose",
        "counter",
        "counter",
        "accept",
        "apply",
    ]
    booking = await deals.booking("ana")
    assert [leg["price"] for leg in booking["legs"]] == [euros(350)]
    assert booking["totals"]["paid"] == euros(350)


async def test_a_repeat_is_answered_as_the_first_was(deals: Deals) -> None:
    first = await deals.propose("ben", deals.offer(), key="offer-1")
    offered = ok_json(first, 201)["card"]
    ok_json(await deals.step("ana", offered, "decline", {"note": "Too much."}, key="no-1"), 201)
    again = await deals.propose("ben", first.json()["card"]["content"], key="offer-1")
    assert ok_json(again) == first.json() | {"replayed": True}
    declined = await deals.step("ana", offered, "decline", {"note": "Too much."}, key="no-1")
    assert ok_json(declined)["replayed"] is True
    assert declined.json()["card"]["state"] == "declined"
    other = await deals.step("ana", offered, "decline", {"note": "No."}, key="no-1")
    document = refused(other, 409, "card-key-reused")
    assert document["card"] == offered["cardId"]


async def test_a_late_answer_is_told_the_new_state(deals: Deals) -> None:
    offered = ok_json(await deals.propose("ben", deals.offer()), 201)["card"]
    ok_json(await deals.step("ben", offered, "withdraw"), 201)
    late = refused(
        await deals.step("ana", offered, "accept", paymentMethod=OK), 409, "card-changed"
    )
    assert (late["state"], late["version"]) == ("withdrawn", 2)


async def test_a_dry_run_shows_what_would_happen_and_writes_nothing(deals: Deals) -> None:
    offered = ok_json(await deals.propose("ben", deals.offer()), 201)["card"]
    shown = ok_json(await deals.step("ana", offered, "accept", dry=True, paymentMethod=OK))
    assert shown["total"] == euros(400)
    assert [one["operation"] for one in shown["toPay"]] == ["charge"]
    assert [leg["status"] for leg in shown["legs"]] == ["confirmed"]
    assert set(shown["tellsUserIds"]) == {deals.world.ids["ana"], deals.world.ids["ben"]}
    assert await deals.card("ana", offered) == offered
    new = ok_json(
        await deals.propose("ana", deals.offer(), dry=True, thread=await deals.world.talk())
    )
    assert new["card"]["state"] == "proposed"
    page = await deals.world.get("ana", f"/threads/{deals.thread}/cards")
    assert [card["cardId"] for card in page["cards"]] == [offered["cardId"]]


async def test_a_dry_run_of_a_refund_does_not_charge_again(deals: Deals) -> None:
    offered = ok_json(await deals.propose("ben", deals.offer()), 201)["card"]
    ok_json(await deals.step("ana", offered, "accept", paymentMethod=OK), 201)
    cancel = {"type": "cancel", "reason": "Rain", "refund": euros(150)}
    asked = ok_json(await deals.propose("ana", cancel), 201)["card"]
    shown = ok_json(await deals.step("ben", asked, "accept", dry=True))
    assert (shown["total"], shown["totalReturned"]) == (None, euros(150))
    assert shown["toPay"] == []


async def test_a_dry_run_of_the_buyers_offer_shows_what_they_will_pay(deals: Deals) -> None:
    shown = ok_json(await deals.propose("ana", deals.offer(), dry=True, paymentMethod=OK))
    assert (shown["card"]["state"], shown["total"]) == ("proposed", euros(400))
    assert [one["operation"] for one in shown["toPay"]] == ["charge"]
    sellers = ok_json(await deals.propose("ben", deals.offer(), dry=True))
    assert (sellers["toPay"], sellers["total"]) == ([], None)


async def test_a_dry_run_shows_what_becomes_of_the_deposit(deals: Deals) -> None:
    offer = deals.offer(deals.terms(deposit=euros(100)))
    offered = ok_json(await deals.propose("ben", offer), 201)["card"]
    shown = ok_json(await deals.step("ana", offered, "accept", dry=True, paymentMethod=OK))
    [hold] = shown["deposits"]
    assert (hold["operation"], hold["money"]) == ("hold", euros(100))
    assert shown["total"] == euros(400)


async def test_cards_are_listed_page_by_page(deals: Deals) -> None:
    made = []
    for _ in range(3):
        card = ok_json(await deals.propose("ben", deals.offer()), 201)["card"]
        ok_json(await deals.step("ben", card, "withdraw"), 201)
        made.append(card["cardId"])
    path = f"/threads/{deals.thread}/cards?limit=2"
    first = await deals.world.get("ana", path)
    second = await deals.world.get("ana", f"{path}&cursor={first['next']}")
    found = [card["cardId"] for card in (*first["cards"], *second["cards"])]
    assert (found, second["next"]) == (made[::-1], None)
    foreign = f"/threads/{await deals.world.talk()}/cards?cursor={first['next']}"
    refused(await deals.world.ask("ana", "GET", foreign), 400, "invalid-cursor")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"price": {"minor": -1, "currency": "EUR"}}, "content.legs[0].price.minor"),
        ({"price": {"minor": 10**30, "currency": "EUR"}}, "content.legs[0].price.minor"),
        ({"price": {"minor": 1.5, "currency": "EUR"}}, "content.legs[0].price.minor"),
        ({"price": None}, "content.legs[0].price"),
        ({"price": 400}, "content.legs[0].price"),
        ({"price": {"minor": 1, "currency": "eur"}}, "content.legs[0].price.currency"),
        ({"startsAt": "2101-01-01T10:00:00"}, "content.legs[0].startsAt"),
        ({"startsAt": "tomorrow"}, "content.legs[0].startsAt"),
        ({"startsAt": 4_000_000_000}, "content.legs[0].startsAt"),
        ({"startsAt": "0001-01-01T00:00:00+14:00"}, "must begin in the future"),
        ({"startsAt": "9999-12-31T23:59:59-12:00"}, "must end after it begins"),
        ({"endsAt": "1999-01-01T00:00:00Z"}, "must end after it begins"),
        ({"title": ""}, "content.legs[0].title"),
        ({"colour": "red"}, "content.legs[0]"),
        ({"provider": "usr_nobody"}, "not a provider"),
        ({"deposit": {"minor": 0, "currency": "EUR"}}, "a deposit of nothing"),
        ({"deposit": {"minor": 1, "currency": "USD"}}, "one currency"),
    ],
)
async def test_invalid_content_is_refused_with_its_place(
    deals: Deals, change: dict[str, object], says: str
) -> None:
    answer = await deals.propose("ben", deals.offer(deals.terms() | change))
    assert says in refused(answer, 422, "invalid-card")["detail"]


async def test_what_does_not_exist_is_refused_with_what_does(deals: Deals) -> None:
    unknown = refused(await deals.propose("ben", {"type": "gift \n"}), 422, "unknown-card-type")
    assert "offer" in unknown["known"]
    refused(await deals.propose("ben", {}), 422, "invalid-card")
    refused(await deals.propose("ben", {"type": 3}), 422, "invalid-card")
    refused(await deals.propose("ben", {"type": "complete"}), 409, "no-cards-here")
    money = {"minor": 1, "currency": "ZZZ"}
    refused(
        await deals.propose("ben", deals.offer(deals.terms(price=1, deposit=money))),
        422,
        "unknown-currency",
    )
    offered = ok_json(await deals.propose("ben", deals.offer()), 201)["card"]
    gone = refused(await deals.step("ana", offered, "frame it"), 409, "card-not-open")
    assert set(gone["possible"]) >= {"accept", "counter", "decline"}
    refused(await deals.step("ana", offered, "accept", {"note": "Yes"}), 422, "invalid-card")
    refused(await deals.step("ana", offered, "decline", {"note": 7}), 422, "invalid-card")
    refused(await deals.step("ben", offered, "accept"), 403, "not-your-turn")
    refused(await deals.step("ana", offered, "accept"), 422, "payment-method-needed")
    card_number = "4242424242424242"
    taken = await deals.step("ana", offered, "accept", paymentMethod=card_number)
    refused(taken, 422, "invalid-payment-method")


async def test_outsiders_cannot_tell_that_a_card_exists(deals: Deals) -> None:
    offered = ok_json(await deals.propose("ben", deals.offer()), 201)["card"]
    nowhere = {"cardId": "crd_01k75q8h3d0000000000000000", "version": 1}
    for card in (offered, nowhere):
        refused(
            await deals.world.ask("cleo", "GET", f"/cards/{card['cardId']}"), 404, "card-not-found"
        )
        refused(await deals.step("cleo", card, "accept"), 404, "card-not-found")
    path = f"/threads/{deals.thread}/cards"
    refused(await deals.world.ask("cleo", "GET", path), 404, "thread-not-found")
    refused(await deals.propose("cleo", deals.offer()), 404, "thread-not-found")
