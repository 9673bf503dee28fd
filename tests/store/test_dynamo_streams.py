"""The change feed on DynamoDB Streams with several shards, which DynamoDB Local does not have.

A script in front of it simulates the shards; tests/contracts follows the real stream.
"""

from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

from greenroom.clock import SystemClock
from greenroom.store.base import Change, Put
from greenroom.store.dynamo import DynamoStore, RetryPolicy, schema
from greenroom.store.dynamo.checkpoints import StreamCheckpoint
from greenroom.store.problems import CheckpointTooOld, InvalidCursor, NotFollowed
from tests.contracts.tables import ACCOUNTS, NOTES, note
from tests.fault_proxy import Answer, FaultProxy, Forward, fault_proxy, refusal
from tests.stores import fresh_tables

QUICK = RetryPolicy(attempts=3, first_delay=0.01)


class Script:
    """A stream: by shard its parent, its sequence numbers, and whether it has ended."""

    def __init__(self) -> None:
        self.shards: dict[str, tuple[str | None, list[int], bool]] = {}
        self.trimmed_before = 0
        self.expire_next = False

    async def describe(self, payload: dict[str, Any], forward: Forward) -> Answer:
        """Two shards to a page."""
        names = list(self.shards)
        start = payload.get("ExclusiveStartShardId")
        rest = names if start is None else names[names.index(start) + 1 :]
        shards = [
            {"ShardId": name, **({"ParentShardId": parent} if parent else {})}
            for name, (parent, _, _) in self.shards.items()
            if name in rest[:2]
        ]
        last = {"LastEvaluatedShardId": rest[1]} if len(rest) > 2 else {}
        return 200, {"StreamDescription": {"Shards": shards, **last}}

    async def iterator(self, payload: dict[str, Any], forward: Forward) -> Answer:
        after = int(payload.get("SequenceNumber", 0))
        if after and after < self.trimmed_before:
            return refusal("TrimmedDataAccessException")
        return 200, {"ShardIterator": f"{payload['ShardId']}/{after}"}

    async def records(self, payload: dict[str, Any], forward: Forward) -> Answer:
        if self.expire_next:
            self.expire_next = False
            return refusal("ExpiredIteratorException")
        name, _, after = payload["ShardIterator"].partition("/")
        _, numbers, ended = self.shards[name]
        found = [number for number in numbers if number > int(after)][:2]
        last = found[-1] if found else int(after)
        over = ended and last == max(numbers, default=0)
        following = {} if over else {"NextShardIterator": f"{name}/{last}"}
        return 200, {"Records": [_record(name, number) for number in found], **following}


def _record(shard: str, number: int) -> dict[str, Any]:
    keys: Mapping[str, Any] = {"pk": {"S": shard}, "sk": {"S": f"{number}"}}
    return {
        "dynamodb": {
            "ApproximateCreationDateTime": 1.0,
            "Keys": keys,
            "NewImage": keys,
            "SequenceNumber": f"{number:021}",
        }
    }


@pytest.fixture
async def proxied(dynamodb_url: str) -> AsyncIterator[tuple[DynamoStore, FaultProxy]]:
    target = dynamodb_url.removeprefix("dynamodb+").partition("?")[0]
    async with fault_proxy(target) as (proxy, place):
        url = f"dynamodb+http://{place}?region=local"
        async with fresh_tables(url, (NOTES, ACCOUNTS), SystemClock(), retry=QUICK) as store:
            yield store, proxy


@pytest.fixture
def store(proxied: tuple[DynamoStore, FaultProxy]) -> DynamoStore:
    return proxied[0]


@pytest.fixture
def script(proxied: tuple[DynamoStore, FaultProxy]) -> Script:
    script = Script()
    proxied[1].on("DescribeStream", *[script.describe] * 200)
    proxied[1].on("GetShardIterator", *[script.iterator] * 200)
    proxied[1].on("GetRecords", *[script.records] * 500)
    return script


async def read(store: DynamoStore, after: str | None = None) -> list[Change]:
    return [change async for change in store.changes(NOTES, after=after, follow=False)]


def sequence_of(changes: list[Change]) -> list[str]:
    return [f"{change.key.partition}{change.key.sort}" for change in changes]


async def test_a_shard_is_read_after_its_parent(store: DynamoStore, script: Script) -> None:
    script.shards = {
        "c": ("a", [6, 7], False),
        "a": (None, [1, 3, 5], True),
        "d": ("a", [8], True),
        "b": ("trimmed", [2, 4], False),
        "e": ("d", [9], False),
    }
    found = sequence_of(await read(store))
    assert sorted(found) == ["a1", "a3", "a5", "b2", "b4", "c6", "c7", "d8", "e9"]
    assert [name for name in found if name[0] in "ade"] == ["a1", "a3", "a5", "d8", "e9"]
    assert found.index("a5") < found.index("c6")


async def test_every_checkpoint_resumes_exactly(store: DynamoStore, script: Script) -> None:
    script.shards = {
        "a": (None, [1, 3], True),
        "b": (None, [2, 4], False),
        "c": ("a", [5, 6], True),
        "d": ("c", [], True),
        "e": ("d", [7], False),
    }
    whole = await read(store)
    assert len(whole) == 7
    for n, change in enumerate(whole):
        rest = sequence_of(await read(store, change.checkpoint))
        assert sorted(sequence_of(whole[: n + 1]) + rest) == sorted(sequence_of(whole))
    last = whole[-1].checkpoint
    script.shards |= {"b": (None, [2, 4, 8], True), "f": ("b", [9], False)}
    del script.shards["a"], script.shards["c"], script.shards["d"]
    assert sequence_of(await read(store, last)) == ["b8", "f9"]


