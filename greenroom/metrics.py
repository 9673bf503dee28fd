"""Counts what the server does, and writes the numbers in the Prometheus text format.

Counting is on the path of every message, so it only adds to plain numbers. Everything else happens
when the numbers are read. docs/reference/metrics.md is generated from `METRICS`.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from itertools import accumulate

from msgspec import Struct
from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric as Family,
)
from prometheus_client.registry import Collector

MEDIA_TYPE = "text/plain; version=0.0.4"
BOUNDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
"""The upper bounds of the histograms' buckets, in seconds."""


class Kind(Enum):
    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


class Metric(Struct, frozen=True):
    name: str
    kind: Kind
    help: str
    labels: tuple[str, ...] = ()


class Value(Struct, frozen=True):
    """The value of a metric for one set of labels."""

    name: str
    number: float
    labels: tuple[str, ...] = ()


HTTP_REQUESTS = Metric(
    "greenroom_http_requests_total",
    Kind.COUNTER,
    "HTTP requests. `route` is the path template, or `unmatched`; `status` is `none` where the "
    "client left before the response.",
    ("method", "route", "status"),
)
HTTP_SECONDS = Metric(
    "greenroom_http_request_seconds",
    Kind.HISTOGRAM,
    "Time from the head of an HTTP request to the end of its response.",
)
REFUSALS = Metric(
    "greenroom_refusals_total",
    Kind.COUNTER,
    "Problems sent to clients. `via` is `http` or `socket`; `code` is the last part of the "
    "problem's `type`.",
    ("via", "code"),
)
DELIVERY_SECONDS = Metric(
    "greenroom_delivery_seconds",
    Kind.HISTOGRAM,
    "Time from when a message is accepted to when it is written to the recipient's sockets on this "
    "node, including the commit and the bus. One observation per recipient.",
)
SOCKETS = Metric(
    "greenroom_sockets",
    Kind.GAUGE,
    "Open sockets. `state` is `authenticated` or `unauthenticated`.",
    ("state",),
)
SOCKET_REQUESTS = Metric(
    "greenroom_socket_requests_total",
    Kind.COUNTER,
    "Valid requests that came over sockets, by the `type` of their frame.",
    ("type",),
)
SOCKET_ACKS = Metric(
    "greenroom_socket_acks_total", Kind.COUNTER, "Acks sent over sockets: requests that succeeded."
)
SOCKET_RUNNING = Metric(
    "greenroom_socket_requests_running", Kind.GAUGE, "Socket requests that are being handled."
)
COMMIT_GROUPS = Metric(
    "greenroom_commit_groups_total",
    Kind.COUNTER,
    "Commits of the SQLite file; each has a group of writes. Missing on DynamoDB.",
)
COMMIT_WRITES = Metric(
    "greenroom_commit_writes_total",
    Kind.COUNTER,
    "Writes in these commits. Divided by the commits it is the size of a group.",
)
STORE_WRITABLE = Metric(
    "greenroom_store_writable", Kind.GAUGE, "1 while the store accepts writes, otherwise 0."
)
BUS_UP = Metric("greenroom_bus_up", Kind.GAUGE, "1 while the bus is connected, otherwise 0.")
CLOCK_DRIFT = Metric(
    "greenroom_clock_drift_seconds",
    Kind.GAUGE,
    "How far this machine's clock is ahead of the server's time.",
)
FOLLOWER_LAG = Metric(
    "greenroom_follower_lag_seconds",
    Kind.GAUGE,
    "Feed lag: the age of the oldest change that a follower has not applied; 0 when caught up. It "
    "grows while the follower rebuilds, is stopped, or cannot reach the store. Only on the node "
    "that runs the follower.",
    ("follower",),
)
FOLLOWER_STOPPED = Metric(
    "greenroom_follower_stopped",
    Kind.GAUGE,
    "1 while a follower needs a rebuild, otherwise 0. Only on the node that runs the follower.",
    ("follower",),
)
FOLLOWER_APPLIED = Metric(
    "greenroom_follower_changes_applied_total",
    Kind.COUNTER,
    "Changes that a follower has applied on this node.",
    ("follower",),
)
FOLLOWER_FAILED = Metric(
    "greenroom_follower_failures_total",
    Kind.COUNTER,
    "Attempts of a follower that failed on this node.",
    ("follower",),
)
FOLLOWER_SET_ASIDE = Metric(
    "greenroom_follower_changes_set_aside_total",
    Kind.COUNTER,
    "Changes that a follower has set aside on this node, after several failures.",
    ("follower",),
)
TIMERS_DUE = Metric(
    "greenroom_timers_due", Kind.GAUGE, "Timers that are due on this node and have not finished."
)
TIMERS_LATE = Metric(
    "greenroom_timers_late_seconds",
    Kind.GAUGE,
    "How long the oldest due timer waits that has not finished on this node; or for how long due "
    "timers could not be read from the store.",
)
TIMERS_RUN = Metric(
    "greenroom_timers_run_total", Kind.COUNTER, "Timers that were run on this node."
)
TIMERS_FAILED = Metric(
    "greenroom_timers_failures_total", Kind.COUNTER, "Attempts to run a timer that failed."
)
TIMERS_SET_ASIDE = Metric(
    "greenroom_timers_set_aside_total",
    Kind.COUNTER,
    "Timers that were set aside on this node, after several failures.",
)
FILES_CHECKED = Metric(
    "greenroom_files_checked_total",
    Kind.COUNTER,
    "Files whose check has ended on this node, by the `state` that they ended in.",
    ("state",),
)
FILE_CHECK_SECONDS = Metric(
    "greenroom_file_check_seconds",
    Kind.HISTOGRAM,
    "Time from when the check of a file begins to its outcome, with the tries that succeeded only.",
)
FILES_CHECKING = Metric(
    "greenroom_files_checking", Kind.GAUGE, "Files that are being checked on this node."
)
FILES_WAITING = Metric(
    "greenroom_files_waiting", Kind.GAUGE, "Files among these that wait for a decoder."
)
INFO = Metric("greenroom_info", Kind.GAUGE, "Always 1; `version` is the server's.", ("version",))

