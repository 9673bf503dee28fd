"""Translates what a bucket or the way to it reports into the problems of the blob store."""

import logging
import re

from obstore.exceptions import (
    BaseError,
    PermissionDeniedError,
    UnauthenticatedError,
)

from greenroom.blobs.base import BlobsFailing, BlobsRefused
from greenroom.errors import Problem

NO_BUCKET = "NoSuchBucket"
_CODE = re.compile(r"<Code>(\w+)</Code>")
_STATUS = re.compile(r"status code: (\d{3})")
_UNSATISFIABLE = "416"
_log = logging.getLogger(__name__)


class S3Refusal(Exception):
    """A bucket's answer that will not change when the request is repeated."""

    def __init__(self, status: int, code: str) -> None:
        super().__init__(f"HTTP status {status}: {code}")
        self.status = status
        self.code = code


def refused(code: str) -> BlobsRefused:
    """Raised for what only the operator can change."""
    _log.error("The bucket refuses this server: %s", code)
    return BlobsRefused(f"the bucket answers {code}")


def failing(reason: object) -> BlobsFailing:
    _log.error("The bucket cannot be used: %s", reason)
    return BlobsFailing()


def is_no_such_bucket(error: BaseException) -> bool:
    return code_in(error) == NO_BUCKET


def is_unsatisfiable(error: BaseException) -> bool:
    """Whether a range begins behind the end of the blob."""
    return _status_in(error) == _UNSATISFIABLE


def problem_of(error: BaseError) -> Problem:
    """Of obstore's errors, whose class says little and whose text has the bucket's answer."""
    status, code = _status_in(error), code_in(error)
    is_denied = isinstance(error, PermissionDeniedError | UnauthenticatedError)
    if code == NO_BUCKET or is_denied or status.startswith(("3", "4")):
        return refused(code or f"HTTP status {status}")
    return failing(str(error).partition("\n")[0])


def code_in(error: BaseException) -> str:
    found = _CODE.search(str(error))
    return "" if found is None else found[1]


def _status_in(error: BaseException) -> str:
    found = _STATUS.search(str(error))
    return "" if found is None else found[1]
