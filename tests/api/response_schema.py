"""Checks every JSON response that a test gets against its schema in the OpenAPI document."""

import json
import re
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import msgspec
from httpx import Response
from litestar import Litestar

from greenroom.api.openapi.document import document_of

_PROBLEM = "application/problem+json"
_EVERYWHERE = {"type", "title", "status", "detail", "errors"}
_FREE_TEXTS = {
    ("/problems/account-suspended", "reason"),
    ("/problems/text-rejected", "reason"),
    ("/problems/host-not-allowed", "host"),
}
"""Members with text of a person or of the caller. All other members of a problem are data."""
_made: list["Contract"] = []


class Contract:
    def __init__(self, document: dict[str, Any]) -> None:
        self._components = document["components"]
        self._validators: dict[str, jsonschema_rs.Draft202012Validator] = {}
        self._routes = [
            (re.compile(re.sub(r"\{[^}]+\}", "[^/]+", path)), item)
            for path, item in sorted(document["paths"].items())
        ]

    async def hold(self, response: Response) -> None:
        """Use it as a response hook of an httpx client."""
        media = response.headers.get("content-type", "").partition(";")[0]
        if response.request.method != "HEAD" and media.endswith("json"):
            document = json.loads(await response.aread())
            for schema in self._schemas(response, media):
                self._validator(schema).validate(document)
            if media == _PROBLEM:
                check_members(document)

    def _schemas(self, response: Response, media: str) -> Iterator[dict[str, Any]]:
        if media == _PROBLEM:
            yield {"$ref": "#/components/schemas/ProblemDocument"}
        path, method = response.request.url.path, response.request.method.lower()
        for pattern, item in self._routes:
            if pattern.fullmatch(path) and method in item:
                answer = item[method]["responses"].get(str(response.status_code), {})
                if media in answer.get("content", {}):
                    yield answer["content"][media]["schema"]

    def _validator(self, schema: dict[str, Any]) -> jsonschema_rs.Draft202012Validator:
        name = json.dumps(schema, sort_keys=True)
        if name not in self._validators:
            whole = {**schema, "components": self._components}
            self._validators[name] = jsonschema_rs.Draft202012Validator(
                whole, validate_formats=True
            )
        return self._validators[name]


def check_members(problem: dict[str, Any]) -> None:
    """Ids, numbers, times and names of values contain no blank; sentences do."""
    for name in problem.keys() - _EVERYWHERE:
        values = problem[name] if isinstance(problem[name], list | tuple) else [problem[name]]
        if (problem["type"], name) not in _FREE_TEXTS:
            words = [value for value in values if isinstance(value, str) and " " in value]
            assert not words, f"{problem['type']}: {name} is part of a sentence: {words}"
            assert "" not in values, f"{problem['type']}: {name} is empty"


def contract_of(app: Litestar) -> Contract:
    """Cached: every app has the same operations."""
    if not _made:
        _made.append(Contract(msgspec.to_builtins(document_of(app))))
    return _made[0]
