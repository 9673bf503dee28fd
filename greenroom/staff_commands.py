"""Runs the staff commands: on the store, or over REST while a server has the store open.

Only one process can open a SQLite file. While a server has it open, the command calls that server,
whose address is in a file beside the database, with a service token that it signs itself.
"""

import asyncio
import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from greenroom import app, open_store, running, token_signing
from greenroom.api.problems import ServerRefused, ServerUnreachable
from greenroom.api.tokens import SharedSecret, TokensIssuedElsewhere
from greenroom.clock import SystemClock
from greenroom.ids import UserId
from greenroom.people import directory
from greenroom.people.actor import Scope, StaffRole, system
from greenroom.safety import Safety, grant as granting
from greenroom.safety.reinstate import reinstate as lift
from greenroom.settings import Settings, load_secret, variable_of
from greenroom.store.problems import StoreHeld

_SECONDS = 10
_NAME = "greenroom-cli"
Row: TypeAlias = tuple[str, str]


async def grant(settings: Settings, user: str, role: StaffRole, note: str) -> UserId:
    user_id = await _resolve_user(settings, user)
    body = {"role": role.value, "note": note}
    await _run(
        settings,
        lambda safety: granting.grant(safety, system(), user_id, role, note),
        ("PUT", f"/v1/staff/{user_id}", body),
    )
    return user_id


async def revoke(settings: Settings, user: str, note: str) -> UserId:
    user_id = await _resolve_user(settings, user)
    quoted = urllib.parse.urlencode({"note": note})
    await _run(
        settings,
        lambda safety: granting.revoke(safety, system(), user_id, note),
        ("DELETE", f"/v1/staff/{user_id}?{quoted}", None),
    )
    return user_id


async def reinstate(settings: Settings, user: str, reason: str, note: str) -> UserId:
    user_id = await _resolve_user(settings, user)
    body = {"reason": reason, "note": note}
    await _run(
        settings,
        lambda safety: lift(safety, system(), user_id, reason=reason, note=note),
        ("POST", f"/v1/moderation/people/{user_id}/reinstate", body),
    )
    return user_id


async def list_staff(settings: Settings) -> list[tuple[str, str, str]]:
    """The role, username and id of every member of staff."""

    async def read(safety: Safety) -> list[tuple[str, str, str]]:
        roles = await granting.list_staff(safety, system())
        people = await directory.by_ids(safety.people, list(roles))
        return [(roles[one.id].value, one.username, one.id) for one in people]

    found = await _run(settings, read, ("GET", "/v1/staff", None))
    if isinstance(found, dict):
        roles = {one["userId"]: one["role"] for one in found["staff"]}
        names = dict(await _usernames(settings, list(roles)))
        found = [(role, names.get(user, ""), user) for user, role in roles.items()]
    return sorted(found)


async def _run(
    settings: Settings,
    act: Callable[[Safety], Awaitable[Any]],
    request: tuple[str, str, dict[str, str] | None],
) -> Any:
    clock = SystemClock()
    try:
        async with open_store.opened(settings, clock, create_tables=False) as store:
            secret = load_secret(settings)
            return await act(app.compose(store, clock, secret, settings=settings)[Safety])
    except StoreHeld:
        return await asyncio.to_thread(_call_server, settings, *request)


async def _resolve_user(settings: Settings, user: str) -> UserId:
    return UserId(await token_signing.user_id(settings, user))


async def _usernames(settings: Settings, ids: list[str]) -> list[Row]:
    found: list[Row] = []
    for at in range(0, len(ids), directory.MAX_PAGE):
        query = "&".join(f"id={one}" for one in ids[at : at + directory.MAX_PAGE])
        page = await asyncio.to_thread(_call_server, settings, "GET", f"/v1/people?{query}", None)
        found += [(one["userId"], one["username"]) for one in page["people"]]
    return found


def _call_server(settings: Settings, method: str, path: str, body: dict[str, str] | None) -> Any:
    address = running.address_beside(open_store.sqlite_path(settings)) or _configured_address(
        settings
    )
    request = urllib.request.Request(
        address + path,
        None if body is None else json.dumps(body).encode(),
        {"Authorization": f"Bearer {_token(settings)}", "Content-Type": "application/json"},
        method=method,
    )
    try:
        with urllib.request.urlopen(request, timeout=_SECONDS) as answer:
            return json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as refusal:
        raise ServerRefused(_detail(refusal.read())) from None
    except OSError:
        raise ServerUnreachable(address) from None


def _configured_address(settings: Settings) -> str:
    """The server's address by the settings, if there is no file with it."""
    host = "127.0.0.1" if settings.host in ("0.0.0.0", "::") else settings.host
    return f"http://{host}:{settings.port}"


def _detail(body: bytes) -> str:
    try:
        return str(json.loads(body).get("detail", "it gave no reason")).rstrip(".")
    except ValueError:
        return "its answer cannot be read"


def _token(settings: Settings) -> str:
    clock = SystemClock()
    signed = token_signing.signature(settings, clock)
    if not isinstance(signed, SharedSecret):
        raise TokensIssuedElsewhere(variable_of("jwks_url"))
    return token_signing.sign_for(settings, clock, signed, _NAME, [Scope.SERVICE], _SECONDS * 6)
