"""The texts and times of the sample threads; `threads.py` writes them."""

from greenroom.demo import long_thread
from greenroom.demo.models import (
    DAY,
    HOUR,
    MemberState,
    SampleMessage,
    SampleReport,
    SampleScheduled,
    SampleThread,
)
from greenroom.demo.sample_panel import BOOKING_EDITS
from greenroom.messaging.models import Kind, Role
from greenroom.safety.models import Decision, Reason

_FOLLOWERS = "10000 followers for $9!!! Guaranteed income, dm me on telegram"

LONG = SampleThread(
    key="demo-long",
    ended=long_thread.ended(),
    kind=Kind.INQUIRY,
    opener="mateo",
    others={"studio.nord": Role.HOST},
    accepted=("studio.nord",),
    subject="The room, every week",
    city="Lisbon",
    messages=long_thread.messages(),
    member_states={"mateo": MemberState(unread=1, pinned=True)},
)

BOOKING = SampleThread(
    key="demo-booking",
    ended=38,
    kind=Kind.BOOKING,
    opener="jonas",
    others={"maya": Role.SELLER},
    accepted=("maya",),
    subject="Editorial in Lisbon",
    booking_id="bkg_editorial",
    leg_id="leg_lisbon",
    city="Lisbon",
    messages=(
        SampleMessage(
            "jonas",
            "Hello Maya! I am planning an editorial in Lisbon, soft light, linen, "
            "the old tiles. I saw your work with Théo and would love to have you in it.",
        ),
        SampleMessage(
            "maya",
            "Hello Jonas, that is kind. I know your harbour series: yes, tell me more.",
            after=3 * HOUR,
            reactions=(("jonas", "🙏"),),
        ),
        SampleMessage("maya", "Which days, and who else is on the team?", after=1),
        SampleMessage(
            "jonas",
            "Two half days next month, probably Thursday and Friday. Mateo films behind "
            "the scenes, Lena does hair and make-up, Studio Nord hosts us.",
            after=40,
        ),
        SampleMessage("jonas", "The magazine has eight pages for it.", after=1),
        SampleMessage(
            "maya",
            "Lena is wonderful. Thursday suits me, Friday I fly at 19:00.",
            after=12,
            replies_to=3,
        ),
        SampleMessage(
            "jonas",
            "Then we do the outdoor part on Thursday evening and the studio on Friday "
            "morning. You would be out by 13:00.",
            after=DAY,
        ),
        SampleMessage("maya", "That works. What about the rate?", after=25),
        SampleMessage(
            "jonas",
            "Day rate for each half day, because the evening gets long. Travel and "
            "food are ours. Everything through the booking here.",
            after=8,
        ),
        SampleMessage(
            "maya",
            "That is fair. I would like to see the moodboard before I say yes for good.",
            after=5,
            reactions=(("jonas", "👍"),),
        ),
        SampleMessage(
            "jonas",
            "Of course. It goes up on Monday: **three looks**, _no_ swimwear, one "
            "portrait in close-up.",
            after=2 * DAY,
            edited_to="Of course. It is up: **three looks**, _no_ swimwear, two portraits in "
            "close-up.",
        ),
        SampleMessage(
            "maya",
            "Beautiful. The second look especially. Is the coat from Priya's label?",
            after=6 * HOUR,
            replies_to=10,
            reactions=(("jonas", "❤️"),),
        ),
        SampleMessage("jonas", "Good eye! She lends us four pieces.", after=18),
        SampleMessage(
            "maya",
            "Then I am in. I keep Thursday and Friday free until you confirm.",
            after=7,
            reactions=(("jonas", "🎉"),),
        ),
        SampleMessage(
            "jonas",
            "Confirmed from our side as well. Call time on Thursday is **16:30** at "
            "the studio, golden hour is at 19:10.",
            after=DAY,
        ),
        SampleMessage(
            "maya", "16:30, noted. I come with clean hair and no make-up, as always?", after=55
        ),
        SampleMessage(
            "jonas",
            "Exactly. And bring the boots from the harbour pictures, if you still have them.",
            after=3,
        ),
        SampleMessage(
            "maya",
            "The boots have seen things, but they live. 👢",
            after=2,
            reactions=(("jonas", "😄"),),
        ),
        SampleMessage(
            "jonas",
            "One more thing: the weather looks mixed. If it rains we swap the two parts "
            "and shoot inside on Thursday.",
            after=DAY + 5 * HOUR,
        ),
        SampleMessage("maya", "Fine with me, both ways.", after=44),
        SampleMessage("jonas", "You are a delight to plan with.", after=5),
        SampleMessage(
            "jonas",
            "Could you tell me your sizes again for the stylist? Théo insists that "
            "he lost the sheet.",
            after=16 * HOUR + 16,
        ),
        SampleMessage(
            "jonas",
            "And: is it all right for you if Mateo starts filming when you arrive, "
            "or rather from the first look on?",
            after=2,
        ),
    ),
    member_states={"maya": MemberState(unread=2, pinned=True)},
    panel=BOOKING_EDITS,
)

