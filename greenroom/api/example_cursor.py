"""The cursor shown in examples."""

NEXT = "bmV4dC1wYWdlLW9mLXRoaXMtcXVlcnk"
