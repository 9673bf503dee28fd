"""Judges texts: `judge_text` by the rules alone, `judge` also by what is known of the author."""

from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal
from enum import Enum

from greenroom.people import access
from greenroom.people.actor import Actor
from greenroom.safety.context import Safety
from greenroom.safety.features import shape_of, to_ascii
from greenroom.safety.links import links_in
from greenroom.safety.matchers import matches
from greenroom.safety.normalise import NormalisedText, normalise
from greenroom.safety.rules import DEFAULT_RULES, Rule, RuleSet, Severity
from greenroom.safety.verdict import (
    ABOUT_STRANGERS,
    Allow,
    Circumstances,
    Hold,
    Nudge,
    PolicyHint,
    PolicyTag,
    Refuse,
    Verdict,
)

_CENT = Decimal("0.01")
_SHORTEST_COUNTED = 20
SCORE = "score"


class RepeatCheck(Enum):
    """How repeats of a text are counted."""

    COUNTED = 1
    """A message: compared with earlier ones, and added to them."""
    LOOKED_UP = 2
    """A draft: compared with earlier messages, not added."""
    IGNORED = 3
    """Not a message: names may repeat."""


def has_link(text: str) -> bool:
    plain = normalise(text)
    return next(links_in(plain, shape_of(to_ascii(plain))), None) is not None


async def judge(
    safety: Safety,
    actor: Actor,
    text: str,
    *,
    booked: bool = False,
    first_contact: bool = False,
    repeats: RepeatCheck = RepeatCheck.COUNTED,
    names: str = "",
) -> Verdict:
    """Careful: judge a message once, because it counts as sent (unless `repeats` differs). `names`
    are judged with it and may repeat."""
    normalised, now_ms = NormalisedText(text), safety.clock.now_ms()
    joined = safety.recent_activity.joined(actor.user, now_ms) or await _joined(
        safety, actor, now_ms
    )
    circumstances = Circumstances(
        booked=booked,
        first_contact=first_contact,
        account_age_ms=None if joined[0] is None else max(0, now_ms - joined[0]),
        recent=_count_recent(safety, actor, normalised, now_ms, repeats),
    )
    if names:
        normalised = NormalisedText(f"{text}\n{names}")
    return _judge_prefiltered(normalised, circumstances, safety.rule_set)


def uncount_text(safety: Safety, actor: Actor, text: str) -> None:
    """Undoes the count of a message that was judged and then not written."""
    if len(text) < _SHORTEST_COUNTED:
        return  # it was not counted, and a longer text may have the same digest
    safety.recent_activity.remove_text(actor.user, NormalisedText(text).digest)


def judge_text(
    text: str, circumstances: Circumstances, rule_set: RuleSet = DEFAULT_RULES
) -> Verdict:
    return _judge_prefiltered(NormalisedText(text), circumstances, rule_set)


def _judge_prefiltered(
    normalised: NormalisedText, circumstances: Circumstances, rule_set: RuleSet
) -> Verdict:
    applicable = rule_set.applicable(circumstances)
    candidates = rule_set.prefilter.candidates(normalised, circumstances.recent, applicable)
    if not candidates:
        return Allow()
    return judge_by(
        [rule_set.rules[one] for one in candidates], normalised, circumstances, rule_set
    )


def judge_by(
    rules: Iterable[Rule],
    normalised: NormalisedText,
    circumstances: Circumstances,
    rule_set: RuleSet,
) -> Verdict:
    """Applies some rules of the set; the others must be known not to match."""
    matched = [
        rule
        for rule in rules
        if rule.when.holds(circumstances)
        and matches(rule.matcher, normalised, circumstances.recent)
    ]
    return _verdict(matched, circumstances, rule_set) if matched else Allow()


def _verdict(matched: list[Rule], circumstances: Circumstances, rule_set: RuleSet) -> Verdict:
    """Cached by the names of the rules: ordinary texts match few combinations."""
    key = circumstances.first_contact, tuple([rule.name for rule in matched])
    verdict = rule_set.verdicts.get(key)
    if verdict is None:
        verdict = _build_verdict(matched, circumstances, rule_set)
        rule_set.verdicts.put(key, verdict)
    return verdict


def _build_verdict(matched: list[Rule], circumstances: Circumstances, rule_set: RuleSet) -> Verdict:
    score = _combined(rule.score for rule in matched)
    by_score = _by_score(score, circumstances, rule_set)
    worst = max(matched, key=lambda rule: rule.severity)
    severity = max(worst.severity, by_score)
    reason = worst.name if worst.severity >= by_score else SCORE
    tags = _tags(matched, severity)
    hints = _hints(matched, circumstances)
    match severity:
        case Severity.REFUSE:
            return Refuse(spam_score=score, policy_tags=tags, policy_hints=hints, reason=reason)
        case Severity.HOLD:
            return Hold(spam_score=score, policy_tags=tags, policy_hints=hints, reason=reason)
        case Severity.NUDGE:
            return Nudge(spam_score=score, policy_tags=tags, policy_hints=hints)
        case _:
            return Allow(spam_score=score, policy_tags=tags)


def _hints(matched: list[Rule], circumstances: Circumstances) -> tuple[PolicyHint, ...]:
    """A hint about strangers is only for first contact, unless it is the only one."""
    hints = tuple(dict.fromkeys(rule.hint for rule in matched if rule.hint is not None))
    if circumstances.first_contact:
        return hints
    return tuple(hint for hint in hints if hint not in ABOUT_STRANGERS) or hints


def _combined(scores: Iterable[Decimal]) -> Decimal:
    innocent = Decimal(1)
    for score in scores:
        innocent *= 1 - score
    return (1 - innocent).quantize(_CENT, ROUND_HALF_UP)


def _by_score(score: Decimal, circumstances: Circumstances, rule_set: RuleSet) -> Severity:
    if score >= rule_set.refuse_at and circumstances.first_contact:
        return Severity.REFUSE
    if score >= rule_set.hold_at:
        return Severity.HOLD
    return Severity.NUDGE if score >= rule_set.nudge_at else Severity.NONE


def _tags(matched: list[Rule], severity: Severity) -> tuple[PolicyTag, ...]:
    """Adds the tag SPAM for a text that looks like spam, if the verdict is not `Allow`."""
    tags = {rule.tag for rule in matched if rule.tag is not None}
    if severity is not Severity.NONE and any(_is_spammy(rule) for rule in matched):
        tags.add(PolicyTag.SPAM)
    return tuple(tag for tag in PolicyTag if tag in tags)


def _is_spammy(rule: Rule) -> bool:
    return rule.tag is None and rule.hint is PolicyHint.LOOKS_LIKE_SPAM


async def _joined(safety: Safety, actor: Actor, now_ms: int) -> tuple[int | None]:
    account = await access.account(safety.people, actor.user)
    joined_ms = None if account is None else account.joined_ms
    safety.recent_activity.set_joined(actor.user, joined_ms, now_ms)
    return (joined_ms,)


def _count_recent(
    safety: Safety, actor: Actor, normalised: NormalisedText, now_ms: int, repeats: RepeatCheck
) -> int:
    """Short texts such as "ok" repeat often and are not counted."""
    if repeats is RepeatCheck.IGNORED or len(normalised.original) < _SHORTEST_COUNTED:
        return 0
    if repeats is RepeatCheck.LOOKED_UP:
        return safety.recent_activity.count_text(actor.user, normalised.digest, now_ms)
    return safety.recent_activity.add_text(actor.user, normalised.digest, now_ms)
