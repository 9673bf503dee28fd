"""The AsyncAPI document: exactly all frames, valid references, and examples that match."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from httpx import AsyncClient
from jsonschema import Draft7Validator  # type: ignore[import-untyped]

from greenroom.api.asyncapi.descriptions import CLOSE_CODES, FIELDS, about_fields
from greenroom.api.asyncapi.document import AsyncApi, name_of, tag_of
from greenroom.api.ws import frames
from greenroom.api.ws.close_codes import Closed
from greenroom.app import REGISTRY
from tests.api.unbounded_strings import texts_in, unbounded

API = AsyncApi(REGISTRY)
DOCUMENT = API.document
MESSAGES: dict[str, Any] = DOCUMENT["components"]["messages"]
OPERATIONS: dict[str, Any] = DOCUMENT["operations"]
_NAME = re.compile(r"[a-zA-Z0-9._-]+")
_NEWER = {"$defs", "prefixItems", "unevaluatedProperties", "dependentRequired"}
"""Keywords newer than draft 7, the version that AsyncAPI uses."""


def found(reference: str) -> Any:
    place: Any = DOCUMENT
    for step in reference.removeprefix("#/").split("/"):
        place = place[step]
    return place


def references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if "$ref" in part:
            assert set(part) == {"$ref"}, "keywords beside a $ref are ignored"
            yield part["$ref"]
        for inner in part.values():
            yield from references(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from references(inner)


def keys(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        yield from part
    for inner in part.values() if isinstance(part, dict) else part if type(part) is list else ():
        yield from keys(inner)


def tags(operation: dict[str, Any]) -> list[str]:
    return [message["$ref"].rpartition("/")[2] for message in operation["messages"]]


async def test_the_served_document_is_the_one_in_docs(anonymous: AsyncClient) -> None:
    answer = await anonymous.get("/schema/asyncapi.json")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("application/json")
    kept = Path(__file__).parents[2] / "docs/reference/socket.json"
    assert answer.json() == json.loads(kept.read_text()), "run `make docs`"


def test_it_has_the_parts_of_an_asyncapi_3_document() -> None:
    assert DOCUMENT["asyncapi"] == "3.0.0"
    assert set(DOCUMENT) == {
        "asyncapi",
        "info",
        "defaultContentType",
        "servers",
        "channels",
        "operations",
        "components",
    }
    assert {"title", "version", "description", "license"} == set(DOCUMENT["info"])
    for part in ("servers", "channels", "operations", *DOCUMENT["components"]):
        for name in DOCUMENT.get(part) or DOCUMENT["components"][part]:
            assert _NAME.fullmatch(name), name
    assert DOCUMENT["channels"]["socket"]["address"] == "/v1/socket"


def test_every_reference_leads_somewhere() -> None:
    named = list(references(DOCUMENT))
    assert len(named) > 100
    for reference in named:
        assert found(reference), reference


def test_schemas_use_only_keywords_of_draft_7() -> None:
    assert not _NEWER & set(keys(DOCUMENT["components"]["schemas"]))


def every_frame(base: type[frames.Frame] = frames.Frame) -> set[type[frames.Frame]]:
    """Every frame that the product declares."""
    found = {kind for kind in base.__subclasses__() if kind.__module__.startswith("greenroom.")}
    return found.union(*(every_frame(kind) for kind in found))


def test_the_document_has_exactly_all_frames() -> None:
    assert every_frame() == set(API.frames)
    assert len(API.frames) == len({name_of(kind) for kind in API.frames})
    assert set(MESSAGES) == {name_of(kind) for kind in API.frames}
    assert set(DOCUMENT["channels"]["socket"]["messages"]) == set(MESSAGES)
    for name, message in MESSAGES.items():
        assert message["name"] == name
        schema = found(message["payload"]["$ref"])
        assert schema["properties"]["type"] == {
            "enum": [name.split(".")[0] if name.startswith("ack.") else name]
        }


def test_requests_are_received_and_events_are_sent() -> None:
    received = [tag for op in OPERATIONS.values() if op["action"] == "receive" for tag in tags(op)]
    assert sorted(received) == sorted(map(name_of, API.requests))
    sent = {tag for op in OPERATIONS.values() if op["action"] == "send" for tag in tags(op)}
    replies = {tag for op in OPERATIONS.values() for tag in tags(op.get("reply", {"messages": []}))}
    assert sent | replies == set(map(name_of, (*API.events, *API.answers)))
    assert not (sent | replies) & set(received)


@pytest.mark.parametrize("kind", API.requests, ids=tag_of)
def test_a_request_with_a_number_has_a_reply(kind: type[frames.Frame]) -> None:
    operation = OPERATIONS[f"on{kind.__name__}"]
    if "id" not in kind.__struct_fields__:
        assert "reply" not in operation
        return
    ack = REGISTRY.requests[kind].ack
    assert {name_of(ack), "problem"} <= set(tags(operation["reply"]))
    assert MESSAGES[name_of(kind)]["correlationId"]


@pytest.mark.parametrize("kind", API.frames, ids=name_of)
def test_every_frame_has_a_description_and_valid_examples(kind: type[frames.Frame]) -> None:
    message = MESSAGES[name_of(kind)]
    assert message["summary"].endswith(".")
    assert message["examples"]
    names = [example["name"] for example in message["examples"]]
    assert len(names) == len(set(names))
    schema = {**message["payload"], "components": DOCUMENT["components"]}
    for example in message["examples"]:
        Draft7Validator(schema).validate(example["payload"])
        assert msgspec.convert(example["payload"], kind), "the server's own types accept it too"


@pytest.mark.parametrize("kind", API.requests, ids=tag_of)
def test_the_schema_refuses_invalid_frames(kind: type[frames.Frame]) -> None:
    message = MESSAGES[name_of(kind)]
    validator = Draft7Validator({**message["payload"], "components": DOCUMENT["components"]})
    payload = message["examples"][0]["payload"]
    assert not validator.is_valid({**payload, "surprise": 1})
    assert not validator.is_valid({**payload, "type": "other"})


def test_the_docstring_of_a_field_is_its_description() -> None:
    properties = DOCUMENT["components"]["schemas"]["Auth"]["properties"]
    assert properties["actFor"]["description"] == about_fields(frames.Auth)["actFor"]
    assert "that it acts for" in properties["actFor"]["description"]


@pytest.mark.parametrize("kind", API.frames, ids=name_of)
def test_every_field_of_a_frame_has_a_description(kind: type[frames.Frame]) -> None:
    words = about_fields(kind)
    assert words.keys() == set(kind.__struct_encode_fields__)
    assert all(text.endswith((".", "…")) for text in words.values())


def test_no_description_is_left_for_a_removed_field() -> None:
    names = {name for kind in API.frames for name in kind.__struct_fields__}
    assert FIELDS.keys() <= names


def test_have_is_documented_as_up_to_the_first_gap() -> None:
    properties = DOCUMENT["components"]["schemas"]["Resume"]["properties"]
    assert "first gap" in properties["have"]["description"]


def test_the_document_says_where_the_bearer_token_goes() -> None:
    (server,) = DOCUMENT["servers"].values()
    (scheme,) = (found(one["$ref"]) for one in server["security"])
    assert (scheme["type"], scheme["scheme"]) == ("http", "bearer")
    headers = DOCUMENT["channels"]["socket"]["bindings"]["ws"]["headers"]
    assert "bearer." in headers["properties"]["Sec-WebSocket-Protocol"]["examples"][0]


def test_every_close_code_is_explained() -> None:
    ours = {code for name, code in vars(Closed).items() if name.isupper()}
    assert len(ours) >= 5
    assert ours <= set(CLOSE_CODES)
    assert set(DOCUMENT["channels"]["socket"]["x-close-codes"]) == set(map(str, CLOSE_CODES))


def test_every_property_is_described() -> None:
    undescribed = [
        f"{name}.{key}"
        for name, schema in API.schemas.items()
        for key, value in schema.get("properties", {}).items()
        if key != "type" and not value.get("description")
    ]
    assert undescribed == []


def test_times_have_a_format_and_every_other_text_a_length() -> None:
    assert unbounded(API.schemas) == []
    for name, schema in API.schemas.items():
        for where, text in texts_in(name, schema):
            if where.endswith(("At", "Until", ".until")):
                assert text.get("format") == "date-time", where
