"""Refusals of action cards."""

from greenroom.errors import Clause, Problem


class CardNotFound(Problem):
    """There is no such card, or you have no access to it."""


class UnknownCardType(Problem):
    """There is no card type {card_type}. The types are {known}."""

    card_type: str
    known: tuple[str, ...]


class InvalidCard(Problem):
    """The card cannot be used: {reason}."""

    reason: Clause


class NoCardsHere(Problem):
    """This conversation has no action cards: {reason}."""

    reason: Clause


class CardChanged(Problem):
    """The card is now {state}, version {version}: somebody was first, or its deadline has passed.
    Read it again."""

    state: str
    version: int


class CardNotOpen(Problem):
    """The card is {state}, and you cannot {transition} it. {advice}."""

    state: str
    transition: str
    possible: tuple[str, ...]
    advice: Clause


class NotYourTurn(Problem):
    """Only {who} can {transition} this card."""

    who: Clause
    transition: str


class CannotPropose(Problem):
    """Only {who} can propose a card of type {card_type} here."""

    who: Clause
    card_type: str


class CardKeyReused(Problem):
    """This key was used for {transition} of card {card}, with other content. Use a new key for each
    action."""

    card: str
    transition: str


class LegNotReady(Problem):
    """The booking is {status}, and this card needs one that is {needed}. Read the booking again."""

    status: str
    needed: tuple[str, ...]


class LegNotFound(Problem):
    """The booking has no such leg, or you take no part in it. Read the booking for your legs."""


class LegNeeded(Problem):
    """The booking has several legs. Name the one that the card is about, as legId."""

    legs: tuple[str, ...]


class CardAlreadyOpen(Problem):
    """There is an open card of this type already: {card}. Answer or withdraw it first."""

    card: str


class TooManyCards(Problem):
    """A booking can have {most} cards that are open at once, and {altogether} altogether. Answer or
    withdraw an open one first."""

    most: int
    altogether: int


class PaymentMethodNeeded(Problem):
    """This costs {amount}. Send the buyer's payment method as paymentMethod."""

    amount: Clause


class NoStuckPayment(Problem):
    """There is no stuck payment with this key: it was made, retried or never asked for. Read the
    list again."""
