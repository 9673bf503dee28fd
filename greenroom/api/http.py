"""Everything that answers HTTP, put together from the contexts that it is given."""

from collections.abc import Mapping, Sequence
from typing import Any

from litestar import Litestar, Request, Router
from litestar.config.cors import CORSConfig
from litestar.datastructures import State
from litestar.di import Provide
from litestar.exceptions import ClientException, HTTPException, NotFoundException
from litestar.handlers import BaseRouteHandler
from litestar.openapi import OpenAPIConfig
from litestar.openapi.spec import Components, License
from litestar.types import Message, Scope

from greenroom import __version__
from greenroom.api import auth, errors, pages
from greenroom.api.access_log import AccessLog
from greenroom.api.asyncapi.document import asyncapi_route
from greenroom.api.auth import Authenticator, Connection
from greenroom.api.composition import Contexts
from greenroom.api.demo import Sample, Sign, demo_routes
from greenroom.api.duplicate_keys import DuplicateKey, check_keys
from greenroom.api.files import tus_headers
from greenroom.api.idempotency import Idempotent
from greenroom.api.long_uploads import UploadSlots
from greenroom.api.observed_app import REQUEST_ID, ObservedApp, add_request_id
from greenroom.api.openapi.render import OpenApiJson, OpenApiYaml
from greenroom.api.pages.landing import landing
from greenroom.api.pages.reference import reference_routes
from greenroom.api.platform import health
from greenroom.api.platform.sync import sync_routes
from greenroom.api.registry import Registry
from greenroom.api.route_docs import RouteDocs
from greenroom.api.sync import Sync
from greenroom.api.web import Site, content_policy, site_routes
from greenroom.errors import Problem
from greenroom.metrics import Metrics
from greenroom.people import People
from greenroom.people.actor import Actor
from greenroom.safety import Safety

_HEADERS = (
    (b"cache-control", b"no-store"),
    (b"content-security-policy", pages.CONTENT_POLICY.encode()),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
)
_ALLOWED = ("Authorization", "Content-Type", "If-Match", "Idempotency-Key")
_EXPOSED = ("ETag", "Location", "Retry-After")
_DOWNLOAD_ALLOWED = ("Range", "If-Range")
_DOWNLOAD_EXPOSED = ("Accept-Ranges", "Content-Disposition", "Content-Range")
_MOST_BYTES = 16 * 1024
"""Where a route says nothing else."""
_EXCEPTION_HANDLERS: Mapping[int | type[Exception], Any] = {
    Problem: errors.on_problem,
    HTTPException: errors.on_http_exception,
    Exception: errors.on_bug,
}


def http_app(
    contexts: Contexts,
    authenticator: Authenticator,
    ready: health.Ready,
    samples: Sequence[Sample] = (),
    sign: Sign | None = None,
    *,
    site: Site | None = None,
    origins: Sequence[str] = (),
    file_origin: str = "",
    metrics: Metrics | None = None,
    shows_metrics: bool = False,
    access_log: AccessLog | None = None,
) -> Litestar:
    """With samples it is a demo: a visitor can sign in as one of them. `file_origin` is where
    browsers get the content of files, if not here."""
    policy = content_policy(file_origin)
    start_page = landing([(one.person, one.part) for one in samples if one.sees])
    registry, clock = contexts[Registry], contexts[People].clock
    demo = [demo_routes(samples, sign, clock, origins)] if samples and sign else []
    return ObservedApp(
        [
            *site_routes(site, start_page, policy),
            *reference_routes(site, registry.problems),
            asyncapi_route(registry),
            sync_routes(registry),
            *demo,
            *registry.routes,
        ],
        state=State(
            _state(contexts)
            | {
                "access_log": access_log,
                "authenticator": authenticator,
                "content_policy": policy,
                "landing": start_page,
                "metrics": metrics or Metrics(),
                "shows_metrics": shows_metrics,
                "site": site,
                "upload_slots": UploadSlots(),
            }
        ),
        dependencies=_dependencies(contexts, ready),
        plugins=[RouteDocs(registry.examples, registry.problems)],
        request_class=Utf8Request,
        exception_handlers={**_EXCEPTION_HANDLERS},
        openapi_config=_openapi(),
        cors_config=_for_pages_of(origins),
        request_max_body_size=_MOST_BYTES,
        before_send=[_add_headers, add_request_id],
        logging_config=None,
    )


