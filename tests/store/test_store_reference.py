"""docs/reference/store.md names every call, op, action, condition and limit."""

from pathlib import Path

import pytest

from greenroom.store import limits, values
from greenroom.store.base import Op, Store
from greenroom.store.expressions import Path as Expression

PAGE = (Path(__file__).parents[2] / "docs/reference/store.md").read_text()


def public(kind: type) -> list[str]:
    return [name for name, what in vars(kind).items() if callable(what) and name[0] != "_"]


@pytest.mark.parametrize("name", [name for name in public(Store) if name != "close"])
def test_every_call_is_described(name: str) -> None:
    assert f"`{name}(" in PAGE


@pytest.mark.parametrize("name", [*public(Expression), *(op.__name__ for op in Op.__args__)])
def test_every_op_action_and_condition_is_named(name: str) -> None:
    assert f"`{name}`" in PAGE or f"`{name}()`" in PAGE


@pytest.mark.parametrize(
    "says",
    [
        f"{values.MAX_ITEM_BYTES // 1024} KB",
        f"1 to {limits.MAX_PARTITION_BYTES}, 1 to {limits.MAX_SORT_BYTES} bytes",
        f"{limits.MAX_OPS} ops, {limits.MAX_TRANSACTION_BYTES // 1024**2} MB",
        f"up to {limits.MAX_BATCH} items",
        f"1 to {limits.MAX_LIMIT} items",
        f"1 to {limits.MAX_IN} values",
        f"1 to {limits.MAX_TOKEN} characters",
        f"{limits.MAX_EXPRESSION} characters",
        f"{values._MAX_DIGITS} significant digits",
        f"{values._MAX_DEPTH} deep",
        f"1 to {values._MAX_NAME_BYTES} bytes",
    ],
)
def test_every_limit_is_documented(says: str) -> None:
    assert says in PAGE
