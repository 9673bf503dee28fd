"""What operators can change about safety: the checks of texts, and the rates of its use cases."""

from collections.abc import Iterator
from typing import Annotated, ClassVar

from msgspec import Meta

from greenroom.policy import HOUR, Allowance, Limit, Section

MAX_PHRASE = 100
MAX_PHRASES = 500

Phrase = Annotated[str, Meta(min_length=2, max_length=MAX_PHRASE)]


class ContentRules(Section, frozen=True):
    """Checks of texts: rules, your own phrases, and thresholds of the spam score."""

    section: ClassVar = "safety"
    contact: Annotated[
        bool, Meta(description="Hint at contact details and links before a booking.")
    ] = True
    payment: Annotated[
        bool, Meta(description="Hint at payments outside the platform before a booking.")
    ] = True
    spam: Annotated[
        bool, Meta(description="Count advertising, shouting, links and repeats as spam.")
    ] = True
    scam: Annotated[bool, Meta(description="Hold texts that look like fraud.")] = True
    conduct: Annotated[
        bool, Meta(description="Hold threats and private addresses; hint at insults and nudity.")
    ] = True
    hint_phrases: Annotated[
        tuple[Phrase, ...],
        Meta(
            max_length=MAX_PHRASES,
            description="Your own phrases: a text with one of them is delivered, with a hint to "
            "its author. Phrases match whole words; case, accents and common tricks make no "
            "difference.",
        ),
    ] = ()
    hold_phrases: Annotated[
        tuple[Phrase, ...],
        Meta(
            max_length=MAX_PHRASES,
            description="The same, for texts that a moderator must release first.",
        ),
    ] = ()
    refuse_phrases: Annotated[
        tuple[Phrase, ...],
        Meta(max_length=MAX_PHRASES, description="The same, for texts that are refused."),
    ] = ()
    nudge_at: Annotated[
        float, Meta(ge=0.01, le=1, description="Spam score from which the author gets a hint.")
    ] = 0.5
    hold_at: Annotated[
        float, Meta(ge=0.01, le=1, description="Spam score from which a text is held.")
    ] = 0.7
    refuse_at: Annotated[
        float,
        Meta(
            ge=0.01, le=1, description="Spam score from which a text in a first contact is refused."
        ),
    ] = 0.95
    repeats_to_nudge: Annotated[
        int,
        Meta(
            ge=1,
            le=40,
            description="How often a user can send the same text within ten minutes before a hint.",
        ),
    ] = 3
    repeats_to_hold: Annotated[
        int, Meta(ge=1, le=40, description="The same, before the text is held.")
    ] = 7
    links_to_count: Annotated[
        int,
        Meta(
            ge=2,
            le=50,
            description="Links in one text from which they raise the spam score. An address such "
            "as https://example.com counts twice.",
        ),
    ] = 3
    new_account_hours: Annotated[
        int,
        Meta(
            ge=1,
            le=8760,
            description="Age of an account up to which a link raises the spam score.",
        ),
    ] = 24

    def conflicts(self) -> Iterator[tuple[str, str]]:
        if self.hold_at < self.nudge_at:
            yield "hold_at", "it must be at least safety.nudge_at"
        if self.refuse_at < self.hold_at:
            yield "refuse_at", "it must be at least safety.hold_at"
        if self.repeats_to_hold < self.repeats_to_nudge:
            yield "repeats_to_hold", "it must be at least safety.repeats_to_nudge"
        for name in ("hint_phrases", "hold_phrases", "refuse_phrases"):
            for phrase in getattr(self, name):
                if not any(map(str.isalnum, phrase)):
                    yield name, f"{phrase!r} must contain a letter or a digit"


BLOCKS = Limit("blocks", Allowance(60, HOUR), "Blocking people.")
REPORTS = Limit("reports", Allowance(20, HOUR), "Reporting.")

SECTIONS = (ContentRules,)
LIMITS = (BLOCKS, REPORTS)
