"""The content rules, as data.

A rule has a matcher, the circumstances under which it applies, a share of the spam score, a tag and
a hint for the text, and a severity of its own. Scores combine like independent probabilities: two
halves make three quarters. The phrases that rules match are in `phrases.py`.
"""

from collections.abc import Iterator
from decimal import Decimal
from enum import IntEnum
from functools import cache, cached_property

from msgspec import Struct

from greenroom.lru import LruCache
from greenroom.safety import phrases
from greenroom.safety.matchers import (
    Both,
    Iban,
    LinkDensity,
    Links,
    Matcher,
    Pattern,
    Phone,
    Repeated,
    Run,
    Shouting,
)
from greenroom.safety.policy import ContentRules
from greenroom.safety.prefilter import Prefilter
from greenroom.safety.site_phrases import phrase_pattern
from greenroom.safety.verdict import Circumstances, PolicyHint, PolicyTag, Verdict

_HOUR_MS = 3_600_000
_MAX_VERDICTS = 512


class Severity(IntEnum):
    """What a matching rule does to a text; the worst one wins."""

    NONE = 0
    NUDGE = 1
    HOLD = 2
    REFUSE = 3


class When(Struct, frozen=True, kw_only=True):
    """The circumstances under which a rule applies. None means any."""

    booked: bool | None = None
    first_contact: bool | None = None
    younger_than_ms: int | None = None

    def holds(self, circumstances: Circumstances) -> bool:
        if not self.may_hold(circumstances.booked, circumstances.first_contact):
            return False
        age = circumstances.account_age_ms
        return self.younger_than_ms is None or (age is not None and age < self.younger_than_ms)

    def may_hold(self, booked: bool, first_contact: bool) -> bool:
        """Regardless of the age of the account."""
        return self.booked in (None, booked) and self.first_contact in (None, first_contact)


ALWAYS = When()
BEFORE_BOOKING = When(booked=False)
FIRST_CONTACT = When(booked=False, first_contact=True)


MAX_RULE_NAME = 40


class Rule(Struct, frozen=True, kw_only=True):
    name: str
    matcher: Matcher
    when: When = ALWAYS
    score: Decimal = Decimal(0)
    tag: PolicyTag | None = None
    hint: PolicyHint | None = None
    severity: Severity = Severity.NONE

    def __post_init__(self) -> None:
        assert len(self.name) <= MAX_RULE_NAME, self.name


class RuleSet(Struct, frozen=True, kw_only=True, dict=True):
    rules: tuple[Rule, ...]
    nudge_at: Decimal = Decimal("0.50")
    hold_at: Decimal = Decimal("0.70")
    refuse_at: Decimal = Decimal("0.95")
    """In first contact. Later, such a text is held."""

    def __post_init__(self) -> None:
        assert len({rule.name for rule in self.rules}) == len(self.rules), "names are unique"

    @cached_property
    def prefilter(self) -> Prefilter:
        """Takes a tenth of a second to build: do it before the first text arrives."""
        return Prefilter([rule.matcher for rule in self.rules])

    def applicable(self, circumstances: Circumstances) -> int:
        """The rules that can apply, as bits for `Prefilter.candidates`."""
        return self._applicable[circumstances.booked, circumstances.first_contact]

    @cached_property
    def _applicable(self) -> dict[tuple[bool, bool], int]:
        return {
            (booked, first): self.prefilter.applicable(
                {n for n, one in enumerate(self.rules) if one.when.may_hold(booked, first)}
            )
            for booked in (False, True)
            for first in (False, True)
        }

    @cached_property
    def verdicts(self) -> LruCache[tuple[bool, tuple[str, ...]], Verdict]:
        """A cache, keyed by first contact and the names of the rules that matched."""
        return LruCache(_MAX_VERDICTS)


def _contact(name: str, matcher: Matcher, score: str = "0.15") -> Rule:
    return Rule(
        name=name,
        matcher=matcher,
        when=BEFORE_BOOKING,
        score=Decimal(score),
        tag=PolicyTag.OFF_PLATFORM,
        hint=PolicyHint.CONTACT_DETAILS,
        severity=Severity.NUDGE,
    )


def _payment(name: str, matcher: Matcher) -> Rule:
    return Rule(
        name=name,
        matcher=matcher,
        when=BEFORE_BOOKING,
        score=Decimal("0.25"),
        tag=PolicyTag.OFF_PLATFORM,
        hint=PolicyHint.PAYMENT_OUTSIDE,
        severity=Severity.NUDGE,
    )


def _spam(name: str, matcher: Matcher, score: str, when: When = ALWAYS) -> Rule:
    hint = PolicyHint.LOOKS_LIKE_SPAM
    return Rule(name=name, matcher=matcher, when=when, score=Decimal(score), hint=hint)


def _scam(name: str, matcher: Matcher, score: str = "0.80") -> Rule:
    return Rule(
        name=name,
        matcher=matcher,
        score=Decimal(score),
        tag=PolicyTag.SCAM,
        hint=PolicyHint.LOOKS_LIKE_SPAM,
        severity=Severity.HOLD,
    )


CONTACT_RULES = (
    _contact("phone", Phone()),
    _contact("e-mail", phrases.EMAIL),
    _contact("e-mail-spelled", phrases.EMAIL_SPELLED, "0.20"),
    _contact("link-spelled", phrases.LINK_SPELLED, "0.20"),
    _contact("messenger-link", phrases.MESSENGER_LINK, "0.20"),
    _contact("messenger-ask", phrases.MESSENGER_ASK),
    _contact("messenger-ask-abroad", phrases.MESSENGER_ASK_ABROAD),
    _contact("messenger-handle", phrases.MESSENGER_HANDLE),
    _contact("asks-for-number", phrases.ASKS_FOR_NUMBER),
    Rule(
        name="link",
        matcher=Links(),
        when=BEFORE_BOOKING,
        score=Decimal("0.10"),
        hint=PolicyHint.LINK,
    ),
)

