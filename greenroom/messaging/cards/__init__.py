"""Action cards in a thread: proposed and answered there, decided in SQL, relayed back to it."""
