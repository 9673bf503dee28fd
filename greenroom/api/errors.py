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
from greenroom.logs import Repeats
from greenroom.messaging import problems as messaging
from greenroom.people import access, directory, join, models, rename
from greenroom.realtime import problems as bus
from greenroom.safety import block as blocking, limits, problems as moderation
from greenroom.store import problems as store, sqlite

_log = logging.getLogger(__name__)
_repeats = Repeats(_log)
PROBLEM_JSON = "application/problem+json"


class Answer(Struct, frozen=True):
    """How a Problem is answered; `told` says whether with its message and fields."""

    status: int
    retry_after: int | None = None
    told: bool = True
    challenge: str | None = None
    """What `WWW-Authenticate` asks for."""


_OURS = Answer(HTTP_500_INTERNAL_SERVER_ERROR, told=False)

ANSWERS: Mapping[type[Problem], Answer] = {
    # who is calling
    tokens.NotAuthenticated: Answer(401, challenge="Bearer"),
    tokens.InvalidToken: Answer(401, challenge='Bearer error="invalid_token"'),
    tokens.TokenExpired: Answer(401, challenge='Bearer error="invalid_token"'),
    auth.NotAllowed: Answer(403, challenge='Bearer error="insufficient_scope"'),
    access.NoAccount: Answer(403),
    access.AccountSuspended: Answer(403),
    tokens.KeysUnavailable: Answer(503, retry_after=5, told=False),
    demo.NotByThisName: Answer(403),
    idempotency.IdempotencyKeyReused: Answer(422),
    idempotency.RequestInProgress: Answer(409, retry_after=1),
    # the socket
    doors.NotAFrame: Answer(400),
    doors.SayWhoFirst: Answer(401),
    doors.OneAtATime: Answer(409),
    doors.TooManySockets: Answer(429, retry_after=60),
    doors.Overloaded: Answer(503, retry_after=5, told=False),
    # people
    models.InvalidUsername: Answer(422),
    models.InvalidName: Answer(422),
    models.InvalidEmail: Answer(422),
    models.InvalidUserId: Answer(422),
    join.UsernameTaken: Answer(409),
    join.UsernameReserved: Answer(409),
    join.AccountExists: Answer(409),
    rename.ProfileChanged: Answer(412),
    directory.PersonNotFound: Answer(404),
    # safety
    limits.TooMany: Answer(429, retry_after=1),
    blocking.CannotBlockYourself: Answer(422),
    moderation.ModeratorsOnly: Answer(403),
    moderation.CaseNotFound: Answer(404),
    moderation.CaseClaimed: Answer(409),
    moderation.CaseNotClaimed: Answer(409),
    moderation.CaseClosed: Answer(409),
    moderation.CannotRelease: Answer(409),
    moderation.CaseChanged: Answer(412),
    moderation.OwnCase: Answer(403),
    moderation.AdminsOnly: Answer(403),
    moderation.NotToYourself: Answer(403),
    moderation.RevokeRoleFirst: Answer(409),
    moderation.NotSuspended: Answer(409),
    moderation.StillSuspended: Answer(409),
    moderation.NotStaff: Answer(409),
    moderation.StaffChanged: Answer(409),
    moderation.NoticeNotFound: Answer(404),
    moderation.DecisionDoesNotFit: Answer(422),
    moderation.InvalidDecision: Answer(422),
    moderation.InvalidReport: Answer(422),
    # messaging: what is not there, or not yours to see
    messaging.ThreadNotFound: Answer(404),
    messaging.MessageNotFound: Answer(404),
    messaging.RequestNotFound: Answer(404),
    messaging.ParticipantNotFound: Answer(404),
    # messaging: what does not fit
    messaging.InvalidThread: Answer(422),
    messaging.InvalidThreadChange: Answer(422),
    metadata.InvalidMetadata: Answer(422),
    messaging.InvalidText: Answer(422),
    messaging.InvalidReaction: Answer(422),
    messaging.InvalidMark: Answer(422),
    messaging.TextRefused: Answer(422),
    messaging.TextRejected: Answer(422),
    messaging.NotPlain: Answer(422),
    messaging.TooManyParticipants: Answer(422),
    messaging.ClientIdReused: Answer(422),
    messaging.OpeningKeyReused: Answer(422),
    # messaging: what you may not, or not as things stand
    messaging.NotYours: Answer(403),
    messaging.NotYourPlace: Answer(403),
    messaging.BlockedByYou: Answer(409),
    messaging.AcceptFirst: Answer(409),
    messaging.AlreadyAsked: Answer(409),
    messaging.RequestWithdrawn: Answer(409),
    messaging.AlreadyThere: Answer(409),
    messaging.RequestPending: Answer(409),
    messaging.ConversationClosed: Answer(409),
    messaging.ConversationLocked: Answer(409),
    messaging.VersionMismatch: Answer(412),
    messaging.ThreadChanged: Answer(412),
    # the store: what the caller sent
    store.InvalidItem: Answer(422),
    store.InvalidKey: Answer(422),
    store.InvalidCursor: Answer(400),
    store.InvalidQuery: Answer(400),
    store.ItemTooLarge: Answer(413),
    store.TokenReused: Answer(409),
    store.CheckpointTooOld: Answer(410),
    # the store: what the data says, where no use case has said it better
    store.ConditionFailed: Answer(409, told=False),
    store.InvalidUpdate: Answer(409, told=False),
    # the store: what the world did
    store.Conflict: Answer(503, retry_after=1, told=False),
    store.Throttled: Answer(503, retry_after=2, told=False),
    store.StoreUnavailable: Answer(503, retry_after=5, told=False),
    store.StoreFailing: Answer(503, retry_after=5),
    store.OutcomeUnknown: Answer(504, told=False),
    store.StoreFull: Answer(507, told=False),
    # what stops a start or a command, and in an answer would be a bug
    store.InvalidDeclaration: _OURS,
    store.InvalidExpression: _OURS,
    store.InvalidTransaction: _OURS,
    store.NoSuchTable: _OURS,
    store.NotFollowed: _OURS,
    store.StoreCorrupt: _OURS,
    store.StoreHeld: _OURS,
    store.StoreTooNew: _OURS,
    sqlite.BackupExists: _OURS,
    doors.CannotListen: _OURS,
    bus.BusUnavailable: _OURS,
    tokens.NobodyCalled: _OURS,
    tokens.TokensMadeElsewhere: _OURS,
    doors.ServerRefused: _OURS,
    doors.ServerUnreachable: _OURS,
    policy.PolicyUnreadable: _OURS,
    policy.UnknownPolicy: _OURS,
    policy.InvalidPolicy: _OURS,
    demo.NotADemoStore: _OURS,
    settings.UnknownSetting: _OURS,
    settings.InvalidSetting: _OURS,
    settings.DataNotWritable: _OURS,
    settings.SecretUnreadable: _OURS,
}


