"""The socket events of people."""

from greenroom.api.people.shapes import Person
from greenroom.api.ws.frames import Frame


class PersonUpdated(Frame, tag="person.updated"):
    """Somebody in one of your conversations, or you, has other names. Events may overtake one
    another: ignore one whose `version` is lower than that of the person you know."""

    person: Person
    """As they are now."""
