"""The prefilter drops only rules that would not match."""

# ruff: noqa: RUF001  letters of other scripts are meant

import re

import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st
from msgspec.structs import replace

from greenroom.safety import features, phones, phrases
from greenroom.safety.judge import judge_by, judge_text
from greenroom.safety.links import LINK
from greenroom.safety.literals import LONG_RUN, LiteralSets, literals_by_branch, literals_of_any
from greenroom.safety.matchers import IBAN, Both, LinkDensity, Links, Matcher, Pattern, Run, matches
from greenroom.safety.normalise import NormalisedText, _deobfuscated, digest, normalise
from greenroom.safety.prefilter import Prefilter
from greenroom.safety.rules import DEFAULT_RULES, Rule, RuleSet
from greenroom.safety.verdict import Circumstances, Verdict
from tests.safety import sentences

SENTENCES = (
    *(*sentences.HARMLESS, *sentences.CONTACT, *sentences.PAYMENT),
    *(*sentences.SPAM, *sentences.ABUSE, *sentences.UNKIND),
)
PROSE = (
    "Hello Maya, I really like the pictures from the harbour, and would love to work with you.",
    "We could meet in the studio on Friday afternoon, or a bit later if the weather is better.",
    "Thank you so much for the quick answer. I'm a fan of the second idea, and so is the team!",
    "That sounds great to me; could you please make sure that there is a mirror?\n\nI'll be there.",
)
REGEXES = {name: one.regex for name, one in vars(phrases).items() if isinstance(one, Pattern)}
REGEXES |= {"link": LINK.pattern, "iban": IBAN.pattern}
WORDS = sorted({word for regex in REGEXES.values() for word in re.findall(r"[^\W\d_]+", regex)})
MARKS = (*" \n\t.,!?-_'*([{<>)]@$/:;=#€0123456789’…😊é\u200b\u2028\x1c\x85", ". ", ", ", " . ")

PIECES = st.one_of(
    st.sampled_from(SENTENCES),
    st.sampled_from([word for text in SENTENCES for word in text.split()]),
    st.sampled_from(WORDS),
    st.sampled_from(sorted(phones.SPELLED)),
    st.sampled_from(MARKS),
    st.text(max_size=10),
    st.builds(str.__mul__, st.sampled_from("ab1!?$€é-"), st.integers(10, 14)),
)
OBFUSCATED = st.builds(
    str.join, st.sampled_from((" ", ".", "- ", "*")), st.sampled_from((*WORDS, "a" * 12))
) | st.builds(
    str.translate,
    st.sampled_from((*WORDS, *SENTENCES)),
    st.sampled_from([str.maketrans(a, b) for a, b in ("a4", "e3", "o0", "s$", "a@", "aа", "eé")]),
)
TEXTS = st.builds(
    str.join, st.sampled_from((" ", " ", "", "\n")), st.lists(PIECES | OBFUSCATED, max_size=8)
)
CIRCUMSTANCES = st.builds(
    Circumstances,
    booked=st.booleans(),
    first_contact=st.booleans(),
    account_age_ms=st.sampled_from((None, 60_000, 400 * 86_400_000)),
    recent=st.sampled_from((0, 0, 3, 7)),
)


def by_all_rules(
    text: str, circumstances: Circumstances, policy: RuleSet = DEFAULT_RULES
) -> Verdict:
    """Without cached verdicts."""
    return judge_by(policy.rules, NormalisedText(text), circumstances, replace(policy))


def literals_of(regex: str) -> LiteralSets:
    """Of all its alternatives together."""
    return literals_of_any(literals_by_branch(regex))


def candidate_names(text: str) -> list[str]:
    return [
        DEFAULT_RULES.rules[one].name
        for one in DEFAULT_RULES.prefilter.candidates(NormalisedText(text), 0)
    ]


@settings(max_examples=300, deadline=None)
@given(TEXTS | TEXTS.map(str.upper), CIRCUMSTANCES)
@example("", Circumstances())
@example("\u200b", Circumstances())
def test_the_prefilter_changes_no_verdict(text: str, circumstances: Circumstances) -> None:
    assert judge_text(text, circumstances) == by_all_rules(text, circumstances)


@pytest.mark.parametrize("text", [*SENTENCES, *PROSE])
def test_the_prefilter_changes_no_verdict_on_real_sentences(text: str) -> None:
    for circumstances in (Circumstances(), Circumstances(booked=True, recent=9)):
        assert judge_text(text, circumstances) == by_all_rules(text, circumstances)


