"""The sample people. Visitors can sign in as those with a `sees` text."""

from msgspec import Struct

from greenroom.people.actor import Scope


class SamplePerson(Struct, frozen=True, kw_only=True):
    username: str
    first_name: str
    last_name: str
    part: str
    sees: str = ""
    """What a visitor sees as this person; people without it are not offered for sign-in."""
    scopes: frozenset[Scope] = frozenset({Scope.USER})
    joined_days_ago: int = 500


SAMPLE_PEOPLE = (
    SamplePerson(
        username="maya",
        first_name="Maya",
        last_name="Lindqvist",
        part="Model in Lisbon. Gets inquiries and agrees on bookings.",
        sees="A full inbox: a booking, a request to answer, a draft and a muted group.",
    ),
    SamplePerson(
        username="jonas",
        first_name="Jonas",
        last_name="Achterberg",
        part="Photographer from Antwerp. Plans an editorial.",
        sees="Maya's booking from the other side, and the group for the shoot.",
    ),
    SamplePerson(
        username="mateo",
        first_name="Mateo",
        last_name="Ruiz",
        part="Videographer. Rents the same studio every week.",
        sees="A conversation of hundreds of messages with Studio Nord.",
    ),
    SamplePerson(
        username="studio.nord",
        first_name="Studio",
        last_name="Nord",
        part="Rents out two rooms with daylight.",
        sees="A sent request that Maya has not answered, and a regular customer.",
    ),
    SamplePerson(
        username="ines",
        first_name="Inês",
        last_name="Carvalho",
        part="Runs support and manages the staff.",
        sees="A support conversation that needs her reply, and the staff roles.",
        scopes=frozenset({Scope.USER, Scope.ADMIN}),
    ),
    SamplePerson(
        username="ada",
        first_name="Ada",
        last_name="Okafor",
        part="Reviews held messages and reports.",
        sees="Held messages, a held picture, a report, and last week's decisions.",
        scopes=frozenset({Scope.USER, Scope.MODERATOR}),
    ),
    SamplePerson(
        username="cheap.followers",
        first_name="Best",
        last_name="Deals",
        part="A spammer who writes to everyone.",
        sees="Two messages and a picture under review, and few replies.",
        joined_days_ago=1,
    ),
    SamplePerson(username="lena", first_name="Lena", last_name="Vogt", part="Make-up and hair."),
    SamplePerson(
        username="oskar", first_name="Oskar", last_name="Dahl", part="Books for an agency."
    ),
    SamplePerson(username="priya", first_name="Priya", last_name="Raman", part="Sells knitwear."),
    SamplePerson(username="theo", first_name="Théo", last_name="Garnier", part="Stylist."),
    SamplePerson(username="yusuf", first_name="Yusuf", last_name="Demir", part="Assists on set."),
)
