"""Registers reminders: everything that the outside needs to know of them."""

from collections.abc import Mapping
from functools import partial
from typing import Annotated

from litestar import Router, get, post
from litestar.di import NamedDependency
from litestar.params import JSONBody, SkipValidation
from msgspec import Meta, Struct

from greenroom.api.auth import BEARER, needs
from greenroom.api.composition import Composition, Contexts
from greenroom.api.openapi.property import Property, described, id_property, text_property
from greenroom.api.params import Caller
from greenroom.api.problem_table import ProblemResponse, Problems
from greenroom.api.registry import ContextApi, Example, SocketEvent, SocketRequest
from greenroom.api.route_docs import OperationExample, refuses
from greenroom.api.sync import Known, SourceChanges, SyncPart
from greenroom.api.ws.encode import encode
from greenroom.api.ws.frames import Ack, Frame, Number
from greenroom.api.ws.session import Session
from greenroom.background.follower import Follower
from greenroom.background.timers import TimerHandler
from greenroom.clock import iso
from greenroom.ids import UserId
from greenroom.people.actor import Actor, Scope
from greenroom.realtime.bus import BusMessage, user_topic
from greenroom.realtime.hub import Hub
from greenroom.realtime.publish import guarded
from tests.example_context import models, records, reminders as use_cases
from tests.example_context.models import MAX_TEXT, InvalidReminder
from tests.example_context.policy import REMINDERS, ReminderRules
from tests.example_context.reminders import Reminders
from tests.example_context.settings import ReminderSettings

Seconds = Annotated[int, Meta(ge=0, le=86_400)]

# Shapes.


class Reminder(Struct, rename="camel"):
    reminder_id: str
    text: str
    due_at: str


class NewReminder(Struct, rename="camel", forbid_unknown_fields=True):
    text: str
    in_seconds: Seconds


class ReminderList(Struct, rename="camel"):
    reminders: list[Reminder]
    total: int


class ReminderChanges(Struct, rename="camel"):
    """Reminders that have become due."""

    due: list[Reminder]


def shape(reminder: models.Reminder) -> Reminder:
    return Reminder(reminder.id, reminder.text, iso(reminder.due_ms))


# REST.

TheReminders = NamedDependency[SkipValidation[Reminders]]


@get(
    "/",
    operation_id="getReminders",
    summary="List your reminders that are not due yet",
    response_description="The reminders.",
    responses=refuses(),
)
async def get_reminders(actor: Caller, reminders: TheReminders) -> ReminderList:
    found = await use_cases.listed(reminders, actor)
    return ReminderList([shape(one) for one in found.waiting], found.total)


@post(
    "/",
    operation_id="createReminder",
    summary="Create a reminder",
    response_description="The reminder.",
    responses=refuses(InvalidReminder, body=True),
    limit=REMINDERS,
)
async def create_reminder(
    data: JSONBody[NewReminder], actor: Caller, reminders: TheReminders
) -> Reminder:
    made = await use_cases.remind(reminders, actor, data.text, data.in_seconds * 1000)
    return shape(made)


ROUTES = Router(
    "/v1/reminders",
    route_handlers=[get_reminders, create_reminder],
    guards=[needs(Scope.USER)],
    security=BEARER,
    tags=["reminders"],
)

# Socket.


class Remind(Frame, tag="remind", forbid_unknown_fields=True):
    """Creates a reminder."""

    id: Number
    text: str
    """What to be reminded of."""
    in_seconds: Seconds
    """When, from now."""


class RemindAck(Ack, tag="ack"):
    """The answer to `remind`."""

    reminder: Reminder
    """The reminder."""


class ReminderDue(Frame, tag="reminder.due"):
    """The time of a reminder has come."""

    reminder: Reminder
    """The reminder."""


async def on_remind(session: Session, request: Remind) -> RemindAck:
    context, actor = session.context(Reminders), session.authenticated_actor
    made = await use_cases.remind(context, actor, request.text, request.in_seconds * 1000)
    return RemindAck(request.id, shape(made))


def publish(hub: Hub, reminder: models.Reminder) -> None:
    message = BusMessage("reminder.due", encode(ReminderDue(shape(reminder))))
    hub.bus.publish((user_topic(reminder.user),), message)


