"""Routes that say whether the process runs, and whether it can serve requests."""

from collections.abc import Awaitable, Callable
from typing import Literal, TypeAlias

from litestar import get
from litestar.di import NamedDependency
from litestar.params import SkipValidation
from msgspec import Struct

from greenroom.api.route_docs import refuses
from greenroom.sql.problems import DatabaseBusy, DatabaseUnavailable
from greenroom.store.problems import StoreFailing, StoreUnavailable, Throttled

Ready: TypeAlias = Callable[[], Awaitable[None]]
"""Returns when the store and the SQL database can be used, and raises a Problem if not."""


class Health(Struct):
    status: Literal["ok", "ready"]


@get(
    "/healthz",
    operation_id="getHealth",
    summary="Check that the process is running",
    tags=["health"],
    response_description="The process is running.",
)
async def healthz() -> Health:
    return Health("ok")


@get(
    "/readyz",
    operation_id="getReadiness",
    summary="Check that the server can serve requests",
    tags=["health"],
    response_description="The server is ready.",
    responses=refuses(
        StoreFailing, StoreUnavailable, Throttled, DatabaseUnavailable, DatabaseBusy, token=False
    ),
)
async def readyz(ready: NamedDependency[SkipValidation[Ready]]) -> Health:
    await ready()
    return Health("ready")
