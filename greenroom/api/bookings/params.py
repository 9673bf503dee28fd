"""Declares the path parameters of bookings, and the context as a parameter of routes."""

from typing import Annotated, TypeAlias

from litestar.di import NamedDependency
from litestar.params import PathParameter, QueryParameter, SkipValidation

from greenroom.api.params import ID, MAX_ID
from greenroom.bookings import Bookings
from greenroom.ids import CardId, LegId

TheBookings: TypeAlias = NamedDependency[SkipValidation[Bookings]]

CardIdInPath: TypeAlias = Annotated[
    CardId, PathParameter(name="cardId", pattern=ID, max_length=MAX_ID)
]
LegIdInPath: TypeAlias = Annotated[
    LegId, PathParameter(name="legId", pattern=ID, max_length=MAX_ID)
]
DryRunQuery: TypeAlias = Annotated[
    bool,
    QueryParameter(
        name="dryRun",
        description="Whether to show what would happen, and write nothing. Such a request needs no "
        "`Idempotency-Key`.",
    ),
]
PaymentKeyInPath: TypeAlias = Annotated[
    str, PathParameter(name="paymentKey", pattern=r"^[A-Za-z0-9_:-]+$", max_length=MAX_ID)
]
