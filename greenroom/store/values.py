"""Validates and measures attribute values, identically for both engines.

Numbers are exact: int or Decimal of up to 38 digits. An integral one is always read back as int
(`Decimal("1.0")` becomes `1`). Floats are refused because they would not round-trip. Sets are read
back as frozensets. Sizes follow DynamoDB's rules for billing and limits.
"""

from collections.abc import Mapping, Sequence, Set as AbstractSet
from decimal import Context, Decimal
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from greenroom.errors import quoted
from greenroom.store.problems import InvalidItem

Scalar: TypeAlias = str | int | Decimal | bool | bytes | None
Value: TypeAlias = (
    Scalar
    | Sequence["Value"]
    | Mapping[str, "Value"]
    | AbstractSet[str]
    | AbstractSet[int | Decimal]
    | AbstractSet[bytes]
)
Item: TypeAlias = Mapping[str, Value]

MAX_ITEM_BYTES = 400 * 1024
_MAX_DEPTH = 31
_MAX_NAME_BYTES = 255
_MAX_DIGITS = 38
_LARGEST = Decimal("9.9999999999999999999999999999999999999E+125")
_SMALLEST = Decimal("1E-130")
_INT64 = 1 << 63
_MOST_BITS = 420  # a little more than 9.99E+125: longer numbers are refused unconverted

TOO_DEEP = f"its maps and lists are more than {_MAX_DEPTH} deep"
TOO_MANY_DIGITS = f"a number must have at most {_MAX_DIGITS} significant digits"
OUT_OF_RANGE = "a number must be between 1E-130 and 9.99E+125, above or below 0"

_EXACT = Context(prec=1000)  # the usual 28 digits would round


class ItemSize(NamedTuple):
    size: int
    is_plain: bool = False
    """Whether it holds only text, booleans, bytes, None, 64-bit integers, and lists and maps of
    these."""


def item_size(item: Item) -> int:
    """The item's size by DynamoDB's rules. Raises for values that cannot be stored."""
    return measure(item).size


def measure(item: Item) -> ItemSize:
    """As `item_size`, in one pass that is fast for common types."""
    size, is_plain = _names_size(tuple(item)), True
    for name, value in item.items():
        kind = type(value)
        if kind is str and value.isascii():  # type: ignore[union-attr]
            size += len(value)  # type: ignore[arg-type]
        elif kind is int and 0 < value < _INT64 and value % 10:  # type: ignore[operator]
            size += (len(str(value)) + 3) // 2  # as `_number_size` does for all numbers
        elif kind is dict or kind is list:
            inner, plain = _measure_container(name, value, 1)
            size += inner
            is_plain = is_plain and plain
        elif kind is str:
            size += _text_size(name, value)  # type: ignore[arg-type]
        else:
            size += _value_size(name, value, 1)
            is_plain = is_plain and _is_plain(value)
    return ItemSize(size, is_plain)


def _measure_container(attribute: str, value: Any, depth: int) -> tuple[int, bool]:
    """The size of a map or list, and whether it is plain."""
    _check_depth(attribute, depth)
    size, is_plain = 3 + len(value), True
    if type(value) is dict:
        if not value:
            return size, is_plain
        size += _inner_names_size(attribute, value)
        value = value.values()
    for inner in value:
        kind = type(inner)
        if kind is str and inner.isascii():
            size += len(inner)
        elif kind is int and 0 < inner < _INT64 and inner % 10:
            size += (len(str(inner)) + 3) // 2
        elif kind is dict or kind is list:
            weight, plain = _measure_container(attribute, inner, depth + 1)
            size += weight
            is_plain = is_plain and plain
        else:
            size += _value_size(attribute, inner, depth + 1)
            is_plain = is_plain and _is_plain(inner)
    return size, is_plain


def _inner_names_size(attribute: str, names: dict[Any, Any]) -> int:
    """The size of the names of a nested map; fast for short ASCII names."""
    try:
        joined = "".join(names)
    except TypeError:
        joined = ""
    if joined.isascii() and 0 < len(joined) <= _MAX_NAME_BYTES and "" not in names:
        return len(joined)
    return sum([_name_size(attribute, name) for name in names])


def _is_plain(value: Value) -> bool:
    kind = type(value)
    if kind is int:
        return -_INT64 <= value < _INT64  # type: ignore[operator]
    return kind is str or kind is bool or value is None or kind is bytes


def attribute_size(name: str, value: Value) -> int:
    return _name_size(name, name) + _value_size(name, value, 1)


def value_size(attribute: str, value: Value) -> int:
    kind = type(value)
    if kind is str and value.isascii():  # type: ignore[union-attr]
        return len(value)  # type: ignore[arg-type]
    if kind is int:
        return _number_size(attribute, value)  # type: ignore[arg-type]
    return _value_size(attribute, value, 1)


def canonical(value: Value) -> Value:
    """The value as it is read back: integral numbers as int, frozen sets, maps as dict."""
    kind = type(value)
    if kind is str or kind is int or kind is bool or kind is bytes or value is None:
        return value
    if isinstance(value, Decimal):
        return number(value)
    if isinstance(value, str):
        return str.__str__(value)  # not str(), which gives an enum's name
    if isinstance(value, int):
        return int(value)
    if isinstance(value, Mapping):
        return {name: canonical(inner) for name, inner in value.items()}
    if isinstance(value, AbstractSet):
        return frozenset(canonical(member) for member in value)  # type: ignore[return-value]
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return [canonical(inner) for inner in value]
    return value


