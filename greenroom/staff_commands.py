"""Runs the staff commands, on the store or through the running server."""

import urllib.parse
from typing import TypeAlias

from greenroom import store_or_server, token_signing
from greenroom.api.composition import Contexts
from greenroom.ids import UserId
from greenroom.people import directory
from greenroom.people.actor import StaffRole, system
from greenroom.safety import Safety, grant as granting
from greenroom.safety.reinstate import reinstate as lift
from greenroom.settings import Settings
from greenroom.store_or_server import Server

StaffRow: TypeAlias = tuple[str, str, str]


async def grant(settings: Settings, user: str, role: StaffRole, note: str) -> UserId:
    user_id = await _resolve_user(settings, user)
    body = {"role": role.value, "note": note}
    await store_or_server.run(
        settings,
        lambda contexts: granting.grant(contexts[Safety], system(), user_id, role, note),
        lambda server: server.call("PUT", f"/v1/staff/{user_id}", body),
    )
    return user_id


async def revoke(settings: Settings, user: str, note: str) -> UserId:
    user_id = await _resolve_user(settings, user)
    quoted = urllib.parse.urlencode({"note": note})
    await store_or_server.run(
        settings,
        lambda contexts: granting.revoke(contexts[Safety], system(), user_id, note),
        lambda server: server.call("DELETE", f"/v1/staff/{user_id}?{quoted}"),
    )
    return user_id


async def reinstate(settings: Settings, user: str, reason: str, note: str) -> UserId:
    user_id = await _resolve_user(settings, user)
    path, body = f"/v1/moderation/people/{user_id}/reinstate", {"reason": reason, "note": note}
    await store_or_server.run(
        settings,
        lambda contexts: lift(contexts[Safety], system(), user_id, reason=reason, note=note),
        lambda server: server.call("POST", path, body),
    )
    return user_id


async def list_staff(settings: Settings) -> list[StaffRow]:
    """The role, username and id of every member of staff."""
    return sorted(await store_or_server.run(settings, _staff_in_store, _staff_of_server))


async def _staff_in_store(contexts: Contexts) -> list[StaffRow]:
    safety = contexts[Safety]
    roles = await granting.list_staff(safety, system())
    people = await directory.by_ids(safety.people, list(roles))
    return [(roles[one.id].value, one.username, one.id) for one in people]


async def _staff_of_server(server: Server) -> list[StaffRow]:
    staff = (await server.call("GET", "/v1/staff"))["staff"]
    names = await _usernames(server, [one["userId"] for one in staff])
    return [(one["role"], names.get(one["userId"], ""), one["userId"]) for one in staff]


async def _usernames(server: Server, ids: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for at in range(0, len(ids), directory.MAX_PAGE):
        query = "&".join(f"id={one}" for one in ids[at : at + directory.MAX_PAGE])
        page = await server.call("GET", f"/v1/people?{query}")
        found |= {one["userId"]: one["username"] for one in page["people"]}
    return found


async def _resolve_user(settings: Settings, user: str) -> UserId:
    return UserId(await token_signing.user_id(settings, user))
