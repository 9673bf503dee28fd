"""Values are read back exactly as written, or refused, on both engines."""

from decimal import Decimal
from types import MappingProxyType

import pytest

from greenroom.store.base import Put, Store, Update
from greenroom.store.expressions import F
from greenroom.store.problems import InvalidItem, ItemTooLarge
from greenroom.store.values import Value, item_size
from tests.contracts.tables import BY_OWNER, BY_STATE, NOTES, at, exact, label, note

LARGEST = 10**126 - 10**88
"""38 nines and 88 zeros."""

EXACT: list[Value] = [
    "",
    "text",
    "NUL \x00 in the middle\x00",
    "\x00",
    "é ﬁ 😀 \U0010ffff \uffff",
    "e\u0301 stays decomposed",
    "\r\n\t\u2028",
    0,
    1,
    -1,
    2**63 - 1,
    2**63,
    -(2**63),
    -(2**64) - 1,
    10**38 - 1,
    -(10**38 - 1),
    10**37,
    10**125,
    LARGEST,
    -LARGEST,
    Decimal("0.1"),
    Decimal("-0.5"),
    Decimal("3.1415926535897932384626433832795028841"),
    Decimal("1E-130"),
    Decimal("-1E-130"),
    Decimal("1.2345678901234567890123456789012345678E-90"),
    True,
    False,
    None,
    b"",
    b"\x00\xff",
    [],
    {},
    [1, [2, [3]], {"a": None}],
    {"a": {"b": [True, 1, "1", b"1", Decimal("1.5")]}},
    frozenset({"a", "b", ""}),
    frozenset({"😀", "é"}),
    frozenset({1, Decimal("1.5"), -(10**30)}),
    frozenset({b"", b"\x00"}),
    [frozenset({"x"}), {"s": frozenset({1})}],
]


@pytest.mark.parametrize("value", EXACT, ids=label)
async def test_a_value_comes_back_exactly(store: Store, value: Value) -> None:
    await store.write(Put(NOTES, note(v=value, owner="ada", at="1")))
    assert exact(await store.get(NOTES, at(), consistent=True)) == exact(
        note(v=value, owner="ada", at="1")
    )
    answer = await store.write(Update(NOTES, at(), (F("w").set(value),)))
    assert answer is not None
    assert exact(answer["w"]) == exact(value)
    [entry] = (await store.query(NOTES, "ada", index=BY_OWNER, limit=1)).items
    assert exact(entry["v"]) == exact(value)
    await store.write(Update(NOTES, at(), (F("same").set(True),), F("v").equals(value)))


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (Decimal("1.0"), 1),
        (Decimal("1E+3"), 1000),
        (Decimal("-0"), 0),
        (Decimal("-0.0"), 0),
        (Decimal("1.500"), Decimal("1.5")),
        (Decimal("0.00000001"), Decimal("1E-8")),
        (Decimal("100000000000000000000000000000000000000.0"), 10**38),
        ((1, 2), [1, 2]),
        ({"a", "b"}, frozenset({"a", "b"})),
        ({Decimal("2.0"), Decimal("2.50")}, frozenset({2, Decimal("2.5")})),
        (MappingProxyType({"a": (1,)}), {"a": [1]}),
    ],
    ids=label,
)
async def test_a_value_has_one_form_when_it_is_read(
    store: Store, given: Value, read: Value
) -> None:
    await store.write(Put(NOTES, note(v=given)))
    assert exact(await store.get(NOTES, at(), consistent=True)) == exact(note(v=read))
    await store.write(Update(NOTES, at(), (F("v").set(given),), F("v").equals(given)))
    assert exact(await store.get(NOTES, at(), consistent=True)) == exact(note(v=read))


REFUSED: list[tuple[object, str]] = [
    (1.5, "float"),
    (float("nan"), "float"),
    ([0.5], "float"),
    ({"a": {"b": 1.0}}, "float"),
    ({0.5}, "float"),
    (set(), "at least one member"),
    ({"a": frozenset()}, "at least one member"),
    ({1, "a"}, "all text, all numbers or all bytes"),
    ({True}, "booleans"),
    ({None}, "NoneType"),
    ({("a",)}, "tuple"),
    (10**38 + 1, "38"),
    (Decimal("1.23456789012345678901234567890123456789"), "38"),
    (LARGEST * 10, "between"),
    (10**126, "between"),
    (Decimal("1E-131"), "between"),
    (Decimal("NaN"), "NaN"),
    (Decimal("Infinity"), "NaN"),
    ("\ud800", "Unicode"),
    ("a\udc00b", "Unicode"),
    ({"\ud800": 1}, "Unicode"),
    ({"\ud83d\ude00"}, "Unicode"),
    ({1: "a"}, "must be text"),
    ({"": 1}, "1 to 255 bytes"),
    ({"n" * 256: 1}, "1 to 255 bytes"),
    (object(), "object"),
    (bytearray(b"x"), "bytearray"),
    ([memoryview(b"x")], "memoryview"),
    (range(3).__iter__(), "range_iterator"),
]


