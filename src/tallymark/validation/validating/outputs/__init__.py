"""A validation as a report, JSON, tables and pictures."""
