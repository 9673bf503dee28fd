"""Validates calls before they reach an engine, so that both engines refuse the same input.

Checks that depend on the current item (a condition, an Add to a text) are in the engines.
"""

from collections.abc import Sequence
from decimal import Decimal

from greenroom.store.base import Check, ItemAddress, Key, Op, Put, Update, address_of
from greenroom.store.expressions import (
    Absent,
    Action,
    Add,
    And,
    Append,
    BeginsWith,
    Between,
    Compare,
    Condition,
    Contains,
    Discard,
    Exists,
    In,
    Not,
    Or,
    Path,
    Range,
    Remove,
    Set,
    SetIfAbsent,
    SizeOf,
    SortRange,
)
from greenroom.store.problems import (
    InvalidExpression,
    InvalidItem,
    InvalidKey,
    InvalidQuery,
    InvalidTransaction,
    ItemTooLarge,
)
from greenroom.store.tables import Index, Table, index_key_names
from greenroom.store.values import (
    MAX_ITEM_BYTES,
    Item,
    ItemSize,
    Value,
    attribute_size,
    check_name,
    measure,
    value_size,
)

MAX_OPS = 100
MAX_TRANSACTION_BYTES = 4 * 1024 * 1024
TOO_MANY_BYTES = f"its items have more than {MAX_TRANSACTION_BYTES} bytes"
MAX_BATCH = 100
MAX_LIMIT = 1000
MAX_IN = 99
"""AWS accepts 99, although its documentation and DynamoDB Local say 100."""
MAX_PARTITION_BYTES = 2048
MAX_SORT_BYTES = 1024
MAX_TOKEN = 36
MAX_EXPRESSION = 4096
"""Characters of a DynamoDB expression; `_max_length` is an upper bound."""
MAX_NESTED = 300


def check_write(ops: Sequence[Op], token: str | None) -> tuple[list[ItemSize], list[ItemAddress]]:
    """The size of each op (a Put's item, an Update's values, else 0), and its address."""
    if not ops:
        raise InvalidTransaction("it must have at least one op")
    if token is not None:
        check_token(token)
    if len(ops) == 1:
        if isinstance(ops[0], Check) and token is None:
            raise InvalidTransaction("a lone Check writes nothing")
        return [check_op(ops[0])], [address_of(ops[0])]
    if len(ops) > MAX_OPS:
        raise InvalidTransaction(f"it must have at most {MAX_OPS} ops, not {len(ops)}")
    weights = [check_op(op) for op in ops]
    addresses = [address_of(op) for op in ops]
    if len(set(addresses)) != len(addresses):
        raise InvalidTransaction("two of its ops are for the same item")
    if sum([weight.size for weight in weights]) > MAX_TRANSACTION_BYTES:
        raise InvalidTransaction(TOO_MANY_BYTES)
    return weights, addresses


def check_token(token: str) -> None:
    if not 1 <= len(token) <= MAX_TOKEN:
        raise InvalidTransaction(f"a token must have 1 to {MAX_TOKEN} characters")
    if not token.isascii():
        try:
            token.encode()
        except UnicodeEncodeError:
            raise InvalidTransaction("the token is not valid Unicode") from None


def check_op(op: Op) -> ItemSize:
    condition = op.condition
    if condition is not None:
        values = check_condition(op.table, condition)
        if values > MAX_ITEM_BYTES or (
            type(condition) in _COMPOUND and _max_length(condition) > MAX_EXPRESSION
        ):
            raise InvalidExpression("", "the condition is too long")
    if isinstance(op, Put):
        return check_item(op.table, op.item)
    check_key(op.table, op.key)
    if isinstance(op, Update):
        return ItemSize(check_actions(op.table, op.actions))
    return _NO_SIZE


_NO_SIZE = ItemSize(0)


