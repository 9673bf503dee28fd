"""Registers live: so far its tables."""

from greenroom.api.registry import ContextApi
from greenroom.live import records

API = ContextApi(name="live", tables=records.TABLES)
