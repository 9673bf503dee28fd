"""The cheap checks never say no where the expensive ones say yes."""

# ruff: noqa: RUF001  letters of other scripts are meant

import random
import re

import phonenumbers
import pytest
from hypothesis import example, given, settings, strategies as st
from phonenumbers import NumberParseException

from bench.chat_texts import TEXTS
from greenroom.safety import phone_prefilter, phones
from greenroom.safety.features import to_ascii
from greenroom.safety.judge import has_link, judge_text
from greenroom.safety.links import LINK
from greenroom.safety.matchers import Run, matches
from greenroom.safety.normalise import (
    _SPACED_OUT,
    NormalisedText,
    _may_be_obfuscated,
    _plain,
    normalise,
)
from greenroom.safety.rules import DEFAULT_RULES
from greenroom.safety.verdict import Circumstances
from tests.safety.test_prefilter import SENTENCES, WORDS, by_all_rules

BETWEEN = (
    *(
        "",
        " ",
        "  ",
        ".",
        "-",
        "/",
        " - ",
        ", ",
        ": ",
        "(",
        ")",
        "\n",
        "·",
        "•",
        "_",
        "*",
        "|",
        "~",
    ),
    *(
        "x",
        "×",
        " x ",
        "#",
        "# ",
        "$",
        "€",
        "£ ",
        "¥",
        "+",
        "+ ",
        "+ (",
        "00",
        "0",
        "o",
        "l",
        "ooo",
    ),
    *("usd", "eur ", "chf", "k", "t", "h", ":", "'", ",", ";", "@", "?", "é", "к", "字", "٣", "𝟙"),
    *("\u200b", "\u2028", "\u00a0", "😊"),
)
NUMBERS = (
    *("1", "7", "0", "12", "34", "555", "2026", "0123", "12345", "1234567", "2025550123", "+1"),
    *("+43", "0043", "0660", "0170 1234567", "212-555-0123", "978-3-16-148410-0", "2026-11-05"),
    *("48.20849, 16.37208", "21.11.2026", "14:00", "1,250", "1.250,00", "84729105638471029365"),
    *("0123456789012345", "DE89 3704 0044 0532 0130 00", "1Z999AA10123456784"),
)
BEFORE = (
    *("order ", "inv ", "invoice no. ", "rechnung nr ", "call ", "text me ", "number ", "hotel "),
    *("ticket id is ab-", "abc_", "usr_", "one ", "two ", "three ", "four ", "five ", "double "),
)
LINKS = (
    *("https://", "http:/", "x:/", "www.", "mailto:", "tel:", "data:", "](", "t.me", "bit.ly"),
    *(".com", ".de", ".de/", "a.io", "e.g", "://", "a", "8", " ", ":", "/", ".", "(", "é", "\n"),
)
OBFUSCATIONS = (*"abcw04@$.-_* ?é", "  ", "\u2028", "字", "ж", "😊")


def _digits(chance: random.Random) -> str:
    length = chance.choice((1, 1, 2, 3, 3, 4, 5, 7, 9, 10, 11, 15, 20, 21, 25))
    return "".join(chance.choices("0123456789", k=length))


def _with_numbers(chance: random.Random) -> str:
    parts = [
        chance.choice(
            (
                chance.choice(NUMBERS),
                chance.choice(BETWEEN),
                chance.choice(BETWEEN),
                chance.choice(BEFORE),
                _digits(chance),
                _digits(chance),
            )
        )
        for _ in range(chance.randint(1, 9))
    ]
    return "".join(parts)


def _single_digits(chance: random.Random) -> str:
    signs = (*"0123456789oil", *BETWEEN)
    return "".join(chance.choices(signs, k=chance.randint(7, 40)))


def _sentence(chance: random.Random) -> str:
    """A real sentence with something inserted."""
    letters = list(chance.choice((*SENTENCES, *TEXTS)))
    for _ in range(chance.randint(1, 4)):
        put_in = chance.choice((chance.choice(BETWEEN), _digits(chance), chance.choice(WORDS)))
        letters.insert(chance.randrange(len(letters) + 1), put_in)
    return "".join(letters)


