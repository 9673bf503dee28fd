"""Threads, messages, inbox, requests, cards and the project panel."""
