"""Keeps an AWS key at hand, because URLs are signed without waiting."""

import asyncio
import logging
from contextlib import suppress

from aiodynamo.credentials import Credentials, Key

from greenroom.aws.credentials import (
    KEPT_SECONDS,
    CredentialCache,
    CredentialsClosed,
    CredentialsUnavailable,
)
from greenroom.aws.metadata_http import MetadataHttpClient
from greenroom.aws.retries import RetryPolicy
from greenroom.blobs.base import BlobsFailing, BlobsRefused

_log = logging.getLogger(__name__)


class CurrentKey:
    """`value` is renewed every minute. A key that a metadata service gives is good for ten minutes
    more at least."""

    value: Key

    def __init__(self, credentials: Credentials, retry: RetryPolicy) -> None:
        http = MetadataHttpClient(retry.connect_seconds, retry.response_seconds)
        self._cache = CredentialCache(credentials, http)
        self._renewing: asyncio.Task[None] | None = None

    async def open(self) -> None:
        try:
            found = await self._cache.get()
        except CredentialsUnavailable as reason:
            _log.error("The bucket cannot be used: %s", reason)
            raise BlobsFailing from None
        if found is None:
            raise BlobsRefused("no AWS credentials were found on this machine")
        self.value = found
        self._renewing = asyncio.create_task(self._renew())

    async def close(self) -> None:
        await self._cache.close()
        if self._renewing is not None:
            self._renewing.cancel()
            with suppress(asyncio.CancelledError):
                await self._renewing

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(KEPT_SECONDS)
            try:
                self.value = await self._cache.get() or self.value
            except CredentialsUnavailable as reason:
                _log.warning("The AWS key could not be renewed: %s", reason)
            except CredentialsClosed:
                return
