"""Queries on both engines: ranges, order, pages and cursors, on a table and on every kind of index.

Careful: text sorts by its UTF-8 bytes, which is by code point and not by UTF-16 unit; and a page
that ends exactly at the last item has no `next`.
"""

from typing import Any

import pytest
from msgspec import Struct

from greenroom.store.base import Delete, Put, Store, Update
from greenroom.store.expressions import Bound, F, Prefix, Range, SortRange
from greenroom.store.problems import InvalidCursor, InvalidKey, InvalidQuery
from greenroom.store.tables import Index, Projection
from greenroom.store.values import Item
from tests.contracts.tables import (
    ACCOUNTS,
    BY_OWNER,
    BY_STATE,
    BY_TAG,
    NOTES,
    at,
    label,
    note,
    sort_keys,
    walk,
)

SORTED = ["MSG#1", "MSG#10", "MSG#2", "MSG#3", "PART#a", "PART#b"]


async def fill(store: Store, *sks: str, pk: str = "p", **rest: Any) -> None:
    for sk in sks:
        await store.write(Put(NOTES, note(pk, sk, **rest)))


async def test_a_query_gives_one_partition_in_key_order(store: Store) -> None:
    await fill(store, "PART#b", "MSG#10", "MSG#2", "MSG#1", "PART#a", "MSG#3")
    await fill(store, "MSG#0", pk="q")
    await fill(store, "MSG#0", pk="pp")
    assert await sort_keys(store, NOTES, "p") == SORTED
    assert await sort_keys(store, NOTES, "p", backward=True) == SORTED[::-1]


async def test_a_partition_without_items_is_an_empty_page(store: Store) -> None:
    page = await store.query(NOTES, "nobody", limit=10)
    assert page.items == ()
    assert page.next is None


RANGES: list[tuple[SortRange, list[str]]] = [
    (Prefix("MSG#"), ["MSG#1", "MSG#10", "MSG#2", "MSG#3"]),
    (Prefix("MSG#1"), ["MSG#1", "MSG#10"]),
    (Prefix("Z"), []),
    (Range("MSG#10", "MSG#3"), ["MSG#10", "MSG#2", "MSG#3"]),
    (Range("MSG#2", "MSG#2"), ["MSG#2"]),
    (Range("A", "B"), []),
    (Bound("=", "MSG#2"), ["MSG#2"]),
    (Bound("=", "MSG#"), []),
    (Bound("<", "MSG#2"), ["MSG#1", "MSG#10"]),
    (Bound("<=", "MSG#2"), ["MSG#1", "MSG#10", "MSG#2"]),
    (Bound(">", "MSG#3"), ["PART#a", "PART#b"]),
    (Bound(">=", "MSG#3"), ["MSG#3", "PART#a", "PART#b"]),
]


@pytest.mark.parametrize(("sort", "expected"), RANGES, ids=label)
async def test_a_range_keeps_to_its_ends_in_both_directions(
    store: Store, sort: SortRange, expected: list[str]
) -> None:
    await fill(store, *SORTED, state="open")
    assert await sort_keys(store, NOTES, "p", sort) == expected
    assert await sort_keys(store, NOTES, "p", sort, backward=True) == expected[::-1]
    assert await sort_keys(store, NOTES, "open", sort, index=BY_STATE) == expected


async def test_text_sorts_by_its_utf8_bytes(store: Store) -> None:
    keys = ["A", "Z", "a", "a\x00", "a\x00b", "ab", "z", "é", "ﬁ", "\uffff", "😀", "\U0010ffff"]
    assert keys == sorted(keys, key=str.encode)
    await fill(store, *reversed(keys))
    assert await sort_keys(store, NOTES, "p") == keys
    assert await sort_keys(store, NOTES, "p", Bound(">", "\uffff")) == ["😀", "\U0010ffff"]
    assert await sort_keys(store, NOTES, "p", Prefix("a\x00")) == ["a\x00", "a\x00b"]


async def test_a_prefix_that_ends_in_the_last_character_there_is_still_ends(store: Store) -> None:
    last = "\U0010ffff"
    await fill(store, "a", last, last + "a", last + last)
    assert await sort_keys(store, NOTES, "p", Prefix(last)) == [last, last + "a", last + last]
    assert await sort_keys(store, NOTES, "p", Prefix(last + last)) == [last + last]


