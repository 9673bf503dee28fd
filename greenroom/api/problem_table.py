"""Maps each kind of problem to its status, title, document (RFC 9457) and example.

Careful: responses to internal errors omit the problem's fields. Paths, hosts and store keys go to
the log only.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from greenroom.errors import Problem

INTERNAL_STATUS = 500


class ProblemResponse(Struct, frozen=True):
    """The HTTP response to a problem. `exposed`: include its message and fields."""

    status: int
    retry_after: int | None = None
    exposed: bool = True
    challenge: str | None = None
    """The value of `WWW-Authenticate`."""


INTERNAL_ERROR = ProblemResponse(INTERNAL_STATUS, exposed=False)
"""For problems that stop a start or a command. As a response to a request they are a bug."""

HTTP_PROBLEMS: Mapping[int, tuple[str, str]] = {
    400: ("invalid-request", "The request is not valid. `errors` says where."),
    404: ("no-such-page", "There is nothing at this address."),
    405: ("method-not-allowed", "This address does not support this method."),
    413: ("request-too-large", "The request is too large."),
}
"""Code and message of refusals by the HTTP layer, by status."""


class ProblemDocument(Struct, kw_only=True, omit_defaults=True):
    """The schema of a problem (RFC 9457). A problem's own fields are added to these."""

    type: str
    title: str
    status: int
    detail: str = ""


class Problems(Struct, frozen=True, kw_only=True):
    """The problems of one context, with titles and example values for the reference."""

    responses: Mapping[type[Problem], ProblemResponse]
    titles: Mapping[str, str] = {}
    """Titles by code, if the code itself does not read as a title."""
    example_values: Mapping[str, Any] = {}
    """Example values by field name, or by `code.field` for one problem."""
    example_reasons: Mapping[str, str] = {}
    """Examples of the field `reason`, by the problem's code."""


class ProblemTable:
    """The problems of all contexts."""

    def __init__(self, parts: Iterable[Problems]) -> None:
        self.responses: dict[type[Problem], ProblemResponse] = {}
        self._titles: dict[str, str] = {}
        self._values: dict[str, Any] = {}
        self._reasons: dict[str, str] = {}
        for part in parts:
            self.responses |= part.responses
            self._titles |= part.titles
            self._values |= part.example_values
            self._reasons |= part.example_reasons
        self.internal = self._document("internal-error", INTERNAL_STATUS) | {
            "detail": "Something went wrong on our side, and has been logged."
        }

    def response_for(self, kind: type[Problem]) -> ProblemResponse:
        return self.responses.get(kind, INTERNAL_ERROR)

    def is_server_error(self, problem: Problem) -> bool:
        return self.response_for(type(problem)).status >= INTERNAL_STATUS

    def document_of(self, problem: Problem) -> dict[str, Any]:
        """The problem document, the same over REST and the socket."""
        response = self.response_for(type(problem))
        if response.status == INTERNAL_STATUS:
            return self.internal
        document: dict[str, Any] = {}
        if response.exposed:
            document |= {_camel(name): value for name, value in problem.data.items()}
        document |= self._document(problem.code, response.status)
        if response.exposed:
            document["detail"] = str(problem)
        return document

    def http_document(self, status: int, detail: str = "") -> dict[str, Any]:
        """The document for a request that the HTTP layer refuses."""
        code, sentence = HTTP_PROBLEMS.get(status, ("refused", detail))
        return self._document(code, status) | {"detail": sentence}

    def title_of(self, code: str) -> str:
        return self._titles.get(code, code.replace("-", " ").capitalize())

    def members_of(self, kind: type[Problem]) -> tuple[str, ...]:
        """The names of a problem's own members in its document."""
        return tuple(map(_camel, kind.data_names())) if self.response_for(kind).exposed else ()

    def example_of(self, kind: type[Problem]) -> Problem:
        """A problem of this kind with its fields filled in."""
        names = kind.__dataclass_fields__  # type: ignore[attr-defined]
        return kind(**{name: self._example_value(kind, name) for name in names})

    def _example_value(self, kind: type[Problem], name: str) -> Any:
        if name == "reason":
            return self._reasons.get(kind.code, "the request does not fit")
        otherwise = self._values.get(name, f"the {name.replace('_', ' ')}")
        return self._values.get(f"{kind.code}.{name}", otherwise)

    def _document(self, code: str, status: int) -> dict[str, Any]:
        return {"type": type_of(code), "title": self.title_of(code), "status": status}


def type_of(code: str) -> str:
    return f"/problems/{code}"


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
