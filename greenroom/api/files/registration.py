"""Registers files: uploads, previews, safe mode, manifests."""

from collections.abc import Mapping, Sequence
from functools import partial

from msgspec.structs import replace

from greenroom.api.composition import Composition, Contexts
from greenroom.api.files import socket
from greenroom.api.files.access_matrix import ACCESS
from greenroom.api.files.events import FileEvents
from greenroom.api.files.examples import EXAMPLES, PREFERENCES, READY
from greenroom.api.files.problems import PROBLEMS
from greenroom.api.files.properties import PARAMETERS, PROPERTIES
from greenroom.api.files.rest import (
    blobs,
    file_urls,
    files,
    manifests,
    preferences,
    ratings,
    uploads,
)
from greenroom.api.files.sync import FileChanges, FileSource
from greenroom.api.registry import ContextApi, Job
from greenroom.api.sync import SyncPart
from greenroom.background.timers import TimerHandler
from greenroom.blobs.missing import MissingBlobs
from greenroom.files import Files, records
from greenroom.files.check_file import check_file, give_up
from greenroom.files.check_timer import CHECK, LARGE_CHECK
from greenroom.files.check_turns import CheckTurns, most_at_once
from greenroom.files.create_file import EXPIRY
from greenroom.files.decoder.client import Decoder
from greenroom.files.events import discard
from greenroom.files.expire_file import expire_due
from greenroom.files.pipeline import Pipeline
from greenroom.files.policy import LIMITS, SECTIONS, FileRules, SafeModeRules
from greenroom.files.release import REMOVAL
from greenroom.files.remove_bytes import remove_due
from greenroom.files.removed_pictures import RemovedPictures
from greenroom.files.scanner_gaps import log_gaps
from greenroom.files.scanner_setting import scanner_of
from greenroom.files.set_band import BANDED, show_band
from greenroom.files.settings import FileSettings
from greenroom.files.vision.client import installed_rater
from greenroom.files.work_folder import WorkFolder
from greenroom.people import People
from greenroom.realtime.publish import guarded
from greenroom.safety import Safety

_GAPS_SECONDS = 3600.0


def _build(composition: Composition) -> Files:
    contexts, hub, policy = composition.contexts, composition.hub, composition.policy
    settings = composition.settings
    is_serving = composition.blobs is not None
    return Files(
        store=composition.store,
        blobs=composition.blobs or MissingBlobs(),
        people=contexts[People],
        safety=contexts[Safety],
        clock=composition.clock,
        ids=composition.ids,
        cursors=composition.cursors,
        pipeline=_pipeline(composition),
        policy=policy[FileRules],
        safe_mode=policy[SafeModeRules],
        publish=discard if hub is None else guarded(FileEvents(hub.bus).publish),
        scanner=scanner_of(settings.scanner) if is_serving else None,
        rater=installed_rater() if is_serving and settings[FileSettings].rate_pictures else None,
    )


def _pipeline(composition: Composition) -> Pipeline:
    settings, own = composition.settings, composition.settings[FileSettings]
    return Pipeline(
        decoder=Decoder(workers=own.decoders, memory_bytes=own.memory_bytes),
        removed=RemovedPictures(composition.store, composition.clock),
        work=WorkFolder(settings.data / "work"),
        turns=CheckTurns(most_at_once(own.decoders)),
    )


def _timers(contexts: Contexts) -> Mapping[str, TimerHandler]:
    files = contexts[Files]
    check = TimerHandler(
        partial(check_file, files),
        max_tries=40,  # about six hours: a scanner may be down for that long
        longest_pause_ms=600_000,
        seconds=900,
        on_dropped=partial(give_up, files),
    )
    return {
        CHECK: check,
        LARGE_CHECK: replace(check, seconds=3600, max_running=4),
        BANDED: TimerHandler(partial(show_band, files)),
        EXPIRY: TimerHandler(partial(expire_due, files)),
        REMOVAL: TimerHandler(partial(remove_due, files)),
    }


def _jobs(contexts: Contexts) -> Sequence[Job]:
    scanner = contexts[Files].scanner
    if scanner is None:
        return ()
    return (Job("scanner-gaps", _GAPS_SECONDS, partial(log_gaps, scanner)),)


API = ContextApi(
    name="files",
    build=_build,
    close=lambda contexts: contexts[Files].close(),
    tables=records.TABLES,
    settings=(FileSettings,),
    policy=SECTIONS,
    limits=LIMITS,
    routes=(
        files.routes,
        uploads.routes,
        file_urls.routes,
        blobs.routes,
        preferences.routes,
        ratings.appeal_routes,
        ratings.moderation_routes,
        manifests.routes,
    ),
    dependencies={"files": lambda contexts: contexts[Files]},
    events=socket.EVENTS,
    problems=PROBLEMS,
    examples=EXAMPLES,
    properties=PROPERTIES,
    parameters=PARAMETERS,
    sync=(
        SyncPart(
            name="files",
            shape=FileChanges,
            description="Changes of your files and file preferences; left out if there are none.",
            example=FileChanges([READY], [], PREFERENCES),
            source=lambda contexts: FileSource(contexts[Files]),
            share=4,
        ),
    ),
    access=ACCESS,
    timers=_timers,
    jobs=_jobs,
    demo="greenroom.demo.files",
    costs=(
        "greenroom.cost.files",
        "greenroom.cost.file_checks",
        "greenroom.cost.file_bands",
    ),
)
