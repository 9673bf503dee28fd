"""Adds problems and examples of each route to the OpenAPI document.

A route has `responses=refuses(ThreadNotFound, …)`. Its examples are registered by its context under
its operation id. `RouteDocs` adds both when the app is built.
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
from greenroom.api.errors import PROBLEM_JSON
from greenroom.api.problem_table import ProblemDocument, ProblemTable
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


class Refusals(dict[int, ResponseSpec]):
    """The responses of a route. The status of each problem is looked up when the app is built."""

    def __init__(
        self,
        http: tuple[int, ...],
        kinds: tuple[type[Problem], ...],
        responses: Mapping[int, ResponseSpec],
    ) -> None:
        super().__init__(responses)
        self._http = http
        self._kinds = kinds

    def __ror__(self, other: Mapping[int, ResponseSpec]) -> "Refusals":  # type: ignore[override]
        """`{201: …} | refuses(…)`."""
        return Refusals(self._http, self._kinds, {**other, **self})

    def resolved(self, table: ProblemTable) -> dict[int, ResponseSpec]:
        found: dict[int, list[dict[str, Any]]] = {
            status: [table.http_document(status)] for status in self._http
        }
        for kind in self._kinds:
            shown = table.document_of(table.example_of(kind))
            found.setdefault(table.response_for(kind).status, []).append(shown)
        return {**self, **{status: _spec(problems) for status, problems in sorted(found.items())}}


def refuses(*kinds: type[Problem], body: bool = False, token: bool = True) -> Refusals:
    """For a route's `responses`: the problems that it returns. `body` adds the problem of a body
    that is too large, `token` those of a missing or invalid token."""
    return Refusals((400, 413) if body else (400,), (*(_ALWAYS if token else ()), *kinds), {})


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
    """The examples of one operation: the request's body, and responses by status."""

    answers: Mapping[int, Any] = {}
    request: Any = None


@dataclass
class _Verbatim(BaseSchemaObject):
    """A value that is written as it is. Litestar would drop nulls."""

    value: Any

    def to_schema(self) -> dict[str, Any]:
        verbatim: dict[str, Any] = self.value
        return verbatim


class RouteDocs(ReceiveRoutePlugin):
    """Adds examples and problems to every operation."""

    def __init__(self, examples: Mapping[str, OperationExample], problems: ProblemTable) -> None:
        self._problems = problems

        @dataclass
        class DocumentedOperation(Operation):
            def __post_init__(self) -> None:
                _add_examples(self, examples.get(self.operation_id or "", OperationExample()))

        self._operation = DocumentedOperation

    def receive_route(self, route: BaseRoute) -> None:
        if isinstance(route, HTTPRoute):
            for handler in route.route_handlers:
                handler.operation_class = self._operation
                if isinstance(handler.responses, Refusals):
                    handler.responses = handler.responses.resolved(self._problems)


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