@pytest.mark.parametrize(("value", "reason"), REFUSED, ids=label)
async def test_a_value_that_would_not_come_back_is_refused(
    store: Store, value: object, reason: str
) -> None:
    with pytest.raises(InvalidItem, match=reason) as refusal:
        await store.write(Put(NOTES, note(ok=1, v=value)))
    assert refusal.value.attribute == "v"
    assert "'v'" in str(refusal.value)
    assert await store.get(NOTES, at(), consistent=True) is None


@pytest.mark.parametrize("name", ["owner", "at", "state", "tag"])
@pytest.mark.parametrize("value", ["", 5, True, None, b"x", ["x"], {"x"}], ids=label)
async def test_an_index_key_is_text_and_not_empty(store: Store, name: str, value: Value) -> None:
    with pytest.raises(InvalidItem, match="key of index") as refusal:
        await store.write(Put(NOTES, {**note(), name: value}))
    assert refusal.value.attribute == name
    assert await store.get(NOTES, at(), consistent=True) is None


async def test_an_index_key_keeps_to_the_size_of_a_key(store: Store) -> None:
    fits = note(owner="o" * 2048, at="é" * 512)
    await store.write(Put(NOTES, fits))
    assert (await store.query(NOTES, "o" * 2048, index=BY_OWNER, limit=1)).items == (fits,)
    for name, text in (("owner", "o" * 2049), ("at", "é" * 513), ("tag", "é" * 1025)):
        with pytest.raises(InvalidItem, match="bytes"):
            await store.write(Put(NOTES, note(**{name: text})))


async def test_an_item_has_at_most_400_kb_with_its_names(store: Store) -> None:
    room = 400 * 1024 - item_size(note(body=""))
    fits = note(body="x" * room)
    assert item_size(fits) == 400 * 1024
    await store.write(Put(NOTES, fits))
    assert await store.get(NOTES, at(), consistent=True) == fits
    with pytest.raises(ItemTooLarge, match="'Notes' would have more than 409600 bytes"):
        await store.write(Put(NOTES, note(body="x" * (room + 1))))
    with pytest.raises(ItemTooLarge):
        await store.write(Put(NOTES, note(body="é" * (room // 2 + 1))))
    assert await store.get(NOTES, at(), consistent=True) == fits


async def test_lists_and_maps_are_nested_at_most_31_deep(store: Store) -> None:
    deep: Value = []
    for n in range(30):
        deep = [deep] if n % 2 else {"m": deep}
    await store.write(Put(NOTES, note(v=deep)))
    assert await store.get(NOTES, at(), consistent=True) == note(v=deep)
    with pytest.raises(InvalidItem, match="31 deep"):
        await store.write(Put(NOTES, note(v=[deep])))
    assert await store.get(NOTES, at(), consistent=True) == note(v=deep)


@pytest.mark.parametrize("name", ["", "n" * 256, "é" * 128], ids=["empty", "long", "long in bytes"])
async def test_the_name_of_an_attribute_has_1_to_255_bytes(store: Store, name: str) -> None:
    with pytest.raises(InvalidItem, match="1 to 255 bytes"):
        await store.write(Put(NOTES, {**note(), name: 1}))
    await store.write(Put(NOTES, {**note(), "n" * 255: 1}))


async def test_one_and_true_are_not_the_same(store: Store) -> None:
    await store.write(Put(NOTES, note(one=1, yes=True, list=[1, True])))
    read = await store.get(NOTES, at(), consistent=True)
    assert read is not None
    assert type(read["one"]) is int
    assert type(read["yes"]) is bool
    assert exact(read["list"]) == exact([1, True])


async def test_keys_with_nul_and_astral_characters_are_distinct(store: Store) -> None:
    keys = ["a", "a\x00", "a\x00\x00", "a\x00b", "\x00", "😀", "\U0001f601"]
    for n, sk in enumerate(keys):
        await store.write(Put(NOTES, note("p\x00", sk, n=n, state="s\x00")))
    for n, sk in enumerate(keys):
        assert await store.get(NOTES, at("p\x00", sk), consistent=True) == note(
            "p\x00", sk, n=n, state="s\x00"
        )
    page = await store.query(NOTES, "s\x00", index=BY_STATE, limit=20)
    assert [item["sk"] for item in page.items] == sorted(keys, key=str.encode)
    assert (await store.query(NOTES, "p", limit=9)).items == ()
