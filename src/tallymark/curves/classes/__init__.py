"""All classes side by side."""
