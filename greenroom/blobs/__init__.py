"""Files as bytes under a key: the interface of the blob store."""
