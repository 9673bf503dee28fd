"""The sample people and data of `greenroom demo`, made through the use cases.

Whatever is there already is left as it is, so that a restart goes on where it was.
"""

from msgspec import Struct

from greenroom.people import People, directory, join
from greenroom.people.models import Person


class Sample(Struct, frozen=True):
    username: str
    first_name: str
    last_name: str
    part: str


SAMPLES = (
    Sample("maya", "Maya", "Lindqvist", "Model. Is asked, negotiates, books."),
    Sample("jonas", "Jonas", "Achterberg", "Photographer. Asks for a shoot in May."),
    Sample("mateo", "Mateo", "Ruiz", "Videographer on the same project."),
    Sample("studio.nord", "Studio", "Nord", "Hosts the studio."),
    Sample("ines", "Inês", "Carvalho", "Supports whoever is stuck."),
    Sample("ada", "Ada", "Okafor", "Moderates what is held or reported."),
    Sample("cheap.followers", "Best", "Deals", "Writes to everybody, and means nobody."),
)


async def furnish(people: People) -> tuple[tuple[Person, str], ...]:
    return tuple([(await _joined(people, sample), sample.part) for sample in SAMPLES])


async def _joined(people: People, sample: Sample) -> Person:
    found = await directory.by_username(people, sample.username)
    if found is not None:
        return found
    return await join.join(
        people,
        sample.username,
        first_name=sample.first_name,
        last_name=sample.last_name,
    )
