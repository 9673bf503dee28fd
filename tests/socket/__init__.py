"""The socket, over a real connection to a server in this process."""
