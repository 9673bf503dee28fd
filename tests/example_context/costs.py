"""Cost patterns of reminders."""

from functools import partial

from greenroom.cost.fixture import Fixture
from greenroom.cost.pattern import Act, Pattern
from tests.example_context.reminders import Reminders, remind

TITLE = "Reminders"


async def _remind(fixture: Fixture) -> Act:
    ana = await fixture.person("ana")
    messaging = fixture.messaging
    reminders = Reminders(messaging.store, messaging.clock, messaging.ids)
    return partial(remind, reminders, ana, "Call Maya", 60_000)


PATTERNS = (Pattern("remind", "Create a reminder.", _remind),)
