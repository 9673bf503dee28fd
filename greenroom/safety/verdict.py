"""What safety says about a text, as a closed union: whoever asks must answer every case.

    Allow    goes through
    Nudge    goes through, and the sender is told, kindly, what `policy_hints` say
    Hold     waits for a moderator; the sender sees it as sent
    Refuse   does not go through

All of them carry what a message keeps: spam score, policy tags, policy hints.
"""

from decimal import Decimal
from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

NO_SCORE = Decimal("0.00")


class PolicyTag(StrEnum):
    """What a text or a person is suspected of, the worst first."""

    HARASSMENT = "HARASSMENT"
    DOXXING = "DOXXING"
    NSFW = "NSFW"
    SCAM = "SCAM"
    SPAM = "SPAM"
    OFF_PLATFORM = "OFF_PLATFORM"


class PolicyHint(StrEnum):
    """What the author of a text is told about it."""

    CONTACT_DETAILS = "contact-details"
    LINK = "link"
    PAYMENT_OUTSIDE = "payment-outside"
    UNKIND = "unkind"
    INTIMATE = "intimate"
    PRIVATE_DETAILS = "private-details"
    LOOKS_LIKE_SPAM = "looks-like-spam"
    REPEATED = "repeated"


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
}
ABOUT_STRANGERS = frozenset({PolicyHint.LINK})
"""Hints whose words are true only where the recipient has not accepted yet."""
assert all(len(text) <= MAX_HINT for text in HINTS.values())


class Circumstances(Struct, frozen=True, kw_only=True):
    """What a rule may know beside the text. The caller gives the first two; `judge` the others."""

    booked: bool = False
    """A booking exists between them: contact details are no longer a matter of policy."""
    first_contact: bool = False
    """The request waits at the gate."""
    account_age_ms: int | None = None
    """None where it is not known."""
    recent: int = 0
    """How often the author has sent this same text lately, in whatever thread."""


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
