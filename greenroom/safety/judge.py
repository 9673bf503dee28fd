"""What is to be said about a text: `judge_text` by the rules alone, `judge` with what we know of
its author. The more a text costs its reader, the further it leads: nudge, hold, refuse."""

from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal
from enum import Enum

from greenroom.people import access
from greenroom.people.actor import Actor
from greenroom.safety.context import Safety
from greenroom.safety.links import links_in
from greenroom.safety.look import sees
from greenroom.safety.reading import Reading, read
from greenroom.safety.rules import POLICY, Leads, Policy, Rule
from greenroom.safety.traits import in_ascii, signs_of
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
_SHORTEST_TO_REMEMBER = 20
SCORE = "score"
_MOST_VERDICTS = 512


class Repeats(Enum):
    """How a text that was said before is counted."""

    COUNTED = 1
    """A message: it counts, and is counted from now on."""
    LOOKED_UP = 2
    """Not sent yet."""
    IGNORED = 3
    """No message: many things may have the same name."""


def has_link(text: str) -> bool:
    plain = read(text)
    return next(links_in(plain, signs_of(in_ascii(plain))), None) is not None


async def judge(
    safety: Safety,
    actor: Actor,
    text: str,
    *,
    booked: bool = False,
    first_contact: bool = False,
    repeats: Repeats = Repeats.COUNTED,
) -> Verdict:
    """Counts as having been said, unless `repeats` says otherwise: judge a message once."""
    reading, now_ms = Reading(text), safety.clock.now_ms()
    joined = safety.memory.joined(actor.user, now_ms) or await _joined(safety, actor, now_ms)
    circumstances = Circumstances(
        booked=booked,
        first_contact=first_contact,
        account_age_ms=None if joined[0] is None else max(0, now_ms - joined[0]),
        recent=_recent(safety, actor, reading, now_ms, repeats),
    )
    return _judge_at_a_glance(reading, circumstances, safety.policy)


def unsay(safety: Safety, actor: Actor, text: str) -> None:
    """The message was judged and then not written: it does not count as having been said."""
    if len(text) < _SHORTEST_TO_REMEMBER:
        return  # it was not counted; a longer text may have the same digest
    safety.memory.unsay(actor.user, Reading(text).digest)


def judge_text(text: str, circumstances: Circumstances, policy: Policy = POLICY) -> Verdict:
    return _judge_at_a_glance(Reading(text), circumstances, policy)


def _judge_at_a_glance(reading: Reading, circumstances: Circumstances, policy: Policy) -> Verdict:
    asked = policy.asked(circumstances)
    suspects = policy.glance.suspects(reading, circumstances.recent, asked)
    if not suspects:
        return Allow()
    return judge_by([policy.rules[one] for one in suspects], reading, circumstances, policy)


def judge_by(
    rules: Iterable[Rule], reading: Reading, circumstances: Circumstances, policy: Policy
) -> Verdict:
    """By some of the policy's rules; those left out must be known to see nothing."""
    seen = [
        rule
        for rule in rules
        if rule.when.holds(circumstances) and sees(rule.look, reading, circumstances.recent)
    ]
    return _verdict(seen, circumstances, policy) if seen else Allow()


def _verdict(seen: list[Rule], circumstances: Circumstances, policy: Policy) -> Verdict:
    """Kept by the names of the rules: ordinary texts with a link or a price lead to a few."""
    key = circumstances.first_contact, tuple([rule.name for rule in seen])
    verdict = policy.verdicts.get(key)
    if verdict is None:
        if len(policy.verdicts) >= _MOST_VERDICTS:
            policy.verdicts.clear()
        verdict = policy.verdicts[key] = _made_verdict(seen, circumstances, policy)
    return verdict


def _made_verdict(seen: list[Rule], circumstances: Circumstances, policy: Policy) -> Verdict:
    score = _added_up(rule.score for rule in seen)
    by_score = _by_score(score, circumstances, policy)
    worst = max(seen, key=lambda rule: rule.leads)
    leads = max(worst.leads, by_score)
    reason = worst.name if worst.leads >= by_score else SCORE
    tags = _tags(seen, leads)
    hints = _hints(seen, circumstances)
    match leads:
        case Leads.REFUSE:
            return Refuse(spam_score=score, policy_tags=tags, policy_hints=hints, reason=reason)
        case Leads.HOLD:
            return Hold(spam_score=score, policy_tags=tags, policy_hints=hints, reason=reason)
        case Leads.NUDGE:
            return Nudge(spam_score=score, policy_tags=tags, policy_hints=hints)
        case _:
            return Allow(spam_score=score, policy_tags=tags)


def _hints(seen: list[Rule], circumstances: Circumstances) -> tuple[PolicyHint, ...]:
    """A hint about strangers is only for first contact, unless nothing else would be said."""
    hints = tuple(dict.fromkeys(rule.hint for rule in seen if rule.hint is not None))
    if circumstances.first_contact:
        return hints
    return tuple(hint for hint in hints if hint not in ABOUT_STRANGERS) or hints


def _added_up(scores: Iterable[Decimal]) -> Decimal:
    innocent = Decimal(1)
    for score in scores:
        innocent *= 1 - score
    return (1 - innocent).quantize(_CENT, ROUND_HALF_UP)


def _by_score(score: Decimal, circumstances: Circumstances, policy: Policy) -> Leads:
    if score >= policy.refuse_at and circumstances.first_contact:
        return Leads.REFUSE
    if score >= policy.hold_at:
        return Leads.HOLD
    return Leads.NUDGE if score >= policy.nudge_at else Leads.NOWHERE


def _tags(seen: list[Rule], leads: Leads) -> tuple[PolicyTag, ...]:
    """What only looks like spam is called so once it has come to something."""
    tags = {rule.tag for rule in seen if rule.tag is not None}
    if leads is not Leads.NOWHERE and any(_is_spammy(rule) for rule in seen):
        tags.add(PolicyTag.SPAM)
    return tuple(tag for tag in PolicyTag if tag in tags)


def _is_spammy(rule: Rule) -> bool:
    return rule.tag is None and rule.hint is PolicyHint.LOOKS_LIKE_SPAM


async def _joined(safety: Safety, actor: Actor, now_ms: int) -> tuple[int | None]:
    account = await access.account(safety.people, actor.user)
    joined_ms = None if account is None else account.joined_ms
    safety.memory.keep_joined(actor.user, joined_ms, now_ms)
    return (joined_ms,)


def _recent(safety: Safety, actor: Actor, reading: Reading, now_ms: int, repeats: Repeats) -> int:
    """What is short is said often: "ok", "thank you"."""
    if repeats is Repeats.IGNORED or len(reading.original) < _SHORTEST_TO_REMEMBER:
        return 0
    if repeats is Repeats.LOOKED_UP:
        return safety.memory.times(actor.user, reading.digest, now_ms)
    return safety.memory.said(actor.user, reading.digest, now_ms)