PAYMENT_RULES = (
    _payment("payment-handle", phrases.PAYMENT_HANDLE),
    _payment("payment-by", phrases.PAYMENT_BY),
    _payment("payment-outside", phrases.PAYMENT_OUTSIDE),
    _payment("iban", Iban()),
    _payment("crypto-address", phrases.CRYPTO_ADDRESS),
)

_SPAM_PHRASES = (
    _spam("earnings", phrases.EARNINGS, "0.55"),
    _spam("easy-money", phrases.EASY_MONEY, "0.50"),
    _spam("money-signs", phrases.MONEY_SIGNS, "0.35"),
    _spam("mass-greeting", phrases.MASS_GREETING, "0.35"),
    _spam("advertisement", phrases.ADVERTISEMENT, "0.55"),
    _spam("click-here", Both(phrases.CLICK_HERE, Links()), "0.45"),
)

SCAM_RULES = (
    _scam("advance-fee", phrases.ADVANCE_FEE),
    _scam("overpayment", phrases.OVERPAYMENT),
    _scam("windfall", phrases.WINDFALL),
    _scam("phishing", Both(phrases.PHISHING, Links()), "0.85"),
    _scam("takes-a-code", phrases.TAKES_A_CODE),
    _scam("takes-a-wallet", phrases.TAKES_A_WALLET),
    _scam("sure-profit", phrases.SURE_PROFIT, "0.75"),
)

CONDUCT_RULES = (
    Rule(
        name="threat",
        matcher=phrases.THREAT,
        score=Decimal("0.30"),
        tag=PolicyTag.HARASSMENT,
        hint=PolicyHint.UNKIND,
        severity=Severity.HOLD,
    ),
    Rule(
        name="insult",
        matcher=phrases.INSULT,
        score=Decimal("0.10"),
        tag=PolicyTag.HARASSMENT,
        hint=PolicyHint.UNKIND,
        severity=Severity.NUDGE,
    ),
    Rule(
        name="where-somebody-lives",
        matcher=phrases.WHERE_SOMEBODY_LIVES,
        score=Decimal("0.20"),
        tag=PolicyTag.DOXXING,
        hint=PolicyHint.PRIVATE_DETAILS,
        severity=Severity.HOLD,
    ),
    Rule(
        name="intimate",
        matcher=phrases.INTIMATE,
        score=Decimal("0.30"),
        tag=PolicyTag.NSFW,
        hint=PolicyHint.INTIMATE,
        severity=Severity.NUDGE,
    ),
    Rule(
        name="intimate-at-first",
        matcher=phrases.INTIMATE,
        when=FIRST_CONTACT,
        score=Decimal("0.30"),
        tag=PolicyTag.NSFW,
        hint=PolicyHint.INTIMATE,
        severity=Severity.HOLD,
    ),
)


def _spam_rules(policy: ContentRules) -> tuple[Rule, ...]:
    new_account = When(booked=False, younger_than_ms=policy.new_account_hours * _HOUR_MS)
    return (
        *_SPAM_PHRASES,
        _spam("shouting", Shouting(20, 80), "0.25"),
        _spam("same-character", Run(12), "0.25"),
        _spam("many-links", Links(policy.links_to_count), "0.45", BEFORE_BOOKING),
        _spam("link-density", LinkDensity(60), "0.25", BEFORE_BOOKING),
        _spam("new-account-link", Links(), "0.40", new_account),
        Rule(
            name="repeated",
            matcher=Repeated(policy.repeats_to_nudge),
            score=Decimal("0.45"),
            tag=PolicyTag.SPAM,
            hint=PolicyHint.REPEATED,
            severity=Severity.NUDGE,
        ),
        Rule(
            name="repeated-often",
            matcher=Repeated(policy.repeats_to_hold),
            score=Decimal("0.55"),
            tag=PolicyTag.SPAM,
            hint=PolicyHint.REPEATED,
            severity=Severity.HOLD,
        ),
    )


_SITE_PHRASES = {
    "hint-phrases": Severity.NUDGE,
    "hold-phrases": Severity.HOLD,
    "refuse-phrases": Severity.REFUSE,
}


def _site_rules(policy: ContentRules) -> Iterator[Rule]:
    lists = (policy.hint_phrases, policy.hold_phrases, policy.refuse_phrases)
    for (name, severity), listed in zip(_SITE_PHRASES.items(), lists, strict=True):
        if listed:
            yield Rule(
                name=name,
                matcher=phrase_pattern(listed),
                hint=PolicyHint.SITE_RULES,
                severity=severity,
            )


@cache
def rule_set_of(policy: ContentRules) -> RuleSet:
    return RuleSet(
        rules=(
            *(CONTACT_RULES if policy.contact else ()),
            *(PAYMENT_RULES if policy.payment else ()),
            *(_spam_rules(policy) if policy.spam else ()),
            *(SCAM_RULES if policy.scam else ()),
            *(CONDUCT_RULES if policy.conduct else ()),
            *_site_rules(policy),
        ),
        nudge_at=Decimal(str(policy.nudge_at)),
        hold_at=Decimal(str(policy.hold_at)),
        refuse_at=Decimal(str(policy.refuse_at)),
    )


DEFAULT_RULES = rule_set_of(ContentRules())

__all__ = ["DEFAULT_RULES", "Pattern", "Rule", "RuleSet", "Severity", "When", "rule_set_of"]
