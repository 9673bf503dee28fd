"""Answers problems and bugs over HTTP, as RFC 9457 application/problem+json."""

import logging
from typing import Any

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException
from litestar.status_codes import HTTP_404_NOT_FOUND, HTTP_500_INTERNAL_SERVER_ERROR

from greenroom.api.observed_app import request_id_of
from greenroom.api.problem_table import ProblemResponse, ProblemTable, type_of
from greenroom.api.web.routes import not_found_page, wants_page
from greenroom.errors import Problem
from greenroom.logs import RepeatedErrors
from greenroom.metrics import Metrics

_log = logging.getLogger(__name__)
_repeats = RepeatedErrors(_log)
PROBLEM_JSON = "application/problem+json"


def on_problem(request: Request[Any, Any, Any], problem: Problem) -> Response[bytes]:
    table = _table(request)
    if table.is_server_error(problem):
        log_server_error(table, problem, _where(request))
    response = table.response_for(type(problem))
    return _response(request, table.document_of(problem), _headers(problem, response))


def log_server_error(table: ProblemTable, problem: Problem, where: str) -> None:
    """Logs what may be a bug each time, and trouble of the outside world once a minute."""
    if table.response_for(type(problem)).status == HTTP_500_INTERNAL_SERVER_ERROR:
        _log.error("%s: %r", where, problem, exc_info=problem)
    else:
        _repeats.error(problem.code, f"{where}: {problem!r}")


def on_http_exception(request: Request[Any, Any, Any], exception: HTTPException) -> Response[bytes]:
    """Answers what Litestar itself refuses: no such route, a parameter that does not fit."""
    status = exception.status_code
    if status >= HTTP_500_INTERNAL_SERVER_ERROR:
        return _response(request, _table(request).internal, {})
    if status == HTTP_404_NOT_FOUND and wants_page(request):
        return not_found_page(request)
    document = _table(request).http_document(status, exception.detail)
    if exception.extra:
        document["errors"] = _readable_errors(exception.extra)
    return _response(request, document, dict(exception.headers or {}))


def _readable_errors(errors: Any) -> Any:
    """Litestar answers a missing part with Python's `KeyError`, which is only the part's name."""
    if not isinstance(errors, list):
        return errors
    return [_with_message(one) if isinstance(one, dict) else one for one in errors]


def _with_message(error: dict[str, Any]) -> dict[str, Any]:
    key = error.get("key")
    if key is None or error.get("message") != repr(key):
        return error
    if key == "data":
        return {"message": "The request needs a JSON body."}
    return error | {"message": f"`{key}` is missing."}


def on_bug(request: Request[Any, Any, Any], bug: Exception) -> Response[bytes]:
    _log.error("%s", _where(request), exc_info=bug)
    return _response(request, _table(request).internal, {})


def _where(request: Request[Any, Any, Any]) -> str:
    return f"{request.method} {request.url.path} (request {request_id_of(request.scope)})"


def _table(request: Request[Any, Any, Any]) -> ProblemTable:
    table: ProblemTable = request.app.state.problems
    return table


def _headers(problem: Problem, answer: ProblemResponse) -> dict[str, str]:
    wait = getattr(problem, "retry_after_s", answer.retry_after)
    headers = {"Retry-After": wait, "WWW-Authenticate": answer.challenge}
    return {name: str(value) for name, value in headers.items() if value is not None}


def code_of(document: dict[str, Any]) -> str:
    return str(document["type"]).removeprefix(type_of(""))


def _response(
    request: Request[Any, Any, Any], document: dict[str, Any], headers: dict[str, str]
) -> Response[bytes]:
    metrics: Metrics = request.app.state.metrics
    metrics.refusals["http", code_of(document)] += 1
    return Response(
        msgspec.json.encode(document),
        status_code=document["status"],
        media_type=PROBLEM_JSON,
        headers=headers,
    )
