"""The project panel of a thread: tabs that both sides edit, and snapshots of what others write."""
