"""Writes docs/cards.md from the declarations of the card types."""

import re
from collections.abc import Iterable

from greenroom.bookings.card_policy import Cards
from greenroom.bookings.cards.declaration import By, Declaration, Transition
from greenroom.bookings.cards.transitions import deadline_of, declared_transitions
from greenroom.bookings.cards.types import DECLARATIONS
from greenroom.bookings.models import OPEN_STATES, CardState, LegStatus, Side

_HEAD = """# Action cards

Generated from the declarations in `greenroom/bookings/cards/types/` by `make docs`.

A card is a message that asks for an answer and does something. A *leg* is one provider's job. All
cards have the same states: `proposed` and `countered` wait for somebody, `accepted` for a payment;
`applied`, `declined`, `withdrawn`, `expired` and `failed` are ends. Every transition names the
version of the card that it acts on, and an idempotency key that is kept for good. Each waiting
state has one deadline, so that no card can be stuck.

An open card closes as `expired` when its leg ends or is completed, unless its type is for such a
leg. While a leg is disputed its cards can be declined and withdrawn, not accepted. A payment that
fails, or takes longer than `cards.payment_minutes`, makes its card `failed`, and what was taken
goes back to the buyer.

The hours are settings of the [policy](reference/policy.md); the defaults are in brackets.
"""
_SIDES = {Side.BUYER: "the buyer", Side.SELLER: "the provider", Side.STAFF: "staff"}
_WHO = {
    By.PROPOSER: "its proposer",
    By.ANSWERER: "whom it waits for",
    By.STAFF: "staff",
    By.EITHER_PARTY: "the buyer or the provider",
    By.DEADLINE: "its deadline",
    By.PAYMENT: "the payment",
}


def card_page() -> str:
    return "\n".join([_HEAD, *_overview(), *map(_section, DECLARATIONS.values())])


def _overview() -> Iterable[str]:
    yield "| card | who proposes | on a leg that is |"
    yield "| --- | --- | --- |"
    for one in DECLARATIONS.values():
        link = f"[{one.title}](#{one.title.lower().replace(' ', '-')})"
        yield f"| {link} | {_proposers(one)} | {_legs(one)} |"
    yield ""


def _section(declared: Declaration) -> str:
    lines = [f"## {declared.title}", "", f"`{declared.kind}`: {declared.explains}", ""]
    lines += [*_notes(declared), "", "```mermaid", "stateDiagram-v2"]
    lines += [f"    {arrow}" for arrow in _arrows(declared)]
    lines += ["```", "", *_transitions(declared), "", *_deadlines(declared), ""]
    return "\n".join(lines)


def _notes(declared: Declaration) -> Iterable[str]:
    yield f"- Proposed by {_proposers(declared)}, on {_where(declared)}."
    if declared.goes_on_in:
        yield f"- It goes on while the leg is {_statuses(declared.goes_on_in)}."
    if declared.at_once:
        yield f"- It takes effect at once {declared.at_once}."
    if declared.one_at_a_time:
        yield f"- One can be open at a time{' for a leg' if declared.leg_in else ''}."
    else:
        yield "- Several can be open at once."
    if declared.always_has_room:
        yield "- The limits on the number of cards do not count for it."


def _proposers(declared: Declaration) -> str:
    return " or ".join(_SIDES[one] for one in Side if one in declared.proposers)


def _where(declared: Declaration) -> str:
    if declared.leg_in is None:
        return "no leg: it makes new ones"
    return f"a leg that is {_statuses(declared.leg_in)}"


def _legs(declared: Declaration) -> str:
    return "not there yet" if declared.leg_in is None else _statuses(declared.leg_in)


def _statuses(statuses: Iterable[LegStatus]) -> str:
    return " or ".join(f"`{one}`" for one in LegStatus if one in statuses)


def _arrows(declared: Declaration) -> Iterable[str]:
    yield f"[*] --> {declared.initial.to}: {declared.initial.name}"
    if declared.at_once:
        yield f"[*] --> applied: {declared.initial.name} {declared.at_once}"
    ends = set[CardState]()
    for one in declared_transitions(declared):
        ends |= {one.to} - OPEN_STATES
        for source in one.sources:
            yield from _arrows_of(one, source)
    for end in CardState:
        if end in ends:
            yield f"{end} --> [*]"


def _arrows_of(one: Transition, source: CardState) -> Iterable[str]:
    if one.pays:
        yield f"{source} --> accepted: {one.name}"
        return
    yield f"{source} --> {one.to}: {one.name}{' (deadline)' if one.by == (By.DEADLINE,) else ''}"


def _transitions(declared: Declaration) -> Iterable[str]:
    yield "| transition | who | from | to | the buyer pays first | effect |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for one in (declared.initial, *declared_transitions(declared)):
        who = " or ".join(_WHO[by] for by in one.by)
        who = _proposers(declared) if one is declared.initial else who
        who += ", all of them" if one.of_all and declared.leg_in is None else ""
        sources = ", ".join(f"`{state}`" for state in one.sources)
        to = f"`accepted`, then `{one.to}`" if one.pays else f"`{one.to}`"
        yield f"| `{one.name}`: {one.title} | {who} | {sources} | {to} | {one.pays} | {one.does} |"


def _deadlines(declared: Declaration) -> Iterable[str]:
    yield "| in state | deadline | makes | reminder |"
    yield "| --- | --- | --- | --- |"
    for state in CardState:
        if any(state in one.sources for one in declared_transitions(declared)):
            deadline = deadline_of(declared, state)
            assert deadline is not None
            reminds = "`cards.remind_hours` before" if deadline.reminds else ""
            yield f"| `{state}` | {_says(deadline.says)} | `{deadline.transition}` | {reminds} |"


def _says(text: str) -> str:
    """With the default of the setting that it names."""

    def with_default(found: re.Match[str]) -> str:
        unit = "minutes" if found[1].endswith("_minutes") else "hours"
        return f"{found[0]} ({getattr(Cards(), found[1])} {unit})"

    return re.sub(r"`cards\.(\w+)`", with_default, text)
