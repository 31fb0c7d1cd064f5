"""Ratings of players and teams, odds of bookmakers, and rates of scoring."""
