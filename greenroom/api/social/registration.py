"""Registers social: so far its tables."""

from greenroom.api.registry import ContextApi
from greenroom.social import records

API = ContextApi(name="social", tables=records.TABLES)
