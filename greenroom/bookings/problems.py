"""The refusals of bookings."""

from greenroom.errors import Clause, Problem


class InvalidMoney(Problem):
    """The amount is not valid: {reason}."""

    reason: Clause


class UnknownCurrency(Problem):
    """There is no currency {currency}. Give an ISO 4217 code in capital letters, such as EUR."""

    currency: str


class CurrencyMismatch(Problem):
    """An amount in {given} cannot be combined with one in {expected}. Give both in {expected}."""

    given: str
    expected: str


class UnknownTimeZone(Problem):
    """There is no time zone {name}. Give a name of the IANA database, such as Europe/Berlin."""

    name: str


class InvalidStart(Problem):
    """The start of the job is not valid: {reason}."""

    reason: Clause


class PaymentKeyReused(Problem):
    """The key {key} belongs to another payment. Use a new key, or repeat the first call exactly."""

    key: str


class PaymentNotFound(Problem):
    """The payment provider does not know {payment}. Check that it was made with this provider."""

    payment: str


class InvalidPaymentMethod(Problem):
    """Give the token that the payment provider made for this payment method, not a card number."""
