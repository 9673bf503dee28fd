"""The texts of the chat benchmark are realistic and numbered, and safety lets them through."""

import re
import statistics

import pytest

from bench.chat_texts import BODY_BYTES, MIX, TEXTS, mixed, number_in, plain
from greenroom.messaging import text
from greenroom.safety.judge import has_link, judge_text
from greenroom.safety.normalise import digest
from greenroom.safety.verdict import Allow, Circumstances

_DAY_MS = 86_400_000
_ESTABLISHED = Circumstances(account_age_ms=400 * _DAY_MS)
_NEW = Circumstances(account_age_ms=60_000)
"""As in the benchmark: the thread is accepted, the accounts are new."""


def test_a_plain_message_has_a_hundred_and_twenty_bytes_and_a_number_in_letters() -> None:
    for number in (0, 1, 25, 26, 12_345):
        written = plain(number)
        assert len(written.encode()) == BODY_BYTES
        assert not any(character.isdigit() for character in written)
        assert number_in(written) == number


def test_the_number_of_a_mixed_message_is_recognised() -> None:
    for number in (*range(200), 12_345, 9_876_543):
        assert number_in(text.clean(mixed(number))) == number


@pytest.mark.parametrize("number", range(len(TEXTS)))
@pytest.mark.parametrize("circumstances", [_ESTABLISHED, _NEW])
def test_safety_lets_every_text_of_the_mix_through(
    number: int, circumstances: Circumstances
) -> None:
    for written in (plain(number), mixed(number), mixed(number + 1_000 * len(TEXTS))):
        assert isinstance(judge_text(written, circumstances), Allow), written


def test_no_text_is_a_repeat_of_another() -> None:
    assert len({digest(mixed(number)) for number in range(5_000)}) == 5_000


def test_the_mix_is_what_people_write() -> None:
    assert len(MIX) == 5
    for what in (
        r"\d{20}",
        r"\d\d:\d\d",
        r"20\d\d-\d\d-\d\d",
        r"[$€]",
        r"\d [x\u00d7] \d",
        "[ぁ-ん]",
        "[😀-🙏]",
    ):
        assert any(re.search(what, one) for one in TEXTS), what
    assert sum(map(has_link, TEXTS)) >= 4
    sizes = [len(one.encode()) for one in TEXTS]
    assert statistics.median(sizes) > 50
    assert sum(20 <= size <= 200 for size in sizes) > 0.9 * len(sizes)
