"""Posts, comments, likes, follows, stories and notifications."""
