"""Registers bookings: their SQL tables, settings and policy. The conversation has their routes."""

from greenroom.api.bookings.problems import PROBLEMS
from greenroom.api.bookings.properties import PARAMETERS, PROPERTIES
from greenroom.api.bookings.rest import bookings, cards
from greenroom.api.composition import Composition, Contexts
from greenroom.api.registry import ContextApi
from greenroom.bookings import Bookings
from greenroom.bookings.card_policy import LIMITS, BookingRules, Cards, Rules
from greenroom.bookings.payments.sandbox.provider import SandboxPayments
from greenroom.bookings.payments.sandbox.schema import SCHEMA as SANDBOX
from greenroom.bookings.policy import RefundRules
from greenroom.bookings.schema import SCHEMA
from greenroom.bookings.settings import BookingSettings
from greenroom.sql.missing import MissingDatabase


def _build(composition: Composition) -> Bookings:
    policy = composition.policy
    database = composition.sql or MissingDatabase()
    takes_payments = composition.settings[BookingSettings].payments == "sandbox"
    return Bookings(
        database,
        composition.clock,
        composition.ids,
        Rules(policy[Cards], policy[BookingRules], policy[RefundRules], takes_payments),
        SandboxPayments(database, composition.clock) if takes_payments else None,
    )


async def _close(contexts: Contexts) -> None:
    await contexts[Bookings].tasks.finish()


API = ContextApi(
    name="bookings",
    build=_build,
    close=_close,
    sql=(SCHEMA, SANDBOX),
    settings=(BookingSettings,),
    policy=(Cards, BookingRules, RefundRules),
    limits=LIMITS,
    routes=(cards.routes, bookings.routes),
    dependencies={"bookings": lambda contexts: contexts[Bookings]},
    problems=PROBLEMS,
    properties=PROPERTIES,
    parameters=PARAMETERS,
)
