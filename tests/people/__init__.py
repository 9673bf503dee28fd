"""The people context: accounts, usernames, finding somebody."""
