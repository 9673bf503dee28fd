"""What operators can change about bookings: refunds."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Annotated, ClassVar, Literal, TypeAlias

from msgspec import Meta, Struct

from greenroom.policy import Section

MAX_STEPS = 10
MAX_RULES = 200

Share: TypeAlias = Literal["as_price", "full", "none"]
Place: TypeAlias = Annotated[
    str, Meta(max_length=100, description="Compared without regard to case; empty means any.")
]


class RefundStep(Struct, frozen=True, forbid_unknown_fields=True):
    """Until the end of the local day that is `days` before the day of the start, `percent` of the
    price is refunded. `days = 0` holds until the start itself."""

    days: Annotated[int, Meta(ge=0, le=365, description="Days before the day of the start.")]
    percent: Annotated[int, Meta(ge=1, le=100, description="Percent of the price.")]


RefundSteps: TypeAlias = Annotated[
    tuple[RefundStep, ...], Meta(max_length=MAX_STEPS, description="From many days to few.")
]


class RefundRule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The steps for a city, a category, or a category in a city."""

    city: Place = ""
    category: Place = ""
    steps: RefundSteps

    @property
    def key(self) -> tuple[str, str]:
        return place(self.city), place(self.category)


class RefundRules(Section, frozen=True):
    """Refunds: what a buyer gets back who cancels. If the seller cancels, it is everything."""

    section: ClassVar = "refunds"
    default: Annotated[
        tuple[RefundStep, ...],
        Meta(
            max_length=MAX_STEPS,
            description="What is refunded of the price where no rule applies: `percent` of it "
            "until the end of the day, at the place of the job, that is `days` before the day of "
            "the start. `days = 0` lasts until the start. After the last step nothing is "
            "refunded.",
        ),
    ] = (RefundStep(14, 100), RefundStep(7, 50), RefundStep(2, 25))
    rules: Annotated[
        tuple[RefundRule, ...],
        Meta(
            max_length=MAX_RULES,
            description="Other steps for a `city`, a `category`, or both. The rule with both comes "
            "first, then that of the city, then that of the category.",
        ),
    ] = ()
    extras: Annotated[
        Share,
        Meta(
            description="What is refunded of extras: the percent of the price, everything until "
            "the start, or nothing."
        ),
    ] = "as_price"
    fee: Annotated[
        Share, Meta(description="What is refunded of the buyer's service fee, in the same way.")
    ] = "as_price"

    def steps_for(self, city: str, category: str) -> tuple[str, tuple[RefundStep, ...]]:
        """The name of the rule that applies, for people, and its steps."""
        by_key = {rule.key: rule for rule in self.rules}
        here, kind = place(city), place(category)
        for key in ((here, kind), (here, ""), ("", kind)):
            if any(key) and (rule := by_key.get(key)):
                return " in ".join(filter(None, (rule.category, rule.city))), rule.steps
        return "default", self.default

    def conflicts(self) -> Iterator[tuple[str, str]]:
        if not _falls(self.default):
            yield "default", _ORDER
        keys = [rule.key for rule in self.rules]
        for rule in self.rules:
            if not any(rule.key):
                yield "rules", "each rule needs a city or a category"
            if keys.count(rule.key) > 1:
                yield "rules", f"there are two rules for {rule.category!r} in {rule.city!r}"
            if not _falls(rule.steps):
                yield "rules", _ORDER


_ORDER = "both days and percent must fall from step to step"


def place(name: str) -> str:
    """In the form in which names of cities and categories are compared."""
    return " ".join(name.casefold().split())


def _falls(steps: Sequence[RefundStep]) -> bool:
    return all(one.days > two.days and one.percent > two.percent for one, two in pairwise(steps))


SECTIONS = (RefundRules,)
