"""Chips of the controller board, one a file; nothing here knows what the table is for."""
