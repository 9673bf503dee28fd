"""Short words for transfers of one leg, for tests of the journal."""

from itertools import count

from greenroom.bookings.chart import Account, Code
from greenroom.bookings.journal import Ledger, Refused, apply, empty
from greenroom.bookings.money import Money
from greenroom.bookings.transfers import Cause, Transfer, pending, posted
from greenroom.ids import CardId, LegId, TransferId

LEG = LegId("leg_1")
CAUSE = Cause(CardId("crd_1"), 1, 1000)
_numbers = count()


def new_id() -> TransferId:
    return TransferId(f"t{next(_numbers):06}")


def eur(minor: int) -> Money:
    return Money(minor, "EUR")


def move(code: Code, minor: int) -> Transfer:
    return posted(new_id(), LEG, code, eur(minor), CAUSE)


def hold(code: Code, minor: int) -> Transfer:
    return pending(new_id(), LEG, code, eur(minor), CAUSE)


def after(*steps: tuple[Transfer, ...]) -> Ledger:
    """The ledger after steps that all apply."""
    ledger = empty(LEG, "EUR")
    for step in steps:
        ledger = applied(ledger, *step)
    return ledger


def applied(ledger: Ledger, *step: Transfer) -> Ledger:
    result = apply(ledger, step)
    assert isinstance(result, Ledger), result
    return result


def refused(ledger: Ledger, *step: Transfer) -> Refused:
    result = apply(ledger, step)
    assert isinstance(result, Refused), result
    return result


def net(ledger: Ledger) -> dict[str, int]:
    """What is in each account that has something."""
    found = {account: balance.net_posted for account, balance in ledger.balances.items()}
    return {Account(account).value: minor for account, minor in found.items() if minor}
