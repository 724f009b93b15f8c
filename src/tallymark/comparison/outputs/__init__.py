"""A comparison as a report, JSON, a table, pictures and files."""
