"""Finds telephone numbers, also obfuscated ones; not prices, dates, sizes and order numbers.

Regular expressions find candidates, the library `phonenumbers` decides. Careful: without a country
code almost any ten digits are a valid number somewhere, so they count only with a trunk zero, as a
North American number, or after a word such as "call".
"""

# ruff: noqa: RUF001  letters of other scripts are meant

import re
from functools import cache
from itertools import pairwise

import phonenumbers
from phonenumbers import NumberParseException, PhoneMetadata, PhoneNumberDesc

MIN_DIGITS = 7
MIN_WRITTEN_DIGITS = 5
"""Written as digits; the others may be letters that look like digits."""
MOST_CANDIDATES = 12
_TRUNK_ZERO_REGIONS = ("GB", "DE", "FR", "NL", "IT", "AT", "CH", "BE", "SE", "AU", "IE", "TR", "IN")

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
    r"|(?<![\d.])\d{1,3}\.\d{3,9},\s?-?\d{1,3}\.\d{3,9}"  # coordinates
    r"|\b\d{2,5}\s?[x×*]\s?\d{2,5}"  # a size
    r"|(?<![\d-])\d{2,3}[-/]\d{2,3}[-/]\d{2,3}(?![-/.\s]?\d))"
    r"|[$€£¥]\s?\d{1,3}(?:[., ']?\d{3}){0,4}(?:[.,]\d\d?)?"
    r"|(?<![\d.])-\d{1,3}\.\d{3,9},\s?-?\d{1,3}\.\d{3,9}"  # coordinates, south of the equator
    r"|#\s?\d{1,20}"
)
CURRENCIES = ("usd", "eur", "gbp", "chf")
_NUMBERED = (
    "inv|invoice|order|ord|ref|reference|po|bkg|booking|ticket|tracking|flight|iso|sku|job"
    "|rechnung|bestellung|auftrag|pedido|factura|commande|facture|ordine|fattura|zamowienie"
)
LABEL = (
    rf"(?:{_NUMBERED})\b"
    r"[\s#:.-]{0,3}(?:(?:number|no|nr|num|id|code|nummer|numero)\b[\s#:.-]{0,3})?(?:is\s)?"
    r"[a-z]{0,4}[\s-]?"
)
_HARMLESS_AFTER_LETTERS = (
    r"(?=[a-z])(?<!\w)(?:"
    rf"(?:{'|'.join(CURRENCIES)})\s?\d{{1,3}}(?:[., ']?\d{{3}}){{0,4}}(?:[.,]\d\d?)?"
    r"|[a-z]{2,4}_[0-9a-z]{8,40}"  # an id of ours
    rf"|{LABEL}\d[\d-]{{0,20}})"
)
_HARMLESS_NUMBERS = re.compile(_HARMLESS_NUMBER)
_HARMLESS = re.compile(f"{_HARMLESS_NUMBER}|{_HARMLESS_AFTER_LETTERS}")
_NUMBERED_WORDS = frozenset(_NUMBERED.split("|"))
_LETTER_FOR_DIGIT = re.compile(
    r"[oil](?:(?<![a-z].)[oil]{0,2}(?=[\s.-]?\d)|(?<=\d.)[oil]{0,2}(?![a-z]))"
)
_DIGIT_FOR_LETTER = str.maketrans("oil", "011")
CANDIDATE = re.compile(
    r"[\d(+](?<![\w#].)(?:(?<=\d)|(?<=\()\d|(?<=\+)\s?\(?\d)"
    r"(?:[\s().\-/_*~|•·]{0,3}\d){6,17}(?!\d)"
)
_ONE_BY_ONE = re.compile(r"\d(?<!\d.)(?:[^\w\n]{1,3}\d(?!\d)){6,17}")
CONTACT_WORD = re.compile(
    r"(?:call|text|phone|tel|cell|mobile|number|ring|whats|reach|contact|nummer|handy|ruf|erreich"
    r"|numero|llama|movil|appel|portable|chiama|cellulare|liga|zap|bel|numer|zadzwon"
    r"|звон|номер|тел)"
)
NOT_A_DIGIT = re.compile(r"\D")

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
DIGITS = "0123456789"
_ALL_BUT_DIGITS = bytes(code for code in range(128) if chr(code) not in DIGITS)
_FEWEST_SPELLED = 4


