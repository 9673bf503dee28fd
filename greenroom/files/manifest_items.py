"""Manifests as items of the store, and the ops that append one to its thread's chain."""

import msgspec
from msgspec.structs import replace

from greenroom.files.items import at
from greenroom.files.manifest_hash import PublicManifest, public_manifest
from greenroom.files.models import ChainEnd, Manifest
from greenroom.files.records import FILES, chain_key, manifest_id_key, manifest_key
from greenroom.ids import ThreadId
from greenroom.store.base import Op, Put, Update
from greenroom.store.expressions import F
from greenroom.store.values import Item

_NUMBER, _HASH, _CONTENT, _SEQ = "number", "hash", "content", "seq"
_WITHHELD = "withheld"
"""Not in the content, which is what was recorded."""
_ABSENT = F("pk").absent()
_encode = msgspec.json.Encoder().encode
_decode_manifest = msgspec.json.Decoder(Manifest).decode
_decode_public = msgspec.json.Decoder(PublicManifest).decode


def append_ops(manifest: Manifest, seq: int) -> tuple[Op, ...]:
    """Refused where another one was appended since the chain was read. `seq` is that of the message
    which shows it."""
    key, id_key = manifest_key(manifest.thread, manifest.number), manifest_id_key(manifest.id)
    public = _encode(public_manifest(manifest)).decode()
    return (
        _chain_op(manifest),
        Put(FILES, at(key) | {_CONTENT: _encode(manifest).decode(), _SEQ: seq}, _ABSENT),
        Put(FILES, at(id_key) | {_CONTENT: public}, _ABSENT),
    )


def _chain_op(manifest: Manifest) -> Put:
    before = manifest.number - 1
    is_next = F(_NUMBER).equals(before) & F(_HASH).equals(manifest.previous)
    end = at(chain_key(manifest.thread)) | {_NUMBER: manifest.number, _HASH: manifest.hash}
    return Put(FILES, end, is_next if before else _ABSENT)


def withhold_ops(thread: ThreadId, manifest: PublicManifest) -> tuple[Op, ...]:
    keys = manifest_key(thread, manifest.number), manifest_id_key(manifest.id)
    actions = (F(_WITHHELD).set(True),)
    return tuple(Update(FILES, key, actions, F("pk").exists()) for key in keys)


def chain_end_of(item: Item | None) -> ChainEnd:
    if item is None:
        return ChainEnd()
    return ChainEnd(int(str(item[_NUMBER])), str(item[_HASH]))


def manifest_of(item: Item) -> Manifest:
    found = _decode_manifest(str(item[_CONTENT]))
    return replace(found, name="", url="", withheld=True) if item.get(_WITHHELD) else found


def seq_of(item: Item) -> int:
    return int(str(item[_SEQ]))


def public_manifest_of(item: Item) -> PublicManifest:
    found = _decode_public(str(item[_CONTENT]))
    return replace(found, name="", withheld=True) if item.get(_WITHHELD) else found
