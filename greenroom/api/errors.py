"""The one table from Problem to HTTP, and its rendering as RFC 9457 application/problem+json.

A Problem that is the server's own trouble is answered without its fields: a path, a host or a key
of the store is nobody's business outside. The log has it all.
"""

import logging
from collections.abc import Mapping
from typing import Any

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException
from litestar.status_codes import HTTP_404_NOT_FOUND, HTTP_500_INTERNAL_SERVER_ERROR
from msgspec import Struct

from greenroom import metadata, policy, settings
from greenroom.api import auth, demo, idempotency, problems as doors, tokens
from greenroom.api.web.routes import not_found_page, wants_page
from greenroom.errors import Problem
from greenroom.logs import RepeatedErrors
from greenroom.messaging import problems as messaging
from greenroom.people import access, directory, join, models, rename
from greenroom.realtime import problems as bus
from greenroom.safety import block as blocking, limits, problems as moderation
from greenroom.store import problems as store, sqlite

_log = logging.getLogger(__name__)
_repeats = RepeatedErrors(_log)
PROBLEM_JSON = "application/problem+json"


class ProblemResponse(Struct, frozen=True):
    """How a Problem is answered; `exposed` says whether with its message and fields."""

    status: int
    retry_after: int | None = None
    exposed: bool = True
    challenge: str | None = None
    """What `WWW-Authenticate` asks for."""


_INTERNAL_ERROR = ProblemResponse(HTTP_500_INTERNAL_SERVER_ERROR, exposed=False)

