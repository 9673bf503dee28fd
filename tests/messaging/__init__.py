"""The messaging context: its use cases, what they cost, and the plain model that it agrees with."""
