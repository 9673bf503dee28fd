"""The route that tells anybody whether a PDF is a document that was signed here.

There is no token: the address is counted instead. The answer names nobody.
"""

from typing import Annotated, Any, TypeAlias

from litestar import Request, Response, Router, get
from litestar.params import PathParameter

from greenroom.api.bookings.document_shapes import DocumentVerdict, verdict_shape
from greenroom.api.bookings.params import TheBookings
from greenroom.api.client_address import counted_address
from greenroom.api.route_docs import refuses
from greenroom.api.safety.params import TheSafety
from greenroom.bookings.card_policy import VERIFYING
from greenroom.bookings.documents.verify import verify
from greenroom.safety.limits import TooMany

Sha256InPath: TypeAlias = Annotated[
    str, PathParameter(name="sha256", pattern="^[0-9a-f]{64}$", max_length=64)
]


@get(
    "/v1/documents/verify/{sha256:str}",
    operation_id="verifyDocument",
    summary="Verify a PDF",
    description="For everybody: no token is needed. Tells whether a file with this SHA-256 is a "
    "document that was signed here, and whether it is still valid. The page `/verify` asks this "
    "for a file that one drops there. The number of requests from an address is limited.",
    response_description="What is known of the file. Where nothing is, only `status`.",
    responses=refuses(TooMany, token=False),
    tags=["documents"],
)
async def verify_document(
    request: Request[Any, Any, Any],
    sha256: Sha256InPath,
    bookings: TheBookings,
    safety: TheSafety,
) -> Response[DocumentVerdict]:
    await safety.limits.spend(counted_address(request), VERIFYING)
    found = verdict_shape(await verify(bookings, sha256))
    return Response(found, headers={"Cache-Control": "no-store"})


routes = Router("/", route_handlers=[verify_document])
