"""Gives the download URLs of files to somebody who may see them.

Who may see a file, and how clearly, is decided here and nowhere else: a URL needs no token, and
works until it expires.
"""

from collections.abc import Collection, Iterable, Mapping

from msgspec import Struct

from greenroom.files import access, rules
from greenroom.files.access import FileView
from greenroom.files.context import Files
from greenroom.files.models import File, SafeMode, Shown, Variant
from greenroom.files.preferences import safe_mode
from greenroom.files.records import blob_of
from greenroom.ids import FileId
from greenroom.people.actor import Actor

MAX_FILES = 50


class FileUrls(Struct, frozen=True):
    file: FileId
    shown: Shown
    can_reveal: bool
    urls: Mapping[Variant, str]


class Wanted(Struct, frozen=True, kw_only=True):
    """What a client asks for."""

    files: tuple[FileId, ...]
    reveal: frozenset[FileId] = frozenset()
    """Those of `files` whose blurred picture the viewer wants to see clearly."""
    variants: frozenset[Variant] | None = None
    """None for all."""
    download: bool = False
    """To be saved: a browser shows none of them."""


async def file_urls(files: Files, actor: Actor, wanted: Wanted) -> tuple[FileUrls, ...]:
    """In the order of the ids. Files that are missing, and those that the actor may not see, are
    left out."""
    views = await access.file_views(files, actor, wanted.files[:MAX_FILES])
    preference = await _preference(files, actor, views.values())
    return tuple(_urls(files, view, preference, wanted) for view in views.values())


async def _preference(files: Files, actor: Actor, views: Iterable[FileView]) -> SafeMode:
    """Read only where it makes a difference."""
    if all(_shown(view, SafeMode.HIDE) is Shown.CLEAR for view in views):
        return SafeMode.BLUR
    return await safe_mode(files, actor)


def _shown(view: FileView, preference: SafeMode) -> Shown:
    if view.viewer is None:
        return Shown.CLEAR
    return rules.shown_to(view.file, view.viewer, preference)


def _urls(files: Files, view: FileView, preference: SafeMode, wanted: Wanted) -> FileUrls:
    file, shown = view.file, _shown(view, preference)
    if view.viewer is None:
        allowed = rules.variants_for_owner(file)
    else:
        allowed = rules.variants_for(file, shown, reveal=file.id in wanted.reveal)
    return FileUrls(
        file.id,
        shown,
        rules.can_reveal(file, shown),
        signed_urls(files, file, allowed, wanted.variants, download=wanted.download),
    )


def signed_urls(
    files: Files,
    file: File,
    allowed: Iterable[Variant],
    wanted: Collection[Variant] | None = None,
    *,
    download: bool = False,
) -> dict[Variant, str]:
    """Careful: checks nothing. `allowed` comes from the rules."""
    chosen = [variant for variant in allowed if wanted is None or variant in wanted]
    return {variant: _signed_url(files, file, variant, download) for variant in chosen}


def _signed_url(files: Files, file: File, variant: Variant, download: bool) -> str:
    type = rules.type_of(file, variant)
    return files.blobs.presign_download(
        blob_of(file, variant),
        file_name=rules.name_of(file, variant),
        content_type=type,
        inline=type in rules.INLINE and not download,
        seconds=files.policy.url_seconds,
    ).url
