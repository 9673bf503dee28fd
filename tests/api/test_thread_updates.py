"""A refused `PATCH /v1/threads/{threadId}` changes nothing, even if other fields are valid."""

from itertools import product
from typing import Any

import pytest
from httpx import Response

from greenroom.people.actor import Scope
from tests.api.world import ApiWorld, ok_json, refused

HELD = "You have won the lottery, claim your prize"
VALID: tuple[dict[str, Any], ...] = (
    {"status": "confirmed"},
    {"bookingId": "bkg_2", "legId": "leg_2", "lbgId": "lbg_2"},
    {"metadata": {"order": 2}},
    {"subject": "A new name"},
)
INVALID: tuple[tuple[int, dict[str, Any]], ...] = (
    (422, {"subject": "a\nb"}),
    (422, {"subject": "x" * 141}),
    (422, {"subject": "x" * 10_000}),
    (422, {"status": "locked"}),
    (422, {"bookingId": "a\u0000b"}),
    (422, {"metadata": {"a": "x" * 5000}}),
)


async def _patch(
    world: ApiWorld, thread: str, body: dict[str, Any], acting: str | None = None, **headers: str
) -> Response:
    """As a service, or as a participant whose token also has the scope `service`."""
    token = world.bearer("shop", Scope.SERVICE)
    if acting is not None:
        token = world.bearer(acting, Scope.USER, Scope.SERVICE)
    named = {key.replace("_", "-"): value for key, value in headers.items()}
    return await world.client.patch(f"/v1/threads/{thread}", json=body, headers=token | named)


async def _state(world: ApiWorld, thread: str) -> Any:
    seen = [await world.get(name, f"/threads/{thread}") for name in ("ana", "ben")]
    return seen, (await world.get("ana", f"/threads/{thread}/messages"))["messages"]


@pytest.mark.parametrize("acting", [None, "ana"])
async def test_a_refused_update_of_a_thread_changes_nothing(
    world: ApiWorld, acting: str | None
) -> None:
    thread = await world.talk()
    first = {"bookingId": "bkg_1", "metadata": {"order": 1}, "subject": "A name"}
    ok_json(await _patch(world, thread, first))
    before = await _state(world, thread)
    for valid, (status, invalid) in product(VALID, INVALID):
        answer = await _patch(world, thread, valid | invalid, acting)
        assert answer.status_code == status, (valid, invalid, answer.text)
        assert await _state(world, thread) == before, (valid, invalid)
    for one, other in product(VALID, VALID):
        answer = await _patch(world, thread, one | other, acting, If_Match='"wrong"')
        refused(answer, 412, "thread-changed")
        assert await _state(world, thread) == before, (one, other)


async def test_a_participant_who_may_only_rename_changes_nothing_else(world: ApiWorld) -> None:
    thread = await world.talk()
    before = await _state(world, thread)
    for change in VALID[:3]:
        answer = await world.ask("ana", "PATCH", f"/threads/{thread}", change | VALID[3])
        refused(answer, 403, "role-not-allowed")
        assert await _state(world, thread) == before


async def test_requests_stay_pending_when_a_confirmation_is_refused(world: ApiWorld) -> None:
    thread = (await world.open("ana", "ben"))["threadId"]
    before = await _state(world, thread)
    for body, headers in (({"subject": "a\nb"}, {}), ({"subject": "New"}, {"If_Match": '"wrong"'})):
        answer = await _patch(world, thread, {"status": "confirmed"} | body, **headers)
        assert answer.status_code in (412, 422), answer.text
        assert await _state(world, thread) == before
    [request] = (await world.get("ben", f"/threads/{thread}"))["requests"]
    assert request["status"] == "pending"


async def test_an_update_of_all_fields_is_one_change(world: ApiWorld) -> None:
    thread = await world.talk()
    tag = (await world.ask("ana", "GET", f"/threads/{thread}")).headers["ETag"]
    everything = {key: value for one in VALID for key, value in one.items()}
    for _ in range(2):
        seen = ok_json(await _patch(world, thread, everything, If_Match=tag))
        assert {key: seen[key] for key in everything} == everything
    shown = (await world.get("ben", f"/threads/{thread}/messages"))["messages"]
    events = ["status.changed", "booking.changed", "subject.changed"]
    assert [one["event"] for one in shown] == events
    assert [one["seq"] for one in shown] == [1, 2, 3]
    assert len({one["messageId"] for one in shown}) == 3


async def test_a_held_name_does_not_delay_the_status(world: ApiWorld) -> None:
    thread = await world.talk()
    answer = await _patch(world, thread, {"status": "confirmed", "subject": HELD}, "ana")
    assert ok_json(answer, 202) == {"status": "held"}
    seen = await world.get("ben", f"/threads/{thread}")
    assert (seen["status"], seen["subject"]) == ("confirmed", None)
    wrong = {"status": "completed", "subject": HELD}
    refused(await _patch(world, thread, wrong, "ana", If_Match='"wrong"'), 412, "thread-changed")
    assert (await world.get("ben", f"/threads/{thread}"))["status"] == "confirmed"
