"""The texts, times and files of the sample threads with files; `threads.py` writes them."""

from hashlib import sha256

from greenroom.demo import documents, pictures
from greenroom.demo.models import (
    DAY,
    HOUR,
    MemberState,
    SampleMessage,
    SampleReport,
    SampleThread,
)
from greenroom.demo.upload import SampleFile
from greenroom.files.models import BLUR, NewManifest
from greenroom.messaging.models import Kind, Role
from greenroom.safety.models import Decision, Reason

_FLYER = SampleFile("offer.jpg", pictures.flyer)

SCOUTING = SampleThread(
    key="demo-scouting",
    ended=4 * HOUR,
    kind=Kind.GROUP,
    opener="jonas",
    role=Role.MEMBER,
    others={"maya": Role.MEMBER, "mateo": Role.MEMBER, "lena": Role.MEMBER},
    accepted=("maya", "mateo", "lena"),
    subject="Scouting in Sintra",
    city="Sintra",
    avatars={name: SampleFile(f"{name}.jpg", draw) for name, draw in pictures.AVATARS.items()},
    picture=SampleFile("lake.jpg", pictures.LAKE),
    messages=(
        SampleMessage("jonas", "I drove out at six. Four places for the outdoor part:"),
        SampleMessage(
            "jonas",
            "",
            after=2,
            reactions=(("maya", "😍"), ("lena", "😍")),
            files=(
                SampleFile("terrace.jpg", pictures.TERRACE, "Hills at dusk, from the terrace"),
                SampleFile("lake.jpg", pictures.LAKE, "A lake at dawn"),
                SampleFile("valley.jpg", pictures.VALLEY, "A green valley at noon"),
                SampleFile("forest.jpg", pictures.FOREST, "Hills in mist"),
            ),
        ),
        SampleMessage("maya", "The terrace! And the mist, if it stays.", after=35, replies_to=1),
        SampleMessage(
            "mateo",
            "I filmed the coast road on the way back, so that you see the light move.",
            after=HOUR,
            files=(
                SampleFile("coast road.mp4", documents.clip, "A slow pan along the coast at dusk"),
            ),
        ),
        SampleMessage(
            "lena",
            "What I hear in my head for this:",
            after=20,
            files=(SampleFile("Voice note.wav", documents.voice_note),),
            reactions=(("maya", "🎶"),),
        ),
        SampleMessage(
            "jonas",
            "The test from last week, for the skin tones. Not for the feed.",
            after=DAY,
            files=(SampleFile("close-up.jpg", pictures.close_up, "A shoulder in soft light"),),
        ),
        SampleMessage(
            "jonas",
            "Shot list and call times. Tell me if a time is wrong.",
            after=50,
            files=(
                SampleFile("Shot list.pdf", documents.shot_list),
                SampleFile("call times.csv", lambda: documents.CALL_TIMES),
            ),
            reactions=(("lena", "👍"),),
        ),
        SampleMessage(
            "jonas",
            "The graded selects are on our drive.",
            after=3 * HOUR,
            manifest=NewManifest(
                name="Sintra selects.zip",
                size=1_843_200_512,
                sha256=sha256(b"Sintra selects").hexdigest(),
                url="https://files.example.com/sintra-selects.zip",
            ),
        ),
        SampleMessage("maya", "Got them, thank you!", after=25),
    ),
    member_states={"lena": MemberState(unread=1)},
    reports=(
        SampleReport(
            by="lena",
            line=5,
            reason=Reason.NSFW,
            note="Fine for us, but better not on a phone in the tram.",
            band=BLUR,
            decision=Decision.DISMISS,
            why="Blurred; nothing else is wrong with it.",
        ),
    ),
)

FLYER_REMOVED = SampleThread(
    key="demo-flyer",
    ended=7 * HOUR,
    kind=Kind.INQUIRY,
    opener="cheap.followers",
    others={"theo": Role.SELLER},
    accepted=("theo",),
    subject="A question about jackets",
    messages=(
        SampleMessage("cheap.followers", "Hi, do you rent out jackets?"),
        SampleMessage("theo", "Yes! For when?", after=5),
        SampleMessage("cheap.followers", "", after=3, files=(_FLYER,)),
    ),
    reports=(
        SampleReport(
            by="theo",
            line=2,
            reason=Reason.SPAM,
            note="That was not about jackets.",
            decision=Decision.REMOVE,
            why="Advertisement. Copies of the picture are held now.",
        ),
    ),
)

FLYER_HELD = SampleThread(
    key="demo-flyer-again",
    ended=2 * HOUR + 55,
    kind=Kind.INQUIRY,
    opener="cheap.followers",
    others={"yusuf": Role.SELLER},
    accepted=("yusuf",),
    subject="Driver next week",
    messages=(
        SampleMessage("cheap.followers", "Hello, are you free to drive next week?"),
        SampleMessage("yusuf", "Which day?", after=12),
        SampleMessage("cheap.followers", "", after=2, files=(_FLYER,), held=True),
    ),
)

SAMPLE_FILE_THREADS = (SCOUTING, FLYER_REMOVED, FLYER_HELD)
