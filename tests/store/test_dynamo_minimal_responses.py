"""The DynamoDB engine on responses with no more than AWS guarantees.

AWS omits empty parts: `Attributes` of an update that created nothing, `Item` of a refusal without
an item, `Message` of a reason. DynamoDB Local often includes them. The server here stands for AWS
and sends the responses below over a real connection.
"""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from greenroom.clock import ManualClock
from greenroom.store.base import Check, Delete, Key, Put, Update
from greenroom.store.dynamo import DynamoStore
from greenroom.store.dynamo.errors import UnexpectedError
from greenroom.store.expressions import F
from greenroom.store.problems import ConditionFailed, InvalidUpdate, NotFollowed
from tests.contracts.tables import ACCOUNTS, NOTES, TABLES, VISITS, at, note
from tests.fault_proxy import FaultProxy, always, fault_proxy, refusal
from tests.stores import IN_2100_MS, SECRET

BILL: dict[str, Any] = {
    "TableName": "Notes",
    "CapacityUnits": 1.0,
    "Table": {"CapacityUnits": 1.0},
}
REMOVES = Update(NOTES, at(), (F("a").remove(),))


@pytest.fixture
async def aws() -> AsyncIterator[tuple[FaultProxy, DynamoStore]]:
    async with fault_proxy("http://127.0.0.1:9/") as (server, place):
        server.otherwise = always((200, {}))
        store = await DynamoStore.open(
            f"dynamodb+http://{place}?region=local",
            TABLES,
            clock=ManualClock(IN_2100_MS),
            cursor_secret=SECRET,
            check=False,
        )
        async with store:
            yield server, store


async def test_an_update_that_created_nothing(aws: tuple[FaultProxy, DynamoStore]) -> None:
    server, store = aws
    server.on("UpdateItem", always((200, {"ConsumedCapacity": BILL})))
    with store.counting() as cost:
        assert await store.write(REMOVES) is None
    assert cost.write_units == 1
    assert server.sent == ["UpdateItem"]


async def test_an_update_that_created_nothing_in_a_transaction(
    aws: tuple[FaultProxy, DynamoStore],
) -> None:
    server, store = aws
    assert await store.write(REMOVES, token="a") is None
    assert await store.write(REMOVES, Put(NOTES, note(sk="t"))) is None
    assert server.sent == ["TransactWriteItems", "GetItem", "TransactWriteItems"]


async def test_every_call_on_missing_items(aws: tuple[FaultProxy, DynamoStore]) -> None:
    _, store = aws
    for table, key in ((NOTES, at()), (ACCOUNTS, Key("ada")), (VISITS, at())):
        assert await store.get(table, key) is None
        assert await store.batch_get(table, [key]) == {}
        page = await store.query(table, "p", limit=9)
        assert (page.items, page.next) == ((), None)
        item = dict(zip(table.key_names, ("p", "s"), strict=False))
        for op in (
            Put(table, item),
            Update(table, key, (F("a").remove(),), F("a").absent()),
            Delete(table, key),
        ):
            assert await store.write(op) is None
            assert await store.write(op, token="t") is None
            assert await store.write(op, Check(NOTES, at(sk="c"), F("pk").absent())) is None


async def test_a_refusal_without_an_item(aws: tuple[FaultProxy, DynamoStore]) -> None:
    server, store = aws
    for action, op in (
        ("PutItem", Put(NOTES, note(), F("pk").exists())),
        ("UpdateItem", Update(VISITS, at(), (F("a").remove(),), F("pk").exists())),
        ("DeleteItem", Delete(VISITS, at(), F("pk").exists())),
    ):
        server.on(action, always(refusal("ConditionalCheckFailedException")))
        with pytest.raises(ConditionFailed) as refused:
            await store.write(op)
        assert refused.value.item is None


def cancelled(*reasons: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    status, body = refusal("TransactionCanceledException")
    return status, {**body, "CancellationReasons": list(reasons)}


async def test_cancellation_reasons_without_a_message(aws: tuple[FaultProxy, DynamoStore]) -> None:
    server, store = aws
    ops = (REMOVES, Check(NOTES, at(sk="c"), F("pk").exists()))
    server.on(
        "TransactWriteItems",
        always(cancelled({"Code": "None"}, {"Code": "ConditionalCheckFailed", "Message": None})),
    )
    with pytest.raises(ConditionFailed) as refused:
        await store.write(*ops)
    assert [(failure.op, failure.item) for failure in refused.value.failed] == [(ops[1], None)]
    server.on(
        "TransactWriteItems",
        always(cancelled({"Code": "ValidationError", "Message": None}, {"Code": "None"})),
    )
    with pytest.raises((UnexpectedError, InvalidUpdate)):
        await store.write(*ops)
    server.on("TransactWriteItems", always(refusal("TransactionCanceledException")))
    with pytest.raises(UnexpectedError):
        await store.write(*ops)


async def test_a_table_without_a_stream(aws: tuple[FaultProxy, DynamoStore]) -> None:
    server, store = aws
    server.on("DescribeTable", always((200, {"Table": {"TableName": "Notes"}})))
    with pytest.raises(NotFollowed):
        await anext(store.changes(NOTES, follow=False))


DESCRIBED = {
    "TableName": "Accounts",
    "TableStatus": "ACTIVE",
    "AttributeDefinitions": [{"AttributeName": "name", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "name", "KeyType": "HASH"}],
}


async def test_a_table_with_a_minimal_description() -> None:
    """A table that is being deleted has no keys; one without TTL has only a status."""
    async with fault_proxy("http://127.0.0.1:9/") as (server, place):
        server.on(
            "DescribeTable",
            always((200, {"Table": {"TableName": "Accounts", "TableStatus": "DELETING"}})),
            always((200, {"Table": DESCRIBED})),
        )
        told = {"TimeToLiveDescription": {"TimeToLiveStatus": "DISABLED"}}
        server.on("DescribeTimeToLive", always((200, told)))
        store = await DynamoStore.open(
            f"dynamodb+http://{place}?region=local",
            [ACCOUNTS],
            clock=ManualClock(IN_2100_MS),
            cursor_secret=SECRET,
        )
        await store.close()
        assert server.sent == ["DescribeTable", "DescribeTable", "DescribeTimeToLive"]
