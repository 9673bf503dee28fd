"""Runs a command on the store, or over REST while a server has the store open.

Only one process can open a SQLite file. While a server has it open, the command calls that server,
whose address is in a file beside the database, with a service token that it signs itself.
"""

import asyncio
import json
import time
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from greenroom import open_store, policy_file, server_address, token_signing
from greenroom.api.composition import Contexts
from greenroom.api.problems import ServerRefused, ServerUnreachable
from greenroom.api.registry import Registry
from greenroom.api.tokens import SharedSecret, TokensIssuedElsewhere
from greenroom.app import REGISTRY, compose
from greenroom.clock import SystemClock
from greenroom.open_sql import opened_sql
from greenroom.people.actor import Scope
from greenroom.settings import Settings, load_secret, variable_of
from greenroom.store.problems import StoreHeld

_SECONDS = 10
_TOKEN_SECONDS = 60
_TOO_MANY = 429
_NAME = "greenroom-cli"
_T = TypeVar("_T")


class Server:
    """The server that has the store open."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        path = open_store.sqlite_path(settings)
        self._address = server_address.address_beside(path) or _configured_address(settings)

    async def call(
        self,
        method: str,
        path: str,
        body: Mapping[str, str] | None = None,
        *,
        seconds: float = _SECONDS,
    ) -> Any:
        """The answer's JSON, or None. Waits if there were too many calls."""
        return await asyncio.to_thread(self._call, method, path, body, seconds)

    def _call(self, method: str, path: str, body: Mapping[str, str] | None, seconds: float) -> Any:
        request = urllib.request.Request(
            self._address + path,
            None if body is None else json.dumps(body).encode(),
            {"Authorization": f"Bearer {self._token()}", "Content-Type": "application/json"},
            method=method,
        )
        try:
            with urllib.request.urlopen(request, timeout=seconds) as answer:
                return json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as refusal:
            if refusal.code != _TOO_MANY:
                raise ServerRefused(_detail(refusal.read())) from None
            time.sleep(int(refusal.headers.get("Retry-After", "1")))
            return self._call(method, path, body, seconds)
        except OSError:
            raise ServerUnreachable(self._address) from None

    def _token(self) -> str:
        clock = SystemClock()
        signed = token_signing.signature(self._settings, clock)
        if not isinstance(signed, SharedSecret):
            raise TokensIssuedElsewhere(variable_of("jwks_url"))
        scopes = [Scope.SERVICE]
        return token_signing.sign_for(self._settings, clock, signed, _NAME, scopes, _TOKEN_SECONDS)


async def run(
    settings: Settings,
    on_store: Callable[[Contexts], Awaitable[_T]],
    on_server: Callable[[Server], Awaitable[_T]],
    registry: Registry = REGISTRY,
) -> _T:
    open_store.check_exists(settings)
    clock, policy = SystemClock(), policy_file.read(registry.policy, settings.policy)
    try:
        async with (
            open_store.opened(
                settings, clock, create_tables=False, tables=registry.tables
            ) as store,
            opened_sql(settings, create_tables=False, schemas=registry.sql_schemas) as sql,
        ):
            contexts = compose(
                store,
                clock,
                load_secret(settings),
                sql=sql,
                settings=settings,
                policy=policy,
                registry=registry,
            )
            return await on_store(contexts)
    except StoreHeld:
        return await on_server(Server(settings))


def _configured_address(settings: Settings) -> str:
    """The server's address by the settings, if there is no file with it."""
    host = "127.0.0.1" if settings.host in ("0.0.0.0", "::") else settings.host
    return f"http://{host}:{settings.port}"


def _detail(body: bytes) -> str:
    try:
        return str(json.loads(body).get("detail", "it gave no reason")).rstrip(".")
    except ValueError:
        return "its answer cannot be read"