PROBLEM_RESPONSES: Mapping[type[Problem], ProblemResponse] = {
    # who is calling
    tokens.NotAuthenticated: ProblemResponse(401, challenge="Bearer"),
    tokens.InvalidToken: ProblemResponse(401, challenge='Bearer error="invalid_token"'),
    tokens.TokenExpired: ProblemResponse(401, challenge='Bearer error="invalid_token"'),
    auth.NotAllowed: ProblemResponse(403, challenge='Bearer error="insufficient_scope"'),
    access.NoAccount: ProblemResponse(403),
    access.AccountSuspended: ProblemResponse(403),
    tokens.KeysUnavailable: ProblemResponse(503, retry_after=5, exposed=False),
    demo.HostNotAllowed: ProblemResponse(403),
    idempotency.IdempotencyKeyReused: ProblemResponse(422),
    idempotency.RequestInProgress: ProblemResponse(409, retry_after=1),
    # the socket
    doors.InvalidFrame: ProblemResponse(400),
    doors.AuthRequired: ProblemResponse(401),
    doors.ResumeInProgress: ProblemResponse(409),
    doors.TooManySockets: ProblemResponse(429, retry_after=60),
    doors.Overloaded: ProblemResponse(503, retry_after=5, exposed=False),
    # people
    models.InvalidUsername: ProblemResponse(422),
    models.InvalidName: ProblemResponse(422),
    models.InvalidEmail: ProblemResponse(422),
    models.InvalidUserId: ProblemResponse(422),
    join.UsernameTaken: ProblemResponse(409),
    join.UsernameReserved: ProblemResponse(409),
    join.AccountExists: ProblemResponse(409),
    rename.ProfileChanged: ProblemResponse(412),
    directory.PersonNotFound: ProblemResponse(404),
    # safety
    limits.TooMany: ProblemResponse(429, retry_after=1),
    blocking.CannotBlockYourself: ProblemResponse(422),
    moderation.ModeratorsOnly: ProblemResponse(403),
    moderation.CaseNotFound: ProblemResponse(404),
    moderation.CaseClaimed: ProblemResponse(409),
    moderation.CaseNotClaimed: ProblemResponse(409),
    moderation.CaseClosed: ProblemResponse(409),
    moderation.CannotRelease: ProblemResponse(409),
    moderation.CaseChanged: ProblemResponse(412),
    moderation.OwnCase: ProblemResponse(403),
    moderation.AdminsOnly: ProblemResponse(403),
    moderation.NotToYourself: ProblemResponse(403),
    moderation.RevokeRoleFirst: ProblemResponse(409),
    moderation.NotSuspended: ProblemResponse(409),
    moderation.StillSuspended: ProblemResponse(409),
    moderation.NotStaff: ProblemResponse(409),
    moderation.StaffChanged: ProblemResponse(409),
    moderation.NoticeNotFound: ProblemResponse(404),
    moderation.DecisionDoesNotFit: ProblemResponse(422),
    moderation.InvalidDecision: ProblemResponse(422),
    moderation.InvalidReport: ProblemResponse(422),
    # messaging: what is not there, or not yours to see
    messaging.ThreadNotFound: ProblemResponse(404),
    messaging.MessageNotFound: ProblemResponse(404),
    messaging.RequestNotFound: ProblemResponse(404),
    messaging.ParticipantNotFound: ProblemResponse(404),
    # messaging: what does not fit
    messaging.InvalidThread: ProblemResponse(422),
    messaging.InvalidThreadChange: ProblemResponse(422),
    metadata.InvalidMetadata: ProblemResponse(422),
    messaging.InvalidText: ProblemResponse(422),
    messaging.InvalidReaction: ProblemResponse(422),
    messaging.InvalidReadPosition: ProblemResponse(422),
    messaging.TextRefused: ProblemResponse(422),
    messaging.TextRejected: ProblemResponse(422),
    messaging.PlainTextOnly: ProblemResponse(422),
    messaging.TooManyParticipants: ProblemResponse(422),
    messaging.ClientIdReused: ProblemResponse(422),
    messaging.OpeningKeyReused: ProblemResponse(422),
    # messaging: what you may not, or not as things stand
    messaging.NotYours: ProblemResponse(403),
    messaging.RoleNotAllowed: ProblemResponse(403),
    messaging.BlockedByYou: ProblemResponse(409),
    messaging.AcceptFirst: ProblemResponse(409),
    messaging.AlreadyAsked: ProblemResponse(409),
    messaging.RequestWithdrawn: ProblemResponse(409),
    messaging.AlreadyThere: ProblemResponse(409),
    messaging.RequestPending: ProblemResponse(409),
    messaging.ConversationClosed: ProblemResponse(409),
    messaging.ConversationLocked: ProblemResponse(409),
    messaging.VersionMismatch: ProblemResponse(412),
    messaging.ThreadChanged: ProblemResponse(412),
    # the store: what the caller sent
    store.InvalidItem: ProblemResponse(422),
    store.InvalidKey: ProblemResponse(422),
    store.InvalidCursor: ProblemResponse(400),
    store.InvalidQuery: ProblemResponse(400),
    store.ItemTooLarge: ProblemResponse(413),
    store.TokenReused: ProblemResponse(409),
    store.CheckpointTooOld: ProblemResponse(410),
    # the store: what the data says, where no use case has said it better
    store.ConditionFailed: ProblemResponse(409, exposed=False),
    store.InvalidUpdate: ProblemResponse(409, exposed=False),
    # the store: what the world did
    store.Conflict: ProblemResponse(503, retry_after=1, exposed=False),
    store.Throttled: ProblemResponse(503, retry_after=2, exposed=False),
    store.StoreUnavailable: ProblemResponse(503, retry_after=5, exposed=False),
    store.StoreFailing: ProblemResponse(503, retry_after=5),
    store.OutcomeUnknown: ProblemResponse(504, exposed=False),
    store.StoreFull: ProblemResponse(507, exposed=False),
    # what stops a start or a command, and in an answer would be a bug
    store.InvalidDeclaration: _INTERNAL_ERROR,
    store.InvalidExpression: _INTERNAL_ERROR,
    store.InvalidTransaction: _INTERNAL_ERROR,
    store.NoSuchTable: _INTERNAL_ERROR,
    store.NotFollowed: _INTERNAL_ERROR,
    store.StoreCorrupt: _INTERNAL_ERROR,
    store.StoreHeld: _INTERNAL_ERROR,
    store.StoreTooNew: _INTERNAL_ERROR,
    sqlite.BackupExists: _INTERNAL_ERROR,
    doors.CannotListen: _INTERNAL_ERROR,
    bus.BusUnavailable: _INTERNAL_ERROR,
    tokens.UsernameNotFound: _INTERNAL_ERROR,
    tokens.TokensIssuedElsewhere: _INTERNAL_ERROR,
    doors.ServerRefused: _INTERNAL_ERROR,
    doors.ServerUnreachable: _INTERNAL_ERROR,
    policy.PolicyUnreadable: _INTERNAL_ERROR,
    policy.UnknownPolicy: _INTERNAL_ERROR,
    policy.InvalidPolicy: _INTERNAL_ERROR,
    demo.NotADemoStore: _INTERNAL_ERROR,
    settings.UnknownSetting: _INTERNAL_ERROR,
    settings.InvalidSetting: _INTERNAL_ERROR,
    settings.DataNotWritable: _INTERNAL_ERROR,
    settings.SecretUnreadable: _INTERNAL_ERROR,
}


