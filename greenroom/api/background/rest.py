"""Routes that replay, drop and rebuild background work that is stuck."""

from typing import Annotated, TypeAlias

from litestar import Router, delete, post
from litestar.di import NamedDependency
from litestar.params import JSONBody, PathParameter, SkipValidation
from msgspec import Meta, Struct

from greenroom.api.auth import BEARER, needs
from greenroom.api.params import MOST_BYTES_OF_NAMES
from greenroom.api.route_docs import refuses
from greenroom.background import repair
from greenroom.background.problems import (
    ChangeNotSetAside,
    FollowerNotFound,
    TimerKindNotFound,
    TimerNotSetAside,
)
from greenroom.background.repair import Background
from greenroom.people.actor import Scope

MAX_NAME = 100
MAX_TIMER_ID = 500
_MAX_NUMBER = 10**12 - 1

TheBackground: TypeAlias = NamedDependency[SkipValidation[Background]]
FollowerInPath: TypeAlias = Annotated[
    str, PathParameter(name="follower", min_length=1, max_length=MAX_NAME)
]
NumberInPath: TypeAlias = Annotated[int, PathParameter(name="number", ge=1, le=_MAX_NUMBER)]


class Replayed(Struct, rename="camel"):
    replayed: int
    error: str


class TimerName(Struct, rename="camel", forbid_unknown_fields=True):
    kind: Annotated[str, Meta(min_length=1, max_length=MAX_NAME)]
    timer_id: Annotated[str, Meta(min_length=1, max_length=MAX_TIMER_ID)]


@post(
    "/followers/{follower:str}/rebuild",
    operation_id="rebuildFollower",
    summary="Rebuild a follower",
    description="The node that works on the follower drops what was set aside, reads the whole "
    "table again and then follows its changes. Users can go on writing meanwhile.",
    response_description="The rebuild will begin within seconds.",
    status_code=204,
    responses=refuses(FollowerNotFound),
)
async def rebuild_follower(follower: FollowerInPath, background: TheBackground) -> None:
    await repair.rebuild(background, follower)


@post(
    "/followers/{follower:str}/set-aside/{number:int}/replay",
    operation_id="replayChange",
    summary="Handle a change again that was set aside",
    description="All changes of the same item that are set aside are handled, in their order. If "
    "one fails again, it and those after it stay set aside.",
    response_description="How many changes were handled, and what failed.",
    status_code=200,
    responses=refuses(FollowerNotFound, ChangeNotSetAside),
)
async def replay_change(
    follower: FollowerInPath, number: NumberInPath, background: TheBackground
) -> Replayed:
    done = await repair.replay_change(background, follower, number)
    return Replayed(done.replayed, done.error)


@delete(
    "/followers/{follower:str}/set-aside/{number:int}",
    operation_id="dropChange",
    summary="Give up a change that was set aside",
    description="It will never be handled. Later changes of the same item stay set aside.",
    response_description="The change is gone.",
    responses=refuses(FollowerNotFound, ChangeNotSetAside),
)
async def drop_change(
    follower: FollowerInPath, number: NumberInPath, background: TheBackground
) -> None:
    await repair.drop_change(background, follower, number)


@post(
    "/timers/replay",
    operation_id="replayTimer",
    summary="Run a timer again that was set aside",
    response_description="The timer runs within seconds.",
    status_code=204,
    responses=refuses(TimerNotSetAside, TimerKindNotFound, body=True),
)
async def replay_timer(data: JSONBody[TimerName], background: TheBackground) -> None:
    await repair.replay_timer(background, data.kind, data.timer_id)


@post(
    "/timers/drop",
    operation_id="dropTimer",
    summary="Give up a timer that was set aside",
    response_description="The timer is gone and will never run.",
    status_code=204,
    responses=refuses(TimerNotSetAside, TimerKindNotFound, body=True),
)
async def drop_timer(data: JSONBody[TimerName], background: TheBackground) -> None:
    await repair.drop_timer(background, data.kind, data.timer_id)


ROUTES = Router(
    "/v1/background",
    route_handlers=[rebuild_follower, replay_change, drop_change, replay_timer, drop_timer],
    guards=[needs(Scope.ADMIN, Scope.SERVICE)],
    security=BEARER,
    tags=["background"],
    request_max_body_size=MOST_BYTES_OF_NAMES,
)