async def test_a_second_child_that_shows_up_late_is_read(
    store: DynamoStore, script: Script
) -> None:
    script.shards = {"a": (None, [1], True), "b": ("a", [2], False)}
    last = (await read(store))[-1].checkpoint
    script.shards |= {"c": ("a", [3], False)}
    assert sequence_of(await read(store, last)) == ["c3"]


async def test_a_dropped_shard_is_reported(store: DynamoStore, script: Script) -> None:
    script.shards = {"a": (None, [1, 2, 3], False)}
    first = (await read(store))[0].checkpoint
    script.trimmed_before = 2
    with pytest.raises(CheckpointTooOld):
        await read(store, first)
    script.shards = {"b": ("a", [9], False)}
    with pytest.raises(CheckpointTooOld):
        await read(store, first)


async def test_an_expired_iterator_is_renewed(store: DynamoStore, script: Script) -> None:
    script.shards = {"a": (None, [1, 2, 3], False)}
    feed = store.changes(NOTES, follow=False)
    assert sequence_of([await anext(feed), await anext(feed)]) == ["a1", "a2"]
    script.expire_next = True
    assert sequence_of([change async for change in feed]) == ["a3"]


@pytest.mark.parametrize("checkpoint", ["", "x", "1", "kg", "é", "gaFh", "k6NhYmOBoWGheA"])
async def test_a_checkpoint_that_was_not_given_out_is_refused(
    store: DynamoStore, checkpoint: str
) -> None:
    with pytest.raises(InvalidCursor):
        await read(store, checkpoint)


@pytest.mark.parametrize("number", ["0", "9" * 50])
async def test_a_checkpoint_with_an_invalid_number_is_refused(
    store: DynamoStore, number: str
) -> None:
    await store.write(Put(NOTES, note()))
    (change,) = await read(store)
    places = StreamCheckpoint.parse(change.checkpoint)
    for shard in places.shards_to_read():
        places.advance(shard, number)
    with pytest.raises(InvalidCursor):
        await read(store, places.checkpoint())


async def test_a_table_without_a_stream_is_not_followed(store: DynamoStore) -> None:
    with pytest.raises(NotFollowed):
        await anext(aiter(store.changes(ACCOUNTS)))


async def test_a_checkpoint_of_a_recreated_table_is_too_old(store: DynamoStore) -> None:
    await store.write(Put(NOTES, note()))
    last = (await read(store))[-1].checkpoint
    sender, name = store._client.sender, store._client.name(NOTES)
    await sender.send("DeleteTable", {"TableName": name})
    await schema.create_missing(sender, (NOTES,), name.removesuffix("Notes"))
    with pytest.raises(CheckpointTooOld):
        await read(store, last)


async def test_the_newest_checkpoint_begins_with_the_shards_that_are_written(
    store: DynamoStore, script: Script
) -> None:
    script.shards = {
        "a": (None, [1, 3], True),
        "b": (None, [2], False),
        "c": ("a", [5], False),
    }
    newest = await store.checkpoint(NOTES)
    script.shards["b"] = (None, [2, 6], False)
    assert sorted(sequence_of(await read(store, newest))) == ["b2", "b6", "c5"]


async def test_shards_that_ended_without_changes_move_the_checkpoint(
    store: DynamoStore, script: Script
) -> None:
    script.shards = {"a": (None, [1], False)}
    (change,) = await read(store)
    script.shards = {"a": (None, [1], True), "b": ("a", [], True), "c": ("b", [], False)}
    moved: list[str] = []
    feed = store.changes(NOTES, after=change.checkpoint, follow=False, moved=moved.append)
    assert [c async for c in feed] == []
    script.shards = {"c": ("b", [7], False)}
    assert sequence_of(await read(store, moved[-1])) == ["c7"]
    with pytest.raises(CheckpointTooOld):
        await read(store, change.checkpoint)


async def test_a_finished_shard_whose_children_were_dropped_is_too_old(
    store: DynamoStore, script: Script
) -> None:
    script.shards = {"a": (None, [1], True)}
    moved: list[str] = []
    assert sequence_of(
        [c async for c in store.changes(NOTES, follow=False, moved=moved.append)]
    ) == ["a1"]
    script.shards = {"b": ("a", [2], True), "c": ("b", [3], False)}
    assert sequence_of(await read(store, moved[-1])) == ["b2", "c3"]
    script.shards = {"c": ("b", [3], False)}
    with pytest.raises(CheckpointTooOld):
        await read(store, moved[-1])


async def test_a_lost_branch_beside_one_that_was_read_is_too_old(
    store: DynamoStore, script: Script
) -> None:
    script.shards = {"a": (None, [1], True), "b": ("a", [2], False), "c": ("a", [], False)}
    last = (await read(store))[-1].checkpoint
    script.shards = {"b": ("a", [2, 5], False), "d": ("c", [6], False)}
    with pytest.raises(CheckpointTooOld):
        await read(store, last)
