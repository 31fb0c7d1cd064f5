"""Sound: levels, spreading, rooms, strings and air; noise as it is rated, and what is heard."""
