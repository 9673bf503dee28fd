"""Joining: a username is given once, however many ask for it at the same time."""

import asyncio
import unicodedata

import pytest

from greenroom.clock import ManualClock
from greenroom.people import People, directory
from greenroom.people.join import UsernameTaken, join
from greenroom.people.models import (
    Account,
    InvalidEmail,
    InvalidName,
    InvalidUsername,
    checked_name,
)
from greenroom.unicode import is_name_like


async def test_a_new_account_is_stored_with_all_its_fields(
    people: People, clock: ManualClock
) -> None:
    account = await join(
        people, "Maya", first_name="Maya", last_name="Lindqvist", email="maya@example.com"
    )
    assert account.username == "maya"
    assert account.joined_ms == clock.now_ms()
    assert await directory.by_id(people, account.id) == account


async def test_a_username_is_given_once(people: People) -> None:
    first = await join(people, "maya")
    with pytest.raises(UsernameTaken):
        await join(people, "MAYA", first_name="Somebody Else")
    found = await directory.by_username(people, "maya")
    assert found is not None
    assert found.id == first.id


async def test_a_refused_account_leaves_nothing_behind(people: People) -> None:
    await join(people, "maya")
    with pytest.raises(UsernameTaken):
        await join(people, "maya", first_name="Zebedee")
    assert (await directory.by_name(people, "zebedee")).people == ()


async def test_of_ten_simultaneous_claims_on_a_username_one_wins(people: People) -> None:
    tries = (join(people, "maya", last_name=f"Number{n}") for n in range(10))
    answers = await asyncio.gather(*tries, return_exceptions=True)
    winners = [answer for answer in answers if isinstance(answer, Account)]
    assert len(winners) == 1
    others = [answer for answer in answers if not isinstance(answer, Account)]
    assert {type(other) for other in others} == {UsernameTaken}
    assert await directory.by_id(people, winners[0].id) == winners[0]


async def test_an_account_without_names_shows_its_username(people: People) -> None:
    account = await directory.by_id(people, (await join(people, "maya")).id)
    assert account.name == "maya"
    assert account.email is None


@pytest.mark.parametrize(
    "username",
    ["", "m", "9lives", "maya lind", "m\u0430ya", "a" * 31, "maya#1", ".maya", "ma\x00ya"],
)
async def test_an_ambiguous_username_is_refused(people: People, username: str) -> None:
    with pytest.raises(InvalidUsername):
        await join(people, username)


@pytest.mark.parametrize("name", ["x" * 81, "two\nlines", "nul\x00", "\ud800", "a\u202eb"])
async def test_a_name_that_would_break_a_page_is_refused(people: People, name: str) -> None:
    with pytest.raises(InvalidName):
        await join(people, "maya", first_name=name)


@pytest.mark.parametrize("email", ["", "maya", "@example.com", "a b@example.com", "a@b@c"])
async def test_an_invalid_e_mail_address_is_refused(people: People, email: str) -> None:
    with pytest.raises(InvalidEmail):
        await join(people, "maya", email=email)


async def test_the_cost_of_joining_does_not_grow(people: People) -> None:
    async def price(username: str) -> float:
        with people.store.counting() as cost:
            await join(people, username, first_name="Maya", last_name="Lindqvist")
        return cost.write_units

    first = await price("maya.one")
    for n in range(5):
        await join(people, f"other{n}")
    assert await price("maya.two") == first


@pytest.mark.parametrize(
    "name",
    [
        "Zoë Müller-Lüdenscheidt",
        "Ольга Петрова",
        "محمد بن سلمان",
        "علی\u200cرض\u0627",
        "דָּוִד בֶּן־גּוּרִיּוֹן",
        "अनुष्का शर्मा",
        "အောင်ဆန်းစုကြည်",
        "Nguyễn Thị Ánh",
        "山田 太郎",
        "김민준",
        "🦄",
        "👩🏽\u200d🚀 Ana",
        "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "\U0001fae8",
        "Ana ❤\ufe0f 1\ufe0f\u20e3 \u2139\ufe0f ↔\ufe0f 👁\ufe0f\u200d🗨\ufe0f",
        "葛\U000e0100城 神\ufe00",
        "ᠮᠣᠩᠭᠣᠯ\u180b",
        "W" + "olfeschlegelsteinhausenbergerdorff" + "x" * 25,
        "e\u0301" * 40,
        "",
    ],
)
def test_real_names_are_accepted(name: str) -> None:
    assert checked_name("display name", name) == unicodedata.normalize("NFC", name)


@pytest.mark.parametrize(
    "name",
    [
        *("\u3164", "\u2800\u2800", "\u115f", "\u00a0\u3164 ", "\u200d", "\u0301", "\U0001d159"),
        *("a" + "\u0301" * 70, "a" + "\u302e" * 70, "a" + "\u0316\u0301" * 30, "\u0489" * 9),
        *("a\nb", "a\0b", "a\u202eb", "a\u200bb", "a\u200db", "\ud83d", "a\u2028b", "\ufeffa"),
        *("x" * 81, "\u0301" * 1_000_000, "a" + "\u0315" * 40_000 + "\u0316" * 40_000),
    ],
)
def test_invisible_and_smearing_names_are_refused(name: str) -> None:
    with pytest.raises(InvalidName, match="display name"):
        checked_name("display name", name)


def _is_ignorable(code: int) -> bool:
    """Default_Ignorable_Code_Point, as DerivedCoreProperties.txt of Unicode 16 lists it."""
    return any(
        first <= code <= last
        for first, last in (
            *((0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5)),
            *((0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F)),
            *((0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0)),
            *((0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)),
        )
    )


def test_no_invisible_character_is_accepted_in_a_name() -> None:
    passed = []
    for code in range(0x80, 0x110000):
        c = chr(code)
        if not (_is_ignorable(code) or unicodedata.category(c) in ("Cf", "Cc")):
            continue
        for name in (f"Ana{c}", f"A{c}na", f"{c}Ana", f"Оля{c}", f"Ana {c}{c}Sol"):
            # Blanks at the ends are cut off, and a few control characters count as blanks.
            if is_name_like(name) and name.strip() == name:
                passed.append((name, f"U+{code:04X}"))
    assert passed == []


@pytest.mark.parametrize("base", ["a", "é", "я", "ع", "한", "ก", ".", "+"])
def test_a_variation_selector_is_accepted_only_where_it_has_an_effect(base: str) -> None:
    for c in ("\ufe00", "\ufe0e", "\ufe0f", "\u180b", "\U000e0100", "\U000e01ef"):
        assert not is_name_like(f"{base}{c}")