METRICS = (
    INFO,
    HTTP_REQUESTS,
    HTTP_SECONDS,
    REFUSALS,
    SOCKETS,
    SOCKET_REQUESTS,
    SOCKET_RUNNING,
    SOCKET_ACKS,
    DELIVERY_SECONDS,
    COMMIT_GROUPS,
    COMMIT_WRITES,
    STORE_WRITABLE,
    BUS_UP,
    CLOCK_DRIFT,
    FOLLOWER_LAG,
    FOLLOWER_STOPPED,
    FOLLOWER_APPLIED,
    FOLLOWER_FAILED,
    FOLLOWER_SET_ASIDE,
    TIMERS_DUE,
    TIMERS_LATE,
    TIMERS_RUN,
    TIMERS_FAILED,
    TIMERS_SET_ASIDE,
    FILES_CHECKED,
    FILE_CHECK_SECONDS,
    FILES_CHECKING,
    FILES_WAITING,
)


class Histogram:
    def __init__(self) -> None:
        self.counts = [0] * (len(BOUNDS) + 1)
        self.sum = 0.0

    def observe(self, seconds: float) -> None:
        self.counts[bisect_left(BOUNDS, seconds)] += 1
        self.sum += seconds

    def buckets(self) -> list[tuple[str, float]]:
        """Cumulative, as Prometheus has them."""
        bounds = (*(str(bound) for bound in BOUNDS), "+Inf")
        return list(zip(bounds, accumulate(self.counts), strict=True))


class Metrics(Collector):
    """The numbers of one server. `add` names more that are read when the metrics are."""

    def __init__(self) -> None:
        self.http_requests: defaultdict[tuple[str, str, str], int] = defaultdict(int)
        self.http_seconds = Histogram()
        self.refusals: defaultdict[tuple[str, str], int] = defaultdict(int)
        self.delivery_seconds = Histogram()
        self.file_check_seconds = Histogram()
        self._sources: list[Callable[[], Iterable[Value]]] = []
        self._registry = CollectorRegistry()
        self._registry.register(self)
        ProcessCollector(registry=self._registry)

    def add(self, source: Callable[[], Iterable[Value]]) -> None:
        self._sources.append(source)

    def text(self) -> bytes:
        return generate_latest(self._registry)

    def collect(self) -> Iterator[Family]:
        values: defaultdict[str, list[Value]] = defaultdict(list)
        for value in self._values():
            values[value.name].append(value)
        histograms = {
            HTTP_SECONDS.name: self.http_seconds,
            DELIVERY_SECONDS.name: self.delivery_seconds,
            FILE_CHECK_SECONDS.name: self.file_check_seconds,
        }
        for metric in METRICS:
            if metric.kind is Kind.HISTOGRAM:
                histogram = histograms[metric.name]
                buckets = histogram.buckets()
                yield HistogramMetricFamily(metric.name, metric.help, buckets, histogram.sum)
                continue
            is_counter = metric.kind is Kind.COUNTER
            family = (CounterMetricFamily if is_counter else GaugeMetricFamily)(
                metric.name, metric.help, labels=metric.labels
            )
            for value in values[metric.name]:
                family.add_metric(value.labels, value.number)
            yield family

    def _values(self) -> Iterator[Value]:
        for request, number in self.http_requests.items():
            yield Value(HTTP_REQUESTS.name, number, request)
        for refusal, number in self.refusals.items():
            yield Value(REFUSALS.name, number, refusal)
        for source in self._sources:
            yield from source()
