"""The OpenAPI document: everything has a name, a tag, refusals and examples that fit its schema."""

from collections.abc import Iterator
from typing import Any

import pytest
from httpx import AsyncClient
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

METHODS = {"get", "put", "post", "patch", "delete"}


@pytest.fixture
async def document(anonymous: AsyncClient) -> dict[str, Any]:
    document: dict[str, Any] = (await anonymous.get("/schema/openapi.json")).json()
    return document


def operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if method in METHODS:
                yield f"{method.upper()} {path}", operation


def contents(operation: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for media in operation.get("requestBody", {}).get("content", {}).values():
        yield "request", media
    for status, answer in operation["responses"].items():
        for media in answer.get("content", {}).values():
            yield status, media


async def test_every_operation_has_a_name_a_tag_and_words(document: dict[str, Any]) -> None:
    found = list(operations(document))
    assert len(found) > 40
    for place, operation in found:
        assert operation["operationId"], place
        assert operation["tags"], place
        assert operation["summary"], place
        for status, answer in operation["responses"].items():
            assert answer["description"].endswith("."), (place, status)


async def test_every_body_has_an_example_that_fits_its_schema(document: dict[str, Any]) -> None:
    for place, operation in operations(document):
        for part, media in contents(operation):
            examples = media.get("examples")
            assert examples, f"{place} has no example of {part}"
            for example in examples.values():
                schema = {**media["schema"], "components": document["components"]}
                Draft202012Validator(schema).validate(example["value"])


async def test_whatever_needs_a_token_says_so_and_what_it_refuses(document: dict[str, Any]) -> None:
    for place, operation in operations(document):
        if " /v1/" in place:
            assert operation["security"] == [{"bearer": []}], place
            assert {"400", "401", "403"} <= set(operation["responses"]), place
