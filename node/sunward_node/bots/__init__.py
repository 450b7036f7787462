"""Players that are programs: what a bot is, the ones there are, and how they value a game."""
