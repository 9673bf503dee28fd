"""Blobs in a folder on disk, with signed URLs of this server."""

from greenroom.blobs.folder.engine import FolderBlobs
from greenroom.blobs.folder.signed_urls import Grant

__all__ = ["FolderBlobs", "Grant"]
