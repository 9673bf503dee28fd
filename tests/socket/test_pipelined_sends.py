"""A client that sends into a thread without waiting, on a slow store."""

import random
from collections import Counter
from pathlib import Path

from greenroom.app import TABLES
from greenroom.clock import SystemClock
from greenroom.messaging.batcher import MAX_BATCH_WRITES
from greenroom.store.problems import StoreUnavailable
from tests.messaging.test_lost_answers import Stuck
from tests.remote_store import Network, RemoteStore
from tests.socket.client import sending
from tests.socket.node import CAST, node_on
from tests.stores import SQLITE, fresh_store

MANY = 2 * MAX_BATCH_WRITES


async def test_messages_that_wait_for_a_slow_store_are_written_together(tmp_path: Path) -> None:
    clock, network = SystemClock(), Network(random.Random(1))
    async with (
        fresh_store(f"{SQLITE}{tmp_path}/node.db", TABLES, clock) as store,
        node_on(RemoteStore(store, network), clock) as node,
    ):
        await node.join(*CAST)
        thread = await node.talk("ana", "ben")
        async with await node.connect("ana") as ana, await node.connect("ben") as ben:
            network.seconds = 0.1
            network.transactions.clear()
            answers = [
                await ana.begin("send", **sending(thread, f"number {number}"))
                for number in range(MANY)
            ]
            acks = [await answer for answer in answers]
            assert Counter(ack["type"] for ack in acks) == {"ack": MANY}
            seqs = [ack["message"]["seq"] for ack in acks]
            assert seqs == list(range(seqs[0], seqs[0] + MANY))
            told = [one for one in await ben.events_so_far() if one["type"] == "message.created"]
            assert [one["message"]["seq"] for one in told] == seqs
    assert sum(network.transactions) == 2 * MANY + len(network.transactions)
    assert len(network.transactions) <= MANY / 8


async def test_later_messages_do_not_overtake_a_retry(tmp_path: Path) -> None:
    """On a store that keeps the order itself, so that nothing else waits."""
    clock = SystemClock()
    async with fresh_store(f"{SQLITE}{tmp_path}/node.db", TABLES, clock) as store:
        stuck = Stuck(store)
        async with node_on(stuck, clock) as node:  # type: ignore[arg-type]
            await node.join(*CAST)
            thread = await node.talk("ana", "ben")
            async with await node.connect("ana") as ana:
                stuck.loses, stuck.problem = True, StoreUnavailable("as told")
                first = await ana.begin("send", **sending(thread, "one", "a"))
                await stuck.reached.wait()
                names = [("one", "a"), ("two", "b"), ("three", "c")]
                rest = [await ana.begin("send", **sending(thread, *one)) for one in names]
                await ana.ask("ping")
                stuck.let.set()
                assert (await first)["type"] == "problem"
                seqs = [(await one)["message"]["seq"] for one in rest]
                assert seqs == sorted(seqs)
