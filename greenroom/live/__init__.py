"""One-on-one meetings: queue, points, sessions, rooms."""
