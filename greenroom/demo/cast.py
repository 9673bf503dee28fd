"""Who is in the story. Those with something to see can be signed in as; the rest fill the room."""

from msgspec import Struct

from greenroom.people.actor import Scope


class Sample(Struct, frozen=True, kw_only=True):
    username: str
    first_name: str
    last_name: str
    part: str
    """Who they are."""
    sees: str = ""
    """What one sees as them; whoever has none is not offered to sign in as."""
    scopes: frozenset[Scope] = frozenset({Scope.USER})
    joined_days_ago: int = 500


SAMPLES = (
    Sample(
        username="maya",
        first_name="Maya",
        last_name="Lindqvist",
        part="Model in Lisbon. Is asked, negotiates, books.",
        sees="A full inbox: a booking under way, a request at the gate, a draft, a noisy group.",
    ),
    Sample(
        username="jonas",
        first_name="Jonas",
        last_name="Achterberg",
        part="Photographer from Antwerp. Plans an editorial.",
        sees="The other side of Maya's booking, and the group for the day of the shoot.",
    ),
    Sample(
        username="mateo",
        first_name="Mateo",
        last_name="Ruiz",
        part="Videographer. Rents the same studio every week.",
        sees="Hundreds of messages with Studio Nord, and spam that never reached him.",
    ),
    Sample(
        username="studio.nord",
        first_name="Studio",
        last_name="Nord",
        part="Rents out two rooms with daylight.",
        sees="A request to Maya that waits for her answer, and a regular customer.",
    ),
    Sample(
        username="ines",
        first_name="Inês",
        last_name="Carvalho",
        part="Runs support, and is the admin.",
        sees="A support thread that waits for her, and who is staff.",
        scopes=frozenset({Scope.USER, Scope.ADMIN}),
    ),
    Sample(
        username="ada",
        first_name="Ada",
        last_name="Okafor",
        part="Moderates what is held or reported.",
        sees="Held messages, a report, and what was decided last week.",
        scopes=frozenset({Scope.USER, Scope.MODERATOR}),
    ),
    Sample(
        username="cheap.followers",
        first_name="Best",
        last_name="Deals",
        part="Writes to everybody, and means nobody.",
        sees="The spammer's side: two messages held back, and nobody answers.",
        joined_days_ago=1,
    ),
    Sample(username="lena", first_name="Lena", last_name="Vogt", part="Make-up and hair."),
    Sample(username="oskar", first_name="Oskar", last_name="Dahl", part="Books for an agency."),
    Sample(username="priya", first_name="Priya", last_name="Raman", part="Sells knitwear."),
    Sample(username="theo", first_name="Théo", last_name="Garnier", part="Stylist."),
    Sample(username="yusuf", first_name="Yusuf", last_name="Demir", part="Assists on set."),
)
