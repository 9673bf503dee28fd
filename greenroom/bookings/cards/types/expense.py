"""The card type `expense`: what the provider has spent for the job, with its receipt."""

from greenroom.bookings.cards.answers import (
    PROPOSED,
    accept,
    after,
    decline,
    expire,
    propose,
    withdraw,
)
from greenroom.bookings.cards.checks import check_prices
from greenroom.bookings.cards.declaration import Declaration, Facts, ToPay
from greenroom.bookings.cards.effects import AddCharge, Effect
from greenroom.bookings.cards.payloads import Expense
from greenroom.bookings.chart import Code
from greenroom.bookings.models import CardType, LegStatus, Side


def _expense(facts: Facts) -> Expense:
    assert isinstance(facts.payload, Expense)
    return facts.payload


def _check(facts: Facts) -> None:
    check_prices(facts, _expense(facts).price)


def _price(facts: Facts) -> tuple[ToPay, ...]:
    expense = _expense(facts)
    return (ToPay(expense.title, expense.price, Code.EXPENSE, facts.the_leg.id),)


def _add(facts: Facts) -> tuple[Effect, ...]:
    expense = _expense(facts)
    return (
        AddCharge(
            facts.the_card.id, facts.the_leg.id, CardType.EXPENSE, expense.title, expense.price
        ),
    )


EXPENSE = Declaration(
    kind=CardType.EXPENSE,
    title="Expense",
    explains="Asks the buyer to pay for something the provider has bought, with its receipt.",
    payload=Expense,
    proposers=frozenset({Side.SELLER}),
    leg_in=frozenset({LegStatus.CONFIRMED}),
    one_at_a_time=False,
    initial=propose("Add an expense"),
    transitions=(
        accept(_add, _price, pays="its amount", does="adds it to the leg"),
        decline(),
        withdraw(),
        expire(),
    ),
    deadlines={PROPOSED: after("expire", lambda rules: rules.cards.expense_hours, "expense_hours")},
    check=_check,
)
