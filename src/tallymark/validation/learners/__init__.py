"""Models by name, the preparation of tables before them, and the baseline."""
