"""Blobs in a bucket of S3, or of a server with its API, with presigned URLs of the bucket."""

from greenroom.blobs.s3.engine import S3Blobs
from greenroom.blobs.s3.location import InvalidLocation, Location, parse_location

__all__ = ["InvalidLocation", "Location", "S3Blobs", "parse_location"]
