"""The rules on real sentences. Pure, no store."""

import time
from decimal import Decimal

import pytest

from greenroom.safety.judge import has_link, judge_text
from greenroom.safety.matchers import Pattern
from greenroom.safety.rules import DEFAULT_RULES, Rule, RuleSet, Severity
from greenroom.safety.verdict import (
    ABOUT_STRANGERS,
    HINTS,
    Allow,
    Circumstances,
    Hold,
    Nudge,
    PolicyHint,
    PolicyTag,
    Refuse,
    Verdict,
)
from tests.safety import sentences

STRANGERS = Circumstances(first_contact=True, account_age_ms=400 * 86_400_000)
BOOKED = Circumstances(booked=True, account_age_ms=400 * 86_400_000)
NEWCOMER = Circumstances(first_contact=True, account_age_ms=60_000)
ACQUAINTED = Circumstances(account_age_ms=400 * 86_400_000)
NEW_AND_ACQUAINTED = Circumstances(account_age_ms=60_000)
_LINKS = ("https://example.com/a-long-page", "www.example.com", "Look: https://example.com/me")
_ALL = (
    *sentences.HARMLESS,
    *sentences.CONTACT,
    *sentences.PAYMENT,
    *sentences.SPAM,
    *sentences.ABUSE,
    *sentences.UNKIND,
)


@pytest.mark.parametrize("text", sentences.HARMLESS)
def test_ordinary_sentences_are_allowed_without_hints(text: str) -> None:
    assert judge_text(text, NEWCOMER) == Allow()


@pytest.mark.parametrize("text", sentences.CONTACT)
def test_contact_details_before_a_booking_are_nudged(text: str) -> None:
    verdict = judge_text(text, STRANGERS)
    assert isinstance(verdict, Nudge)
    assert PolicyHint.CONTACT_DETAILS in verdict.policy_hints
    assert PolicyTag.OFF_PLATFORM in verdict.policy_tags


@pytest.mark.parametrize("text", sentences.PAYMENT)
def test_payment_elsewhere_before_a_booking_is_nudged(text: str) -> None:
    verdict = judge_text(text, STRANGERS)
    assert isinstance(verdict, Nudge)
    assert PolicyHint.PAYMENT_OUTSIDE in verdict.policy_hints


@pytest.mark.parametrize("text", sentences.CONTACT + sentences.PAYMENT)
def test_after_a_booking_contact_details_are_allowed(text: str) -> None:
    assert judge_text(text, BOOKED) == Allow()


@pytest.mark.parametrize("known", [ACQUAINTED, NEW_AND_ACQUAINTED, BOOKED])
def test_after_acceptance_no_hint_speaks_of_strangers(known: Circumstances) -> None:
    """For every sentence with a link: hints about strangers are for first contact alone, and there
    is always another hint to give."""
    with_hints = 0
    for text in (*_LINKS, *(f"{one} {_LINKS[0]}" for one in _ALL)):
        verdict = judge_text(text, known)
        hints = () if isinstance(verdict, Allow) else verdict.policy_hints
        with_hints += bool(hints)
        assert not ABOUT_STRANGERS & set(hints), text
        assert hints or isinstance(verdict, Allow), text
    assert with_hints


def test_in_first_contact_a_link_gets_a_hint() -> None:
    assert PolicyHint.LINK in _nudged(judge_text(_LINKS[0], NEWCOMER)).policy_hints


def _nudged(verdict: Verdict) -> Nudge:
    assert isinstance(verdict, Nudge)
    return verdict


@pytest.mark.parametrize("text", sentences.SPAM)
def test_spam_and_scams_are_held(text: str) -> None:
    verdict = judge_text(text, Circumstances(account_age_ms=400 * 86_400_000))
    assert isinstance(verdict, Hold)
    assert {PolicyTag.SPAM, PolicyTag.SCAM} & set(verdict.policy_tags)
    assert verdict.spam_score >= Decimal("0.70")


@pytest.mark.parametrize("text", sentences.ABUSE)
def test_threats_and_private_addresses_are_held(text: str) -> None:
    verdict = judge_text(text, BOOKED)
    assert isinstance(verdict, Hold)
    assert {PolicyTag.HARASSMENT, PolicyTag.DOXXING} & set(verdict.policy_tags)


