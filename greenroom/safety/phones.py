"""Telephone numbers, also those spelled around; not prices, dates, sizes and order numbers.

What stands for a number is found cheaply; whether it is one, the library `phonenumbers` says. What
one would get wrong: without a country code almost any ten digits are a number somewhere, so that
they count only with a trunk zero, as a North American number, or after a word such as "call".
"""

# ruff: noqa: RUF001  letters of other scripts are meant

import re
from functools import cache
from itertools import pairwise

import phonenumbers
from phonenumbers import NumberParseException, PhoneMetadata, PhoneNumberDesc

from greenroom.safety.traits import table

_FEWEST = 7
FEWEST_DIGITS = 5
"""Written as digits; the others may be letters that look like some."""
_MOST_CANDIDATES = 12
_WITH_TRUNK_ZERO = ("GB", "DE", "FR", "NL", "IT", "AT", "CH", "BE", "SE", "AU", "IE", "TR", "IN")
_WITHOUT = ("US", "ES", "PL", "PT", "BR", "MX", "DK", "NO", "CZ", "GR", "RU")

_HARMLESS_NUMBER = (
    r"(?=\d)(?<!\d)(?:"
    r"\b\d{4}-\d{1,2}-\d{1,2}(?:[t ]{1,2}\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?z?)?(?!\d)"
    r"|(?<![\d.])[0-3]?\d[./-][0-3]?\d[./-](?:20)?\d{2}(?![./-]?\d)"  # a date
    r"|\b\d{1,2}[:h]\d{2}(?::\d{2})?(?!:?\d)"  # a time
    r"|\b(?:19|20)\d\d(?:[\s,/-]{1,3}(?:19|20)\d\d){1,10}\b"  # years
    r"|\b\d{1,3}(?:[., ']?\d{3}){0,4}(?:[.,]\d\d?)?\s?(?:[$€£¥]|(?:usd|eur|gbp|chf"
    r"|dollars?|euros?|k)\b)"
    r"|(?<![\d.,])\d{1,3}(?:,\d{3}){1,4}(?:\.\d{1,4})?(?![.,-]?\d)"
    r"|(?<![\d.,])\d{1,3}(?:\.\d{3}){1,4}(?:,\d{1,4})?(?![.,-]?\d)"
    r"|(?<![\d.])\d{1,3}\.\d{3,9},\s?-?\d{1,3}\.\d{3,9}"  # a place on the map
    r"|\b\d{2,5}\s?[x×*]\s?\d{2,5}"  # a size
    r"|(?<![\d-])\d{2,3}[-/]\d{2,3}[-/]\d{2,3}(?![-/.\s]?\d))"
    r"|[$€£¥]\s?\d{1,3}(?:[., ']?\d{3}){0,4}(?:[.,]\d\d?)?"
    r"|(?<![\d.])-\d{1,3}\.\d{3,9},\s?-?\d{1,3}\.\d{3,9}"  # a place on the map, south of 0
    r"|#\s?\d{1,20}"
)
_MONEY = ("usd", "eur", "gbp", "chf")
_NUMBERED = (
    "inv|invoice|order|ord|ref|reference|po|bkg|booking|ticket|tracking|flight|iso|sku|job"
    "|rechnung|bestellung|auftrag|pedido|factura|commande|facture|ordine|fattura|zamowienie"
)
_NAMED = (
    rf"(?:{_NUMBERED})\b"
    r"[\s#:.-]{0,3}(?:(?:number|no|nr|num|id|code|nummer|numero)\b[\s#:.-]{0,3})?(?:is\s)?"
    r"[a-z]{0,4}[\s-]?"
)
_HARMLESS_AFTER_LETTERS = (
    r"(?=[a-z])(?<!\w)(?:"
    rf"(?:{'|'.join(_MONEY)})\s?\d{{1,3}}(?:[., ']?\d{{3}}){{0,4}}(?:[.,]\d\d?)?"
    r"|[a-z]{2,4}_[0-9a-z]{8,40}"  # an id of ours
    rf"|{_NAMED}\d[\d-]{{0,20}})"
)
_NAMED_BEFORE = re.compile(rf"(?<!\w){_NAMED}\Z")
_LONGEST_NAME = 40
"""Characters that `_NAMED` takes, and some more."""
_HARMLESS_NUMBERS = re.compile(_HARMLESS_NUMBER)
_HARMLESS = re.compile(f"{_HARMLESS_NUMBER}|{_HARMLESS_AFTER_LETTERS}")
_NUMBERED_WORDS = frozenset(_NUMBERED.split("|"))
_LETTER_FOR_DIGIT = re.compile(
    r"[oil](?:(?<![a-z].)[oil]{0,2}(?=[\s.-]?\d)|(?<=\d.)[oil]{0,2}(?![a-z]))"
)
_DIGIT_FOR_LETTER = str.maketrans("oil", "011")
_CANDIDATE = re.compile(
    r"[\d(+](?<![\w#].)(?:(?<=\d)|(?<=\()\d|(?<=\+)\s?\(?\d)"
    r"(?:[\s().\-/_*~|•·]{0,3}\d){6,17}(?!\d)"
)
_ONE_BY_ONE = re.compile(r"\d(?<!\d.)(?:[^\w\n]{1,3}\d(?!\d)){6,17}")
_LAST_ONE_BY_ONE = re.compile(r"\d(?:[^\w\n]{1,3}\d(?!\d)){6}")
"""The first may be what is left of a harmless number."""
_ASKED_FOR = re.compile(
    r"(?:call|text|phone|tel|cell|mobile|number|ring|whats|reach|contact|nummer|handy|ruf|erreich"
    r"|numero|llama|movil|appel|portable|chiama|cellulare|liga|zap|bel|numer|zadzwon"
    r"|звон|номер|тел)"
)
_ASKING = (
    *("call", "text", "hone", "tel", "cell", "mobil", "num", "ring", "whats", "reach", "contact"),
    *("handy", "ruf", "reich", "llama", "movil", "appel", "portable", "chiama", "liga", "zap"),
    *("bel", "zadzwon", "звон", "ном", "тел"),
)
"""Of what `_ASKED_FOR` matches there is one of these, which are found in less time."""
_NOT_A_DIGIT = re.compile(r"\D")