OF_THE_PROTOCOL: Mapping[int, tuple[str, str]] = {
    400: ("invalid-request", "The request is not valid. `errors` says where."),
    404: ("no-such-page", "There is nothing at this address."),
    405: ("method-not-allowed", "This address does not support this method."),
    413: ("request-too-large", "The request is too large."),
}


_TITLES: Mapping[str, str] = {
    "already-there": "Already in the conversation",
    "no-such-page": "Page not found",
    "not-a-frame": "Invalid socket request",
    "not-by-this-name": "Not available at this address",
    "not-plain": "Plain text only",
    "not-to-yourself": "Not for your own account",
    "not-your-place": "Not allowed in this conversation",
    "not-yours": "Only for the author",
    "one-at-a-time": "Already in progress",
    "say-who-first": "Authenticate first",
    "too-many": "Too many requests",
}
"""Of codes that do not read as a title."""


class ProblemDocument(Struct, kw_only=True, omit_defaults=True):
    """RFC 9457, as the schema shows it. A problem's own fields stand beside these."""

    type: str
    title: str
    status: int
    detail: str = ""


def answer_to(kind: type[Problem]) -> Answer:
    return ANSWERS.get(kind, _OURS)


def on_problem(request: Request[Any, Any, Any], problem: Problem) -> Response[bytes]:
    answer = answer_to(type(problem))
    if answer.status >= HTTP_500_INTERNAL_SERVER_ERROR:
        log_own(problem, f"{request.method} {request.url.path}")
    return _response(document_of(problem), _headers(problem, answer))


def log_own(problem: Problem, where: str) -> None:
    """Our own trouble. What the world did is told once a minute; what may be a bug, each time."""
    if answer_to(type(problem)).status == HTTP_500_INTERNAL_SERVER_ERROR:
        _log.error("%s: %r", where, problem, exc_info=problem)
    else:
        _repeats.error(problem.code, f"{where}: {problem!r}")


def document_of(problem: Problem) -> dict[str, Any]:
    """The same words over every door."""
    answer = answer_to(type(problem))
    if answer.status == HTTP_500_INTERNAL_SERVER_ERROR:
        return INTERNAL
    document: dict[str, Any] = {}
    if answer.told:
        document |= {_camel(name): value for name, value in problem.data.items()}
    document |= {
        "type": type_of(problem.code),
        "title": title_of(problem.code),
        "status": answer.status,
    }
    if answer.told:
        document["detail"] = str(problem)
    return document


def on_http_exception(request: Request[Any, Any, Any], exception: HTTPException) -> Response[bytes]:
    """What Litestar itself refuses: no such route, a parameter that does not fit."""
    status = exception.status_code
    if status >= HTTP_500_INTERNAL_SERVER_ERROR:
        return _internal()
    if status == HTTP_404_NOT_FOUND and wants_page(request) and request.app.state.site:
        return not_found_page(request, request.app.state.site)
    code, detail = OF_THE_PROTOCOL.get(status, ("refused", exception.detail))
    document: dict[str, Any] = {"type": type_of(code), "title": title_of(code), "status": status}
    document["detail"] = detail
    if exception.extra:
        document["errors"] = _in_plain_words(exception.extra)
    return _response(document, dict(exception.headers or {}))


def _in_plain_words(errors: Any) -> Any:
    """Litestar answers a missing part with Python's `KeyError`, which is only the part's name."""
    if not isinstance(errors, list):
        return errors
    return [_named(one) if isinstance(one, dict) else one for one in errors]


def _named(error: dict[str, Any]) -> dict[str, Any]:
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


def _headers(problem: Problem, answer: Answer) -> dict[str, str]:
    wait = getattr(problem, "retry_after_s", answer.retry_after)
    headers = {"Retry-After": wait, "WWW-Authenticate": answer.challenge}
    return {name: str(value) for name, value in headers.items() if value is not None}


def members_of(kind: type[Problem]) -> tuple[str, ...]:
    """The names of a problem's own members in its document."""
    return tuple(map(_camel, kind.data_names())) if answer_to(kind).told else ()


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