HARMLESS_BEFORE = (
    *(
        "$",
        "$1,",
        "$1,111,111,111,",
        "usd",
        "usd 1.111 111,",
        "eur 1,",
        "£",
        "10x",
        "10 x ",
        "1920*",
    ),
    *(
        "order ",
        "order 1-",
        "order 1------------------",
        "# ",
        "invoice #",
        "ab_",
        "msg_",
        "123.456",
    ),
    *("order aa \n", "ref.\n", "po-", "inv ab-", "job id is ", "tracking no. x ", "is order no - "),
    *("48.20849, 16.", "2024-01-01 ", "10:30 ", "+", "+\t(", "00", "call ", "1.2.2024", "-1.234,"),
)
AFTER = (
    "",
    "",
    " ",
    "$",
    " usd",
    "k",
    " euros",
    ",-",
    "x10",
    "*",
    "o",
    "ol",
    "a",
    " 2024",
    "_",
    ":30",
)


def _cut_numbers(chance: random.Random) -> str:
    """Numbers next to harmless ones that may cover a part of them."""
    parts = []
    for _ in range(chance.randint(1, 4)):
        number = chance.choice((chance.choice(NUMBERS), _digits(chance)))
        if chance.random() < 0.3:
            number = chance.choice((*BETWEEN, " ", ", ", "-")).join(number)
        parts += [chance.choice(("", *HARMLESS_BEFORE)), number, chance.choice(AFTER)]
        parts.append(chance.choice(BETWEEN))
    return "".join(parts)


def made_up(seed: int, count: int) -> list[str]:
    chance = random.Random(seed)
    ways = (_with_numbers, _cut_numbers, _cut_numbers, _single_digits, _sentence)
    return [chance.choice(ways)(chance) for _ in range(count)]


def test_the_cheap_check_misses_no_telephone_number() -> None:
    found = 0
    for text in made_up(1, 8_000):
        normalised = NormalisedText(text)
        if phones._in_digits(normalised.text, normalised.words):
            found += 1
            assert phone_prefilter.may_have_digits(normalised.text, normalised.plain), ascii(text)
    assert found > 400


@pytest.mark.parametrize(
    "text",
    [
        *("call me usd 12345 678 9012", "usd0170 1234567890", "$1,25055584729105638471029365"),
        *("77 x 7612805578844935", "71229*266220255501231"),
        *("$1239, 4, 8, 2, 6, 4, 2", "10x123456, 1, 2, 3, 4, 5, 7"),
        *("$1,111,111,111,1112025550123", "$1,111,111,111,111202555 0123"),
        *("call $1,1234567890125558329", "order 1" + "-" * 18 + "442025550123"),
        *("+\t(4917012345678", "+\u2028(4917012345678"),
        *(
            "·377oo8l26)809i02oo42",
            "809 102 0042",
            "1 809 102 0042",
            "83x6900o7143552658# i0字319o",
        ),
        *("123456, @48.20849, 16.37208117i6806251065€", "call 1.1234567890123456"),
        *("call ab_" + "1" * 40 + "2025550123", "call order 1-------------------1234567890"),
        *("#514313409490459831737273332509", "inv 799531191091730364037017397813"),
        *("+19179560", "+ (9223369708", "004369~7", "o31234567", "747314942o", "2626463431is"),
        *("o 5 5 5 o 1 2 3 4", "1 5 5 5 0 1 2 3 4"),
    ],
)
def test_a_number_that_is_hard_to_find_passes_the_cheap_check(text: str) -> None:
    """Each has a harmless part, letters for digits, or unusual characters around it."""
    normalised = NormalisedText(text)
    assert phones.has_phone(normalised.text, normalised.words)
    assert phone_prefilter.may_have_digits(normalised.text, normalised.plain)


