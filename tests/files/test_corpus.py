"""Every file of the corpus has the outcome that is stated there, within little memory and time."""

import io
import time
from collections.abc import AsyncIterator
from hashlib import sha256

import pytest
import pytest_asyncio
from PIL import Image

from greenroom.files.models import File, FileState, Media, Variant
from tests.files.checks import CheckWorld, check_world
from tests.files.corpus import CORPUS, Expected
from tests.files.pictures import SECRET_PLACE, webp_chunks

pytestmark = pytest.mark.asyncio(loop_scope="module")

MOST_SECONDS = 20
MOST_MEMORY_BYTES = 500_000_000
_PIXELS = {b"VP8 ", b"VP8L", b"ALPH", b"VP8X", b"ANIM", b"ANMF"}
_WEBP = (Variant.SMALL, Variant.MEDIUM, Variant.LARGE, Variant.BLURRED)


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def world(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[CheckWorld]:
    """One for all, because the decoder process takes half a second to start."""
    async with check_world(tmp_path_factory.mktemp("corpus")) as one:
        yield one


@pytest.mark.parametrize("name", CORPUS)
async def test_a_file_of_the_corpus_has_its_outcome(world: CheckWorld, name: str) -> None:
    make, expected = CORPUS[name]
    content = make()
    used = world.files.pipeline.decoder.used
    used.most_memory_bytes, begun, cpu = 0, time.monotonic(), used.cpu_seconds
    file = await world.checked(content, name)
    assert _found(file) == expected
    assert used.cpu_seconds - cpu < MOST_SECONDS, time.monotonic() - begun
    assert used.most_memory_bytes < MOST_MEMORY_BYTES
    assert file.sha256 == sha256(content).hexdigest()
    await _check_previews(world, file)


def _found(file: File) -> Expected:
    expected = CORPUS[file.name][1]
    return Expected(
        state=file.state,
        media=file.media,
        type=file.type,
        problem=file.problem,
        variants=frozenset(preview.variant for preview in file.previews),
        facts={name: getattr(file, name) for name in expected.facts},
    )


async def _check_previews(world: CheckWorld, file: File) -> None:
    variants = {preview.variant for preview in file.previews}
    for preview in file.previews:
        content = await world.bytes_of(file, preview.variant)
        assert content is not None
        assert len(content) == preview.size
        assert SECRET_PLACE.encode() not in content
        if preview.variant in _WEBP:
            assert preview.type == "image/webp"
            assert set(webp_chunks(content)) <= _PIXELS, "it has metadata"
            with Image.open(io.BytesIO(content)) as image:
                assert image.size == (preview.width, preview.height)
                assert max(image.size) <= 1920
                image.load()
    is_visual = file.media in (Media.PICTURE, Media.VIDEO) or Variant.SMALL in variants
    assert file.is_visual == (is_visual and file.state is FileState.READY)
