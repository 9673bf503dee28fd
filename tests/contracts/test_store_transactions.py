"""Transactions on both engines: atomicity, failed ops, limits and tokens."""

import asyncio

import pytest

from greenroom.clock import ManualClock
from greenroom.store.base import Check, Delete, Key, Op, Put, Store, Update
from greenroom.store.expressions import F
from greenroom.store.problems import (
    ConditionFailed,
    InvalidItem,
    InvalidTransaction,
    InvalidUpdate,
    ItemTooLarge,
    TokenReused,
)
from tests.contracts.tables import ACCOUNTS, NOTES, VISITS, at, exact, label, note


async def test_a_transaction_over_two_tables_is_all_there(store: Store) -> None:
    await store.write(Put(NOTES, note(sk="old")), Put(NOTES, note(sk="count", n=1)))
    answer = await store.write(
        Put(NOTES, note(sk="new", v=1)),
        Update(NOTES, at(sk="count"), (F("n").add(1),)),
        Delete(NOTES, at(sk="old")),
        Put(ACCOUNTS, {"name": "ada"}),
        Check(ACCOUNTS, Key("bob"), F("name").absent()),
    )
    assert answer is None
    page = await store.query(NOTES, "p", limit=9, consistent=True)
    assert page.items == (note(sk="count", n=2), note(sk="new", v=1))
    assert await store.get(ACCOUNTS, Key("ada"), consistent=True) == {"name": "ada"}


@pytest.mark.parametrize(
    "culprit",
    [
        Put(NOTES, note(sk="x", v=2), F("pk").absent()),
        Update(NOTES, at(sk="x"), (F("v").add(1),), F("v").equals(7)),
        Delete(NOTES, at(sk="x"), F("v").more_than(1)),
        Check(NOTES, at(sk="x"), F("v").equals(2)),
    ],
    ids=lambda op: type(op).__name__,
)
@pytest.mark.parametrize("place", [0, 1, 2])
async def test_nothing_of_a_transaction_with_a_failed_condition_is_there(
    store: Store, culprit: Op, place: int
) -> None:
    standing = note(sk="x", v=1)
    await store.write(Put(NOTES, standing))
    ops: list[Op] = [Put(NOTES, note(sk="a")), Update(ACCOUNTS, Key("ada"), (F("n").add(1),))]
    ops.insert(place, culprit)
    with pytest.raises(ConditionFailed) as refusal:
        await store.write(*ops)
    assert [failure.op for failure in refusal.value.failed] == [culprit]
    assert refusal.value.op is culprit
    assert exact(refusal.value.item) == exact(standing)
    assert (await store.query(NOTES, "p", limit=9, consistent=True)).items == (standing,)
    assert await store.get(ACCOUNTS, Key("ada"), consistent=True) is None


async def test_every_failed_condition_is_named_with_its_item(store: Store) -> None:
    await store.write(Put(NOTES, note(sk="a", v=1)))
    bad_one = Put(NOTES, note(sk="a"), F("pk").absent())
    fine = Put(NOTES, note(sk="b"), F("pk").absent())
    bad_two = Check(NOTES, at(sk="c"), F("pk").exists())
    with pytest.raises(ConditionFailed) as refusal:
        await store.write(bad_one, fine, bad_two)
    assert [(failure.op, failure.item) for failure in refusal.value.failed] == [
        (bad_one, note(sk="a", v=1)),
        (bad_two, None),
    ]
    assert "Put into Notes of p / a" in str(refusal.value)


async def test_conditions_see_the_items_as_they_stood_before_the_transaction(
    store: Store,
) -> None:
    with pytest.raises(ConditionFailed):
        await store.write(
            Put(NOTES, note(sk="a")),
            Put(NOTES, note(sk="b"), F("never").exists()),
        )
    assert await store.get(NOTES, at(sk="a"), consistent=True) is None


async def test_an_update_that_does_not_fit_undoes_its_transaction(store: Store) -> None:
    await store.write(Put(NOTES, note(sk="x", v="text")))
    with pytest.raises(InvalidUpdate):
        await store.write(Put(NOTES, note(sk="a")), Update(NOTES, at(sk="x"), (F("v").add(1),)))
    assert await store.get(NOTES, at(sk="a"), consistent=True) is None