@pytest.mark.parametrize(
    "text",
    [
        *("order 84729105638471029365 was sent", "IMEI 352099001761481", "on 21.11.2026 at 14:00"),
        *(
            "invoice INV-2026-004217, due 2026-12-01",
            "order no. 4028-1173-9920",
            "1Z999AA1012345678",
        ),
        *("the parcel number is 00340434161094042557", "14:00-17:30, 1.250,00 € or $1,400"),
    ],
)
def test_numbers_that_are_no_phone_numbers_fail_the_cheap_check(text: str) -> None:
    normalised = NormalisedText(text)
    assert not phone_prefilter.may_have_digits(normalised.text, normalised.plain)


def test_every_contact_word_contains_one_of_the_parts_checked_first() -> None:
    asking = phones.CONTACT_WORD.pattern.removeprefix("(?:").removesuffix(")").split("|")
    assert len(asking) > 20
    assert [
        one for one in asking if not any(part in one for part in phone_prefilter._CONTACT_PARTS)
    ] == []


def test_valid_numbers_pass_the_check_before_the_library() -> None:
    chance, valid = random.Random(2), 0
    for region in (*phones._TRUNK_ZERO_REGIONS, "US"):
        example_number = phonenumbers.example_number(region)
        known = str(example_number.national_number) if example_number else "2"
        for _ in range(120):
            rest = "".join(chance.choices("0123456789", k=chance.randint(6, 17)))
            kept = chance.randint(0, len(known))
            digits = known[:kept] + rest[: max(0, chance.choice((len(known), 17)) - kept)]
            digits = chance.choice(("", "1")) + digits if region == "US" else "0" + digits
            if digits.startswith("00"):
                continue
            valid += _is_valid_by_library(digits, region)
            assert phones._is_valid(digits, region) == _is_valid_by_library(digits, region), digits
    assert valid > 200


def _is_valid_by_library(digits: str, region: str) -> bool:
    try:
        number = phonenumbers.parse(digits, region)
    except NumberParseException:
        return False
    return phonenumbers.is_possible_number(number) and phonenumbers.is_valid_number(number)


_HARMLESS_AS_ONE = re.compile(
    r"(?!(?<=\w)[^\W\d]|(?<=\d)\d)(?:"
    r"\b\d{4}-\d{1,2}-\d{1,2}(?:[t ]{1,2}\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?z?)?(?!\d)"
    r"|(?<![\d.])[0-3]?\d[./-][0-3]?\d[./-](?:20)?\d{2}(?![./-]?\d)"
    r"|\b\d{1,2}[:h]\d{2}(?::\d{2})?(?!:?\d)"
    r"|\b(?:19|20)\d\d(?:[\s,/-]{1,3}(?:19|20)\d\d){1,10}\b"
    r"|(?:[$€£¥]|\b(?:usd|eur|gbp|chf))\s?\d{1,3}(?:[., ']?\d{3}){0,4}(?:[.,]\d\d?)?"
    r"|\b\d{1,3}(?:[., ']?\d{3}){0,4}(?:[.,]\d\d?)?\s?(?:[$€£¥]|(?:usd|eur|gbp|chf"
    r"|dollars?|euros?|k)\b)"
    r"|(?<![\d.,])\d{1,3}(?:,\d{3}){1,4}(?:\.\d{1,4})?(?![.,-]?\d)"
    r"|(?<![\d.,])\d{1,3}(?:\.\d{3}){1,4}(?:,\d{1,4})?(?![.,-]?\d)"
    r"|(?<![\d.])-?\d{1,3}\.\d{3,9},\s?-?\d{1,3}\.\d{3,9}"
    r"|\b\d{2,5}\s?[x×*]\s?\d{2,5}"
    r"|(?<![\d-])\d{2,3}[-/]\d{2,3}[-/]\d{2,3}(?![-/.\s]?\d)"
    r"|\b[a-z]{2,4}_[0-9a-z]{8,40}"
    r"|#\s?\d{1,20}"
    r"|\b(?:inv|invoice|order|ord|ref|reference|po|bkg|booking|ticket|tracking|flight|iso|sku|job"
    r"|rechnung|bestellung|auftrag|pedido|factura|commande|facture|ordine|fattura|zamowienie)\b"
    r"[\s#:.-]{0,3}(?:(?:number|no|nr|num|id|code|nummer|numero)\b[\s#:.-]{0,3})?(?:is\s)?"
    r"[a-z]{0,4}[\s-]?\d[\d-]{0,20})"
)
_CANDIDATE_READABLE = re.compile(
    r"(?<![\w#])(?:\+\s?)?\(?\d(?:[\s().\-/_*~|•·]{0,3}\d){6,17}(?!\d)"
)
_LETTER_READABLE = re.compile(r"(?<![a-z])[oil]{1,3}(?=[\s.-]?\d)|(?<=\d)[oil]{1,3}(?![a-z])")
_ONE_BY_ONE_READABLE = re.compile(r"(?<!\d)\d(?:[^\w\n]{1,3}\d(?!\d)){6,17}")
"""Readable forms; the ones in use are ordered by the first character of a match."""


