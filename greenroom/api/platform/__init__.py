"""Routes that belong to no context: health, documents, sync."""
