"""Encodes frames as JSON."""

import msgspec

encode = msgspec.json.Encoder().encode
