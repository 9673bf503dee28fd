"""The DynamoDB engine with a failing network and with items that expire late."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from msgspec import structs

from greenroom.clock import ManualClock
from greenroom.store.base import Check, Delete, Key, Op, Put, Update
from greenroom.store.dynamo import DynamoStore, RetryPolicy
from greenroom.store.expressions import F
from greenroom.store.problems import (
    ConditionFailed,
    Conflict,
    InvalidExpression,
    NoSuchTable,
    OutcomeUnknown,
    StoreUnavailable,
    Throttled,
)
from greenroom.store.tables import Table
from tests.contracts.tables import ACCOUNTS, NOTES, VISITS, at, note
from tests.fault_proxy import (
    Answer,
    Fault,
    FaultProxy,
    Forward,
    always,
    cancelled,
    conflicted,
    dropped,
    failed_after,
    fault_proxy,
    lost,
    refusal,
    silent,
    throttled,
)
from tests.stores import IN_2100_MS, fresh_prefix, fresh_tables

TABLES = (NOTES, ACCOUNTS, VISITS)
QUICK = RetryPolicy(
    attempts=4, seconds=60.0, first_delay=0.01, longest_delay=0.05, response_seconds=30.0
)
IMPATIENT = structs.replace(QUICK, response_seconds=2.0)
"""For where no answer comes. Others wait longer: a slow machine must not cause another attempt."""


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(IN_2100_MS)


@pytest.fixture
def retry() -> RetryPolicy:
    return QUICK


@pytest.fixture
async def proxied(
    dynamodb_url: str, clock: ManualClock, retry: RetryPolicy
) -> AsyncIterator[tuple[DynamoStore, FaultProxy]]:
    """A store that reaches DynamoDB Local through a fault proxy."""
    target = dynamodb_url.removeprefix("dynamodb+").partition("?")[0]
    async with fault_proxy(target) as (proxy, place):
        url = f"dynamodb+http://{place}?region=local"
        async with fresh_tables(url, TABLES, clock, retry=retry) as store:
            proxy.sent.clear()
            yield store, proxy


@pytest.fixture
def store(proxied: tuple[DynamoStore, FaultProxy]) -> DynamoStore:
    return proxied[0]


@pytest.fixture
def proxy(proxied: tuple[DynamoStore, FaultProxy]) -> FaultProxy:
    return proxied[1]


async def test_an_unreachable_endpoint_is_reported_in_time(clock: ManualClock) -> None:
    url = "dynamodb+http://127.0.0.1:1?region=local"
    async with await DynamoStore.open(
        url, TABLES, clock=clock, cursor_secret=b"s", check=False, retry=QUICK
    ) as store:
        async with asyncio.timeout(60):
            with pytest.raises(StoreUnavailable, match="127"):
                await store.get(NOTES, at())
            with pytest.raises(StoreUnavailable):
                await store.write(Update(NOTES, at(), (F("n").add(1),)))
            for create in (False, True):
                with pytest.raises(StoreUnavailable):
                    await DynamoStore.open(
                        url, TABLES, clock=clock, cursor_secret=b"s", create=create, retry=QUICK
                    )


async def test_a_missing_table_is_named_by_the_call_that_needs_it(
    dynamodb_url: str, store: DynamoStore, clock: ManualClock
) -> None:
    with pytest.raises(NoSuchTable, match="Elsewhere"):
        await store.get(Table("Elsewhere", ""), at())
    with pytest.raises(NoSuchTable, match="Notes"):
        await store.get(Table("Notes", "declared otherwise"), at())
    async with (
        fresh_prefix(dynamodb_url, TABLES) as url,
        await DynamoStore.open(url, (ACCOUNTS,), clock=clock, cursor_secret=b"s", create=True),
        await DynamoStore.open(url, TABLES, clock=clock, cursor_secret=b"s", check=False) as bare,
    ):
        with pytest.raises(NoSuchTable, match="Notes"):
            await bare.query(NOTES, "p", limit=1)
        with pytest.raises(NoSuchTable, match="Notes"):
            await bare.write(Put(ACCOUNTS, {"name": "a"}), Put(NOTES, note()))
        with pytest.raises(NoSuchTable, match="Visits"):
            await anext(aiter(bare.changes(VISITS, follow=False)))


@pytest.mark.parametrize(
    ("fault", "retry"),
    [
        *((fault, QUICK) for fault in (throttled, conflicted, dropped, lost, failed_after)),
        (silent, IMPATIENT),
    ],
)
async def test_a_write_that_can_be_repeated_is(
    store: DynamoStore, proxy: FaultProxy, fault: Fault
) -> None:
    proxy.on("PutItem", fault, fault)
    await store.write(Put(NOTES, note(v=1)))
    assert proxy.sent == ["PutItem"] * 3
    assert await store.get(NOTES, at(), consistent=True) == note(v=1)


@pytest.mark.parametrize("fault", [throttled, dropped, failed_after])
async def test_reads_are_repeated(store: DynamoStore, proxy: FaultProxy, fault: Fault) -> None:
    await store.write(Put(NOTES, note(v=1)))
    for action in ("GetItem", "Query", "BatchGetItem"):
        proxy.on(action, fault)
    assert await store.get(NOTES, at()) == note(v=1)
    assert (await store.query(NOTES, "p", limit=1)).items == (note(v=1),)
    assert await store.batch_get(NOTES, [at()]) == {at(): note(v=1)}


@pytest.mark.parametrize(
    ("fault", "problem"),
    [(throttled, Throttled), (conflicted, Conflict), (lost, OutcomeUnknown)],
)
async def test_after_the_last_attempt_the_store_reports_the_reason(
    store: DynamoStore, proxy: FaultProxy, fault: Fault, problem: type[Exception]
) -> None:
    for action, ops in (
        ("PutItem", [Put(NOTES, note())]),
        ("TransactWriteItems", [Put(NOTES, note()), Put(NOTES, note(sk="t"))]),
    ):
        proxy.sent.clear()
        proxy.on(action, *[fault] * QUICK.attempts)
        with pytest.raises(problem):
            await store.write(*ops)
        assert proxy.sent == [action] * QUICK.attempts


@pytest.mark.parametrize("fault", [lost, failed_after])
async def test_a_write_that_is_not_idempotent_is_not_repeated(
    store: DynamoStore, proxy: FaultProxy, fault: Fault
) -> None:
    for action in (F("n").add(1), F("l").append(1)):
        proxy.sent.clear()
        proxy.on("UpdateItem", fault)
        with pytest.raises(OutcomeUnknown):
            await store.write(Update(NOTES, at(), (action,)))
        assert proxy.sent == ["UpdateItem"]
    assert await store.get(NOTES, at(), consistent=True) == note(n=1, l=[1])


async def test_a_write_that_surely_failed_is_always_repeated(
    store: DynamoStore, proxy: FaultProxy
) -> None:
    proxy.on("UpdateItem", throttled, conflicted)
    assert await store.write(Update(NOTES, at(), (F("n").add(1),))) == note(n=1)


async def test_an_idempotent_update_is_repeated(store: DynamoStore, proxy: FaultProxy) -> None:
    await store.write(Put(NOTES, note(gone=1, words={"a", "b"})))
    proxy.on("UpdateItem", lost)
    actions = (
        F("v").set(1),
        F("first").set_if_absent(1),
        F("gone").remove(),
        F("words").discard({"b"}),
        F("more").add({"x"}),
    )
    after = note(v=1, first=1, words={"a"}, more={"x"})
    assert await store.write(Update(NOTES, at(), actions)) == after
    assert proxy.sent == ["PutItem", "UpdateItem", "UpdateItem"]


async def test_a_put_that_finds_its_own_item_succeeded(
    store: DynamoStore, proxy: FaultProxy
) -> None:
    proxy.on("PutItem", lost)
    assert await store.write(Put(NOTES, note(v=1, s={"b", "a"}), F("pk").absent())) is None
    assert proxy.sent == ["PutItem", "PutItem"]


@pytest.mark.parametrize(
    "op",
    [
        Put(NOTES, note(v=2), F("v").differs(3)),
        Update(NOTES, at(), (F("v").set(2),), F("v").equals(1)),
        Delete(NOTES, at(), F("v").equals(1)),
    ],
    ids=lambda op: type(op).__name__,
)
async def test_a_refusal_of_the_repeat_says_nothing_about_the_first(
    store: DynamoStore, proxy: FaultProxy, op: Op
) -> None:
    """Another write or the first attempt itself may have made the condition fail."""
    await store.write(Put(NOTES, note(v=1)))

    async def overtaken(payload: dict[str, Any], forward: Forward) -> Answer | None:
        await forward(payload)
        await store.write(Update(NOTES, at(), (F("v").set(3), F("by").set("another"))))
        return None

    action = {Put: "PutItem", Update: "UpdateItem", Delete: "DeleteItem"}[type(op)]
    proxy.on(action, overtaken)
    with pytest.raises(OutcomeUnknown):
        await store.write(op)


@pytest.mark.parametrize("kind", ["AccessDeniedException", "MissingAuthenticationToken"])
async def test_a_write_that_may_have_succeeded_is_not_reported_as_failed(
    store: DynamoStore, proxy: FaultProxy, kind: str
) -> None:
    """The first attempt takes effect and its response is lost; the second is denied."""
    proxy.on("PutItem", lost, always(refusal(kind)))
    with pytest.raises(OutcomeUnknown, match=kind):
        await store.write(Put(NOTES, note(v=1)))
    assert await store.get(NOTES, at(), consistent=True) == note(v=1)
    proxy.on("PutItem", always(refusal(kind)))
    with pytest.raises(StoreUnavailable, match=kind):
        await store.write(Put(NOTES, note(v=2)))


async def test_a_failed_condition_is_not_retried(store: DynamoStore, proxy: FaultProxy) -> None:
    await store.write(Put(NOTES, note(v=1)))
    proxy.sent.clear()
    proxy.on("PutItem", throttled)
    with pytest.raises(ConditionFailed):
        await store.write(Put(NOTES, note(v=2), F("pk").absent()))
    assert proxy.sent == ["PutItem", "PutItem"]


@pytest.mark.parametrize("token", [None, "mine"])
@pytest.mark.parametrize(
    ("fault", "retry"), [(lost, QUICK), (failed_after, QUICK), (silent, IMPATIENT)]
)
async def test_a_transaction_is_done_once_however_often_it_is_sent(
    store: DynamoStore, proxy: FaultProxy, fault: Fault, token: str | None
) -> None:
    proxy.on("TransactWriteItems", fault, fault)
    ops = (Update(NOTES, at(), (F("n").add(1),), F("n").absent()), Put(NOTES, note(sk="t")))
    await store.write(*ops, token=token)
    assert proxy.sent.count("TransactWriteItems") == 3
    assert await store.get(NOTES, at(), consistent=True) == note(n=1)


async def test_a_failed_condition_comes_before_a_conflict(
    store: DynamoStore, proxy: FaultProxy
) -> None:
    proxy.on(
        "TransactWriteItems", always(cancelled("ConditionalCheckFailed", "TransactionConflict"))
    )
    put = Put(NOTES, note(), F("pk").exists())
    with pytest.raises(ConditionFailed) as refused:
        await store.write(put, Put(NOTES, note(sk="t")))
    assert [failure.op for failure in refused.value.failed] == [put]
    assert proxy.sent == ["TransactWriteItems"]


async def test_unprocessed_keys_are_requested_again(store: DynamoStore, proxy: FaultProxy) -> None:
    keys = [at(sk=f"{n}") for n in range(10)]
    for key in keys:
        await store.write(Put(NOTES, note(sk=str(key.sort))))

    async def half(payload: dict[str, Any], forward: Forward) -> Answer:
        ((name, wanted),) = payload["RequestItems"].items()
        middle = len(wanted["Keys"]) // 2
        rest = {**wanted, "Keys": wanted["Keys"][middle:]}
        payload["RequestItems"][name]["Keys"] = wanted["Keys"][:middle]
        status, answer = await forward(payload)
        return status, {**answer, "UnprocessedKeys": {name: rest}}

    async def nothing(payload: dict[str, Any], forward: Forward) -> Answer:
        return 200, {"Responses": {}, "UnprocessedKeys": payload["RequestItems"]}

    proxy.on("BatchGetItem", half, nothing, half)
    assert (await store.batch_get(NOTES, keys)).keys() == set(keys)
    proxy.on("BatchGetItem", *[nothing] * QUICK.attempts)
    with pytest.raises(Throttled):
        await store.batch_get(NOTES, keys)


async def test_a_page_continues_past_a_megabyte(store: DynamoStore, proxy: FaultProxy) -> None:
    for n in range(7):
        await store.write(Put(NOTES, note(sk=f"{n}", body="x" * 300_000)))
    proxy.sent.clear()
    page = await store.query(NOTES, "p", limit=6)
    assert [item["sk"] for item in page.items] == ["0", "1", "2", "3", "4", "5"]
    assert proxy.sent == ["Query", "Query"]
    last = await store.query(NOTES, "p", limit=6, cursor=page.next)
    assert [item["sk"] for item in last.items] == ["6"]
    assert last.next is None


async def test_a_token_matches_its_transaction_after_the_clock_advanced(
    store: DynamoStore, clock: ManualClock
) -> None:
    end = clock.now_ms() // 1000 + 10
    ops = (
        Update(VISITS, at(), (F("n").add(1), F("expiresAt").set(end)), F("pk").absent()),
        Check(VISITS, at(sk="other"), F("pk").absent()),
    )
    await store.write(*ops, token="t")
    clock.advance(seconds=5)
    await store.write(*ops, token="t")
    assert await store.get(VISITS, at(), consistent=True) == note(n=1, expiresAt=end)
    clock.advance(seconds=60)
    await store.write(*ops, token="t")
    assert await store.get(VISITS, at(), consistent=True) is None


async def test_a_write_with_a_token_treats_an_expired_item_as_absent(
    store: DynamoStore, clock: ManualClock
) -> None:
    now = clock.now_ms() // 1000
    await store.write(Put(VISITS, note(left="over", expiresAt=now + 10)))
    clock.advance(seconds=60)
    await store.write(Update(VISITS, at(), (F("n").add(1),), F("left").absent()), token="t")
    assert await store.get(VISITS, at(), consistent=True) == note(n=1)


async def test_an_expired_item_renewed_meanwhile_is_not_removed(
    store: DynamoStore, proxy: FaultProxy, clock: ManualClock
) -> None:
    now = clock.now_ms() // 1000
    await store.write(Put(VISITS, note(n=1, expiresAt=now - 10)))

    async def revived(payload: dict[str, Any], forward: Forward) -> Answer:
        await store.write(Put(VISITS, note(n=10, expiresAt=now + 10)))
        return await forward(payload)

    proxy.on("DeleteItem", revived)
    apply_actions = await store.write(Update(VISITS, at(), (F("n").add(1),)))
    assert apply_actions == note(n=11, expiresAt=now + 10)


async def test_only_real_failures_are_reported_beside_an_expired_item(
    store: DynamoStore, clock: ManualClock
) -> None:
    now = clock.now_ms() // 1000
    await store.write(Put(VISITS, note(expiresAt=now - 10)))
    bad = Check(NOTES, at(), F("pk").exists())
    with pytest.raises(ConditionFailed) as refused:
        await store.write(Update(VISITS, at(), (F("n").add(1),)), bad)
    assert [failure.op for failure in refused.value.failed] == [bad]


async def test_aws_capacity_reports_are_understood(store: DynamoStore, proxy: FaultProxy) -> None:
    prefix = store._client.name(NOTES).removesuffix("Notes")
    bill = {
        "TableName": f"{prefix}Notes",
        "CapacityUnits": 9.0,
        "ReadCapacityUnits": 4.0,
        "WriteCapacityUnits": 5.0,
        "Table": {"ReadCapacityUnits": 4.0, "WriteCapacityUnits": 2.0, "CapacityUnits": 6.0},
        "GlobalSecondaryIndexes": {"ByTag": {"WriteCapacityUnits": 3.0, "CapacityUnits": 3.0}},
    }
    proxy.on("TransactWriteItems", always((200, {"ConsumedCapacity": [bill]})))
    with store.counting() as cost:
        await store.write(Put(NOTES, note()), Put(NOTES, note(sk="t")))
    assert (cost.read_units, cost.write_units) == (4.0, 5.0)
    assert cost.by_source["Notes/ByTag"].write == 3.0


async def test_denied_access_is_reported_with_its_reason(
    store: DynamoStore, proxy: FaultProxy
) -> None:
    for kind in ("AccessDeniedException", "UnknownOperationException"):
        proxy.on("GetItem", always(refusal(kind)))
        with pytest.raises(StoreUnavailable, match=kind):
            await store.get(NOTES, at())
    assert proxy.sent == ["GetItem", "GetItem"]


async def test_a_condition_too_long_for_dynamodb_is_refused(store: DynamoStore) -> None:
    condition = F("a0").absent()
    for n in range(1, 200):
        condition = condition & F(f"a{n}").absent()  # type: ignore[assignment]
    with pytest.raises(InvalidExpression):
        await store.write(Put(NOTES, note(), condition))


async def test_a_table_is_created_once_by_many(dynamodb_url: str, clock: ManualClock) -> None:
    async with fresh_prefix(dynamodb_url, TABLES) as url:
        stores = await asyncio.gather(
            *(
                DynamoStore.open(url, TABLES, clock=clock, cursor_secret=b"s", create=True)
                for _ in range(3)
            )
        )
        await stores[0].write(Put(ACCOUNTS, {"name": "ada"}))
        assert await stores[1].get(ACCOUNTS, Key("ada"), consistent=True) == {"name": "ada"}
        for opened in stores:
            await opened.close()
