"""Routes of people: profiles, search, creating accounts, metadata.

Careful: never return an e-mail address here, and show a suspension only to moderators.
"""

from typing import Annotated, Any

from litestar import Response, Router, get, patch, post
from litestar.di import NamedDependency
from litestar.params import JSONBody, QueryParameter, SkipValidation
from msgspec import Struct

from greenroom import metadata
from greenroom.api.auth import BEARER, needs
from greenroom.api.idempotency import (
    IdempotencyKey,
    IdempotencyKeyReused,
    Idempotent,
    RequestInProgress,
    digest_of,
)
from greenroom.api.params import MOST_BYTES_OF_NAMES, Cursor, UserIdInPath
from greenroom.api.people.shapes import Person, Profile, person_fields, profile_fields
from greenroom.api.route_docs import refuses
from greenroom.ids import UserId
from greenroom.people import People, directory, join
from greenroom.people.actor import Actor, Scope
from greenroom.people.directory import PersonNotFound
from greenroom.people.join import AccountExists, UsernameTaken
from greenroom.people.models import InvalidEmail, InvalidName, InvalidUserId, InvalidUsername
from greenroom.people.policy import LOOKUPS
from greenroom.people.set_metadata import set_metadata
from greenroom.store.problems import InvalidCursor


class PersonUpdate(Struct, rename="camel", forbid_unknown_fields=True):
    metadata: dict[str, Any] | None
    """Your own JSON object of at most 4 KB. It replaces the previous one; null removes it."""


class PeoplePage(Struct, rename="camel"):
    people: list[Person]
    next: str | None


class NewPerson(Struct, rename="camel", forbid_unknown_fields=True):
    username: str
    display_name: str = ""
    first_name: str = ""
    last_name: str = ""
    email: str | None = None
    user_id: str | None = None
    """The identity provider's `sub`, if there is one."""


@get(
    "/{userId:str}",
    operation_id="getPerson",
    limit=LOOKUPS,
    summary="Get a profile",
    response_description="The profile. Only moderators see a `suspension`.",
    responses=refuses(PersonNotFound),
)
async def get_person(
    user_id: UserIdInPath,
    actor: NamedDependency[Actor],
    people: NamedDependency[SkipValidation[People]],
) -> Profile:
    account = await directory.by_id(people, user_id)
    now_ms = people.clock.now_ms() if actor.may(Scope.MODERATOR) else None
    return Profile(**profile_fields(account, suspended_at_ms=now_ms))


@get(
    "/",
    operation_id="findPeople",
    limit=LOOKUPS,
    summary="Find people by id, username or name",
    description="Give one or more `id`, or `username`, or `name`. If you give several, the first "
    "applies. `name` takes at least two letters and finds names with a word that begins with them, "
    "ignoring case and accents. Without a parameter the page is empty.",
    response_description="A page of people. By id: those that exist, in the order asked.",
    responses=refuses(InvalidCursor),
)
async def find_people(
    people: NamedDependency[SkipValidation[People]],
    ids: Annotated[
        list[str] | None, QueryParameter(name="id", min_items=1, max_items=directory.MAX_PAGE)
    ] = None,
    username: Annotated[str | None, QueryParameter(min_length=1, max_length=128)] = None,
    name: Annotated[str | None, QueryParameter(min_length=1, max_length=128)] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=directory.MAX_PAGE)] = 20,
    cursor: Cursor = None,
) -> PeoplePage:
    if ids is not None:
        listed = await directory.by_ids(people, [UserId(one) for one in ids])
        return PeoplePage([Person(**person_fields(person)) for person in listed], None)
    if username is not None:
        found = await directory.by_username(people, username)
        return PeoplePage([] if found is None else [Person(**person_fields(found))], None)
    page = await directory.by_name(people, name or "", limit=limit, cursor=cursor)
    return PeoplePage([Person(**person_fields(person)) for person in page.people], page.next)


@post(
    "/",
    operation_id="createPerson",
    summary="Create an account for a person",
    description="For admins and services. People create their own with `PUT /v1/me`.",
    response_description="The profile.",
    guards=[needs(Scope.ADMIN, Scope.SERVICE)],
    responses=refuses(
        UsernameTaken,
        AccountExists,
        InvalidUsername,
        InvalidName,
        InvalidEmail,
        InvalidUserId,
        RequestInProgress,
        IdempotencyKeyReused,
        body=True,
    ),
)
async def create_person(
    data: JSONBody[NewPerson],
    actor: NamedDependency[Actor],
    people: NamedDependency[SkipValidation[People]],
    idempotent: NamedDependency[SkipValidation[Idempotent]],
    idempotency_key: IdempotencyKey = None,
) -> Response[Profile]:
    async def make() -> Profile:
        account = await join.join(
            people,
            data.username,
            user=None if data.user_id is None else UserId(data.user_id),
            display_name=data.display_name,
            first_name=data.first_name,
            last_name=data.last_name,
            email=data.email,
        )
        return Profile(**profile_fields(account))

    made = await idempotent(actor, idempotency_key, digest_of("createPerson", data), make, Profile)
    return Response(made, status_code=201, headers={"Location": f"/v1/people/{made.user_id}"})


@patch(
    "/{userId:str}",
    operation_id="updatePerson",
    summary="Set a person's metadata",
    description="For admins and services. Everyone who sees the profile sees the metadata.",
    response_description="The profile.",
    guards=[needs(Scope.ADMIN, Scope.SERVICE)],
    responses=refuses(PersonNotFound, metadata.InvalidMetadata, body=True),
)
async def update_person(
    user_id: UserIdInPath,
    data: JSONBody[PersonUpdate],
    people: NamedDependency[SkipValidation[People]],
) -> Profile:
    kept = metadata.checked(data.metadata)
    return Profile(**profile_fields(await set_metadata(people, user_id, kept)))


routes = Router(
    "/v1/people",
    route_handlers=[get_person, find_people, create_person, update_person],
    guards=[needs()],
    security=BEARER,
    tags=["people"],
    request_max_body_size=MOST_BYTES_OF_NAMES,
)
