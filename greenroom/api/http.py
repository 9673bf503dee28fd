"""Everything that answers HTTP, put together from the contexts that it is given."""

from collections.abc import Sequence
from typing import Any

from litestar import Litestar, MediaType, Request
from litestar.datastructures import State
from litestar.di import Provide
from litestar.exceptions import HTTPException
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin, YamlRenderPlugin
from litestar.openapi.spec import Components, License
from litestar.types import Message, Scope

from greenroom import __version__
from greenroom.api import auth, errors, pages
from greenroom.api.auth import Authenticator
from greenroom.api.idempotency import Once
from greenroom.api.pages.landing import landing_page
from greenroom.api.pages.reference import ReferencePage, problem_page
from greenroom.api.rest import health, me as rest_me, people as rest_people
from greenroom.errors import Problem
from greenroom.people import People
from greenroom.people.actor import Actor
from greenroom.people.models import Person

_HEADERS = (
    (b"content-security-policy", pages.CONTENT_POLICY.encode()),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
)
_MOST_BYTES = 1024 * 1024


def http_app(
    people: People,
    authenticator: Authenticator,
    ready: health.Ready,
    samples: Sequence[tuple[Person, str]] = (),
) -> Litestar:
    once = Once(people.store, people.clock)
    return Litestar(
        [
            landing_page(samples),
            pages.page_css,
            problem_page,
            health.healthz,
            health.readyz,
            rest_me.routes,
            rest_people.routes,
        ],
        state=State({"authenticator": authenticator}),
        dependencies={
            "actor": Provide(_actor),
            "newcomer": Provide(_newcomer),
            "once": Provide(lambda: once, sync_to_thread=False),
            "people": Provide(lambda: people, sync_to_thread=False),
            "ready": Provide(lambda: ready, sync_to_thread=False),
        },
        exception_handlers={
            Problem: errors.on_problem,
            HTTPException: errors.on_http_exception,
            Exception: errors.on_bug,
        },
        openapi_config=_openapi(),
        request_max_body_size=_MOST_BYTES,
        before_send=[_add_headers],
        logging_config=None,
    )


async def _actor(request: Request[Any, Any, Any]) -> Actor:
    return await auth.actor_of(request)


async def _newcomer(request: Request[Any, Any, Any]) -> Actor:
    return await auth.newcomer_of(request)


async def _add_headers(message: Message, _: Scope) -> None:
    """To every answer, refusals too."""
    if message["type"] == "http.response.start":
        message["headers"] = [*message.get("headers", ()), *_HEADERS]


def _openapi() -> OpenAPIConfig:
    return OpenAPIConfig(
        title="Greenroom",
        version=__version__,
        description="A conversation backend for marketplaces.",
        license=License(name="Apache-2.0", identifier="Apache-2.0"),
        path="/schema",
        components=Components(security_schemes={"bearer": auth.SCHEME}),
        render_plugins=[
            JsonRenderPlugin(path=["/", "/openapi.json"], media_type=MediaType.JSON),
            YamlRenderPlugin(),
            ReferencePage(),
        ],
    )
