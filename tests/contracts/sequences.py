"""Hypothesis strategies for sequences of store calls, which lockstep.py runs.

Names come from small pools, so that calls often use the same items. `with_namespace` replaces "§"
by the run's namespace, so that sequences can share a pair of stores without seeing each other's
items. TTLs are seconds around the test clock's start.
"""

from collections.abc import Callable
from decimal import Decimal
from functools import cache
from typing import Any, TypeAlias, TypeVar

import msgspec
from hypothesis import strategies as st
from msgspec import Struct

from greenroom.store.base import Check, Delete, Key, Op, Put, Update, key_of
from greenroom.store.expressions import (
    Action,
    And,
    Bound,
    Condition,
    F,
    Not,
    Or,
    Path,
    Prefix,
    Range,
    SortRange,
)
from greenroom.store.tables import Index, Table
from greenroom.store.values import Item, Value
from tests.contracts.tables import ACCOUNTS, NOTES, TABLES, VISITS
from tests.stores import IN_2100_MS

NAMESPACE = "§"
START_S = IN_2100_MS // 1000


class Write(Struct, frozen=True):
    ops: tuple[Op, ...]
    token: str | None = None


class Again(Struct, frozen=True):
    """Repeats an earlier Write with a token, counted from the last one."""

    back: int


class Get(Struct, frozen=True):
    table: Table
    key: Key
    consistent: bool


class BatchGet(Struct, frozen=True):
    table: Table
    keys: tuple[Key, ...]
    consistent: bool


class Walk(Struct, frozen=True):
    """A query, page by page to the end."""

    table: Table
    partition: str
    sort: SortRange | None
    index: Index | None
    limit: int
    backward: bool
    consistent: bool


class Advance(Struct, frozen=True):
    seconds: int


Step: TypeAlias = Write | Again | Get | BatchGet | Walk | Advance
T = TypeVar("T")


def with_namespace(value: T, namespace: str) -> T:
    """The value with the namespace filled in at every level."""
    return _with_namespace(value, namespace)  # type: ignore[no-any-return]


def _with_namespace(value: Any, namespace: str) -> Any:
    match value:
        case str():
            return value.replace(NAMESPACE, namespace)
        case Table() | Index():
            return value
        case Struct():
            fields = msgspec.structs.astuple(value)
            return type(value)(*(_with_namespace(field, namespace) for field in fields))
        case dict():
            return {name: _with_namespace(inner, namespace) for name, inner in value.items()}
        case list() | tuple() | set() | frozenset():
            return type(value)(_with_namespace(inner, namespace) for inner in value)
    return value


def built(make: Callable[..., Any], *parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """As st.builds, which cannot read the types of msgspec's Structs."""
    return st.tuples(*parts).map(lambda drawn: make(*drawn))


def weighted(*choices: tuple[int, st.SearchStrategy[Any]]) -> st.SearchStrategy[Any]:
    """One of these, by weight. st.one_of merges equal branches, and integers near a bound are drawn
    more often."""
    bag = [strategy for weight, strategy in choices for _ in range(weight)]
    return st.sampled_from(range(len(bag))).flatmap(lambda place: bag[place])


PARTITIONS = ("§a", "§b")
SORTS = ("1", "2", "é", "😀", "\uffff")
OWNERS = ("§x", "§y")
"""For the partition key of every index."""
DAYS = ("1", "2", "3")

numbers = st.one_of(
    st.sampled_from([0, 1, -1, 2, 7, 10, 100, Decimal("1.5"), Decimal("-0.01"), 10**37]),
    st.integers(-(10**38) + 1, 10**38 - 1),
    built(
        lambda digits, exponent: Decimal(digits).scaleb(exponent),
        st.integers(-(10**20), 10**20),
        st.integers(-100, 90),
    ),
)
texts = st.one_of(st.sampled_from(["", "a", "ab", "b", "é", "😀z", "a\x00"]), st.text(max_size=4))
blobs = st.sampled_from([b"", b"a", b"ab", b"\xff"])
sets = st.one_of(
    st.frozensets(st.sampled_from(["a", "b", "c", ""]), min_size=1, max_size=3),
    st.frozensets(st.sampled_from([1, 2, 3, Decimal("1.5")]), min_size=1, max_size=3),
    st.frozensets(st.sampled_from([b"a", b"b"]), min_size=1, max_size=2),
)
scalars = st.one_of(numbers, texts, st.booleans(), st.none(), blobs)
values: st.SearchStrategy[Value] = st.recursive(
    st.one_of(scalars, sets),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["k", "n", "w"]), inner, max_size=3),
    ),
    max_leaves=5,
)
unstorable = st.sampled_from([0.5, frozenset(), frozenset({1, "a"}), "\ud800", 10**38 + 1])


