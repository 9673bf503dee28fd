"""An existing DynamoDB table that differs from its declaration is refused or extended."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import msgspec
import pytest

from greenroom.clock import ManualClock
from greenroom.store.base import Put
from greenroom.store.dynamo import DynamoStore, RetryPolicy, schema
from greenroom.store.problems import NoSuchTable, StoreCorrupt, StoreUnavailable
from greenroom.store.tables import Index, Projection, Table
from tests.contracts.tables import BY_OWNER, BY_STATE, BY_TAG, NOTES, at, note
from tests.fault_proxy import Answer, FaultProxy, Forward, always, fault_proxy, refusal
from tests.stores import IN_2100_MS

QUICK = RetryPolicy(attempts=4, first_delay=0.01, longest_delay=0.05)
NEW = msgspec.structs.replace(NOTES, ttl="expiresAt")
BARE = Table("Notes", "As an older version made it")


@pytest.fixture
async def place(dynamodb_url: str) -> AsyncIterator[tuple[FaultProxy, str]]:
    """In a separate region: DynamoDB Local gives each region ten background threads, and a table
    with a TTL occupies one. Where other tests have seven such tables, no index is ever filled."""
    target = dynamodb_url.removeprefix("dynamodb+").partition("?")[0]
    async with fault_proxy(target) as (proxy, where):
        yield proxy, f"dynamodb+http://{where}?region=alone-{uuid4().hex[:8]}&prefix=old-"


@pytest.fixture
def url(place: tuple[FaultProxy, str]) -> str:
    return place[1]


@pytest.fixture
def proxy(place: tuple[FaultProxy, str]) -> FaultProxy:
    return place[0]


async def opened(url: str, *tables: Table, create: bool = True) -> DynamoStore:
    return await DynamoStore.open(
        url, tables, clock=ManualClock(IN_2100_MS), cursor_secret=b"s", create=create, retry=QUICK
    )


async def create_table(url: str, table: Table) -> None:
    async with await opened(url, table) as store:
        await store.write(Put(table, note(owner="ada", at="1", state="new", tag="t", title="T")))


async def send(url: str, action: str, **payload: Any) -> None:
    async with await opened(url) as store:
        await store._client.sender.send(action, {"TableName": store._client.name(NOTES), **payload})


async def refused(url: str, table: Table, *says: str, create: bool) -> None:
    with pytest.raises(StoreCorrupt) as refusal:
        await opened(url, table, create=create)
    assert "-Notes" in str(refusal.value), "the table is named as it is called there"
    for part in says:
        assert part in str(refusal.value)


async def test_a_table_as_declared_is_opened(url: str) -> None:
    await create_table(url, NEW)
    for create in (False, True):
        async with await opened(url, NEW, create=create) as store:
            assert await store.get(NEW, at(), consistent=True) is not None


async def test_a_missing_table_is_reported_at_open(url: str) -> None:
    with pytest.raises(NoSuchTable, match="Notes"):
        await opened(url, NOTES, create=False)


async def test_everything_missing_from_an_older_table_is_reported(url: str) -> None:
    await create_table(url, BARE)
    lacks = ("index ByOwner", "ByState", "ByTag", "stream", "expiresAt", "--create-tables")
    await refused(url, NEW, *lacks, create=False)


async def test_missing_parts_of_an_older_table_are_added_and_filled(url: str) -> None:
    await create_table(url, BARE)
    async with await opened(url, NEW) as store:
        for index, partition in ((BY_OWNER, "ada"), (BY_STATE, "new"), (BY_TAG, "t")):
            page = await store.query(NEW, partition, index=index, limit=9)
            assert [item["sk"] for item in page.items] == ["s"]
        await store.write(Put(NEW, note(sk="t")))
        found = [change.key.sort async for change in store.changes(NEW, follow=False)]
        assert found == ["t"]
        name = {"TableName": store._client.name(NEW)}
        answer = await store._client.sender.send("DescribeTimeToLive", name)
        assert answer["TimeToLiveDescription"]["AttributeName"] == "expiresAt"
    async with await opened(url, NEW, create=False):
        pass


async def test_several_nodes_add_missing_parts_once(url: str) -> None:
    await create_table(url, BARE)
    stores = await asyncio.gather(*(opened(url, NEW) for _ in range(3)))
    for store in stores:
        assert len((await store.query(NEW, "ada", index=BY_OWNER, limit=9)).items) == 1
        await store.close()


OTHER_KEYS = Index("ByOwner", "owner", None, Projection.ALL)
LESS = Index("ByOwner", "owner", "at", Projection.KEYS)
OTHERS = Index("ByTag", "tag", None, ("title",))


@pytest.mark.parametrize("create", [False, True])
@pytest.mark.parametrize(
    ("older", "says"),
    [
        (Table("Notes", "", partition="id"), ("keys are id, sk", "pk, sk")),
        (Table("Notes", "", sort=None), ("keys are pk", "pk, sk")),
        (Table("Notes", "", indexes=(OTHER_KEYS,)), ("index ByOwner", "owner, at")),
        (Table("Notes", "", indexes=(LESS,)), ("index ByOwner", "whole item")),
        (Table("Notes", "", indexes=(OTHERS,)), ("index ByTag", "carry seq")),
        (Table("Notes", "", ttl="until"), ("by until",)),
    ],
)
async def test_unfixable_differences_are_refused_and_nothing_is_changed(
    url: str, older: Table, says: tuple[str, ...], create: bool
) -> None:
    async with await opened(url, older):
        pass
    await refused(url, NEW, *says, create=create)
    async with await opened(url, older, create=False):
        pass


async def test_an_undeclared_ttl_is_reported(url: str) -> None:
    await create_table(url, NEW)
    await refused(url, NOTES, "its items expire by expiresAt", create=True)


async def test_a_stream_of_another_kind_is_refused(url: str) -> None:
    await create_table(url, BARE)
    view = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    await send(url, "UpdateTable", StreamSpecification=view)
    await refused(url, NEW, "KEYS_ONLY", create=True)


async def test_a_key_that_is_not_text_is_refused(url: str) -> None:
    request = schema.create_request(BARE, "")
    request["AttributeDefinitions"][0]["AttributeType"] = "N"
    del request["TableName"]
    await send(url, "CreateTable", **request)
    await refused(url, BARE, "pk", "N", create=True)


async def test_undeclared_extras_are_ignored(url: str) -> None:
    await create_table(url, msgspec.structs.replace(NOTES, indexes=(BY_OWNER, BY_TAG)))
    fewer = Table("Notes", "", indexes=(LESS,))
    for create in (False, True):
        async with await opened(url, fewer, create=create) as store:
            assert len((await store.query(fewer, "ada", index=LESS, limit=9)).items) == 1


async def test_an_index_that_is_being_filled_is_waited_for(url: str, proxy: FaultProxy) -> None:
    await create_table(url, NOTES)

    async def filling(payload: dict[str, Any], forward: Forward) -> Answer:
        status, answer = await forward(payload)
        answer["Table"]["GlobalSecondaryIndexes"][0]["IndexStatus"] = "CREATING"
        return status, answer

    proxy.on("DescribeTable", filling, filling)
    proxy.sent.clear()
    async with await opened(url, NOTES, create=False):
        assert proxy.sent.count("DescribeTable") == 3


async def test_an_index_that_takes_too_long_is_named(
    url: str, proxy: FaultProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    await create_table(url, NOTES)

    async def filling(payload: dict[str, Any], forward: Forward) -> Answer:
        status, answer = await forward(payload)
        for index in answer["Table"]["GlobalSecondaryIndexes"]:
            if index["IndexName"] == "ByTag":
                index["IndexStatus"] = "CREATING"
        return status, answer

    monkeypatch.setattr(schema, "_WAIT_SECONDS", 0.3)
    proxy.on("DescribeTable", *[filling] * 100)
    with pytest.raises(StoreUnavailable, match="ByTag"):
        await opened(url, NOTES)


async def test_a_refusal_to_add_is_reported_with_its_reason(url: str, proxy: FaultProxy) -> None:
    await create_table(url, BARE)
    proxy.on("UpdateTable", always(refusal("ValidationException")))
    await refused(url, NOTES, "index ByOwner", "simulated", create=True)
