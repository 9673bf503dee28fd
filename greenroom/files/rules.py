"""The rules of files: who is sent which bytes. Pure, no I/O."""

from collections.abc import Iterable, Mapping

from greenroom.files.models import (
    BLUR,
    HIDE,
    SHOW,
    Attachment,
    File,
    FileState,
    Media,
    SafeMode,
    Shown,
    Variant,
    Viewer,
)
from greenroom.files.policy import SafeModeRules

INLINE = frozenset(
    {
        "image/png",
        "image/jpeg",
        "image/gif",
        "image/webp",
        "image/avif",
        "video/mp4",
        "video/webm",
        "audio/mpeg",
        "audio/mp4",
        "audio/ogg",
        "audio/wav",
        "audio/webm",
    }
)
"""Types that a browser may show in its own window. Everything else is downloaded. Never one that
can contain a script: SVG, HTML, XML, PDF."""

OPAQUE = "application/octet-stream"
_ENDINGS = {"image/webp": ".webp", "video/mp4": ".mp4"}


def band_of(
    labels: Mapping[str, float], thresholds: SafeModeRules, *, is_whole: bool = True
) -> int:
    """The band of a picture, from what the model saw in it (`rater.LABELS`). A picture without
    labels was not rated: `shown_as` decides about those. A video is at least blurred unless all
    pictures of it that should be rated could be read: `is_whole`."""
    if not is_whole:
        return max(BLUR, band_of(labels, thresholds))
    explicit = labels.get("porn", 0.0) + labels.get("hentai", 0.0)
    suggestive = explicit + labels.get("sexy", 0.0)
    if explicit >= thresholds.hide_at:
        return HIDE
    return BLUR if suggestive >= thresholds.blur_at else SHOW


def worst(ratings: Iterable[Mapping[str, float]], thresholds: SafeModeRules) -> Mapping[str, float]:
    """Of the pictures of an animation or video, the one that needs most care."""

    def care(labels: Mapping[str, float]) -> tuple[int, float]:
        harmless = labels.get("drawing", 0.0) + labels.get("neutral", 0.0)
        return band_of(labels, thresholds), -harmless

    return max(ratings, key=care)


def shown_as(
    band: int, *, is_rated: bool, viewer: Viewer, preference: SafeMode, is_visual: bool = True
) -> Shown:
    """How a picture is shown before the viewer asks for more.

    | band | prefers show | prefers blur | prefers hide |
    | ---  | ---          | ---          | ---          |
    | 0    | clear        | clear        | clear        |
    | 1    | clear        | blurred      | hidden       |
    | 2    | blurred      | hidden       | hidden       |

    A conversation that requires safe mode treats `show` as `blur`. A picture that was not rated, by
    somebody whom the viewer does not know, counts as band 1.
    """
    if not is_visual:
        return Shown.CLEAR
    if not is_rated and not viewer.knows_owner:
        band = max(band, BLUR)
    if band == SHOW:
        return Shown.CLEAR
    if viewer.safe_mode_required and preference is SafeMode.SHOW:
        preference = SafeMode.BLUR
    if preference is SafeMode.HIDE:
        return Shown.HIDDEN
    step = band if preference is SafeMode.BLUR else band - 1
    return (Shown.CLEAR, Shown.BLURRED, Shown.HIDDEN)[min(step, HIDE)]


def shown_to(file: File, viewer: Viewer, preference: SafeMode) -> Shown:
    return shown_as(
        file.band,
        is_rated=file.is_rated,
        viewer=viewer,
        preference=preference,
        is_visual=file.is_visual,
    )


def variants_for(file: File, shown: Shown, *, reveal: bool) -> tuple[Variant, ...]:
    """The versions that a viewer other than the owner may download. A hidden file gives nothing,
    and a blurred one only its blurred version, unless the viewer asks for more."""
    made = tuple(preview.variant for preview in file.previews)
    if file.state is not FileState.READY or shown is Shown.HIDDEN:
        return ()
    if shown is Shown.BLURRED and not reveal:
        return (Variant.BLURRED,) if Variant.BLURRED in made else ()
    clear = tuple(variant for variant in made if variant is not Variant.BLURRED)
    return (Variant.ORIGINAL, *clear) if may_have_original(file) else clear


def can_reveal(file: File, shown: Shown) -> bool:
    """Whether the viewer gets more by asking for it. What is hidden stays hidden: for that the
    viewer changes the preference first."""
    return file.state is FileState.READY and shown is Shown.BLURRED


def variants_for_owner(file: File) -> tuple[Variant, ...]:
    """All there is, from the moment when all bytes have come; nothing of a file that ended
    badly."""
    if file.state is FileState.CHECKING:
        return (Variant.ORIGINAL,)
    if file.state is not FileState.READY:
        return ()
    return (Variant.ORIGINAL, *(preview.variant for preview in file.previews))


def may_have_original(file: File) -> bool:
    """Pictures may say where they were taken: others get the server's versions of them, unless the
    owner says otherwise. So it is with a video that has a stripped version."""
    if file.keep_original:
        return True
    has_stripped = any(preview.variant is Variant.STRIPPED for preview in file.previews)
    return file.media is not Media.PICTURE and not has_stripped


def type_of(file: File, variant: Variant) -> str:
    """The media type of a variant, as it is sent: a browser learns no type that it may not show,
    and none of a file that no decoder has read."""
    if file.media is Media.OTHER:
        return OPAQUE
    made = {preview.variant: preview.type for preview in file.previews}
    found = made.get(variant, file.type)
    return found if found in INLINE else OPAQUE


def name_of(file: File, variant: Variant) -> str:
    """What a browser saves a variant as."""
    made = {preview.variant: preview.type for preview in file.previews}
    ending = _ENDINGS.get(made.get(variant, ""))
    if ending is None or variant is Variant.STRIPPED:
        return file.name
    stem, dot, _ = file.name.rpartition(".")
    return (stem if stem and dot else file.name) + ending


def attachment_of(file: File, alt: str = "") -> Attachment:
    """What a message keeps of a file: enough to draw its place before anything is loaded."""
    assert file.state is FileState.READY
    return Attachment(
        file=file.id,
        name=file.name,
        mime=file.type,
        size=file.size,
        media=file.media,
        w=file.width,
        h=file.height,
        thumbhash=file.thumbhash,
        duration_ms=file.duration_ms,
        waveform=file.waveform,
        pages=file.pages,
        alt=alt,
        band=file.band,
        rated=file.is_rated,
        scan=file.scan,
    )


def expires(file: File) -> bool:
    """Whether it is deleted when its time is over: nothing uses it, or only a message that waits
    for it. A ready file of such a message stays: the message waits for another file."""
    if file.use is None:
        return True
    return file.use.is_waiting and file.state is not FileState.READY
