"""Restores a backup into an empty data folder, and lets the contexts heal what belongs together."""

import shutil
from pathlib import Path

import msgspec

from greenroom import policy_file
from greenroom.api.problems import DataNotEmpty, NotABackup
from greenroom.api.registry import Registry
from greenroom.app import REGISTRY, compose
from greenroom.backup import CONTENTS, FILES, FORMAT, ITEMS, SQL, Contents
from greenroom.clock import SystemClock
from greenroom.copied_files import copy_files, sync_folders
from greenroom.durable_files import sync_file, sync_folder
from greenroom.open_blobs import opened_blobs
from greenroom.open_sql import opened_sql
from greenroom.open_store import opened
from greenroom.settings import (
    RESTORING,
    DataNotWritable,
    InvalidSetting,
    Settings,
    data_folder,
    load_secret,
    variable_of,
)


def restore(settings: Settings, source: Path) -> Contents:
    """A restore that is interrupted leaves a folder that no server starts on."""
    contents = _contents_of(source)
    for name in ("store", "sql"):
        if getattr(settings, name) and (name == "store" or contents.sql):
            reason = "it must be empty: a backup is restored into the data folder"
            raise InvalidSetting(variable_of(name), reason)
    folder = data_folder(settings)
    if any(folder.iterdir()):
        raise DataNotEmpty(str(folder))
    try:
        _copy(source, folder, contents)
    except OSError as error:
        raise DataNotWritable(str(folder), error.strerror or str(error)) from error
    return contents


async def heal(settings: Settings, registry: Registry = REGISTRY) -> None:
    """Opens what was restored, as a server does, and calls each context's `after_restore`."""
    clock, policy = SystemClock(), policy_file.read(registry.policy, settings.policy)
    async with (
        opened(settings, clock, create_tables=False, tables=registry.tables) as store,
        opened_blobs(settings, clock) as blobs,
        opened_sql(settings, create_tables=False, schemas=registry.sql_schemas) as sql,
    ):
        contexts = compose(
            store,
            clock,
            load_secret(settings),
            blobs=blobs,
            sql=sql,
            settings=settings,
            policy=policy,
            registry=registry,
        )
        try:
            await registry.after_restore(contexts)
        finally:
            await registry.close(contexts)


def _contents_of(source: Path) -> Contents:
    try:
        contents = msgspec.json.decode((source / CONTENTS).read_bytes(), type=Contents)
    except (OSError, msgspec.DecodeError):
        raise NotABackup(str(source), f"it must have a valid {CONTENTS}") from None
    if contents.format > FORMAT:
        reason = f"Greenroom {contents.version} or newer must restore it"
        raise NotABackup(str(source), reason)
    names = [ITEMS, *([SQL] if contents.sql else [])]
    for name in names:
        if not (source / name).is_file():
            raise NotABackup(str(source), f"it must have {name}")
    return contents


def _copy(source: Path, folder: Path, contents: Contents) -> None:
    draft = folder / RESTORING
    draft.mkdir(0o700)
    sync_folder(folder)
    if (source / FILES).is_dir():
        copy_files(source / FILES, draft / FILES)
    for name in [SQL, ITEMS] if contents.sql else [ITEMS]:
        shutil.copyfile(source / name, draft / name)
        (draft / name).chmod(0o600)
        sync_file(draft / name)
    sync_folders(draft)
    for path in list(draft.iterdir()):
        path.rename(folder / path.name)
    sync_folder(folder)
    draft.rmdir()
    sync_folder(folder)
