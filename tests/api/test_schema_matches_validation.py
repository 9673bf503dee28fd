"""The OpenAPI document and the server require the same of every body and every query.

Each case is made from the schema: only the required properties, one of them missing, an unknown
property, a wrong type, and each limit reached and exceeded. The caller has the right to call the
route, so only the value can be refused: with 400, or with the domain's 413 or 422.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import urlencode

import pytest
from httpx import Response

from greenroom.api.access import CALLERS
from tests.api.populated import PopulatedWorld, populate
from tests.api.test_fuzz_against_schema import UNLIMITED
from tests.api.test_route_access import BODIES, ROWS
from tests.api.world import api_world_on
from tests.stores import SQLITE

Json: TypeAlias = dict[str, Any]
REFUSED = (400, 413, 422)
STATE = (
    "/problems/client-id-reused",
    "/problems/edit-id-reused",
    "/problems/invalid-cursor",
)
"""The value is valid, but belongs to something else."""
ACROSS = (
    "it needs `userId`, or `threadId`, or `threadId` and `messageId`",
    "it needs a text or attachments",
)
"""Rules over several properties, in the operation's description: client generators understand no
schema that expresses it."""
GETS = [route for route in ROWS if route.startswith("GET ") and "/uploads" not in route]
"""The routes of tus are not in the document."""
_REF = "#/components/schemas/"
_numbers = count(1)
_ENDS = {"email": "@b", "event": ".b"}


class Case(NamedTuple):
    about: str
    value: Any
    accepted: bool
    by_domain: bool = False
    """Allowed by the schema; the domain may still refuse it."""


@asynccontextmanager
async def _served(folder: Path) -> AsyncIterator[tuple[PopulatedWorld, Json]]:
    async with api_world_on(f"{SQLITE}{folder}/world.db", UNLIMITED) as world:
        document = (await world.client.get("/schema/openapi.json")).json()
        yield await populate(world), document


async def test_every_operation_with_a_body_is_tested(tmp_path: Path) -> None:
    async with _served(tmp_path) as (_, document):
        found = {
            f"{method.upper()} {path}"
            for path, operations in document["paths"].items()
            for method, operation in operations.items()
            if "requestBody" in operation
        }
        assert found == set(BODIES)


@pytest.mark.parametrize("route", BODIES)
async def test_bodies_are_checked_as_the_schema_says(route: str, tmp_path: Path) -> None:
    async with _served(tmp_path) as (populated, document):
        caller = _caller(route)
        schemas = document["components"]["schemas"]
        [media] = _operation(document, route)["requestBody"]["content"].values()
        schema = _resolved(schemas, media["schema"])
        good = BODIES[route](populated, caller)
        assert isinstance(good, dict)
        wrong = []
        for case in sorted(_body_cases(schemas, schema, good), key=lambda case: case.accepted):
            answer = await _ask(populated, caller, route, case.value)
            if not _as_expected(case, answer):
                wrong.append((case.about, answer.text))
        assert not wrong, "\n".join(map(str, wrong))


async def test_a_missing_body_is_named_in_plain_words(tmp_path: Path) -> None:
    async with _served(tmp_path) as (populated, document):
        refusals = {}
        for route in BODIES:
            method, _, path = route.partition(" ")
            caller = _caller(route)
            address = populated.filled(caller, path, missing=False)
            headers = (
                populated.headers(caller) if caller in CALLERS else populated.world.bearer("new")
            )
            answer = await populated.world.client.request(method, address, headers=headers)
            if _operation(document, route)["requestBody"].get("required"):
                refusals[route] = (answer.status_code, answer.json().get("errors"))
        assert len(refusals) > 10
        plain = (400, [{"message": "The request needs a JSON body."}])
        assert {route: one for route, one in refusals.items() if one != plain} == {}


async def test_queries_are_checked_as_the_schema_says(tmp_path: Path) -> None:
    async with _served(tmp_path) as (populated, document):
        wrong = []
        for route in GETS:
            parameters = _query_parameters(document, route)
            assert not [one["name"] for one in parameters if one["required"]]
            for case in _query_cases(document["components"]["schemas"], parameters):
                answer = await _get(populated, route, case.value)
                if not _as_expected(case, answer):
                    wrong.append((route, case.about, answer.text))
        assert not wrong, "\n".join(map(str, wrong))


def _as_expected(case: Case, answer: Response) -> bool:
    if case.accepted and case.by_domain:
        return answer.status_code != 400
    problem = answer.json() if answer.is_error else {}
    detail = problem.get("detail", "")
    if problem.get("type") in STATE or any(rule in detail for rule in ACROSS):
        return case.accepted
    return (answer.status_code not in REFUSED) == case.accepted


def _query_parameters(document: Json, route: str) -> list[Json]:
    declared = _operation(document, route).get("parameters", ())
    return [one for one in declared if one["in"] == "query"]


async def _get(populated: PopulatedWorld, route: str, query: Json) -> Response:
    caller = _caller(route)
    path = populated.filled(caller, route.removeprefix("GET "), missing=False).partition("?")[0]
    address = f"{path}?{urlencode(query, doseq=True)}"
    return await populated.world.client.get(address, headers=populated.headers(caller))


def _caller(route: str) -> str:
    """A caller who may do this: services and admins first, who may set every property."""
    order = ("bare service", "admin", *CALLERS)
    allowed = [caller for caller in order if ROWS[route][caller] < 300]
    if not allowed:  # a member, whose valid request is refused for another reason than its value
        return "nobody yet" if route == "PUT /v1/me" else "member"
    return allowed[0]


async def _ask(populated: PopulatedWorld, caller: str, route: str, body: Any) -> Response:
    if caller != "nobody yet":
        return await populated.ask(caller, route, body)
    method, _, path = route.partition(" ")
    headers = populated.world.bearer(f"new-{next(_numbers)}")
    return await populated.world.client.request(method, path, headers=headers, json=body)


def _operation(document: Json, route: str) -> Json:
    method, _, path = route.partition(" ")
    operation: Json = document["paths"][path][method.lower()]
    return operation


def _body_cases(schemas: Json, schema: Json, good: Json) -> Iterator[Case]:
    required = schema.get("required", [])
    properties = schema["properties"]
    least = {name: good.get(name, _sample(schemas, properties[name])) for name in required}
    yield Case("only what is required", least, accepted=True)
    for name in required:
        yield Case(f"without {name}", {k: v for k, v in good.items() if k != name}, accepted=False)
    closed = schema.get("additionalProperties") is False
    yield Case("an unknown property", good | {"unknownProperty": 1}, accepted=not closed)
    for name, inner in properties.items():
        for case in _value_cases(schemas, name, inner):
            yield case._replace(value=good | {name: case.value})


def _query_cases(schemas: Json, parameters: list[Json]) -> Iterator[Case]:
    yield Case("no parameters", {}, accepted=True)
    for parameter in parameters:
        name = parameter["name"]
        for case in _value_cases(schemas, name, parameter["schema"]):
            if case.value not in (None, [], [None]) and not case.about.startswith("type of"):
                yield case._replace(value={name: case.value})


def _value_cases(schemas: Json, name: str, schema: Json) -> Iterator[Case]:
    """Valid and invalid values of one property, by its schema."""
    nullable = {"type": "null"} in schema.get("oneOf", ())
    yield Case(f"null as {name}", None, accepted=nullable)
    shape = _not_null(schemas, schema)
    yield Case(f"type of {name}", _other_type(shape), accepted=False)
    match shape["type"]:
        case "string" if "const" in shape:
            yield Case(f"another value of {name}", "no-such-value", accepted=False)
        case "string" if "enum" in shape:
            yield Case(f"unknown value of {name}", "no-such-value", accepted=False)
            for value in shape["enum"]:
                yield Case(f"{name}={value}", value, accepted=True, by_domain=True)
        case "string":
            yield from _string_cases(name, shape)
        case "integer":
            yield from _integer_cases(name, shape)
        case "array":
            yield from _array_cases(schemas, name, shape)
        case "object" if "properties" in shape:
            good = {one: _sample(schemas, shape["properties"][one]) for one in shape["required"]}
            for inner in _body_cases(schemas, shape, good):
                yield inner._replace(about=f"{name}: {inner.about}")


def _string_cases(name: str, shape: Json) -> Iterator[Case]:
    least, most = shape.get("minLength", 0), shape.get("maxLength")
    yield Case(f"shortest {name}", _text(name, shape, least), accepted=True)
    if least:
        yield Case(f"too short {name}", "a" * (least - 1), accepted=False)
    if most is not None:
        yield Case(f"longest {name}", _text(name, shape, most), accepted=True)
        yield Case(f"too long {name}", _text(name, shape, most + 1), accepted=False)


def _integer_cases(name: str, shape: Json) -> Iterator[Case]:
    least, most = shape.get("minimum"), shape.get("maximum")
    yield Case(f"least {name}", -1 if least is None else int(least), True, by_domain=True)
    yield Case(f"greatest {name}", 2**60 if most is None else int(most), True, by_domain=True)
    if least is not None:
        yield Case(f"too small {name}", int(least) - 1, accepted=False)
    if most is not None:
        yield Case(f"too great {name}", int(most) + 1, accepted=False)


def _array_cases(schemas: Json, name: str, shape: Json) -> Iterator[Case]:
    least, most = shape.get("minItems", 0), shape.get("maxItems", 1000)
    items = [_sample(schemas, shape["items"], number) for number in range(most + 1)]
    yield Case(f"fewest {name}", items[:least], accepted=True)
    yield Case(f"most {name}", items[:most], accepted=True)
    yield Case(f"too many {name}", items, accepted=False)
    if least:
        yield Case(f"too few {name}", items[: least - 1], accepted=False)
    inner = _not_null(schemas, shape["items"])
    for case in _value_cases(schemas, f"an item of {name}", inner):
        yield case._replace(value=[case.value])


def _text(name: str, shape: Json, length: int) -> str:
    if shape.get("format") == "date-time":
        return "2100-06-01T12:00:00Z"
    end = _ENDS.get(name, "")
    return ("a" * (length - len(end)) or "a") + end if end else "a" * length


def _other_type(shape: Json) -> Any:
    return 1 if shape["type"] in ("object", "array") else {"an": "object"}


def _sample(schemas: Json, schema: Json, number: int = 0) -> Any:
    shape = _not_null(schemas, schema)
    if "const" in shape:
        return shape["const"]
    if "enum" in shape:
        return shape["enum"][0]
    match shape["type"]:
        case "object":
            required = shape.get("required", [])
            properties = shape.get("properties", {})
            return {one: _sample(schemas, properties[one], number) for one in required}
        case "array":
            return [_sample(schemas, shape["items"])] * shape.get("minItems", 0)
        case "string":
            return f"sample{number}"
        case _:
            return 1


def _not_null(schemas: Json, schema: Json) -> Json:
    """The schema without `null`, with the keywords beside its alternatives."""
    choices = [one for one in schema.get("oneOf", ()) if one != {"type": "null"}]
    beside = {key: value for key, value in schema.items() if key != "oneOf"}
    return _resolved(schemas, beside | choices[0] if choices else schema)


def _resolved(schemas: Json, schema: Json) -> Json:
    return schemas[schema["$ref"].removeprefix(_REF)] if "$ref" in schema else schema
