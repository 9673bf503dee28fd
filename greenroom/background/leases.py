"""Shares work among the nodes of a cluster: each piece is leased by one node at a time.

A node renews one item of its own every `RENEW_MS`; its leases hold for as long as that item does,
so that holding many costs no more than holding one. A node that has not renewed for `NODE_MS` is
taken for dead, and the others divide its leases among themselves.

Careful: a lease says who works, not who may write. A node that was paused may still be at work
after its lease went to another one. Whatever it writes has to be conditional on what it read: a
timer's row, a follower's version.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence, Set as AbstractSet
from contextlib import suppress
from math import ceil
from zlib import crc32

from msgspec import Struct

from greenroom.background.models import Lease
from greenroom.background.records import (
    BACKGROUND,
    LEASES,
    NODES,
    lease_of,
    node_item,
    put_lease,
)
from greenroom.clock import Clock
from greenroom.store.base import Delete, Key, Put, Store
from greenroom.store.expressions import F
from greenroom.store.problems import ConditionFailed
from greenroom.store.values import Item

RENEW_MS = 1_000
NODE_MS = 3_000
_MAX_LEASES = 1000
_log = logging.getLogger(__name__)


class Share(Struct, frozen=True):
    """What a node is to do about its leases."""

    take: tuple[str, ...]
    give_up: tuple[str, ...]


def fair_share(
    names: Sequence[str], leases: Mapping[str, Lease], live: AbstractSet[str], node: str
) -> Share:
    """No node has more than its part of the names, rounded up."""
    most = ceil(len(names) / len(live | {node}))
    mine = [name for name in names if name in leases and leases[name].owner == node]
    free = [name for name in names if name not in leases or leases[name].owner not in live]
    free = [name for name in free if name not in mine]
    start = crc32(node.encode()) % len(free) if free else 0  # else all reach for the same
    free = free[start:] + free[:start]
    return Share(tuple(free[: max(0, most - len(mine))]), tuple(mine[most:]))


async def read_nodes(store: Store) -> tuple[Item, ...]:
    """The items of all nodes, also of dead ones that nobody has removed yet."""
    return (await store.query(BACKGROUND, NODES, limit=_MAX_LEASES, consistent=True)).items


def is_live(node: Item, now_ms: int) -> bool:
    """Until its time is over. A time further ahead than any node writes is from before the clock
    was set back."""
    return 0 < int(str(node["untilMs"])) - now_ms <= 2 * NODE_MS


async def read_leases(store: Store) -> dict[str, Lease]:
    page = await store.query(BACKGROUND, LEASES, limit=_MAX_LEASES, consistent=True)
    return {str(item["sk"]): lease_of(item) for item in page.items}


class LeaseKeeper:
    """The leases of one node. `names` are given by group: each group is shared on its own."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        node: str,
        groups: Sequence[Sequence[str]],
        *,
        finish: Callable[[str], Awaitable[None]] | None = None,
        is_alone: bool = False,
    ) -> None:
        """`node` is a name that no other process has, nor had. `finish` ends the work on a lease
        before it is given up. `is_alone`: no other process can have the store open, so that every
        other node in it is dead."""
        self._store = store
        self._clock = clock
        self.node = node
        self._groups = groups
        self._finish = finish
        self._is_alone = is_alone
        self._leases: dict[str, Lease] = {}
        self._until_ms = 0
        self._leaving: dict[str, asyncio.Task[None]] = {}

    def holds(self, name: str) -> bool:
        return name in self._leases and name not in self._leaving and self._is_live()

    def held(self) -> frozenset[str]:
        return frozenset(name for name in self._leases if self.holds(name))

    def _is_live(self) -> bool:
        return self._clock.now_ms() < self._until_ms

    async def renew(self) -> None:
        """To be called every `RENEW_MS`: renews this node, and takes and gives up leases."""
        until_ms = self._clock.now_ms() + NODE_MS
        await self._store.write(Put(BACKGROUND, node_item(self.node, until_ms)))
        self._until_ms = until_ms
        live = await self._live_nodes()
        leases = await read_leases(self._store)
        self._leases = {name: lease for name, lease in leases.items() if lease.owner == self.node}
        for names in self._groups:
            share = fair_share(names, leases, live, self.node)
            for name in share.take:
                await self._take(name, leases.get(name))
            for name in share.give_up:
                self._give_up(self._leases[name])

    async def leave(self) -> None:
        """Gives up everything at once: other nodes take it with their next renewal."""
        for task in list(self._leaving.values()):
            task.cancel()
        await asyncio.gather(*self._leaving.values(), return_exceptions=True)
        self._leases, self._until_ms = {}, 0
        await self._store.write(Delete(BACKGROUND, Key(NODES, self.node)))

    async def _take(self, name: str, before: Lease | None) -> None:
        lease = Lease(name, self.node, 1 if before is None else before.version + 1)
        with suppress(ConditionFailed):  # another node was quicker
            await self._store.write(put_lease(lease, before))
            self._leases[name] = lease
            _log.debug("node %s takes %s", self.node, name)

    def _give_up(self, lease: Lease) -> None:
        if lease.name not in self._leaving:
            task = asyncio.create_task(self._finish_and_release(lease))
            self._leaving[lease.name] = task
            task.add_done_callback(lambda _: self._leaving.pop(lease.name, None))

    async def _finish_and_release(self, lease: Lease) -> None:
        if self._finish is not None:
            await self._finish(lease.name)
        with suppress(ConditionFailed):  # another node has taken it in the meantime
            await self._store.write(put_lease(Lease(lease.name, "", lease.version + 1), lease))
        self._leases.pop(lease.name, None)
        _log.debug("node %s gives up %s", self.node, lease.name)

    async def _live_nodes(self) -> frozenset[str]:
        nodes, now_ms = await read_nodes(self._store), self._clock.now_ms()
        others = () if self._is_alone else nodes
        live = {str(item["sk"]) for item in others if is_live(item, now_ms)} | {self.node}
        for item in nodes:
            if str(item["sk"]) not in live:
                await self._forget(item)
        return frozenset(live)

    async def _forget(self, item: Item) -> None:
        key = Key(NODES, str(item["sk"]))
        with suppress(ConditionFailed):
            await self._store.write(Delete(BACKGROUND, key, F("untilMs").equals(item["untilMs"])))
