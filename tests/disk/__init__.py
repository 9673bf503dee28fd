"""A disk whose power can be cut: a FUSE file system that forgets what was not synced."""
