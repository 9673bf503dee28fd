"""`Idempotency-Key` when opening a thread: the same request opens once, another is refused."""

from typing import Any

import pytest

from tests.api.world import ApiWorld, ok_json, refused

_ADDS: dict[str, dict[str, Any]] = {
    "role": {"role": "buyer"},
    "service role": {"serviceRole": "model"},
    "city": {"city": "Houston"},
    "subject": {"subject": "Portraits in April"},
    "first message": {"message": {"body": "Hello again", "metadata": {"order": 17}}},
    "its metadata": {"message": {"body": "Hello", "metadata": {"order": 18}}},
    "its metadata gone": {"message": {"body": "Hello"}},
    "no first message": {"message": None},
    "metadata": {"metadata": {"shop": 4}},
    "no metadata": {"metadata": None},
    "no subject": {"subject": None},
}
_DIRECT = ("first message", "its metadata", "no first message", "metadata", "no metadata")


def _body(world: ApiWorld, kind: str) -> dict[str, Any]:
    body: dict[str, Any] = {
        "kind": kind,
        "participants": [{"userId": world.ids["ben"]}],
        "metadata": {"shop": 3},
        "message": {"body": "Hello", "metadata": {"order": 17}},
    }
    return body if kind == "direct" else body | {"subject": "Portraits in March"}


def _others(world: ApiWorld, kind: str) -> dict[str, dict[str, Any]]:
    """Requests that differ from `_body` in one thing each."""
    person, stranger = {"userId": world.ids["ben"]}, {"userId": world.ids["cleo"]}
    adds = {name: _ADDS[name] for name in (_DIRECT if kind == "direct" else _ADDS)}
    adds["participants"] = {"participants": [stranger]}
    if kind != "direct":
        adds["one participant more"] = {"participants": [person, stranger]}
        adds["a participant's role"] = {"participants": [person | {"role": "seller"}]}
        adds["kind"] = {"kind": "group"}
    return {name: _body(world, kind) | add for name, add in adds.items()}


async def _open(world: ApiWorld, body: object, key: str = "k1") -> Any:
    return await world.ask("ana", "POST", "/threads", body, Idempotency_Key=key)


async def _counted(world: ApiWorld, thread: str) -> tuple[int, int]:
    inbox = await world.get("ana", "/inbox")
    page = await world.get("ana", f"/threads/{thread}/messages")
    return len(inbox["threads"]), len(page["messages"])


@pytest.mark.parametrize("kind", ["inquiry", "direct", "group"])
async def test_the_same_key_and_request_open_one_thread(world: ApiWorld, kind: str) -> None:
    body = _body(world, kind)
    first = ok_json(await _open(world, body), 201)
    for _ in range(3):
        assert ok_json(await _open(world, body), 200) == first
    assert await _counted(world, first["thread"]["threadId"]) == (1, 1)


@pytest.mark.parametrize("kind", ["inquiry", "direct"])
async def test_the_same_key_with_another_request_is_refused(world: ApiWorld, kind: str) -> None:
    opened = ok_json(await _open(world, _body(world, kind)), 201)
    for name, other in _others(world, kind).items():
        answer = await _open(world, other)
        assert answer.status_code == 422, (name, answer.text)
        refused(answer, 422, "opening-key-reused")
    assert await _counted(world, opened["thread"]["threadId"]) == (1, 1)
    assert (await world.get("cleo", "/inbox"))["threads"] == []


async def test_a_key_used_without_a_message_refuses_a_later_message(world: ApiWorld) -> None:
    body = _body(world, "inquiry")
    del body["message"]
    opened = ok_json(await _open(world, body), 201)
    refused(await _open(world, _body(world, "inquiry")), 422, "opening-key-reused")
    assert await _counted(world, opened["thread"]["threadId"]) == (1, 0)


async def test_another_user_may_use_the_same_key(world: ApiWorld) -> None:
    ok_json(await _open(world, _body(world, "inquiry")), 201)
    body = {"kind": "inquiry", "participants": [{"userId": world.ids["dan"]}]}
    ok_json(await world.ask("cleo", "POST", "/threads", body, Idempotency_Key="k1"), 201)
