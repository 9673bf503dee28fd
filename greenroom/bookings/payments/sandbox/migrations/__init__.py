"""The versions of the sandbox's tables."""