GROUP = SampleThread(
    key="demo-group",
    ended=2 * HOUR + 10,
    kind=Kind.GROUP,
    opener="jonas",
    role=Role.MEMBER,
    others={
        "maya": Role.MEMBER,
        "mateo": Role.MEMBER,
        "lena": Role.MEMBER,
        "studio.nord": Role.HOST,
    },
    accepted=("maya", "mateo", "lena", "studio.nord"),
    subject="The day at Studio Nord",
    city="Lisbon",
    messages=(
        SampleMessage(
            "jonas",
            "Hello all! This is the room for the two days. Times and places go here, "
            "everything about money stays in your own bookings.",
        ),
        SampleMessage(
            "studio.nord",
            "Welcome! The studio is yours from 9:00 on both days, with daylight "
            "until 18:00. The freight lift is in the yard.",
            after=30,
            reactions=(("jonas", "🙏"), ("mateo", "🙏")),
        ),
        SampleMessage(
            "mateo", "I need an hour to set up. @maya, does 10:00 on Friday work for you?", after=20
        ),
        SampleMessage(
            "maya",
            "10:00 is good. I am there at a quarter to.",
            after=2 * HOUR,
            replies_to=2,
            reactions=(("mateo", "👍"),),
        ),
        SampleMessage(
            "lena",
            "Then I start at 8:30 with the set and take Maya at 10:00. I need a table, "
            "a mirror and a socket that does not spark.",
            after=15,
            reactions=(("maya", "😄"), ("studio.nord", "😄")),
        ),
        SampleMessage(
            "studio.nord",
            "The sparking one is retired. You get the corner by the window.",
            after=8,
            replies_to=4,
        ),
        SampleMessage(
            "jonas",
            "Plan so far:\n\n- Thursday 16:30 outside, one look\n- Friday 10:00 inside, "
            "two looks\n- Friday 13:00 wrap, soup for everybody",
            after=DAY,
            reactions=(("maya", "🎉"), ("lena", "🎉"), ("mateo", "🍲")),
        ),
        SampleMessage("lena", "Soup is in the plan, so I am in the plan.", after=4),
        SampleMessage(
            "mateo", "Is there parking for a van on Friday? I bring the jib.", after=16 * HOUR
        ),
        SampleMessage(
            "studio.nord",
            "In the yard, behind the bakery's car. I put a sign out.",
            after=35,
            replies_to=8,
        ),
    ),
    member_states={
        "maya": MemberState(unread=2),
        "jonas": MemberState(unread=1),
        "lena": MemberState(unread=4),
    },
    scheduled=(
        SampleScheduled(
            "maya", "Good morning! I am on the early train, and at the studio half an hour before."
        ),
        SampleScheduled(
            "jonas", "Two days to go. The call sheet is up, please check your times.", in_days=2
        ),
    ),
)

REQUEST = SampleThread(
    key="demo-request",
    ended=20 * HOUR,
    kind=Kind.INQUIRY,
    opener="studio.nord",
    others={"maya": Role.SELLER},
    role=Role.HOST,
    subject="A test shoot in our second room?",
    messages=(
        SampleMessage(
            "studio.nord",
            "Hello Maya, we open a second room next month and would like to show "
            "what its light can do. Would you try it with us for an afternoon?",
        ),
        SampleMessage(
            "studio.nord", "Paid, of course: half a day rate, and you get the pictures.", after=2
        ),
    ),
    member_states={"maya": MemberState(unread=2)},
)

KNITWEAR = SampleThread(
    key="demo-knitwear",
    ended=2 * DAY,
    kind=Kind.INQUIRY,
    opener="priya",
    others={"maya": Role.SELLER},
    accepted=("maya",),
    subject="Knitwear lookbook, autumn",
    city="Porto",
    messages=(
        SampleMessage(
            "priya",
            "Hi Maya! Jonas says you asked about the coat. Would you like to wear the "
            "whole collection? Lookbook, one day in Porto, fourteen pieces.",
        ),
        SampleMessage(
            "maya",
            "I have been cold all my life for this moment. Yes!",
            after=22 * HOUR,
            reactions=(("priya", "🧶"),),
        ),
        SampleMessage(
            "priya", "Perfect. Would the last week of the month be possible?", after=HOUR
        ),
        SampleMessage("maya", "Monday to Wednesday, yes.", after=20),
        SampleMessage(
            "priya",
            "Wednesday then. Could you make an offer here, so that I can book it? My "
            "budget is for one full day.",
            after=HOUR,
            replies_to=3,
        ),
    ),
    member_states={
        "maya": MemberState(
            draft="Gladly! A full day, usage for one season online and in print, would be"
        )
    },
)