def check_item(table: Table, item: Item) -> ItemSize:
    """Raises if the item cannot be stored in the table; returns its size."""
    weight = measure(item)
    partition = item.get(table.partition)
    sort = None if table.sort is None else item.get(table.sort)
    if not (_is_simple_key(partition) and _is_simple_key(sort)):
        _check_key_part(table, table.partition, partition, MAX_PARTITION_BYTES)
        if table.sort is not None:
            _check_key_part(table, table.sort, sort, MAX_SORT_BYTES)
    for index in table.indexes:
        if index.partition in item or index.sort in item:
            check_index_key(index, item)
    if weight.size > MAX_ITEM_BYTES:
        raise ItemTooLarge(table.name, MAX_ITEM_BYTES)
    return weight


def check_updated(table: Table, old: Item, old_size: int, new: Item, changed: set[str]) -> int:
    """The new item's size, from the old size and the changed attributes."""
    size = old_size
    for name in changed:
        if name not in old:
            size += attribute_size(name, new[name]) if name in new else 0
        elif name in new:
            size += value_size(name, new[name]) - value_size(name, old[name])
        else:
            size -= attribute_size(name, old[name])
    for index in table.indexes:
        if index.partition in changed or index.sort in changed:
            check_index_key(index, new)
    if size > MAX_ITEM_BYTES:
        raise ItemTooLarge(table.name, MAX_ITEM_BYTES)
    return size


def _is_simple_key(value: object) -> bool:
    """Whether it is a short ASCII string, which is valid as any key."""
    return type(value) is str and 0 < len(value) <= MAX_SORT_BYTES and value.isascii()


def check_index_key(index: Index, item: Item) -> None:
    for name, most in ((index.partition, MAX_PARTITION_BYTES), (index.sort, MAX_SORT_BYTES)):
        if name is None or name not in item:
            continue
        value = item[name]
        if _is_simple_key(value):
            continue
        if not isinstance(value, str):
            raise InvalidItem(name, f"as a key of index {index.name} it must be text")
        if not value:
            raise InvalidItem(name, f"as a key of index {index.name} it must not be empty")
        if len(value) * 4 > most and len(value.encode()) > most:
            raise InvalidItem(
                name, f"as a key of index {index.name} it must have at most {most} bytes"
            )


def check_key(table: Table, key: Key) -> None:
    if _is_simple_key(key.partition) and _is_simple_key(key.sort) and table.sort is not None:
        return
    _check_key_part(table, table.partition, key.partition, MAX_PARTITION_BYTES)
    if table.sort is not None:
        _check_key_part(table, table.sort, key.sort, MAX_SORT_BYTES)
    elif key.sort is not None:
        raise InvalidKey(table.name, "the table has no sort key")


def _check_key_part(table: Table, name: str, value: object, most: int) -> None:
    if type(value) is str and 0 < len(value) <= most and value.isascii():
        return
    if not isinstance(value, str):
        raise InvalidKey(table.name, f"{name} must be text")
    if not value:
        raise InvalidKey(table.name, f"{name} must not be empty")
    if len(value) * 4 > most and len(value.encode(errors="surrogatepass")) > most:
        raise InvalidKey(table.name, f"{name} must have at most {most} bytes")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise InvalidKey(table.name, f"{name} is not valid Unicode") from None


def check_batch(table: Table, keys: Sequence[Key]) -> None:
    if len(keys) > MAX_BATCH:
        raise InvalidQuery(f"it can read at most {MAX_BATCH} keys at once, not {len(keys)}")
    for key in keys:
        check_key(table, key)


def check_limit(limit: int) -> None:
    if not 1 <= limit <= MAX_LIMIT:
        raise InvalidQuery(f"a page must have 1 to {MAX_LIMIT} items")