@pytest.mark.parametrize("text", sentences.UNKIND)
def test_unkind_and_intimate_words_are_nudged(text: str) -> None:
    assert isinstance(judge_text(text, BOOKED), Nudge)


def test_intimate_words_to_a_stranger_are_held() -> None:
    verdict = judge_text("send me nudes", STRANGERS)
    assert isinstance(verdict, Hold)
    assert verdict.policy_tags == (PolicyTag.NSFW,)


def test_a_scam_with_a_link_from_a_new_account_in_first_contact_is_refused() -> None:
    text = "Your account is locked, verify your account: http://grenroom-login.com/x, click here"
    assert isinstance(judge_text(text, NEWCOMER), Refuse)
    assert isinstance(judge_text(text, BOOKED), Hold)


def test_a_link_from_a_new_account_scores_higher() -> None:
    old = judge_text("my work: https://example.com/maya", STRANGERS)
    new = judge_text("my work: https://example.com/maya", NEWCOMER)
    assert old.spam_score < new.spam_score


@pytest.mark.parametrize(
    ("times", "kind"), [(0, Allow), (2, Allow), (3, Nudge), (6, Nudge), (7, Hold), (50, Hold)]
)
def test_a_repeated_text_is_nudged_then_held(times: int, kind: type[Allow | Nudge | Hold]) -> None:
    text = "Hello, I am looking for a photographer"
    assert isinstance(judge_text(text, Circumstances(recent=times)), kind)


def test_a_score_has_two_digits_and_is_between_0_and_1() -> None:
    for text in sentences.SPAM + sentences.CONTACT:
        score = judge_text(text, NEWCOMER).spam_score
        assert 0 <= score <= 1
        assert score.as_tuple().exponent == -2


def test_every_hint_has_a_text() -> None:
    assert set(HINTS) == set(PolicyHint)


def test_the_names_of_rules_are_unique() -> None:
    names = [rule.name for rule in DEFAULT_RULES.rules]
    assert len(names) == len(set(names))


def test_other_rules_can_be_used() -> None:
    policy = RuleSet(
        rules=(Rule(name="no-fish", matcher=Pattern("fish"), severity=Severity.REFUSE),)
    )
    assert judge_text("Fish?", Circumstances(), policy) == Refuse(reason="no-fish")
    assert judge_text("+49 170 1234567", Circumstances(), policy) == Allow()


@pytest.mark.parametrize(
    "text",
    [
        "http://example.com",
        "see https://example.com/x?y=1",
        "www.example.com",
        "example.com",
        "my.studio.photography",
        "example\uff0ecom",
        "exam\u200bple.com",
        "[here](x)",
        "mailto:maya@example.com",
        "javascript:alert(1)",
        "t.me/maya",
        "bit.ly/3abc",
        "maya.de/work",
        "ftp://example",
    ],
)
def test_links_are_found_in_every_form(text: str) -> None:
    assert has_link(text)


@pytest.mark.parametrize("text", sentences.HARMLESS)
def test_ordinary_sentences_have_no_links(text: str) -> None:
    assert not has_link(text)


WORST = (
    "a", "1", "1 ", "+1", "+", "0", "a@", "@", "a.", ".", "a.a", "a@a.", "at ", " dot com", "www.",
    "http://", "://", "$", "$$$ ", "one ", "o1", "aa11 ", "de89 ", "text me ", "pay to ", "earn $",
    "whatsapp ", "my insta is ", "(", "[](", "\u0301", "\u200b", "\u0430", "\u0430a", "\U0001f600",
    "1.1.1.", "111,", "2025-11-", "00 ", "a b c ", "a1b2", "you are a ", "gift card ", "x 1",
)  # fmt: skip


@pytest.mark.parametrize("piece", WORST)
def test_judging_takes_time_linear_in_the_length(piece: str) -> None:
    def seconds(length: int) -> float:
        text = (piece * length)[:length]
        best = 1e9
        for _ in range(5):
            began = time.thread_time()
            judge_text(text, NEWCOMER)
            best = min(best, time.thread_time() - began)
        return best

    seconds(100)
    assert seconds(8000) < 0.25
    assert seconds(8000) < 8 * 4 * max(seconds(1000), 0.0005)  # the square would be 64 times
