"""The OpenAPI document: every operation has a name, a tag, problems and valid examples."""

from collections.abc import Iterator
from typing import Any

import pytest
from httpx import AsyncClient
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from tests.api.unbounded_strings import texts_in, unbounded

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


async def test_every_operation_has_a_name_a_tag_and_a_description(document: dict[str, Any]) -> None:
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


PUBLIC = {"get /v1/manifests/{manifestid}", "get /v1/documents/verify/{sha256}"}
"""Operations that need no token."""


async def test_operations_document_their_token_and_their_problems(document: dict[str, Any]) -> None:
    for place, operation in operations(document):
        if " /v1/" in place and place.lower() not in PUBLIC:
            assert operation["security"] == [{"bearer": []}], place
            assert {"400", "401", "403"} <= set(operation["responses"]), place


async def test_no_two_schemas_have_the_same_title(document: dict[str, Any]) -> None:
    """Client generators use it as the class name."""
    titles = [
        schema["title"]
        for schema in document["components"]["schemas"].values()
        if "title" in schema
    ]
    assert len(titles) > 50
    assert sorted(titles) == sorted(set(titles))


async def test_every_property_and_parameter_is_described(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    undescribed = [
        f"{name}.{key}"
        for name, schema in schemas.items()
        for key, value in schema.get("properties", {}).items()
        if not value.get("description")
    ]
    assert undescribed == []
    for place, operation in operations(document):
        for parameter in operation.get("parameters", ()):
            assert parameter.get("description"), f"{place}: {parameter['name']}"


async def test_times_have_a_format_and_every_other_text_a_length(
    document: dict[str, Any],
) -> None:
    schemas = document["components"]["schemas"]
    assert unbounded(schemas) == []
    for name, schema in schemas.items():
        for where, text in texts_in(name, schema):
            if where.endswith(("At", "Until", ".until")):
                assert text.get("format") == "date-time", where


async def test_whole_numbers_are_wide_and_have_whole_bounds(document: dict[str, Any]) -> None:
    """Clients in Java and C# take 32 bits where nothing is said, and a quota has more."""

    def numbers_in(value: Any) -> Iterator[dict[str, Any]]:
        if isinstance(value, dict):
            if value.get("type") == "integer" and "description" in value:
                yield value
            for inner in value.values():
                yield from numbers_in(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from numbers_in(inner)

    found = list(numbers_in(document))
    assert len(found) > 50
    for number in found:
        assert number["format"] == "int64", number
        assert all(isinstance(number.get(name, 0), int) for name in ("minimum", "maximum")), number


async def test_no_sentence_shows_a_template(document: dict[str, Any]) -> None:
    for place, operation in operations(document):
        for status, answer in operation["responses"].items():
            assert "{" not in answer["description"], (place, status)
            for media in answer.get("content", {}).values():
                if "problem" in str(media["schema"]).lower():
                    for example in media["examples"].values():
                        assert "{" not in example["value"].get("detail", ""), (place, status)
