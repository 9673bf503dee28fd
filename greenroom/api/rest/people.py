"""People, for whoever asks: never with an e-mail address."""

from typing import Annotated, Any

from litestar import Router, get
from litestar.di import NamedDependency
from litestar.exceptions import ValidationException
from litestar.params import PathParameter, QueryParameter, SkipValidation
from msgspec import Struct

from greenroom.api.errors import refusals
from greenroom.clock import iso
from greenroom.ids import UserId
from greenroom.people import People, directory, models


class Person(Struct, rename="camel"):
    user_id: UserId
    username: str
    name: str
    first_name: str
    last_name: str
    profile_picture: str | None


class Profile(Person, rename="camel"):
    is_verified: bool
    follower_count: int
    following_count: int
    post_count: int
    joined_at: str


class PeoplePage(Struct, rename="camel"):
    people: list[Person]
    next: str | None


@get(
    "/{userId:str}",
    operation_id="getPerson",
    summary="A person's profile",
    response_description="The profile.",
    responses=refusals({404: "There is nobody with this id."}),
)
async def get_person(
    user_id: Annotated[str, PathParameter(name="userId")],
    people: NamedDependency[SkipValidation[People]],
) -> Profile:
    account = await directory.by_id(people, UserId(user_id))
    return Profile(
        **_shown(account),
        is_verified=account.is_verified,
        follower_count=account.follower_count,
        following_count=account.following_count,
        post_count=account.post_count,
        joined_at=iso(account.joined_ms),
    )


@get(
    "/",
    operation_id="findPeople",
    summary="People by username, or by the beginning of a name",
    description="Give `username` or `name`, not both. A name is matched without case and accents "
    "by the beginning of its words, from two letters on.",
    response_description="A page of people.",
    responses=refusals(),
)
async def find_people(
    people: NamedDependency[SkipValidation[People]],
    username: Annotated[str | None, QueryParameter(min_length=1, max_length=128)] = None,
    name: Annotated[str | None, QueryParameter(min_length=1, max_length=128)] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=directory.MAX_PAGE)] = 20,
    cursor: Annotated[str | None, QueryParameter(description="`next` of the page before")] = None,
) -> PeoplePage:
    if (username is None) == (name is None):
        raise ValidationException(extra=[{"message": "give username or name, one of them"}])
    if username is not None:
        found = await directory.by_username(people, username)
        return PeoplePage([] if found is None else [Person(**_shown(found))], None)
    page = await directory.by_name(people, name or "", limit=limit, cursor=cursor)
    return PeoplePage([Person(**_shown(person)) for person in page.people], page.next)


def _shown(person: models.Person) -> dict[str, Any]:
    return {
        "user_id": person.id,
        "username": person.username,
        "name": person.name,
        "first_name": person.first_name,
        "last_name": person.last_name,
        "profile_picture": person.profile_picture,
    }


routes = Router("/v1/people", route_handlers=[get_person, find_people], tags=["people"])