SUPPORT = SampleThread(
    key="demo-support",
    ended=90,
    kind=Kind.SUPPORT,
    opener="ines",
    others={"maya": Role.BUYER},
    role=Role.SUPPORT,
    subject="The deposit of the Porto booking",
    messages=(
        SampleMessage(
            "ines",
            "Hello Maya, this is Inês from support. You wrote that a deposit has not come "
            "back after a booking was canceled. I am looking into it.",
        ),
        SampleMessage(
            "maya",
            "Thank you! It was canceled eleven days ago by the client, the money should "
            "have been back after seven.",
            after=50,
        ),
        SampleMessage(
            "ines",
            "I see it: the refund was sent to a card that has expired. The bank returned "
            "it to us on Friday.",
            after=3 * HOUR,
            replies_to=1,
        ),
        SampleMessage(
            "maya", "That is the old card, yes. I changed it in my profile last week.", after=12
        ),
        SampleMessage(
            "ines",
            "Then I send it again to the new one. It takes two working days.",
            after=5,
            reactions=(("maya", "🙏"),),
        ),
        SampleMessage("maya", "Wonderful. Will I get a note when it is there?", after=17 * HOUR),
    ),
    member_states={"ines": MemberState(unread=1)},
)

FREELANCERS = SampleThread(
    key="demo-freelancers",
    ended=55,
    kind=Kind.INVITE,
    opener="oskar",
    others={
        "maya": Role.SELLER,
        "lena": Role.SELLER,
        "theo": Role.SELLER,
        "yusuf": Role.SELLER,
        "mateo": Role.SELLER,
    },
    accepted=("maya", "lena", "theo", "yusuf", "mateo"),
    subject="Lisbon freelancers",
    city="Lisbon",
    messages=(
        SampleMessage(
            "oskar",
            "Hi all, this is for jobs that come in on short notice. First come, first "
            "served, and please say so when you are taken.",
        ),
        SampleMessage("theo", "Good idea. I am free from Wednesday on.", after=40),
        SampleMessage(
            "lena",
            "Me too, but not before ten. You know why.",
            after=12,
            reactions=(("theo", "😄"), ("yusuf", "😄")),
        ),
        SampleMessage(
            "oskar", "Catalogue, Thursday, two people for hair and make-up. Anybody?", after=2 * DAY
        ),
        SampleMessage("lena", "I take one.", after=2, reactions=(("oskar", "👍"),)),
        SampleMessage("yusuf", "Not my craft, but I can drive.", after=9),
        SampleMessage("oskar", "Actually yes, they need a driver!", after=3, replies_to=5),
        SampleMessage("theo", "Does anybody have a steamer that works? Mine gave up.", after=DAY),
        SampleMessage(
            "mateo",
            "At the studio, second shelf. Tell Nord that I sent you.",
            after=16,
            replies_to=7,
        ),
        SampleMessage(
            "theo", "You saved a wedding dress.", after=HOUR, reactions=(("mateo", "😄"),)
        ),
        SampleMessage(
            "oskar",
            "New: a day of portraits for a bank, next Tuesday, suits and patience.",
            after=DAY + 2 * HOUR,
        ),
        SampleMessage("yusuf", "How much patience?", after=3),
        SampleMessage("oskar", "Forty people, four minutes each.", after=1),
        SampleMessage(
            "lena", "So, all of it.", after=2, reactions=(("theo", "😄"), ("oskar", "😄"))
        ),
        SampleMessage("theo", "I am in for the suits.", after=11),
    ),
    member_states={"maya": MemberState(unread=9, muted=True), "mateo": MemberState(unread=5)},
)

