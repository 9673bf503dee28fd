"""`GET /v1/sync`: everything that changed since a cursor, from all registered sources."""

from litestar import Router, get
from litestar.di import NamedDependency
from litestar.params import SkipValidation

from greenroom.api.auth import BEARER, needs
from greenroom.api.params import Caller, Cursor
from greenroom.api.registry import Registry
from greenroom.api.route_docs import refuses
from greenroom.api.sync import Known, Sync, rendered
from greenroom.people.actor import Scope
from greenroom.store.problems import InvalidCursor


def sync_routes(registry: Registry) -> Router:
    shape = registry.changes

    @get(
        "/sync",
        operation_id="sync",
        summary="Get everything that changed since a cursor",
        description="A cursor has a part for each source. `reset` names the sources whose part no "
        "longer holds: it is older than 30 days, the server's clock was set back, or the cursor "
        "comes from an older version. Load again what they show. Without a cursor `reset` names "
        "all of them. With `more`, call again at once. What was given is not given again.",
        response_description="What changed, by source.",
        responses=refuses(InvalidCursor),
    )
    async def sync(
        actor: Caller, sync_service: NamedDependency[SkipValidation[Sync]], cursor: Cursor = None
    ) -> shape:  # type: ignore[valid-type]
        return rendered(shape, await sync_service.changes(actor, cursor, Known()))

    return Router(
        "/v1",
        route_handlers=[sync],
        guards=[needs(Scope.USER)],
        security=BEARER,
        tags=["inbox"],
    )