@pytest.mark.parametrize("name", REGEXES)
def test_every_match_of_an_expression_contains_its_literals(name: str) -> None:
    regex, prefilter = REGEXES[name], Prefilter([Pattern(REGEXES[name])])

    @settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.from_regex(regex).map(normalise))
    def check(text: str) -> None:
        assert re.search(regex, text) is None or prefilter.candidates(NormalisedText(text), 0) == [
            0
        ]

    check()


@pytest.mark.parametrize(
    ("regex", "literal_set"),
    [
        (r"\bfish\b", {"fish"}),
        (r"\bfish(?:es)?\b|\bwhales?\s", {"fish", "fishes", "whale", "whales"}),
        (r"\bthe\s(?:shark|orca)\b", {"shark", "orca"}),
        (r"\bthe\s[^.]{0,9}\bshark\w{0,3}\swhale\b", {"whale"}),
        (r"\bamig[oa]\b", {"amigo", "amiga"}),
        (r"^shark$", {"shark"}),
        (r"\btwo\W{1,3}shark[s!]\b", {"two"}),
        (r"\b(?:very\s){1,3}shark\b", {"shark"}),
        (r"\bcrab\s?cake\b", {"crab", "crabcake"}),
        (r"(?<=a)@\w", {"@"}),
        (r"\.com", {".a"}),
        (r"\s\.\s", {" ."}),
        (r"x[0-3]", {"0", "1", "2", "3"}),
        (r"@[a-z0-3]", {"@"}),
        (r"\.[a-z0-9]", {".a", ".0"}),
        (r"\.ж", {"ж"}),
        (r"\b[a-z0-9]{30,40}\b", {LONG_RUN}),
        (r"кит\w", {"к"}),
    ],
)
def test_literals_are_derived_from_an_expression(regex: str, literal_set: set[str]) -> None:
    assert literals_of(regex)[0] == frozenset(literal_set)


@pytest.mark.parametrize(
    ("regex", "literal_sets"),
    [
        (r"\bfish\b[^.]{0,9}\bsharks\b", [{"sharks"}, {"fish"}]),
        (r"\bfish\b\s@", [{"fish"}, {"@"}]),
        (r"\bwhales\b|\bfish\b.{3}\borca\b", [{"whales", "fish"}, {"whales", "orca"}]),
        (r"\${3}", [{"$$"}, {"$"}]),
        (r"€{3}", [{"€€"}, {"€"}]),
    ],
)
def test_an_expression_has_two_literal_sets_and_matches_only_with_both(
    regex: str, literal_sets: list[set[str]]
) -> None:
    assert list(map(set, literals_of(regex))) == literal_sets


def test_a_rule_is_a_candidate_only_with_both_of_its_literal_sets() -> None:
    prefilter = Prefilter([Pattern(r"\bfish\b[^.]{0,9}\bsharks\b"), Pattern("€{3}"), Pattern("5€")])
    texts = ("one fish", "two sharks", "fish and sharks", "5€", "€€")
    found = [prefilter.candidates(NormalisedText(text), 0) for text in texts]
    assert found == [[], [], [0], [2], [1]]


@pytest.mark.parametrize(
    ("regex", "branches"),
    [
        (r"\bfish\b|\bwhales\b", [{"fish"}, {"whales"}]),
        (r"\b(?:fish|(?:whales|orca))\b", [{"fish", "whales", "orca"}]),
        (r"(?<!a)(?:\bfish\b|(?:\bwhales\b|@))", [{"fish"}, {"whales"}, {"@"}]),
        (r"\bfish\b|", [{"fish"}, None]),
    ],
)
def test_each_alternative_has_its_own_literals(regex: str, branches: list[set[str] | None]) -> None:
    found = [set(branch[0]) if branch else None for branch in literals_by_branch(regex)]
    assert found == branches


def test_a_rule_is_a_candidate_only_if_one_alternative_has_both_literal_sets() -> None:
    prefilter = Prefilter([Pattern(r"\bfish\b\s@|\bsharks\b\s#")])
    texts = ("fish #", "sharks @", "fish and sharks", "a fish @home", "sharks #1")
    found = [prefilter.candidates(NormalisedText(text), 0) for text in texts]
    assert found == [[], [], [], [0], [0]]


