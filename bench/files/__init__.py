"""`make bench-files`: how fast files are uploaded, downloaded and checked, and what chat pays."""
