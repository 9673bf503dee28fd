"""Registers live: only its tables so far."""

from greenroom.api.registry import ContextApi
from greenroom.live import records

API = ContextApi(name="live", tables=records.TABLES)
