"""The sample people and data of `greenroom demo`, made through the use cases.

Whatever is there already is left as it is, so that a restart goes on where it was.
"""

from collections.abc import Mapping
from contextlib import suppress

from msgspec import Struct

from greenroom.messaging import Messaging
from greenroom.messaging.answer import accept
from greenroom.messaging.models import GateStatus, Kind, Role
from greenroom.messaging.open import Invited, Opening, open_thread
from greenroom.messaging.problems import ThreadNotFound
from greenroom.messaging.send import Outgoing, send
from greenroom.people import People, directory, join
from greenroom.people.actor import Actor
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


class Scene(Struct, frozen=True, kw_only=True):
    """A conversation: who opens it with whom, who has accepted, and what is said."""

    key: str
    kind: Kind
    opener: str
    others: Mapping[str, Role]
    accepted: tuple[str, ...] = ()
    role: Role = Role.BUYER
    subject: str | None = None
    booking_id: str | None = None
    leg_id: str | None = None
    city: str | None = None
    lines: tuple[tuple[str, str], ...] = ()


SCENES = (
    Scene(
        key="demo-booking",
        kind=Kind.BOOKING,
        opener="jonas",
        others={"maya": Role.SELLER},
        accepted=("maya",),
        subject="Editorial in May",
        booking_id="bkg_editorial",
        leg_id="leg_lisbon",
        city="Lisbon",
        lines=(
            ("jonas", "Hello Maya! I am shooting an editorial in Lisbon in May. Are you free?"),
            ("maya", "I would love to. Which days, and who else is on the team?"),
            ("jonas", "**14 and 15 May**, half days. Mateo films, Studio Nord hosts us."),
            ("maya", "The 14th suits me. I keep it free until you confirm."),
            ("jonas", "Confirmed. I will send the moodboard tomorrow."),
        ),
    ),
    Scene(
        key="demo-group",
        kind=Kind.STUDIO,
        opener="jonas",
        others={"maya": Role.SELLER, "mateo": Role.SELLER, "studio.nord": Role.HOST},
        accepted=("mateo", "studio.nord"),
        subject="The day at Studio Nord",
        leg_id="leg_lisbon",
        city="Lisbon",
        lines=(
            ("studio.nord", "The studio is yours from 9:00, with daylight until 18:00."),
            ("mateo", "I need an hour to set up. @maya, does 10:00 work for you?"),
        ),
    ),
    Scene(
        key="demo-request",
        kind=Kind.INQUIRY,
        opener="studio.nord",
        others={"maya": Role.SELLER},
        subject="A test shoot in June?",
        lines=(("studio.nord", "Hello Maya, we open a second room in June. Would you try it?"),),
    ),
    Scene(
        key="demo-spam",
        kind=Kind.INQUIRY,
        opener="cheap.followers",
        others={"mateo": Role.SELLER},
        lines=(
            ("cheap.followers", "10000 followers for $9!!! Guaranteed income, dm me on telegram"),
        ),
    ),
)


async def furnish(messaging: Messaging) -> tuple[tuple[Person, str], ...]:
    shown = await joined(messaging.people)
    cast = {person.username: Actor(person.id) for person, _ in shown}
    for scene in SCENES:
        await _play(messaging, cast, scene)
    return shown


async def joined(people: People) -> tuple[tuple[Person, str], ...]:
    return tuple([(await _joined(people, sample), sample.part) for sample in SAMPLES])


async def _play(messaging: Messaging, cast: Mapping[str, Actor], scene: Scene) -> None:
    """Everything in it has a name, so that to play it again changes nothing."""
    thread = await open_thread(
        messaging,
        cast[scene.opener],
        Opening(
            kind=scene.kind,
            others=tuple(Invited(cast[name].user, role) for name, role in scene.others.items()),
            role=scene.role,
            subject=scene.subject,
            booking_id=scene.booking_id,
            leg_id=scene.leg_id,
            city=scene.city,
        ),
        key=scene.key,
    )
    for name in scene.accepted:
        gate = thread.gates.get(cast[name].user)
        if gate is not None and gate.status is GateStatus.PENDING:
            await accept(messaging, cast[name], gate.id)
    for number, (name, body) in enumerate(scene.lines):
        outgoing = Outgoing(f"{scene.key}:{number}", body)
        with suppress(ThreadNotFound):  # somebody has left since
            await send(messaging, cast[name], thread.id, outgoing)


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