# For a look at the digits before what is harmless is left out. Leaving it out takes whole groups of
# digits away, and joins none, but for the cuts below and for ids, which have an underscore.
_NEXT = r"(?:[\s().\-/_*~|•·]{0,3}\d)"
_BY_ITSELF = re.compile(
    r"[\d+](?:(?<=\+)|(?<!\w.)(?:"
    rf"(?<=0){_NEXT}(?<=0){_NEXT}{{5,16}}(?!\d)"  # 00 for +
    rf"|(?<=0){_NEXT}{{8,17}}(?!\d)"  # a trunk zero
    rf"|(?:(?<=1){_NEXT})?(?<=[2-9]){_NEXT}{{9}}(?!\d)))"  # North America
)
_LONGEST = 18
"""Digits of a number at most, as `_CANDIDATE` has it."""
_MONEY_CUT = re.compile(  # as much as is harmless, and a digit after it
    rf"(?:[$€£¥]|{'|'.join(_MONEY)})\s?"
    r"(?=(\d{1,3}(?:[., ']?\d{3}){0,4}(?:[.,]\d\d?)?))\1\d"
)
_SIZE_CUT, _PLACE_CUT = re.compile(r"[x×*]\s?\d{6}"), re.compile(r"\.\d{10}")
_NUMBERED_CUT = re.compile(r"\d[\d-]{20}")
_LONGER_THAN_NUMBERED = b"0" * 21

_SPELLED = {
    word: str(digit)
    for digit, words in enumerate(
        (
            "zero oh nought null cero nul ноль",
            "one eins ein un uno um een один",
            "two zwei zwo deux dos due dois twee два",
            "three drei trois tres tre drie три",
            "four vier quatre cuatro quattro quatro четыре",
            "five funf cinq cinco cinque vijf пять",
            "six sechs seis sei zes шесть",
            "seven sieben sept siete sette sete zeven семь",
            "eight acht huit ocho otto oito восемь",
            "nine neun neuf nueve nove negen девять",
        )
    )
    for word in words.split()
}
_TWICE = {"double": 2, "triple": 3, "doppel": 2, "doble": 2}
_DIGITS = "0123456789"
_ALL_BUT_DIGITS = bytes(code for code in range(128) if chr(code) not in _DIGITS)
_FEWEST_SPELLED = 4