@pytest.mark.parametrize(
    "regex",
    [
        *("fish", r"\bfish", r"fish\b", r"\bfish\w\b", r"\bfis.\b"),
        *(r"(?i)\bfish\b", r"(?i:\bfish\b)"),
        *(r"\bfish\b|", r"(?:\bfish\b)?", r"(\w)\1{11}", r"[^a]\b", r"\W", r"\s", r"(?!fish)\b"),
        *(r"\bfish\b|whale", r"\b(?:fish){2}\b", r"\bfish(?=\b)", r"\bfish(?!\w)"),
    ],
)
def test_an_expression_without_required_literals_has_none(regex: str) -> None:
    assert literals_of(regex) == ()


@pytest.mark.parametrize(
    "matcher", [Pattern("fish"), Links(0), LinkDensity(0), Both(Pattern("fish"), Run(3))]
)
def test_a_rule_without_literals_is_tried_on_every_text(matcher: Matcher) -> None:
    policy = RuleSet(rules=(Rule(name="fishy", matcher=matcher),))
    assert list(policy.prefilter.candidates(NormalisedText("Hello Maya"), 0)) == [0]


def test_a_verdict_is_cached_for_its_own_circumstances() -> None:
    """First contact and later messages get different verdicts, also when cached."""
    text = "See https://example.com/harbour, it is on my page"
    for _ in range(2):
        later = judge_text(text, Circumstances(account_age_ms=400 * 86_400_000))
        first = judge_text(text, Circumstances(first_contact=True, account_age_ms=60_000))
        assert later == by_all_rules(text, Circumstances(account_age_ms=400 * 86_400_000))
        assert first.spam_score > later.spam_score
    link = "See https://example.com/harbour, and call 0170 1234567"
    hints = [
        judge_text(link, Circumstances(first_contact=first)).policy_hints for first in (True, False)
    ]
    assert hints[0] != hints[1]


def test_rules_of_a_set_have_different_names() -> None:
    with pytest.raises(AssertionError, match="unique"):
        RuleSet(rules=(DEFAULT_RULES.rules[0], DEFAULT_RULES.rules[0]))


def test_after_a_booking_rules_for_numbers_and_links_are_not_tried() -> None:
    """They do not apply then, and they take the most time."""
    normalised = NormalisedText(
        "Call 0170 1234567, or see https://example.com/ and www.example.org"
    )
    found = {
        booked: {
            DEFAULT_RULES.rules[one].name
            for one in DEFAULT_RULES.prefilter.candidates(
                normalised, 0, DEFAULT_RULES.applicable(Circumstances(booked=booked))
            )
        }
        for booked in (False, True)
    }
    assert {"phone", "link", "many-links"} <= found[False]
    assert not found[True] & {"phone", "link", "many-links", "new-account-link"}


def test_no_default_rule_is_tried_on_every_text() -> None:
    assert [candidate_names(text) for text in ("ok", *PROSE)] == [[], [], [], [], []]


@settings(max_examples=200, deadline=None)
@given(
    st.builds(
        lambda before, c, times, between, after: before + between.join(c * times) + after,
        *(st.text("ab! é", max_size=14), st.sampled_from("ab7é!?$€_ ’"), st.integers(10, 14)),
        *(st.sampled_from(("", "", " ")), st.text("ab! é", max_size=14)),
    )
)
def test_a_run_is_found_wherever_it_begins(text: str) -> None:
    normalised = NormalisedText(text)
    again = re.compile(r"([^\W_]|[!?$€])\1{11}")
    runs = [one for one in (normalised.text, normalised.deobfuscated) if again.search(one)]
    assert matches(Run(12), normalised, 0) == bool(runs)


def _shape(text: str) -> str:
    return features.shape_of(features.to_ascii(text))


def _without_obfuscation(text: str) -> str:
    return _deobfuscated(text, features.to_ascii(text))


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters(max_codepoint=127), max_size=60))
@example("".join(map(chr, range(128))))
@example("a b c d")
@example("a- b- c- d")
def test_ascii_text_has_the_same_features_as_other_text(text: str) -> None:
    with_more = text.lower() + " é"
    assert [*features.words_in(text.lower()), "é"] == features.words_in(with_more)
    assert _shape(text.lower()) + " ?" == _shape(with_more)
    assert features.capitals_in(text) == features.capitals_in(text + "é")
    assert features.cased_in(text) + 1 == features.cased_in(text + "é")
    assert _without_obfuscation(text.lower()) + " é" == _without_obfuscation(with_more)
    assert digest(text + " é") != digest(text) == digest(f" {text.upper()}!")
