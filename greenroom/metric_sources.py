"""Reads the numbers that other parts of a server keep, when its metrics are read."""

from collections.abc import Iterator

from greenroom import __version__, metrics
from greenroom.api.ws.socket_server import SocketServer
from greenroom.background.models import Stage
from greenroom.background.worker import Worker
from greenroom.files.pipeline import Pipeline
from greenroom.metrics import Metrics, Value
from greenroom.realtime.hub import Hub
from greenroom.store.base import Store
from greenroom.store.server_clock import ServerClock
from greenroom.store.sqlite import SqliteStore


def add_sources(
    to: Metrics,
    *,
    store: Store,
    clock: ServerClock,
    hub: Hub,
    socket_server: SocketServer,
    worker: Worker,
    pipeline: Pipeline,
) -> None:
    to.add(lambda: _of_sockets(socket_server))
    to.add(lambda: _of_parts(store, clock, hub))
    to.add(lambda: of_worker(worker))
    to.add(lambda: of_pipeline(pipeline))
    to.file_check_seconds = pipeline.counts.seconds


def measure_delivery(to: Metrics, hub: Hub, clock: ServerClock) -> None:
    observe = to.delivery_seconds.observe

    def on_delivered(at_ms: int) -> None:
        observe(max(0, clock.now_ms() - at_ms) / 1000)

    hub.on_delivered = on_delivered


def of_worker(worker: Worker) -> Iterator[Value]:
    timers = worker.timers.counts
    yield Value(metrics.TIMERS_DUE.name, worker.timers.due)
    yield Value(metrics.TIMERS_LATE.name, worker.timers.late_ms / 1000)
    yield Value(metrics.TIMERS_RUN.name, timers.run)
    yield Value(metrics.TIMERS_FAILED.name, timers.failed)
    yield Value(metrics.TIMERS_SET_ASIDE.name, timers.set_aside)
    for runner in worker.followers.values():
        name, counts = (runner.name,), runner.counts
        yield Value(metrics.FOLLOWER_LAG.name, runner.lag_ms / 1000, name)
        yield Value(metrics.FOLLOWER_STOPPED.name, counts.stage is Stage.NEEDS_REBUILD, name)
        yield Value(metrics.FOLLOWER_APPLIED.name, counts.applied, name)
        yield Value(metrics.FOLLOWER_FAILED.name, counts.failed, name)
        yield Value(metrics.FOLLOWER_SET_ASIDE.name, counts.set_aside, name)


def of_pipeline(pipeline: Pipeline) -> Iterator[Value]:
    yield Value(metrics.FILES_CHECKING.name, pipeline.counts.running)
    yield Value(metrics.FILES_WAITING.name, pipeline.decoder.waiting)
    for state, number in pipeline.counts.ended.items():
        yield Value(metrics.FILES_CHECKED.name, number, (state.value,))


def _of_sockets(server: SocketServer) -> Iterator[Value]:
    waiting = len(server.waiting)
    yield Value(metrics.SOCKETS.name, len(server.sessions) - waiting, ("authenticated",))
    yield Value(metrics.SOCKETS.name, waiting, ("unauthenticated",))
    yield Value(metrics.SOCKET_RUNNING.name, server.under_way)
    yield Value(metrics.SOCKET_ACKS.name, server.acked)
    for frame, number in server.received.items():
        yield Value(metrics.SOCKET_REQUESTS.name, number, (str(frame.__struct_config__.tag),))


def _of_parts(store: Store, clock: ServerClock, hub: Hub) -> Iterator[Value]:
    yield Value(metrics.INFO.name, 1, (__version__,))
    yield Value(metrics.STORE_WRITABLE.name, store.read_only_reason is None)
    yield Value(metrics.BUS_UP.name, hub.bus.is_up)
    yield Value(metrics.CLOCK_DRIFT.name, clock.drift_ms / 1000)
    if isinstance(store, SqliteStore):
        yield Value(metrics.COMMIT_GROUPS.name, store.commits)
        yield Value(metrics.COMMIT_WRITES.name, store.committed_writes)
