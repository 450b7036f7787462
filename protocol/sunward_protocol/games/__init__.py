"""The games, each behind the one interface in `game.py`."""
