"""Shows and repairs background work for the command line.

What only reads does so on the store, also beside a server that has a SQLite file open. What writes
is done on the store or through that server.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import cast
from urllib.parse import quote

from greenroom import open_store, policy_file, store_or_server
from greenroom.api.composition import Contexts
from greenroom.api.problems import ServerRefused
from greenroom.api.registry import Registry
from greenroom.app import compose
from greenroom.background import compare as comparing, repair, set_aside, status as reading
from greenroom.background.compare import Comparison
from greenroom.background.follower import Follower
from greenroom.background.models import SetAside, TimerRow
from greenroom.background.problems import (
    ChangeNotSetAside,
    NotComparable,
    TimerKindNotFound,
    TimerNotSetAside,
)
from greenroom.background.progress import all_set_aside
from greenroom.background.repair import Background
from greenroom.background.set_aside import Replay
from greenroom.background.status import Status
from greenroom.clock import SystemClock
from greenroom.settings import Settings
from greenroom.store.base import Key, Store
from greenroom.store_or_server import Server

MAX_TIMERS = 10_000
"""Timers that one command replays."""
_REPLAY_SECONDS = 300
_SECRET = b"none: nothing is signed with it"


async def status(settings: Settings, registry: Registry) -> Status:
    async with _opened(settings, registry) as found:
        return await reading.read_status(found.store, found.clock.now_ms(), found.followers())


async def follower_named(settings: Settings, registry: Registry, name: str) -> Follower:
    async with _opened(settings, registry) as found:
        return repair.follower_named(found, name)


async def compare(settings: Settings, registry: Registry, name: str) -> Comparison:
    async with _opened(settings, registry) as found:
        follower = repair.follower_named(found, name)
        if follower.compare is None and not follower.results:
            raise NotComparable(name)
        return await comparing.compare(found.store, follower)


async def changes_set_aside(
    settings: Settings, registry: Registry, name: str | None, most: int
) -> dict[str, list[SetAside]]:
    """By follower: the oldest changes of each, or of one."""
    async with _opened(settings, registry) as found:
        if name is not None:
            repair.follower_named(found, name)
        names = [name] if name is not None else [one.name for one in found.followers()]
        return {one: await set_aside.list_changes(found.store, one, most=most) for one in names}


async def change_set_aside(
    settings: Settings, registry: Registry, name: str, number: int
) -> SetAside:
    async with _opened(settings, registry) as found:
        repair.follower_named(found, name)
        async for aside in all_set_aside(found.store, name):
            if aside.number == number:
                return aside
    raise ChangeNotSetAside(name, number)


async def timers_set_aside(
    settings: Settings, registry: Registry, kind: str | None, most: int
) -> list[TimerRow]:
    async with _opened(settings, registry) as found:
        rows = await set_aside.list_timers(found.store, kind, most=most)
        if kind is not None and not rows:
            repair.check_kind(found, kind)
        return rows


async def rebuild(settings: Settings, registry: Registry, name: str) -> bool:
    """Whether a node is running that works on the follower, or soon will."""
    await store_or_server.run(
        settings,
        lambda contexts: repair.rebuild(contexts[Background], name),
        lambda server: server.call("POST", f"{_path(name)}/rebuild"),
        registry,
    )
    async with _opened(settings, registry) as found:
        return bool(await reading.node_status(found.store, found.clock.now_ms()))


async def replay_change(settings: Settings, registry: Registry, name: str, number: int) -> Replay:
    """With all other changes of its item."""
    return await store_or_server.run(
        settings,
        lambda contexts: repair.replay_change(contexts[Background], name, number),
        lambda server: _replay(server, name, number),
        registry,
    )


async def replay_all_changes(settings: Settings, registry: Registry, name: str) -> Replay:
    async def on_store(contexts: Contexts) -> Replay:
        found = contexts[Background]
        return await set_aside.replay_changes(found.store, repair.follower_named(found, name))

    async def on_server(server: Server) -> Replay:
        async with _opened(settings, registry) as found:
            repair.follower_named(found, name)
            numbers = await _first_numbers(found.store, name)
        replayed, errors = 0, []
        for number in numbers:
            try:
                done = await _replay(server, name, number)
            except ServerRefused as refusal:  # somebody else has replayed or dropped it, perhaps
                done = Replay(0, str(refusal))
            replayed += done.replayed
            errors += [done.error] if done.error else []
        return Replay(replayed, "; ".join(errors))

    return await store_or_server.run(settings, on_store, on_server, registry)


async def _first_numbers(store: Store, name: str) -> list[int]:
    """Of each item, the first change that is set aside."""
    first: dict[Key, int] = {}
    async for aside in all_set_aside(store, name):
        first.setdefault(aside.change.key, aside.number)
    return list(first.values())


async def _replay(server: Server, name: str, number: int) -> Replay:
    path = f"{_path(name)}/set-aside/{number}/replay"
    done = await server.call("POST", path, seconds=_REPLAY_SECONDS)
    return Replay(done["replayed"], done["error"])


async def drop_change(settings: Settings, registry: Registry, name: str, number: int) -> None:
    await store_or_server.run(
        settings,
        lambda contexts: repair.drop_change(contexts[Background], name, number),
        lambda server: server.call("DELETE", f"{_path(name)}/set-aside/{number}"),
        registry,
    )


async def replay_timer(settings: Settings, registry: Registry, kind: str, id: str) -> None:
    await store_or_server.run(
        settings,
        lambda contexts: repair.replay_timer(contexts[Background], kind, id),
        lambda server: _replay_timer(server, kind, id),
        registry,
    )


async def _replay_timer(server: Server, kind: str, id: str) -> None:
    await server.call("POST", "/v1/background/timers/replay", {"kind": kind, "timerId": id})


async def replay_timers(
    settings: Settings, registry: Registry, timers: Sequence[tuple[str, str]]
) -> Replay:
    """Each by its kind and id. Goes on after one that is refused."""

    async def on_store(contexts: Contexts) -> Replay:
        found = contexts[Background]
        return await _each(timers, lambda kind, id: repair.replay_timer(found, kind, id))

    async def on_server(server: Server) -> Replay:
        return await _each(timers, lambda kind, id: _replay_timer(server, kind, id))

    return await store_or_server.run(settings, on_store, on_server, registry)


async def _each(
    timers: Sequence[tuple[str, str]], replay: Callable[[str, str], Awaitable[object]]
) -> Replay:
    replayed, errors = 0, []
    for kind, id in timers:
        try:
            await replay(kind, id)
            replayed += 1
        except (TimerNotSetAside, TimerKindNotFound, ServerRefused) as refusal:
            errors.append(str(refusal))
    return Replay(replayed, " ".join(errors))


async def drop_timer(settings: Settings, registry: Registry, kind: str, id: str) -> None:
    body = {"kind": kind, "timerId": id}
    await store_or_server.run(
        settings,
        lambda contexts: repair.drop_timer(contexts[Background], kind, id),
        lambda server: server.call("POST", "/v1/background/timers/drop", body),
        registry,
    )


def _path(follower: str) -> str:
    return f"/v1/background/followers/{quote(follower, safe='')}"


@asynccontextmanager
async def _opened(settings: Settings, registry: Registry) -> AsyncIterator[Background]:
    """For reading only."""
    clock = SystemClock()
    async with open_store.opened_to_read(settings, clock, registry.tables) as store:
        policy = policy_file.read(registry.policy, settings.policy)
        contexts = compose(
            cast(Store, store), clock, _SECRET, settings=settings, policy=policy, registry=registry
        )
        yield contexts[Background]
