"""The glance in front of the rules leaves out what would see nothing, and never anything else."""

# ruff: noqa: RUF001  letters of other scripts are meant

import re

import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st
from msgspec.structs import replace

from greenroom.safety import phones, phrases, traits
from greenroom.safety.clues import LONG_RUN, Clues, clues_by_way, clues_of_any
from greenroom.safety.glance import Glance
from greenroom.safety.judge import judge_by, judge_text
from greenroom.safety.links import LINK
from greenroom.safety.look import IBAN, Both, LinkDensity, Links, Look, Pattern, Run, sees
from greenroom.safety.reading import Reading, _undisguised, digest, read
from greenroom.safety.rules import POLICY, Policy, Rule
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
DISGUISED = st.builds(
    str.join, st.sampled_from((" ", ".", "- ", "*")), st.sampled_from((*WORDS, "a" * 12))
) | st.builds(
    str.translate,
    st.sampled_from((*WORDS, *SENTENCES)),
    st.sampled_from([str.maketrans(a, b) for a, b in ("a4", "e3", "o0", "s$", "a@", "aа", "eé")]),
)
TEXTS = st.builds(
    str.join, st.sampled_from((" ", " ", "", "\n")), st.lists(PIECES | DISGUISED, max_size=8)
)
CIRCUMSTANCES = st.builds(
    Circumstances,
    booked=st.booleans(),
    first_contact=st.booleans(),
    account_age_ms=st.sampled_from((None, 60_000, 400 * 86_400_000)),
    recent=st.sampled_from((0, 0, 3, 7)),
)


def by_all_rules(text: str, circumstances: Circumstances, policy: Policy = POLICY) -> Verdict:
    """Without what was kept of earlier verdicts."""
    return judge_by(policy.rules, Reading(text), circumstances, replace(policy))


def clues_of(regex: str) -> Clues:
    """Of all its alternatives together."""
    return clues_of_any(clues_by_way(regex))


def suspects(text: str) -> list[str]:
    return [POLICY.rules[one].name for one in POLICY.glance.suspects(Reading(text), 0)]


@settings(max_examples=300, deadline=None)
@given(TEXTS | TEXTS.map(str.upper), CIRCUMSTANCES)
@example("", Circumstances())
@example("\u200b", Circumstances())
def test_a_glance_changes_no_verdict(text: str, circumstances: Circumstances) -> None:
    assert judge_text(text, circumstances) == by_all_rules(text, circumstances)


@pytest.mark.parametrize("text", [*SENTENCES, *PROSE])
def test_a_glance_changes_no_verdict_on_what_people_say(text: str) -> None:
    for circumstances in (Circumstances(), Circumstances(booked=True, recent=9)):
        assert judge_text(text, circumstances) == by_all_rules(text, circumstances)


@pytest.mark.parametrize("name", REGEXES)
def test_whatever_an_expression_matches_has_its_clue(name: str) -> None:
    regex, glance = REGEXES[name], Glance([Pattern(REGEXES[name])])

    @settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.from_regex(regex).map(read))
    def try_out(text: str) -> None:
        assert re.search(regex, text) is None or glance.suspects(Reading(text), 0) == [0]

    try_out()


