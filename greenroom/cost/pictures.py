"""Cost patterns: the picture of a person and that of a thread."""

from functools import partial

from greenroom.cost.fixture import Fixture
from greenroom.cost.fixture_files import ready_photo
from greenroom.cost.pattern import Act, Pattern
from greenroom.files.file_urls import Wanted, file_urls
from greenroom.messaging.models import Kind
from greenroom.messaging.set_avatar import set_avatar
from greenroom.messaging.set_thread_picture import set_thread_picture

TITLE = "Pictures of people and threads"


async def _set_avatar(fixture: Fixture) -> Act:
    ana = await fixture.person("ana")
    await set_avatar(fixture.messaging, ana, await ready_photo(fixture, ana))
    return partial(set_avatar, fixture.messaging, ana, await ready_photo(fixture, ana))


async def _remove_avatar(fixture: Fixture) -> Act:
    ana = await fixture.person("ana")
    await set_avatar(fixture.messaging, ana, await ready_photo(fixture, ana))
    return partial(set_avatar, fixture.messaging, ana, None)


async def _view_avatar(fixture: Fixture) -> Act:
    ana, ben = await fixture.pair()
    files = fixture.files
    photo = await ready_photo(fixture, ana)
    await set_avatar(fixture.messaging, ana, photo)
    return partial(file_urls, files, ben, Wanted(files=(photo,)))


async def _set_thread_picture(fixture: Fixture) -> Act:
    people = await fixture.people(3)
    thread = await fixture.talk(people[0], *people[1:], kind=Kind.GROUP)
    before = await ready_photo(fixture, people[0], thread.id)
    await set_thread_picture(fixture.messaging, people[0], thread.id, before)
    after = await ready_photo(fixture, people[0], thread.id)
    return partial(set_thread_picture, fixture.messaging, people[0], thread.id, after)


PATTERNS: tuple[Pattern, ...] = (
    Pattern("set_avatar", "replace the picture of a person without conversations", _set_avatar),
    Pattern("remove_avatar", "remove it", _remove_avatar),
    Pattern("view_avatar", "ask for the URLs of the picture of a stranger", _view_avatar),
    Pattern("set_thread_picture", "replace the picture of a thread of three", _set_thread_picture),
)
