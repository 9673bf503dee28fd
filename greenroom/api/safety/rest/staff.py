"""Routes of staff roles and of lifting a suspension."""

from typing import Annotated

from litestar import Router, delete, get, post, put
from litestar.params import JSONBody, QueryParameter
from msgspec import Meta, Struct

from greenroom.api.auth import BEARER, needs
from greenroom.api.params import MOST_BYTES, Caller, UserIdInPath
from greenroom.api.route_docs import refuses
from greenroom.api.safety.params import TheSafety
from greenroom.api.safety.shapes import Entry, entry_shape
from greenroom.ids import UserId
from greenroom.people.actor import Scope, StaffRole
from greenroom.people.directory import PersonNotFound
from greenroom.safety import grant as granting
from greenroom.safety.decide import MAX_NOTE, MAX_REASON
from greenroom.safety.problems import (
    AdminsOnly,
    InvalidDecision,
    ModeratorsOnly,
    NotStaff,
    NotSuspended,
    NotToYourself,
    StaffChanged,
    StillSuspended,
)
from greenroom.safety.reinstate import reinstate as lift

_Note = Annotated[str, Meta(max_length=MAX_NOTE)]


class StaffMember(Struct, rename="camel"):
    user_id: UserId
    role: StaffRole | None
    """`moderator` or `admin`; null once it is revoked."""


class StaffList(Struct, rename="camel"):
    staff: list[StaffMember]


class NewStaffRole(Struct, rename="camel", forbid_unknown_fields=True):
    role: StaffRole
    """`moderator` or `admin`."""
    note: _Note = ""
    """For the audit log."""


class NewReinstatement(Struct, rename="camel", forbid_unknown_fields=True):
    reason: Annotated[str, Meta(max_length=MAX_REASON)] = ""
    """The reason that the person sees."""
    note: _Note = ""
    """For the audit log."""


@get(
    "/staff",
    operation_id="getStaff",
    summary="List the staff",
    response_description="The members of staff and their roles, ordered by id.",
    guards=[needs(Scope.ADMIN, Scope.SERVICE)],
    responses=refuses(AdminsOnly),
)
async def get_staff(actor: Caller, safety: TheSafety) -> StaffList:
    found = await granting.list_staff(safety, actor)
    return StaffList([StaffMember(user, role) for user, role in sorted(found.items())])


@put(
    "/staff/{userId:str}",
    operation_id="grantRole",
    summary="Grant a staff role",
    description="Replaces the account's role, if it has one. Takes effect at once, whatever the "
    "account's token says. The audit log records it.",
    response_description="The account and its role.",
    guards=[needs(Scope.ADMIN, Scope.SERVICE)],
    responses=refuses(
        PersonNotFound, AdminsOnly, NotToYourself, StillSuspended, StaffChanged, body=True
    ),
)
async def put_staff(
    user_id: UserIdInPath, data: JSONBody[NewStaffRole], actor: Caller, safety: TheSafety
) -> StaffMember:
    account = await granting.grant(safety, actor, user_id, data.role, data.note)
    return StaffMember(account.id, account.staff_role)


@delete(
    "/staff/{userId:str}",
    operation_id="revokeRole",
    summary="Revoke a staff role",
    description="Takes effect at once, also for tokens that are still valid. The audit log records "
    "it. Admins may revoke their own role.",
    response_description="The account, without a role.",
    status_code=200,
    guards=[needs(Scope.ADMIN, Scope.SERVICE)],
    responses=refuses(PersonNotFound, AdminsOnly, NotStaff, StaffChanged),
)
async def delete_staff(
    user_id: UserIdInPath,
    actor: Caller,
    safety: TheSafety,
    note: Annotated[
        str, QueryParameter(max_length=MAX_NOTE, description="A note for the audit log.")
    ] = "",
) -> StaffMember:
    account = await granting.revoke(safety, actor, user_id, note)
    return StaffMember(account.id, account.staff_role)


@post(
    "/moderation/people/{userId:str}/reinstate",
    operation_id="reinstate",
    summary="Lift a suspension",
    description="The account may sign in again at once. The person gets a notice, and the audit "
    "log records it. Moderators reinstate users; admins and services reinstate anyone.",
    response_description="The entry in the audit log.",
    status_code=200,
    guards=[needs(Scope.MODERATOR, Scope.SERVICE)],
    responses=refuses(
        PersonNotFound,
        ModeratorsOnly,
        AdminsOnly,
        NotToYourself,
        NotSuspended,
        StaffChanged,
        InvalidDecision,
        body=True,
    ),
)
async def reinstate(
    user_id: UserIdInPath, data: JSONBody[NewReinstatement], actor: Caller, safety: TheSafety
) -> Entry:
    return entry_shape(
        await lift(safety, actor, user_id, reason=data.reason.strip(), note=data.note.strip())
    )


routes = Router(
    "/v1",
    route_handlers=[get_staff, put_staff, delete_staff, reinstate],
    security=BEARER,
    tags=["moderation"],
    request_max_body_size=MOST_BYTES,
)