# Sync.


class ReminderSource:
    def __init__(self, reminders: Reminders) -> None:
        self._reminders = reminders

    async def changes(
        self, actor: Actor, position: bytes | None, known: Known, room: int
    ) -> SourceChanges:
        if position is None:
            return SourceChanges(position=self.position_now(actor.user, None, room), reset=True)
        found = await use_cases.due_since(self._reminders, actor.user, position.decode())
        due = [shape(one) for one in found.reminders]
        return SourceChanges(
            changes=ReminderChanges(due) if due else None,
            position=found.position.encode(),
            more=found.more,
        )

    def position_now(self, user: UserId, last: bytes | None, room: int) -> bytes:
        return f"{records.DUE}{self._reminders.clock.now_ms():015d}".encode()


# Registration.


def _build(composition: Composition) -> Reminders:
    hub, rules = composition.hub, composition.policy[ReminderRules]
    return Reminders(
        composition.store,
        composition.clock,
        composition.ids,
        use_cases.discard if hub is None else guarded(partial(publish, hub)),
        characters=rules.characters,
        page=composition.settings[ReminderSettings].page,
    )


def _timers(contexts: Contexts) -> Mapping[str, TimerHandler]:
    on_due = partial(use_cases.on_due, contexts[Reminders])
    return {use_cases.TIMER: TimerHandler(on_due)}


def _followers(_: Contexts) -> tuple[Follower, ...]:
    return (Follower("reminder counts", records.REMINDERS, use_cases.count_new),)


_EXAMPLE = Reminder("rem_01k75q8h3c9m2n4p6r8t0v2x4z", "Call Maya", "2025-10-09T09:15:00.000Z")
PROPERTIES: Mapping[str, Property] = {
    "reminderId": id_property("The reminder's id."),
    "Reminder.text": text_property("What to be reminded of.", MAX_TEXT),
    "NewReminder.text": text_property("What to be reminded of.", MAX_TEXT),
    "Remind.text": text_property("What to be reminded of.", MAX_TEXT),
    "Reminder.dueAt": Property("When. ISO 8601, in UTC.", format="date-time"),
    "inSeconds": described("When, in seconds from now."),
    "reminders": described("The reminders."),
    "total": described("How many you have ever made."),
    "due": described("The reminders that have become due."),
}

API = ContextApi(
    name="reminders",
    build=_build,
    tables=records.TABLES,
    settings=(ReminderSettings,),
    policy=(ReminderRules,),
    limits=(REMINDERS,),
    routes=(ROUTES,),
    dependencies={"reminders": lambda contexts: contexts[Reminders]},
    requests=(
        SocketRequest(
            frame=Remind,
            handle=on_remind,
            limit=REMINDERS,
            ack=RemindAck,
            examples=(Example("in a minute", Remind(1, "Call Maya", 60)),),
            ack_examples=(Example("made", RemindAck(1, _EXAMPLE)),),
        ),
    ),
    events=(SocketEvent(frame=ReminderDue, examples=(Example("due", ReminderDue(_EXAMPLE)),)),),
    problems=Problems(
        responses={InvalidReminder: ProblemResponse(422)}, example_values={"characters": MAX_TEXT}
    ),
    examples={
        "getReminders": OperationExample({200: ReminderList([_EXAMPLE], 3)}),
        "createReminder": OperationExample({201: _EXAMPLE}, NewReminder("Call Maya", 60)),
    },
    properties=PROPERTIES,
    sync=(
        SyncPart(
            name="reminders",
            shape=ReminderChanges,
            description="Reminders that have become due; left out if there are none.",
            example=ReminderChanges([_EXAMPLE]),
            source=lambda contexts: ReminderSource(contexts[Reminders]),
        ),
    ),
    access="""
200 200 200 200 200 200 200 200 200 403  GET /v1/reminders
201 201 201 201 201 201 201 201 201 403  POST /v1/reminders
""",
    timers=_timers,
    followers=_followers,
    costs=("tests.example_context.costs",),
    demo="tests.example_context.demo",
)
