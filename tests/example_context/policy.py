"""What operators can change about reminders: their length, and how often they are made."""

from typing import Annotated, ClassVar

from msgspec import Meta

from greenroom.policy import HOUR, Allowance, Limit, Section
from tests.example_context.models import MAX_TEXT


class ReminderRules(Section, frozen=True):
    """Reminders."""

    section: ClassVar = "reminders"
    characters: Annotated[
        int, Meta(ge=10, le=MAX_TEXT, description="Length of a reminder's text.")
    ] = MAX_TEXT


REMINDERS = Limit("reminders", Allowance(60, HOUR), "Creating reminders.")