_SEPARATORS = "".join(chr(code) for code in range(128) if chr(code).isspace()) + "().-/_*~|?"
"""What may stand between the digits of a number; `?` is for what is beyond ASCII."""


def _group_sign(c: str) -> str:
    if c in _DIGITS:
        return "0"
    if c in "oil":
        return "o"
    return "a" if "a" <= c <= "z" else " " if c in _SEPARATORS else "x"


_GROUP_SIGNS = table(_group_sign)
_SINGLE_SIGNS = bytes.maketrans(b"x", b" ")
_SIGN_FOR_DIGIT = re.compile(rb"o(?:(?<![ao].)o{0,2}(?= ?0)|(?<=0.)o{0,2}(?![ao]))")
"""As `_LETTER_FOR_DIGIT`, in signs. It may take more letters for digits, and never fewer."""
_TOGETHER = re.compile(
    b"|".join(between.join([b"0"] * _FEWEST) for between in (b" {0,3}", b"[ x]{1,3}"))
)
"""Digits in groups, or one by one."""
_GROUPS = re.compile(rb"0(?: {0,3}0){6,}")
_MOST_WHOLE = 20
"""Of a longer group, `#` and words such as "order" may take a part."""
_SHORTEST_CUT_PLACE = 12
"""A digit, a full stop and ten digits: a place on the map may take a part of them."""
_DATE = re.compile(r"(?:[0-3]?\d[./-]){2}(?:20)?\d{2}|\d{4}-\d{1,2}-\d{1,2}")
"""Harmless by itself; and if something before it takes its first digits, too few are left."""
_BEFORE_WHOLE = frozenset("abcdefghijklmnopqrstuvwyz:;,.!?)")
"""Before digits and the blank or hyphen in front: no cross, no money sign, no digits."""
_AROUND = 8
"""Characters before a group of digits that may belong to its number, or forbid one."""
_SIX = b"0" * 6
_SINGLE, _FEWEST_SINGLE = b" 0 ", 3
"""Seven digits one by one have five within, of which three do not overlap in `count`."""
_SINGLES = b" 0 0 0 0 0 "
"""Those five, where up to three blanks are one."""
_TOO_FEW = 8
"""Digits that are a number only after 00 or +, or where somebody asks for one."""
_FIRST_THREE = 9
"""Characters that have the first three digits of a group."""

SPELLED = frozenset(_SPELLED)


def has_phone(text: str, words: list[str]) -> bool:
    """In a text as it is read, and in its words."""
    if _digits_in(text) >= FEWEST_DIGITS and _in_digits(text, words):
        return True
    return is_spelled(words) and _in_words(words)


def may_have_digits(text: str, plain: bytes) -> bool:
    """Whether the digits of a text may be a number. False only where `has_phone` finds none in
    them, and cheap: mostly without looking for what is harmless. `plain` is the text in ASCII, with
    `?` for all else."""
    signs = plain.translate(_GROUP_SIGNS)
    if _SIGN_FOR_DIGIT.search(signs):
        text = _with_digits(text)
        signs = _SIGN_FOR_DIGIT.sub(lambda one: b"0" * len(one.group()), signs)
    if signs.count(b"0") < _FEWEST:
        return False
    # Leaving out what is harmless joins no digits, but for single ones after money signs.
    if _TOGETHER.search(signs) and (
        _may_be_in_groups(text, signs) or _may_be_one_by_one(text, signs)
    ):
        return True
    return _has_money_sign(text) and _MONEY_CUT.search(text) is not None


