"""Checks cheaply whether the digits of a text may be a telephone number, before `phones.py`.

It mostly avoids removing harmless numbers, which is slow. Careful: it may say yes where there is no
number, but must never say no where `phones.has_phone` finds one in digits.
"""

# ruff: noqa: RUF001  letters of other scripts are meant

import re

from greenroom.safety.features import table
from greenroom.safety.phones import (
    CANDIDATE,
    CONTACT_WORD,
    CURRENCIES,
    DIGITS,
    LABEL,
    MIN_DIGITS,
    MOST_CANDIDATES,
    NOT_A_DIGIT,
    is_number,
    with_digits,
)

_LABEL_BEFORE = re.compile(rf"(?<!\w){LABEL}\Z")
_LONGEST_LABEL = 40
"""At least as many characters as `LABEL` can match."""
_LAST_ONE_BY_ONE = re.compile(r"\d(?:[^\w\n]{1,3}\d(?!\d)){6}")
"""The first digit may be the rest of a harmless number."""
_CONTACT_PARTS = (
    *("call", "text", "hone", "tel", "cell", "mobil", "num", "ring", "whats", "reach", "contact"),
    *("handy", "ruf", "reich", "llama", "movil", "appel", "portable", "chiama", "liga", "zap"),
    *("bel", "zadzwon", "звон", "ном", "тел"),
)
"""Every match of `CONTACT_WORD` contains one of these, which are faster to find."""

# These check the digits before harmless numbers are removed. Removing them takes whole groups of
# digits away and joins none, except for the cuts below and for ids, which have an underscore.
_NEXT = r"(?:[\s().\-/_*~|•·]{0,3}\d)"
_BY_ITSELF = re.compile(
    r"[\d+](?:(?<=\+)|(?<!\w.)(?:"
    rf"(?<=0){_NEXT}(?<=0){_NEXT}{{5,16}}(?!\d)"  # 00 for +
    rf"|(?<=0){_NEXT}{{8,17}}(?!\d)"  # a trunk zero
    rf"|(?:(?<=1){_NEXT})?(?<=[2-9]){_NEXT}{{9}}(?!\d)))"  # North America
)
_LONGEST = 18
"""The most digits of a number, as in `CANDIDATE`."""
_MONEY_CUT = re.compile(  # a harmless amount, and a digit after it
    rf"(?:[$€£¥]|{'|'.join(CURRENCIES)})\s?"
    r"(?=(\d{1,3}(?:[., ']?\d{3}){0,4}(?:[.,]\d\d?)?))\1\d"
)
_SIZE_CUT, _COORDINATE_CUT = re.compile(r"[x×*]\s?\d{6}"), re.compile(r"\.\d{10}")
_NUMBERED_CUT = re.compile(r"\d[\d-]{20}")
_LONGER_THAN_NUMBERED = b"0" * 21

_SEPARATORS = "".join(chr(code) for code in range(128) if chr(code).isspace()) + "().-/_*~|?"
"""What may separate the digits of a number; `?` stands for non-ASCII."""


def _group_character(c: str) -> str:
    if c in DIGITS:
        return "0"
    if c in "oil":
        return "o"
    return "a" if "a" <= c <= "z" else " " if c in _SEPARATORS else "x"


_GROUP_SHAPE = table(_group_character)
_SINGLE_SHAPE = bytes.maketrans(b"x", b" ")
_SHAPE_FOR_DIGIT = re.compile(rb"o(?:(?<![ao].)o{0,2}(?= ?0)|(?<=0.)o{0,2}(?![ao]))")
"""Like `phones._LETTER_FOR_DIGIT`, on the shape. It may match more letters, never fewer."""
_TOGETHER = re.compile(
    b"|".join(between.join([b"0"] * MIN_DIGITS) for between in (b" {0,3}", b"[ x]{1,3}"))
)
"""Digits in groups, or one by one."""
_GROUPS = re.compile(rb"0(?: {0,3}0){6,}")
_MOST_WHOLE = 20
"""A harmless `#` or "order" may cover only a part of a longer group."""
_SHORTEST_COORDINATE = 12
"""A digit, a full stop and ten digits: coordinates may cover a part of them."""
_DATE = re.compile(r"(?:[0-3]?\d[./-]){2}(?:20)?\d{2}|\d{4}-\d{1,2}-\d{1,2}")
"""Harmless by itself; and too few digits are left if something before it covers the first."""
_BEFORE_WHOLE = frozenset("abcdefghijklmnopqrstuvwyz:;,.!?)")
"""Allowed before the blank or hyphen in front of digits: no cross, currency sign or digit."""
_AROUND = 8
"""Characters before a group of digits that may belong to the number or rule it out."""
_SIX = b"0" * 6
_SINGLE, _FEWEST_SINGLE = b" 0 ", 3
"""Seven single digits have five inner ones, and `count` finds three that do not overlap."""
_SINGLES = b" 0 0 0 0 0 "
"""Those five, with up to three blanks reduced to one."""
_TOO_FEW = 8
"""So few digits are a number only after 00 or +, or after a contact word."""
_FIRST_THREE = 9
"""So many characters contain the first three digits of a group."""


