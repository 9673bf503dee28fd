"""When a hold is renewed or captured, so that a deposit outlives it."""


def renew_at_ms(capture_before_ms: int) -> int:
    return capture_before_ms - 86_400_000
