"""The operator's policy for texts: categories, own phrases, thresholds."""

import pytest

from greenroom.safety.judge import judge_by, judge_text
from greenroom.safety.normalise import NormalisedText
from greenroom.safety.policy import ContentRules
from greenroom.safety.rules import DEFAULT_RULES, rule_set_of
from greenroom.safety.verdict import Allow, Circumstances, Hold, Nudge, PolicyHint, Refuse, Verdict
from tests.safety import sentences

OLD = Circumstances(first_contact=True, account_age_ms=400 * 86_400_000)
PHRASES = ("blue whale", "Straße", "c++", "撮影", "0800")


def judge(text: str, policy: ContentRules, circumstances: Circumstances = OLD) -> Verdict:
    rule_set = rule_set_of(policy)
    verdict = judge_text(text, circumstances, rule_set)
    assert verdict == judge_by(rule_set.rules, NormalisedText(text), circumstances, rule_set)
    return verdict


def test_the_default_policy_is_the_default_rules() -> None:
    assert rule_set_of(ContentRules()) is DEFAULT_RULES


@pytest.mark.parametrize(
    ("policy", "text"),
    [
        (ContentRules(contact=False), "my number is +49 170 1234567"),
        (ContentRules(payment=False), "let's do this outside the platform"),
        (ContentRules(scam=False, spam=False), "Send me the verification code you just got"),
        (ContentRules(spam=False), "EARN $$$ DAILY"),
        (ContentRules(conduct=False), "kill yourself"),
    ],
)
def test_a_category_can_be_switched_off(policy: ContentRules, text: str) -> None:
    assert judge(text, ContentRules()) != Allow()
    assert judge(text, policy) == Allow()


@pytest.mark.parametrize(
    "text",
    [
        *("A blue whale!", "BLUE   WHALE", "blue\nwhale", "b l u e whale? bl\u200bue whale"),
        *(
            "my strasse",
            "Die Straße.",
            "I write c++ here",
            "c++",
            "土曜日に撮影できますか",
            "call 0800 now",
        ),
    ],
)
def test_a_text_with_a_phrase_of_the_operator_is_found(text: str) -> None:
    hinted = judge(text, ContentRules(hint_phrases=PHRASES))
    assert isinstance(hinted, Nudge)
    assert PolicyHint.SITE_RULES in hinted.policy_hints
    held = judge(text, ContentRules(hold_phrases=PHRASES))
    assert isinstance(held, Hold)
    assert held.reason == "hold-phrases"
    assert isinstance(judge(text, ContentRules(refuse_phrases=PHRASES)), Refuse)


@pytest.mark.parametrize("text", ["blue whales", "bluewhale", "Straßen", "10800", "a blue, whale"])
def test_phrases_match_whole_words_only(text: str) -> None:
    assert judge(text, ContentRules(refuse_phrases=PHRASES)) == Allow()


def test_ordinary_sentences_pass_with_many_phrases() -> None:
    policy = ContentRules(refuse_phrases=tuple(f"forbidden {n} word" for n in range(500)))
    for text in sentences.HARMLESS:
        assert judge(text, policy) == Allow()
    assert isinstance(judge("a Forbidden 499 word", policy), Refuse)
    ordinary = NormalisedText("Hello Maya, I really like the pictures from the harbour.")
    assert rule_set_of(policy).prefilter.candidates(ordinary, 0) == []


def test_thresholds_of_the_score_decide() -> None:
    text = "Buy now, act now, limited time offer"
    scored = judge(text, ContentRules()).spam_score
    assert 0 < scored < 1
    low = ContentRules(nudge_at=0.01, hold_at=float(scored), refuse_at=1.0)
    assert isinstance(judge(text, low), Hold)
    assert isinstance(
        judge(text, ContentRules(nudge_at=0.01, hold_at=0.01, refuse_at=0.01)), Refuse
    )
    assert isinstance(judge(text, ContentRules(nudge_at=1, hold_at=1, refuse_at=1)), Allow)


@pytest.mark.parametrize(("times", "kind"), [(0, Allow), (1, Nudge), (2, Hold)])
def test_repeats_are_counted_as_the_policy_says(times: int, kind: type[Verdict]) -> None:
    policy = ContentRules(repeats_to_nudge=1, repeats_to_hold=2)
    repeated = Circumstances(recent=times)
    assert isinstance(judge("Hello, I am looking for a photographer", policy, repeated), kind)


def test_the_age_of_a_new_account_and_the_number_of_links_are_policy() -> None:
    link, day = "my work: https://example.com/maya", Circumstances(account_age_ms=30 * 3_600_000)
    stricter = judge(link, ContentRules(new_account_hours=48), day)
    assert stricter.spam_score > judge(link, ContentRules(), day).spam_score
    links = "It is on t.me, or maybe it was on bit.ly, I am not sure"
    stricter = judge(links, ContentRules(links_to_count=2))
    assert stricter.spam_score > judge(links, ContentRules()).spam_score
