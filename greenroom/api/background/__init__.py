"""Routes that repair background work, for admins and for the command line."""
