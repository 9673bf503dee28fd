"""The socket events of people."""

from greenroom.api.people.shapes import Person
from greenroom.api.ws.frames import Frame


class PersonUpdated(Frame, tag="person.updated"):
    """You or somebody in one of your conversations changed their names or avatar. Events may arrive
    out of order: ignore one whose `version` is lower than the one you have."""

    person: Person
    """The person as they are now."""