@pytest.mark.parametrize(
    ("regex", "clue"),
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
def test_a_clue_is_read_off_an_expression(regex: str, clue: set[str]) -> None:
    assert clues_of(regex)[0] == frozenset(clue)


@pytest.mark.parametrize(
    ("regex", "clues"),
    [
        (r"\bfish\b[^.]{0,9}\bsharks\b", [{"sharks"}, {"fish"}]),
        (r"\bfish\b\s@", [{"fish"}, {"@"}]),
        (r"\bwhales\b|\bfish\b.{3}\borca\b", [{"whales", "fish"}, {"whales", "orca"}]),
        (r"\${3}", [{"$$"}, {"$"}]),
        (r"€{3}", [{"€€"}, {"€"}]),
    ],
)
def test_an_expression_has_two_clues_and_matches_only_where_both_are(
    regex: str, clues: list[set[str]]
) -> None:
    assert list(map(set, clues_of(regex))) == clues


def test_a_rule_is_suspected_only_where_both_of_its_clues_are() -> None:
    glance = Glance([Pattern(r"\bfish\b[^.]{0,9}\bsharks\b"), Pattern("€{3}"), Pattern("5€")])
    texts = ("one fish", "two sharks", "fish and sharks", "5€", "€€")
    found = [glance.suspects(Reading(text), 0) for text in texts]
    assert found == [[], [], [0], [2], [1]]


@pytest.mark.parametrize(
    ("regex", "ways"),
    [
        (r"\bfish\b|\bwhales\b", [{"fish"}, {"whales"}]),
        (r"\b(?:fish|(?:whales|orca))\b", [{"fish", "whales", "orca"}]),
        (r"(?<!a)(?:\bfish\b|(?:\bwhales\b|@))", [{"fish"}, {"whales"}, {"@"}]),
        (r"\bfish\b|", [{"fish"}, None]),
    ],
)
def test_each_alternative_has_its_own_clues(regex: str, ways: list[set[str] | None]) -> None:
    found = [set(way[0]) if way else None for way in clues_by_way(regex)]
    assert found == ways


def test_a_rule_is_suspected_only_where_one_alternative_has_both_of_its_clues() -> None:
    glance = Glance([Pattern(r"\bfish\b\s@|\bsharks\b\s#")])
    texts = ("fish #", "sharks @", "fish and sharks", "a fish @home", "sharks #1")
    found = [glance.suspects(Reading(text), 0) for text in texts]
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
def test_where_nothing_must_be_there_there_is_no_clue(regex: str) -> None:
    assert clues_of(regex) == ()


@pytest.mark.parametrize(
    "look", [Pattern("fish"), Links(0), LinkDensity(0), Both(Pattern("fish"), Run(3))]
)
def test_a_rule_without_a_clue_looks_at_every_text(look: Look) -> None:
    policy = Policy(rules=(Rule(name="fishy", look=look),))
    assert list(policy.glance.suspects(Reading("Hello Maya"), 0)) == [0]


def test_a_verdict_is_kept_for_its_own_circumstances() -> None:
    """Those of first contact and of other texts differ, also when they were judged before."""
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


def test_no_two_rules_of_a_policy_have_one_name() -> None:
    with pytest.raises(AssertionError, match="unique"):
        Policy(rules=(POLICY.rules[0], POLICY.rules[0]))


def test_after_a_booking_nobody_looks_for_numbers_and_links() -> None:
    """The rules for them do not count then, and to look for them takes the most time."""
    reading = Reading("Call 0170 1234567, or see https://example.com/ and www.example.org")
    found = {
        booked: {
            POLICY.rules[one].name
            for one in POLICY.glance.suspects(
                reading, 0, POLICY.asked(Circumstances(booked=booked))
            )
        }
        for booked in (False, True)
    }
    assert {"phone", "link", "many-links"} <= found[False]
    assert not found[True] & {"phone", "link", "many-links", "new-account-link"}


def test_none_of_our_rules_has_to_look_at_every_text() -> None:
    assert [suspects(text) for text in ("ok", *PROSE)] == [[], [], [], [], []]


@settings(max_examples=200, deadline=None)
@given(
    st.builds(
        lambda before, c, times, between, after: before + between.join(c * times) + after,
        *(st.text("ab! é", max_size=14), st.sampled_from("ab7é!?$€_ ’"), st.integers(10, 14)),
        *(st.sampled_from(("", "", " ")), st.text("ab! é", max_size=14)),
    )
)
def test_a_run_is_seen_wherever_it_begins(text: str) -> None:
    reading = Reading(text)
    again = re.compile(r"([^\W_]|[!?$€])\1{11}")
    runs = [one for one in (reading.text, reading.undisguised) if again.search(one)]
    assert sees(Run(12), reading, 0) == bool(runs)


def _signs(text: str) -> str:
    return traits.signs_of(traits.in_ascii(text))


def _without_disguise(text: str) -> str:
    return _undisguised(text, traits.in_ascii(text))


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters(max_codepoint=127), max_size=60))
@example("".join(map(chr, range(128))))
@example("a b c d")
@example("a- b- c- d")
def test_plain_text_has_the_traits_that_are_found_letter_by_letter(text: str) -> None:
    with_more = text.lower() + " é"
    assert [*traits.words_in(text.lower()), "é"] == traits.words_in(with_more)
    assert _signs(text.lower()) + " ?" == _signs(with_more)
    assert traits.capitals_in(text) == traits.capitals_in(text + "é")
    assert traits.cased_in(text) + 1 == traits.cased_in(text + "é")
    assert _without_disguise(text.lower()) + " é" == _without_disguise(with_more)
    assert digest(text + " é") != digest(text) == digest(f" {text.upper()}!")
