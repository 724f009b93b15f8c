"""The learning curve as text, JSON and a picture."""