SPELLED = frozenset(_SPELLED)


def has_phone(text: str, words: list[str]) -> bool:
    """`text` is normalised, `words` are its words."""
    if _digits_in(text) >= MIN_WRITTEN_DIGITS and _in_digits(text, words):
        return True
    return is_spelled(words) and _in_words(words)


def _digits_in(text: str) -> int:
    return len(text.encode("ascii", "ignore").translate(None, _ALL_BUT_DIGITS))


def is_spelled(words: list[str]) -> bool:
    """Whether enough of them are words for digits."""
    if SPELLED.isdisjoint(words):
        return False
    return sum(map(SPELLED.__contains__, words)) >= _FEWEST_SPELLED


def with_digits(text: str) -> str:
    return _LETTER_FOR_DIGIT.sub(lambda one: one.group().translate(_DIGIT_FOR_LETTER), text)


def _in_digits(text: str, words: list[str]) -> bool:
    rest = _without_harmless(with_digits(text), words)
    for tried, found in enumerate(CANDIDATE.finditer(rest)):
        if tried >= MOST_CANDIDATES:
            break
        before = rest[max(0, found.start() - 30) : found.start()]
        if is_number(found.group(), CONTACT_WORD.search(before) is not None):
            return True
    return any(not _is_counting(found.group()) for found in _ONE_BY_ONE.finditer(rest))


def _without_harmless(text: str, words: list[str]) -> str:
    if (
        "_" in text
        or any(map(text.__contains__, CURRENCIES))
        or not _NUMBERED_WORDS.isdisjoint(words)
    ):
        return _HARMLESS.sub(" ; ", text)
    return _HARMLESS_NUMBERS.sub(" ; ", text)


def is_number(shown: str, after_contact_word: bool) -> bool:
    digits = NOT_A_DIGIT.sub("", shown)
    if shown.startswith("+"):
        return len(digits) > MIN_DIGITS and _is_valid("+" + digits, None)
    if digits.startswith("00"):
        return _is_valid("+" + digits[2:], None)
    if after_contact_word:
        return not _is_counting(shown)
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
    """False only if the library would refuse it, which is slow. `digits` begin with a trunk zero or
    are North American."""
    return _fits(_described(region), digits)


def _fits(described: re.Pattern[str], digits: str) -> bool:
    return bool(described.fullmatch(digits) or described.fullmatch(digits, 1))


@cache
def _with_trunk_zero(length: int) -> tuple[str, ...]:
    """The regions whose numbers may have so many digits, with or without the zero."""
    return tuple(
        one for one in _TRUNK_ZERO_REGIONS if not _lengths(one).isdisjoint((length, length - 1))
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
    """The library's general pattern, for all regions with the same country code."""
    patterns = {one.national_number_pattern for one in _metadata(region)}
    return re.compile("|".join(f"(?:{one})" for one in sorted(filter(None, patterns))))


def _in_words(tokens: list[str]) -> bool:
    """Whether there are seven digits in a row, at least four of them as words."""
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
        if words >= _FEWEST_SPELLED and len(digits) >= MIN_DIGITS and not _is_counting(digits):
            return True
    return False


def _is_counting(shown: str) -> bool:
    """Whether it is 1 2 3 4 5 6 7, or backwards."""
    digits = [int(one) for one in NOT_A_DIGIT.sub("", shown)]
    steps = {after - before for before, after in pairwise(digits)}
    return len(steps) == 1 and steps <= {1, -1}
