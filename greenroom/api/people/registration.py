"""Registers people: accounts, names, the directory."""

from greenroom.api.composition import Composition
from greenroom.api.people.access_matrix import ACCESS
from greenroom.api.people.examples import EXAMPLES
from greenroom.api.people.frames import PersonUpdated
from greenroom.api.people.problems import PROBLEMS
from greenroom.api.people.properties import PARAMETERS, PROPERTIES
from greenroom.api.people.rest import me, people
from greenroom.api.registry import ContextApi, Example, SocketEvent
from greenroom.people import People, records
from greenroom.people.policy import LIMITS, SECTIONS, Moderation, Usernames


def _build(composition: Composition) -> People:
    policy = composition.policy
    return People(
        composition.store,
        composition.clock,
        composition.ids,
        policy[Usernames],
        policy[Moderation].contact,
    )


API = ContextApi(
    name="people",
    build=_build,
    tables=records.TABLES,
    policy=SECTIONS,
    limits=LIMITS,
    routes=(me.routes, people.routes),
    dependencies={"people": lambda contexts: contexts[People]},
    events=(
        SocketEvent(
            frame=PersonUpdated,
            examples=(
                Example("a new name", PersonUpdated(EXAMPLES["findPeople"].answers[200].people[0])),
            ),
        ),
    ),
    problems=PROBLEMS,
    examples=EXAMPLES,
    properties=PROPERTIES,
    parameters=PARAMETERS,
    access=ACCESS,
)
