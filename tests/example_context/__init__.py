"""A small context, as docs/guides/contexts.md shows it: reminders.

It has one table, one route for each of reading and writing, one socket request, one event, one sync
source, one timer, one follower, one setting, one policy value, one rate limit and one demo sample.
Nothing outside this folder knows of it.
"""