HTTP_PROBLEMS: Mapping[int, tuple[str, str]] = {
    400: ("invalid-request", "The request is not valid. `errors` says where."),
    404: ("no-such-page", "There is nothing at this address."),
    405: ("method-not-allowed", "This address does not support this method."),
    413: ("request-too-large", "The request is too large."),
}


_TITLES: Mapping[str, str] = {
    "already-there": "Already in the conversation",
    "no-such-page": "Page not found",
    "invalid-frame": "Invalid socket request",
    "host-not-allowed": "Not available at this address",
    "plain-text-only": "Plain text only",
    "not-to-yourself": "Not for your own account",
    "role-not-allowed": "Not allowed in this conversation",
    "not-yours": "Only for the author",
    "resume-in-progress": "Already in progress",
    "auth-required": "Authenticate first",
    "too-many": "Too many requests",
}
"""Of codes that do not read as a title."""


class ProblemDocument(Struct, kw_only=True, omit_defaults=True):
    """RFC 9457, as the schema shows it. A problem's own fields stand beside these."""

    type: str
    title: str
    status: int
    detail: str = ""


def response_for(kind: type[Problem]) -> ProblemResponse:
    return PROBLEM_RESPONSES.get(kind, _INTERNAL_ERROR)


def on_problem(request: Request[Any, Any, Any], problem: Problem) -> Response[bytes]:
    answer = response_for(type(problem))
    if answer.status >= HTTP_500_INTERNAL_SERVER_ERROR:
        log_server_error(problem, f"{request.method} {request.url.path}")
    return _response(document_of(problem), _headers(problem, answer))


def log_server_error(problem: Problem, where: str) -> None:
    """Our own trouble. What the world did is told once a minute; what may be a bug, each time."""
    if response_for(type(problem)).status == HTTP_500_INTERNAL_SERVER_ERROR:
        _log.error("%s: %r", where, problem, exc_info=problem)
    else:
        _repeats.error(problem.code, f"{where}: {problem!r}")


def document_of(problem: Problem) -> dict[str, Any]:
    """The same words over every door."""
    answer = response_for(type(problem))
    if answer.status == HTTP_500_INTERNAL_SERVER_ERROR:
        return INTERNAL
    document: dict[str, Any] = {}
    if answer.exposed:
        document |= {_camel(name): value for name, value in problem.data.items()}
    document |= {
        "type": type_of(problem.code),
        "title": title_of(problem.code),
        "status": answer.status,
    }
    if answer.exposed:
        document["detail"] = str(problem)
    return document


def on_http_exception(request: Request[Any, Any, Any], exception: HTTPException) -> Response[bytes]:
    """What Litestar itself refuses: no such route, a parameter that does not fit."""
    status = exception.status_code
    if status >= HTTP_500_INTERNAL_SERVER_ERROR:
        return _internal()
    if status == HTTP_404_NOT_FOUND and wants_page(request) and request.app.state.site:
        return not_found_page(request, request.app.state.site)
    code, detail = HTTP_PROBLEMS.get(status, ("refused", exception.detail))
    document: dict[str, Any] = {"type": type_of(code), "title": title_of(code), "status": status}
    document["detail"] = detail
    if exception.extra:
        document["errors"] = _readable_errors(exception.extra)
    return _response(document, dict(exception.headers or {}))


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
    _log.error("%s %s", request.method, request.url.path, exc_info=bug)
    return _internal()


def type_of(code: str) -> str:
    return f"/problems/{code}"


def title_of(code: str) -> str:
    return _TITLES.get(code, code.replace("-", " ").capitalize())


INTERNAL: dict[str, Any] = {
    "type": type_of("internal-error"),
    "title": title_of("internal-error"),
    "status": HTTP_500_INTERNAL_SERVER_ERROR,
    "detail": "Something went wrong on our side, and has been logged.",
}


def _internal() -> Response[bytes]:
    return _response(INTERNAL, {})


def _headers(problem: Problem, answer: ProblemResponse) -> dict[str, str]:
    wait = getattr(problem, "retry_after_s", answer.retry_after)
    headers = {"Retry-After": wait, "WWW-Authenticate": answer.challenge}
    return {name: str(value) for name, value in headers.items() if value is not None}


def members_of(kind: type[Problem]) -> tuple[str, ...]:
    """The names of a problem's own members in its document."""
    return tuple(map(_camel, kind.data_names())) if response_for(kind).exposed else ()


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _response(document: dict[str, Any], headers: dict[str, str]) -> Response[bytes]:
    return Response(
        msgspec.json.encode(document),
        status_code=document["status"],
        media_type=PROBLEM_JSON,
        headers=headers,
    )
