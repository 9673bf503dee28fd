"""The journal against a naive model: random steps, in random orders, valid and invalid."""

import random

import msgspec
from hypothesis import HealthCheck, event, given, settings, strategies as st

from greenroom.bookings.chart import ROUTES, Account, Code
from greenroom.bookings.journal import Ledger, apply, empty, faults
from greenroom.bookings.transfers import (
    Kind,
    Transfer,
    correction_of,
    pending,
    post_of,
    posted,
    void_of,
)
from greenroom.ids import TransferId
from tests.bookings.ledgers import CAUSE, LEG, eur
from tests.bookings.naive_journal import NaiveJournal

IDS = [TransferId(f"t{number:02}") for number in range(80)]
_OUTSIDE = (Account.BUYER, Account.SELLER, Account.PLATFORM)


def _transfer(dice: random.Random, ledger: Ledger, known: list[Transfer]) -> Transfer:
    """One that could apply, most of the time."""
    id, code = dice.choice(IDS), dice.choice(_likely(ledger))
    money = eur(dice.choice([0, 1, 1, 2, 3, 5, 8]))
    earlier = dice.choice(known) if known else posted(id, LEG, code, money, CAUSE)
    match dice.randrange(10):
        case 0 | 1 | 2:
            return posted(id, LEG, code, money, CAUSE)
        case 3 | 4:
            return pending(id, LEG, dice.choice([code, Code.DEPOSIT]), money, CAUSE)
        case 5 | 6:
            return post_of(earlier, id, money, CAUSE)
        case 7:
            void = void_of(earlier, id, CAUSE)
            return msgspec.structs.replace(void, money=dice.choice([void.money, money]))
        case 8:
            return correction_of(earlier, id, money, CAUSE)
        case _:
            return _random(dice, id, code)


def _likely(ledger: Ledger) -> list[Code]:
    """The purposes for which there is money."""
    routes = ROUTES.items()
    return [one for one, way in routes if way.debit in _OUTSIDE or ledger.available(way.debit) > 0]


def _random(dice: random.Random, id: TransferId, code: Code) -> Transfer:
    debit, credit = dice.choice(list(Account)), dice.choice(list(Account))
    links = [dice.choice([None, None, dice.choice(IDS)]) for _ in range(2)]
    kind = dice.choice(list(Kind))
    return Transfer(id, LEG, debit, credit, eur(1), kind, code, CAUSE, *links)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.randoms(use_true_random=False), st.integers(1, 40))
def test_the_journal_does_what_a_naive_one_does(dice: random.Random, steps: int) -> None:
    ledger, naive, known = empty(LEG, "EUR"), NaiveJournal(), list[Transfer]()
    for _ in range(steps):
        step = list[Transfer]()
        for _ in range(dice.choice([1, 1, 1, 2, 3])):
            step.append(_transfer(dice, ledger, [*known, *step]))
        result = apply(ledger, step)
        dice.shuffle(step)
        assert apply(ledger, step) == result
        assert naive.accepts(step) == isinstance(result, Ledger), (step, result)
        event(type(result).__name__)
        if isinstance(result, Ledger):
            ledger, known = result, naive.transfers
        _check(ledger, naive)


def _check(ledger: Ledger, naive: NaiveJournal) -> None:
    assert list(faults(ledger)) == []
    balances = ledger.balances
    for account, balance in balances.items():
        assert balance.net_posted == naive.has(account)
        assert balance.debits_pending == naive.reserved(account, "debit")
        assert balance.credits_pending == naive.reserved(account, "credit")
    assert sum(one.debits for one in balances.values()) == sum(
        one.credits for one in balances.values()
    )
    inside = sum(one.net_posted for name, one in balances.items() if name not in _OUTSIDE)
    assert inside == -sum(balances[one].net_posted for one in _OUTSIDE)
