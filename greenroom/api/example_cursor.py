"""A cursor as the examples show it."""

NEXT = "bmV4dC1wYWdlLW9mLXRoaXMtcXVlcnk"