def _state(contexts: Contexts) -> dict[str, object]:
    registry = contexts[Registry]
    return {
        "contexts": contexts,
        "limits": contexts[Safety].limits,
        "problems": registry.problems,
        "registry": registry,
    }


def _dependencies(contexts: Contexts, ready: health.Ready) -> dict[str, Provide]:
    """What a route gets by naming a parameter so."""
    people = contexts[People]
    given: dict[str, object] = {
        "idempotent": Idempotent(people.store, people.clock),
        "sync_service": contexts[Sync],
        "ready": ready,
    }
    given |= contexts[Registry].dependencies(contexts)
    callers = {"actor": Provide(_actor), "newcomer": Provide(_newcomer)}
    return callers | {name: _provide(value) for name, value in given.items()}


class Utf8Request(Request[Any, Any, Any]):
    """A body that is no text, or nested beyond reason, is the caller's mistake and not ours."""

    async def json(self) -> Any:
        try:
            found = await super().json()
            if found is not None:
                check_keys(await self.body())
        except DuplicateKey as problem:
            raise ClientException(extra=[{"message": str(problem)}]) from None
        except (UnicodeDecodeError, RecursionError):
            raise ClientException(extra=[{"message": "The body is not valid JSON."}]) from None
        return found


def _provide(value: object) -> Provide:
    return Provide(lambda: value, sync_to_thread=False)


async def _actor(request: Request[Any, Any, Any]) -> Actor:
    return await auth.actor_of(request)


async def _newcomer(request: Request[Any, Any, Any]) -> Actor:
    return await auth.newcomer_of(request)


async def _add_headers(message: Message, scope: Scope) -> None:
    """To every answer, refusals too. What is for everybody, such as the web app's files, says so
    itself, and that stands: nothing private is cached because somebody forgot to say so."""
    if message["type"] == "http.response.start":
        given = message.get("headers", ())
        names = {name for name, _ in given}
        own = _headers_of(scope)
        message["headers"] = [*given, *own, *(row for row in _HEADERS if row[0] not in names)]


def _headers_of(scope: Scope) -> list[tuple[bytes, bytes]]:
    """Those that a route adds to all its answers: `opt={"headers": …}`."""
    handler = scope.get("route_handler")
    named: Mapping[str, str] = {} if handler is None else handler.opt.get("headers", {})
    return [(name.lower().encode(), value.encode()) for name, value in named.items()]


def _for_pages_of(origins: Sequence[str]) -> CORSConfig | None:
    """Pages of other sites, which have a token or nothing: there are no cookies to speak of."""
    if not origins:
        return None
    return CORSConfig(
        allow_origins=list(origins),
        allow_methods=["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
        allow_headers=[*_ALLOWED, *_DOWNLOAD_ALLOWED, *tus_headers.REQUEST, REQUEST_ID],
        expose_headers=[*_EXPOSED, *_DOWNLOAD_EXPOSED, *tus_headers.RESPONSE, REQUEST_ID],
    )


def _check_known(connection: Connection, _: BaseRouteHandler) -> None:
    """Litestar answers every other name under /schema with a page of its own."""
    if "path" in connection.path_params:
        raise NotFoundException


def _openapi() -> OpenAPIConfig:
    return OpenAPIConfig(
        title="Greenroom",
        version=__version__,
        description="A conversation backend for marketplaces.",
        license=License(name="Apache-2.0", identifier="Apache-2.0"),
        openapi_router=Router(
            "/schema", route_handlers=[], include_in_schema=False, guards=[_check_known]
        ),
        components=Components(security_schemes={"bearer": auth.SCHEME}),
        render_plugins=[OpenApiJson(), OpenApiYaml()],
    )
