"""DynamoDB requests have the same bytes as those of a simple reference implementation."""

from collections import OrderedDict
from decimal import Decimal
from enum import IntEnum, StrEnum
from types import MappingProxyType
from typing import Any

import msgspec
import pytest
from hypothesis import assume, given, settings, strategies as st

from greenroom.errors import Problem
from greenroom.store.base import Check, Delete, Op, Put
from greenroom.store.dynamo.attributes import decode, encode
from greenroom.store.dynamo.requests import single_request, transaction_member
from greenroom.store.expressions import Condition, F
from greenroom.store.limits import check_write
from greenroom.store.tables import Table
from greenroom.store.values import canonical
from tests.contracts.sequences import any_op, checks, operands, paths, values
from tests.contracts.tables import ACCOUNTS, NOTES, VISITS, at, note
from tests.store.reference_requests import reference_fields, reference_value

KINDS = {"Put": "Put", "Update": "Update", "Delete": "Delete", "Check": "ConditionCheck"}
seconds = st.sampled_from([None, 0, 4_102_444_800])


def compare(op: Op, now: int | None) -> None:
    plain = reference_fields(op, "t", now)
    kind = KINDS[type(op).__name__]
    written = transaction_member(op, "t", now)
    assert msgspec.json.encode(written) == msgspec.json.encode({kind: plain})
    if kind == "Update":
        plain["ReturnValues"] = "ALL_NEW"
    assert single_request(op, "t", now) == (f"{kind}Item", plain)


@settings(max_examples=150, deadline=None)
@given(st.one_of(any_op, checks), seconds)
def test_random_ops_give_the_same_bytes(op: Op, now: int | None) -> None:
    try:
        check_write((op, Put(ACCOUNTS, {"name": "another"})), None)
    except Problem:
        assume(False)
    compare(op, now)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from([NOTES, VISITS]), paths, operands, seconds)
def test_cached_conditions_give_the_same_bytes_for_every_value(
    table: Table, path: Any, value: Any, now: int | None
) -> None:
    conditions: list[Condition] = [path.absent(), path.equals(value), path.size().equals(1)]
    for condition in conditions:
        for op in (
            Put(table, note(), condition),
            Delete(table, at(), condition),
            Check(table, at(), condition),
        ):
            compare(op, now)


def test_a_cached_condition_has_the_right_text() -> None:
    put = transaction_member(Put(VISITS, note(), F("v").equals(3)), "t", 99)["Put"]
    assert put["ConditionExpression"] == "#0 = :0 AND (NOT #1 <= :1)"
    assert put["ExpressionAttributeNames"] == {"#0": "v", "#1": "expiresAt"}
    assert put["ExpressionAttributeValues"] == {":0": {"N": "3"}, ":1": {"N": "99"}}
    put = transaction_member(Put(VISITS, note(), F("pk").absent()), "t", 98)["Put"]
    assert put["ConditionExpression"] == "attribute_not_exists(#0) OR #1 <= :0"
    assert put["ExpressionAttributeValues"] == {":0": {"N": "98"}}
    put = transaction_member(Put(NOTES, note(), F("pk").absent()), "t", 98)["Put"]
    assert put["ConditionExpression"] == "attribute_not_exists(#0)"
    assert "ExpressionAttributeValues" not in put


@given(values)
def test_values_are_written_plainly_and_come_back(value: Any) -> None:
    assert encode(value) == reference_value(value)
    assert decode(encode(value)) == canonical(value)


class Number(IntEnum):
    ONE = 1


class Word(StrEnum):
    HALLO = "hallo"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (Number.ONE, {"N": "1"}),
        (Word.HALLO, {"S": "hallo"}),
        (True, {"BOOL": True}),
        (Decimal("1.0"), {"N": "1"}),
        (bytearray(b"a"), {"B": "YQ=="}),
        (memoryview(b"a"), {"B": "YQ=="}),
        ((1, "a"), {"L": [{"N": "1"}, {"S": "a"}]}),
        (OrderedDict(b=1, a=2), {"M": {"a": {"N": "2"}, "b": {"N": "1"}}}),
        (MappingProxyType({"b": None}), {"M": {"b": {"NULL": True}}}),
        ({Number.ONE, 3}, {"NS": ["1", "3"]}),
    ],
)
def test_subclasses_are_written_as_their_values(value: Any, written: dict[str, Any]) -> None:
    assert msgspec.json.encode(encode(value)) == msgspec.json.encode(written)


def test_an_invalid_value_is_not_written() -> None:
    with pytest.raises(AssertionError, match="not a storable value"):
        encode(0.5)  # type: ignore[arg-type]
    with pytest.raises(AssertionError, match="type Q"):
        decode({"Q": 1})
