"""Work that no request waits for: durable timers, and followers of the change feed."""
