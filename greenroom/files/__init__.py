"""Files: uploads, scanning, previews, safe mode, manifests."""

from greenroom.files.context import Files

__all__ = ["Files"]
