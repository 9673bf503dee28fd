"""Who somebody is: account, username, profile."""
