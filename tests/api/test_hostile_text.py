"""Hostile text in every text field: stored as typed, or refused clearly.

Never a 5xx, and everybody sees the stored text.
"""

import re
from typing import Any

import pytest
from httpx import Response

from tests.api.world import ApiWorld, ok_json, refused

HOSTILE = {
    "script": "<script>alert(1)</script> hello",
    "event handler": "<img src=x onerror=alert(1)> hello",
    "javascript link": "[click](javascript:alert(1))",
    "javascript link, spelled around": "[click](java\tscript&colon;alert(1))",
    "data link": "[click](data:text/html;base64,PHNjcmlwdD4=)",
    "autolink": "<javascript:alert(1)>",
    "right to left": "pay \u202eelbisivni\u202c \u2066now\u2069",
    "zalgo": "h" + "\u0301" * 500 + "i",
    "hidden": "a\u200b\u2060\ufeffb \U000e0041\U000e0042",
    "controls": "a\x01\x07\x1b[31mb",
    "quotes": "'; DROP TABLE threads; -- \" \\",
    "keys": "THR#x PART#y MSG#z {threadId} %00 %2e%2e/",
    "templates": "{{7*7}} ${7*7} <%= 7*7 %> {0.__class__}",
    "astral": "👩\u200d👩\u200d👧 \U0001d573\U0001d58a \U0010fffd",
}
ALTERED = {"right to left", "zalgo", "hidden", "controls"}
"""Text that is changed: invisible characters, or marks that overlap other text, are removed."""
REFUSED = {
    "too long": "a" * 8001,
    "NUL": "a\0b",
    "nothing to see": "\u200b\u2800\u3164",
    "empty": "",
}
INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\u200b\u202a-\u202e\u2060\u2066-\u2069\ufeff]")


async def test_hostile_messages_are_kept_as_typed(world: ApiWorld) -> None:
    thread = await world.talk()
    path = f"/threads/{thread}/messages"
    kept: list[str] = []
    for kind, text in HOSTILE.items():
        world.clock.advance(seconds=60)
        body = {"body": text, "clientMessageId": kind.replace(" ", "-").replace(",", "")}
        answer = await world.ask("ana", "POST", path, body)
        assert answer.status_code in (201, 202, 422), (kind, answer.text)
        if answer.status_code == 201:
            kept.append(await _stored(world, path, answer.json()))
            if kind not in ALTERED:
                assert kept[-1] == text
    assert len(kept) > 8
    page = await world.get("ben", path)
    assert [message["body"] for message in page["messages"]] == kept


async def _stored(world: ApiWorld, path: str, sent: Any) -> str:
    message = sent["message"]
    _check_clean(message["body"])
    [row] = (await world.get("ben", "/inbox"))["threads"]
    assert not INVISIBLE.search(row["preview"])
    edit = {"body": message["body"]}
    edited = await world.ask("ana", "PATCH", f"{path}/{message['messageId']}", edit)
    assert ok_json(edited)["version"] == 1, "stored text may be sent again unchanged"
    return str(message["body"])


@pytest.mark.parametrize("kind", REFUSED)
async def test_invalid_text_is_refused_clearly(sqlite_world: ApiWorld, kind: str) -> None:
    world = sqlite_world
    thread = await world.talk()
    body = {"body": REFUSED[kind], "clientMessageId": "x"}
    answer = await world.ask("ana", "POST", f"/threads/{thread}/messages", body)
    assert refused(answer, 422, "invalid-text")["detail"]
    assert (await world.get("ben", f"/threads/{thread}/messages"))["messages"] == []


@pytest.mark.parametrize("kind", [*HOSTILE, *REFUSED])
async def test_every_other_text_field_is_checked_too(sqlite_world: ApiWorld, kind: str) -> None:
    world = sqlite_world
    thread = await world.talk()
    message = await world.say("ana", thread, "Hello")
    text = (HOSTILE | REFUSED)[kind]
    requests: list[tuple[str, str, dict[str, Any]]] = [
        ("PATCH", f"/threads/{thread}", {"subject": text}),
        ("PUT", f"/threads/{thread}/draft", {"body": text}),
        ("PATCH", f"/threads/{thread}/messages/{message['messageId']}", {"body": text}),
        ("POST", f"/threads/{thread}/messages", {"body": "Hi", "clientMessageId": text}),
        ("POST", f"/threads/{thread}/participants", {"userId": text}),
        ("POST", "/reports", {"userId": world.ids["ben"], "reason": "spam", "note": text}),
        ("POST", "/reports", {"userId": text, "reason": "spam"}),
        ("PATCH", "/me", {"displayName": text}),
        ("POST", "/threads", _opening(world, subject=text)),
        ("POST", "/threads", _opening(world, city=text, legId=text)),
        ("POST", "/threads", _opening(world, message={"body": text})),
    ]
    for method, path, body in requests:
        answer = await world.ask("ana", method, path, body)
        assert answer.status_code < 500, (method, path, answer.text)
    shown = await world.get("ana", f"/threads/{thread}")
    _check_clean(shown["subject"] or "")
    answers = [await world.ask("ana", "GET", place) for place in ("/inbox", "/sync", "/reports")]
    assert all(answer.status_code == 200 for answer in answers)


