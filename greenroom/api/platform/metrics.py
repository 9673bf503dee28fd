"""`GET /metrics`: the server's numbers in the Prometheus text format."""

from typing import Any

from litestar import Request, Response, get
from litestar.exceptions import NotFoundException

from greenroom.metrics import MEDIA_TYPE, Metrics


@get("/metrics", include_in_schema=False)
async def metrics(request: Request[Any, Any, Any]) -> Response[bytes]:
    """Not found unless the operator has turned it on; nor under another spelling of the path, such
    as `/metrics/`, which a proxy's rule may not match."""
    is_exact = request.scope["raw_path"].partition(b"?")[0] == b"/metrics"
    if not (is_exact and request.app.state.shows_metrics):
        raise NotFoundException
    found: Metrics = request.app.state.metrics
    return Response(found.text(), media_type=MEDIA_TYPE)
