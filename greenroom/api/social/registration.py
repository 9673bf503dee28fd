"""Registers social: only its tables so far."""

from greenroom.api.registry import ContextApi
from greenroom.social import records

API = ContextApi(name="social", tables=records.TABLES)
