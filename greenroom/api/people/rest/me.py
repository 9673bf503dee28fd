"""Routes of the caller's own account: get, create, rename, set the avatar.

`PUT` needs only a token: users of an identity provider have no account yet when they first sign in.
All other routes need the account.
"""

from typing import Annotated

from litestar import Response, Router, delete, get, patch, put
from litestar.datastructures import ResponseHeader
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import JSONBody, SkipValidation
from msgspec import UNSET, Meta, Struct, UnsetType

from greenroom.api.auth import BEARER, needs, needs_no_account
from greenroom.api.etags import IfMatch, etag, version_in
from greenroom.api.params import MOST_BYTES_OF_NAMES
from greenroom.api.people.shapes import Profile, profile_fields
from greenroom.api.route_docs import refuses
from greenroom.files.problems import FileNotFound, FileNotReady
from greenroom.ids import FileId
from greenroom.messaging import Messaging
from greenroom.messaging.problems import FileAlreadyUsed, InvalidPicture
from greenroom.messaging.rename_person import rename_and_announce
from greenroom.messaging.set_avatar import set_avatar
from greenroom.people import People, directory, join, models, rename
from greenroom.people.actor import Actor, Scope
from greenroom.people.directory import PersonNotFound
from greenroom.people.join import AccountExists, UsernameReserved, UsernameTaken
from greenroom.people.models import InvalidEmail, InvalidName, InvalidUsername
from greenroom.people.rename import ProfileChanged

_ETAG = [ResponseHeader(name="ETag", description="For `If-Match`.", documentation_only=True)]


class Me(Profile, rename="camel"):
    email: str | None
    scopes: list[Scope]
    """The scopes of your token."""


class SignUp(Struct, rename="camel", forbid_unknown_fields=True):
    username: str
    display_name: str = ""
    email: str | None = None


class NewNames(Struct, rename="camel", forbid_unknown_fields=True):
    username: str | UnsetType = UNSET
    display_name: str | UnsetType = UNSET
    first_name: str | UnsetType = UNSET
    last_name: str | UnsetType = UNSET


class NewPicture(Struct, rename="camel", forbid_unknown_fields=True):
    file_id: Annotated[str, Meta(min_length=1, max_length=64)]
    """Your picture. It must be ready, and uploaded for no conversation."""


@get(
    "/",
    operation_id="getMe",
    summary="Get your own account",
    response_description="The account.",
    response_headers=_ETAG,
    guards=[needs(Scope.USER)],
    responses=refuses(PersonNotFound),
)
async def get_me(
    actor: NamedDependency[Actor], people: NamedDependency[SkipValidation[People]]
) -> Response[Me]:
    return _shown(await directory.by_id(people, actor.user), actor, 200)


@put(
    "/",
    operation_id="signUp",
    summary="Create your own account",
    description="Claims a username for the `sub` of the token. Asking again for the same username "
    "changes nothing. `PATCH` changes the username.",
    response_description="The existing account.",
    response_headers=_ETAG,
    guards=[needs_no_account],
    responses={201: ResponseSpec(Me, description="The new account.")}
    | refuses(
        UsernameTaken,
        UsernameReserved,
        AccountExists,
        InvalidUsername,
        InvalidName,
        InvalidEmail,
        body=True,
    ),
)
async def sign_up(
    data: JSONBody[SignUp],
    newcomer: NamedDependency[Actor],
    people: NamedDependency[SkipValidation[People]],
) -> Response[Me]:
    joined = await join.sign_up(
        people, newcomer, data.username, display_name=data.display_name, email=data.email
    )
    return _shown(joined.account, newcomer, 201 if joined.is_new else 200)


@patch(
    "/",
    operation_id="renameMe",
    summary="Change your names",
    description="Fields that you leave out stay as they are. Where nothing changes, `version` "
    "stays too. Your old username is free at once. "
    "People in your latest conversations get the event `person.updated`.",
    response_description="The changed account.",
    response_headers=_ETAG,
    guards=[needs(Scope.USER)],
    responses=refuses(
        PersonNotFound,
        UsernameTaken,
        UsernameReserved,
        ProfileChanged,
        InvalidUsername,
        InvalidName,
        body=True,
    ),
)
async def rename_me(
    data: JSONBody[NewNames],
    actor: NamedDependency[Actor],
    messaging: NamedDependency[SkipValidation[Messaging]],
    if_match: IfMatch = None,
) -> Response[Me]:
    names = rename.NewNames(data.username, data.display_name, data.first_name, data.last_name)
    version = version_in(if_match)
    account = await rename_and_announce(messaging, actor, names, version=version)
    return _shown(account, actor, 200)


@put(
    "/avatar",
    operation_id="setAvatar",
    summary="Set your avatar",
    description="Everybody who sees your name sees it. The picture before it is deleted. People in "
    "your latest conversations get the event `person.updated`.",
    response_description="The changed account.",
    response_headers=_ETAG,
    guards=[needs(Scope.USER)],
    responses=refuses(
        PersonNotFound, FileNotFound, FileNotReady, FileAlreadyUsed, InvalidPicture, body=True
    ),
)
async def put_avatar(
    data: JSONBody[NewPicture],
    actor: NamedDependency[Actor],
    messaging: NamedDependency[SkipValidation[Messaging]],
) -> Response[Me]:
    account = await set_avatar(messaging, actor, FileId(data.file_id))
    return _shown(account, actor, 200)


@delete(
    "/avatar",
    operation_id="removeAvatar",
    summary="Remove your avatar",
    description="The picture is deleted.",
    response_description="There is no avatar.",
    guards=[needs(Scope.USER)],
    responses=refuses(PersonNotFound),
)
async def delete_avatar(
    actor: NamedDependency[Actor], messaging: NamedDependency[SkipValidation[Messaging]]
) -> None:
    await set_avatar(messaging, actor, None)


def _shown(account: models.Account, actor: Actor, status: int) -> Response[Me]:
    me = Me(
        **profile_fields(account),
        email=account.email,
        scopes=sorted(actor.scopes),
    )
    return Response(me, status_code=status, headers={"ETag": etag(account.version)})


routes = Router(
    "/v1/me",
    route_handlers=[get_me, sign_up, rename_me, put_avatar, delete_avatar],
    security=BEARER,
    tags=["people"],
    request_max_body_size=MOST_BYTES_OF_NAMES,
)