@pytest.mark.parametrize("backward", [False, True], ids=["forward", "backward"])
@pytest.mark.parametrize("limit", [1, 2, 3, 4, 6, 7])
async def test_the_pages_of_a_query_together_are_the_whole(
    store: Store, limit: int, backward: bool
) -> None:
    await fill(store, *SORTED)
    pages = await walk(store, NOTES, "p", limit=limit, backward=backward)
    together = [item["sk"] for page in pages for item in page]
    assert together == (SORTED[::-1] if backward else SORTED)
    assert [len(page) for page in pages[:-1]] == [limit] * (len(pages) - 1)
    assert len(pages) == -(-len(SORTED) // limit), "the last page is never an empty one"


async def test_the_pages_of_a_range_stay_within_it(store: Store) -> None:
    await fill(store, *SORTED)
    pages = await walk(store, NOTES, "p", Prefix("MSG#"), limit=2)
    assert [[item["sk"] for item in page] for page in pages] == [
        ["MSG#1", "MSG#10"],
        ["MSG#2", "MSG#3"],
    ]


async def test_a_page_that_ends_at_the_last_item_has_no_next(store: Store) -> None:
    await fill(store, "a", "b", owner="ada", at="1")
    for index, partition in ((None, "p"), (BY_OWNER, "ada")):
        assert (await store.query(NOTES, partition, index=index, limit=2)).next is None
        first = await store.query(NOTES, partition, index=index, limit=1)
        assert first.next is not None
        second = await store.query(NOTES, partition, index=index, limit=1, cursor=first.next)
        assert len(second.items) == 1
        assert second.next is None


async def test_a_cursor_continues_after_its_item_was_deleted(store: Store) -> None:
    await fill(store, "a", "b", "c", "d")
    first = await store.query(NOTES, "p", limit=2)
    await store.write(Delete(NOTES, at(sk="b")))
    await fill(store, "aa", "bb")
    rest = await store.query(NOTES, "p", limit=10, cursor=first.next, consistent=True)
    assert [item["sk"] for item in rest.items] == ["bb", "c", "d"]


async def test_large_items_do_not_shorten_a_page(store: Store) -> None:
    """DynamoDB limits a response to 1 MB; a page continues until it is full or at the end."""
    sks = [f"{n:02}" for n in range(8)]
    for sk in sks:
        await store.write(Put(NOTES, note(sk=sk, body="x" * 300_000)))
    page = await store.query(NOTES, "p", limit=7)
    assert [item["sk"] for item in page.items] == sks[:7]
    rest = await store.query(NOTES, "p", limit=7, cursor=page.next)
    assert [item["sk"] for item in rest.items] == sks[7:]
    assert rest.next is None


async def test_an_index_has_only_the_items_with_its_keys(store: Store) -> None:
    await fill(store, "both", owner="ada", at="2")
    await fill(store, "no-sort", owner="ada")
    await fill(store, "no-partition", at="1")
    await fill(store, "other", owner="bob", at="3")
    assert await sort_keys(store, NOTES, "ada", index=BY_OWNER) == ["both"]


async def test_an_item_enters_moves_in_and_leaves_an_index(store: Store) -> None:
    await store.write(Put(NOTES, note(body="b")))
    assert await sort_keys(store, NOTES, "ada", index=BY_OWNER) == []
    await store.write(Update(NOTES, at(), (F("owner").set("ada"), F("at").set("5"))))
    await fill(store, "t", owner="ada", at="6")
    assert await sort_keys(store, NOTES, "ada", index=BY_OWNER) == ["s", "t"]
    await store.write(Update(NOTES, at(), (F("at").set("7"),)))
    assert await sort_keys(store, NOTES, "ada", index=BY_OWNER) == ["t", "s"]
    await store.write(Update(NOTES, at(), (F("owner").set("bob"),)))
    assert await sort_keys(store, NOTES, "ada", index=BY_OWNER) == ["t"]
    assert await sort_keys(store, NOTES, "bob", index=BY_OWNER) == ["s"]
    await store.write(Update(NOTES, at(), (F("at").remove(),)))
    assert await sort_keys(store, NOTES, "bob", index=BY_OWNER) == []
    await store.write(Delete(NOTES, at(sk="t")))
    assert await sort_keys(store, NOTES, "ada", index=BY_OWNER) == []


async def test_each_index_has_its_projected_attributes(store: Store) -> None:
    item = note(owner="ada", at="1", state="open", tag="red", title="T", seq=4, body="long")
    await store.write(Put(NOTES, item))
    assert (await store.query(NOTES, "ada", index=BY_OWNER, limit=9)).items == (item,)
    assert (await store.query(NOTES, "open", index=BY_STATE, limit=9)).items == (
        {"pk": "p", "sk": "s", "state": "open"},
    )
    assert (await store.query(NOTES, "red", index=BY_TAG, limit=9)).items == (
        {"pk": "p", "sk": "s", "tag": "red", "title": "T", "seq": 4},
    )


async def test_an_index_entry_changes_with_its_item(store: Store) -> None:
    await store.write(Put(NOTES, note(tag="red", title="old", seq=1)))
    await store.write(Update(NOTES, at(), (F("title").set("new"), F("seq").remove())))
    assert (await store.query(NOTES, "red", index=BY_TAG, limit=9)).items == (
        {"pk": "p", "sk": "s", "tag": "red", "title": "new"},
    )


async def test_an_index_is_paged_over_items_with_the_same_index_key(store: Store) -> None:
    names = {(pk, sk) for pk in ("a", "b", "c") for sk in ("1", "2", "3")}
    for pk, sk in names:
        await store.write(Put(NOTES, note(pk, sk, owner="ada", at="1", tag="red")))
    for index, partition in ((BY_OWNER, "ada"), (BY_TAG, "red")):
        for backward in (False, True):
            pages = await walk(store, NOTES, partition, index=index, limit=2, backward=backward)
            seen = [(item["pk"], item["sk"]) for page in pages for item in page]
            assert len(seen) == 9
            assert set(seen) == names


async def test_an_index_is_read_backward_and_by_range(store: Store) -> None:
    for day in ("2025-01", "2025-02", "2025-03", "2026-01"):
        await store.write(Put(NOTES, note(sk=day, owner="ada", at=day)))
    assert await sort_keys(store, NOTES, "ada", index=BY_OWNER, backward=True) == [
        "2026-01",
        "2025-03",
        "2025-02",
        "2025-01",
    ]
    newest = await store.query(NOTES, "ada", Prefix("2025"), index=BY_OWNER, limit=2, backward=True)
    assert [item["sk"] for item in newest.items] == ["2025-03", "2025-02"]
    assert newest.next is not None


async def test_a_table_without_a_sort_key_can_be_queried(store: Store) -> None:
    await store.write(Put(ACCOUNTS, {"name": "ada"}))
    page = await store.query(ACCOUNTS, "ada", limit=5)
    assert page.items == ({"name": "ada"},)
    assert page.next is None
    with pytest.raises(InvalidQuery, match="no sort key"):
        await store.query(ACCOUNTS, "ada", Prefix("a"), limit=5)
    with pytest.raises(InvalidQuery, match="no sort key"):
        await store.query(NOTES, "red", Prefix("a"), index=BY_TAG, limit=5)


async def test_a_consistent_read_of_an_index_is_refused(store: Store) -> None:
    with pytest.raises(InvalidQuery, match="cannot be read consistently"):
        await store.query(NOTES, "ada", index=BY_OWNER, limit=1, consistent=True)


async def test_an_index_of_another_table_is_refused(store: Store) -> None:
    stranger = Index("ByNobody", "nobody", None, Projection.ALL)
    with pytest.raises(InvalidQuery, match="not an index of Notes"):
        await store.query(NOTES, "x", index=stranger, limit=1)


@pytest.mark.parametrize("limit", [0, -1, 1001])
async def test_a_limit_out_of_bounds_is_refused(store: Store, limit: int) -> None:
    with pytest.raises(InvalidQuery, match="1 to 1000"):
        await store.query(NOTES, "p", limit=limit)


async def test_a_range_upside_down_is_refused(store: Store) -> None:
    with pytest.raises(InvalidQuery, match="above the high end"):
        await store.query(NOTES, "p", Range("b", "a"), limit=1)


async def test_an_empty_partition_or_bound_is_refused(store: Store) -> None:
    with pytest.raises(InvalidKey):
        await store.query(NOTES, "", limit=1)
    for sort in (Prefix(""), Bound("=", ""), Range("", "x")):
        with pytest.raises(InvalidKey):
            await store.query(NOTES, "p", sort, limit=1)


async def test_a_cursor_that_was_tampered_with_is_refused(store: Store) -> None:
    await fill(store, "a", "b", "c")
    cursor = (await store.query(NOTES, "p", limit=1)).next
    assert cursor is not None
    swapped = ("A" if cursor[0] != "A" else "B") + cursor[1:]
    ended = cursor[:-2] + ("A" if cursor[-2] != "A" else "B") + cursor[-1]
    filled = (f"{cursor}!!", f"{cursor[:5]}~{cursor[5:]}", f"{cursor}\n", f"{cursor}====")
    shorter = (cursor[:-4], cursor[:8], "x", "")
    for bad in (swapped, ended, *shorter, *filled, cursor + "AAAA", "é", "🙂"):
        with pytest.raises(InvalidCursor):
            await store.query(NOTES, "p", limit=1, cursor=bad)
    assert (await store.query(NOTES, "p", limit=9, cursor=cursor)).items == (
        note(sk="b"),
        note(sk="c"),
    )


async def test_a_cursor_of_another_query_is_refused(store: Store) -> None:
    await fill(store, "a", "b", "c", owner="ada", at="1", state="p")
    await fill(store, "a", "b", "c", pk="q")
    cursor = (await store.query(NOTES, "p", limit=1)).next
    with pytest.raises(InvalidCursor):
        await store.query(NOTES, "q", limit=1, cursor=cursor)
    with pytest.raises(InvalidCursor):
        await store.query(NOTES, "p", limit=1, cursor=cursor, backward=True)
    with pytest.raises(InvalidCursor):
        await store.query(NOTES, "p", Prefix("a"), limit=1, cursor=cursor)
    with pytest.raises(InvalidCursor):
        await store.query(NOTES, "p", index=BY_STATE, limit=1, cursor=cursor)


async def test_a_cursor_may_go_on_with_another_limit(store: Store) -> None:
    await fill(store, *SORTED)
    first = await store.query(NOTES, "p", limit=1)
    rest = await store.query(NOTES, "p", limit=100, cursor=first.next)
    assert [item["sk"] for item in rest.items] == SORTED[1:]


# What a model makes of the items


class Seq(Struct, frozen=True):
    sk: str
    seq: int


def seq_of(item: Item) -> Seq:
    assert isinstance(item["seq"], int)
    return Seq(str(item["sk"]), item["seq"])


def nothing_of(item: Item) -> None:
    pass


async def test_a_query_applies_the_model_to_the_items(store: Store) -> None:
    await fill(store, *SORTED, seq=7)
    page = await store.query_as(seq_of, NOTES, "p", Prefix("MSG#"), limit=3, backward=True)
    assert page.items == (Seq("MSG#3", 7), Seq("MSG#2", 7), Seq("MSG#10", 7))
    assert page.has_more
    rest = await store.query(NOTES, "p", Prefix("MSG#"), limit=3, backward=True, cursor=page.next)
    assert [item["sk"] for item in rest.items] == ["MSG#1"]
    assert not rest.has_more


async def test_a_model_gets_the_current_item_after_earlier_reads(
    store: Store,
) -> None:
    await fill(store, "MSG#1", "MSG#2", seq=1)
    for seq in (1, 2, 1, 3):
        await store.write(Update(NOTES, at("p", "MSG#2"), (F("seq").set(seq),)))
        for _ in range(2):
            page = await store.query_as(seq_of, NOTES, "p", limit=10, consistent=True)
            assert page.items == (Seq("MSG#1", 1), Seq("MSG#2", seq))
    await store.write(Delete(NOTES, at("p", "MSG#2")))
    page = await store.query_as(seq_of, NOTES, "p", limit=10, consistent=True)
    assert page.items == (Seq("MSG#1", 1),)


async def test_models_do_not_share_cached_results(store: Store) -> None:
    await fill(store, "MSG#1", seq=1)
    for _ in range(2):
        assert (await store.query_as(seq_of, NOTES, "p", limit=1)).items == (Seq("MSG#1", 1),)
        assert (await store.query_as(nothing_of, NOTES, "p", limit=1)).items == (None,)


async def test_a_query_with_a_model_costs_the_same(store: Store) -> None:
    await fill(store, *SORTED, text="x" * 3000, seq=1)
    costs = []
    for _ in range(2):
        with store.counting() as with_model:
            await store.query_as(seq_of, NOTES, "p", limit=4, consistent=True)
        with store.counting() as without:
            await store.query(NOTES, "p", limit=4, consistent=True)
        costs += [with_model.read_units, without.read_units]
    assert len(set(costs)) == 1
    assert costs[0] > 1
