"""Rows that have several labels each, from every form people have them in."""
