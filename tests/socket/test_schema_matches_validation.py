"""The AsyncAPI document and the socket require the same of every request."""

from collections.abc import Iterator
from typing import Any

from greenroom.api.asyncapi.document import AsyncApi, tag_of
from greenroom.app import REGISTRY
from tests.socket.node import Node
from tests.socket.raw_client import RawClient

API = AsyncApi(REGISTRY)

CHECKED_LATER = ("body",)
"""Refused as `invalid-text`, after the thread was found."""
UNANSWERED = ("typing", "focus", "focus_panel")
SAMPLE_PEOPLE = {"string": "sample", "integer": 1, "boolean": True, "array": [], "object": {}}


async def test_requests_are_required_as_the_document_says(node: Node) -> None:
    raw = await node.raw("ana")
    asked = [kind for kind in API.requests if tag_of(kind) != "auth"]
    assert len(asked) > 8
    for kind in asked:
        schema = API.schemas[kind.__name__]
        assert schema["additionalProperties"] is False
        least = {name: _sample(schema["properties"][name]) for name in schema["required"]}
        assert not await _is_malformed(raw, least | {"type": tag_of(kind)}), least
        for request in _malformed(schema, least | {"type": tag_of(kind)}):
            assert await _is_malformed(raw, request), request
    raw.abort()
    await node.quiet()


def _malformed(schema: dict[str, Any], least: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield least | {"unknownProperty": 1}
    for name in schema["required"]:
        yield {key: value for key, value in least.items() if key != name}
    for name, value in schema["properties"].items():
        if "maxLength" in value and name not in CHECKED_LATER:
            yield least | {name: "a" * (value["maxLength"] + 1)}
        if value.get("minLength"):
            yield least | {name: ""}
        if "maximum" in value:
            yield least | {name: value["maximum"] + 1}
        if "minimum" in value:
            yield least | {name: value["minimum"] - 1}


def _sample(schema: dict[str, Any]) -> Any:
    for first in (*schema.get("anyOf", ()), *schema.get("allOf", ())):
        return _sample(first)
    if "$ref" in schema:
        named = API.schemas[schema["$ref"].rpartition("/")[2]]
        if "properties" not in named:
            return _sample(named)
        required = named.get("required", ())
        return {name: _sample(named["properties"][name]) for name in required}
    if "enum" in schema:
        return schema["enum"][0]
    return SAMPLE_PEOPLE.get(schema.get("type", ""))


async def _is_malformed(raw: RawClient, request: dict[str, Any]) -> bool:
    """Whether the socket refuses it as an invalid frame. Replies come before the ping's."""
    raw.text(request)
    raw.text({"type": "ping", "id": 999})
    malformed, answered = False, request.get("type") in UNANSWERED
    pinged = False
    while not (pinged and (answered or malformed)):
        answer = await raw.frame()
        if answer.get("id") == 999 and answer["type"] == "ack":
            pinged = True
        elif answer["type"] in ("ack", "problem"):
            answered = True
            problem = answer.get("problem", {})
            malformed = malformed or problem.get("type") == "/problems/invalid-frame"
    return malformed
