"""Cost patterns: a moderator looks at a picture and sets its band; its author appeals."""

from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from greenroom.background.models import Timer
from greenroom.cost.fixture import Fixture
from greenroom.cost.fixture_files import ready_photo
from greenroom.cost.pattern import Act, Pattern
from greenroom.files.appeal import appeal
from greenroom.files.judge_band import judge_band
from greenroom.files.models import SHOW
from greenroom.files.moderator_urls import moderator_urls
from greenroom.files.own_files import own_files
from greenroom.files.set_band import BANDED, apply_band, show_band
from greenroom.ids import FileId
from greenroom.messaging.models import Kind, NewAttachment
from greenroom.messaging.outgoing import Sent
from greenroom.messaging.report import report_message
from greenroom.messaging.send import send
from greenroom.messaging.set_avatar import set_avatar
from greenroom.messaging.set_thread_picture import set_thread_picture
from greenroom.people.actor import Actor, Scope
from greenroom.safety.claim import claim
from greenroom.safety.decide import decide
from greenroom.safety.models import CaseId, Decision, RatedFile, Reason, SentMessage, case_id

TITLE = "Bands of pictures"


class _Reported(Struct, frozen=True):
    moderator: Actor
    file: FileId
    case: CaseId
    """Claimed by the moderator."""


async def _reported(fixture: Fixture) -> _Reported:
    """A message with one picture, which the other person has reported."""
    mod = await fixture.person("mod", Scope.MODERATOR)
    ana, ben = await fixture.pair()
    thread = await fixture.talk(ana, ben)
    photo = await ready_photo(fixture, ana, thread.id)
    outgoing = replace(fixture.outgoing(9), attachments=(NewAttachment(photo, "The studio"),))
    sent = await send(fixture.messaging, ana, thread.id, outgoing)
    assert isinstance(sent, Sent)
    await report_message(fixture.messaging, ben, thread.id, sent.message.id, Reason.SPAM)
    case = case_id(SentMessage(thread.id, sent.message.id))
    await claim(fixture.messaging.safety, mod, case)
    return _Reported(mod, photo, case)


async def _look(fixture: Fixture, *, reveal: bool) -> Act:
    files, found = fixture.files, await _reported(fixture)
    return partial(moderator_urls, files, found.moderator, found.file, found.case, reveal=reveal)


async def _judge(fixture: Fixture) -> Act:
    files, found = fixture.files, await _reported(fixture)
    reason = "This picture shows nudity."
    return partial(
        judge_band, files, found.moderator, found.file, 1, case_id=found.case, reason=reason
    )


async def _show(fixture: Fixture) -> Act:
    files, found = fixture.files, await _reported(fixture)
    await judge_band(files, found.moderator, found.file, 1, case_id=found.case)
    return partial(show_band, files, Timer(BANDED, found.file, 0))


async def _show_avatar(fixture: Fixture) -> Act:
    ana = await fixture.person("ana")
    photo = await ready_photo(fixture, ana)
    await set_avatar(fixture.messaging, ana, photo)
    await apply_band(fixture.files, photo, 1, ana.user, fixture.files.clock.now_ms())
    return partial(show_band, fixture.files, Timer(BANDED, photo, 0))


async def _show_thread_picture(fixture: Fixture) -> Act:
    people = await fixture.people(3)
    thread = await fixture.talk(people[0], *people[1:], kind=Kind.GROUP)
    photo = await ready_photo(fixture, people[0], thread.id)
    await set_thread_picture(fixture.messaging, people[0], thread.id, photo)
    await apply_band(fixture.files, photo, 1, people[1].user, fixture.files.clock.now_ms())
    return partial(show_band, fixture.files, Timer(BANDED, photo, 0))


async def _appeal(fixture: Fixture) -> Act:
    ana = await fixture.person("ana")
    photo = await ready_photo(fixture, ana, band=1)
    return partial(appeal, fixture.files, ana, photo, "It is a swimsuit, for a catalogue.")


async def _decide_appeal(fixture: Fixture) -> Act:
    mod = await fixture.person("mod", Scope.MODERATOR)
    await (await _appeal(fixture))()
    ana = await fixture.person("ana")
    [photo] = (await own_files(fixture.files, ana)).files
    case = case_id(RatedFile(photo.id, ana.user, photo.band))
    await claim(fixture.messaging.safety, mod, case)
    return partial(decide, fixture.messaging.safety, mod, case, Decision.BAND, version=1, band=SHOW)


PATTERNS: tuple[Pattern, ...] = (
    Pattern("moderator_urls", "give a moderator a blurred picture", partial(_look, reveal=False)),
    Pattern("moderator_reveal", "the clear one, with a log entry", partial(_look, reveal=True)),
    Pattern("set_band", "set the band of a picture, with a notice to its owner", _judge),
    Pattern("show_band", "show it in the message, by its timer", _show),
    Pattern("show_avatar_band", "the same for a person without conversations", _show_avatar),
    Pattern(
        "show_thread_picture_band", "for the picture of a thread of three", _show_thread_picture
    ),
    Pattern("appeal", "appeal against a band", _appeal),
    Pattern("decide_appeal", "decide an appeal with another band", _decide_appeal),
)
