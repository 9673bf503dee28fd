"""Rebuilds a follower's result from its table, while people go on writing.

    checkpoint of now ──> scan of the whole table ──> removal of results without a source
                                                      └──> follows the feed from that checkpoint

Whatever is written during the scan is in the feed after the checkpoint, so nothing is missed; what
both have seen is written twice, which is why a follower's `rebuild` has to converge. The scan's
cursor is kept in the follower's state: a rebuild that is killed goes on where it was.

What was set aside before is dropped: the scan reads the items as they stand.
"""

import logging
from collections.abc import Sequence

import msgspec

from greenroom.background.batch_writer import BatchWriter, within
from greenroom.background.follower import Follower, Result
from greenroom.background.models import FollowerState, Stage
from greenroom.background.progress import (
    Progress,
    StateChanged,
    create,
    load_state,
    save,
    some_set_aside,
    with_set_aside,
)
from greenroom.background.records import drop_set_aside
from greenroom.clock import Clock
from greenroom.store.base import Change, Delete, Key, Op, Store
from greenroom.store.expressions import F
from greenroom.store.tables import Table
from greenroom.store.values import Item

_PAGE = 100
_log = logging.getLogger(__name__)


async def request_rebuild(store: Store, follower: Follower) -> None:
    """The node that leases the follower rebuilds it, and goes on following after that."""
    while True:
        checkpoint = await store.checkpoint(follower.table)
        state = await load_state(store, follower.name)
        try:
            if state is None:
                await create(store, follower.name, Stage.CLEARING, checkpoint)
            else:
                await save(store, state, _begun(state, checkpoint))
        except StateChanged:
            continue
        _log.debug("a rebuild of %s was requested", follower.name)
        return


def _begun(state: FollowerState, checkpoint: str) -> FollowerState:
    return msgspec.structs.replace(
        state, stage=Stage.CLEARING, checkpoint=checkpoint, cursor=None, sweep=0
    )


class Rebuild:
    """Goes on with a rebuild from where its state is."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        follower: Follower,
        writer: BatchWriter,
        progress: Progress,
    ) -> None:
        self._store = store
        self._clock = clock
        self._follower = follower
        self._writer = writer
        self._state = progress.state

    async def run(self) -> None:
        while self._state.stage.is_rebuild:
            match self._state.stage:
                case Stage.CLEARING:
                    await self._clear()
                case Stage.SCANNING:
                    await self._scan()
                case Stage.SWEEPING:
                    await self._sweep()
        _log.debug("%s is rebuilt, and follows the changes since", self._follower.name)

    async def _clear(self) -> None:
        asides = await some_set_aside(self._store, self._follower.name)
        if not asides:
            stage = Stage.FOLLOWING if self._follower.rebuild is None else Stage.SCANNING
            await self._save(stage=stage, set_aside=0)
            return
        drops = [drop_set_aside(self._follower.name, aside.number) for aside in asides]
        left = max(0, self._state.set_aside - len(drops))
        await self._save(*drops, set_aside=left)

    async def _scan(self) -> None:
        page = await self._store.scan(
            self._follower.table, limit=_PAGE, cursor=self._state.cursor, consistent=True
        )
        await self._writer.write_all(page.items, self._write_items, self._set_aside)
        following = page.next
        stage = Stage.SCANNING if following is not None else Stage.SWEEPING
        await self._save(stage=stage, cursor=following)

    async def _write_items(self, items: Sequence[Item]) -> None:
        assert self._follower.rebuild is not None
        ops = await within(self._follower.seconds, self._follower.rebuild(items))
        if ops:
            await self._save(*ops)

    async def _set_aside(self, item: Item, error: str) -> None:
        now_ms = self._clock.now_ms()
        table = self._follower.table
        change = Change(table.name, key_in(table, item), None, item, now_ms, "")
        state, ops = with_set_aside(self._state, [(change, error)], now_ms, is_rebuild=True)
        self._state = await save(self._store, self._state, state, *ops)

    async def _sweep(self) -> None:
        results = self._follower.results
        if self._state.sweep >= len(results):
            await self._save(stage=Stage.FOLLOWING, cursor=None)
            return
        result = results[self._state.sweep]
        page = await self._store.scan(
            result.table, limit=_PAGE // 2, cursor=self._state.cursor, consistent=True
        )
        orphans = await orphans_in(self._store, self._follower.table, result, page.items)
        following = page.next
        sweep = self._state.sweep if following is not None else self._state.sweep + 1
        removals = [_removal(result.table, item) for item in orphans]
        await self._save(*removals, cursor=following, sweep=sweep)

    async def _save(self, *ops: Op, **changed: object) -> None:
        after = msgspec.structs.replace(self._state, **changed)
        self._state = await save(self._store, self._state, after, *ops)


def key_in(table: Table, item: Item) -> Key:
    return Key(*(str(item[name]) for name in table.key_names))


def _removal(table: Table, item: Item) -> Delete:
    return Delete(table, key_in(table, item), F(table.partition).exists())


async def orphans_in(
    store: Store, table: Table, result: Result, items: Sequence[Item]
) -> list[Item]:
    """Results whose item is gone from the table that is followed."""
    sources = [(item, result.source(item)) for item in items]
    keys = [key for _, key in sources if key is not None]
    found = await store.batch_get(table, keys, consistent=True) if keys else {}
    return [item for item, key in sources if key is not None and key not in found]
