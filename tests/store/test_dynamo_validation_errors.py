"""Both engines refuse an update that does not fit its item with the same message.

DynamoDB does not name the attribute, so the engine reads the current item.
"""

from collections.abc import AsyncIterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from greenroom.clock import ManualClock
from greenroom.errors import Problem
from greenroom.store.base import Op, Put, Store, Update
from greenroom.store.dynamo import DynamoStore, RetryPolicy
from greenroom.store.expressions import Action, F
from greenroom.store.problems import InvalidUpdate
from greenroom.store.sqlite import SqliteStore
from tests.contracts.tables import NOTES, VISITS, at, label, note
from tests.fault_proxy import Answer, FaultProxy, Forward, fault_proxy, throttled
from tests.stores import IN_2100_MS, fresh_tables

QUICK = RetryPolicy(attempts=3, first_delay=0.01, longest_delay=0.05)
NESTED: Any = "bottom"
for _ in range(29):
    NESTED = {"k": NESTED}
ITEM = note(
    n=5,
    big=Decimal("9.9E+125"),
    text="beta",
    list=["a"],
    words={"a", "b"},
    map={"k": {"n": 1, "text": "x"}},
    deep=NESTED,
    body="x" * 200_000,
)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(IN_2100_MS)


@pytest.fixture
async def sqlite(tmp_path: Path, clock: ManualClock) -> AsyncIterator[SqliteStore]:
    async with await SqliteStore.open(
        tmp_path / "store.db", (NOTES, VISITS), clock=clock, cursor_secret=b"s"
    ) as store:
        yield store


@pytest.fixture
async def proxied(
    dynamodb_url: str, clock: ManualClock
) -> AsyncIterator[tuple[DynamoStore, FaultProxy]]:
    target = dynamodb_url.removeprefix("dynamodb+").partition("?")[0]
    async with fault_proxy(target) as (proxy, place):
        url = f"dynamodb+http://{place}?region=local"
        async with fresh_tables(url, (NOTES, VISITS), clock, retry=QUICK) as store:
            yield store, proxy


async def refusal(store: Store, *ops: Op) -> tuple[str, str]:
    with pytest.raises(Problem) as expected:
        await store.write(*ops)
    return type(expected.value).__name__, str(expected.value)


MISFITS: list[Action] = [
    F("no", "deeper").set(1),
    F("text", "deeper").remove(),
    F("map", "k", "text", "deeper").set(1),
    F("map", "no", "deeper").add(1),
    F("text").add(1),
    F("words").add({1}),
    F("n").add({"a"}),
    F("list").discard({"a"}),
    F("words").discard({1}),
    F("map", "k", "n").append(1),
    F("big").add(Decimal("9.9E+125")),
    F("n").add(Decimal("1E-60")),
    F("list").append("y" * 250_000),
    F("map", "k", "n").set({"k": NESTED}),
    F("state").set(5),
    F("owner").append("x"),
    F("tag").set(""),
    F("owner").set("x" * 3000),
]


@pytest.mark.parametrize("action", MISFITS, ids=label)
async def test_both_engines_name_what_does_not_fit(
    sqlite: SqliteStore, proxied: tuple[DynamoStore, FaultProxy], action: Action
) -> None:
    dynamo, _ = proxied
    for store in (sqlite, dynamo):
        await store.write(Put(NOTES, ITEM))
    lone = Update(NOTES, at(), (F("mark").set(1), action))
    expected = await refusal(sqlite, lone)
    assert await refusal(dynamo, lone) == expected
    member = (Put(NOTES, note(sk="t")), Update(NOTES, at(), (action,)))
    assert await refusal(dynamo, *member) == await refusal(sqlite, *member) == expected


async def test_both_engines_name_what_does_not_fit_a_missing_item(
    sqlite: SqliteStore, proxied: tuple[DynamoStore, FaultProxy], clock: ManualClock
) -> None:
    dynamo, _ = proxied
    gone = note(map={"k": 1}, expiresAt=clock.now_ms() // 1000 - 5)
    update = Update(VISITS, at(), (F("map", "k").set(1),))
    expected = await refusal(sqlite, update)
    assert "map.k leads through map" in expected[1]
    assert await refusal(dynamo, update) == expected
    for store in (sqlite, dynamo):
        await store.write(Put(VISITS, gone))
        assert await refusal(store, update) == expected, "what has expired is not there"


async def test_naming_what_does_not_fit_costs_nothing(
    proxied: tuple[DynamoStore, FaultProxy],
) -> None:
    dynamo, _ = proxied
    await dynamo.write(Put(NOTES, ITEM))
    with dynamo.counting() as cost:
        await refusal(dynamo, Update(NOTES, at(), (F("text").add(1),)))
    assert cost.by_source == {}


async def test_an_update_that_fits_by_the_time_of_the_read_is_still_refused(
    proxied: tuple[DynamoStore, FaultProxy],
) -> None:
    dynamo, proxy = proxied
    await dynamo.write(Put(NOTES, note(n="text")))

    async def mended(payload: dict[str, Any], forward: Forward) -> Answer:
        await dynamo.write(Put(NOTES, note(n=1)))
        return await forward(payload)

    proxy.on("GetItem", mended)
    with pytest.raises(InvalidUpdate, match="of another type"):
        await dynamo.write(Update(NOTES, at(), (F("n").add(1),)))


async def test_a_failed_read_does_not_hide_the_refusal(
    proxied: tuple[DynamoStore, FaultProxy],
) -> None:
    dynamo, proxy = proxied
    await dynamo.write(Put(NOTES, note(n="text")))
    proxy.on("GetItem", *[throttled] * 3)
    with pytest.raises(InvalidUpdate, match="of another type"):
        await dynamo.write(Update(NOTES, at(), (F("n").add(1),)))
