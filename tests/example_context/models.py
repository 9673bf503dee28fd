"""What a reminder is."""

from msgspec import Struct

from greenroom.errors import Problem
from greenroom.ids import UserId

MAX_TEXT = 200


class Reminder(Struct, frozen=True):
    id: str
    user: UserId
    text: str
    due_ms: int


class InvalidReminder(Problem):
    """A reminder needs a text of 1 to {characters} characters."""

    characters: int