def mostly(usual: st.SearchStrategy[Any], rest: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return weighted((24, usual), (1, rest))


maps = st.dictionaries(
    st.sampled_from(["k", "n", "w"]),
    st.one_of(numbers, sets, st.dictionaries(st.sampled_from(["n"]), numbers, max_size=1)),
    max_size=3,
)
pads = st.sampled_from([0, 900, 1100, 3000, 5000]).map(lambda length: "x" * length)
huge = st.just("y" * 250_000)

ATTRIBUTES: dict[str, st.SearchStrategy[Any]] = {
    "n": mostly(numbers, values),
    "s": mostly(texts, values),
    "l": mostly(st.lists(scalars, max_size=3), values),
    "m": mostly(maps, values),
    "w": mostly(sets, values),
    "pad": pads,
    "title": texts,
    "seq": st.integers(0, 3),
}
RARE: dict[str, st.SearchStrategy[Any]] = {
    "pad": huge,
    "pad2": huge,
    "n": unstorable,
    "é.#": values,
}
owners = mostly(st.sampled_from(OWNERS), st.sampled_from(["", 5, "§" + "o" * 2100]))
days = mostly(st.sampled_from(DAYS), st.sampled_from(["", None, "d" * 1100]))
KEYS_OF_INDEXES: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    NOTES.name: {"owner": owners, "at": days, "state": owners, "tag": owners},
    VISITS.name: {"place": owners, "at": days},
    ACCOUNTS.name: {},
}
ends = st.one_of(
    st.sampled_from([START_S + after for after in (1, 4, 5, 8, 9)]),
    st.sampled_from([START_S + after for after in (1, 4, 5, -5, 40)]),
    st.sampled_from([None, "5", Decimal(START_S) + Decimal("3.5"), 10**30]),
)


def attributes(table: Table) -> dict[str, st.SearchStrategy[Any]]:
    found = {**ATTRIBUTES, **KEYS_OF_INDEXES[table.name]}
    if table.ttl is not None:
        found[table.ttl] = ends
    return found


@cache
def keys(table: Table) -> st.SearchStrategy[Key]:
    """Mostly the same few, because only calls on the same items can disagree."""
    partitions = st.sampled_from([PARTITIONS[0]] * 3 + [*PARTITIONS])
    if table.sort is None:
        return mostly(partitions.map(Key), st.sampled_from([Key(""), Key("§a", "x")]))
    return mostly(
        built(Key, partitions, st.sampled_from([SORTS[0]] * 4 + [*SORTS])),
        st.sampled_from([Key("§a", ""), Key("§a")]),
    )


@cache
def items(table: Table) -> st.SearchStrategy[Item]:
    def with_key(key: Key, rest: dict[str, Any]) -> Item:
        named = dict(zip(table.key_names, (key.partition, key.sort), strict=False))
        return {**named, **rest}

    usual = st.fixed_dictionaries({}, optional=attributes(table))
    rare = st.fixed_dictionaries({}, optional=RARE)
    return built(with_key, keys(table), mostly(usual, rare))


paths = st.sampled_from(
    [F(name) for name in ("n", "s", "l", "m", "w", "owner", "at", "gone", "seq", "expiresAt")]
    + [F("m", "k"), F("m", "n"), F("m", "w"), F("m", "k", "n"), F("s", "x"), F("gone", "x")]
    + [F("é.#"), F("pk"), F("owner", "x")]
)
operands = st.one_of(scalars, values, st.sampled_from(OWNERS + DAYS))
ordered = st.one_of(numbers, texts, blobs)
two_numbers: st.SearchStrategy[list[Any]] = st.lists(numbers, min_size=2, max_size=2).map(sorted)
two_texts: st.SearchStrategy[list[Any]] = st.lists(texts, min_size=2, max_size=2).map(sorted)
bounds = st.one_of(two_numbers, two_texts)
lengths = st.integers(-1, 4)

leaves: st.SearchStrategy[Condition] = st.one_of(
    built(Path.exists, paths),
    built(Path.absent, paths),
    built(Path.equals, paths, operands),
    built(Path.differs, paths, operands),
    built(Path.less_than, paths, ordered),
    built(Path.at_most, paths, ordered),
    built(Path.more_than, paths, ordered),
    built(Path.at_least, paths, mostly(ordered, values)),
    built(lambda path, ends: path.between(*ends), paths, bounds),
    built(Path.begins_with, paths, st.one_of(texts, blobs)),
    built(Path.contains, paths, ordered),
    built(lambda path, some: path.is_in(*some), paths, st.lists(operands, max_size=4)),
    built(lambda path, n: path.size().equals(n), paths, lengths),
    built(lambda path, n: path.size().less_than(n), paths, lengths),
    built(lambda path, n: path.size().at_least(n), paths, lengths),
    built(lambda path, n: path.size().differs(n), paths, lengths),
    built(lambda path, n: path.size().between(n, n + 1), paths, lengths),
    built(lambda path, n: path.size().is_in(n, n + 2), paths, lengths),
)
nested: st.SearchStrategy[Condition] = st.recursive(
    leaves,
    lambda inner: st.one_of(
        built(Not, inner),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: And(tuple(parts))),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: Or(tuple(parts))),
    ),
    max_leaves=5,
)