@pytest.mark.parametrize(
    "raw",
    [
        b'{"body": "\\ud800", "clientMessageId": "x"}',
        b'{"body": "\\udc00\\ud800 b", "clientMessageId": "x"}',
        b'{"body": "\xff\xfe", "clientMessageId": "x"}',
        b'{"body": "\xed\xa0\x80", "clientMessageId": "x"}',
        b'{"body": "a", "clientMessageId": "x"',
        b'{"body": 1, "clientMessageId": "x"}',
        b'{"body": "a", "body": {}, "clientMessageId": "x"}',
        b"[" * 100_000,
        b'{"body":' * 10_000,
        b"\xef\xbb\xbf{}",
        b"nonsense",
        b"null",
        b"",
    ],
    ids=lambda raw: repr(raw[:24]),
)
async def test_invalid_json_is_a_client_error(sqlite_world: ApiWorld, raw: bytes) -> None:
    thread = await sqlite_world.talk()
    answer = await _post(sqlite_world, thread, raw)
    refused(answer, 400, "invalid-request")


async def test_a_body_that_is_too_large_is_not_read(sqlite_world: ApiWorld) -> None:
    thread = await sqlite_world.talk()
    answer = await _post(sqlite_world, thread, b'{"body": "' + b"a" * 200_000 + b'"}')
    refused(answer, 413, "request-too-large")


async def test_the_longest_text_fits_however_it_is_escaped(sqlite_world: ApiWorld) -> None:
    thread = await sqlite_world.talk()
    text = b"\\ud83d\\ude00" * 8000
    answer = await _post(sqlite_world, thread, b'{"clientMessageId": "x", "body": "' + text + b'"}')
    assert ok_json(answer, 201)["message"]["body"] == "😀" * 8000


@pytest.mark.parametrize(
    "path",
    [
        "/v1/threads/%00",
        "/v1/threads/%ff%fe",
        "/v1/threads/a%0a",
        "/v1/threads/..%2f..%2fetc",
        "/v1/threads/" + "a" * 5000,
        "/v1/threads/THR%23x",
        "/v1/direct/%F0%9F%91%8D",
        "/v1/inbox?cursor=%00",
        "/v1/inbox?cursor=%ff",
        "/v1/inbox?cursor=" + "A" * 2000,
        "/v1/inbox?limit=1e9",
        "/v1/inbox?limit=99999999999999999999",
        "/v1/sync?cursor=%E2%80%AE",
        "/v1/projects/legs/%00/threads",
        "/v1/projects/legs/%ED%A0%80/threads",
        "/v1/moderation/queue?cursor=%00",
    ],
)
async def test_a_hostile_path_is_not_found(sqlite_world: ApiWorld, path: str) -> None:
    for method in ("GET", "PUT"):
        answer = await sqlite_world.client.request(method, path, headers=sqlite_world.bearer("mod"))
        assert answer.status_code < 500, answer.text
        assert answer.status_code != 200 or answer.json().get("threads") == []


async def test_hostile_emoji_are_refused_as_reactions(sqlite_world: ApiWorld) -> None:
    world = sqlite_world
    thread = await world.talk()
    message = await world.say("ana", thread, "Hello")
    path = f"/v1/threads/{thread}/messages/{message['messageId']}/reactions"
    for emoji in ("%00", "%3Cscript%3E", "hello", "%E2%80%AE", "%ff", "a" * 65, "%23", "%20"):
        answer = await world.client.put(f"{path}/{emoji}", headers=world.bearer("ben"))
        assert answer.status_code in (400, 404, 422), (emoji, answer.text)


def _opening(world: ApiWorld, **fields: object) -> dict[str, Any]:
    return {"kind": "inquiry", "participants": [{"userId": world.ids["cleo"]}]} | fields


def _check_clean(text: str) -> None:
    assert not INVISIBLE.search(text)


async def _post(world: ApiWorld, thread: str, raw: bytes) -> Response:
    headers = world.bearer("ana") | {"Content-Type": "application/json"}
    return await world.client.post(f"/v1/threads/{thread}/messages", content=raw, headers=headers)
