"""What each route does, in terms of a caller's reach. Handlers run in threads, under a stop and a deadline."""
