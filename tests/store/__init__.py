"""What only one of the store's engines has, and the pure parts beneath both."""