@cache
def conditions(table: Table) -> st.SearchStrategy[Condition]:
    """Conditions that often hold, or test whether the item exists; or any other."""
    there = F(table.partition)
    return st.one_of(
        st.sampled_from([there.exists(), there.absent(), F("n").differs(3), F("gone").absent()]),
        nested,
    )


@cache
def actions(table: Table) -> st.SearchStrategy[tuple[Action, ...]]:
    known = attributes(table)
    setting = st.sampled_from(sorted(known)).flatmap(
        lambda name: built(
            lambda path, value, always: path.set(value) if always else path.set_if_absent(value),
            st.just(F(name)),
            known[name],
            st.booleans(),
        )
    )
    sum_of = built(Path.add, st.just(F("n")), numbers)
    one: st.SearchStrategy[Action] = weighted(
        (6, setting),
        (2, built(Path.set, paths, mostly(values, unstorable))),
        (1, built(Path.set_if_absent, paths, values)),
        (1, built(lambda path, some: path.append(*some), paths, st.lists(values, max_size=2))),
        (1, built(Path.append, st.just(F("l")), values)),
        (1, built(Path.add, paths, mostly(st.one_of(numbers, sets), values))),
        (2, sum_of),
        (1, built(Path.add, st.just(F("w")), sets)),
        (1, built(Path.discard, st.one_of(paths, st.just(F("w"))), mostly(sets, values))),
        (1, built(Path.remove, paths)),
        (2, st.sampled_from(sorted(known)).map(lambda name: F(name).remove())),
    )
    return st.lists(
        one,
        min_size=1,
        max_size=3,
        unique_by=lambda action: action.path.steps[0],
    ).map(tuple)


@cache
def ops(table: Table) -> st.SearchStrategy[Op]:
    condition = weighted((3, st.none()), (2, conditions(table)))
    return weighted(
        (4, built(Put, st.just(table), items(table), condition)),
        (5, built(Update, st.just(table), keys(table), actions(table), condition)),
        (1, built(Delete, st.just(table), keys(table), condition)),
    )


any_table = st.sampled_from([NOTES, NOTES, VISITS, VISITS, ACCOUNTS])
any_op = any_table.flatmap(ops)
checks = any_table.flatmap(
    lambda table: built(Check, st.just(table), keys(table), conditions(table))
)
tokens = st.sampled_from([None, None, None, None, "§t1", "§t2", "§t3"])


def _address(op: Op) -> tuple[str, Key]:
    return (op.table.name, key_of(op))


alone = built(lambda op, token: Write((op,), token), any_op, weighted((2, st.none()), (1, tokens)))
together = built(
    lambda several, token: Write(tuple(several), token),
    mostly(
        st.lists(weighted((3, any_op), (1, checks)), min_size=2, max_size=5, unique_by=_address),
        st.lists(st.one_of(any_op, checks), min_size=1, max_size=3),
    ),
    tokens,
)
gets = any_table.flatmap(lambda table: built(Get, st.just(table), keys(table), st.booleans()))
batches = any_table.flatmap(
    lambda table: built(
        BatchGet, st.just(table), st.lists(keys(table), max_size=6).map(tuple), st.booleans()
    )
)
places = st.sampled_from([SORTS[0]] * 3 + [*SORTS])
ranges: st.SearchStrategy[SortRange] = weighted(
    (1, built(Prefix, st.sampled_from(SORTS + DAYS))),
    (1, st.tuples(places, places).map(lambda pair: Range(*sorted(pair)))),
    (3, built(Bound, st.sampled_from(["=", "<", "<=", ">", ">="]), places)),
)


@cache
def _walk(table: Table) -> st.SearchStrategy[Walk]:
    return st.sampled_from([None, None, *table.indexes]).flatmap(
        lambda index: built(
            Walk,
            st.just(table),
            st.sampled_from([PARTITIONS[0], *PARTITIONS] if index is None else OWNERS),
            weighted((1, st.none()), (2, ranges)),
            st.just(index),
            st.sampled_from([1, 2, 3, 100]),
            st.booleans(),
            st.booleans() if index is None else mostly(st.just(False), st.just(True)),
        )
    )


walks = any_table.flatmap(_walk)
steps: st.SearchStrategy[Step] = weighted(
    (1, built(Again, st.integers(0, 2))),
    (2, built(Advance, st.sampled_from([1, 1, 4]))),
    (8, alone),
    (4, together),
    (2, gets),
    (1, batches),
    (4, walks),
)
sequences = st.lists(steps, min_size=20, max_size=30)
"""Short ones would find too little. Irrelevant steps shrink to `Again(0)`, which does nothing
without an earlier token."""


def as_python(sequence: list[Step]) -> str:
    """The sequence as Python that soak.py's printed program can run."""
    text = ",\n    ".join(map(repr, sequence))
    for table in TABLES:
        for index in table.indexes:
            text = text.replace(f"index={index!r}", f"index=BY_{index.name[2:].upper()}")
        text = text.replace(repr(table), table.name.upper())
    return f"[\n    {text},\n]"
