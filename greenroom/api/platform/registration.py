"""Registers what belongs to no context: health, pages, the socket's own frames."""

from greenroom.api import idempotency, pages
from greenroom.api.platform import health, metrics, socket
from greenroom.api.platform.access_matrix import ACCESS
from greenroom.api.platform.examples import EXAMPLES
from greenroom.api.platform.policy import LIMITS, SECTIONS
from greenroom.api.platform.problems import PROBLEMS
from greenroom.api.platform.properties import PARAMETERS, PROPERTIES
from greenroom.api.registry import ContextApi
from greenroom.store import ephemeral

API = ContextApi(
    name="platform",
    tables=ephemeral.TABLES,
    ephemeral_kinds=idempotency.EPHEMERAL_KINDS,
    policy=SECTIONS,
    limits=LIMITS,
    routes=(pages.page_css, health.healthz, health.readyz, metrics.metrics),
    requests=socket.REQUESTS,
    events=socket.EVENTS,
    problems=PROBLEMS,
    examples=EXAMPLES,
    properties=PROPERTIES,
    parameters=PARAMETERS,
    access=ACCESS,
    costs=("greenroom.cost.background",),
)