def check_query(
    table: Table,
    partition: str,
    sort: SortRange | None,
    index: Index | None,
    limit: int,
    consistent: bool,
) -> None:
    check_limit(limit)
    if index is not None and index not in table.indexes:
        raise InvalidQuery(f"{index.name} is not an index of {table.name}")
    if index is not None and consistent:
        raise InvalidQuery("an index cannot be read consistently")
    source = table if index is None else index
    _check_key_part(table, source.partition, partition, MAX_PARTITION_BYTES)
    if sort is None:
        return
    if source.sort is None:
        raise InvalidQuery(f"{source.name} has no sort key to range over")
    match sort:
        case Range(low, high):
            if low > high:
                raise InvalidQuery("the low end of the range is above the high end")
            texts = [low, high]
        case _:
            texts = [sort.text]
    for text in texts:
        _check_key_part(table, source.sort, text, MAX_SORT_BYTES)


def check_condition(table: Table, condition: Condition, depth: int = 1) -> int:
    """The total size of its values."""
    if type(condition) is Absent or type(condition) is Exists:
        check_path(table, condition.path)
        return 0
    match condition:
        case Compare(operand, comparator, value):
            weight = _check_operand(table, operand, value)
            if comparator not in ("=", "<>") and _ordered(value) is None:
                raise InvalidExpression(
                    _name(operand), "only text, numbers and bytes have an order"
                )
            return weight
        case Between(operand, low, high):
            weight = _check_operand(table, operand, low) + _check_operand(table, operand, high)
            if _ordered(low) is None or _ordered(low) != _ordered(high):
                raise InvalidExpression(_name(operand), "both ends must be text, numbers or bytes")
            if low > high:  # type: ignore[operator]
                raise InvalidExpression(_name(operand), "the low end is above the high end")
            return weight
        case BeginsWith(path, prefix):
            if not isinstance(prefix, str | bytes):
                raise InvalidExpression(_name(path), "a prefix must be text or bytes")
            return _check_operand(table, path, prefix)
        case Contains(path, value):
            weight = _check_operand(table, path, value)
            if _ordered(value) is None:
                raise InvalidExpression(
                    _name(path), "what it contains must be text, a number or bytes"
                )
            return weight
        case In(operand, values):
            if not 1 <= len(values) <= MAX_IN:
                raise InvalidExpression(_name(operand), f"it must be one of 1 to {MAX_IN} values")
            return sum(_check_operand(table, operand, value) for value in values)
    return _check_parts(table, condition, depth)


def _check_parts(table: Table, condition: Condition, depth: int) -> int:
    if depth > MAX_NESTED:
        raise InvalidExpression("", "the condition is nested too deeply")
    match condition:
        case And(parts) | Or(parts):
            return sum([check_condition(table, part, depth + 1) for part in parts])
        case Not(part):
            return check_condition(table, part, depth + 1)
    raise AssertionError(f"no such condition: {condition!r}")


_STEP_LENGTH, _VALUE_LENGTH, _LEAF_LENGTH, _JOINT_LENGTH, _ACTION_LENGTH = 6, 6, 28, 8, 30
_SIZE_LENGTH = 6
_COMPOUND = (And, Or, Not, In)
_EMPTY_LENGTH, _NOT_LENGTH = 60, 14  # the second keeps nesting under DynamoDB's 300


def _max_length(condition: Condition) -> int:
    """An upper bound of the text that `dynamo/encode.py` writes."""
    match condition:
        case And(parts) | Or(parts):
            return (
                sum(_max_length(part) + _JOINT_LENGTH for part in parts) if parts else _EMPTY_LENGTH
            )
        case Not(part):
            return _max_length(part) + _NOT_LENGTH
        case In(operand, values):
            return _LEAF_LENGTH + _operand_length(operand) + _VALUE_LENGTH * len(values)
        case Compare(operand, _, _):
            return _LEAF_LENGTH + _operand_length(operand) + _VALUE_LENGTH
        case Between(operand, _, _):
            return _LEAF_LENGTH + _operand_length(operand) + 2 * _VALUE_LENGTH
        case Exists(path) | Absent(path) | BeginsWith(path, _):
            return _LEAF_LENGTH + _STEP_LENGTH * len(path.steps) + 2 * _VALUE_LENGTH
        case Contains(path, _):
            return _LEAF_LENGTH + _STEP_LENGTH * len(path.steps) + _VALUE_LENGTH
    raise AssertionError(f"no such condition: {condition!r}")


