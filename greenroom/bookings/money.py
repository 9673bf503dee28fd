"""Amounts of money: whole minor units of a currency, never negative and never a fraction.

`percent` rounds half up: 10.5 cents are 11. `split` gives what does not divide to the first parts,
so that the parts always add up to the whole.
"""

from collections.abc import Iterable
from typing import Annotated

from msgspec import Meta, Struct

from greenroom.bookings.currencies import DECIMALS
from greenroom.bookings.problems import CurrencyMismatch, InvalidMoney, UnknownCurrency

MOST_MINOR = 10**12
"""The largest amount: ten billion euros. It fits every column and every JSON number."""
WHOLE = 10_000
"""All of an amount, in basis points: hundredths of a percent."""
_MOST_BASIS_POINTS = 10 * WHOLE
_MOST_PARTS = 1000


class Money(Struct, frozen=True, order=False):
    """An amount of one currency."""

    minor: Annotated[
        int,
        Meta(
            ge=0,
            le=MOST_MINOR,
            description="Minor units of the currency: cents of EUR, whole yen of JPY.",
        ),
    ]
    currency: Annotated[
        str, Meta(pattern="^[A-Z]{3}$", description="ISO 4217 code in capital letters.")
    ]

    def __post_init__(self) -> None:
        if self.currency not in DECIMALS:
            raise UnknownCurrency(self.currency)
        if type(self.minor) is not int or not 0 <= self.minor <= MOST_MINOR:
            raise InvalidMoney(f"give a whole number of minor units from 0 to {MOST_MINOR}")

    def __add__(self, other: "Money") -> "Money":
        return Money(self.minor + self._minor_of(other), self.currency)

    def __sub__(self, other: "Money") -> "Money":
        if self._minor_of(other) > self.minor:
            raise InvalidMoney(f"{other} cannot be taken from {self}, which is less")
        return Money(self.minor - other.minor, self.currency)

    def __mul__(self, times: int) -> "Money":
        if type(times) is not int:
            raise InvalidMoney("multiply it by a whole number, or use `percent`")
        return Money(self.minor * times, self.currency)

    def __lt__(self, other: "Money") -> bool:
        return self.minor < self._minor_of(other)

    def __le__(self, other: "Money") -> bool:
        return self.minor <= self._minor_of(other)

    def __gt__(self, other: "Money") -> bool:
        return self.minor > self._minor_of(other)

    def __ge__(self, other: "Money") -> bool:
        return self.minor >= self._minor_of(other)

    def __bool__(self) -> bool:
        return self.minor > 0

    def __str__(self) -> str:
        """`12.50 EUR`: for logs and refusals. People see it in the format of their language."""
        decimals = DECIMALS[self.currency]
        whole, rest = divmod(self.minor, 10**decimals)
        return (
            f"{whole}.{rest:0{decimals}d} {self.currency}"
            if decimals
            else f"{whole} {self.currency}"
        )

    def percent(self, basis_points: int) -> "Money":
        """A part of the amount in hundredths of a percent, rounded half up to a minor unit."""
        if type(basis_points) is not int or not 0 <= basis_points <= _MOST_BASIS_POINTS:
            raise InvalidMoney(f"give a share from 0 to {_MOST_BASIS_POINTS} basis points")
        return Money((self.minor * basis_points + WHOLE // 2) // WHOLE, self.currency)

    def split(self, *weights: int) -> tuple["Money", ...]:
        """Parts in proportion to the weights that add up to the amount. The minor units that
        remain go to the parts with the largest fraction, and among equals to the first."""
        _check_weights(weights)
        total = sum(weights)
        floors = [self.minor * weight // total for weight in weights]
        by_fraction = sorted(
            range(len(weights)), key=lambda at: (-(self.minor * weights[at] % total), at)
        )
        for at in by_fraction[: self.minor - sum(floors)]:
            floors[at] += 1
        return tuple(Money(minor, self.currency) for minor in floors)

    def _minor_of(self, other: "Money") -> int:
        if other.currency != self.currency:
            raise CurrencyMismatch(other.currency, self.currency)
        return other.minor


def zero(currency: str) -> Money:
    return Money(0, currency)


def total(amounts: Iterable[Money], currency: str) -> Money:
    """The sum, which is zero of the currency if there are none."""
    return sum(amounts, start=zero(currency))


def _check_weights(weights: tuple[int, ...]) -> None:
    if not 1 <= len(weights) <= _MOST_PARTS:
        raise InvalidMoney(f"split it into 1 to {_MOST_PARTS} parts")
    if any(type(one) is not int or not 0 <= one <= MOST_MINOR for one in weights) or not any(
        weights
    ):
        raise InvalidMoney("split it by whole numbers, none below 0 and at least one above")
