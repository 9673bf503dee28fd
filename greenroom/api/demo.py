"""Signs in as one of the sample people. Only `greenroom demo` serves these routes.

Careful: every request that gets through receives a token, so these checks keep other sites out. A
POST needs the content type `application/json`, which makes a browser send a preflight request
first, and that is refused. The `Host` must be an IP address or `localhost`, which stops DNS
rebinding. Sites listed in `GREENROOM_ORIGINS` are allowed; `*` allows none. By default the server
listens only on this machine (`GREENROOM_HOST`).
"""

from collections.abc import Callable, Collection, Sequence
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from litestar import Request, Router, get, post
from litestar.connection import ASGIConnection
from litestar.exceptions import ClientException
from litestar.handlers import BaseRouteHandler
from litestar.params import JSONBody
from litestar.types import Guard
from msgspec import Struct

from greenroom.clock import Clock, iso
from greenroom.errors import Problem
from greenroom.ids import UserId
from greenroom.people.actor import Scope
from greenroom.people.directory import PersonNotFound
from greenroom.people.models import Person

TOKEN_SECONDS = 3600
_MOST_BYTES = 1024

Sign = Callable[[UserId, frozenset[Scope], int], str]
"""Signs a token: user, scopes, lifetime in seconds."""


class HostNotAllowed(Problem):
    """The sample people are at an address or at localhost, not at {host!r}."""

    host: str


class NotADemoStore(Problem):
    """This is not the store of a demo, so no sample people are written into it. Leave
    GREENROOM_STORE empty, or name a store that does not exist yet."""


class Sample(Struct, frozen=True):
    person: Person
    part: str
    sees: str
    scopes: frozenset[Scope]


class SamplePerson(Struct, rename="camel"):
    username: str
    user_id: UserId
    display_name: str
    part: str
    sees: str
    scopes: list[Scope]


class SamplePeople(Struct):
    people: list[SamplePerson]


class SignIn(Struct, forbid_unknown_fields=True):
    username: str


class SignedIn(Struct, rename="camel"):
    token: str
    expires_at: str
    user_id: UserId
    username: str
    display_name: str
    scopes: list[Scope]


def demo_routes(
    samples: Sequence[Sample], sign: Sign, clock: Clock, origins: Collection[str] = ()
) -> Router:
    offered = {sample.person.username: sample for sample in samples if sample.sees}

    @get("/people", sync_to_thread=False)
    def sample_people() -> SamplePeople:
        return SamplePeople([_shown(sample) for sample in offered.values()])

    @post("/sign-in", status_code=200, sync_to_thread=False)
    def sign_in(data: JSONBody[SignIn]) -> SignedIn:
        sample = offered.get(data.username)
        if sample is None:
            raise PersonNotFound
        person = sample.person
        return SignedIn(
            token=sign(person.id, sample.scopes, TOKEN_SECONDS),
            expires_at=iso(clock.now_ms() + TOKEN_SECONDS * 1000),
            user_id=person.id,
            username=person.username,
            display_name=person.name,
            scopes=sorted(sample.scopes),
        )

    return Router(
        "/demo",
        route_handlers=[sample_people, sign_in],
        guards=[_allowed_origins({*origins} - {"*"})],
        include_in_schema=False,
        request_max_body_size=_MOST_BYTES,
        cache_control=None,
    )


def _shown(sample: Sample) -> SamplePerson:
    person = sample.person
    return SamplePerson(
        username=person.username,
        user_id=person.id,
        display_name=person.name,
        part=sample.part,
        sees=sample.sees,
        scopes=sorted(sample.scopes),
    )


def _allowed_origins(named: Collection[str]) -> Guard:
    """A guard: allows our own pages, and pages of the named sites."""

    async def guard(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
        host, origin = (connection.headers.get(name, "") for name in ("Host", "Origin"))
        if not _is_local_host(host):
            raise HostNotAllowed(host)
        if origin and urlsplit(origin).netloc != host and origin not in named:
            raise HostNotAllowed(origin)
        if isinstance(connection, Request) and connection.method == "POST":
            _check_json(connection.headers.get("Content-Type", ""))

    return guard


def _check_json(content_type: str) -> None:
    if content_type.partition(";")[0].strip().lower() != "application/json":
        raise ClientException(extra=[{"message": "The Content-Type must be application/json."}])


def _is_local_host(host: str) -> bool:
    """Whether the host is an IP address or localhost, which no attacker's DNS can redirect."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
        if name == "localhost" or name.endswith(".localhost"):
            return True
        ip_address(name)
    except ValueError:
        return False
    return True