async def test_a_bad_op_undoes_its_transaction(store: Store) -> None:
    with pytest.raises(InvalidItem):
        await store.write(Put(NOTES, note(sk="a")), Put(NOTES, note(sk="b", f=0.5)))
    with pytest.raises(ItemTooLarge):
        await store.write(Put(NOTES, note(sk="a")), Put(NOTES, note(sk="b", f="x" * 410_000)))
    assert await store.get(NOTES, at(sk="a"), consistent=True) is None


async def test_a_transaction_has_at_most_a_hundred_ops(store: Store) -> None:
    ops = [Put(NOTES, note(sk=f"{n:03}", n=n)) for n in range(101)]
    with pytest.raises(InvalidTransaction, match="at most 100"):
        await store.write(*ops)
    assert (await store.query(NOTES, "p", limit=1, consistent=True)).items == ()
    await store.write(*ops[:100])
    page = await store.query(NOTES, "p", limit=200, consistent=True)
    assert [item["n"] for item in page.items] == list(range(100))


@pytest.mark.parametrize(
    "second",
    [
        Put(NOTES, note(v=2)),
        Update(NOTES, at(), (F("v").set(2),)),
        Delete(NOTES, at()),
        Check(NOTES, at(), F("pk").absent()),
    ],
    ids=lambda op: type(op).__name__,
)
async def test_two_ops_for_one_item_are_refused(store: Store, second: Op) -> None:
    with pytest.raises(InvalidTransaction, match="the same item"):
        await store.write(Put(NOTES, note(v=1)), Put(NOTES, note(sk="t")), second)
    assert await store.get(NOTES, at(), consistent=True) is None


async def test_a_transaction_has_at_most_4_mb(store: Store) -> None:
    big = "x" * 380_000
    with pytest.raises(InvalidTransaction, match="bytes"):
        await store.write(*(Put(NOTES, note(sk=f"{n:02}", body=big)) for n in range(12)))
    assert (await store.query(NOTES, "p", limit=1, consistent=True)).items == ()
    await store.write(*(Put(NOTES, note(sk=f"{n:02}", body=big)) for n in range(10)))
    assert len((await store.query(NOTES, "p", limit=20, consistent=True)).items) == 10


async def test_a_transaction_repeated_with_its_token_is_done_once(store: Store, token: str) -> None:
    def ops() -> tuple[Op, ...]:
        return (
            Update(NOTES, at(sk="n"), (F("n").add(1),)),
            Put(NOTES, note(sk="m", words={"b", "a"}), F("pk").absent()),
        )

    await store.write(*ops(), token=token)
    await store.write(*ops(), token=token)
    assert await store.get(NOTES, at(sk="n"), consistent=True) == note(sk="n", n=1)
    await store.write(Update(NOTES, at(sk="n"), (F("n").add(1),)), token=token[:30] + "twice")
    assert await store.get(NOTES, at(sk="n"), consistent=True) == note(sk="n", n=2)


async def test_a_lone_op_with_a_token_is_done_once(store: Store, token: str) -> None:
    op = Update(NOTES, at(), (F("n").add(1),))
    assert await store.write(op, token=token) == note(n=1)
    assert await store.write(op, token=token) == note(n=1)
    assert await store.get(NOTES, at(), consistent=True) == note(n=1)


async def test_a_repeated_update_returns_the_current_item(store: Store, token: str) -> None:
    op = Update(NOTES, at(), (F("n").add(1),))
    await store.write(op, token=token)
    await store.write(Update(NOTES, at(), (F("n").add(5), F("also").set("x"))))
    assert await store.write(op, token=token) == note(n=6, also="x")
    await store.write(Delete(NOTES, at()))
    assert await store.write(op, token=token) is None


async def test_a_repeated_update_does_not_return_an_expired_item(
    store: Store, token: str, clock: ManualClock
) -> None:
    end = clock.now_ms() // 1000 + 5
    op = Update(VISITS, at(), (F("expiresAt").set(end),))
    assert await store.write(op, token=token) == note(expiresAt=end)
    clock.advance(seconds=5)
    assert await store.write(op, token=token) is None


