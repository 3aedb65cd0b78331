"""The game on a terminal: tiles, acts, the table in play and the result of a hand, drawn with rich."""
