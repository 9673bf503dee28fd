"""Makes keys that sort between two others: the order of a tab's objects.

A key is a fraction of 1 in base 62, without the leading `0.` and without zeros at its end. Between
two different keys there is always another one, but it may be longer: a tab gets new keys throughout
(`spread`) before one becomes longer than `MAX_KEY`.
"""

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_BASE = len(_DIGITS)
MAX_KEY = 12
_WIDTH = 3
_ALL = _BASE**_WIDTH
_STEP = 256
"""The distance to a neighbour at the beginning or the end, where most objects are added."""


def between(low: str | None, high: str | None) -> str:
    """A key after `low` and before `high`; None is the beginning and the end."""
    if high is None:
        wanted = _ALL // 2 if low is None else _number(low) + _STEP
        return _key(wanted) if wanted < _ALL else _middle(low or "", None)
    if low is None and _number(high) > _STEP:
        return _key(_number(high) - _STEP)
    return _middle(low or "", high)


def spread(count: int) -> list[str]:
    """Keys for this many objects, far from each other."""
    return [_key((place + 1) * _ALL // (count + 1)) for place in range(count)]


def _middle(low: str, high: str | None) -> str:
    """A short key in between. `low` may be empty, which is the beginning."""
    prefix = ""
    while True:
        first = _DIGITS.index(low[0]) if low else 0
        last = _BASE if high is None else _DIGITS.index(high[0])
        if last - first > 1:
            return prefix + _DIGITS[(first + last) // 2]
        if first == last:
            assert high is not None
            high = high[1:]
        elif high is not None and len(high) > 1:
            return prefix + high[0]
        else:
            high = None
        prefix, low = prefix + _DIGITS[first], low[1:]


def _number(key: str) -> int:
    """The first digits of the key."""
    number = 0
    for digit in key[:_WIDTH].ljust(_WIDTH, _DIGITS[0]):
        number = number * _BASE + _DIGITS.index(digit)
    return number


def _key(number: int) -> str:
    digits = ""
    for _ in range(_WIDTH):
        number, digit = divmod(number, _BASE)
        digits = _DIGITS[digit] + digits
    return digits.rstrip(_DIGITS[0])