def test_the_quick_expressions_find_what_the_plain_ones_find() -> None:
    for text in (*made_up(4, 6_000), *TEXTS):
        normalised = NormalisedText(text)
        digits = phones.with_digits(normalised.text)
        assert _spans(phones._LETTER_FOR_DIGIT, normalised.text) == _spans(
            _LETTER_READABLE, normalised.text
        ), ascii(text)
        rest = phones._without_harmless(digits, normalised.words)
        assert rest == _HARMLESS_AS_ONE.sub(" ; ", digits), ascii(text)
        for one in (digits, rest):
            for quick, plain in (
                (phones.CANDIDATE, _CANDIDATE_READABLE),
                (phones._ONE_BY_ONE, _ONE_BY_ONE_READABLE),
            ):
                assert _spans(quick, one) == _spans(plain, one), ascii(text)


def _spans(expression: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    return [found.span() for found in expression.finditer(text)]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(LINKS), max_size=6).map("".join))
@example("www.8")
@example("[x](8")
@example("data:8")
def test_the_cheap_check_misses_no_link(text: str) -> None:
    normalised = normalise(text)
    spans = tuple(found.span() for found in LINK.finditer(normalised))
    assert NormalisedText(text).links == spans
    assert has_link(text) == bool(spans)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(OBFUSCATIONS), max_size=14).map("".join))
@example("жa b c d")
@example("a\u2028b\u2028c\u2028d")
def test_the_cheap_check_misses_no_obfuscation(text: str) -> None:
    normalised = normalise(text)
    leet = re.search(r"(?<=[a-z])[0134578@$]{1,2}(?=[a-z])", normalised)
    if leet or _SPACED_OUT.search(normalised):
        assert _may_be_obfuscated(to_ascii(normalised))


def test_two_line_ends_are_the_only_non_ascii_blanks_after_normalising() -> None:
    every = map(chr, range(0x110000))
    blanks = {one for c in every for one in _plain(c) if one.isspace() and not one.isascii()}
    assert blanks == {"\u2028", "\u2029"}


@pytest.mark.parametrize("sign", "a7!?$€字ж")
def test_a_run_of_any_character_is_a_candidate(sign: str) -> None:
    for before in range(13):
        normalised = NormalisedText("-" * before + sign * 12)
        assert matches(Run(12), normalised, 0)
        names = [
            DEFAULT_RULES.rules[one].name
            for one in DEFAULT_RULES.prefilter.candidates(normalised, 0)
        ]
        assert "same-character" in names


def test_made_up_texts_are_judged_as_by_all_rules() -> None:
    circumstances = Circumstances(first_contact=True, account_age_ms=60_000)
    for text in (*made_up(3, 1_500), *TEXTS):
        by_every_rule = by_all_rules(text, circumstances)
        assert judge_text(text, circumstances) == by_every_rule, ascii(text)
