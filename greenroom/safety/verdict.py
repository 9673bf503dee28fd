"""The verdict on a text, as a closed union.

    Allow    is delivered
    Nudge    is delivered, and the sender sees the `policy_hints`
    Hold     waits for a moderator; the sender sees it as under review
    Refuse   is not delivered

All of them carry what is stored with a message: spam score, policy tags, policy hints.
"""

from decimal import Decimal
from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

NO_SCORE = Decimal("0.00")


class PolicyTag(StrEnum):
    """The kind of violation, the worst first."""

    HARASSMENT = "HARASSMENT"
    DOXXING = "DOXXING"
    NSFW = "NSFW"
    SCAM = "SCAM"
    SPAM = "SPAM"
    OFF_PLATFORM = "OFF_PLATFORM"


class PolicyHint(StrEnum):
    """A hint for the author of a text."""

    CONTACT_DETAILS = "contact-details"
    LINK = "link"
    PAYMENT_OUTSIDE = "payment-outside"
    UNKIND = "unkind"
    INTIMATE = "intimate"
    PRIVATE_DETAILS = "private-details"
    LOOKS_LIKE_SPAM = "looks-like-spam"
    REPEATED = "repeated"
    SITE_RULES = "site-rules"
    """The text has a phrase of the operator's policy."""


MAX_HINT = 200
HINTS: dict[PolicyHint, str] = {
    PolicyHint.CONTACT_DETAILS: (
        "Please share contact details only after booking. "
        "We can help if something goes wrong as long as you talk here."
    ),
    PolicyHint.LINK: "People rarely open links from someone they don't know yet.",
    PolicyHint.PAYMENT_OUTSIDE: (
        "Payments made elsewhere are not protected. Please pay through a booking."
    ),
    PolicyHint.UNKIND: "This may hurt the other person. Consider saying it differently.",
    PolicyHint.INTIMATE: "This may be too intimate for the other person.",
    PolicyHint.PRIVATE_DETAILS: "Please don't share where someone else lives.",
    PolicyHint.LOOKS_LIKE_SPAM: "This looks like advertising. People reply to personal notes.",
    PolicyHint.REPEATED: "You have sent this text several times already.",
    PolicyHint.SITE_RULES: "This may be against the rules of this site.",
}
ABOUT_STRANGERS = frozenset({PolicyHint.LINK})
"""Hints that are true only while the recipient has not accepted yet."""
assert all(len(text) <= MAX_HINT for text in HINTS.values())


class Circumstances(Struct, frozen=True, kw_only=True):
    """What a rule knows besides the text. The caller gives the first two, `judge` the others."""

    booked: bool = False
    """They have a booking, so contact details are allowed."""
    first_contact: bool = False
    """The request is pending."""
    account_age_ms: int | None = None
    """None if unknown."""
    recent: int = 0
    """How often the author sent the same text lately, in any thread."""


class Judged(Struct, frozen=True, kw_only=True):
    spam_score: Decimal = NO_SCORE
    policy_tags: tuple[PolicyTag, ...] = ()
    policy_hints: tuple[PolicyHint, ...] = ()


class Allow(Judged, frozen=True, kw_only=True):
    pass


class Nudge(Judged, frozen=True, kw_only=True):
    pass


class Hold(Judged, frozen=True, kw_only=True):
    reason: str
    """The name of the rule that decided, or `score`. For moderators."""


class Refuse(Judged, frozen=True, kw_only=True):
    reason: str


Verdict: TypeAlias = Allow | Nudge | Hold | Refuse


def worst(tags: tuple[PolicyTag, ...] | frozenset[PolicyTag]) -> PolicyTag | None:
    return next((tag for tag in PolicyTag if tag in tags), None) if tags else None
