"""What a tuning looks like as text, as JSON and as a table."""
