"""A sample thread of more than a year: Mateo rents a room from Studio Nord every week.

The weeks differ, and every start writes the same ones: the choices come from a fixed seed.
"""

from collections.abc import Iterator
from random import Random

from msgspec import structs

from greenroom.demo.models import DAY, HOUR, SampleMessage

WEEKS = 62

_SHOOTS = (
    "a coffee commercial", "an interview series", "a dance piece", "a lookbook", "two music videos",
    "a cooking show", "a campaign for running shoes", "a portrait of a luthier", "product films",
    "a short about ceramics", "a trailer for a podcast", "a fashion film", "tests for a series",
    "an explainer with puppets", "a choir, all eighteen of them",
)  # fmt: skip
_ROOMS = ("the big room", "the north room", "the big room with the cyclorama", "the small room")
_DAYS = ("Tuesday", "Wednesday", "Thursday", "Friday")
_TIMES = ("8:00", "8:30", "9:00", "10:00", "13:00")
_GEAR = (
    "four C-stands", "the 2x2 m silk", "black flags", "two sandbags more than last time",
    "the long dolly track", "a haze machine", "the green backdrop", "a second monitor",
    "the small jib", "extension leads", "the turntable",
)  # fmt: skip
_HICCUPS = (
    ("The freight lift is being serviced that morning. Can you load in before 8:00?",
     "Then I send Yusuf ahead with the heavy cases."),
    ("A neighbour complained about the drums. After 20:00 only quiet work, please.",
     "Understood, we do the loud take first."),
    ("The left blind sticks. I have somebody coming, but perhaps bring blackout cloth.",
     "I have a roll in the van, no trouble."),
    ("Somebody left a light stand here last week. Yours?", "Ha, yes. I was looking for it!"),
    ("The invoice from last month came back, your address has changed?",
     "We moved two doors down. I update it in my profile today."),
    ("Street market outside that day: no parking in front before 15:00.",
     "We come with cargo bikes then. Honestly."),
)  # fmt: skip
_WISHES = (
    "Could we have it one hour longer? The client always talks.",
    "Is the kitchen free? We would like to cook on site.",
    "There will be a dog on set. A small one.",
    "May we paint one wall? We paint it back.",
    "We are nine people this time, is that all right?",
    "Half a day would do, if somebody else wants the afternoon.",
)
_GRANTED = (
    "Of course.", "Gladly, I have noted it.", "Sure. Nobody comes after you that day.",
    "Yes, and I leave the key with the bakery.", "If you tidy up, anything.",
)  # fmt: skip
_AFTER = (
    "Wrapped at six, room is as we found it. Thank you!",
    "Done! The light in there at four o'clock is ridiculous.",
    "All out. One bulb died on us, I left it on the desk, please put it on the bill.",
    "That was a long one. Keys are in the box.",
    "Finished early for once. You can have the room back from three.",
)
_THANKS = (
    "Thank you, looks tidy. Until next week!", "Seen it, all fine.",
    "Perfect. Send me a still when you have one?", "Great. The bulb is on us.",
    "You are our favourite tenants, do not tell the others.",
)  # fmt: skip
_NEWS = (
    "The client has already asked for a second day.", "First cut by the end of next week.",
    "Nobody wanted to go home.", "Lena says hello.", "We used every metre of the cyclorama.",
    "The soup was a good idea.", "I owe your plants an apology.", "Best sound we had in months.",
    "Yusuf found his glasses, by the way.", "Théo wants the room for himself now.",
)  # fmt: skip
_NOTES = (
    "The new curtains came, you will be the first to try them.", "It gets warm, I open the roof.",
    "Mind the wet paint by the door.", "Coffee machine is repaired.",
    "The bakery has the cardamom ones again.", "I am around until noon if you need anything.",
    "We have a second key now, ask me for it.", "Please take the yard entrance.",
)  # fmt: skip
_EMOJI = ("👍", "🙏", "🎬", "😄", "❤️")


def messages() -> tuple[SampleMessage, ...]:
    """Seven messages a week, in working hours."""
    said, before = [], 0
    for at, line in _told():
        said.append(structs.replace(line, after=at - before))
        before = at
    return tuple(said)


def ended() -> int:
    """How many minutes ago the last message came: the evening before, if the demo starts at ten."""
    return DAY - max(at for at, _ in _told()) % DAY + 10 * HOUR


def _told() -> Iterator[tuple[int, SampleMessage]]:
    """Each message with its minute, counted from the first midnight."""
    chance = Random(1850)
    for week in range(WEEKS):
        for at, line in _week(chance):
            yield 7 * DAY * week + at, line


def _week(chance: Random) -> Iterator[tuple[int, SampleMessage]]:
    mateo, nord = "mateo", "studio.nord"
    room, day, time = chance.choice(_ROOMS), chance.choice(_DAYS), chance.choice(_TIMES)
    shoot = chance.choice(_SHOOTS)
    first = chance.choice(
        (
            f"Next one: {shoot}. Is {room} free on {day} from {time}?",
            f"Do you have {room} for me on {day}? {time} or so, {shoot}.",
            f"We are shooting {shoot} on {day}. Could I take {room} from {time}?",
        )
    )
    at = 9 * HOUR + chance.randint(0, 2 * HOUR)
    yield at, SampleMessage(mateo, first)
    kept = chance.choice(("It is. I keep", "Yes, I put you down for", "You are lucky, I have"))
    at += chance.randint(3, 90)
    yield at, SampleMessage(nord, f"{kept} **{day}, {time}**. {chance.choice(_NOTES)}")
    one, other = chance.sample(_GEAR, 2)
    wanted = f"Wonderful. And {one} and {other}, if you have that."
    at += chance.randint(2, 9)
    yield at, SampleMessage(mateo, wanted, reactions=_liked(chance, nord))
    at = DAY + 10 * HOUR + chance.randint(0, 6 * HOUR)
    later = at + chance.randint(4, 60)
    if chance.random() < 0.5:
        trouble, answer = chance.choice(_HICCUPS)
        yield at, SampleMessage(nord, trouble)
        yield later, SampleMessage(mateo, answer)
    else:
        yield at, SampleMessage(mateo, chance.choice(_WISHES))
        yield later, SampleMessage(nord, chance.choice(_GRANTED))
    at = 3 * DAY + 17 * HOUR + chance.randint(0, 90)
    yield at, SampleMessage(mateo, f"{chance.choice(_AFTER)} {chance.choice(_NEWS)}")
    at += chance.randint(6, 50)
    yield at, SampleMessage(nord, chance.choice(_THANKS), reactions=_liked(chance, mateo))


def _liked(chance: Random, author: str) -> tuple[tuple[str, str], ...]:
    return ((author, chance.choice(_EMOJI)),) if chance.random() < 0.3 else ()
