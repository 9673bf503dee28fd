"""REST, socket requests, events and shapes of messaging."""