def _operand_length(operand: Path | SizeOf) -> int:
    if isinstance(operand, SizeOf):
        return _SIZE_LENGTH + _operand_length(operand.path)
    return _STEP_LENGTH * len(operand.steps)


def check_actions(table: Table, actions: Sequence[Action]) -> int:
    """The total size of its values."""
    if not actions:
        raise InvalidTransaction("an Update must have at least one action")
    weight = length = 0
    firsts: set[str] = set()
    for action in actions:
        path = action.path
        if len(path.steps) == 1 and path.steps[0]:
            check_name(path.steps[0], path.steps[0])
        else:
            check_path(table, path)
        first = path.steps[0]
        if first == table.partition or first == table.sort:
            raise InvalidExpression(_name(path), "an item's key cannot be changed")
        if type(action) is Set:
            weight += value_size(first, action.value)
        else:
            weight += _check_action_value(action)
        length += _ACTION_LENGTH + _STEP_LENGTH * len(path.steps)
        firsts.add(first)
    if length > MAX_EXPRESSION:
        raise InvalidExpression("", "the update has too many actions")
    if len(firsts) != len(actions):
        _check_no_overlap([action.path for action in actions])
    if weight > MAX_ITEM_BYTES:
        raise ItemTooLarge(table.name, MAX_ITEM_BYTES)
    return weight


def _check_no_overlap(paths: Sequence[Path]) -> None:
    for position, path in enumerate(paths):
        for other in paths[:position]:
            shorter = min(len(path.steps), len(other.steps))
            if path.steps[:shorter] == other.steps[:shorter]:
                raise InvalidExpression(_name(path), "two actions change it")


def _check_action_value(action: Action) -> int:
    name = action.path.steps[0]
    match action:
        case Set(_, value) | SetIfAbsent(_, value):
            return value_size(name, value)
        case Append(_, values):
            return sum([value_size(name, value) for value in values])
        case Add(_, amount):
            weight = value_size(name, amount)
            if isinstance(amount, bool) or not isinstance(amount, int | Decimal | set | frozenset):
                raise InvalidExpression(name, "what is added must be a number or a set")
            return weight
        case Discard(_, members):
            weight = value_size(name, members)
            if not isinstance(members, set | frozenset):
                raise InvalidExpression(name, "what is discarded must be a set")
            return weight
        case Remove():
            return 0


def check_path(table: Table, path: Path) -> None:
    if len(path.steps) == 1 and path.steps[0]:
        check_name(path.steps[0], path.steps[0])
        return
    if not path.steps or not all(path.steps):
        raise InvalidExpression(_name(path), "a path must have at least one name, none empty")
    if len(path.steps) > 32:
        raise InvalidExpression(_name(path), "a path must have at most 32 names")
    for step in path.steps:
        check_name(path.steps[0], step)
    if len(path.steps) > 1 and _is_key(table, path.steps[0]):
        raise InvalidExpression(_name(path), "a key must be text, without anything inside")


def _is_key(table: Table, name: str) -> bool:
    return name in table.key_names or any(name in index_key_names(i) for i in table.indexes)


def _check_operand(table: Table, operand: Path | SizeOf, value: Value) -> int:
    path = operand.path if isinstance(operand, SizeOf) else operand
    check_path(table, path)
    return value_size(path.steps[0], value)


def _ordered(value: Value) -> str | None:
    match value:
        case bool():
            return None
        case str():
            return "text"
        case int() | Decimal():
            return "number"
        case bytes():
            return "bytes"
        case _:
            return None


def _name(operand: Path | SizeOf) -> str:
    return operand.path.shown if isinstance(operand, SizeOf) else operand.shown
