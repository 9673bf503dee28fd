"""Telephone numbers, also those spelled around; not prices, dates, sizes and order numbers.

What stands for a number is found cheaply; whether it is one, the library `phonenumbers` says. What
one would get wrong: without a country code almost any ten digits are a number somewhere, so that
they count only with a trunk zero, as a North American number, or after a word such as "call".
"""

# ruff: noqa: RUF001  letters of other scripts are meant

import re
from itertools import pairwise

import phonenumbers
from phonenumbers import NumberParseException

_FEWEST = 7
_MOST_CANDIDATES = 12
_WITH_TRUNK_ZERO = ("GB", "DE", "FR", "NL", "IT", "AT", "CH", "BE", "SE", "AU", "IE", "TR", "IN")
_WITHOUT = ("US", "ES", "PL", "PT", "BR", "MX", "DK", "NO", "CZ", "GR", "RU")

_HARMLESS = re.compile(
    r"\b\d{4}-\d{1,2}-\d{1,2}(?:[t ]{1,2}\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?z?)?(?!\d)"
    r"|(?<![\d.])[0-3]?\d[./-][0-3]?\d[./-](?:20)?\d{2}(?![./-]?\d)"  # a date
    r"|\b\d{1,2}[:h]\d{2}(?::\d{2})?(?!:?\d)"  # a time
    r"|\b(?:19|20)\d\d(?:[\s,/-]{1,3}(?:19|20)\d\d){1,10}\b"  # years
    r"|(?:[$€£¥]|\b(?:usd|eur|gbp|chf))\s?\d{1,3}(?:[., ']?\d{3}){0,4}(?:[.,]\d\d?)?"
    r"|\b\d{1,3}(?:[., ']?\d{3}){0,4}(?:[.,]\d\d?)?\s?(?:[$€£¥]|(?:usd|eur|gbp|chf"
    r"|dollars?|euros?|k)\b)"
    r"|(?<![\d.,])\d{1,3}(?:,\d{3}){1,4}(?:\.\d{1,4})?(?![.,-]?\d)"
    r"|(?<![\d.,])\d{1,3}(?:\.\d{3}){1,4}(?:,\d{1,4})?(?![.,-]?\d)"
    r"|(?<![\d.])-?\d{1,3}\.\d{3,9},\s?-?\d{1,3}\.\d{3,9}"  # a place on the map
    r"|\b\d{2,5}\s?[x×*]\s?\d{2,5}"  # a size
    r"|(?<![\d-])\d{2,3}[-/]\d{2,3}[-/]\d{2,3}(?![-/.\s]?\d)"
    r"|\b[a-z]{2,4}_[0-9a-z]{8,40}"  # an id of ours
    r"|#\s?\d{1,20}"
    r"|\b(?:inv|invoice|order|ord|ref|reference|po|bkg|booking|ticket|tracking|flight|iso|sku|job"
    r"|rechnung|bestellung|auftrag|pedido|factura|commande|facture|ordine|fattura|zamowienie)\b"
    r"[\s#:.-]{0,3}(?:(?:number|no|nr|num|id|code|nummer|numero)\b[\s#:.-]{0,3})?(?:is\s)?"
    r"[a-z]{0,4}[\s-]?\d[\d-]{0,20}"
)
_LETTER_FOR_DIGIT = re.compile(r"(?<![a-z])[oil]{1,3}(?=[\s.-]?\d)|(?<=\d)[oil]{1,3}(?![a-z])")
_DIGIT_FOR_LETTER = str.maketrans("oil", "011")
_CANDIDATE = re.compile(r"(?<![\w#])(?:\+\s?)?\(?\d(?:[\s().\-/_*~|•·]{0,3}\d){6,17}(?!\d)")
_ONE_BY_ONE = re.compile(r"(?<!\d)\d(?:[^\w\n]{1,3}\d(?!\d)){6,17}")
_ASKED_FOR = re.compile(
    r"(?:call|text|phone|tel|cell|mobile|number|ring|whats|reach|contact|nummer|handy|ruf|erreich"
    r"|numero|llama|movil|appel|portable|chiama|cellulare|liga|zap|bel|numer|zadzwon"
    r"|звон|номер|тел)"
)
_NOT_A_DIGIT = re.compile(r"\D")

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
_FEWEST_SPELLED = 4

CLUE = frozenset({*_DIGITS, *_SPELLED})
"""Without any of these there is no number."""


def has_phone(text: str, words: list[str]) -> bool:
    """In a text as it is read, and in its words."""
    digits = sum(map(text.count, _DIGITS))
    if digits >= _FEWEST - 2 and _in_digits(text):
        return True
    return sum(map(_SPELLED.__contains__, words)) >= _FEWEST_SPELLED and _in_words(words)


def _in_digits(text: str) -> bool:
    rest = _LETTER_FOR_DIGIT.sub(lambda one: one.group().translate(_DIGIT_FOR_LETTER), text)
    rest = _HARMLESS.sub(" ; ", rest)
    for tried, found in enumerate(_CANDIDATE.finditer(rest)):
        if tried >= _MOST_CANDIDATES:
            break
        before = rest[max(0, found.start() - 30) : found.start()]
        if _is_number(found.group(), _ASKED_FOR.search(before) is not None):
            return True
    return any(not _counts_up(found.group()) for found in _ONE_BY_ONE.finditer(rest))


def _is_number(shown: str, asked_for: bool) -> bool:
    digits = _NOT_A_DIGIT.sub("", shown)
    if shown.startswith("+"):
        return len(digits) > _FEWEST and _is_valid("+" + digits, None)
    if digits.startswith("00"):
        return _is_valid("+" + digits[2:], None)
    if asked_for:
        return not _counts_up(shown)
    if digits.startswith("0"):
        return len(digits) >= 9 and any(_is_valid(digits, one) for one in _WITH_TRUNK_ZERO)
    if len(digits) == 10 or (len(digits) == 11 and digits.startswith("1")):
        return _is_valid(digits, "US")
    return False


def _is_valid(digits: str, region: str | None) -> bool:
    try:
        return phonenumbers.is_possible_number(number := phonenumbers.parse(digits, region)) and (
            region is None or phonenumbers.is_valid_number(number)
        )
    except NumberParseException:
        return False


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