@pytest.mark.parametrize(
    "op",
    [Put(NOTES, note(n=1)), Delete(NOTES, at()), Check(NOTES, at(), F("n").absent())],
    ids=["put", "delete", "check"],
)
async def test_nothing_else_with_a_token_is_answered(store: Store, token: str, op: Op) -> None:
    assert await store.write(op, token=token) is None
    assert await store.write(op, token=token) is None


async def test_a_lone_check_with_a_token_is_a_transaction(store: Store, token: str) -> None:
    await store.write(Check(NOTES, at(), F("pk").absent()), token=token[:30] + "t1")
    with pytest.raises(ConditionFailed):
        await store.write(Check(NOTES, at(), F("pk").exists()), token=token[:30] + "t2")


@pytest.mark.parametrize(
    "other",
    [
        (Update(NOTES, at(), (F("n").add(2),)),),
        (Update(NOTES, at(sk="t"), (F("n").add(1),)),),
        (Update(NOTES, at(), (F("n").add(1),), F("pk").exists()),),
        (Update(NOTES, at(), (F("n").add(1),)), Put(NOTES, note(sk="t"))),
        (Delete(NOTES, at()),),
    ],
    ids=label,
)
async def test_a_token_with_other_content_is_refused(
    store: Store, token: str, other: tuple[Op, ...]
) -> None:
    await store.write(Update(NOTES, at(), (F("n").add(1),)), token=token)
    with pytest.raises(TokenReused, match=token):
        await store.write(*other, token=token)
    assert (await store.query(NOTES, "p", limit=9, consistent=True)).items == (note(n=1),)


async def test_a_token_is_free_again_after_a_failure(store: Store, token: str) -> None:
    op = Put(NOTES, note(v=2), F("v").equals(1))
    with pytest.raises(ConditionFailed):
        await store.write(op, token=token)
    await store.write(Put(NOTES, note(v=1)))
    await store.write(op, token=token)
    assert await store.get(NOTES, at(), consistent=True) == note(v=2)
    await store.write(op, token=token)
    with pytest.raises(TokenReused):
        await store.write(Put(NOTES, note(v=3)), token=token)


@pytest.mark.parametrize("token", ["", "x" * 37], ids=["empty", "long"])
async def test_a_token_that_does_not_fit_is_refused(store: Store, token: str) -> None:
    with pytest.raises(InvalidTransaction, match="1 to 36"):
        await store.write(Put(NOTES, note()), token=token)
    assert await store.get(NOTES, at(), consistent=True) is None


async def test_concurrent_repeats_of_a_transaction_are_done_once(store: Store, token: str) -> None:
    async def once() -> None:
        await store.write(
            Update(NOTES, at(sk="a"), (F("n").add(1),)),
            Update(NOTES, at(sk="b"), (F("n").add(1),)),
            token=token,
        )

    await asyncio.gather(*(once() for _ in range(10)))
    assert (await store.query(NOTES, "p", limit=9, consistent=True)).items == (
        note(sk="a", n=1),
        note(sk="b", n=1),
    )


async def test_concurrent_transactions_on_the_same_items_lose_nothing(store: Store) -> None:
    async def pay(n: int) -> None:
        await store.write(
            Update(NOTES, at(sk="from"), (F("n").add(-n),)),
            Update(NOTES, at(sk="to"), (F("n").add(n),)),
        )

    await asyncio.gather(*(pay(n) for n in range(1, 21)))
    assert (await store.query(NOTES, "p", limit=9, consistent=True)).items == (
        note(sk="from", n=-210),
        note(sk="to", n=210),
    )


async def test_one_of_two_exclusive_transactions_wins(store: Store) -> None:
    async def match(a: str, b: str) -> bool:
        try:
            await store.write(
                Put(NOTES, note(sk=a, with_=b), F("pk").absent()),
                Put(NOTES, note(sk=b, with_=a), F("pk").absent()),
            )
        except ConditionFailed:
            return False
        return True

    won = await asyncio.gather(match("x", "y"), match("y", "z"), match("x", "z"))
    assert won.count(True) == 1
    assert len((await store.query(NOTES, "p", limit=9, consistent=True)).items) == 2