def number(value: Decimal) -> int | Decimal:
    if value == value.to_integral_value():
        return int(value)
    return _EXACT.normalize(value)


def _text_size(attribute: str, text: str) -> int:
    if text.isascii():
        return len(text)
    try:
        return len(text.encode())
    except UnicodeEncodeError:
        raise InvalidItem(attribute, "the text is not valid Unicode") from None


@lru_cache(4096)
def _name_size(attribute: str, name: str) -> int:
    if not isinstance(name, str):
        called = quoted(attribute) if isinstance(attribute, str) else type(name).__name__
        raise InvalidItem(called, "the names of attributes and in maps must be text")
    size = _text_size(attribute, name)
    if not 1 <= size <= _MAX_NAME_BYTES:
        raise InvalidItem(quoted(attribute), f"a name must have 1 to {_MAX_NAME_BYTES} bytes")
    return size


check_name = _name_size


@lru_cache(1024)
def _names_size(names: tuple[str, ...]) -> int:
    """The size of all names. Cached, because items of one kind have the same names."""
    return sum([_name_size(name, name) for name in names])


def _check_depth(attribute: str, depth: int) -> None:
    if depth > _MAX_DEPTH:
        raise InvalidItem(attribute, TOO_DEEP)


def _value_size(attribute: str, value: Value, depth: int) -> int:
    kind = type(value)
    if kind is str:
        return _text_size(attribute, value)  # type: ignore[arg-type]
    if kind is int:
        return _number_size(attribute, value)  # type: ignore[arg-type]
    if kind is bool or value is None:
        return 1
    if kind is bytes:
        return len(value)  # type: ignore[arg-type]
    return _uncommon_size(attribute, value, depth)


def _uncommon_size(attribute: str, value: Value, depth: int) -> int:
    if isinstance(value, Mapping):
        _check_depth(attribute, depth)
        size = 3
        for name, inner in value.items():
            size += 1 + _name_size(attribute, name) + _value_size(attribute, inner, depth + 1)
        return size
    if isinstance(value, bytes):
        return len(value)
    if isinstance(value, str):
        return _text_size(attribute, value)
    if isinstance(value, Decimal | int):
        return _number_size(attribute, value)
    if isinstance(value, AbstractSet):
        return _set_size(attribute, value)
    if isinstance(value, Sequence) and not isinstance(value, bytearray | memoryview):
        _check_depth(attribute, depth)
        return 3 + sum(1 + _value_size(attribute, inner, depth + 1) for inner in value)
    if isinstance(value, float):
        raise InvalidItem(attribute, "a float cannot be stored exactly; use int or Decimal")
    raise InvalidItem(attribute, f"{type(value).__name__} is not a type that can be stored")


def _set_size(attribute: str, members: AbstractSet[object]) -> int:
    if not members:
        raise InvalidItem(attribute, "a set must have at least one member")
    kinds = {_set_kind(attribute, member) for member in members}
    if len(kinds) != 1:
        raise InvalidItem(
            attribute, "the members of a set must be all text, all numbers or all bytes"
        )
    sizes: list[int] = [_value_size(attribute, member, 1) for member in members]  # type: ignore[arg-type]
    return sum(sizes)


def _set_kind(attribute: str, member: object) -> str:
    match member:
        case bool():
            raise InvalidItem(attribute, "a set cannot have booleans")
        case str():
            return "S"
        case int() | Decimal():
            return "N"
        case bytes():
            return "B"
        case _:
            raise InvalidItem(attribute, f"a set cannot have {type(member).__name__}")


def _number_size(attribute: str, value: int | Decimal) -> int:
    """DynamoDB's size of a number: a byte per two significant digits, plus 1 (2 if negative)."""
    if type(value) is int and -_INT64 < value < _INT64:
        if 0 < value < 100:
            return 2
        if value % 10:  # no trailing zeros: the common case
            return (len(str(value)) + 1 - (value < 0)) // 2 + 1 + (value < 0)
        text = str(value).lstrip("-")
        leading = len(text)
        text = text.rstrip("0")
        # Digits are packed in pairs from the decimal point.
        odd = (leading - len(text)) % 2
        return 1 if not text else (len(text) + 1 + odd) // 2 + 1 + (value < 0)
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        raise InvalidItem(attribute, OUT_OF_RANGE)
    return _decimal_size(attribute, Decimal(value))


def _decimal_size(attribute: str, value: Decimal) -> int:
    if not value.is_finite():
        raise InvalidItem(attribute, "NaN and infinity cannot be stored")
    if value == 0:
        return 1
    sign, digits, exponent = value.as_tuple()
    text = "".join(map(str, digits)).lstrip("0")
    stripped = text.rstrip("0")
    assert isinstance(exponent, int)
    exponent += len(text) - len(stripped)
    if len(stripped) > _MAX_DIGITS:
        raise InvalidItem(attribute, TOO_MANY_DIGITS)
    if not _SMALLEST <= value.copy_abs() <= _LARGEST:
        raise InvalidItem(attribute, OUT_OF_RANGE)
    return (len(stripped) + 1 + exponent % 2) // 2 + 1 + sign
