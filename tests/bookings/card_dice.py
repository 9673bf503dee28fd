"""Throws random cards and transitions: most could happen, some are wrong in one way."""

import random
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta

from greenroom.bookings.cards import payloads as say
from greenroom.bookings.money import Money
from greenroom.ids import UserId

MAYA, JONAS, LENA = UserId("usr_maya"), UserId("usr_jonas"), UserId("usr_lena")
OUTSIDER, STAFF = UserId("usr_otto"), UserId("usr_staff")
SELLERS = (JONAS, LENA)
PEOPLE = (MAYA, JONAS, LENA, OUTSIDER, STAFF)
_PRICES = (0, 1, 99, 10_000, 33_333)
_TRANSITIONS = (
    *("accept", "counter", "decline", "withdraw", "ask_changes", "deliver", "respond", "decide"),
    *("expire", "apply", "fail", "accept_in_silence"),
)


class Dice:
    def __init__(self, dice: random.Random, now_ms: Callable[[], int]) -> None:
        self.dice = dice
        self._now_ms = now_ms

    def payload(self, kind: str = "") -> say.Payload:
        kinds: Mapping[str, Callable[[], say.Payload]] = {
            "offer": self._offer,
            "reschedule": self._reschedule,
            "extras": lambda: say.Extras(items=self._items()),
            "overtime": lambda: say.Overtime(minutes=30, price=self._price()),
            "proofs": lambda: say.Proofs(title="First round", note="In the folder."),
            "expense": lambda: say.Expense(title="Taxi", price=self._price()),
            "cancel": lambda: say.Cancel(reason="Rain", refund=self._maybe(15_000)),
            "deposit_claim": lambda: say.DepositClaim(amount=self._price(), reason="Broken"),
            "complete": say.Complete,
            "dispute": lambda: say.Dispute(
                reason="Late", refund=self._maybe(12_000), claim=self._maybe(6_000)
            ),
            "safety": lambda: say.Safety(measures=("Closed set",)),
        }
        made: say.Payload = kinds[kind or self.dice.choice(list(kinds))]()
        return made

    def input(self, transition: str, kind: str) -> say.Input:
        match transition:
            case "counter" | "deliver":
                return self.payload(kind)
            case "ask_changes":
                return say.Reasoned(note="Brighter")
            case "respond":
                return say.Answer(answer="It was not me")
            case "decide":
                refund, claim = self._maybe(12_000), self._maybe(4_000)
                return say.Ruling(refund=refund, claim=claim, note="Decided")
            case "decline" if self.dice.random() < 0.5:
                return say.Noted(note="No")
            case _:
                return say.Nothing()

    def transition(self, likely: list[str]) -> str:
        if likely and self.dice.random() < 0.9:
            return self.dice.choice(likely)
        return self.dice.choice(_TRANSITIONS)

    def _offer(self) -> say.Offer:
        providers = self.dice.choice([(JONAS,), (JONAS,), (LENA,), (JONAS, LENA)])
        return say.Offer(legs=tuple(self._terms(one) for one in providers))

    def _terms(self, provider: UserId) -> say.LegTerms:
        starts_at = self._soon()
        return say.LegTerms(
            provider=provider,
            title="Portraits",
            starts_at=starts_at,
            ends_at=starts_at + timedelta(hours=4),
            price=Money(self.dice.choice(_PRICES), "EUR"),
            deposit=self.dice.choice([None, Money(5_000, "EUR")]),
        )

    def _reschedule(self) -> say.Reschedule:
        starts_at = self._soon()
        return say.Reschedule(starts_at=starts_at, ends_at=starts_at + timedelta(hours=2))

    def _soon(self) -> datetime:
        days = self.dice.choice([0.02, 0.1, 0.1, 1, 3, 9, 20])
        now = datetime.fromtimestamp(self._now_ms() / 1000, UTC)
        return now.replace(microsecond=0) + timedelta(days=days)

    def _items(self) -> tuple[say.Extra, ...]:
        number = self.dice.choice([1, 2, 2, 3])
        return tuple(say.Extra(title=f"Item {one}", price=self._price()) for one in range(number))

    def _price(self) -> Money:
        return Money(self.dice.choice([1, 700, 2_500]), "EUR")

    def _maybe(self, minor: int) -> Money | None:
        amount = self.dice.choice([None, None, 1, minor // 4, minor])
        return None if amount is None else Money(amount, "EUR")
