"""The doors: they parse, call one use case and render. Policy lives in the contexts."""