ARCHIVED = SampleThread(
    key="demo-archived",
    ended=41 * DAY,
    kind=Kind.BOOKING,
    opener="theo",
    others={"maya": Role.SELLER},
    accepted=("maya",),
    subject="Music video, one day in Sintra",
    booking_id="bkg_sintra",
    city="Sintra",
    messages=(
        SampleMessage("theo", "Maya, are you free on the 3rd? Music video, forest, fog, a horse."),
        SampleMessage("maya", "Am I riding the horse?", after=9),
        SampleMessage("theo", "You are admiring the horse.", after=2, reactions=(("maya", "😄"),)),
        SampleMessage("maya", "Then I am free on the 3rd.", after=4),
        SampleMessage("theo", "That was a good day! The horse asks about you.", after=6 * DAY),
        SampleMessage("maya", "Give it an apple from me. It was lovely.", after=HOUR),
    ),
    member_states={"maya": MemberState(archived=True), "theo": MemberState(archived=True)},
)

SPAM_TO_MATEO = SampleThread(
    key="demo-spam",
    ended=3 * HOUR,
    kind=Kind.INQUIRY,
    opener="cheap.followers",
    others={"mateo": Role.SELLER},
    messages=(SampleMessage("cheap.followers", _FOLLOWERS, held=True),),
)

SPAM_TO_LENA = SampleThread(
    key="demo-spam-again",
    ended=2 * HOUR + 50,
    kind=Kind.INQUIRY,
    opener="cheap.followers",
    others={"lena": Role.SELLER},
    messages=(SampleMessage("cheap.followers", _FOLLOWERS, held=True),),
)

SPAM_TO_JONAS = SampleThread(
    key="demo-spam-reported",
    ended=2 * HOUR,
    kind=Kind.INQUIRY,
    opener="cheap.followers",
    others={"jonas": Role.SELLER},
    subject="More reach for you",
    messages=(
        SampleMessage(
            "cheap.followers",
            "Hello friend, your profile deserves more reach. We make you "
            "visible, quick and discreet. Shall I send the price list?",
        ),
    ),
    reports=(
        SampleReport(
            by="jonas",
            line=0,
            reason=Reason.SPAM,
            note="Second account this week with the same sentence.",
        ),
    ),
)

UNKIND = SampleThread(
    key="demo-unkind",
    ended=8 * DAY,
    kind=Kind.INQUIRY,
    opener="oskar",
    others={"yusuf": Role.SELLER},
    accepted=("yusuf",),
    subject="Driver on Saturday",
    messages=(
        SampleMessage("oskar", "Can you drive on Saturday, 6:00 in Alfama?"),
        SampleMessage("yusuf", "Saturday I am away, sorry.", after=30),
        SampleMessage(
            "oskar", "Always the same with you. One cannot plan with such people.", after=4
        ),
    ),
    reports=(
        SampleReport(
            by="yusuf",
            line=2,
            reason=Reason.HARASSMENT,
            note="I did nothing but say no.",
            decision=Decision.DISMISS,
            why="Rude, but not more. Oskar has apologised since.",
        ),
    ),
)

PAID_OUTSIDE = SampleThread(
    key="demo-paid-outside",
    ended=5 * DAY,
    kind=Kind.INQUIRY,
    opener="yusuf",
    others={"theo": Role.SELLER},
    accepted=("theo",),
    subject="Jackets for a short",
    messages=(
        SampleMessage("yusuf", "Could we rent six jackets from you for a weekend?"),
        SampleMessage(
            "theo",
            "Of course. It is cheaper without the booking, just bring cash on Friday.",
            after=20,
        ),
        SampleMessage("yusuf", "I would rather book it here.", after=3),
    ),
    reports=(
        SampleReport(
            by="yusuf",
            line=1,
            reason=Reason.OFF_PLATFORM,
            note="Wanted cash.",
            decision=Decision.REMOVE,
            why="First time; the text is gone and he knows why.",
        ),
    ),
)

STAFF = SampleThread(
    key="demo-staff",
    ended=45,
    kind=Kind.SUPPORT,
    opener="ines",
    others={"ada": Role.SUPPORT},
    role=Role.SUPPORT,
    subject="Followers, again",
    messages=(
        SampleMessage(
            "ines",
            "Three people have asked me today why they get advertisements for "
            "followers. One account, I think. Could you look at the queue?",
        ),
        SampleMessage(
            "ada",
            "On it. Two are held, one came through and was reported.",
            after=25,
            reactions=(("ines", "🙏"),),
        ),
        SampleMessage(
            "ines", "Thank you! I tell them that nothing is wrong with their accounts.", after=6
        ),
    ),
    member_states={"ada": MemberState(unread=1)},
)

SAMPLE_THREADS = (
    LONG,
    ARCHIVED,
    BOOKING,
    FREELANCERS,
    GROUP,
    UNKIND,
    PAID_OUTSIDE,
    KNITWEAR,
    SUPPORT,
    SPAM_TO_MATEO,
    SPAM_TO_LENA,
    SPAM_TO_JONAS,
    REQUEST,
    STAFF,
)