def _may_be_cut(text: str, signs: bytes) -> bool:
    """Whether leaving out what is harmless may leave the end of some digits."""
    if "_" in text or (_has_money(text) and _MONEY_CUT.search(text)):
        return True
    if _SIX in signs:
        if ("x" in text or "*" in text or "×" in text) and _SIZE_CUT.search(text):
            return True
        if _LONGER_THAN_NUMBERED in signs or ("." in text and _PLACE_CUT.search(text)):
            return True
    return "-" in text and _NUMBERED_CUT.search(text) is not None


def _has_money(text: str) -> bool:
    if _has_money_sign(text):
        return True
    return "usd" in text or "eur" in text or "gbp" in text or "chf" in text


def _has_money_sign(text: str) -> bool:
    return "$" in text or "€" in text or "£" in text or "¥" in text


def _may_be_one_by_one(text: str, signs: bytes) -> bool:
    blanks = signs.translate(_SINGLE_SIGNS)
    if blanks.count(_SINGLE) < _FEWEST_SINGLE:
        return False
    if _SINGLES not in blanks.replace(b"  ", b" ").replace(b"  ", b" "):
        return False
    return _LAST_ONE_BY_ONE.search(text) is not None


def _may_be_in_groups(text: str, signs: bytes) -> bool:
    last, is_cut = 0, None
    for tried, found in enumerate(_GROUPS.finditer(signs)):
        start, end = found.span()
        if tried >= _MOST_CANDIDATES:
            return True
        if _is_whole(text, start, end):
            if _is_harmless(text, start, end):
                continue
        elif is_cut is None and (is_cut := _may_be_cut(text, signs)):
            return True
        digits, before = text[start:end], text[max(0, start - _AROUND) : start]
        if digits.isdecimal() and "+" not in before:  # all of it is harmless, or nothing
            if end - start > _LONGEST or before[-1:].isalnum():
                continue
            if _is_number(digits, asked_for=False):
                return True
        elif signs.count(b"0", start, end) > _TOO_FEW or _may_begin_abroad(digits, before):
            part = before + text[start : end + 1]
            if _BY_ITSELF.search(part):
                return True
            if not _CANDIDATE.search(part):
                continue
        last = end
    return last > 0 and _is_asked_for(text[:last])


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether it is plain from what is around a group of digits that nothing harmless ends within
    it, as some of what follows a money sign or a cross does."""
    if end - start > _MOST_WHOLE:
        return False
    if start:
        if text[start - 1] not in " \n-" or text[start - 4 : start - 1] in _MONEY:
            return False
        if start > 1 and text[start - 2] not in _BEFORE_WHOLE:
            return False
    digits = text[start:end]
    if "*" in digits or "×" in digits:
        return False
    return "." not in digits or end - start < _SHORTEST_CUT_PLACE


def _is_harmless(text: str, start: int, end: int) -> bool:
    """Of a group that is whole: more digits than a number has, a date, or what has a name such as
    "order" in front."""
    digits = text[start:end]
    if digits.isdecimal() and end - start > _LONGEST:
        return True
    if _DATE.fullmatch(digits):
        return True
    return digits.replace("-", "").isdecimal() and _is_named(text, start)


def _is_named(text: str, start: int) -> bool:
    return _NAMED_BEFORE.search(text[max(0, start - _LONGEST_NAME) : start]) is not None


def _is_asked_for(text: str) -> bool:
    return any(map(text.__contains__, _ASKING)) and _ASKED_FOR.search(text) is not None


def _may_begin_abroad(digits: str, before: str) -> bool:
    """Whether a group of few digits may begin with 00 or +."""
    first = digits[:_FIRST_THREE]
    return "+" in before or ("0" in first and "00" in _NOT_A_DIGIT.sub("", first))


def _digits_in(text: str) -> int:
    return len(text.encode("ascii", "ignore").translate(None, _ALL_BUT_DIGITS))


def is_spelled(words: list[str]) -> bool:
    """Whether enough words for digits are among them."""
    if SPELLED.isdisjoint(words):
        return False
    return sum(map(SPELLED.__contains__, words)) >= _FEWEST_SPELLED


def _with_digits(text: str) -> str:
    return _LETTER_FOR_DIGIT.sub(lambda one: one.group().translate(_DIGIT_FOR_LETTER), text)


def _in_digits(text: str, words: list[str]) -> bool:
    rest = _without_harmless(_with_digits(text), words)
    for tried, found in enumerate(_CANDIDATE.finditer(rest)):
        if tried >= _MOST_CANDIDATES:
            break
        before = rest[max(0, found.start() - 30) : found.start()]
        if _is_number(found.group(), _ASKED_FOR.search(before) is not None):
            return True
    return any(not _counts_up(found.group()) for found in _ONE_BY_ONE.finditer(rest))


def _without_harmless(text: str, words: list[str]) -> str:
    if "_" in text or any(map(text.__contains__, _MONEY)) or not _NUMBERED_WORDS.isdisjoint(words):
        return _HARMLESS.sub(" ; ", text)
    return _HARMLESS_NUMBERS.sub(" ; ", text)


def _is_number(shown: str, asked_for: bool) -> bool:
    digits = _NOT_A_DIGIT.sub("", shown)
    if shown.startswith("+"):
        return len(digits) > _FEWEST and _is_valid("+" + digits, None)
    if digits.startswith("00"):
        return _is_valid("+" + digits[2:], None)
    if asked_for:
        return not _counts_up(shown)
    if digits.startswith("0"):
        regions = _with_trunk_zero(len(digits)) if len(digits) >= 9 else ()
        return any(_is_valid(digits, one) for one in regions)
    if len(digits) == 10 or (len(digits) == 11 and digits.startswith("1")):
        return _is_valid(digits, "US")
    return False


def _is_valid(digits: str, region: str | None) -> bool:
    if region is not None and not _may_be_valid(digits, region):
        return False
    try:
        return phonenumbers.is_possible_number(number := phonenumbers.parse(digits, region)) and (
            region is None or phonenumbers.is_valid_number(number)
        )
    except NumberParseException:
        return False


def _may_be_valid(digits: str, region: str) -> bool:
    """False only where the library would say so, which takes its time. `digits` begin with a trunk
    zero, or are of North America."""
    return _fits(_described(region), digits)


def _fits(described: re.Pattern[str], digits: str) -> bool:
    return bool(described.fullmatch(digits) or described.fullmatch(digits, 1))


@cache
def _with_trunk_zero(length: int) -> tuple[str, ...]:
    """Where numbers may have so many digits, with the zero or without."""
    return tuple(
        one for one in _WITH_TRUNK_ZERO if not _lengths(one).isdisjoint((length, length - 1))
    )


@cache
def _lengths(region: str) -> frozenset[int]:
    return frozenset(length for one in _metadata(region) for length in one.possible_length)


def _metadata(region: str) -> list[PhoneNumberDesc]:
    """Of all regions with the same country code."""
    code = phonenumbers.country_code_for_region(region)
    regions = phonenumbers.region_codes_for_country_code(code)
    described = (PhoneMetadata.metadata_for_region(one, None) for one in regions)
    return [one.general_desc for one in described if one and one.general_desc]


@cache
def _described(region: str) -> re.Pattern[str]:
    """What the library matches a number with first, in all regions with the same country code."""
    patterns = {one.national_number_pattern for one in _metadata(region)}
    return re.compile("|".join(f"(?:{one})" for one in sorted(filter(None, patterns))))


def _in_words(tokens: list[str]) -> bool:
    """Seven digits in a row, four of them at least as words."""
    digits, words, times = "", 0, 1
    for token in tokens:
        spelled = _SPELLED.get(token)
        if spelled is not None:
            digits, words, times = digits + spelled * times, words + 1, 1
        elif token in _TWICE:
            times = _TWICE[token]
        elif token.isdecimal() and len(token) <= 4:
            digits += token
        else:
            digits, words, times = "", 0, 1
        if words >= _FEWEST_SPELLED and len(digits) >= _FEWEST and not _counts_up(digits):
            return True
    return False


def _counts_up(shown: str) -> bool:
    """1 2 3 4 5 6 7, or backwards, is somebody counting."""
    digits = [int(one) for one in _NOT_A_DIGIT.sub("", shown)]
    steps = {after - before for before, after in pairwise(digits)}
    return len(steps) == 1 and steps <= {1, -1}