def may_have_digits(text: str, plain: bytes) -> bool:
    """Whether the digits of a text may be a number. `plain` is the text `to_ascii`."""
    shape = plain.translate(_GROUP_SHAPE)
    if _SHAPE_FOR_DIGIT.search(shape):
        text = with_digits(text)
        shape = _SHAPE_FOR_DIGIT.sub(lambda one: b"0" * len(one.group()), shape)
    if shape.count(b"0") < MIN_DIGITS:
        return False
    # Removing harmless numbers joins no digits, except single ones after currency signs.
    if _TOGETHER.search(shape) and (
        _may_be_in_groups(text, shape) or _may_be_one_by_one(text, shape)
    ):
        return True
    return _has_money_sign(text) and _MONEY_CUT.search(text) is not None


def _may_be_cut(text: str, shape: bytes) -> bool:
    """Whether removing harmless numbers may leave the end of a group of digits."""
    if "_" in text or (_has_money(text) and _MONEY_CUT.search(text)):
        return True
    if _SIX in shape:
        if ("x" in text or "*" in text or "×" in text) and _SIZE_CUT.search(text):
            return True
        if _LONGER_THAN_NUMBERED in shape or ("." in text and _COORDINATE_CUT.search(text)):
            return True
    return "-" in text and _NUMBERED_CUT.search(text) is not None


def _has_money(text: str) -> bool:
    if _has_money_sign(text):
        return True
    return "usd" in text or "eur" in text or "gbp" in text or "chf" in text


def _has_money_sign(text: str) -> bool:
    return "$" in text or "€" in text or "£" in text or "¥" in text


def _may_be_one_by_one(text: str, shape: bytes) -> bool:
    blanks = shape.translate(_SINGLE_SHAPE)
    if blanks.count(_SINGLE) < _FEWEST_SINGLE:
        return False
    if _SINGLES not in blanks.replace(b"  ", b" ").replace(b"  ", b" "):
        return False
    return _LAST_ONE_BY_ONE.search(text) is not None


def _may_be_in_groups(text: str, shape: bytes) -> bool:
    last, is_cut = 0, None
    for tried, found in enumerate(_GROUPS.finditer(shape)):
        start, end = found.span()
        if tried >= MOST_CANDIDATES:
            return True
        if _is_whole(text, start, end):
            if _is_harmless(text, start, end):
                continue
        elif is_cut is None and (is_cut := _may_be_cut(text, shape)):
            return True
        digits, before = text[start:end], text[max(0, start - _AROUND) : start]
        if digits.isdecimal() and "+" not in before:  # all of it is harmless, or none
            if end - start > _LONGEST or before[-1:].isalnum():
                continue
            if is_number(digits, after_contact_word=False):
                return True
        elif shape.count(b"0", start, end) > _TOO_FEW or _may_begin_abroad(digits, before):
            part = before + text[start : end + 1]
            if _BY_ITSELF.search(part):
                return True
            if not CANDIDATE.search(part):
                continue
        last = end
    return last > 0 and _has_contact_word(text[:last])


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether its surroundings show that no harmless number ends within the group, as can happen
    after a currency sign or a cross."""
    if end - start > _MOST_WHOLE:
        return False
    if start:
        if text[start - 1] not in " \n-" or text[start - 4 : start - 1] in CURRENCIES:
            return False
        if start > 1 and text[start - 2] not in _BEFORE_WHOLE:
            return False
    digits = text[start:end]
    if "*" in digits or "×" in digits:
        return False
    return "." not in digits or end - start < _SHORTEST_COORDINATE


def _is_harmless(text: str, start: int, end: int) -> bool:
    """For a whole group: too many digits for a number, a date, or a label such as "order" before
    it."""
    digits = text[start:end]
    if digits.isdecimal() and end - start > _LONGEST:
        return True
    if _DATE.fullmatch(digits):
        return True
    return digits.replace("-", "").isdecimal() and _has_label(text, start)


def _has_label(text: str, start: int) -> bool:
    return _LABEL_BEFORE.search(text[max(0, start - _LONGEST_LABEL) : start]) is not None


def _has_contact_word(text: str) -> bool:
    return any(map(text.__contains__, _CONTACT_PARTS)) and CONTACT_WORD.search(text) is not None


def _may_begin_abroad(digits: str, before: str) -> bool:
    """Whether a group of few digits may begin with 00 or +."""
    first = digits[:_FIRST_THREE]
    return "+" in before or ("0" in first and "00" in NOT_A_DIGIT.sub("", first))
