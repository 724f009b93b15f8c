"""Files in: one module per format, and what they share."""
