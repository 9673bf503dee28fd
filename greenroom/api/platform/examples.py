"""An example of every request and answer that belongs to no context."""

from collections.abc import Mapping

from greenroom.api.platform.health import Health
from greenroom.api.route_docs import OperationExample

EXAMPLES: Mapping[str, OperationExample] = {
    "getHealth": OperationExample({200: Health("ok")}),
    "getReadiness": OperationExample({200: Health("ready")}),
}
