"""What goes over the socket, for programs to read: AsyncAPI 3.0, made from the types."""
