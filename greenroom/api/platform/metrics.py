"""`GET /metrics`: the server's numbers in the Prometheus text format."""

from typing import Any

from litestar import Request, Response, get
from litestar.exceptions import NotFoundException

from greenroom.metrics import MEDIA_TYPE, Metrics


@get("/metrics", include_in_schema=False)
async def metrics(request: Request[Any, Any, Any]) -> Response[bytes]:
    """Not found unless the operator has turned it on."""
    if not request.app.state.shows_metrics:
        raise NotFoundException
    found: Metrics = request.app.state.metrics
    return Response(found.text(), media_type=MEDIA_TYPE)
