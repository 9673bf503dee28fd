"""What the OpenAPI document says beyond types: by which problems a route refuses, and examples.

A route has `responses=refuses(ThreadNotFound, …)`; its examples stand in `rest/examples.py` under
its operation id, and the plugin puts them where they belong.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
from litestar.openapi.datastructures import ResponseSpec
from litestar.openapi.spec import Example, OpenAPIMediaType, OpenAPIResponse, Operation, RequestBody
from litestar.openapi.spec.base import BaseSchemaObject
from litestar.plugins import ReceiveRoutePlugin
from litestar.routes import BaseRoute, HTTPRoute
from msgspec import Struct

from greenroom.api.auth import NotAllowed
from greenroom.api.errors import (
    HTTP_PROBLEMS,
    PROBLEM_JSON,
    ProblemDocument,
    document_of,
    response_for,
    title_of,
    type_of,
)
from greenroom.api.problem_examples import example_of
from greenroom.api.tokens import InvalidToken, NotAuthenticated, TokenExpired
from greenroom.errors import Problem
from greenroom.people.access import AccountSuspended, NoAccount
from greenroom.safety.limits import TooMany

_ALWAYS: tuple[type[Problem], ...] = (
    NotAuthenticated,
    InvalidToken,
    TokenExpired,
    NotAllowed,
    NoAccount,
    AccountSuspended,
    TooMany,
)


def refuses(
    *kinds: type[Problem], body: bool = False, token: bool = True
) -> dict[int, ResponseSpec]:
    """For a route's `responses`: the problems that it answers with; with `body`, also that of a
    body which is too large, and with `token`, those of whoever calls without one that counts."""
    found: dict[int, list[dict[str, Any]]] = {}
    for status in (400, 413) if body else (400,):
        found[status] = [_http_problem(status)]
    for kind in (*(_ALWAYS if token else ()), *kinds):
        shown = document_of(example_of(kind))
        found.setdefault(response_for(kind).status, []).append(shown)
    return {status: _spec(problems) for status, problems in sorted(found.items())}


def _http_problem(status: int) -> dict[str, Any]:
    code, detail = HTTP_PROBLEMS[status]
    return {
        "type": type_of(code),
        "title": title_of(code),
        "status": status,
        "detail": detail,
    }


def _spec(problems: Iterable[dict[str, Any]]) -> ResponseSpec:
    named = {problem["type"]: problem for problem in problems}
    return ResponseSpec(
        ProblemDocument,
        description=" ".join(one.get("detail", f"{one['title']}.") for one in named.values()),
        media_type=PROBLEM_JSON,
        examples=[
            Example(id=name.rpartition("/")[2], summary=problem["title"], value=problem)
            for name, problem in named.items()
        ],
    )


class OperationExample(Struct, frozen=True):
    """The examples of one operation: a request's body, and answers by their status."""

    answers: Mapping[int, object] = {}
    request: object = None


@dataclass
class _Verbatim(BaseSchemaObject):
    """A value of which nothing is left out: Litestar would drop what is null."""

    value: Any

    def to_schema(self) -> dict[str, Any]:
        verbatim: dict[str, Any] = self.value
        return verbatim


class ExamplesPlugin(ReceiveRoutePlugin):
    """Gives every operation its examples when the document is made."""

    def __init__(self, examples: Mapping[str, OperationExample]) -> None:
        @dataclass
        class DocumentedOperation(Operation):
            def __post_init__(self) -> None:
                _add_examples(self, examples.get(self.operation_id or "", OperationExample()))

        self._operation = DocumentedOperation

    def receive_route(self, route: BaseRoute) -> None:
        if isinstance(route, HTTPRoute):
            for handler in route.route_handlers:
                handler.operation_class = self._operation


def _add_examples(operation: Operation, shown: OperationExample) -> None:
    if isinstance(operation.request_body, RequestBody) and shown.request is not None:
        _put(operation.request_body.content, shown.request)
    for status, answer in shown.answers.items():
        response = (operation.responses or {}).get(str(status))
        if isinstance(response, OpenAPIResponse) and response.content is not None:
            _put(response.content, answer)


def _put(content: dict[str, OpenAPIMediaType], value: Any) -> None:
    for media in content.values():
        shown = msgspec.json.decode(msgspec.json.encode(value))
        media.examples = {"example": Example(value=_Verbatim(shown))}
