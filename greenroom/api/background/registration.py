"""Registers the repair of background work, and the tables of timers and followers."""

from greenroom.api.background.rest import (
    MAX_NAME,
    MAX_TIMER_ID,
    ROUTES,
    Replayed,
    TimerName,
)
from greenroom.api.composition import Composition
from greenroom.api.openapi.property import described, text_property
from greenroom.api.problem_table import INTERNAL_ERROR, ProblemResponse, Problems
from greenroom.api.registry import ContextApi, Registry
from greenroom.api.route_docs import OperationExample
from greenroom.background import problems, records
from greenroom.background.repair import Background
from greenroom.errors import MAX_DETAIL


def _build(composition: Composition) -> Background:
    contexts = composition.contexts
    return Background(
        composition.store,
        composition.clock,
        followers=lambda: contexts[Registry].followers(contexts),
        timers=lambda: contexts[Registry].timers(contexts),
    )


_TIMER = TimerName("request_expiry", "rqt_01k75q8h3c9m2n4p6r8t0v2x4z")

API = ContextApi(
    name="background",
    build=_build,
    tables=records.TABLES,
    routes=(ROUTES,),
    dependencies={"background": lambda contexts: contexts[Background]},
    problems=Problems(
        responses={
            problems.FollowerNotFound: ProblemResponse(404),
            problems.NotComparable: INTERNAL_ERROR,
            problems.ChangeNotSetAside: ProblemResponse(404),
            problems.TimerNotSetAside: ProblemResponse(404),
            problems.TimerKindNotFound: ProblemResponse(404),
        },
        example_values={
            "follower": "archive",
            "kind": _TIMER.kind,
            "known": "The known ones are: a, b",
            "number": 7,
            "timer_id": _TIMER.timer_id,
        },
    ),
    examples={
        "rebuildFollower": OperationExample({}),
        "replayChange": OperationExample({200: Replayed(3, "")}),
        "dropChange": OperationExample({}),
        "replayTimer": OperationExample({}, _TIMER),
        "dropTimer": OperationExample({}, _TIMER),
    },
    properties={
        "Replayed.replayed": described("How many changes were handled."),
        "Replayed.error": text_property("What failed again; empty if nothing did.", MAX_DETAIL),
        "TimerName.kind": text_property("The timer's kind.", MAX_NAME),
        "TimerName.timerId": text_property("The timer's id.", MAX_TIMER_ID),
    },
    parameters={
        "follower": "The follower's name, percent-encoded.",
        "number": "The change's number, from `greenroom background set-aside`.",
    },
    access="""
403 403 403 403 403 403 403 404 403 404  POST /v1/background/followers/{follower}/rebuild
403 403 403 403 403 403 403 404 403 404  POST /v1/background/followers/{follower}/set-aside/{number}/replay
403 403 403 403 403 403 403 404 403 404  DELETE /v1/background/followers/{follower}/set-aside/{number}
403 403 403 403 403 403 403 204 403 204  POST /v1/background/timers/replay
403 403 403 403 403 403 403 204 403 204  POST /v1/background/timers/drop
""",  # noqa: E501 (a table); 404, because the tests name a follower that does not exist
)
